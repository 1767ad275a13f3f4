//! Latencies of one operation in one phase, as an HdrHistogram.

use bakeoff_protocol::Latency;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use thiserror::Error;

/// The largest latency with a bucket of its own: one hour.
const HIGHEST_NS: u64 = 3_600_000_000_000;

/// Significant decimal digits of a bucket.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Bytes before the counts in the V2 encoding.
const V2_HEADER_BYTES: usize = 40;

/// The first four bytes of the V2 encoding that is not deflated.
const V2_COOKIE: u32 = 0x1c84_9313;

/// A histogram of nanoseconds, 1 ns to 1 h with 3 significant digits. Longer latencies count as one hour in percentiles. Smallest, largest,
/// sum and count are stored separately and are exact.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u64>,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

/// Why text is not a histogram.
#[derive(Debug, Error)]
pub enum HistogramError {
    /// The text is not base64.
    #[error("the histogram is not base64 ({0}): expected an HdrHistogram V2, not deflated, in standard base64")]
    NotBase64(#[from] base64::DecodeError),
    /// The bytes are not this kind of histogram.
    #[error(
        "the {bytes} bytes of the histogram are not an HdrHistogram V2 ({why}): write it without deflate, from 1 ns, with 3 significant digits"
    )]
    NotV2 {
        /// The length of the decoded bytes.
        bytes: usize,
        /// What is wrong with them.
        why: String,
    },
}

impl Histogram {
    /// An empty histogram. All its memory (about 270 KiB) is allocated and touched here, so [`Histogram::record`] neither allocates nor
    /// faults.
    pub fn new() -> Self {
        let counts = hdrhistogram::Histogram::new_with_bounds(1, HIGHEST_NS, SIGNIFICANT_DIGITS);
        // The bounds are constants that satisfy the library's conditions.
        let counts = counts.expect("1 ns to 1 h with 3 digits is a valid histogram");
        let mut histogram = Self { counts, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 };
        // The kernel maps zeroed memory page by page at the first write. The black box prevents the compiler from removing the writes.
        std::hint::black_box(&mut histogram.counts).reset();
        histogram
    }

    /// Records a latency.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.record_many(ns, 1);
    }

    #[inline]
    fn record_many(&mut self, ns: u64, count: u64) {
        self.counts.saturating_record_n(ns, count);
        self.sum_ns = self.sum_ns.saturating_add(ns.saturating_mul(count));
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.counts.add(&other.counts).expect("all histograms have the same bounds");
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The number of latencies.
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Sum of all latencies in nanoseconds.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// The smallest latency in nanoseconds; absent if there are none.
    pub fn min_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_ns)
    }

    /// The largest latency in nanoseconds; absent if there are none.
    pub fn max_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_ns)
    }

    /// Mean latency, to the nearest nanosecond, from the exact sum; absent if there are none.
    pub fn mean_ns(&self) -> Option<u64> {
        let count = u128::from(self.count());
        let doubled = (2 * u128::from(self.sum_ns) + count).checked_div(2 * count)?;
        u64::try_from(doubled).ok()
    }

    /// The latency that a share `quantile` (0 to 1) of all latencies does not exceed; absent if there are none. It has 3 digits, is rounded
    /// up within its bucket, and stays between the smallest and the largest.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        Some(self.counts.value_at_quantile(quantile).clamp(self.min_ns()?, self.max_ns()?))
    }

    /// The figures and the encoded histogram for a result.
    ///
    /// All figures of an empty histogram are 0: omit such a latency from the result.
    pub fn to_latency(&self) -> Latency {
        let quantile = |share| self.quantile_ns(share).unwrap_or(0);
        Latency {
            latency_ns_mean: self.mean_ns().unwrap_or(0),
            latency_ns_min: self.min_ns().unwrap_or(0),
            latency_ns_p50: quantile(0.5),
            latency_ns_p90: quantile(0.9),
            latency_ns_p99: quantile(0.99),
            latency_ns_p999: quantile(0.999),
            latency_ns_max: self.max_ns().unwrap_or(0),
            histogram: self.to_base64(),
        }
    }

    /// HdrHistogram V2, not deflated, in standard base64.
    fn to_base64(&self) -> String {
        let mut bytes = Vec::new();
        // It fails only for a count above i64::MAX or a writer's error.
        V2Serializer::new().serialize(&self.counts, &mut bytes).expect("a histogram can be written to memory");
        STANDARD.encode(bytes)
    }

    /// Reads the output of [`Histogram::to_latency`], or another language's HdrHistogram of the same kind.
    ///
    /// The encoding holds only the buckets. So smallest, largest and sum are then exact to 3 digits only.
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        let counts = decode(text)?;
        let mut histogram = Self::new();
        for (ns, count) in recorded(&counts) {
            histogram.record_many(ns, count);
        }
        if !histogram.is_empty() {
            histogram.min_ns = counts.min();
            histogram.max_ns = counts.max();
        }
        Ok(histogram)
    }
}

/// The latencies of several encoded histograms together, and the number of texts that cannot be read. Each latency is in ns, with its
/// count, in ascending order. The texts are from [`Histogram::to_latency`], or another language's HdrHistogram of the same kind.
///
/// It takes a slice, not an iterator: a generic function would be compiled in the crate that calls it, which may not be optimised.
pub fn recorded_ns(texts: &[&str]) -> (Vec<(u64, u64)>, usize) {
    let mut all: Option<hdrhistogram::Histogram<u64>> = None;
    let mut unreadable = 0;
    for text in texts {
        let added = decode(text).is_ok_and(|read| match &mut all {
            Some(all) => all.add(&read).is_ok(),
            None => {
                all = Some(read);
                true
            }
        });
        unreadable += usize::from(!added);
    }
    (all.iter().flat_map(recorded).collect(), unreadable)
}

fn decode(text: &str) -> Result<hdrhistogram::Histogram<u64>, HistogramError> {
    let bytes = STANDARD.decode(text.trim())?;
    let wrong = |why: String| HistogramError::NotV2 { bytes: bytes.len(), why };
    check_header(&bytes).map_err(wrong)?;
    Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| wrong(error.to_string()))
}

fn recorded(counts: &hdrhistogram::Histogram<u64>) -> impl Iterator<Item = (u64, u64)> {
    counts
        .iter_recorded()
        .map(|bucket| (counts.median_equivalent(bucket.value_iterated_to()), bucket.count_since_last_iteration()))
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// Checks the header first, because the library trusts it and allocates up to 4 GiB.
fn check_header(bytes: &[u8]) -> Result<(), String> {
    let word = |at: usize| bytes.get(at..at + 4).map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    let (Some(cookie), Some(payload_bytes), Some(digits)) = (word(0), word(4), word(12)) else {
        return Err(format!("shorter than its header of {V2_HEADER_BYTES} bytes"));
    };
    if cookie != V2_COOKIE {
        return Err(format!("it starts with {cookie:08x} and not {V2_COOKIE:08x}"));
    }
    if digits != u32::from(SIGNIFICANT_DIGITS) {
        return Err(format!("{digits} significant digits and not {SIGNIFICANT_DIGITS}"));
    }
    if bytes.len().checked_sub(V2_HEADER_BYTES) != Some(payload_bytes as usize) {
        return Err(format!("its header promises {payload_bytes} bytes of counts"));
    }
    Ok(())
}
