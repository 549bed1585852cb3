//! One game between engines or people: its clocks, referee, driver, record and replay.
//! This crate contains no game rules (`sandboard-games` does) and finds no engines
//! (`sandboard-packs` does). The referee is pure: it reads no clock and starts no thread.
//!
//! Entry points: [`driver::run`] plays a bout, [`referee::Referee`] judges it,
//! [`record::Record`] stores it, [`replay::CallScript`] repeats it. [`query::PositionQuery`] asks
//! an engine about one position, [`convert`] reads and writes the file formats of games.
#![forbid(unsafe_code)]

pub mod clock;
pub mod convert;
pub mod driver;
pub mod messages;
pub mod perfect_play;
pub mod query;
pub mod record;
pub mod record_comparison;
pub mod referee;
pub mod replay;
pub mod solver;
pub mod start;
pub mod text;
pub mod view;
