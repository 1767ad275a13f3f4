//! Flame graphs of stack samples: one self-contained SVG whose frames can be hovered, zoomed and searched.

use std::io::{self, BufRead, Write};

use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options as FoldOptions};
use inferno::flamegraph::color::MultiPalette;
use inferno::flamegraph::{Options, Palette, TextTruncateDirection, from_lines};

/// The unit of the widths in a flame graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlameUnit {
    /// Samples, spaced evenly in CPU time.
    Samples,
    /// Allocated bytes.
    Bytes,
}

/// Folds the output of `perf script` into one line per stack. The output must have no periods, so that each sample counts once. Kernel
/// frames end with `_[k]`, which selects their colour.
///
/// # Errors
/// The text cannot be read, or is not from `perf script`.
pub fn fold_perf_script(text: impl BufRead) -> io::Result<Vec<u8>> {
    let mut options = FoldOptions::default();
    options.annotate_kernel = true;
    let mut folded = Vec::new();
    Folder::from(options).collapse(text, &mut folded)?;
    Ok(folded)
}

/// The total weight of all stacks: samples, or bytes.
pub fn folded_weight(folded: &str) -> u64 {
    let weights = folded.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
    weights.fold(0, u64::saturating_add)
}

/// Draws folded stacks as an SVG. A line is a stack: its frames separated by `;`, outermost first, then a space and its weight.
///
/// # Errors
/// There is no stack, or `out` cannot be written.
pub fn draw_flame_graph(
    folded: &str,
    (title, subtitle): (&str, &str),
    unit: FlameUnit,
    out: impl Write,
) -> io::Result<()> {
    let mut options = Options::default();
    options.title = title.to_owned();
    options.subtitle = Some(subtitle.to_owned());
    options.colors = Palette::Multi(MultiPalette::Java);
    // A function has the same colour in every graph.
    options.deterministic = true;
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.count_name = match unit {
        FlameUnit::Samples => "samples",
        FlameUnit::Bytes => "bytes",
    }
    .to_owned();
    let mut lines: Vec<&str> = folded.lines().collect();
    lines.sort_unstable();
    from_lines(&mut options, lines, out).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
driver  100/100 1.000000: cpu-clock: \n\
\tffffffff815da553 write_pages+0x6d3 ([kernel.kallsyms])\n\
\t          1019b3 store_put+0x13 (/usr/lib/libstore.so)\n\
\t          109400 main+0x2e (/opt/driver)\n\
\n\
driver  100/100 2.000000: cpu-clock: \n\
\t          1019b3 store_put+0x13 (/usr/lib/libstore.so)\n\
\t          109400 main+0x2e (/opt/driver)\n\
\n";

    #[test]
    fn samples_become_stacks_and_stacks_a_picture() {
        let folded = String::from_utf8(fold_perf_script(SCRIPT.as_bytes()).unwrap()).unwrap();
        assert_eq!(folded, "driver;main;store_put 1\ndriver;main;store_put;write_pages_[k] 1\n");
        assert_eq!(folded_weight(&folded), 2);
        let mut svg = Vec::new();
        draw_flame_graph(&folded, ("A <title>", "round 1"), FlameUnit::Samples, &mut svg).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        assert!(svg.contains("<title>store_put (2 samples, 100.00%)</title>"), "{svg}");
        assert!(svg.contains("<title>write_pages (1 samples, 50.00%)</title>"), "{svg}");
        assert!(svg.contains("A &lt;title&gt;") && svg.trim_end().ends_with("</svg>"), "{svg}");
    }

    #[test]
    fn without_a_stack_there_is_no_picture() {
        assert_eq!(folded_weight(""), 0);
        assert!(draw_flame_graph("", ("", ""), FlameUnit::Bytes, Vec::new()).is_err());
    }
}
