//! The texts of the protocols that external engines and other programs speak: how to write each
//! line and how to read it. Also the table of the protocols, [`Protocol::info`].
//!
//! This crate never reads a stream or a clock and keeps no state: `sandboard_engine_process` plays
//! with external engines, and `sandboard protocol` serves our engines to other programs. It knows
//! the rules of no game; only the modules of protocols for one game know how its positions look.
#![forbid(unsafe_code)]

mod config;
pub mod dialect;
pub mod gomocup;
pub mod gtp;
pub mod nboard;
mod protocol;
pub mod sandboard;
pub mod ucci;
pub mod uci;

pub use config::{ProtocolConfig, option_values};
pub use dialect::Dialect;
pub use protocol::{GameSupport, Protocol, ProtocolInfo};

/// Whether a text can be part of a command: it contains no line end and no other control character.
pub fn is_one_line(text: &str) -> bool {
    !text.contains(|letter: char| letter.is_control())
}
