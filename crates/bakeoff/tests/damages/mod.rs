//! What disks, editors and people do to the files of a run: each kind by its name.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use xxhash_rust::xxh64::xxh64;

/// The text of a file that is damaged, that of the same file of another run, and where chance comes from.
pub(crate) struct Damaged<'a> {
    pub(crate) text: &'a mut Vec<u8>,
    pub(crate) other: &'a [u8],
    pub(crate) random: &'a mut Xoshiro256PlusPlus,
}

/// A way to damage a file, and whether a note must say so where a winner changes: nothing tells a right checksum from a right one.
pub(crate) type Kind = (&'static str, fn(&mut Damaged<'_>), bool);

pub(crate) const KINDS: &[Kind] = &[
    (
        "a bit is another",
        |of| {
            let at = of.at();
            of.text[at] ^= 1 << of.random.random_range(0..8_u32);
        },
        true,
    ),
    (
        "a digit is another",
        |of| {
            let digits: Vec<usize> = (0..of.text.len()).filter(|at| of.text[*at].is_ascii_digit()).collect();
            if !digits.is_empty() {
                let at = digits[of.random.random_range(0..digits.len())];
                of.text[at] = b'0' + of.random.random_range(0..10_u8);
            }
        },
        true,
    ),
    (
        "it is cut",
        |of| {
            let at = of.at();
            of.text.truncate(at);
        },
        true,
    ),
    ("it is empty", |of| of.text.clear(), true),
    (
        "a part is zeros",
        |of| {
            let (from, to) = of.part(2_000);
            of.text[from..to].fill(0);
        },
        true,
    ),
    (
        "a part is noise",
        |of| {
            let (from, to) = of.part(2_000);
            of.text[from..to].iter_mut().for_each(|byte| *byte = of.random.random_range(0..=u8::MAX));
        },
        true,
    ),
    (
        "a part is gone",
        |of| {
            let (from, to) = of.part(5_000);
            of.text.drain(from..to);
        },
        true,
    ),
    (
        "a part is at another place too",
        |of| {
            let ((from, to), at) = (of.part(3_000), of.at());
            let part = of.text[from..to].to_vec();
            of.text.splice(at..at, part);
        },
        true,
    ),
    (
        "a part of another run is in it",
        |of| {
            let (from, at) = (of.random.random_range(0..of.other.len()), of.at());
            let part = of.other[from..(from + 3_000).min(of.other.len())].to_vec();
            of.text.splice(at..at, part);
        },
        true,
    ),
    (
        "brackets are nested deeply",
        |of| {
            let at = of.at();
            of.text.splice(at..at, vec![b'['; 100_000]);
        },
        true,
    ),
    ("it begins with a byte order mark", |of| drop(of.text.splice(0..0, *b"\xef\xbb\xbf")), true),
    (
        "line ends are those of Windows",
        |of| {
            let text = std::mem::take(of.text);
            of.text
                .extend(text.into_iter().flat_map(|byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }));
        },
        true,
    ),
    (
        "two lines change places",
        |of| {
            of.with_lines(|lines, random| {
                let [one, other] = [0, 0].map(|_| random.random_range(0..lines.len()));
                lines.swap(one, other);
            })
        },
        true,
    ),
    ("the lines are sorted", |of| of.with_lines(|lines, _| lines.sort()), true),
    (
        "the lines are in another order",
        |of| {
            of.with_lines(|lines, random| {
                (1..lines.len()).rev().for_each(|last| lines.swap(last, random.random_range(0..=last)));
            })
        },
        true,
    ),
    (
        "a line is gone",
        |of| {
            of.with_lines(|lines, random| {
                lines.remove(random.random_range(0..lines.len()));
            })
        },
        true,
    ),
    (
        "every other line is gone",
        |of| {
            of.with_lines(|lines, random| {
                lines.retain(|_| random.random_range(0..2) == 0);
            })
        },
        true,
    ),
    (
        "a line is there again",
        |of| {
            of.with_lines(|lines, random| {
                lines.push(lines[random.random_range(0..lines.len())].clone());
            })
        },
        true,
    ),
    (
        "each line is there twice",
        |of| of.with_lines(|lines, _| *lines = lines.iter().flat_map(|line| [line.clone(), line.clone()]).collect()),
        true,
    ),
    ("another run follows", |of| of.text.extend_from_slice(of.other), true),
    (
        "a line is written again by a program",
        |of| {
            of.with_lines(|lines, random| {
                let line = random.random_range(0..lines.len());
                lines[line] = longer(&String::from_utf8_lossy(&lines[line]).replace("\":", "\": "));
            })
        },
        true,
    ),
    (
        "a line is written again without its checksum",
        |of| {
            of.with_lines(|lines, random| {
                let line = random.random_range(0..lines.len());
                lines[line] = longer(&unsealed(&lines[line]));
            })
        },
        true,
    ),
    (
        "all lines are written again without checksums",
        |of| {
            of.with_lines(|lines, random| {
                for line in lines {
                    let text = unsealed(line);
                    *line = if random.random_range(0..3) == 0 { longer(&text) } else { text.into_bytes() };
                }
            })
        },
        true,
    ),
    (
        "all lines are written again by a program",
        |of| {
            of.with_lines(|lines, _| {
                for line in lines {
                    if let Ok(value) = serde_json::from_slice::<Value>(line) {
                        *line = (value.to_string() + "\n").into_bytes();
                    }
                }
            })
        },
        true,
    ),
    (
        "a figure is as large as it can be",
        |of| {
            of.with_lines(|lines, random| {
                let line = random.random_range(0..lines.len());
                let figure =
                    ["18446744073709551615", "1e308", "-1", "0", "null", "\"x\""][random.random_range(0..6_usize)];
                lines[line] = changed(&String::from_utf8_lossy(&lines[line]), random, figure).into_bytes();
            })
        },
        true,
    ),
    (
        "lines are written again with right checksums",
        |of| {
            of.with_lines(|lines, random| {
                for line in lines {
                    if random.random_range(0..4) != 0 {
                        continue;
                    }
                    let figure = ["18446744073709551615", "1", "0"][random.random_range(0..3_usize)];
                    let text = changed(&unsealed(line), random, figure);
                    let text = text.trim_end().trim_end_matches('}');
                    *line = format!("{text},\"xxh64\":\"{:016x}\"}}\n", xxh64(text.as_bytes(), 0)).into_bytes();
                }
            })
        },
        false,
    ),
];

impl Damaged<'_> {
    /// Some place, of an empty text its end.
    fn at(&mut self) -> usize {
        if self.text.is_empty() { 0 } else { self.random.random_range(0..self.text.len()) }
    }

    /// A part of at most this length.
    fn part(&mut self, most: usize) -> (usize, usize) {
        let from = self.at();
        (from, (from + self.random.random_range(1..most)).min(self.text.len()))
    }

    /// Changes the lines, if there are any.
    fn with_lines(&mut self, change: impl FnOnce(&mut Vec<Vec<u8>>, &mut Xoshiro256PlusPlus)) {
        let mut lines: Vec<Vec<u8>> = self.text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if !lines.is_empty() {
            change(&mut lines, self.random);
            *self.text = lines.concat();
        }
    }
}

/// A line without its checksum.
fn unsealed(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line).into_owned();
    line.rsplit_once(",\"xxh64\"").map_or(line.clone(), |(rest, _)| format!("{rest}}}\n"))
}

/// A line with longer times.
fn longer(line: &str) -> Vec<u8> {
    line.replace("_ns\":", "_ns\":1").replace("_ns\": ", "_ns\": 1").into_bytes()
}

/// A line with another value for one of its figures.
fn changed(line: &str, random: &mut Xoshiro256PlusPlus, figure: &str) -> String {
    let is_figure = |at: &usize| line.as_bytes().get(at + 2).is_some_and(u8::is_ascii_digit);
    let figures: Vec<usize> = line.match_indices("\":").map(|(at, _)| at).filter(is_figure).collect();
    if figures.is_empty() {
        return line.to_owned();
    }
    let from = figures[random.random_range(0..figures.len())] + 2;
    let rest = line[from..].trim_start_matches(|letter: char| letter.is_ascii_digit() || ".eE+-".contains(letter));
    format!("{}{figure}{rest}", &line[..from])
}
