//! The result of `bakeoff map`: the need, who is best where, and what that shows in a few sentences.

use bakeoff_results::contender::Contenders;
use bakeoff_results::goal::Goal;
use bakeoff_results::map_axis::MapAxis;
use bakeoff_results::map_facts::{MapFacts, MapPoint};
use bakeoff_results::map_outcome::{MapOutcome, Unranked};
use bakeoff_results::map_plane::{self, MAP_BEHIND, MapVerdict};
use bakeoff_results::pick_facts::by_lack;
use bakeoff_stats::{Place, Ranking, TIED_WITHIN};
use bakeoff_text::{counted, format_count, format_duration, listed, printable};

use crate::document::{Block, Map, MapField, MapSide, MapState, MapStore, Section, SectionId, SpanKind, Text, Title};
use crate::labels::{TOO_FEW_ROUNDS, interval};
use crate::sections::need;

/// Letters for stores whose first choice is taken.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The sections of a map, in reading order.
pub(crate) fn sections(of: &MapOutcome<'_>, contenders: &Contenders) -> Vec<Section> {
    let named = Named::new(of, contenders);
    let map = vec![Block::Map(map(&named))];
    let made = [
        Section::titled(SectionId::Asked, "What was asked", vec![need::block(&of.facts.need)]),
        // The page's own title says it.
        Some(Section::new(SectionId::Map, Title::None, map)),
        Section::titled(SectionId::MapSaid, "What it says", said(&named)),
        Section::titled(SectionId::MapLeftOut, "Left out", left_out(&named)),
    ];
    made.into_iter().flatten().collect()
}

/// A map with the titles of its stores.
struct Named<'a> {
    of: &'a MapOutcome<'a>,
    contenders: &'a Contenders,
    /// The stores that won somewhere or were level with others.
    stores: Vec<(String, MapStore)>,
}

impl<'a> Named<'a> {
    fn new(of: &'a MapOutcome<'a>, contenders: &'a Contenders) -> Self {
        let mut named = Self { of, contenders, stores: Vec::new() };
        for (store, wins) in of.winners() {
            let (title, slot) = (named.title(&store), named.slot(&store));
            let taken: Vec<char> = named.stores.iter().map(|(_, store)| store.letter).collect();
            let of_title = title.chars().chain(LETTERS.chars()).map(|letter| letter.to_ascii_uppercase());
            let letter = of_title.filter(char::is_ascii_uppercase).find(|letter| !taken.contains(letter));
            let letter = letter.unwrap_or('#');
            named.stores.push((store, MapStore { title, letter, slot, wins }));
        }
        named
    }

    fn facts(&self) -> &'a MapFacts {
        self.of.facts
    }

    fn title(&self, store: &str) -> String {
        printable(self.of.run.store_title(store))
    }

    fn titles(&self, stores: &[String]) -> String {
        listed(&stores.iter().map(|store| self.title(store)).collect::<Vec<_>>())
    }

    /// The store's colour and mark.
    fn slot(&self, store: &str) -> usize {
        let mut cells = self.of.run.cells.iter().map(|cell| &cell.end.axes).filter(|axes| axes.store == store);
        cells.find_map(|axes| self.contenders.of(axes)).map_or(0, |contender| contender.slot)
    }

    fn text(&self, store: &str) -> Text {
        let known = self.stores.iter().find(|(name, _)| name == store);
        Text::store(&self.title(store), known.map_or_else(|| self.slot(store), |(_, known)| known.slot))
    }

    fn index(&self, store: &str) -> usize {
        self.stores.iter().position(|(name, _)| name == store).unwrap_or(usize::MAX)
    }
}

fn map(named: &Named<'_>) -> Map {
    let facts = named.facts();
    let side = |axis: &MapAxis| MapSide {
        label: axis.quantity.label().to_owned(),
        ticks: axis.values.iter().map(|value| axis.quantity.show_short(*value)).collect(),
    };
    let (x, mut y) = (side(&facts.x), side(&facts.y));
    y.ticks.reverse();
    let row = |y: usize| (0..facts.x.values.len()).map(|x| field(named, MapPoint { x, y })).collect();
    let rows = (0..facts.y.values.len()).rev().map(row).collect();
    Map { x, y, stores: named.stores.iter().map(|(_, store)| store.clone()).collect(), rows }
}

fn field(named: &Named<'_>, at: MapPoint) -> MapField {
    let field = named.of.plane.field(at);
    let state = match &field {
        map_plane::MapField::Sampled(MapVerdict::Won(store)) => MapState::Won(named.index(store)),
        map_plane::MapField::Sampled(MapVerdict::Tied(_)) => MapState::Tied,
        map_plane::MapField::Sampled(MapVerdict::Undecided(_)) => MapState::Undecided,
        map_plane::MapField::Sampled(MapVerdict::Nobody) => MapState::Failed,
        map_plane::MapField::Likely(store) => MapState::Likely(named.index(store)),
        map_plane::MapField::Open => MapState::Open,
        map_plane::MapField::Unknown => MapState::Unknown,
        map_plane::MapField::Impossible => MapState::Impossible,
    };
    let said = match &field {
        map_plane::MapField::Sampled(MapVerdict::Won(store)) => named.text(store).and(" is best."),
        map_plane::MapField::Sampled(MapVerdict::Tied(stores)) => {
            Text::plain(&format!("{} are tied, within {TIED_WITHIN}×.", named.titles(stores)))
        }
        map_plane::MapField::Sampled(MapVerdict::Undecided(stores)) => {
            Text::plain(&format!("{} were not told apart.", named.titles(stores)))
        }
        map_plane::MapField::Sampled(MapVerdict::Nobody) => Text::plain("No store has a figure."),
        map_plane::MapField::Likely(store) => {
            Text::plain("Not sampled: ").join(named.text(store)).and(" won the nearest samples on all sides.")
        }
        map_plane::MapField::Open => {
            Text::plain("Not sampled: the nearest samples do not agree, or told no first one.")
        }
        map_plane::MapField::Unknown => Text::plain("Not sampled, and not between samples."),
        map_plane::MapField::Impossible => {
            Text::plain("It cannot be measured here: the data is too large for the disk, or no store can do it.")
        }
    };
    MapField { state, place: named.facts().describe(at), said, order: order(named, at) }
}

/// The stores at a place: the measured ones, then the others.
fn order(named: &Named<'_>, at: MapPoint) -> Vec<Text> {
    let Some((ranking, unranked)) = named.of.standings(at) else { return Vec::new() };
    let goal = named.facts().optimize;
    let places = ranking.iter().flat_map(|ranking| ranking.order.iter().map(move |place| (ranking, place)));
    let lines = places.map(|(ranking, place)| line(named, ranking, place, goal));
    let unranked =
        unranked.into_iter().map(|(why, stores)| format!("{}: {}.", why_unranked(why), named.titles(&stores)));
    lines.chain(unranked.map(|line| Text::plain(&line))).collect()
}

fn why_unranked(why: Unranked) -> &'static str {
    match why {
        Unranked::FarBehind => "Far behind after one round",
        Unranked::Late => "Not done in time",
        Unranked::Failed => "Failed",
        Unranked::NoFigure => "No figure",
        Unranked::TooSlow => "Not raced here, as a round would take too long",
        Unranked::NotRaced => "Not raced here: clearly behind in the samples around, or cannot do it",
    }
}

/// A store's line: `LMDB 1.21 µs`, `SQLite 3.40 µs, 2.81× (2.60–3.05×), 3 rounds`.
fn line(named: &Named<'_>, ranking: &Ranking, place: &Place, goal: Goal) -> Text {
    let figure = goal.show(place.centre);
    let rounds = counted(place.rounds, "round");
    let text = named.text(&place.name);
    match place.ratio_to_best {
        Some(ratio) if place.name != ranking.best => {
            text.and(&format!(" {figure}, {}, {rounds}", interval(ratio, TOO_FEW_ROUNDS)))
        }
        _ => text.and(&format!(" {figure}, {rounds}")),
    }
}

/// Who won how much, and how much is open.
fn said(named: &Named<'_>) -> Vec<Block> {
    let (facts, counts) = (named.facts(), named.of.counts());
    let places = facts.points().count();
    let sampled = counts.won + counts.not_parted;
    let winners: Vec<String> = named
        .stores
        .iter()
        .filter(|(_, store)| store.wins > 0)
        .map(|(_, store)| format!("{} in {}", store.title, store.wins))
        .collect();
    let mut first = format!(
        "{} of {} were sampled, by {}.",
        format_count(sampled as u64),
        counted(places, "place"),
        facts.optimize.label()
    );
    if !winners.is_empty() {
        first += &format!(" Best: {}.", listed(&winners));
    }
    if counts.not_parted > 0 {
        first += &format!(" In {} no store is proven to be best.", counts.not_parted);
    }
    let mut blocks = vec![Block::paragraph_at(1, first)];
    let mut rest = Vec::new();
    if counts.likely > 0 {
        rest.push(format!("{} lie between samples that one store won.", counted(counts.likely, "place")));
    }
    if counts.open > 0 {
        rest.push(format!(
            "{} lie where samples differ: there the winner changes, or is open.",
            counted(counts.open, "place")
        ));
    }
    if counts.unknown > 0 {
        rest.push(format!("{} lie beyond all samples.", counted(counts.unknown, "place")));
    }
    if !rest.is_empty() {
        blocks.push(Block::paragraph_at(1, rest.join(" ")));
    }
    if facts.out_of_time {
        let more = format_duration(facts.budget() * 2);
        let path = named.of.run.directory.display().to_string();
        let command = bakeoff_text::shell_command(&["map", "--resume", &path, "--budget", &more]);
        let command = format!("{} {command}", bakeoff_text::program());
        blocks.push(Block::Hint(
            Text::plain("The time ended before the map was done. More of it: ").and_span(&command, SpanKind::Code),
        ));
    }
    blocks
}

/// Which stores were not raced everywhere, and why.
fn left_out(named: &Named<'_>) -> Vec<Block> {
    let facts = named.facts();
    let group = |(stores, why): (Vec<&str>, &str)| format!("{}: {why}", stores.join(", "));
    let mut lines: Vec<String> = by_lack(&facts.excluded).into_iter().map(group).collect();
    for store in &facts.raced {
        let places = facts.left_out.iter().filter(|each| each.store == *store).count();
        if places > 0 {
            lines.push(format!(
                "{}: at {} a round would have taken more than its part of the budget. Where it was close to the best nearby, or was measured nowhere, the winner is open. Give a longer --budget, or fewer --stores.",
                named.title(store),
                counted(places, "place")
            ));
        }
    }
    lines.push(format!(
        "A store is not raced at a place where it cost {MAP_BEHIND}× the best or more in the nearest samples on all sides."
    ));
    vec![Block::list(lines)]
}
