//! Compares instrumented modules with the fuel of the runtime, and checks the rules of the crate's
//! page one by one.

mod differential;
mod fuel;
mod growth;
mod interpreter;
mod module;
mod nan;
mod run;
mod stack;
mod v8;
