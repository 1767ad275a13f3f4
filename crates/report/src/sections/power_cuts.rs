//! What power cuts left of stores: the truth table, the controls, and the cuts that broke something.

use bakeoff_protocol::{BadCut, CutVerdict, Durability};
use bakeoff_results::contender::Contenders;
use bakeoff_results::power_cuts::{CutDisk, CutRow, Cuts, bound, cut_rows, disks, is_broken};
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count, format_size, percent, program, shell_command};

use crate::document::{Block, Cell, Column, Fold, Item, List, Part, Section, SectionId, SpanKind, Table, Text};
use crate::sections::answer::upper_first;
use crate::sections::names::store;

/// Bad cuts that are listed unasked.
const LISTED: usize = 5;

/// The section; `None` if no disk lost its power.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let rows = cut_rows(run, contenders);
    if rows.is_empty() {
        return None;
    }
    let cuts: u64 = rows.iter().map(|row| row.all().of_the_store()).sum();
    let recordings: u64 = rows.iter().map(|row| row.recordings).sum();
    let what = format!(
        "{} simulated power cuts in {} of what stores wrote. A figure is how many cuts broke the promise of the level: at `power` every \
         acknowledged write must be there, at `consistent` an earlier state is enough. Other levels promise nothing, and a figure is how \
         many cuts lost or damaged something. Where that is 0 of N, fewer than 3/N are to be expected (95 % confidence). \
         Cuts of one recording are not independent.",
        format_count(cuts),
        counted(recordings, "recording")
    );
    let mut blocks = vec![Block::paragraph(what), Block::Table(truth(&rows, contenders)), Block::Gap];
    blocks.push(Block::Table(controls(&rows, contenders)));
    blocks.extend(bad(run, &rows, contenders));
    Section::titled(SectionId::PowerCuts, "After power cuts", blocks)
}

/// Stores and levels against disks.
fn truth(rows: &[CutRow], contenders: &Contenders) -> Table {
    let disks: Vec<&CutDisk> = disks(rows).into_iter().collect();
    let label = |disk: &&CutDisk| format!("{}, {}", disk.file_system, format_size(disk.unit_bytes));
    let columns = std::iter::once(Column::left("store")).chain(disks.iter().map(|disk| Column::left(label(disk))));
    let mut table = Table::new(0, columns.collect());
    let mut heading = None;
    for row in rows {
        let place = (row.level, row.variant.as_deref());
        if heading.replace(place) != Some(place) {
            let variant = row.variant.as_ref().map_or_else(String::new, |variant| format!(" · {variant}"));
            table.group(format!("durability {}{variant}", row.level));
        }
        let cells = disks
            .iter()
            .map(|disk| row.disks.get(*disk).map_or_else(|| "".into(), |cuts| verdicts(cuts, row.level).into()));
        table.row(std::iter::once(Cell::from(store(contenders, &row.key))).chain(cells).collect());
    }
    table
}

/// What cuts came to: `0 of 300, < 1 %`, or `3 of 300: 2 lost, 1 corrupt`.
fn verdicts(cuts: &Cuts, level: Durability) -> Text {
    let (broken, all) = (cuts.broken(level), cuts.of_the_store());
    let count = format!("{} of {}", format_count(broken), format_count(all));
    if broken == 0 {
        let share = bound(all).map_or_else(String::new, |share| format!(", < {}", percent(share)));
        return Text::plain(&format!("{count}{share}"));
    }
    let found: Vec<String> = cuts
        .found()
        .filter(|(verdict, _)| is_broken(level, *verdict))
        .map(|(verdict, cuts)| format!("{} {}", format_count(cuts), label(verdict)))
        .collect();
    let kind = if level.includes(Durability::Consistent) { SpanKind::Bad } else { SpanKind::Plain };
    Text::default().and_span(&format!("{count}: {}", found.join(", ")), kind)
}

/// A verdict for people.
fn label(verdict: CutVerdict) -> &'static str {
    match verdict {
        CutVerdict::Kept => "kept",
        CutVerdict::OneMore => "kept, and one more write",
        CutVerdict::Lost => "lost",
        CutVerdict::Torn => "torn",
        CutVerdict::Mixed => "mixed",
        CutVerdict::Corrupt => "corrupt",
        CutVerdict::Unreadable => "unreadable",
        CutVerdict::Unopenable => "did not open",
        CutVerdict::Crashed => "crashed",
        CutVerdict::Hung => "hung",
        CutVerdict::BrokenLater => "broken later",
        CutVerdict::Unmountable => "file system not mounted",
    }
}

/// Recordings, and cuts in places that the promise is not about.
fn controls(rows: &[CutRow], contenders: &Contenders) -> Table {
    let heads =
        ["store", "recordings", "not durable when given", "cut during creation", "disk ignores flushes", "not mounted"];
    let mut table = Table::new(0, heads.map(Column::left).into());
    let of = |cuts: &Cuts, level: Durability| {
        let (broken, all) = (cuts.broken(level), cuts.of_the_store());
        if all == 0 { String::new() } else { format!("{} of {}", format_count(broken), format_count(all)) }
    };
    for row in rows {
        let name = store(contenders, &row.key).and(&format!(" · {}", row.level));
        let unmounted = row.all().of(CutVerdict::Unmountable);
        let cells = [
            format_count(row.recordings),
            of(&row.when_given, Durability::Power),
            of(&row.creation, Durability::Power),
            of(&row.ignored_flushes, Durability::Power),
            if unmounted == 0 { String::new() } else { format_count(unmounted) },
        ];
        table.row(std::iter::once(Cell::from(name)).chain(cells.map(Cell::from)).collect());
    }
    table
}

/// What the same cut came to on other disks.
fn attribution(cut: &BadCut) -> String {
    let with = |what: &str, verdict: Option<CutVerdict>| {
        verdict.map_or_else(String::new, |verdict| format!("; with {what}: {}", label(verdict)))
    };
    with("everything pending kept", cut.with_everything) + &with("units of 4KiB", cut.with_pages)
}

/// The cuts that broke a promise about power cuts.
fn bad(run: &Run, rows: &[CutRow], contenders: &Contenders) -> Vec<Block> {
    let mut blocks = Vec::new();
    for row in rows.iter().filter(|row| row.level.includes(Durability::Consistent) && !row.bad.is_empty()) {
        blocks.push(Block::heading(0, format!("{} · {}", contenders.title(&row.key), row.level)));
        let item = |(cell, round, cut): &(String, u32, BadCut)| {
            let place = format!(
                "{}: {}. Cut {} of round {round}, {} of {} pending writes kept ({}), units of {}",
                upper_first(label(cut.verdict)),
                cut.message,
                cut.index,
                cut.policy,
                counted(cut.pending, "write"),
                cut.place.name(),
                format_size(cut.unit_bytes)
            );
            let name = format!("{cell}:{round}:{}", cut.index);
            let command = shell_command(&["cut", "--again", &name, &run.directory.display().to_string()]);
            let again = format!("{} {command}", program());
            let text = Part::Text(format!("{place}{}", attribution(cut)).into());
            Item { parts: vec![text, Part::Command("again", again)] }
        };
        let items: Vec<Item> = row.bad.iter().map(item).collect();
        let fold = Fold::after(LISTED, items.len(), "`--full` lists all");
        blocks.push(Block::List(List { items, fold }));
    }
    blocks
}
