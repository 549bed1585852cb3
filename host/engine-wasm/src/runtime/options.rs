//! What a runtime can be asked for: how calls are limited, what runs modules, and settings that
//! change no result. Configures nothing.

use std::fmt;

use sandboard_engine::{FuelCounter, FuelMeter, StackLimit};
use sandboard_metering::INSTRUMENTATION_VERSION;
use serde::{Deserialize, Serialize};

use super::{RUNTIME_VERSION, STACK_BYTES};
use crate::PRICES_VERSION;
use crate::counters::STACK_SLOTS;

/// What limits an engine's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Metering {
    /// Wall time only.
    Deadline,
    /// Wall time and fuel, which the modules count.
    Fuel,
    /// Wall time and fuel, which the runtime counts. Only for verifying older records.
    RuntimeFuel,
}

impl Metering {
    /// How fuel is counted, in code with this optimisation; none: it is not counted.
    pub fn fuel_meter(self, opt_level: OptLevel) -> Option<FuelMeter> {
        let counter = match self {
            Self::Deadline => return None,
            Self::Fuel => FuelCounter::Modules { instrumentation: INSTRUMENTATION_VERSION },
            Self::RuntimeFuel => FuelCounter::Runtime {
                name: RUNTIME_VERSION.into(),
                opt_level: opt_level.to_string(),
            },
        };
        Some(FuelMeter { prices: PRICES_VERSION, counter })
    }

    /// Whether fuel is counted.
    pub fn counts_fuel(self) -> bool {
        self != Self::Deadline
    }

    /// The metering that counts fuel like this meter.
    pub fn counting_as(meter: &FuelMeter) -> Self {
        match meter.counter {
            FuelCounter::Modules { .. } => Self::Fuel,
            FuelCounter::Runtime { .. } => Self::RuntimeFuel,
        }
    }

    /// The limit of the stack of a call.
    pub fn stack_limit(self) -> StackLimit {
        match self {
            Self::Deadline | Self::RuntimeFuel => StackLimit::Bytes(STACK_BYTES as u64),
            Self::Fuel => StackLimit::Slots(STACK_SLOTS.into()),
        }
    }
}

/// What runs modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RuntimeKind {
    /// A compiler, for games.
    #[cfg_attr(not(target_family = "wasm"), default)]
    Wasmtime,
    /// An interpreter, for verifying games a second time. It runs only modules that count their
    /// fuel, and only in builds with the feature `wasmi`.
    Wasmi,
    /// The WebAssembly of the JavaScript engine in which this program runs, for verifying games in
    /// a browser. It runs only modules that count their fuel, and only in builds for WebAssembly.
    #[cfg_attr(target_family = "wasm", default)]
    JavaScript,
}

impl RuntimeKind {
    /// Those in this build.
    pub const AVAILABLE: &[Self] = &[
        #[cfg(not(target_family = "wasm"))]
        Self::Wasmtime,
        #[cfg(feature = "wasmi")]
        Self::Wasmi,
        #[cfg(target_family = "wasm")]
        Self::JavaScript,
    ];
}

/// Writes the kind as on the command line.
impl fmt::Display for RuntimeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wasmtime => "wasmtime",
            Self::Wasmi => "wasmi",
            Self::JavaScript => "javascript",
        })
    }
}

/// Optimisation level of the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OptLevel {
    /// No optimisation at all.
    None,
    /// Optimisation for speed.
    #[default]
    Speed,
    /// Optimisation for speed and size.
    SpeedAndSize,
}

/// Writes the level as in records and on the command line.
impl fmt::Display for OptLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OptLevel::None => "none",
            OptLevel::Speed => "speed",
            OptLevel::SpeedAndSize => "speed-and-size",
        })
    }
}

/// How instances get their memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Allocator {
    /// From a pool that is reserved once, or on demand if the system cannot reserve one.
    #[default]
    Pool,
    /// From the system, for each instance separately.
    OnDemand,
}

/// Options that change neither an engine's moves nor its fuel. Where modules do not count their
/// stack, the depth at which it overflows depends on `opt_level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeOptions {
    /// What runs modules.
    pub kind: RuntimeKind,
    /// Optimisation level of the compiler.
    pub opt_level: OptLevel,
    /// How instances get their memory.
    pub allocator: Allocator,
}
