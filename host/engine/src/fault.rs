//! Faults of engines as values. A fault of the engine is scored by the referee; the code `host`
//! says that the machine failed, which aborts the bout.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Usage;

/// A call from the host to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallName {
    /// Instantiation and `start`.
    Start,
    /// Notification of a move.
    Played,
    /// Notification of undone moves.
    TakenBack,
    /// Request for a move.
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

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultCode {
    /// The engine could not be loaded or instantiated.
    Load,
    /// The engine refused to start this game, or failed in `start`.
    Start,
    /// A call exceeded its time limit.
    Timeout,
    /// A call exceeded its fuel limit.
    Fuel,
    /// The engine exceeded its memory cap.
    Memory,
    /// The engine exceeded its stack size.
    Stack,
    /// The engine trapped, crashed or panicked.
    Crash,
    /// The engine violated the ABI: a wrong length, encoding or value.
    Protocol,
    /// The engine exceeded its output quota.
    Flood,
    /// The engine returned an error of its own.
    Error,
    /// The engine chose illegal moves until it had no attempts left.
    IllegalMove,
    /// The engine used more CPU time on its opponent's time than its threads allow, which slows the
    /// opponent.
    Cpu,
    /// Not the engine's fault: the host lacked memory, or the guard ended a call that fuel or CPU
    /// time limits. The bout is aborted.
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

/// A fault of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{sentence}")]
pub struct Fault {
    /// The kind of fault.
    pub code: FaultCode,
    /// One sentence with the limit or amount in it, lower case, without a full stop. The engine is
    /// its implied subject: "did not answer within 5000 ms".
    pub sentence: String,
    /// The failed call, if the caller added it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
    /// Resources that the failed call used.
    #[serde(default)]
    pub spent: Usage,
}

/// What precedes the name of the function in the sentence of a trap.
pub const IN_FUNCTION: &str = " in the module's function ";

/// The words for a trap where the runtime does not say which of two it was, and the words of these
/// two.
pub const EITHER_TRAP: [(&str, [&str; 2]); 2] = [
    (
        "uninitialized element or indirect call type mismatch",
        ["uninitialized element", "indirect call type mismatch"],
    ),
    (
        "integer overflow or invalid conversion to integer",
        ["integer overflow", "invalid conversion to integer"],
    ),
];

impl Fault {
    /// A fault that used no resources.
    pub fn new(code: FaultCode, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into(), call: None, spent: Usage::default() }
    }

    /// Adds the name of the failed call.
    pub fn during(self, call: CallName) -> Self {
        Self { call: Some(call), ..self }
    }
}
