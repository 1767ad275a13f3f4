//! The answer of a pick in words: `answer` has the answer itself, `costs` what else the stores cost, `time` what the time was too short
//! for.

mod answer;
mod costs;
mod time;

pub use answer::render_pick;
