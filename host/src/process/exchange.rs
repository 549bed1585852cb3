//! What a protocol is to an instance: how a game begins, how a move is asked for and understood, and how the host knows
//! that the program is at rest. Takes no time and ends nothing: that is the instance's.

use sandboard_abi::{Choice, Limits, Setup, limits};

use super::wire::{Asked, Wire};
use super::{Protocol, gomocup, gtp, nboard, sandboard, ucci, uci};
use crate::engine::desk::clean_text;
use crate::engine::{Fault, FaultCode};

/// A game with a program, in its protocol. Whatever state the program keeps of the game, an exchange
/// tells it anew, unless it is sure what the program knows.
pub(super) trait Exchange: Send {
    /// From the first word to a program that is ready for this game.
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault>;

    /// Whether a search can be limited so; asked before any time runs. Err: why not.
    fn admits(&self, _wire: &Wire, _limits: &Limits) -> Result<(), Fault> {
        Ok(())
    }

    /// From the position to the move that it chooses, in the game's own text.
    fn search(&mut self, wire: &mut Wire, limits: &Limits, asked: Asked) -> Result<Choice, Fault>;

    /// After a choice, until its threads are at rest, as far as the protocol lets anybody know.
    fn rest(&mut self, _wire: &mut Wire) -> Result<(), Fault> {
        Ok(())
    }
}

/// A game in this protocol that has not begun.
pub(super) fn of(protocol: Protocol) -> Box<dyn Exchange> {
    match protocol {
        Protocol::Uci => Box::<uci::talk::Uci>::default(),
        Protocol::Ucci => Box::<ucci::talk::Ucci>::default(),
        Protocol::Gomocup => Box::<gomocup::talk::Gomocup>::default(),
        Protocol::Gtp => Box::<gtp::talk::Gtp>::default(),
        Protocol::Nboard => Box::<nboard::talk::Nboard>::default(),
        Protocol::Sandboard => Box::<sandboard::talk::Sandboard>::default(),
    }
}

/// Why a program does not begin.
pub(super) fn refusal(sentence: &str) -> Fault {
    Fault::new(FaultCode::Start, clean_text(sentence, limits::REASON_BYTES))
}

/// The fault of one whose move cannot be one of the game.
pub(super) fn no_move(mv: &str, why: &str) -> Fault {
    let mv = clean_text(mv, limits::LABEL_BYTES);
    Fault::new(FaultCode::Protocol, format!("chose `{mv}`, {why}"))
}

/// The fault of one that says itself that it cannot go on.
pub(super) fn own_error(says: &str, line: &str) -> Fault {
    let line = clean_text(line, limits::LABEL_BYTES);
    Fault::new(FaultCode::Error, format!("{says}: `{line}`"))
}

/// The fault of one that answers a command with what is no answer to it.
pub(super) fn answered(command: &str, line: &str) -> Fault {
    let line = clean_text(line, limits::LABEL_BYTES);
    Fault::new(FaultCode::Protocol, format!("answered `{command}` with `{line}`"))
}
