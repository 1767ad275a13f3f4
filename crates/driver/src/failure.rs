//! Why a run ended early.

use std::any::Any;

use bakeoff_protocol::FailureKind;
use bakeoff_store::StoreError;

/// Why a run ended early.
#[derive(Debug)]
pub struct Failure {
    /// What sort of failure.
    pub kind: FailureKind,
    /// The phase it happened in.
    pub phase: Option<String>,
    /// What happened.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: String) -> Self {
        Self { kind, phase: None, message }
    }

    pub(crate) fn bad_request(message: String) -> Self {
        Self::new(FailureKind::BadRequest, message)
    }

    pub(crate) fn bad_tape(message: String) -> Self {
        Self::new(FailureKind::BadTape, message)
    }

    pub(crate) fn from_store(doing: &str, error: &StoreError) -> Self {
        let kind = match error {
            StoreError::DiskFull(_) => FailureKind::DiskFull,
            StoreError::OutOfMemory(_) => FailureKind::OutOfMemory,
            StoreError::BadRequest(_) => FailureKind::BadRequest,
            StoreError::Store(_) => FailureKind::StoreError,
        };
        Self::new(kind, format!("{doing}: {error}"))
    }

    /// The message of a panic, as the end of a cell.
    pub(crate) fn from_panic(panic: &(dyn Any + Send)) -> Self {
        let message = panic
            .downcast_ref::<&str>()
            .map(|message| (*message).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        Self::new(FailureKind::Panic, format!("the store panicked: {message}"))
    }

    pub(crate) fn in_phase(mut self, phase: &str) -> Self {
        self.phase.get_or_insert_with(|| phase.to_owned());
        self
    }
}
