//! Tests of the statistics against published fits and against simulations.

mod fit;
mod simulation;
