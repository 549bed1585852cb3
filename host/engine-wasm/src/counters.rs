//! The counters of an instance: how much fuel and stack the current call has left. Knows no
//! interface and no prices.

use std::fmt;

use wasmtime::{AsContextMut, Extern, Global, GlobalType, Mutability, Trap, Val, ValType};

/// The stack of a call whose modules count it, in slots. The machine's stack
/// ([`STACK_BYTES`](super::STACK_BYTES)) has 16 bytes for each, and for a function that takes none.
pub const STACK_SLOTS: u32 = super::STACK_BYTES as u32 / 16 - sandboard_metering::LEAF_SLOTS;

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

impl std::error::Error for Exhausted {}

/// The counters that the instrumented modules of an instance import. `sandboard_metering` has the
/// rules for them.
#[derive(Clone, Copy)]
pub(crate) struct ModuleCounters {
    fuel: Global,
    stack: Global,
}

impl ModuleCounters {
    /// New counters in a store, of which nothing is left.
    pub(crate) fn new(mut store: impl AsContextMut) -> wasmtime::Result<Self> {
        let mut counter = |ty, value| {
            Global::new(store.as_context_mut(), GlobalType::new(ty, Mutability::Var), value)
        };
        Ok(Self {
            fuel: counter(ValType::I64, Val::I64(0))?,
            stack: counter(ValType::I32, Val::I32(0))?,
        })
    }

    /// The imports of an instrumented module, after its own.
    pub(crate) fn imports(self) -> [Extern; 2] {
        [self.fuel.into(), self.stack.into()]
    }

    /// Begins a call with this fuel, in parts of a unit, and the whole stack.
    pub(crate) fn begin(self, mut store: impl AsContextMut, parts: u64) -> wasmtime::Result<()> {
        self.stack.set(store.as_context_mut(), Val::I32(STACK_SLOTS.cast_signed()))?;
        self.set_left(store, parts)
    }

    /// What is left of the fuel, in parts of a unit.
    pub(crate) fn left(self, store: impl AsContextMut) -> u64 {
        let left = self.fuel.get(store).i64().unwrap_or(0);
        u64::try_from(left).unwrap_or(0)
    }

    /// Sets what is left of the fuel, in parts of a unit.
    pub(crate) fn set_left(self, store: impl AsContextMut, parts: u64) -> wasmtime::Result<()> {
        self.fuel.set(store, Val::I64(i64::try_from(parts).unwrap_or(i64::MAX)))
    }

    /// Charges parts of a unit. Err: not enough is left.
    pub(crate) fn charge(self, mut store: impl AsContextMut, parts: u64) -> wasmtime::Result<()> {
        match self.left(store.as_context_mut()).checked_sub(parts) {
            Some(left) => self.set_left(store, left),
            None => self.use_up(store),
        }
    }

    /// Marks the fuel as used up; the result ends the call.
    pub(crate) fn use_up(self, store: impl AsContextMut) -> wasmtime::Result<()> {
        self.fuel.set(store, Val::I64(-1))?;
        Err(wasmtime::Error::new(Exhausted::Fuel))
    }

    /// Whether the counters ended the last call, whatever its result was.
    pub(crate) fn exhausted(self, mut store: impl AsContextMut) -> Option<Exhausted> {
        let is_negative = |value: Option<i64>| value.is_some_and(i64::is_negative);
        if is_negative(self.stack.get(store.as_context_mut()).i32().map(i64::from)) {
            return Some(Exhausted::Stack);
        }
        is_negative(self.fuel.get(store).i64()).then_some(Exhausted::Fuel)
    }
}

/// What counts the fuel of an instance of an engine.
#[derive(Clone, Copy)]
pub(crate) enum Counter {
    /// Fuel is not counted.
    None,
    /// The modules count, in these counters.
    Modules(ModuleCounters),
    /// The runtime counts, in the store.
    Runtime,
}

impl Counter {
    /// Begins a call with this fuel, in parts of a unit.
    pub(crate) fn begin(self, mut store: impl AsContextMut, parts: u64) -> wasmtime::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Modules(counters) => counters.begin(store, parts),
            Self::Runtime => store.as_context_mut().set_fuel(parts),
        }
    }

    /// What is left of the fuel, in parts of a unit; none: fuel is not counted.
    pub(crate) fn left(self, mut store: impl AsContextMut) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Modules(counters) => Some(counters.left(store)),
            Self::Runtime => Some(store.as_context_mut().get_fuel().unwrap_or(0)),
        }
    }

    /// Sets what is left of the fuel, in parts of a unit.
    pub(crate) fn set_left(self, mut store: impl AsContextMut, parts: u64) -> wasmtime::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Modules(counters) => counters.set_left(store, parts),
            Self::Runtime => store.as_context_mut().set_fuel(parts),
        }
    }

    /// Uses up all fuel; the result ends the call.
    pub(crate) fn use_up(self, mut store: impl AsContextMut) -> wasmtime::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Modules(counters) => counters.use_up(store),
            Self::Runtime => {
                store.as_context_mut().set_fuel(0)?;
                Err(Trap::OutOfFuel.into())
            }
        }
    }

    /// The counters of the modules, if they count.
    pub(crate) fn of_modules(self) -> Option<ModuleCounters> {
        match self {
            Self::Modules(counters) => Some(counters),
            Self::None | Self::Runtime => None,
        }
    }
}
