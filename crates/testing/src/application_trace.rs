//! Generates the trace of an application described by figures: CSV with the columns of docs/TRACES.md, and the same bytes on every machine.

use std::collections::VecDeque;
use std::fmt::Write;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// An application described by figures.
#[derive(Clone, Copy, Debug)]
pub struct Application {
    /// Its name, in lower case.
    pub name: &'static str,
    /// The source of its figures, and which of them are assumptions.
    pub source: &'static str,
    /// The seed of every random choice.
    pub seed: u64,
    /// The number of steps to generate. A step is an operation, or its consequence.
    pub steps: u32,
    /// Records present before the trace begins.
    pub records: u32,
    /// All keys, with and beyond [`Self::records`]. Reading a key without a record finds nothing.
    pub keys: u32,
    /// The form of its keys.
    pub key: KeyShape,
    /// Steps by weight.
    pub mix: &'static [(Step, u32)],
    /// The popularity of its keys.
    pub popularity: Popular,
    /// Lengths of values, bytes.
    pub values: Lengths,
    /// A read that finds nothing is followed by a write of that record.
    pub fills: bool,
    /// Beyond this many records, the record written longest ago is removed.
    pub capacity: Option<u32>,
    /// A record is removed this many steps after it was last written.
    pub lifetime_steps: Option<u32>,
    /// Writes per commit: minimum, maximum.
    pub commit: Option<(u32, u32)>,
    /// Consecutive keys per step: minimum, maximum.
    pub run: (u32, u32),
    /// At intervals of this many steps, another hundredth of the keys becomes the most popular.
    pub drift_steps: Option<u32>,
    /// When steps arrive.
    pub arrival: Arrival,
}

/// The action of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reads a record.
    Get,
    /// Writes a record, whether or not it exists.
    Set,
    /// Replaces an existing record.
    Update,
    /// Reads a record and replaces it.
    Modify,
    /// Creates a record with a new key.
    Insert,
    /// Removes a record.
    Delete,
    /// Removes the record written longest ago.
    DeleteOldest,
}

/// The form of keys.
#[derive(Clone, Copy, Debug)]
pub enum KeyShape {
    /// A prefix, and this many hexadecimal digits of a hash.
    Hash(&'static str, usize),
    /// A prefix, and this many digits of a counter.
    Number(&'static str, usize),
}

/// The popularity of keys.
#[derive(Clone, Copy, Debug)]
pub enum Popular {
    /// Zipf's law with this exponent (0: uniform), in an order unrelated to the keys.
    Zipf(f64),
    /// The same, with the newest as the most popular.
    Latest(f64),
    /// This share of the keys has this share of the steps.
    Hot(f64, f64),
}

/// Lengths of values, bytes.
#[derive(Clone, Copy, Debug)]
pub enum Lengths {
    /// One length for all.
    One(u32),
    /// Uniform between two lengths.
    Even(u32, u32),
    /// A generalised Pareto distribution: shape, scale, maximum.
    Pareto(f64, f64, u32),
    /// A log-normal distribution: median, deviation, maximum.
    LogNormal(f64, f64, u32),
}

/// When steps arrive.
#[derive(Clone, Copy, Debug)]
pub enum Arrival {
    /// Independently, at this rate per second.
    Independent(f64),
    /// Independently at this rate per second, with a pause after this many steps, in seconds.
    Bursts(f64, u32, f64),
}

impl Application {
    /// Its trace as CSV.
    pub fn trace(&self) -> String {
        let mut made = Made::new(self);
        for step in 0..self.steps {
            made.step(step);
        }
        made.commit();
        made.text
    }
}

/// A trace under construction.
struct Made<'a> {
    of: &'a Application,
    random: Xoshiro256PlusPlus,
    text: String,
    now_s: f64,
    /// By key: the length of its record; `None` if it does not exist.
    values: Vec<Option<u32>>,
    /// By key: how often it was written.
    versions: Vec<u32>,
    /// Keys by popularity, the most popular first; with [`Popular::Latest`] in reverse.
    order: Vec<u32>,
    /// Cumulative weights of ranks.
    weights: Vec<f64>,
    /// The writes in order: step, key, and the key's version then.
    written: VecDeque<(u32, u32, u32)>,
    alive: u32,
    open: u32,
    commit_at: u32,
}

impl<'a> Made<'a> {
    fn new(of: &'a Application) -> Self {
        let mut made = Self {
            of,
            random: Xoshiro256PlusPlus::seed_from_u64(of.seed),
            text: "op,key,value_size,time\n".to_owned(),
            now_s: 0.0,
            values: Vec::new(),
            versions: Vec::new(),
            order: Vec::new(),
            weights: vec![0.0],
            written: VecDeque::new(),
            alive: 0,
            open: 0,
            commit_at: 0,
        };
        for _ in 0..of.keys {
            made.learn();
        }
        // Any key may be among the existing ones.
        let is_ascending = matches!(of.key, KeyShape::Number(..));
        let mut there: Vec<u32> = (0..of.keys).collect();
        if !is_ascending {
            made.shuffle(&mut there);
        }
        for key in there.into_iter().take(of.records as usize) {
            let length = made.length();
            made.put(key, length, 0);
            made.line("load", key, Some(length));
        }
        made.commit_at = made.commit_size();
        made
    }

    fn below(&mut self, end: u32) -> u32 {
        self.random.random_range(0..end)
    }

    /// From 0 to 1, excluding 1.
    fn part(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn shuffle(&mut self, keys: &mut [u32]) {
        for place in (1..keys.len()).rev() {
            let other = self.below(place as u32 + 1);
            keys.swap(place, other as usize);
        }
    }

    /// A new key.
    fn learn(&mut self) -> u32 {
        let key = self.values.len() as u32;
        self.values.push(None);
        self.versions.push(0);
        self.order.push(key);
        let ranks = self.order.len();
        if !matches!(self.of.popularity, Popular::Latest(_)) {
            let place = self.below(ranks as u32) as usize;
            self.order.swap(ranks - 1, place);
        }
        let theta = match self.of.popularity {
            Popular::Zipf(theta) | Popular::Latest(theta) => theta,
            Popular::Hot(..) => 0.0,
        };
        let sum = self.weights[self.weights.len() - 1] + libm::pow(self.weights.len() as f64, -theta);
        self.weights.push(sum);
        key
    }

    fn pick(&mut self) -> u32 {
        let ranks = self.order.len();
        let part = self.part();
        let rank = match self.of.popularity {
            Popular::Zipf(_) | Popular::Latest(_) => {
                let at = part * self.weights[ranks];
                self.weights[1..ranks].partition_point(|sum| *sum <= at)
            }
            Popular::Hot(records, steps) => {
                let hot = (records * ranks as f64).ceil();
                let within = self.part();
                let place = if part < steps { within * hot } else { hot + within * (ranks as f64 - hot) };
                (place as usize).min(ranks - 1)
            }
        };
        match self.of.popularity {
            Popular::Latest(_) => self.order[ranks - 1 - rank],
            _ => self.order[rank],
        }
    }

    /// An existing key, if one of several attempts finds one.
    fn pick_there(&mut self) -> Option<u32> {
        (0..100).find_map(|_| {
            let key = self.pick();
            self.values[key as usize].map(|_| key)
        })
    }

    fn length(&mut self) -> u32 {
        match self.of.values {
            Lengths::One(length) => length,
            Lengths::Even(from, to) => from + self.below(to - from + 1),
            Lengths::Pareto(shape, scale, longest) => {
                let length = scale / shape * (libm::pow(1.0 - self.part(), -shape) - 1.0);
                (length.ceil() as u32).clamp(1, longest)
            }
            Lengths::LogNormal(median, deviation, longest) => {
                let (radius, angle) = (1.0 - self.part(), self.part());
                let normal = libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(std::f64::consts::TAU * angle);
                (libm::round(median * libm::exp(deviation * normal)) as u32).clamp(1, longest)
            }
        }
    }

    fn commit_size(&mut self) -> u32 {
        self.of.commit.map_or(0, |(from, to)| from + self.below(to - from + 1))
    }

    fn line(&mut self, operation: &str, key: u32, length: Option<u32>) {
        let name = match self.of.key {
            KeyShape::Hash(prefix, digits) => {
                let hash = hash(u64::from(key) ^ self.of.seed << 32);
                let digits_of_it = format!("{:016x}{:016x}{:016x}", hash, self::hash(hash), self::hash(!hash));
                format!("{prefix}{}", &digits_of_it[..digits])
            }
            KeyShape::Number(prefix, digits) => format!("{prefix}{key:0digits$}"),
        };
        let length = length.map_or_else(String::new, |length| length.to_string());
        writeln!(self.text, "{operation},{name},{length},{:.6}", self.now_s).expect("text takes it");
    }

    fn put(&mut self, key: u32, length: u32, step: u32) {
        let at = key as usize;
        self.alive += u32::from(self.values[at].is_none());
        self.values[at] = Some(length);
        self.versions[at] += 1;
        self.written.push_back((step, key, self.versions[at]));
    }

    fn write(&mut self, operation: &str, key: u32, step: u32) {
        let length = self.length();
        self.put(key, length, step);
        self.line(operation, key, Some(length));
        self.wrote();
        while self.of.capacity.is_some_and(|capacity| self.alive > capacity) {
            self.remove_oldest();
        }
    }

    fn remove(&mut self, key: u32) {
        self.values[key as usize] = None;
        self.versions[key as usize] += 1;
        self.alive -= 1;
        self.line("delete", key, None);
        self.wrote();
    }

    /// Whether the key of this write still has the version of the write.
    fn is_current(&self, (_, key, version): (u32, u32, u32)) -> bool {
        self.versions[key as usize] == version
    }

    fn remove_oldest(&mut self) {
        while let Some(oldest) = self.written.pop_front() {
            if self.is_current(oldest) {
                return self.remove(oldest.1);
            }
        }
    }

    fn wrote(&mut self) {
        self.open += 1;
        if self.commit_at > 0 && self.open >= self.commit_at {
            self.commit();
        }
    }

    fn commit(&mut self) {
        if self.commit_at > 0 && self.open > 0 {
            writeln!(self.text, "commit,,,{:.6}", self.now_s).expect("text takes it");
            self.commit_at = self.commit_size();
        }
        self.open = 0;
    }

    fn wait(&mut self, step: u32) {
        let (Arrival::Independent(rate) | Arrival::Bursts(rate, ..)) = self.of.arrival;
        self.now_s -= libm::log(1.0 - self.part()) / rate;
        if let Arrival::Bursts(_, burst, pause_s) = self.of.arrival
            && step % burst == burst - 1
        {
            self.now_s += pause_s;
        }
    }

    fn drift(&mut self) {
        for place in 0..self.order.len() / 100 {
            let other = self.below(self.order.len() as u32) as usize;
            self.order.swap(place, other);
        }
    }

    fn step(&mut self, step: u32) {
        self.wait(step);
        if self.of.drift_steps.is_some_and(|each| step % each == each - 1) {
            self.drift();
        }
        if let Some(lifetime) = self.of.lifetime_steps {
            while self.written.front().is_some_and(|front| front.0 + lifetime < step) {
                let oldest = self.written.pop_front().expect("there is one");
                if self.is_current(oldest) {
                    self.remove(oldest.1);
                }
            }
        }
        let mut at = self.below(self.of.mix.iter().map(|(_, weight)| weight).sum());
        let mut kinds = self.of.mix.iter();
        let kind = kinds.find(|(_, weight)| at.checked_sub(*weight).map(|rest| at = rest).is_none());
        let kind = kind.expect("it is below their sum").0;
        let (from, to) = self.of.run;
        let run = from + self.below(to - from + 1);
        let first = match kind {
            Step::Insert | Step::DeleteOldest => 0,
            Step::Get | Step::Set => self.pick(),
            Step::Update | Step::Modify | Step::Delete => match self.pick_there() {
                Some(key) => key,
                None => return,
            },
        };
        for key in first..first + run {
            self.act(kind, key, step);
        }
    }

    fn act(&mut self, kind: Step, key: u32, step: u32) {
        let is_known = (key as usize) < self.values.len();
        match kind {
            Step::Insert => {
                let key = self.learn();
                self.write("insert", key, step);
            }
            Step::DeleteOldest => self.remove_oldest(),
            _ if !is_known => {}
            Step::Get => {
                let found = self.values[key as usize];
                self.line("get", key, Some(found.unwrap_or(0)));
                if found.is_none() && self.of.fills {
                    self.write("set", key, step);
                }
            }
            Step::Set => self.write("set", key, step),
            _ if self.values[key as usize].is_none() => {}
            Step::Update => self.write("update", key, step),
            Step::Modify => {
                self.line("get", key, self.values[key as usize]);
                self.write("update", key, step);
            }
            Step::Delete => self.remove(key),
        }
    }
}

/// A pseudo-random number (SplitMix64).
fn hash(number: u64) -> u64 {
    SplitMix64::seed_from_u64(number).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::applications::APPLICATIONS;

    #[test]
    fn a_seed_makes_the_same_trace() {
        for application in &APPLICATIONS {
            let short = Application { steps: 500, records: application.records.min(500), ..*application };
            assert!(short.trace() == short.trace(), "{}", application.name);
            let other = Application { seed: short.seed + 1, ..short };
            assert!(short.trace() != other.trace(), "{}", application.name);
        }
    }

    #[test]
    fn each_has_a_name_a_source_and_enough_lines() {
        let mut names: Vec<&str> = APPLICATIONS.iter().map(|application| application.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), APPLICATIONS.len());
        for application in &APPLICATIONS {
            assert!(!application.source.is_empty());
            let lines = application.trace().lines().count();
            assert!((50_000..200_000).contains(&lines), "{}: {lines}", application.name);
        }
    }

    #[test]
    fn lengths_have_the_mean_of_their_distribution() {
        let mean = |name: &str| {
            let application = APPLICATIONS.iter().find(|application| application.name == name).expect("it is there");
            let empty = Application { records: 0, ..*application };
            let mut made = Made::new(&empty);
            (0..100_000).map(|_| f64::from(made.length())).sum::<f64>() / 100_000.0
        };
        // A generalised Pareto distribution has the mean scale / (1 - shape), and rounding up adds a half.
        let expected = 25.45 / (1.0 - 0.2615) + 0.5;
        assert!((mean("zippydb") / expected - 1.0).abs() < 0.02, "{} {expected}", mean("zippydb"));
    }
}
