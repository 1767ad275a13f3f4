//! Where the figures come from: failures with their logs, machine, stores and versions, the suite, what was skipped.

use std::collections::BTreeSet;
use std::path::Path;

use bakeoff_protocol::StoreDescription;
use bakeoff_text::{format_count, listed};
use maud::{Markup, html};
use serde_json::Value;

use crate::contender::Contenders;
use crate::page::failures::failures;
use crate::page::html::{folded, lines, scrolled, table_head};
use crate::page::labelled::{Labelled, title_suffix};
use crate::run::Run;
use crate::sections::provenance::command_line;

/// The provenance of these runs; `page` is the directory from which links lead to their logs.
pub(crate) fn provenance(runs: &[Labelled], contenders: &Contenders, page: &Path) -> Markup {
    html! {
        @for (place, (label, run)) in runs.iter().enumerate() {
            @let of = title_suffix(label, runs.len());
            (failures(run, contenders, place, &of, page))
            (folded(&format!("Machine and disk{of}"), machine(run)))
            (folded(&format!("Stores, versions and promises{of}"), stores(run)))
            (folded(&format!("Suite and command line{of}"), suite(run)))
            (folded(&format!("Skipped and given up{of}"), left_out(run)))
        }
    }
}

fn machine(run: &Run) -> Markup {
    let media = run.info.get("media").and_then(Value::as_object).into_iter().flatten().map(|(name, medium)| {
        let mut medium = medium.clone();
        let image_on = medium.as_object_mut().and_then(|medium| medium.remove("image_on"));
        (name, medium, image_on)
    });
    html! {
        @if let Some(machine) = run.info.get("machine") { (pairs(machine, "machine")) }
        @for (name, medium, image_on) in media {
            (pairs(&medium, &format!("medium {name}")))
            @if let Some(image_on) = image_on { (pairs(&image_on, &format!("where the image of {name} lies"))) }
        }
        @for pool in run.list("pools") { (pairs(pool, "values")) }
    }
}

/// A table of what an object holds, by its own names.
fn pairs(of: &Value, caption: &str) -> Markup {
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), format_count),
        other => other.to_string(),
    };
    html! {
        table.pairs {
            caption { (caption) }
            @for (name, field) in of.as_object().into_iter().flatten() {
                tr { th scope="row" { code { (name) } } td { (value(field)) } }
            }
        }
    }
}

fn stores(run: &Run) -> Markup {
    let runtimes = run.runtimes().into_iter().map(|(runtime, stores): (&str, BTreeSet<&str>)| {
        (listed(&stores.into_iter().map(str::to_owned).collect::<Vec<_>>()), runtime)
    });
    html! {
        @if !run.stores.is_empty() {
            (scrolled(html! {
                table.stores {
                    (table_head(&["store", "version", "structure", "licence", "how each promise is kept"]))
                    tbody { @for store in &run.stores { (store_row(store)) } }
                }
            }))
            @for (stores, runtime) in runtimes { p { (stores) " ran with " (runtime) } }
        }
    }
}

fn store_row(of: &StoreDescription) -> Markup {
    let structure = serde_json::to_value(of.structure).ok();
    html! {
        tr {
            th scope="row" { (of.title) }
            td { (of.version) }
            td { (structure.as_ref().and_then(Value::as_str).unwrap_or_default()) }
            td { (of.license) }
            td { @for (class, promise) in &of.durability { p { b { (class) } " " (promise.how) } } }
        }
    }
}

fn suite(run: &Run) -> Markup {
    let text = |key: &str| run.text(&["suite", key]).unwrap_or_default().to_owned();
    let parts = [
        ("In short", text("summary"), "prose"),
        ("About it", text("analysis"), "prose"),
        ("Command line", command_line(run), "code"),
        ("The suite as it was read", text("text"), "code"),
    ];
    html! {
        @for (title, body, class) in parts.iter().filter(|(_, body, _)| !body.is_empty()) {
            h4 { (title) }
            (lines(class, body))
        }
    }
}

fn left_out(run: &Run) -> Markup {
    let entries: Vec<&Value> = run.list("skipped").iter().chain(run.list("given_up")).collect();
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    html! {
        @if !entries.is_empty() {
            ul { @for entry in entries { li { b { (text(entry, "what")) } ": " (text(entry, "why")) } } }
        }
    }
}
