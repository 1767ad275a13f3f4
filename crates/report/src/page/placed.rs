//! Which sections of a report the page shows, and where.

use crate::document::{Section, SectionId};

/// A place on the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the answer to the question that a run was asked.
    Answer,
    /// Below the answers, opened on demand.
    Below,
}

/// The sections that belong to a place, in reading order.
pub(crate) fn placed(all: &[Section], place: Place) -> impl Iterator<Item = &Section> {
    all.iter().filter(move |section| place_of(section.id) == Some(place))
}

/// Where a section belongs. `None` for sections that the page shows in another shape: failures, and skipped or abandoned cells.
fn place_of(id: SectionId) -> Option<Place> {
    match id {
        SectionId::Failures | SectionId::Skipped | SectionId::GivenUp => None,
        SectionId::Disturbance
        | SectionId::BySize
        | SectionId::Commits
        | SectionId::DiskUsage
        | SectionId::ColdStarts
        | SectionId::PowerCuts => Some(Place::Below),
        _ => Some(Place::Answer),
    }
}
