//! Defines engines as the host sees them: a trait for all kinds of engines, their limits, their
//! faults, and the host state that an engine may query. Knows games only through
//! [`sandboard_games`], and runs no engine code: the backends do (`sandboard_engine_wasm`,
//! `sandboard_engine_native`, `sandboard_engine_process`).
//!
//! Entry points: [`EngineSource`] opens instances, [`Engine`] is one instance,
//! [`HostState`] answers its queries, [`meter::Meter`] measures its calls, [`Budget`] is the text
//! form of a time control.
#![forbid(unsafe_code)]

mod assets;
mod budget;
mod fault;
mod fuel_meter;
mod game_view;
mod host_state;
mod instance_limits;
pub mod messages;
pub mod meter;
mod output_quota;
mod resources;
mod shared_table;
mod stop_handle;
mod test_budget;
pub mod timer;
mod tracing_engine;
mod transcript;
mod usage;
mod validate;

use std::sync::Arc;

use sandboard_abi::{Barred, Choice, Level, Limits, Line, Setup, View};
use sandboard_games::{DynGame, Seat};
use serde::{Deserialize, Serialize};

pub use assets::Assets;
pub use budget::{AMOUNT_MAX, Amount, Budget, BudgetError, GameClock};
pub use fault::{CallName, EITHER_TRAP, Fault, FaultCode, IN_FUNCTION};
pub use fuel_meter::{FuelCounter, FuelMeter};
pub use host_state::HostState;
pub use instance_limits::{InstanceLimits, StackLimit};
pub use resources::{RemoteRules, Resources};
pub use shared_table::SharedTable;
pub use stop_handle::StopHandle;
pub use test_budget::{BudgetedSource, TestBudget};
pub use tracing_engine::TracingEngine;
pub use transcript::TranscriptHash;
pub use usage::Usage;
pub use validate::{line_too_long, move_too_long, validate_choice, validate_description};

/// The option for the number of search threads. The host reads it and passes it as
/// [`Setup::threads`].
pub const THREADS_OPTION: &str = "threads";
/// The option for a file with further options. The host reads it.
pub const OPTIONS_FILE_OPTION: &str = "options";
/// The option for the name of the player. The host reads it.
pub const NAME_OPTION: &str = "name";
/// The options that every engine has and that no engine may define itself.
pub const HOST_OPTIONS: [&str; 3] = [THREADS_OPTION, OPTIONS_FILE_OPTION, NAME_OPTION];

/// One instance of an engine. It plays one game and is then dropped.
///
/// Calls block. After an `Err` the instance is poisoned: every further call returns the same fault.
pub trait Engine: Send {
    /// Starts the game; the first call, made once.
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault>;
    /// Notifies the engine of an accepted move, including its own moves.
    fn played(&mut self, mv: &str) -> Result<(), Fault>;
    /// Notifies the engine that the last `plies` moves were undone.
    fn taken_back(&mut self, plies: u32) -> Result<(), Fault>;
    /// Requests the next move.
    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault>;
    /// Lets the engine think on the opponent's time until its [`StopHandle`] stops it.
    fn think(&mut self) -> Result<Usage, Fault>;
    /// The handle that stops the current call, from any thread.
    fn stop_handle(&self) -> StopHandle;
    /// Fuel burned so far by calls without a budget, in units, instantiation included; 0 where fuel
    /// is not counted.
    fn unbudgeted_fuel(&self) -> u64 {
        0
    }
    /// Lowers the guard of later `choose` calls under fuel ([`Caps::guard_us`]) to this wall time,
    /// in microseconds. For replays, which know the fuel that a call used. Without effect where
    /// fuel is not counted.
    fn lower_fuel_guard(&mut self, _guard_us: u64) {}
}

/// A loaded engine, which can be instantiated any number of times, also for concurrent bouts.
pub trait EngineSource: Send + Sync {
    /// Opens an instance that will be started with this number of threads ([`Setup::threads`]).
    /// Its reports and logs go to `listener`.
    fn open(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<Box<dyn Engine>, Fault>;
    /// How its fuel is counted; none: fuel is not counted.
    fn fuel_meter(&self) -> Option<FuelMeter> {
        None
    }
    /// How its instances are jailed; none: they run in this process.
    fn confinement(&self) -> Option<Confinement> {
        None
    }
}

/// The jail of an engine that runs in a process of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// Names of the jail's layers.
    pub layers: Vec<String>,
    /// What was missing for a contest, if the operator allowed the game anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_minimum: Option<String>,
}

/// Limits of one instance that do not depend on the budget of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Caps {
    /// Size of all its memories and tables together, in bytes. Not enforced for a native engine in
    /// this process.
    pub memory_bytes: u64,
    /// Wall time for instantiation and `start`, in microseconds.
    pub start_us: u64,
    /// Size of the log of one game, in bytes.
    pub log_bytes: u64,
    /// Whether overdue calls are killed. Off only for debugging.
    pub enforce_deadlines: bool,
    /// The guard is a limit of wall time beside a budget of fuel or CPU time, in microseconds:
    /// beside CPU time, this and thirty times the limit; beside fuel, thirty times the expected
    /// time, but at least 5 s, or this if it is less. A wasm engine that reaches the guard was kept
    /// from working, or is far slower than its fuel, and the bout is aborted. A native engine has
    /// slept, and loses.
    pub guard_us: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            memory_bytes: 64 * 1024 * 1024,
            start_us: 5_000_000,
            log_bytes: sandboard_abi::limits::LOG_GAME_BYTES as u64,
            enforce_deadlines: true,
            guard_us: meter::GUARD_US,
        }
    }
}

/// What a bout and an instance exchange while a call runs, on the engine's thread: methods must
/// return at once.
pub trait Listener: Send + Sync {
    /// Receives a reported line of the search.
    fn report(&self, _line: &Line) {}
    /// Receives a log text, already truncated and without control characters.
    fn log(&self, _level: Level, _text: &str) {}
    /// Receives a line between the host and a program that speaks a text protocol, without its line
    /// end. A line of the program is what it wrote, unchecked.
    fn protocol_line(&self, _sender: LineSender, _line: &str) {}
    /// What the instance's seat sees of the current position, in games with hidden information.
    /// `None`: it sees everything, and the instance's setup and moves determine the position.
    fn observation(&self) -> Option<Observation> {
        None
    }
}

/// Who sent a line of a text protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSender {
    Host,
    Program,
}

/// What a seat sees of a position in a game with hidden information: the answers to queries about
/// the current position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The answer to `look`.
    pub view: View,
    /// The answer to `legal`: the legal moves of the seat, separated by one space.
    pub legal: String,
}

impl Observation {
    /// What `seat` sees of the position of `game`.
    pub fn of(game: &dyn DynGame, seat: Seat) -> Self {
        let mut legal = String::new();
        game.write_legal_of(seat, &mut legal);
        let position = game.view(game_view::Observer::Seat(seat));
        Self { view: game_view::view(game, position, &[seat.0]), legal }
    }
}

/// A listener that discards everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullListener;

impl Listener for NullListener {}

/// The result of a `choose` call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChooseResponse {
    /// The engine's choice. The text of the move has not been checked against the rules.
    pub choice: Choice,
    /// Resources that the call used.
    pub spent: Usage,
}
