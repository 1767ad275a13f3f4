//! From what was typed to a checked need.

use anyhow::{Result, bail};

use crate::pick::items::ITEMS;
use crate::pick::need::Need;
use crate::pick::typed::Typed;

impl Need {
    /// Checks everything that was typed.
    ///
    /// # Errors
    /// All that is wrong, a line each: where it stands, and how to write it.
    pub(crate) fn read(typed: &Typed) -> Result<Self> {
        let problems: Vec<String> =
            typed.one_by_one().filter_map(|alone| Some(format!("{:#}", Self::of(&alone).err()?))).collect();
        if !problems.is_empty() {
            bail!(problems.join("\n"));
        }
        let need = Self::of(typed)?;
        need.fits_together(typed)?;
        Ok(need)
    }

    /// The words as what they mean, each checked alone.
    fn of(typed: &Typed) -> Result<Self> {
        let mut need = Self::default();
        for item in &ITEMS {
            let word = typed.get(item.key);
            (item.read)(&word, &mut need)?;
            need.words.push((item.key.to_owned(), word.text));
        }
        Ok(need)
    }

    fn fits_together(&self, typed: &Typed) -> Result<()> {
        let place = |key| typed.get(key).place;
        if self.records < self.threads {
            bail!(
                "{} {}: each thread writes records of its own: use fewer threads, or {} records at least",
                place("threads"),
                self.threads,
                self.threads
            );
        }
        if self.threads > 1 && self.does("scan") && self.writes() {
            bail!(
                "{}: what a scan finds while other threads write is not known, so it could not be checked: leave scans or writes out, or use one thread",
                place("mix")
            );
        }
        Ok(())
    }
}
