//! The interface of a protocol's client: how a game starts, how a move is requested and read, and
//! how the host knows that the program is idle. It measures no time and ends no process;
//! `ExternalEngine` does that.

use sandboard_abi::{Choice, Limits, Setup, limits};

use super::connection::{Connection, MoveRequest};
use super::identity::ProgramIdentity;
use super::{gomocup, gtp, nboard, sandboard, ucci, uci};
use sandboard_common::text::clean_text;
use sandboard_engine::{Fault, FaultCode};
use sandboard_protocols::Protocol;

/// A game with a program in its protocol. The client sends the program the whole state of the game
/// again, unless it knows what the program has.
pub(super) trait ProtocolClient: Send {
    /// Asks the program for its name and its options. No game has begun, and none may follow.
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault>;

    /// Starts a game, from the first command until the program is ready.
    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault>;

    /// Checks that a search can have these limits, before any time runs. Err: why it cannot.
    fn check_limits(&self, _connection: &Connection, _limits: &Limits) -> Result<(), Fault> {
        Ok(())
    }

    /// Sends the position, requests a move and returns the choice in the game's own texts.
    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        request: MoveRequest,
    ) -> Result<Choice, Fault>;

    /// After a choice, waits until the program's threads are idle, as far as the protocol shows
    /// that.
    fn wait_until_idle(&mut self, _connection: &mut Connection) -> Result<(), Fault> {
        Ok(())
    }
}

/// A client of this protocol, for a new game.
pub(super) fn client_for(protocol: Protocol) -> Box<dyn ProtocolClient> {
    match protocol {
        Protocol::Uci => Box::<uci::UciClient>::default(),
        Protocol::Ucci => Box::<ucci::UcciClient>::default(),
        Protocol::Gomocup => Box::<gomocup::GomocupClient>::default(),
        Protocol::Gtp => Box::<gtp::GtpClient>::default(),
        Protocol::Nboard => Box::<nboard::NboardClient>::default(),
        Protocol::Sandboard => Box::<sandboard::SandboardClient>::default(),
    }
}

/// The fault of a program that cannot start a game.
pub(super) fn start_fault(sentence: &str) -> Fault {
    Fault::new(FaultCode::Start, clean_text(sentence, limits::REASON_BYTES))
}

/// The fault of a program whose move has an invalid text.
pub(super) fn invalid_move_fault(mv: &str, why: &str) -> Fault {
    let mv = clean_text(mv, limits::LABEL_BYTES);
    Fault::new(FaultCode::Protocol, sandboard_engine::messages::invalid_move_text(mv, why))
}

/// The fault of a program that reported an error.
pub(super) fn reported_error_fault(text: &str, line: &str) -> Fault {
    let line = clean_text(line, limits::LABEL_BYTES);
    Fault::new(FaultCode::Error, format!("{text}: `{line}`"))
}

/// The fault of a program that answered a command with another message.
pub(super) fn unexpected_answer_fault(command: &str, line: &str) -> Fault {
    let line = clean_text(line, limits::LABEL_BYTES);
    Fault::new(FaultCode::Protocol, sandboard_engine::messages::unexpected_answer(command, line))
}
