//! Why a module is not instrumented.

/// A module that [`instrument`](crate::instrument) refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstrumentError {
    /// The module is malformed, invalid or uses a proposal that is not admitted.
    #[error("{reason} at byte {offset}")]
    Invalid {
        /// What the validator says.
        reason: String,
        /// Offset in the module, in bytes.
        offset: usize,
    },
    /// The operator has no price, because no module may contain it.
    #[error("the operator {operator} at byte {offset} is not admitted")]
    Operator {
        /// Its name in `wasmparser`.
        operator: String,
        /// Offset in the module, in bytes.
        offset: usize,
    },
    /// The module imports from the name that belongs to the counters.
    #[error("`{name}` at byte {offset} is reserved for the counters of fuel and stack")]
    Reserved {
        /// The imported module, or the exported name.
        name: String,
        /// Offset in the module, in bytes.
        offset: usize,
    },
    /// The added code exceeds a limit of WebAssembly implementations.
    #[error(
        "has {found} {what} with the code for fuel, at byte {offset}; at most {limit} are \
             possible"
    )]
    TooLarge {
        /// What is limited.
        what: &'static str,
        /// The number with the added code.
        found: usize,
        /// The highest number that implementations accept.
        limit: usize,
        /// Offset in the module, in bytes.
        offset: usize,
    },
    /// The module cannot be written again.
    #[error("cannot be written again: {0}")]
    Reencode(String),
}

impl From<wasmparser::Error> for InstrumentError {
    fn from(error: wasmparser::Error) -> Self {
        Self::Invalid { reason: error.message().to_owned(), offset: error.offset() }
    }
}
