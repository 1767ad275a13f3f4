//! Labels of circumstances: in what the tables of a report differ.

use bakeoff_protocol::{Axis, DURABILITY, Mention};
use bakeoff_results::circumstances::{Circumstances, value_label};
use bakeoff_results::verdict::Table;

/// The axes in which tables differ, except durability, each after a dot.
pub(crate) fn varying(of: &Circumstances, tables: &[Table]) -> String {
    let all: Vec<Circumstances> = tables.iter().map(|table| table.circumstances.clone()).collect();
    varying_among(of, &all)
}

/// The same, of circumstances alone.
pub(crate) fn varying_among(of: &Circumstances, all: &[Circumstances]) -> String {
    varying_axes(of, all).map(|(_, label)| format!(" · {label}")).collect()
}

/// The axes in which circumstances differ from others, except durability, each with its label.
pub(crate) fn varying_axes<'a>(
    of: &'a Circumstances,
    all: &'a [Circumstances],
) -> impl Iterator<Item = (&'static Axis, String)> + 'a {
    of.iter().filter(|(axis, _)| axis.name != DURABILITY.name).filter_map(|(axis, value)| {
        let heads = axis.always_heads || all.iter().any(|other| other.get(axis) != Some(value));
        let label = heads.then(|| axis.label(value, value_label)).filter(|label| !label.is_empty())?;
        Some((axis, label))
    })
}

/// What a line of figures in full says of its circumstances: `durability process, medium default, sha1 keys, 4 threads`.
pub(crate) fn in_full(of: &Circumstances) -> String {
    let usual = Circumstances::of(&bakeoff_protocol::Axes::default());
    let labels = of.iter().filter_map(|(axis, value)| {
        let is_named = match axis.mention {
            Mention::Always => true,
            Mention::Unusual => usual.get(axis) != Some(value),
            Mention::Never => false,
        };
        is_named.then(|| axis.label(value, value_label))
    });
    labels.collect::<Vec<_>>().join(", ")
}
