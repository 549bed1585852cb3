//! Engines as the host sees them: one trait for every kind of module, the
//! handle that stops a call, and what an engine did wrong as a value. Knows no
//! game beyond text, and never runs engine code itself.

mod assets;
pub(crate) mod commons;
pub(crate) mod desk;
pub(crate) mod meter;
pub mod native;
mod patience;
mod quota;
pub(crate) mod timer;
mod traced;
mod transcript;
pub mod wasm;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::{Barred, Choice, Level, Limits, Line, Setup};
use serde::{Deserialize, Serialize};

/// One instance of an engine: it plays one game and is thrown away.
///
/// Calls block. After any `Err` the instance is poisoned: every further call
/// returns the same fault, and dropping it is all that is left to do.
pub trait Engine: Send {
    /// Begins the game; the first call, once.
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault>;
    /// Tells an accepted move, own ones too.
    fn played(&mut self, mv: &str) -> Result<(), Fault>;
    /// Tells that the last `plies` moves are undone.
    fn taken_back(&mut self, plies: u32) -> Result<(), Fault>;
    /// Asks for the next move.
    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault>;
    /// Lets it think on the opponent's time until its [`Control`] stops it.
    fn think(&mut self) -> Result<Spent, Fault>;
    /// The handle that stops the call in progress, from any thread.
    fn control(&self) -> Control;
    /// Fuel that calls have burnt so far which no budget covers, in units, instantiating included; 0 where fuel is not
    /// counted.
    fn own_fuel(&self) -> u64 {
        0
    }
}

/// Where instances come from: a loaded module that can be started any number
/// of times, for any number of bouts at once.
pub trait EngineSource: Send + Sync {
    /// A fresh instance that will be started with so many threads ([`Setup::threads`]); what it
    /// reports and logs goes to `listener`. Most kinds need not know how many.
    fn open_for(&self, listener: Arc<dyn Listener>, threads: u16)
    -> Result<Box<dyn Engine>, Fault>;
    /// The same of one thread.
    fn open(&self, listener: Arc<dyn Listener>) -> Result<Box<dyn Engine>, Fault> {
        self.open_for(listener, 1)
    }
    /// What its fuel is counted by; none: it is not counted.
    fn fuel_clock(&self) -> Option<FuelClock> {
        None
    }
    /// What keeps its instances in; none: they run in this process.
    fn confinement(&self) -> Option<Confinement> {
        None
    }
}

/// What keeps an engine in that runs in a process of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// The layers of its jail, by their words.
    pub layers: Vec<String>,
    /// What was missing for a contest, where the operator has had it played all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_minimum: Option<String>,
}

/// What fuel is counted by: beside module, inputs and seed all that an engine's
/// play depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FuelClock {
    /// Name and version of the runtime.
    pub runtime: String,
    /// The version of the table of prices.
    pub prices: u32,
    /// How far the runtime's compiler optimises: what overflows the stack, and
    /// nothing else, depends on it.
    pub opt_level: String,
}

impl fmt::Display for FuelClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runtime, prices, opt_level } = self;
        write!(f, "{runtime} at `{opt_level}`, version {prices} of the prices")
    }
}

/// What one instance of an engine may hold and say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Caps {
    /// All its memories and tables together, in bytes; a native engine in this
    /// process cannot be held to it.
    pub memory_bytes: u64,
    /// Wall time of instantiating and starting, in microseconds.
    pub start_us: u64,
    /// What it may log in one game, in bytes.
    pub log_bytes: u64,
    /// Whether a call that is late is ended by force. Off only to look at a call
    /// at leisure, in a debugger, say.
    pub deadlines: bool,
    /// Wall time of a call that is limited in fuel or CPU time, in microseconds, beside
    /// thirty times what it needs of it on an idle machine. A wasm engine that comes
    /// to its end was kept from working, and nobody loses by it; a native one slept.
    pub guard_us: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            memory_bytes: 64 * 1024 * 1024,
            start_us: 5_000_000,
            log_bytes: sandboard_abi::limits::LOG_GAME_BYTES as u64,
            deadlines: true,
            guard_us: meter::GUARD_US,
        }
    }
}

pub use assets::Assets;
pub(crate) use desk::clean_text;
pub use meter::no_cpu_clock;
pub use patience::{Patience, PatientSource};
pub use traced::Traced;
pub use transcript::BorderHash;

/// Hears what an engine says while a call runs. Called on the engine's thread:
/// it returns at once.
pub trait Listener: Send + Sync {
    /// A line found so far.
    fn report(&self, _line: &Line) {}
    /// A text for the log, already cut to its limits and cleared of control characters.
    fn log(&self, _level: Level, _text: &str) {}
}

/// A listener that hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deaf;

impl Listener for Deaf {}

/// What `choose` brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The engine's choice; the move in it is a text not yet checked by any rule.
    pub choice: Choice,
    /// What it took.
    pub spent: Spent,
}

/// What one call took. The engine's side of a fault's receipt, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Wall time where the engine runs, in microseconds.
    pub wall_us: u64,
    /// CPU time of the thread that made the call, in microseconds, where it is counted:
    /// under a budget of CPU time always, else while its choices take 100 µs or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Fuel, where it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// The most memory the instance has held so far, in bytes, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
    /// Bytes it has logged in this game, dropped ones included.
    #[serde(default)]
    pub logged_bytes: u64,
    /// All that has crossed the instance's border up to the end of the call, where a
    /// transcript is kept: under fuel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub border: Option<BorderHash>,
    /// Whether somebody told the call to stop: left alone, it might have gone on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// What was spent, in words: `20.2 ms, 1024 KiB of memory`.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |us: u64| us as f64 / 1000.0;
        write!(f, "{:.1} ms", ms(self.wall_us))?;
        if let Some(cpu_us) = self.cpu_us {
            write!(f, ", {:.1} ms of CPU time", ms(cpu_us))?;
        }
        if let Some(fuel) = self.fuel {
            write!(f, ", {fuel} units of fuel")?;
        }
        if let Some(bytes) = self.peak_memory_bytes {
            write!(f, ", {} KiB of memory", bytes / 1024)?;
        }
        match self.logged_bytes {
            0 => Ok(()),
            bytes => write!(f, ", {bytes} bytes of log"),
        }
    }
}

/// A call over the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallName {
    /// Instantiating and starting.
    Start,
    /// A move was told.
    Played,
    /// Moves were taken back.
    TakenBack,
    /// A move was asked for.
    Choose,
    /// Thinking on the opponent's time.
    Think,
}

impl fmt::Display for CallName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CallName::Start => "start",
            CallName::Played => "played",
            CallName::TakenBack => "taken-back",
            CallName::Choose => "choose",
            CallName::Think => "think",
        })
    }
}

/// What kind of thing an engine did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultCode {
    /// It could not be loaded or instantiated.
    Load,
    /// It refused to start this game, or failed while starting.
    Start,
    /// It did not answer in time.
    Timeout,
    /// It used up its fuel.
    Fuel,
    /// It needed more memory than its cap.
    Memory,
    /// It needed more stack than its cap.
    Stack,
    /// It trapped, crashed or panicked.
    Crash,
    /// It broke the border: a wrong length, encoding or value.
    Protocol,
    /// It said more than its quota.
    Flood,
    /// It answered a call with an error of its own.
    Error,
    /// It chose illegal moves until its requests were used up.
    IllegalMove,
    /// It used more CPU time on its opponent's time than its threads may, and so slowed the
    /// opponent.
    Cpu,
    /// Not the engine's doing: the host lacked memory, or its guard ended a call
    /// that fuel or CPU time limits. It voids the bout, and nobody loses by it.
    Host,
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultCode::Load => "load",
            FaultCode::Start => "start",
            FaultCode::Timeout => "timeout",
            FaultCode::Fuel => "fuel",
            FaultCode::Memory => "memory",
            FaultCode::Stack => "stack",
            FaultCode::Crash => "crash",
            FaultCode::Protocol => "protocol",
            FaultCode::Flood => "flood",
            FaultCode::Error => "error",
            FaultCode::IllegalMove => "illegal-move",
            FaultCode::Cpu => "cpu",
            FaultCode::Host => "host",
        })
    }
}

/// What an engine did wrong: a value that ends in a scored game, never an
/// error of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{sentence}")]
pub struct Fault {
    /// What kind of thing.
    pub code: FaultCode,
    /// One sentence with the number in it, lower case, no full stop. The
    /// engine is its unnamed subject: "did not answer within 5000 ms".
    pub sentence: String,
    /// In which call, where whoever made it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
    /// What the failed call had taken.
    #[serde(default)]
    pub spent: Spent,
}

impl Fault {
    /// A fault with nothing spent.
    pub fn new(code: FaultCode, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into(), call: None, spent: Spent::default() }
    }

    /// The same fault, of this call.
    pub fn during(self, call: CallName) -> Self {
        Self { call: Some(call), ..self }
    }
}

/// Stops the call in progress: from then on the engine's `left()` is 0. Cloned
/// freely; the same for every kind of engine.
#[derive(Clone, Default)]
pub struct Control {
    stop: Arc<Stop>,
    /// What ends a call that was told to stop and does not.
    alarm: Option<Arc<timer::Alarm>>,
    /// What tells it to an engine elsewhere.
    herald: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("stop", &self.stop).finish_non_exhaustive()
    }
}

/// One number, so that no two threads ever see half a stop.
#[derive(Debug)]
struct Stop {
    /// When a call that was told to stop is killed; `NEVER`: it was not told.
    killed_us: AtomicU64,
    /// How long it has from the word on.
    grace_us: u64,
}

impl Stop {
    fn within(grace_us: u64) -> Self {
        Self { killed_us: AtomicU64::new(timer::NEVER), grace_us }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::within(meter::STOP_GRACE_US)
    }
}

impl Control {
    /// A control whose stop also sets an end to the call.
    pub(crate) fn with_alarm(alarm: Arc<timer::Alarm>) -> Self {
        Self::with_grace(alarm, meter::STOP_GRACE_US)
    }

    /// The same, and the end is so long after the stop.
    pub(crate) fn with_grace(alarm: Arc<timer::Alarm>, grace_us: u64) -> Self {
        Self { stop: Arc::new(Stop::within(grace_us)), alarm: Some(alarm), herald: None }
    }

    /// The same control, whose stops are told to an engine elsewhere, too.
    #[cfg(target_os = "linux")]
    pub(crate) fn heralded(self, herald: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { herald: Some(herald), ..self }
    }

    /// Asks the engine to come to an end; a call that does not is killed a
    /// moment later. A second stop does not put the end off.
    pub fn stop(&self) {
        let at_us = timer::now_us() + self.stop.grace_us;
        self.stop.killed_us.fetch_min(at_us, Ordering::SeqCst);
        if let Some(alarm) = &self.alarm {
            alarm.set_no_later(at_us);
        }
        if let Some(herald) = &self.herald {
            herald();
        }
    }

    /// Forgets an earlier stop. Whoever makes the calls does so before a call,
    /// so that a stop meant for the next call cannot be lost.
    pub fn clear(&self) {
        self.stop.killed_us.store(timer::NEVER, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_stopped(&self) -> bool {
        self.killed_us() != timer::NEVER
    }

    /// How long a call has that was told to stop.
    pub(crate) fn grace_us(&self) -> u64 {
        self.stop.grace_us
    }

    /// When a call that was told to stop is killed.
    pub(crate) fn killed_us(&self) -> u64 {
        self.stop.killed_us.load(Ordering::SeqCst)
    }
}
