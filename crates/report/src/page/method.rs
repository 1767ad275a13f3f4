//! How figures are made and what they do not say: the same on every page.

use maud::{Markup, html};

/// The method in short.
pub(crate) fn method() -> Markup {
    html! {
        details #method open {
            summary { "How figures are made, and what they do not say" }
            ul {
                li { "Every store replays the same recorded operations in a fresh process and an empty directory. Only the call to the store is timed." }
                li { "Every answer is compared with the right one, outside the clock. At the end the store is closed, opened again, and its whole content compared. A cell with one wrong answer, crash or time-out in any round is shown as failed and ranked nowhere." }
                li { "Stores are ranked only against stores that promise the same about an acknowledged write, on the same workload and medium." }
                li { "A figure is that of a typical round (Hodges and Lehmann's centre); a percentile shown is the median of the rounds', a maximum the largest of all rounds; curves of percentiles are those of all rounds together. Below a figure are its lowest and its highest round. Stores are compared within rounds, by the logarithm of their ratio. A winner is named at a level that holds for all rankings of a table together: among equals one table in twenty names one. Tied: the ratio is known to lie within 1.25×." }
                li { "Ratios over several workloads are geometric means of each store's time relative to the best one, round by round." }
                li { "Latencies are service times: the next operation begins when the one before has ended. Only in an open loop, where it is said so, do they count from when an operation was due, with its wait for those before it. Data is usually read from the page cache. Small suites say nothing of compaction, fragmentation or long steady states. One machine, one kernel, one file system." }
                li { "Stores keep their documented defaults unless the suite says otherwise; one tuned by its authors may do better. The harness's own work between timed blocks is part of CPU and memory; the store " code { "null" } " shows how much that is." }
            }
        }
    }
}
