//! Whether the colours of stores are distinguishable. The test computes what people without red or green cones see
//! (Machado, Oliveira and Fernandes 2009), and how far the colours then differ (CIEDE2000).

use super::{DARK, LIGHT, PRINT};

type Vector = [f64; 3];

/// Everybody's eyes, and those without red (protanopia) or green cones (deuteranopia), on linear RGB.
const EYES: [[Vector; 3]; 3] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
];

fn times(matrix: &[Vector; 3], of: Vector) -> Vector {
    matrix.map(|row| row.iter().zip(of).map(|(factor, part)| factor * part).sum())
}

/// `0xrrggbb` as linear RGB.
fn linear(colour: u32) -> Vector {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red, green, blue].map(|byte| {
        let value = f64::from(byte) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

fn luminance([red, green, blue]: Vector) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast of WCAG.
fn contrast(a: Vector, b: Vector) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// CIE L*a*b*, D65.
fn lab(rgb: Vector) -> Vector {
    const XYZ: [Vector; 3] =
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]];
    let white = [0.95047, 1.0, 1.08883];
    let xyz = times(&XYZ, rgb.map(|part| part.clamp(0.0, 1.0)));
    let [x, y, z] = [0, 1, 2].map(|part| {
        let part = xyz[part] / white[part];
        if part > 216.0 / 24389.0 { part.cbrt() } else { (24389.0 / 27.0 * part + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// CIEDE2000, with the names of Sharma, Wu and Dalal 2005.
fn difference(one: Vector, two: Vector) -> f64 {
    let seventh = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25_f64.powi(7))).sqrt();
    let g = 0.5 * (1.0 - seventh((one[1].hypot(one[2]) + two[1].hypot(two[2])) / 2.0));
    let polar = |of: Vector| {
        let a = of[1] * (1.0 + g);
        (a.hypot(of[2]), of[2].atan2(a).to_degrees().rem_euclid(360.0))
    };
    let ((c1, h1), (c2, h2)) = (polar(one), polar(two));
    let turn = (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0;
    let (dl, dc) = (two[0] - one[0], c2 - c1);
    let dh = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin();
    let (l, c, h) = ((one[0] + two[0]) / 2.0, (c1 + c2) / 2.0, h1 + turn / 2.0);
    let cos = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0) - 0.20 * cos(4.0 * h - 63.0);
    let sl = 1.0 + 0.015 * (l - 50.0).powi(2) / (20.0 + (l - 50.0).powi(2)).sqrt();
    let (sc, sh) = (1.0 + 0.045 * c, 1.0 + 0.015 * c * t);
    let rotation = 30.0 * (-((h.rem_euclid(360.0) - 275.0) / 25.0).powi(2)).exp();
    let rt = -(2.0 * rotation).to_radians().sin() * 2.0 * seventh(c);
    ((dl / sl).powi(2) + (dc / sc).powi(2) + (dh / sh).powi(2) + rt * (dc / sc) * (dh / sh)).sqrt()
}

#[test]
fn ciede2000_is_that_of_the_published_pairs() {
    for (one, two, expected) in [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([6.7747, -0.2908, -2.4247], [5.8714, -0.0985, -2.2286], 0.6377),
    ] {
        assert!((difference(one, two) - expected).abs() < 0.0001, "{one:?} {two:?}: {}", difference(one, two));
    }
}

#[test]
fn stores_are_told_apart_whatever_cones_one_has() {
    for theme in [LIGHT, DARK, PRINT] {
        let card = linear(theme.card);
        for (index, one) in theme.stores.iter().enumerate() {
            assert!(contrast(linear(*one), card) >= 3.0, "{one:06x} on its card");
            for (two, eyes) in theme.stores[..index].iter().flat_map(|two| EYES.iter().map(move |eyes| (two, eyes))) {
                let seen = [one, two].map(|colour| lab(times(eyes, linear(*colour))));
                let far = difference(seen[0], seen[1]);
                assert!(far >= 10.0, "{one:06x} and {two:06x} differ by {far:.1} for {eyes:?}");
            }
        }
        for text in [theme.ink, theme.soft, theme.bad, theme.good, theme.link] {
            assert!(contrast(linear(text), card) >= 4.5, "{text:06x} on its card");
        }
    }
}

#[test]
fn steps_of_the_heatmap_are_told_apart_and_their_text_can_be_read() {
    for theme in [LIGHT, DARK, PRINT] {
        for colour in theme.heat {
            let found = contrast(linear(theme.ink), linear(colour));
            assert!(found >= 4.5, "text on {colour:06x} has a contrast of {found:.1}");
        }
        for (two, eyes) in theme.heat.windows(2).flat_map(|two| EYES.iter().map(move |eyes| (two, eyes))) {
            let seen = [two[0], two[1]].map(|colour| lab(times(eyes, linear(colour))));
            let far = difference(seen[0], seen[1]);
            assert!(far >= 5.0, "{:06x} and {:06x} differ by {far:.1} for {eyes:?}", two[0], two[1]);
        }
    }
}
