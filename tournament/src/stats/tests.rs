//! Tests of the statistics against published fits, other programs and simulations.

mod fit;
mod plackett_luce;
mod simulation;
