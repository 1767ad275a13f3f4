//! Where the figures come from: failures with their logs, machine, stores and versions, the suite, what was skipped.

use std::collections::BTreeSet;
use std::path::Path;

use bakeoff_measure::Medium;
use bakeoff_protocol::StoreDescription;
use bakeoff_results::contender::Contenders;
use bakeoff_results::omission::Omission;
use bakeoff_results::run::Run;
use bakeoff_text::{format_count, listed};
use maud::{Markup, html};
use serde::Serialize;
use serde_json::Value;

use crate::page::failures::failures;
use crate::page::html::{folded, lines, scrolled, table_head};
use crate::page::labelled::{Labelled, title_suffix};

/// The provenance of these runs; `page` is the directory from which links lead to their logs.
pub(crate) fn provenance(runs: &[Labelled], contenders: &Contenders, page: &Path) -> Markup {
    html! {
        @for (place, (label, run)) in runs.iter().enumerate() {
            @let of = title_suffix(label, runs.len());
            (failures(run, contenders, place, &of, page))
            (folded(&format!("Machine and disk{of}"), machine(run)))
            (folded(&format!("Stores, versions and promises{of}"), stores(run)))
            (folded(&format!("Suite and command line{of}"), suite(run)))
            (folded(&format!("Skipped and abandoned{of}"), left_out(run)))
        }
    }
}

fn machine(run: &Run) -> Markup {
    let media = run.record.media.iter().map(|(name, medium)| {
        let image_on = medium.image_on.as_deref();
        (name, Medium { image_on: None, ..medium.clone() }, image_on)
    });
    html! {
        @if let Some(machine) = &run.record.machine { (pairs(machine, "machine")) }
        @for (name, medium, image_on) in media {
            (pairs(&medium, &format!("medium {name}")))
            @if let Some(image_on) = image_on { (pairs(image_on, &format!("where the image of {name} lies"))) }
        }
        @for pool in &run.record.pools { (pairs(pool, "values")) }
    }
}

/// A table of what a record holds, by its own names.
fn pairs(of: &impl Serialize, caption: &str) -> Markup {
    let fields = serde_json::to_value(of).ok();
    let fields = fields.as_ref().and_then(Value::as_object).into_iter().flatten();
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), format_count),
        other => other.to_string(),
    };
    html! {
        table.pairs {
            caption { (caption) }
            @for (name, field) in fields.filter(|(_, field)| field.as_str() != Some("")) {
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
        @if !run.stores().is_empty() {
            (scrolled(html! {
                table.stores {
                    (table_head(&["store", "version", "structure", "licence", "how each promise is kept"]))
                    tbody { @for store in run.stores() { (store_row(store)) } }
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
    let (suite, command) = (&run.record.suite, run.record.command_line.command());
    let parts = [
        ("In short", &suite.summary, "prose"),
        ("About it", &suite.analysis, "prose"),
        ("Command line", &command, "code"),
        ("The suite as it was read", &suite.text, "code"),
    ];
    html! {
        @for (title, body, class) in parts.iter().filter(|(_, body, _)| !body.is_empty()) {
            h4 { (title) }
            (lines(class, body))
        }
    }
}

fn left_out(run: &Run) -> Markup {
    let omissions: Vec<&Omission> = run.record.omissions().collect();
    html! {
        @if !omissions.is_empty() {
            ul { @for of in omissions { li { b { (of.what) } ": " (of.why) } } }
        }
    }
}
