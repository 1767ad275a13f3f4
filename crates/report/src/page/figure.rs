//! A number as the page's script gets it.

use serde::Serialize;

/// A number with seven significant digits, which keeps the page small, and of which three can be shown without rounding twice.
#[derive(Clone, Copy)]
pub(crate) struct Figure(pub(crate) f64);

impl Serialize for Figure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 0.0 || !self.0.is_finite() {
            return serializer.serialize_u8(0);
        }
        let scale = 10_f64.powi(6 - self.0.abs().log10().floor() as i32);
        let rounded = if scale.is_finite() && scale > 0.0 { (self.0 * scale).round() / scale } else { self.0 };
        if rounded.fract() == 0.0 && rounded.abs() < 9e15 {
            serializer.serialize_i64(rounded as i64)
        } else {
            serializer.serialize_f64(rounded)
        }
    }
}
