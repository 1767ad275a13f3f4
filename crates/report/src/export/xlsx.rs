//! The result as a workbook: means with native charts, every store's place in every workload, and the tidy table.

use std::io::Write;

use bakeoff_protocol::{AxisValue, DISTURBANCE};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::circumstances::{Circumstances, table_axes, value_label};
use bakeoff_results::citation::citation;
use bakeoff_results::contender::Contenders;
use bakeoff_results::disturbed::disturbed;
use bakeoff_results::figures::Measure;
use bakeoff_results::run::Run;
use bakeoff_results::slots::COLOURS;
use bakeoff_results::tidy_table::{Cell, columns, rows_of};
use bakeoff_results::verdict::{Column, Field, Position, Size, Table};
use bakeoff_stats::{Place, Ranking};
use rust_xlsxwriter::{
    Chart, ChartAxis, ChartFormat, ChartPatternFill, ChartPatternFillType, ChartSolidFill, ChartType, Color,
    DocProperties, Format, Workbook, Worksheet, XlsxError,
};

use crate::circumstances::varying_axes;
use crate::colours::LIGHT;
use crate::error::ReportError;
use crate::export::json::standing_name;

/// Rows that a sheet takes, its header included.
const ROWS_MAX: usize = 1_048_576;

/// Characters that a field takes.
const TEXT_MAX: usize = 32_767;

const MEANS: &str = "means";
const CHARTS: &str = "charts";

/// Size of a chart in pixels, and in rows and columns of its sheet.
const CHART_PIXELS: (u32, u32) = (620, 340);
const CHART_CELLS: (u32, u16) = (18, 10);

/// Writes the run as a workbook with the sheets `charts`, `means`, `places` and `rounds`. Texts are texts, never formulas.
///
/// # Errors
/// `out` takes no more.
pub fn write_xlsx(of: &Analysis, out: &mut dyn Write) -> Result<(), ReportError> {
    let bytes = workbook(of).map_err(|why| std::io::Error::other(why.to_string()))?;
    out.write_all(&bytes)?;
    Ok(())
}

fn workbook(of: &Analysis) -> Result<Vec<u8>, XlsxError> {
    let (tables, contenders) = (of.tables(), &of.contenders);
    let mut book = Workbook::new();
    book.set_properties(&DocProperties::new().set_title(text(of.run.title())).set_comment(text(&citation(of.run))));
    let mut charts = Worksheet::new();
    charts.set_name(CHARTS)?;
    let means = means(tables, contenders, &mut charts)?;
    book.push_worksheet(charts);
    book.push_worksheet(means);
    book.push_worksheet(places(tables, contenders)?);
    book.push_worksheet(rounds(of.run)?);
    book.save_to_buffer()
}

/// A sheet with a frozen header that filters.
fn sheet(name: &str, heads: &[&str]) -> Result<Worksheet, XlsxError> {
    let mut sheet = Worksheet::new();
    sheet.set_name(name)?.set_freeze_panes(1, 0)?;
    sheet.autofilter(0, 0, ROWS_MAX as u32 - 1, heads.len() as u16 - 1)?;
    for (column, head) in heads.iter().enumerate() {
        sheet.write_string_with_format(0, column as u16, text(head), &Format::new().set_bold())?;
    }
    Ok(sheet)
}

/// Columns of a field, named as in the other exports, then its measure and, for charts, the label of its workload.
const WORKLOAD: [&str; 7] = ["value_bytes_min", "value_bytes_max", "data", "records", "measure", "unit", "workload"];

/// The columns that locate a figure: the axes by which tables differ, and [`WORKLOAD`].
fn place_columns() -> Vec<&'static str> {
    table_axes().map(|axis| axis.name).chain(WORKLOAD).collect()
}

/// Writes the cells of [`place_columns`]; absent ones stay empty.
fn place(sheet: &mut Worksheet, row: u32, of: &Circumstances, field: &Position) -> Result<(), XlsxError> {
    let (measure, size, column) = field;
    let word = |words: &str| Cell::Text(words.to_owned());
    let axes = of.iter().map(|(axis, value)| match value {
        AxisValue::Count(number) | AxisValue::Bytes(number) => Cell::Number(*number),
        AxisValue::Class(None) => word(axis.none),
        value if value.is_absent() => word(""),
        AxisValue::Text(Some(text)) => word(text),
        value => word(&value_label(value)),
    });
    let workload = [
        Cell::Number(Some(size.0)),
        Cell::Number(Some(size.1)),
        word(&column.data),
        Cell::Number(Some(column.records)),
        word(&measure.label()),
        word(unit(measure)),
        word(&workload(*size, column)),
    ];
    (0..).zip(axes.chain(workload)).try_for_each(|(column, cell)| write(sheet, row, column, &cell))
}

/// Writes one field; nothing where there is nothing.
fn write(sheet: &mut Worksheet, row: u32, column: u16, cell: &Cell) -> Result<(), XlsxError> {
    match cell {
        Cell::Text(words) if !words.is_empty() => sheet.write_string(row, column, text(words))?,
        Cell::Number(Some(number)) => sheet.write_number(row, column, *number as f64)?,
        Cell::Real(Some(number)) => sheet.write_number(row, column, *number)?,
        _ => return Ok(()),
    };
    Ok(())
}

/// Every store's mean in every workload, a column a store, and a chart for each measure. Undisturbed and disturbed
/// measurements of a workload share a chart.
fn means(tables: &[Table], contenders: &Contenders, charts: &mut Worksheet) -> Result<Worksheet, XlsxError> {
    let stores = contenders.titles();
    let heads: Vec<&str> = place_columns().into_iter().chain(stores.iter().map(|each| each.title.as_str())).collect();
    let mut sheet = sheet(MEANS, &heads)?;
    let mut row = 1;
    let mut all: Vec<Charted> = Vec::new();
    for table in tables {
        let of = &table.circumstances;
        for measure in &table.measures {
            let first = row;
            for (at, field) in table.places_of(measure) {
                place(&mut sheet, row, of, at)?;
                for each in field.ranking.iter().flat_map(|ranking| &ranking.order) {
                    let column = place_columns().len() + contenders.index(&each.name);
                    sheet.write_number(row, column as u16, each.centre)?;
                }
                row += 1;
            }
            if row > first {
                all.push(Charted { table, measure, rows: (first, row - 1) });
            }
        }
    }
    let mut several: Vec<Vec<&Charted<'_>>> = Vec::new();
    for of in disturbed(tables) {
        let charted = |table: &Table| all.iter().filter(|one| std::ptr::eq(one.table, table)).collect::<Vec<_>>();
        for after in charted(of.disturbed) {
            // They share a chart where its columns are the same workloads.
            let is_same =
                |before: &&&Charted<'_>| before.measure == after.measure && before.fields().eq(after.fields());
            several.extend(charted(of.undisturbed).iter().find(is_same).map(|before| vec![*before, after]));
        }
    }
    let is_beside = |one: &Charted<'_>| several.iter().flatten().any(|other| std::ptr::eq(*other, one));
    let apart: Vec<_> = all.iter().filter(|one| !is_beside(one)).map(|one| vec![one]).collect();
    several.extend(apart);
    for (number, of) in (0..).zip(several) {
        let (down, across) = (number / 2 * CHART_CELLS.0, (number % 2) as u16 * CHART_CELLS.1);
        charts.insert_chart(down, across, &chart(&of, tables, contenders))?;
    }
    Ok(sheet)
}

/// What a chart shows: the rows of the sheet with the means that have one measure of one table.
struct Charted<'a> {
    table: &'a Table,
    measure: &'a Measure,
    rows: (u32, u32),
}

impl Charted<'_> {
    /// The workloads that its rows are of.
    fn fields(&self) -> impl Iterator<Item = (&Size, &Column)> {
        self.table.places_of(self.measure).map(|((_, size, column), _)| (size, column))
    }
}

/// Columns for each workload, one a store that takes part, or one for each of `several` that have the same workloads; times and memory on a
/// logarithmic axis.
fn chart(several: &[&Charted<'_>], tables: &[Table], contenders: &Contenders) -> Chart {
    let mut chart = Chart::new(ChartType::Column);
    let (words, colours) = (place_columns().len() as u16 - 1, LIGHT.stores);
    let last = several[several.len() - 1];
    let (measure, of) = (last.measure, &last.table.circumstances);
    for (column, store) in (words + 1..).zip(contenders.titles()) {
        for (number, Charted { table, rows, .. }) in several.iter().enumerate() {
            let takes_part = table.present.iter().any(|key| contenders.index(key) == store.index);
            if !takes_part {
                continue;
            }
            let mut format = filled(Color::RGB(colours[store.slot % COLOURS]), store.slot / COLOURS + number);
            let series = chart.add_series();
            match table.circumstances.disturbance().filter(|_| several.len() > 1) {
                Some(by) => series.set_name(text(&format!("{}, {by}", store.title)).as_str()),
                None => series.set_name((MEANS, 0, column)),
            };
            series
                .set_categories((MEANS, rows.0, words, rows.1, words))
                .set_values((MEANS, rows.0, column, rows.1, column))
                .set_format(&mut format);
        }
    }
    let all: Vec<Circumstances> = tables.iter().map(|table| table.circumstances.clone()).collect();
    // The last is the disturbed one, and the other is next to it.
    let circumstances = varying_axes(of, &all).map(|(axis, label)| match axis.name == DISTURBANCE.name {
        true if several.len() > 1 => format!(" · {} and {label}", axis.label_of_none),
        _ => format!(" · {label}"),
    });
    let circumstances: String = circumstances.collect();
    let title = format!("{} (durability {}{circumstances})", measure.label(), of.durability_label());
    let logarithmic = |axis: &mut ChartAxis| {
        if *measure != Measure::Space {
            axis.set_log_base(10);
        }
    };
    chart.title().set_name(&title);
    chart.y_axis().set_name(unit(measure));
    logarithmic(chart.y_axis());
    chart.set_width(CHART_PIXELS.0).set_height(CHART_PIXELS.1);
    chart
}

/// A store's colour, as on the page; a pattern in place of its mark.
fn filled(colour: Color, mark: usize) -> ChartFormat {
    let mut format = ChartFormat::new();
    let pattern = match mark {
        0 => return format.set_solid_fill(ChartSolidFill::new().set_color(colour)).clone(),
        1 => ChartPatternFillType::DiagonalStripesWideUpwards,
        2 => ChartPatternFillType::HorizontalStripesDark,
        _ => ChartPatternFillType::LargeCheckerboard,
    };
    let fill = ChartPatternFill::new().set_pattern(pattern).set_foreground_color(colour).clone();
    format.set_pattern_fill(&fill).clone()
}

/// Columns of a store's place, after [`PLACE`].
const STANDING: [&str; 7] =
    ["store", "centre", "rounds", "ratio_to_best", "ratio_to_best_low", "ratio_to_best_high", "standing"];

/// Every store's place in every workload, with the ratio to the best and its interval.
fn places(tables: &[Table], contenders: &Contenders) -> Result<Worksheet, XlsxError> {
    let heads: Vec<&str> = place_columns().into_iter().chain(STANDING).collect();
    let mut sheet = sheet("places", &heads)?;
    let fields = tables.iter().flat_map(|table| table.fields.iter().map(move |(place, field)| (table, place, field)));
    let ranked =
        fields.filter_map(|(table, at, field): (&Table, _, &Field)| Some((table, at, field.ranking.as_ref()?)));
    let places = ranked.flat_map(|(table, at, ranking): (&Table, _, &Ranking)| {
        ranking.order.iter().map(move |entrant| (table, at, entrant))
    });
    for (row, (table, at, entrant)) in (1..ROWS_MAX as u32).zip(places) {
        place(&mut sheet, row, &table.circumstances, at)?;
        sheet.write_string(row, place_columns().len() as u16, text(&contenders.title(&entrant.name)))?;
        standing(&mut sheet, row, entrant)?;
    }
    Ok(sheet)
}

fn standing(sheet: &mut Worksheet, row: u32, entrant: &Place) -> Result<(), XlsxError> {
    let ratio = entrant.ratio_to_best;
    let figures = [
        Some(entrant.centre),
        Some(entrant.rounds as f64),
        ratio.map(|of| of.estimate),
        ratio.map(|of| of.low),
        ratio.map(|of| of.high),
    ];
    let first = place_columns().len() as u16 + 1;
    (first..).zip(figures).try_for_each(|(column, figure)| write(sheet, row, column, &Cell::Real(figure)))?;
    sheet.write_string(row, first + figures.len() as u16, standing_name(entrant.standing))?;
    Ok(())
}

/// The tidy table, up to the size of a sheet. If rows were cut off, the last one says so.
fn rounds(run: &Run) -> Result<Worksheet, XlsxError> {
    let columns = columns();
    let heads: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut sheet = sheet("rounds", &heads)?;
    for (row, cells) in (1..).zip(rows_of(run)) {
        if row as usize == ROWS_MAX - 1 {
            sheet.write_string(row, 0, "a sheet takes no more rows: the others are in the CSV and Parquet exports")?;
            break;
        }
        for (column, (_, cell)) in (0..).zip(&cells.0) {
            write(&mut sheet, row, column, cell)?;
        }
    }
    Ok(sheet)
}

fn workload(size: Size, column: &Column) -> String {
    crate::format::describe_workload(size, column.records, &column.data)
}

fn unit(measure: &Measure) -> &'static str {
    match measure {
        Measure::Time { .. } => "ns",
        Measure::Space => "data bytes per allocated byte",
        Measure::Memory => "bytes",
    }
}

/// A text as a sheet takes it: not too long, and without what XML cannot say.
fn text(raw: &str) -> String {
    bakeoff_text::printable(raw).chars().take(TEXT_MAX).collect()
}
