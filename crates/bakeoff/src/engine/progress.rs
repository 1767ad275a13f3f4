//! What a person sees while a run goes on: a bar with the time left and the leader on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressStyle};

/// Between two plain lines, at least.
const LINE_PERIOD: Duration = Duration::from_secs(5);

/// How far a run is, in units of estimated cost.
pub(crate) struct Display {
    bars: Option<Bars>,
    total: u64,
    /// Cost of what was found done already by a resumed run: no measure of speed.
    skipped: u64,
    done: u64,
    begin: Instant,
    last_line: Option<Instant>,
}

struct Bars {
    _all: MultiProgress,
    progress: ProgressBar,
    leader: ProgressBar,
}

impl Display {
    /// A display of `total` units on standard error.
    pub(crate) fn new(total: u64) -> Self {
        let bars = std::io::stderr().is_terminal().then(|| {
            let all = MultiProgress::new();
            let progress = all.add(ProgressBar::new(total.max(1)));
            progress.set_style(bar_style());
            let leader = all.add(ProgressBar::new_spinner());
            leader.set_style(
                ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            progress.enable_steady_tick(Duration::from_millis(500));
            Bars { _all: all, progress, leader }
        });
        Self { bars, total: total.max(1), skipped: 0, done: 0, begin: Instant::now(), last_line: None }
    }

    /// Says what is going on now.
    pub(crate) fn doing(&mut self, what: &str) {
        if let Some(bars) = &self.bars {
            bars.progress.set_message(format!("{what} · {}", self.time_left()));
        }
    }

    /// A part of the current cell is done.
    pub(crate) fn part(&self, cost: u64, part: f64) {
        if let Some(bars) = &self.bars {
            bars.progress.set_position(self.done + (cost as f64 * part.clamp(0.0, 1.0)) as u64);
        }
    }

    /// A cell was done already when the run was resumed.
    pub(crate) fn skip(&mut self, cost: u64) {
        self.skipped += cost;
        self.done += cost;
    }

    /// A cell is done. `line` is for a reader without a terminal, who gets one now and then; a failure at once.
    pub(crate) fn done(&mut self, cost: u64, line: &str, failed: bool) {
        self.done += cost;
        let text = format!("[{:>3} %] {line} · {}", self.done * 100 / self.total, self.time_left());
        match &self.bars {
            Some(bars) => {
                bars.progress.set_position(self.done);
                if failed {
                    bars.progress.println(line);
                }
            }
            None if failed || self.last_line.is_none_or(|last| last.elapsed() >= LINE_PERIOD) => {
                self.last_line = Some(Instant::now());
                eprintln!("{text}");
            }
            None => {}
        }
    }

    /// Shows who leads the workload that was measured last.
    pub(crate) fn leaders(&self, lines: &[String]) {
        if let Some(bars) = &self.bars {
            bars.leader.set_message(lines.join("\n"));
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bars) = self.bars {
            bars.leader.finish_and_clear();
            bars.progress.finish_and_clear();
        }
    }

    /// The time left at the speed so far.
    fn time_left(&self) -> String {
        let worked = self.done - self.skipped;
        if worked == 0 {
            return "time left unknown yet".to_owned();
        }
        let left = self.begin.elapsed().as_secs_f64() * (self.total.saturating_sub(self.done)) as f64 / worked as f64;
        format!("{} left", HumanDuration(Duration::from_secs_f64(left.clamp(0.0, 1e9).ceil())))
    }
}

fn bar_style() -> ProgressStyle {
    ProgressStyle::with_template("{elapsed:>4} {bar:24} {percent:>3} % {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
