//! How figures are made and what they do not say: the same on every page.

use maud::{Markup, html};

/// What bakeoff does, then what follows from it, a line each.
const METHOD: [&str; 8] = [
    "Every store replays the same recorded operations in a fresh process and an empty directory. Only the call to the store is timed.",
    "Every answer is compared with the right one, outside the clock. At the end the store is closed and opened again, and its whole content \
     is compared. A cell with a wrong answer, a crash or a time-out in any round is shown as failed. It is ranked nowhere.",
    "Stores are ranked only against stores of the same durability level, on the same workload and medium.",
    "A figure is that of a typical round (the Hodges–Lehmann centre). A percentile is the median of the rounds', a maximum the largest of \
     all rounds. Curves of percentiles are those of all rounds together. Below a figure are its lowest and its highest round.",
    "Stores are compared within rounds, by the logarithm of their ratio. Among equals, one table in twenty names a winner. Tied: the ratio \
     is known to be within 1.25×. Ratios over several workloads are geometric means, round by round.",
    "Latencies are service times: the next operation begins when the one before has ended. In an open loop they count from when an \
     operation was due. Then they include its wait for those before it.",
    "Data is usually read from the page cache. Small suites show nothing of compaction, fragmentation or long steady states. One machine, \
     one kernel, one file system.",
    "Stores keep their documented defaults unless the suite sets something else. A store tuned by its authors may do better. The harness's \
     own work between timed blocks is part of CPU and memory: the store null shows how much that is.",
];

/// The method in short.
pub(crate) fn method() -> Markup {
    html! {
        details #method open {
            summary { "How figures are made, and what they do not say" }
            ul { @for line in METHOD { li { (line) } } }
        }
    }
}
