//! The course of a phase, as the page's script gets it.

use bakeoff_protocol::SlowOperation;
use bakeoff_results::contests::course::Course;
use serde::Serialize;

use crate::page::figure::Figure;

/// How latency went over the time of a round, with its slowest operations.
#[derive(Serialize)]
pub(crate) struct CourseFigures<'a> {
    slice_ns: u64,
    /// The mean latency in each slice; zero where no operation ended in it.
    means: Vec<Figure>,
    /// When each of the slowest operations began, how long it took, its kind, and its cause.
    slow: Vec<(Figure, Figure, &'a str, &'static str)>,
    /// What they waited for: each cause with its part of their time.
    causes: Vec<(&'static str, Figure)>,
}

impl<'a> CourseFigures<'a> {
    pub(crate) fn of(course: Course<'a>) -> Self {
        let slow = |of: &'a SlowOperation| {
            let (at, latency) = (Figure(of.at_ns as f64), Figure(of.latency_ns as f64));
            (at, latency, of.operation.as_str(), of.cause.describe())
        };
        Self {
            slice_ns: course.slice_ns,
            means: course.means_ns.into_iter().map(Figure).collect(),
            slow: course.slowest.iter().map(slow).collect(),
            causes: course.causes.into_iter().map(|(cause, share)| (cause.name(), Figure(share))).collect(),
        }
    }
}
