//! Why calls of modules end early, whatever runtime runs them.

use std::fmt;

use sandboard_component::canonical::ValueError;
#[cfg(any(test, target_family = "wasm"))]
use sandboard_engine::EITHER_TRAP;
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
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "nothing interrupts JavaScript"))]
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
    /// An indirect call failed; the runtime does not say whether its target was null or had another
    /// signature.
    #[cfg(any(test, target_family = "wasm"))]
    IndirectCall,
    /// The conversion of a float failed; the runtime does not say whether it was NaN or too large.
    #[cfg(any(test, target_family = "wasm"))]
    Conversion,
}

/// Writes the words of Wasmtime, which records contain. Where a runtime does not say which of two
/// traps it was, those of [`EITHER_TRAP`].
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
            #[cfg(any(test, target_family = "wasm"))]
            Self::IndirectCall => EITHER_TRAP[0].0,
            #[cfg(any(test, target_family = "wasm"))]
            Self::Conversion => EITHER_TRAP[1].0,
        })
    }
}

impl From<Trap> for CallError {
    fn from(trap: Trap) -> Self {
        Self::Trap { trap, function: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_that_is_one_of_two_has_the_words_of_both() {
        let check = |either: Trap, [one, other]: [Trap; 2]| {
            let words = [one.to_string(), other.to_string()];
            let known = EITHER_TRAP.iter().find(|(known, _)| *known == either.to_string());
            assert_eq!(known.map(|(_, words)| words.map(str::to_owned)), Some(words));
        };
        check(Trap::IndirectCall, [Trap::IndirectCallToNull, Trap::BadSignature]);
        check(Trap::Conversion, [Trap::IntegerOverflow, Trap::BadConversionToInteger]);
    }
}
