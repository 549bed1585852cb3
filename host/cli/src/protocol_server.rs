//! Protocol servers: any engine of this host speaks another program's protocol on standard input
//! and output. A session is a pure value: lines go in, lines and search requests come out. It reads
//! no clock, starts no thread and uses no stream; `driver` does that. No input ends a session or
//! makes it panic: an invalid line gets the protocol's own error.

mod driver;
mod game_state;
mod gomocup;
mod gtp;
mod nboard;
mod session_engine;
mod ucci;
mod uci;
mod uci_family;

#[cfg(test)]
mod tests;

use sandboard_abi::{Barred, Choice, Limits, Line};

pub use driver::run_session;
pub use game_state::EngineInfo;
pub use session_engine::SessionEngine;

use sandboard_engine::Fault;
use sandboard_protocols::Protocol;

/// A search request to the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRequest {
    /// The number of the game; requests of another game are unrelated.
    pub game: u64,
    /// The variant as text.
    pub variant: String,
    /// The start position as text; empty: that of the variant.
    pub start: String,
    /// The moves from there.
    pub moves: Vec<String>,
    /// The seats of the engine: all, since the next request may be for either side.
    pub seats: Vec<u8>,
    /// The options that differ from the engine's defaults.
    pub options: Vec<(String, String)>,
    /// The limits of the search.
    pub limits: Limits,
    /// Moves that the engine must not choose.
    pub barred: Vec<Barred>,
}

/// What the driver does after a line or an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Do nothing more; wait for the next event.
    Continue,
    /// Handle the line again after the engine's answer.
    Postpone,
    /// Prepare the engine for this request, without searching.
    Prepare(Box<SearchRequest>),
    /// Start this search.
    Search(Box<SearchRequest>),
    /// Stop the search.
    Stop,
    /// Stop the search, and handle the line again after the engine's answer.
    StopAndPostpone,
    /// End the session.
    Quit,
}

/// The engine's side of a connection. Output is appended to `out`, one line each, without line
/// ends.
pub trait Session {
    /// Handles a line.
    fn handle_line(&mut self, line: &str, out: &mut Vec<String>) -> Action;
    /// Reports an invalid line, with the reason.
    fn report_error(&mut self, reason: &str, out: &mut Vec<String>);
    /// Handles a report of the engine. `spent` is the wall time since the request in microseconds,
    /// whatever limits the search; the same holds for the line of an answer.
    fn report(&mut self, line: &Line, out: &mut Vec<String>);
    /// Gets the duration of the search whose answer follows, in microseconds.
    fn set_search_time(&mut self, _us: u64) {}
    /// The input has ended: no answer waits for a command any longer. Called again after each later
    /// answer.
    fn input_ended(&mut self, _out: &mut Vec<String>) {}
    /// The engine is prepared, or failed; after a failure the next request gets a new instance.
    fn engine_prepared(&mut self, _ready: Result<(), Fault>, _out: &mut Vec<String>) {}
    /// Handles the engine's answer.
    fn engine_answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Action;
}

/// A protocol that this host can serve.
pub struct Server {
    /// Its row in the table of protocols.
    pub protocol: Protocol,
    open: fn(EngineInfo) -> Result<Box<dyn Session>, String>,
}

/// The protocols that this host can serve. To add one, add a module with its session and a row
/// here.
pub const SERVERS: &[Server] = &[
    Server { protocol: Protocol::Uci, open: |info| Ok(Box::new(uci::Uci::new(info)?)) },
    Server { protocol: Protocol::Ucci, open: |info| Ok(Box::new(ucci::Ucci::new(info)?)) },
    Server { protocol: Protocol::Gomocup, open: |info| Ok(Box::new(gomocup::Gomocup::new(info)?)) },
    Server { protocol: Protocol::Gtp, open: |info| Ok(Box::new(gtp::Gtp::new(info)?)) },
    Server { protocol: Protocol::Nboard, open: |info| Ok(Box::new(nboard::Nboard::new(info)?)) },
];

/// A session in this protocol. Err: the host cannot serve it, or it does not support this game.
pub fn open_session(protocol: Protocol, info: EngineInfo) -> Result<Box<dyn Session>, String> {
    protocol.check_variant(info.game, &info.variant)?;
    let server = SERVERS.iter().find(|server| server.protocol == protocol);
    let server = server.ok_or_else(|| format!("{} has no server", protocol.word()))?;
    (server.open)(info)
}

/// A text on one line: without control characters, and shortened.
fn one_line(text: &str) -> String {
    sandboard_common::text::clean_text(text, sandboard_abi::limits::REASON_BYTES)
}
