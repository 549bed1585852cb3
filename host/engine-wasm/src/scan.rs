//! Scans a component before any of it is compiled: whether it is valid with the WebAssembly
//! proposals that the runtime supports, and small enough to compile. Does not recurse, compile or
//! run anything.
//!
//! Each byte is read once or twice: 8 MiB of ordinary code take 30 ms, of the worst code half a
//! second. A core module is read twice as often, together with the component around it.

mod caps;
mod core_module;
mod counter;
mod function_body;
mod import_advice;
mod instances;
mod interface;
mod load_caps;
#[cfg(test)]
mod tests;
mod type_depth;
mod world;

use std::borrow::Cow;

use sandboard_abi::limits;
use sandboard_common::text::clean_text;
use wasmparser::types::Types;
use wasmparser::{FuncValidatorAllocations, Parser, ValidPayload, Validator, WasmFeatures};

pub use sandboard_component::FEATURES;

pub use caps::{CAPS, Cap, CapKind, MODULE_BYTES_MAX, Profile};
pub use interface::ComponentInterface;
pub use load_caps::{CapError, CapSetting, EffectiveCap, LoadCaps};
pub use world::World;

use counter::CapCounter;
use instances::InstanceCounter;

/// Why a component is not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The file is too long.
    #[error("is {bytes} bytes long; {cap}")]
    Bytes {
        /// Length of the file.
        bytes: u64,
        /// The exceeded cap.
        cap: EffectiveCap,
    },
    /// Another cap is exceeded.
    #[error("holds {found} {kind} at byte {offset}; {cap}")]
    TooMany {
        /// What is counted.
        kind: CapKind,
        /// The count up to `offset`.
        found: u64,
        /// Offset in the file, in bytes.
        offset: usize,
        /// The exceeded cap.
        cap: EffectiveCap,
    },
    /// A component instantiates a module or component that it imports or takes from an instance, so
    /// that what it consists of cannot be counted.
    #[error(
        "instantiates a {what} at byte {offset} that another component passes to it; only modules \
         and components of the same file that are defined around it can be instantiated"
    )]
    Foreign {
        /// `module` or `component`.
        what: &'static str,
        /// Offset in the file, in bytes.
        offset: usize,
    },
    /// The component has imports that are not in the ABI.
    #[error(
        "imports {}{}; {} may import only `{package}/host@{number}` and \
         `{package}/types@{number}`, and no WASI{}",
        names.join(", "), more_suffix(*more), world.noun(), advice_suffix(*advice),
        package = world.package(), number = world.number()
    )]
    Imports {
        /// What the component is for.
        world: World,
        /// The first imports.
        names: Vec<String>,
        /// Number of further imports.
        more: usize,
        /// Which tool usually adds such an import and what to do, if known.
        advice: Option<&'static str>,
    },
    /// The file is a core module that cannot be wrapped into a component.
    #[error(
        "is a core WebAssembly module without the ABI's canonical names: it {reason}{}",
        advice_suffix(*advice)
    )]
    CoreModule {
        /// What is missing or wrong.
        reason: String,
        /// Which tool usually makes such a module and what to do, if known.
        advice: Option<&'static str>,
    },
    /// The rules of a game are a core module.
    #[error(
        "is a core WebAssembly module; the rules of a game must be a component, such as \
         `sandboard build` makes"
    )]
    CoreJudge,
    /// The component needs a proposal that is off.
    #[error(
        "needs the WebAssembly proposal `{proposal}`, which is off here: at byte {offset}: {reason}"
    )]
    Proposal {
        /// Name of the proposal.
        proposal: String,
        /// Offset in the file, in bytes.
        offset: usize,
        /// What needs the proposal.
        reason: String,
    },
    /// The file is damaged.
    #[error("is not valid WebAssembly: at byte {offset}: {reason}")]
    Invalid {
        /// Offset in the file, in bytes.
        offset: usize,
        /// What is wrong.
        reason: String,
    },
}

impl From<wasmparser::Error> for ScanError {
    fn from(error: wasmparser::Error) -> Self {
        // The message may quote names from the file.
        let reason = clean_text(&error.message().replace('\n', " "), limits::REASON_BYTES);
        let offset = error.offset();
        let missing = error.missing_wasm_feature().unwrap_or(WasmFeatures::empty());
        let missing = match error.message() {
            // The only proposal that `wasmparser` does not report itself.
            "multiple memories" => WasmFeatures::MULTI_MEMORY,
            _ => missing.difference(FEATURES),
        };
        match missing.iter_names().next() {
            Some((name, _)) => {
                let proposal = name.to_ascii_lowercase().replace('_', "-");
                ScanError::Proposal { proposal, offset, reason }
            }
            None => ScanError::Invalid { offset, reason },
        }
    }
}

fn more_suffix(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" and {more} more") }
}

fn advice_suffix(advice: Option<&str>) -> String {
    advice.map_or_else(String::new, |advice| format!("; {advice}"))
}

/// Checks the file of an engine completely. Returns its component: the file itself, or the wrapped
/// core module. Err: the first reason not to compile it.
pub fn admit<'a>(bytes: &'a [u8], caps: &LoadCaps) -> Result<Cow<'a, [u8]>, ScanError> {
    let component = to_component(bytes, caps)?;
    scan_for(World::Engine, &component, caps)?;
    Ok(component)
}

/// As [`admit`], for the rules of a game, which must be a component.
pub fn admit_judge(bytes: &[u8], caps: &LoadCaps) -> Result<(), ScanError> {
    check_length(bytes, caps)?;
    if Parser::is_core_wasm(bytes) {
        return Err(ScanError::CoreJudge);
    }
    scan_for(World::Judge, bytes, caps)
}

/// Scans a component and checks that it imports only what its world has.
fn scan_for(world: World, bytes: &[u8], caps: &LoadCaps) -> Result<(), ScanError> {
    scan(bytes, caps)?;
    match ComponentInterface::read(bytes, caps)?.check_imports(world, &[world.number()]) {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

/// The component of an engine's file, before the [`scan`]: the file itself, or the wrapped core
/// module. The cap on the length applies to the file, all others to the component. Err: the file is
/// too long, or a core module that cannot be wrapped.
pub fn to_component<'a>(bytes: &'a [u8], caps: &LoadCaps) -> Result<Cow<'a, [u8]>, ScanError> {
    check_length(bytes, caps)?;
    match Parser::is_core_wasm(bytes) {
        true => core_module::wrap(bytes, caps).map(Cow::Owned),
        false => Ok(Cow::Borrowed(bytes)),
    }
}

fn check_length(bytes: &[u8], caps: &LoadCaps) -> Result<(), ScanError> {
    let bytes = bytes.len() as u64;
    match bytes > caps.limit(CapKind::Bytes) {
        true => Err(ScanError::Bytes { bytes, cap: caps.effective(CapKind::Bytes) }),
        false => Ok(()),
    }
}

/// Scans a component. Err: the first reason not to compile it.
pub fn scan(bytes: &[u8], caps: &LoadCaps) -> Result<(), ScanError> {
    scan_types(bytes, caps).map(drop)
}

/// As [`scan`]. Returns the types at the outermost level.
fn scan_types(bytes: &[u8], caps: &LoadCaps) -> Result<Types, ScanError> {
    let mut parser = Parser::new(0);
    parser.set_features(FEATURES);
    let mut validator = Validator::new_with_features(FEATURES);
    let mut counter = CapCounter::new(caps);
    let mut instances = InstanceCounter::default();
    let mut allocations = FuncValidatorAllocations::default();
    let mut types = None;
    for payload in parser.parse_all(bytes) {
        let payload = payload?;
        // Counts first: a part that exceeds a cap is not validated.
        counter.count(&payload, bytes)?;
        if let Some(counts) = instances.read(&payload)? {
            let offset = payload.as_section().map_or(0, |(_, range)| range.start);
            for (kind, found) in counts.with_caps() {
                counter.check(kind, found, offset)?;
            }
        }
        match validator.payload(&payload)? {
            ValidPayload::Func(function, body) => {
                allocations = function_body::scan(function, &body, allocations, &mut counter)?;
            }
            ValidPayload::End(of) => types = Some(of),
            _ => {}
        }
    }
    types.ok_or_else(|| ScanError::Invalid { offset: bytes.len(), reason: "unexpected end".into() })
}
