//! What a person sees while a run goes on: a bar with the time left and the leader on a terminal, plain lines otherwise.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bakeoff_results::leaders::Leader;
use bakeoff_text::{format_data, printable, ratio, time};
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressStyle};
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

use crate::reporter::Reporter;

/// Between two plain lines, at least.
const LINE_PERIOD: Duration = Duration::from_secs(5);

/// How far a run is: the finished part and the rest, both in time.
pub(crate) struct Display {
    bars: Option<Bars>,
    begin: Instant,
    predicted: Option<Prediction>,
    cells: Option<Cells>,
    last_line: Option<Instant>,
    reporter: Reporter,
}

/// The cells of a run whose plan is known from the beginning.
struct Cells {
    done: usize,
    all: usize,
    /// The share of its time that was shown last.
    share: f64,
}

/// The time that a run is expected to take from now on.
#[derive(Clone, Copy)]
pub(crate) struct TimeLeft {
    /// For the current step. When it is over, `later` has not begun, so it stays as long.
    pub(crate) now: Duration,
    /// For what comes after it.
    pub(crate) later: Duration,
    /// At most, regardless of the expectation: until the budget ends.
    pub(crate) most: Option<Duration>,
}

impl TimeLeft {
    /// The rest of it after some time.
    fn after(&self, elapsed: Duration) -> Duration {
        let expected = self.now.saturating_sub(elapsed) + self.later;
        self.most.map_or(expected, |most| expected.min(most.saturating_sub(elapsed)))
    }
}

impl From<Duration> for TimeLeft {
    /// Until a known time, regardless of the current step.
    fn from(now: Duration) -> Self {
        Self { now, later: Duration::ZERO, most: None }
    }
}

/// The time left, as it was predicted.
struct Prediction {
    when: Instant,
    left: TimeLeft,
    /// Whether it rests on each store.
    sure: bool,
}

impl Prediction {
    /// The rest of it now.
    fn left(&self) -> Duration {
        self.left.after(self.when.elapsed())
    }
}

/// Positions of the bar.
const BAR_STEPS: u64 = 1000;

/// The share of the time that is shown as over, at most, while cells are missing: the last may take longer than expected.
const SHARE_MAX: f64 = 0.99;

/// Lines that name leaders, at most: the bar must stay in sight.
const LEADERS_MAX: usize = 12;

/// `get 1KiB × 1,000 random: SQLite 3.21 µs (then LMDB 1.2×)`.
fn describe_leader(Leader { place: (measure, size, column), title, ns, next }: &Leader) -> String {
    let data = format_data(size.0, size.1, column.records);
    let workload = format!("{} {data} {}", measure.label(), printable(&column.data));
    let then = next.as_ref().map_or_else(String::new, |(next, times)| format!(" (then {next} {})", ratio(*times)));
    format!("{workload}: {title} {}{then}", time(*ns))
}

struct Bars {
    all: MultiProgress,
    progress: ProgressBar,
    /// One line each: a message of several lines would be cut to the width of one.
    leaders: Vec<ProgressBar>,
    _quiet: Option<Quiet>,
}

impl Display {
    /// A display on standard error, if that is a terminal; otherwise lines are reported.
    pub(crate) fn new(reporter: Reporter) -> Self {
        let bars = stderr().is_terminal().then(|| {
            let all = MultiProgress::new();
            let progress = all.add(ProgressBar::new(BAR_STEPS));
            // The current task comes last: only this may be cut where the terminal is narrow.
            progress.set_style(style("{elapsed:>4} {bar:20} {percent:>3} % {prefix} · {wide_msg}"));
            progress.enable_steady_tick(Duration::from_millis(500));
            Bars { all, progress, leaders: Vec::new(), _quiet: Quiet::new() }
        });
        Self { bars, begin: Instant::now(), predicted: None, cells: None, last_line: None, reporter }
    }

    /// This many cells are to be done.
    pub(crate) fn expect(&mut self, cells: usize) {
        self.cells = Some(Cells { done: 0, all: cells, share: 0.0 });
    }

    /// Shows the current task.
    pub(crate) fn doing(&mut self, what: &str) {
        let share = self.share_done();
        if let Some(bars) = &self.bars {
            bars.progress.set_position((share * BAR_STEPS as f64) as u64);
            bars.progress.set_prefix(self.time_left());
            bars.progress.set_message(what.to_owned());
        }
    }

    /// Takes a prediction of the time left from now on; `None` while there are too few measurements for one. A
    /// prediction that is not `sure` guesses the times of stores not seen yet.
    pub(crate) fn predict(&mut self, left: Option<TimeLeft>, sure: bool) {
        self.predicted = left.map(|left| Prediction { when: Instant::now(), left, sure });
    }

    /// A cell is done. `line` is for a reader without a terminal, who gets one now and then; a failure at once.
    pub(crate) fn done(&mut self, line: &str, failed: bool) {
        if let Some(cells) = &mut self.cells {
            cells.done += 1;
            if let Some(prediction) = &mut self.predicted {
                prediction.left.now = Duration::ZERO;
            }
        }
        let share = self.share_done();
        match &self.bars {
            Some(bars) if failed => bars.progress.println(line),
            Some(_) => {}
            None if failed || self.last_line.is_none_or(|last| last.elapsed() >= LINE_PERIOD) => {
                self.last_line = Some(Instant::now());
                let percent = (share * 100.0) as u64;
                self.reporter.report(&format!("[{percent:>3} %] {line} · {}", self.time_left()));
            }
            None => {}
        }
    }

    /// Shows who leads the workload that was measured last.
    pub(crate) fn leaders(&mut self, leaders: &[Leader]) {
        let Some(bars) = &mut self.bars else { return };
        let mut lines: Vec<String> = leaders.iter().map(describe_leader).collect();
        if lines.len() > LEADERS_MAX {
            let rest = lines.split_off(LEADERS_MAX - 1).len();
            lines.push(format!("and {rest} phases more"));
        }
        bars.leaders.iter().skip(lines.len()).for_each(ProgressBar::finish_and_clear);
        bars.leaders.truncate(lines.len());
        for (index, line) in lines.into_iter().enumerate() {
            if index == bars.leaders.len() {
                let leader = ProgressBar::new_spinner().with_style(style("{wide_msg}"));
                bars.leaders.push(bars.all.add(leader));
            }
            bars.leaders[index].set_message(line);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bars) = self.bars {
            bars.leaders.iter().for_each(ProgressBar::finish_and_clear);
            bars.progress.finish_and_clear();
        }
    }

    /// The share of the whole time that is over, from 0 to 1. With a known number of cells it never falls. While the time left is
    /// guessed, it is at most the share of cells done: a store that was not seen yet may take longer than all the others.
    fn share_done(&mut self) -> f64 {
        let Some(prediction) = &self.predicted else { return 0.0 };
        let over = self.begin.elapsed().as_secs_f64();
        let of_time = over / (over + prediction.left().as_secs_f64()).max(f64::MIN_POSITIVE);
        let Some(cells) = &mut self.cells else { return of_time };
        let of_cells = cells.done as f64 / cells.all.max(1) as f64;
        let most = if cells.done >= cells.all { 1.0 } else { SHARE_MAX };
        let share = if prediction.sure { of_time } else { of_time.min(of_cells) };
        cells.share = cells.share.max(share.min(most));
        cells.share
    }

    fn time_left(&self) -> String {
        let Some(prediction) = &self.predicted else { return "time left unknown yet".to_owned() };
        let perhaps = if prediction.sure { "" } else { "perhaps " };
        format!("{perhaps}{} left", HumanDuration(Duration::from_secs(prediction.left().as_secs() + 1)))
    }
}

/// The terminal does not show a typed `^C`. It would be at the end of a full line and begin another one, and the bars
/// would not be cleared to their first.
struct Quiet;

/// The terminal's modes before they were changed, while they are changed.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Sets the terminal back as it was found, if it was changed.
pub(crate) fn restore_terminal() {
    let before = BEFORE.lock().ok().and_then(|mut before| before.take());
    if let Some(before) = before.filter(|_| in_foreground()) {
        // That a terminal which is gone cannot be set back is no error.
        let _ = tcsetattr(stderr(), OptionalActions::Now, &before);
    }
}

impl Quiet {
    /// Nothing is changed, nor may be, where this does not run in the terminal's foreground.
    fn new() -> Option<Self> {
        let before = in_foreground().then(|| tcgetattr(stderr()).ok())??;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHOCTL);
        tcsetattr(stderr(), OptionalActions::Now, &quiet).ok()?;
        *BEFORE.lock().ok()? = Some(before);
        Some(Self)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        restore_terminal();
    }
}

fn in_foreground() -> bool {
    tcgetpgrp(stderr()).is_ok_and(|group| group == getpgrp())
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use bakeoff_results::figures::Measure;
    use bakeoff_results::verdict::Column;

    use super::*;

    #[test]
    fn what_takes_longer_than_expected_makes_the_rest_no_shorter_and_a_budget_no_longer() {
        let seconds = Duration::from_secs;
        let left = TimeLeft { now: seconds(5), later: seconds(60), most: None };
        assert_eq!([0, 4, 200].map(|over| left.after(seconds(over)).as_secs()), [65, 61, 60]);
        let left = TimeLeft { most: Some(seconds(40)), ..left };
        assert_eq!([0, 4, 200].map(|over| left.after(seconds(over)).as_secs()), [40, 36, 0]);
    }

    #[test]
    fn a_leader_is_shown_with_its_workload_and_who_follows() {
        let measure = Measure::Time { phase: "get".to_owned(), operation: None };
        let place = (measure, (1 << 10, 10 << 10), Column { data: "random".to_owned(), records: 1_000 });
        let next = Some(("SQLite".to_owned(), 1.273));
        let leader = Leader { place, title: "LMDB".to_owned(), ns: 2_828.0, next };
        assert_eq!(describe_leader(&leader), "get 1KiB..10KiB × 1,000 random: LMDB 2.83 µs (then SQLite 1.27×)");
        let alone = Leader { next: None, ..leader };
        assert_eq!(describe_leader(&alone), "get 1KiB..10KiB × 1,000 random: LMDB 2.83 µs");
    }
}
