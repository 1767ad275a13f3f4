//! Planes with known winners: the map is right, and needs few samples.

use proptest::prelude::*;

use super::*;

/// A sample that this store won, with the costs of the others.
fn won(store: &str, times: &[(&str, f64)]) -> MapSample {
    let others = times.iter().map(|(name, times)| ((*name).to_owned(), *times));
    let times_best = others.chain([(store.to_owned(), 1.0)]).collect();
    MapSample { verdict: MapVerdict::Won(store.to_owned()), times_best, unknown: Vec::new() }
}

fn at(x: usize, y: usize) -> MapPoint {
    MapPoint { x, y }
}

/// Samples until no further sample is useful, or until the maximum.
fn sampled(size: (usize, usize), most: usize, sample: impl Fn(MapPoint) -> MapSample) -> Plane {
    let mut plane = Plane::new(size.0, size.1, []);
    while plane.samples.len() < most {
        let Some(next) = plane.next(|_| true, |_| 1.0) else { break };
        plane.add(next, sample(next));
    }
    plane
}

fn all((width, height): (usize, usize)) -> impl Iterator<Item = MapPoint> {
    (0..height).flat_map(move |y| (0..width).map(move |x| at(x, y)))
}

/// Which of two stores is first on a plane of 17 × 17 with a curved border, as for LSM trees and B-trees.
fn curved(point: MapPoint) -> MapSample {
    let (x, y) = (point.x as f64, point.y as f64);
    won(if y > 4.0 + x * x / 24.0 { "tree" } else { "log" }, &[])
}

#[test]
fn a_known_border_is_found_with_few_samples() {
    let size = (17, 17);
    let plane = sampled(size, usize::MAX, curved);
    assert!(plane.samples.len() < 17 * 17 / 3, "{} samples of 289", plane.samples.len());
    let mut open = 0;
    for point in all(size) {
        let truth = curved(point).verdict;
        match plane.field(point) {
            MapField::Sampled(verdict) => assert_eq!(verdict, truth),
            MapField::Likely(store) => assert_eq!(MapVerdict::Won(store), truth, "{point:?}"),
            MapField::Open => {
                open += 1;
                let near = all(size).filter(|other| plane.distance(point, *other) < 3.0);
                assert!(
                    near.map(|other| curved(other).verdict).any(|other| other != truth),
                    "{point:?} is far from it"
                );
            }
            other => panic!("{point:?}: {other:?}"),
        }
    }
    assert!(open < 30, "{open} places are open");
    // A grid with as many samples leaves more places open.
    let mut grid = Plane::new(17, 17, []);
    all(size).filter(|point| point.x % 2 == 0 && point.y % 2 == 0).for_each(|point| grid.add(point, curved(point)));
    let open_of = |plane: &Plane| all(size).filter(|point| plane.field(*point) == MapField::Open).count();
    assert!(grid.samples.len() + 5 > plane.samples.len(), "{} and {}", grid.samples.len(), plane.samples.len());
    assert!(open_of(&grid) > open, "{} and {open}", open_of(&grid));
}

#[test]
fn one_winner_everywhere_takes_few_samples() {
    let plane = sampled((17, 17), usize::MAX, |_| won("a", &[]));
    assert!(plane.samples.len() < 45, "{} samples", plane.samples.len());
    assert!(all((17, 17)).all(|point| !matches!(plane.field(point), MapField::Open | MapField::Unknown)));
}

#[test]
fn the_first_samples_are_spread_and_the_cheapest_come_first() {
    let mut plane = Plane::new(17, 5, [at(16, 4)]);
    let mut order = Vec::new();
    for _ in 0..8 {
        let next = plane.next(|_| true, |point| (1 + point.x + point.y) as f64).unwrap();
        order.push((next.x, next.y));
        plane.add(next, won("a", &[]));
    }
    assert_eq!(order, [(0, 0), (0, 2), (0, 4), (8, 0), (8, 2), (8, 4), (16, 0), (16, 2)]);
    assert_eq!(plane.field(at(16, 4)), MapField::Impossible);
    assert_eq!(plane.field(at(4, 1)), MapField::Likely("a".to_owned()));
    assert_eq!(plane.field(at(16, 3)), MapField::Unknown, "no sample lies beyond it");
}

#[test]
fn what_is_not_parted_is_open_between_its_samples() {
    let undecided = MapVerdict::Undecided(vec!["a".to_owned(), "b".to_owned()]);
    let mut plane = Plane::new(3, 3, []);
    for point in all((3, 3)).filter(|point| point.x != 1) {
        let sample =
            if point.x == 0 { won("a", &[]) } else { MapSample { verdict: undecided.clone(), ..won("a", &[]) } };
        plane.add(point, sample);
    }
    assert_eq!(plane.field(at(1, 1)), MapField::Open);
    assert_eq!(plane.field(at(2, 1)), MapField::Sampled(undecided));
}

#[test]
fn a_store_is_left_out_only_where_it_was_beaten_on_all_sides() {
    let mut plane = Plane::new(17, 17, []);
    for point in all((17, 17)).filter(|point| plane.is_first(*point)).collect::<Vec<_>>() {
        // Close to the best on the right.
        plane.add(point, won("a", &[("b", if point.x == 16 { 1.5 } else { 8.0 }), ("c", 4.0)]));
    }
    assert!(plane.is_beaten_around(at(4, 4), "b") && plane.is_beaten_around(at(4, 4), "c"));
    assert!(!plane.is_beaten_around(at(12, 4), "b") && plane.is_beaten_around(at(12, 4), "c"));
    assert!(!plane.is_beaten_around(at(4, 4), "a") && !plane.is_beaten_around(at(4, 4), "unknown"));
    assert!(!plane.is_beaten_around(at(8, 8), "b"), "the first samples have all stores");
    assert!(plane.may_win(at(15, 15), "b") && !plane.may_win(at(2, 2), "b") && plane.may_win(at(2, 2), "unknown"));
    // Samples without the store do not count, and the others are further away.
    plane.add(at(13, 4), won("a", &[]));
    assert!(!plane.is_beaten_around(at(12, 4), "b"));
}

#[test]
fn a_win_is_open_where_a_store_was_not_measured_that_is_close_nearby() {
    let mut plane = Plane::new(17, 1, []);
    plane.add(at(0, 0), won("a", &[("b", 5.0)]));
    plane.add(at(8, 0), won("a", &[("b", 1.2)]));
    let unknown = || MapSample { unknown: vec!["b".to_owned()], ..won("a", &[]) };
    plane.add(at(2, 0), unknown());
    plane.add(at(12, 0), unknown());
    assert_eq!(plane.verdict(at(2, 0)), Some(&MapVerdict::Won("a".to_owned())));
    assert_eq!(plane.verdict(at(12, 0)), Some(&MapVerdict::Undecided(vec!["a".to_owned(), "b".to_owned()])));
}

proptest! {
    /// A straight border: no place is drawn as won by the wrong side, for any border and number of samples.
    #[test]
    fn no_place_is_drawn_for_the_wrong_side_of_a_straight_border(
        size in (2_usize..20, 2_usize..20),
        direction in 0.0_f64..std::f64::consts::TAU,
        offset in -0.8_f64..0.8,
        most in 1_usize..120,
    ) {
        let truth = |point: MapPoint| {
            let part = |place: usize, places: usize| place as f64 / (places - 1) as f64 * 2.0 - 1.0;
            let (x, y) = (part(point.x, size.0), part(point.y, size.1));
            if x * direction.cos() + y * direction.sin() > offset { "a" } else { "b" }
        };
        let plane = sampled(size, most, |point| won(truth(point), &[]));
        for point in all(size) {
            if let MapField::Likely(store) = plane.field(point) {
                prop_assert_eq!(store, truth(point));
            }
        }
    }

    /// Sampling ends, never repeats a place, and never takes a forbidden one.
    #[test]
    fn sampling_ends(size in (1_usize..18, 1_usize..18), winners in proptest::collection::vec(0_u8..4, 324), holes in 0_usize..9) {
        let mut plane = Plane::new(size.0, size.1, all(size).filter(|point| holes > 0 && (point.x + point.y) % 9 < holes));
        let mut taken = BTreeSet::new();
        while let Some(next) = plane.next(|_| true, |point| 1.0 + point.x as f64) {
            prop_assert!(taken.insert(next) && !plane.impossible.contains(&next));
            let store = ["a", "b", "c"].get(winners[next.x * 18 + next.y] as usize);
            let undecided = || MapVerdict::Undecided(vec!["a".to_owned(), "b".to_owned()]);
            let verdict = store.map_or_else(undecided, |store| MapVerdict::Won((*store).to_owned()));
            plane.add(next, MapSample { verdict, times_best: BTreeMap::new(), unknown: Vec::new() });
        }
        prop_assert!(taken.len() <= size.0 * size.1);
    }
}
