//! The engine without a host: patterns as data and against their meaning, the evaluator
//! against one made anew and against its mirrors, the weights as options.

mod engine;
mod patterns;
mod positions;
