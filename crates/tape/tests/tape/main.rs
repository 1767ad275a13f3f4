//! Tests of tapes as their users see them: recorded, read back, damaged, replayed on a naive model.

mod arrivals;
mod common;
mod damage;
mod distributions;
mod model;
mod recording;
mod refused;
mod replay;
mod vectors;
