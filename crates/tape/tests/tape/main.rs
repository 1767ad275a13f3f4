//! Tests of tapes as their users see them: recorded, read back, damaged, replayed on a naive model.

mod age;
mod arrivals;
mod common;
mod damage;
mod distributions;
mod mixtures;
mod model;
mod recording;
mod refused;
mod replay;
mod roles;
mod turnover;
mod vectors;
