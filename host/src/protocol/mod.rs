//! The engine's side of protocols of other programs: any engine of this host speaks them on standard input and output.
//! A session is a value: lines come in, lines and questions to the engine come out. It reads no clock, starts no thread and
//! touches no stream; `drive` has the engine, the thread that reads, and the one that thinks. No text that comes in ends a
//! session or panics: it gets the protocol's own answer to what is wrong.

mod chess;
mod drive;
mod gomocup;
mod gtp;
mod nboard;
mod player;
mod table;
mod ucci;
mod uci;

#[cfg(test)]
mod tests;

use sandboard_abi::{Barred, Choice, Limits, Line};

pub use drive::drive;
pub use player::Player;
pub use table::Offer;

use crate::engine::Fault;
use crate::process::Protocol;

/// What an engine is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The number of the game: with another one begins a game that has nothing to do with this.
    pub game: u64,
    /// The variant's text.
    pub variant: String,
    /// The position text in which the game began; empty: the variant's own.
    pub start: String,
    /// The moves since.
    pub moves: Vec<String>,
    /// The seats that it answers for: all, since either side may be asked next.
    pub seats: Vec<u8>,
    /// The options that differ from the engine's own.
    pub options: Vec<(String, String)>,
    /// What it may spend.
    pub limits: Limits,
    /// Moves not to be chosen.
    pub barred: Vec<Barred>,
}

/// What is to be done after a line, or an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Nothing.
    Wait,
    /// The line is to be heard again when the engine has answered.
    Later,
    /// The engine is to be made ready for this question, which is not asked yet.
    Prepare(Box<Question>),
    /// The engine is to be asked.
    Ask(Box<Question>),
    /// The engine is to come to an end.
    Stop,
    /// The same, and the line is to be heard again when it has.
    StopFirst,
    /// The session is over.
    Quit,
}

/// One side of a conversation. What it says it appends to `out`, a line each, without their ends.
pub trait Session {
    /// Hears a line.
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act;
    /// Something came that is no line, for this reason.
    fn bad(&mut self, reason: &str, out: &mut Vec<String>);
    /// The engine reports a line that it thinks of; `spent` are the microseconds since it was asked, whatever limits it, and so
    /// of the line of an answer.
    fn report(&mut self, line: &Line, out: &mut Vec<String>);
    /// The engine took so long for the answer that follows, in microseconds.
    fn took(&mut self, _us: u64) {}
    /// The other program says no more: what waits for a word of it waits no longer. Also said after each answer from then on.
    fn ended(&mut self, _out: &mut Vec<String>) {}
    /// The engine is ready for the question that it was to be made ready for, or failed: then the next question has a new
    /// instance.
    fn prepared(&mut self, _ready: Result<(), Fault>, _out: &mut Vec<String>) {}
    /// The engine has answered.
    fn answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Act;
}

/// A session in this protocol. Err: why it cannot be held about this game.
pub fn session(protocol: Protocol, offer: Offer) -> Result<Box<dyn Session>, String> {
    protocol.carries(offer.game, &offer.variant)?;
    Ok(match protocol {
        Protocol::Uci => Box::new(uci::Uci::new(offer)?),
        Protocol::Ucci => Box::new(ucci::Ucci::new(offer)?),
        Protocol::Gomocup => Box::new(gomocup::Gomocup::new(offer)?),
        Protocol::Gtp => Box::new(gtp::Gtp::new(offer)?),
        Protocol::Nboard => Box::new(nboard::Nboard::new(offer)?),
        Protocol::Sandboard => return Err("sandboard is no protocol of other hosts".to_owned()),
    })
}

/// A text that fits into a line: no control characters, and no more than people read.
fn one_line(text: &str) -> String {
    crate::engine::clean_text(text, sandboard_abi::limits::REASON_BYTES)
}
