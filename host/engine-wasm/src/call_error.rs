//! Why calls of modules end early, whatever runtime runs them.

use std::fmt;

use sandboard_component::canonical::ValueError;
use sandboard_engine::Fault;

/// Why a call ended early. After any of them nothing more may be called on the instance.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// A function of the host ended the call with a fault.
    #[error("{0}")]
    Fault(Fault),
    /// The modules passed an invalid value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The deadline has passed.
    #[error("deadline passed")]
    Overdue,
    /// The counters of the modules ended the call.
    #[error("{0}")]
    Exhausted(Exhausted),
    /// A function trapped.
    #[error("wasm trap: {trap}")]
    Trap {
        trap: Trap,
        /// The name of the function, from the module. It depends only on the module and the call.
        /// None: the module gives it no name, or the runtime does not say where.
        function: Option<String>,
    },
    /// Something else, in one line.
    #[error("{0}")]
    Other(String),
}

/// What ended a call whose modules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// All fuel is used up.
    Fuel,
    /// All slots of the stack are used up.
    Stack,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fuel => "all fuel used up",
            Self::Stack => "all slots of the stack used up",
        })
    }
}

/// Why a function trapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    Unreachable,
    MemoryOutOfBounds,
    TableOutOfBounds,
    IndirectCallToNull,
    BadSignature,
    IntegerOverflow,
    IntegerDivisionByZero,
    BadConversionToInteger,
    /// The stack of the machine ended.
    StackOverflow,
    /// The fuel that the runtime counts ended.
    OutOfFuel,
    /// It called the host while it may not.
    CannotLeaveComponent,
}

/// Writes the words of Wasmtime. Records contain them.
impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "wasm `unreachable` instruction executed",
            Self::MemoryOutOfBounds => "out of bounds memory access",
            Self::TableOutOfBounds => "undefined element: out of bounds table access",
            Self::IndirectCallToNull => "uninitialized element",
            Self::BadSignature => "indirect call type mismatch",
            Self::IntegerOverflow => "integer overflow",
            Self::IntegerDivisionByZero => "integer divide by zero",
            Self::BadConversionToInteger => "invalid conversion to integer",
            Self::StackOverflow => "call stack exhausted",
            Self::OutOfFuel => "all fuel consumed by WebAssembly",
            Self::CannotLeaveComponent => "cannot leave component instance",
        })
    }
}

impl From<Trap> for CallError {
    fn from(trap: Trap) -> Self {
        Self::Trap { trap, function: None }
    }
}
