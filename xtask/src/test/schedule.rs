//! Runs steps on several threads. A step starts when the steps it needs have passed and its lane is free. Steps that measure time run
//! alone at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::test::step::{Lane, Step};

/// How a step ended, for the schedule.
pub(crate) struct Finished {
    pub(crate) passed: bool,
    pub(crate) next: Vec<Step>,
}

/// What the schedule asks and reports.
pub(crate) trait Runner: Sync {
    /// Does what a step does.
    fn run(&self, step: Step) -> Finished;
    /// How long a step took the last time: long ones begin first.
    fn seconds(&self, step: &str) -> Option<f64>;
    /// A step will not run, because another has failed.
    fn blocked(&self, step: &str, by: &str);
    /// What has been running for a while.
    fn still_running(&self, steps: &[(String, Duration)]);
}

#[derive(Default)]
struct State {
    waiting: Vec<Step>,
    running: BTreeMap<String, (Option<Lane>, Instant)>,
    alone_is_running: bool,
    passed: BTreeSet<String>,
    /// Steps that failed or could not run.
    failed: BTreeSet<String>,
}

struct Schedule<'a, R: Runner> {
    runner: &'a R,
    state: Mutex<State>,
    changed: Condvar,
}

/// Runs all steps and those they lead to, as many as `workers` at a time, and reports what runs every `interval`.
pub(crate) fn run<R: Runner>(steps: Vec<Step>, workers: usize, interval: Duration, runner: &R) {
    let state = Mutex::new(State { waiting: steps, ..State::default() });
    let schedule = Schedule { runner, state, changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            scope.spawn(|| schedule.work());
        }
        schedule.watch(interval);
    });
}

impl<R: Runner> Schedule<'_, R> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            state.block_what_cannot_run(self.runner);
            if let Some(step) = state.take(self.runner) {
                let name = step.name.clone();
                drop(state);
                let finished = self.runner.run(step);
                state = self.lock();
                state.finish(&name, finished);
                self.changed.notify_all();
            } else if state.is_over() {
                self.changed.notify_all();
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
            }
        }
    }

    /// Reports what runs until nothing does.
    fn watch(&self, interval: Duration) {
        let mut state = self.lock();
        let mut reported = Instant::now();
        while !state.is_over() {
            let waited = self.changed.wait_timeout(state, interval.saturating_sub(reported.elapsed()));
            state = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
            if reported.elapsed() >= interval {
                let running: Vec<_> =
                    state.running.iter().map(|(name, (_, since))| (name.clone(), since.elapsed())).collect();
                self.runner.still_running(&running);
                reported = Instant::now();
            }
        }
    }
}

impl State {
    fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Drops the steps that wait for a failed step, or for a step that is not part of these tests.
    fn block_what_cannot_run<R: Runner>(&mut self, runner: &R) {
        loop {
            let (waiting, failed) = (&self.waiting, &self.failed);
            let is_known = |name: &String| {
                self.passed.contains(name)
                    || self.running.contains_key(name)
                    || waiting.iter().any(|step| step.name == *name)
            };
            // What is not part of these tests is there already, or comes with a step that runs.
            let may_come = !self.running.is_empty();
            let hopeless = |step: &Step| {
                let needs = step.needs.iter();
                needs.clone().find(|name| failed.contains(*name) || !(may_come || is_known(name))).cloned()
            };
            let Some((index, by)) = waiting.iter().enumerate().find_map(|(index, step)| Some((index, hopeless(step)?)))
            else {
                return;
            };
            let step = self.waiting.remove(index);
            runner.blocked(&step.name, &by);
            self.failed.insert(step.name);
        }
    }

    /// The next step to run, now running.
    fn take<R: Runner>(&mut self, runner: &R) -> Option<Step> {
        if self.alone_is_running {
            return None;
        }
        let is_ready = |step: &Step| step.needs.iter().all(|name| self.passed.contains(name));
        let is_free = |step: &Step| step.lane.is_none() || self.running.values().all(|(lane, _)| *lane != step.lane);
        // What holds most others up first, then what takes longest; of the rest, the first.
        let held_up = |step: &Step| self.waiting.iter().filter(|other| other.needs.contains(&step.name)).count();
        let weight = |step: &Step| (step.lane.is_some(), held_up(step), runner.seconds(&step.name).unwrap_or(0.0));
        let mut best: Option<(usize, (bool, usize, f64))> = None;
        for (index, step) in self.waiting.iter().enumerate() {
            let weight = weight(step);
            if !step.alone && is_ready(step) && is_free(step) && best.is_none_or(|(_, other)| weight > other) {
                best = Some((index, weight));
            }
        }
        let is_last = self.running.is_empty() && self.waiting.iter().all(|step| step.alone);
        let index = best
            .map(|(index, _)| index)
            .or_else(|| is_last.then(|| self.waiting.iter().position(is_ready)).flatten())?;
        let step = self.waiting.remove(index);
        self.alone_is_running = step.alone;
        self.running.insert(step.name.clone(), (step.lane, Instant::now()));
        Some(step)
    }

    fn finish(&mut self, name: &str, Finished { passed, next }: Finished) {
        self.running.remove(name);
        self.alone_is_running = false;
        let of = if passed { &mut self.passed } else { &mut self.failed };
        of.insert(name.to_owned());
        self.waiting.extend(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::step::Ended;

    /// Notes when each step began and ended, and lets those named fail.
    #[derive(Default)]
    struct Notes {
        fails: Vec<&'static str>,
        leads_to: Mutex<BTreeMap<&'static str, Vec<Step>>>,
        events: Mutex<Vec<String>>,
    }

    impl Notes {
        fn note(&self, event: String) {
            self.events.lock().unwrap().push(event);
        }

        fn all(&self) -> Vec<String> {
            self.events.lock().unwrap().clone()
        }

        fn place(&self, event: &str) -> usize {
            self.all()
                .iter()
                .position(|other| other == event)
                .unwrap_or_else(|| panic!("no {event} in {:?}", self.all()))
        }
    }

    impl Runner for Notes {
        fn run(&self, step: Step) -> Finished {
            self.note(format!("+{}", step.name));
            std::thread::sleep(Duration::from_millis(15));
            self.note(format!("-{}", step.name));
            let next = self.leads_to.lock().unwrap().remove(step.name.as_str()).unwrap_or_default();
            Finished { passed: !self.fails.contains(&step.name.as_str()), next }
        }

        fn seconds(&self, step: &str) -> Option<f64> {
            (step == "long").then_some(100.0)
        }

        fn blocked(&self, step: &str, by: &str) {
            self.note(format!("{step} blocked by {by}"));
        }

        fn still_running(&self, _: &[(String, Duration)]) {}
    }

    fn step(name: &str) -> Step {
        Step::new(name, Box::new(|_| Ok(Ended::default())))
    }

    fn run_all(steps: Vec<Step>, notes: &Notes) {
        run(steps, 3, Duration::from_secs(60), notes);
    }

    #[test]
    fn a_step_waits_for_what_it_needs_and_for_its_lane() {
        let notes = Notes::default();
        let first = step("build").lane(Lane::Cargo);
        let second = step("lints").lane(Lane::Cargo);
        run_all(vec![step("tests").after(&["build"]), second, first], &notes);
        assert!(notes.place("-build") < notes.place("+tests"), "{:?}", notes.all());
        let (build, lints) = (notes.place("+build"), notes.place("+lints"));
        assert!(notes.place("-build") < lints || notes.place("-lints") < build, "{:?}", notes.all());
    }

    #[test]
    fn a_failure_blocks_what_needs_it_and_hides_nothing_else() {
        let notes = Notes { fails: vec!["build"], ..Notes::default() };
        run_all(
            vec![step("build"), step("tests").after(&["build"]), step("slow").after(&["tests"]), step("format")],
            &notes,
        );
        assert!(notes.place("tests blocked by build") < notes.place("slow blocked by tests"));
        notes.place("-format");
        assert_eq!(notes.all().len(), 6);
    }

    #[test]
    fn steps_that_measure_time_run_last_and_alone() {
        let notes = Notes::default();
        let alone = |name| Step { alone: true, ..step(name) };
        run_all(vec![alone("clock"), alone("pace"), step("a"), step("b")], &notes);
        let events = notes.all();
        assert_eq!(events.len(), 8);
        for pair in events[4..].chunks(2) {
            assert_eq!(pair[0][1..], pair[1][1..], "{events:?}");
        }
    }

    #[test]
    fn what_a_build_leads_to_runs_too_long_ones_first() {
        let notes = Notes::default();
        let next = vec![step("short").after(&["build"]), step("long").after(&["build"])];
        notes.leads_to.lock().unwrap().insert("build", next);
        run(vec![step("build")], 1, Duration::from_secs(60), &notes);
        assert_eq!(notes.all(), ["+build", "-build", "+long", "-long", "+short", "-short"]);
    }

    #[test]
    fn a_step_that_needs_what_nobody_runs_is_named() {
        let notes = Notes::default();
        run_all(vec![step("tests").after(&["bulid"])], &notes);
        assert_eq!(notes.all(), ["tests blocked by bulid"]);
    }
}
