//! The parts of the page that its script fills: choosers, matrix, one workload, pictures.

use maud::{Markup, html};

/// The empty parts. They stay hidden until the script shows them.
pub(crate) fn interactive() -> Markup {
    html! {
        div #interactive hidden {
            section #choose aria-label="What is shown below" {
                div #choosers {}
                div #stores role="group" aria-label="Stores shown" {}
            }
            section aria-labelledby="heat" {
                div.titled { h2 #heat { "Every store in every workload" } span #heat-save {} }
                p.hint #heat-hint {}
                p.hint { "Point at a field, tap it, or move with the arrow keys, to see all its figures. Enter shows its workload below." }
                div.scroll #heat-table {}
                p #heat-said role="status" {}
                p.legend #heat-legend {}
            }
            section aria-labelledby="matrix" {
                h2 #matrix { "Best in each workload" }
                p.hint #matrix-hint {}
                p.hint #matrix-place {}
                div.scroll #matrix-table {}
                p.legend #matrix-legend {}
            }
            section aria-labelledby="detail" {
                h2 #detail { "One workload" }
                p.hint #detail-workload {}
                figure #detail-chart {}
                div.scroll #detail-table {}
                div #detail-cells {}
            }
            section aria-labelledby="charts" {
                h2 #charts { "Pictures" }
                div.charts #chart-list {}
            }
        }
        noscript { p.hint { "The heatmap, the matrix and the pictures need JavaScript. Everything else is here." } }
        p class="hint bad" id="trouble" role="alert" hidden {}
    }
}

/// Where the script puts buttons that save the raw data.
pub(crate) fn downloads() -> Markup {
    html! {
        details #downloads open {
            summary { "Raw data" }
            p {
                "Every round of every cell, failed ones included, one row for each kind of operation. Columns are explained in "
                code { "docs/RESULTS.md" } "."
            }
            p #download-buttons {}
        }
    }
}
