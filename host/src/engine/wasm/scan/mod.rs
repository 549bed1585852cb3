//! Looks at a component before anything of it is compiled: whether it is valid
//! with the proposals that the runtime admits, and not larger than compiling
//! can bear. Reads each byte once or twice (8 MiB of plain code in 30 ms, of the
//! worst there is in half a second; of a core module twice as often, and what is put
//! around it), calls itself nowhere, and neither compiles nor runs anything.

mod advice;
mod body;
mod border;
mod caps;
mod core;
mod depth;
mod load_caps;
mod tally;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use sandboard_abi::{ABI, WIT_PACKAGE, limits};
use wasmparser::types::Types;
use wasmparser::{FuncValidatorAllocations, Parser, ValidPayload, Validator, WasmFeatures};

pub use border::Border;
pub use caps::{CAPS, Cap, MODULE_BYTES, Profile, Thing};
pub use load_caps::{Admitted, CapError, CapSetting, LoadCaps};

use self::tally::Tally;
use crate::engine::desk::clean_text;

/// The proposals that an engine may use, here and in the runtime: those of
/// WebAssembly 2.0, constant expressions that add, and components. What shares
/// memory, varies between machines or needs a garbage collector is off.
pub const FEATURES: WasmFeatures = WasmFeatures::WASM2
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::COMPONENT_MODEL)
    .difference(WasmFeatures::GC_TYPES);

/// Why a component is not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The file is too long to be looked at.
    #[error("is {bytes} bytes long; {admitted}")]
    Bytes {
        /// How long.
        bytes: u64,
        /// How long it may be.
        admitted: Admitted,
    },
    /// There is too much of something.
    #[error("holds {found} {thing} at byte {at}; {admitted}")]
    TooMany {
        /// Of what.
        thing: Thing,
        /// How many, up to the place.
        found: u64,
        /// The place: bytes from the beginning of the file.
        at: usize,
        /// How many there may be.
        admitted: Admitted,
    },
    /// It wants more than the border.
    #[error(
        "imports {}{}; an engine gets nothing but `{WIT_PACKAGE}/host@{ABI}` and \
         `{WIT_PACKAGE}/types@{ABI}`, no WASI either{}", named.join(", "), and_more(*more), and_advice(*advice)
    )]
    Imports {
        /// What, as far as it is named.
        named: Vec<String>,
        /// How many more there are.
        more: usize,
        /// Which tool usually asks for that, and what to do, where it is known.
        advice: Option<&'static str>,
    },
    /// It is no component, and makes none.
    #[error(
        "is a core WebAssembly module without the border's canonical names: it {reason}{}",
        and_advice(*advice)
    )]
    CoreModule {
        /// How not.
        reason: String,
        /// What its imports tell of how it was made, and what to do, where it is known.
        advice: Option<&'static str>,
    },
    /// It needs what is off.
    #[error(
        "needs the WebAssembly proposal `{proposal}`, which is off here: at byte {at}: {reason}"
    )]
    Proposal {
        /// Which one.
        proposal: String,
        /// The place.
        at: usize,
        /// What needs it.
        reason: String,
    },
    /// It is damaged.
    #[error("is no valid WebAssembly: at byte {at}: {reason}")]
    Invalid {
        /// The place.
        at: usize,
        /// What is wrong there.
        reason: String,
    },
}

impl From<wasmparser::Error> for Refusal {
    fn from(error: wasmparser::Error) -> Self {
        // It may quote names that the file brings.
        let reason = clean_text(&error.message().replace('\n', " "), limits::REASON_BYTES);
        let at = error.offset();
        let missing = error.missing_wasm_feature().unwrap_or(WasmFeatures::empty());
        let missing = match error.message() {
            // The one that `wasmparser` does not name itself.
            "multiple memories" => WasmFeatures::MULTI_MEMORY,
            _ => missing.difference(FEATURES),
        };
        match missing.iter_names().next() {
            Some((name, _)) => {
                let proposal = name.to_ascii_lowercase().replace('_', "-");
                Refusal::Proposal { proposal, at, reason }
            }
            None => Refusal::Invalid { at, reason },
        }
    }
}

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" and {more} more") }
}

fn and_advice(advice: Option<&str>) -> String {
    advice.map_or_else(String::new, |words| format!("; {words}"))
}

/// The component in a file, which may be compiled: the file itself, or what is around it where it is a
/// core module with the border's names. Err: what keeps it from that.
pub fn admit<'a>(bytes: &'a [u8], caps: &LoadCaps) -> Result<Cow<'a, [u8]>, Refusal> {
    let component = component(bytes, caps)?;
    scan(&component, caps)?;
    match Border::read(&component, caps)?.strange_imports(&[ABI]) {
        None => Ok(component),
        Some(strange) => Err(strange),
    }
}

/// The component in a file, which is still to be scanned: what is around a core module counts as well there, but
/// for the length, which is the file's. Err: it is too long, or a core module that makes none.
pub fn component<'a>(bytes: &'a [u8], caps: &LoadCaps) -> Result<Cow<'a, [u8]>, Refusal> {
    let length = bytes.len() as u64;
    if length > caps.most(Thing::Bytes) {
        return Err(Refusal::Bytes { bytes: length, admitted: caps.admitted(Thing::Bytes) });
    }
    match Parser::is_core_wasm(bytes) {
        true => core::component(bytes, caps).map(Cow::Owned),
        false => Ok(Cow::Borrowed(bytes)),
    }
}

/// Looks at the [component] of a file. Err: the first thing that keeps it from
/// being compiled.
pub fn scan(bytes: &[u8], caps: &LoadCaps) -> Result<(), Refusal> {
    types(bytes, caps).map(drop)
}

/// The same, and what it found the outermost types to be.
fn types(bytes: &[u8], caps: &LoadCaps) -> Result<Types, Refusal> {
    let mut parser = Parser::new(0);
    parser.set_features(FEATURES);
    let mut validator = Validator::new_with_features(FEATURES);
    let mut tally = Tally::new(caps);
    let mut room = FuncValidatorAllocations::default();
    let mut types = None;
    for payload in parser.parse_all(bytes) {
        let payload = payload?;
        // Counted first: what is too much is not even validated.
        tally.count(&payload, bytes)?;
        match validator.payload(&payload)? {
            ValidPayload::Func(function, body) => {
                room = body::look(function, &body, room, &mut tally)?;
            }
            ValidPayload::End(of) => types = Some(of),
            _ => {}
        }
    }
    types.ok_or_else(|| Refusal::Invalid { at: bytes.len(), reason: "unexpected end".into() })
}
