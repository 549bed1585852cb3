//! The command line of `sandboard`: one file for each command, `commands` with the table of
//! commands, `terminal` for bouts with people, `protocol_server` for engines inside other
//! programs. Commands write their results to standard output and everything else to standard error.
//! They parse arguments and print results; the libraries do the work.
//!
//! The binary calls [`main`].
#![forbid(unsafe_code)]

mod add;
mod analyse;
mod arena;
mod build;
mod check;
mod commands;
mod completions;
mod contest;
mod convert;
mod deal;
mod demo;
mod dev;
mod doctor;
mod engines;
mod errors;
mod games;
mod interrupt;
mod json_lines;
mod list;
mod man;
mod new;
#[cfg(not(all(feature = "nats", feature = "tls", feature = "tune")))]
mod not_built;
mod option_file;
mod options;
mod output;
mod output_file;
mod perft;
mod plan;
mod play;
mod playouts;
mod ponder;
mod program;
mod progress;
mod protocol;
pub mod protocol_server;
mod publish;
mod replay;
mod rules;
mod seat;
mod serve;
mod solve;
mod suite;
mod terminal;
mod threads;
mod trust;
#[cfg(feature = "tune")]
mod tune;
mod untrust;
mod verify;
#[cfg(feature = "nats")]
mod worker;
mod zygote;

pub use commands::main;
pub(crate) use engines::shell_word;
pub(crate) use errors::{AlreadyReported, IncompleteBundle, Inconclusive, UsageError, usage};
pub(crate) use games::{StartArgs, game_named, known_games, variant_of};
pub(crate) use seat::SeatSpec;
