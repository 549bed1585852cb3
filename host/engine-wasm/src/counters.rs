//! The counters of an instance: how much fuel and stack the current call has left. Knows no
//! interface and no prices.

use super::backend::{Backend, Context};
use super::call_error::{CallError, Exhausted, Trap};

/// The stack of a call whose modules count it, in slots. The machine's stack
/// ([`STACK_BYTES`](super::STACK_BYTES)) has 16 bytes for each, and for a function that takes none.
pub const STACK_SLOTS: u32 = super::STACK_BYTES as u32 / 16 - sandboard_metering::LEAF_SLOTS;

/// The counters that the instrumented modules of an instance import. `sandboard_metering` has the
/// rules for them. `K` are the counters of a backend.
#[derive(Clone, Copy)]
pub(crate) struct ModuleCounters<K>(pub(crate) K);

impl<K: Copy> ModuleCounters<K> {
    /// Begins a call with this fuel, in parts of a unit, and the whole stack.
    pub(crate) fn begin<C>(self, store: &mut C, parts: u64)
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        store.set_stack(self.0, STACK_SLOTS.cast_signed());
        self.set_left(store, parts);
    }

    /// What is left of the fuel, in parts of a unit.
    pub(crate) fn left<C>(self, store: &mut C) -> u64
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        u64::try_from(store.fuel(self.0)).unwrap_or(0)
    }

    /// Sets what is left of the fuel, in parts of a unit.
    pub(crate) fn set_left<C>(self, store: &mut C, parts: u64)
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        store.set_fuel(self.0, i64::try_from(parts).unwrap_or(i64::MAX));
    }

    /// Charges parts of a unit. Err: not enough is left.
    pub(crate) fn charge<C>(self, store: &mut C, parts: u64) -> Result<(), CallError>
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        match self.left(store).checked_sub(parts) {
            Some(left) => {
                self.set_left(store, left);
                Ok(())
            }
            None => Err(self.use_up(store)),
        }
    }

    /// Marks the fuel as used up; the result ends the call.
    pub(crate) fn use_up<C>(self, store: &mut C) -> CallError
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        store.set_fuel(self.0, -1);
        CallError::Exhausted(Exhausted::Fuel)
    }

    /// Whether the counters ended the last call, whatever its result was.
    pub(crate) fn exhausted<C>(self, store: &mut C) -> Option<Exhausted>
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        if store.stack(self.0) < 0 {
            return Some(Exhausted::Stack);
        }
        (store.fuel(self.0) < 0).then_some(Exhausted::Fuel)
    }
}

/// What counts the fuel of an instance of an engine.
#[derive(Clone, Copy)]
pub(crate) enum Counter<K> {
    /// Fuel is not counted.
    None,
    /// The modules count, in these counters.
    Modules(ModuleCounters<K>),
    /// The runtime counts, in the store.
    Runtime,
}

impl<K: Copy> Counter<K> {
    /// Begins a call with this fuel, in parts of a unit.
    pub(crate) fn begin<C>(self, store: &mut C, parts: u64)
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        match self {
            Self::None => (),
            Self::Modules(counters) => counters.begin(store, parts),
            Self::Runtime => store.set_runtime_fuel(parts),
        }
    }

    /// What is left of the fuel, in parts of a unit; none: fuel is not counted.
    pub(crate) fn left<C>(self, store: &mut C) -> Option<u64>
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        match self {
            Self::None => None,
            Self::Modules(counters) => Some(counters.left(store)),
            Self::Runtime => Some(store.runtime_fuel()),
        }
    }

    /// Sets what is left of the fuel, in parts of a unit.
    pub(crate) fn set_left<C>(self, store: &mut C, parts: u64)
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        match self {
            Self::None => (),
            Self::Modules(counters) => counters.set_left(store, parts),
            Self::Runtime => store.set_runtime_fuel(parts),
        }
    }

    /// Uses up all fuel, which is counted; the result ends the call.
    pub(crate) fn use_up<C>(self, store: &mut C) -> CallError
    where
        C: Context<Backend: Backend<Counters = K>>,
    {
        match self {
            Self::Modules(counters) => counters.use_up(store),
            Self::None | Self::Runtime => {
                store.set_runtime_fuel(0);
                Trap::OutOfFuel.into()
            }
        }
    }

    /// The counters of the modules, if they count.
    pub(crate) fn of_modules(self) -> Option<ModuleCounters<K>> {
        match self {
            Self::Modules(counters) => Some(counters),
            Self::None | Self::Runtime => None,
        }
    }
}
