//! How a trace is to be read: what its user knows of it and the trace does not say.

use crate::form::Form;
use crate::times::{TimeUnit, Zone};

/// How a trace is to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Its form; recognised by its first lines if not given.
    pub form: Option<Form>,
    /// The unit of times that are plain numbers; seconds if not given.
    pub time_unit: Option<TimeUnit>,
    /// The zone of dates that carry none; UTC if not given.
    pub time_zone: Option<Zone>,
    /// Names that do not matter: of columns (`time` and `thread` too), and of operations, commands, methods or system calls.
    pub ignore: Vec<String>,
    /// Only operations on keys that begin so count, and keys lose it. All count if it is empty.
    pub key_prefix: Vec<u8>,
}

impl From<Form> for ReadOptions {
    fn from(form: Form) -> Self {
        Self { form: Some(form), ..Self::default() }
    }
}
