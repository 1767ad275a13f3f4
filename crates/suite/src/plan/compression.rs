//! The axis `compression`: each store names the setting that switches it off.

use bakeoff_protocol::{Compression, Settings, StoreDescription};

use crate::plan::skip::SkipReason;

/// The settings that a store needs besides `given` to compress no more than this. Empty if it compresses nothing
/// anyway.
///
/// # Errors
/// Why the store still compresses: no setting prevents it, or the suite sets it so.
pub(crate) fn compression_settings(
    store: &StoreDescription,
    compression: Compression,
    given: &Settings,
) -> Result<Settings, SkipReason> {
    let mut settings = Settings::new();
    if compression.is_default() {
        return Ok(settings);
    }
    if let Some(reason) = &store.always_compresses {
        return Err(SkipReason::AlwaysCompresses { why: reason.why.clone() });
    }
    for setting in &store.settings {
        let Some(uncompressed) = &setting.uncompressed else { continue };
        match given.get(&setting.name).or(setting.default.as_ref()) {
            Some(value) if value == uncompressed => {}
            Some(value) if given.contains_key(&setting.name) => {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                return Err(SkipReason::SettingCompresses { setting: setting.name.clone(), value });
            }
            _ => drop(settings.insert(setting.name.clone(), uncompressed.clone())),
        }
    }
    Ok(settings)
}
