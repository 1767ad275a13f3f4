//! One long task: how far it is, for a person, and whether to go on with it.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use bakeoff_tape::Progress;
use bakeoff_text::format_count;

use crate::reporter::Reporter;
use crate::surroundings::interrupt::Interrupt;
use crate::surroundings::progress::Display;

/// Shorter tasks are not shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// A task that is watched until this is dropped.
pub struct Watch {
    interrupt: Interrupt,
    begin: Instant,
    reporter: Reporter,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    display: Option<Display>,
    /// The current stage, and since when.
    stage: Option<(String, Instant)>,
}

impl Watch {
    /// Catches Ctrl-C from now on.
    pub fn begin(reporter: Reporter) -> Result<Self> {
        let interrupt = Interrupt::install()?;
        Ok(Self { interrupt, begin: Instant::now(), reporter, shown: Mutex::default() })
    }

    /// Shows how far the task is, and says whether to go on.
    pub fn hear(&self, progress: Progress<'_>) -> ControlFlow<()> {
        if self.interrupt.requested() {
            return ControlFlow::Break(());
        }
        // What another thread does at the same time is as good to show.
        if let Ok(mut shown) = self.shown.try_lock() {
            shown.show(progress, self.begin.elapsed() >= SHOWN_AFTER, self.reporter);
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let shown = self.shown.get_mut().unwrap_or_else(PoisonError::into_inner);
        shown.display.take().into_iter().for_each(Display::finish);
    }
}

impl Shown {
    fn show(&mut self, Progress { what, done, total }: Progress<'_>, is_long: bool, reporter: Reporter) {
        let since = match &mut self.stage {
            Some((stage, since)) if stage == what => *since,
            stage => stage.insert((what.to_owned(), Instant::now())).1,
        };
        if !is_long {
            return;
        }
        let display = self.display.get_or_insert_with(|| Display::new(reporter));
        // What has no known end is counted.
        let line = match total {
            0 => format!("{what}: {}", format_count(done)),
            _ => format!("{what}: {} %", done * 100 / total),
        };
        let is_known = done > 0 && total > 0;
        let left = || since.elapsed().mul_f64(total.saturating_sub(done) as f64 / done as f64);
        display.predict(is_known.then(|| left().into()), true);
        display.doing(&line);
        display.done(&line, false);
    }
}
