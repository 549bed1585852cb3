//! The engine without a host: patterns compared with their definitions, the evaluator compared with
//! recomputed counts and with mirrored positions, and the weights as options.

mod engine;
mod patterns;
mod positions;
