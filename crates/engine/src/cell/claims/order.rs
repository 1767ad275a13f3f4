//! The order of a driver's events, and who may use which kind of failure.

use bakeoff_protocol::{Event, FailureKind};

/// What failures call the comparison at the end, which is no phase of the request.
const VERIFY: &str = "verify";

/// The parts of a driver's request that decide which events may come.
pub(crate) struct Asked {
    /// The phases' names, in order.
    pub(crate) phases: Vec<String>,
    /// It is to die with the store open, and the store to be opened by a second process.
    pub(crate) dies: bool,
    /// Its content is to be compared.
    pub(crate) verifies: bool,
}

/// How far a driver is.
pub(crate) struct Order {
    asked: Asked,
    opened: bool,
    phases: usize,
    died: bool,
    verified: bool,
    finished: bool,
}

impl Order {
    pub(crate) fn new(asked: Asked) -> Self {
        Self { asked, opened: false, phases: 0, died: false, verified: false, finished: false }
    }

    /// Whether this is the second process of a recovery.
    pub(crate) fn recovers(&self) -> bool {
        self.died
    }

    /// Takes the next event; the error is why it may not come now.
    pub(crate) fn take(&mut self, event: &Event) -> Result<(), String> {
        if self.finished {
            return Err(format!("the driver reported {} after `finished`, its last event", named(event)));
        }
        match event {
            Event::Opened(_) => self.open(),
            Event::Progress(_) if self.opened || self.died => Ok(()),
            Event::Progress(_) => Err(before_opening("progress")),
            Event::Phase(result) => self.phase(&result.phase),
            Event::Dying => self.die(),
            Event::Verified(_) => self.verify(),
            Event::Inventory(_) => Err("the driver reported an inventory, which nobody asked for".to_owned()),
            Event::Finished(_) => {
                self.finished = true;
                Ok(())
            }
            Event::Failed { kind, phase, message } => self.fail(*kind, phase.as_deref(), message),
        }
    }

    fn open(&mut self) -> Result<(), String> {
        if self.died {
            return Err("the driver reported `opened` in a recovery, which begins with `verified`".to_owned());
        }
        if std::mem::replace(&mut self.opened, true) {
            return Err("the driver reported `opened` twice".to_owned());
        }
        Ok(())
    }

    fn phase(&mut self, name: &str) -> Result<(), String> {
        if !self.opened {
            return Err(before_opening(&format!("the phase `{name}`")));
        }
        let due = self.asked.phases.get(self.phases).filter(|_| !self.died && !self.verified);
        if due.is_none_or(|due| due != name) {
            let due = due.map_or("no phase", |due| due);
            return Err(format!("the driver reported the phase `{name}` when {due} was due"));
        }
        self.phases += 1;
        Ok(())
    }

    fn die(&mut self) -> Result<(), String> {
        if !self.asked.dies || self.died {
            return Err("the driver reported that it is dying, which nobody asked for".to_owned());
        }
        self.all_measured("dying")?;
        self.died = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), String> {
        self.all_measured("verified")?;
        if !self.asked.verifies {
            return Err("the driver reported `verified`, but nobody asked it to verify anything".to_owned());
        }
        if self.asked.dies && !self.died {
            return Err("the driver reported `verified` instead of dying".to_owned());
        }
        if std::mem::replace(&mut self.verified, true) {
            return Err("the driver reported `verified` twice".to_owned());
        }
        Ok(())
    }

    fn all_measured(&self, event: &str) -> Result<(), String> {
        let all = self.asked.phases.len();
        if self.phases == all {
            return Ok(());
        }
        Err(format!("the driver reported `{event}` with {} of {all} phases measured", self.phases))
    }

    fn fail(&self, kind: FailureKind, phase: Option<&str>, message: &str) -> Result<(), String> {
        use FailureKind::{BadOutput, Crash, Disturbance, Medium, SetUp, Timeout};
        if matches!(kind, Crash | Timeout | BadOutput | Disturbance | Medium | SetUp) {
            let kind = kind.name();
            return Err(format!("the driver failed with the kind `{kind}`, which only its caller may use: {message}"));
        }
        match phase.filter(|phase| *phase != VERIFY && !self.asked.phases.iter().any(|asked| asked == phase)) {
            Some(phase) => Err(format!("the driver failed in the phase `{phase}`, which nobody asked for: {message}")),
            None => Ok(()),
        }
    }
}

fn before_opening(what: &str) -> String {
    format!("the driver reported {what} before `opened`")
}

fn named(event: &Event) -> &'static str {
    match event {
        Event::Opened(_) => "`opened`",
        Event::Progress(_) => "progress",
        Event::Phase(_) => "a phase",
        Event::Dying => "`dying`",
        Event::Verified(_) => "`verified`",
        Event::Inventory(_) => "`inventory`",
        Event::Finished(_) => "`finished` again",
        Event::Failed { .. } => "`failed`",
    }
}
