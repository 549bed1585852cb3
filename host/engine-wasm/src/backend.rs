//! What this crate needs of a runtime of WebAssembly. Everything else is independent of it:
//! budgets, the functions of the host, the canonical ABI, and the faults of engines and judges.
//!
//! Invariant: where modules count their fuel, calls have the same results, fuel and faults with
//! every backend. Only the name of the function that trapped depends on it.

#[cfg(any(feature = "wasmi", not(target_family = "wasm")))]
mod core_functions;
#[cfg(target_family = "wasm")]
pub(crate) mod javascript;
#[cfg(feature = "wasmi")]
pub(crate) mod wasmi;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod wasmtime;

use sandboard_component::canonical::{Encoding, Memory};

use super::call_error::CallError;
use super::canonical_call::CanonicalState;
use super::instance::StoreState;
use super::judge::JudgeState;
use super::memory_limiter::MemoryLimiter;

/// A runtime of WebAssembly. Clones share its state.
pub(crate) trait Backend: Clone + Send + Sync + Sized + 'static {
    /// A compiled core module.
    type Module: Send + Sync;
    /// What finds an export in an instance of its module.
    type ExportKey: Send + Sync;
    /// An instance with the host's data for it.
    type Store<S: StoreData<Self>>: Context<Backend = Self, Data = S> + Send;
    /// An instance of a core module, in a store.
    type Instance: Copy;
    /// Something that one instance exports and another imports.
    type Extern: Clone;
    /// A memory of an instance.
    type Memory: Copy + Send;
    /// The bytes of a memory.
    type MemoryBytes<'a>: Memory;
    /// The counters of fuel and stack of a store.
    type Counters: Copy + Send;
    /// A function of an instance whose core signature is one of those of the interfaces.
    type Function: Clone + Send;
    /// The functions of the host for stores with this data.
    type HostFunctions<S: StoreData<Self>>: Send + Sync;

    /// A new store. Its memories and tables together are limited by the data's limiter.
    fn new_store<S: StoreData<Self>>(&self, data: S) -> Self::Store<S>;

    /// The functions of the host for engines.
    fn engine_functions(&self) -> Result<Self::HostFunctions<StoreState<Self>>, CallError>;

    /// The functions of the host for judges.
    fn judge_functions(&self) -> Result<Self::HostFunctions<JudgeState<Self>>, CallError>;

    /// What makes all stores check whether they are [overdue](StoreData::is_overdue). Nothing, if
    /// the backend cannot interrupt calls.
    fn interrupter(&self) -> impl Fn() + Send + Sync + 'static;

    /// A function of the host that passes texts in this encoding. None: there is none with this
    /// name.
    fn host_function<S: StoreData<Self>>(
        functions: &Self::HostFunctions<S>,
        store: &mut Self::Store<S>,
        name: &str,
        encoding: Encoding,
    ) -> Option<Self::Extern>;

    /// New counters with the value 0.
    fn new_counters<S: StoreData<Self>>(
        store: &mut Self::Store<S>,
    ) -> Result<Self::Counters, CallError>;

    /// The counters as imports: first that of fuel, then that of the stack.
    fn counter_imports(counters: Self::Counters) -> [Self::Extern; 2];

    /// Instantiates a module. Err: its start function trapped, a segment does not fit, or a limit
    /// of the store was exceeded.
    fn instantiate<S: StoreData<Self>>(
        store: &mut Self::Store<S>,
        module: &Self::Module,
        imports: &[Self::Extern],
    ) -> Result<Self::Instance, CallError>;

    /// An export of an instance. None: its module has no such export.
    fn export<S: StoreData<Self>>(
        store: &mut Self::Store<S>,
        instance: Self::Instance,
        key: &Self::ExportKey,
    ) -> Option<Self::Extern>;

    /// The memory that this is. None: it is something else.
    fn memory(of: &Self::Extern) -> Option<Self::Memory>;

    /// The function that this is. None: it is something else, or has another signature.
    fn function<S: StoreData<Self>>(
        store: &mut Self::Store<S>,
        of: &Self::Extern,
    ) -> Option<Self::Function>;
}

/// A store, or what a function of the host sees of it.
pub(crate) trait Context {
    type Backend: Backend;
    type Data: StoreData<Self::Backend>;

    fn data(&self) -> &Self::Data;

    fn data_mut(&mut self) -> &mut Self::Data;

    /// The bytes of a memory; none: of a memory without bytes.
    fn memory(
        &mut self,
        memory: Option<<Self::Backend as Backend>::Memory>,
    ) -> <Self::Backend as Backend>::MemoryBytes<'_>;

    /// Calls a function with the bits of its parameters, as many as it has. Returns the bits of its
    /// result.
    fn call(
        &mut self,
        function: &<Self::Backend as Backend>::Function,
        params: &[u64],
    ) -> Result<Option<u64>, CallError>;

    /// The value of the counter of fuel.
    fn fuel(&mut self, counters: <Self::Backend as Backend>::Counters) -> i64;

    fn set_fuel(&mut self, counters: <Self::Backend as Backend>::Counters, parts: i64);

    /// The value of the counter of the stack.
    fn stack(&mut self, counters: <Self::Backend as Backend>::Counters) -> i32;

    fn set_stack(&mut self, counters: <Self::Backend as Backend>::Counters, slots: i32);

    /// The fuel that the runtime counts for older records, in parts of a unit.
    fn runtime_fuel(&self) -> u64;

    fn set_runtime_fuel(&mut self, parts: u64);
}

/// The data of a store.
pub(crate) trait StoreData<B: Backend>: Send + Sized + 'static {
    fn canonical_state(&mut self) -> &mut CanonicalState<B>;

    fn memory_limiter(&mut self) -> &mut MemoryLimiter;

    /// Whether the deadline of the current call has passed.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "nothing interrupts JavaScript"))]
    fn is_overdue(&self) -> bool;
}

/// Evaluates an expression for the value of an enum that has a case for each backend.
macro_rules! each_backend {
    ($value:expr, $cases:ident, $field:ident => $result:expr) => {
        match $value {
            #[cfg(not(target_family = "wasm"))]
            $cases::Wasmtime($field) => $result,
            #[cfg(feature = "wasmi")]
            $cases::Wasmi($field) => $result,
            #[cfg(target_family = "wasm")]
            $cases::JavaScript($field) => $result,
        }
    };
}
pub(crate) use each_backend;

/// Turns [`Modules`](crate::runtime::Modules) into a value of an enum that has a case for each
/// backend, too.
macro_rules! map_backend {
    ($modules:expr => $cases:ident, |$backend:ident, $of:ident| $result:expr) => {
        match $modules {
            #[cfg(not(target_family = "wasm"))]
            $crate::runtime::Modules::Wasmtime($backend, $of) => $cases::Wasmtime($result),
            #[cfg(feature = "wasmi")]
            $crate::runtime::Modules::Wasmi($backend, $of) => $cases::Wasmi($result),
            #[cfg(target_family = "wasm")]
            $crate::runtime::Modules::JavaScript($backend, $of) => $cases::JavaScript($result),
        }
    };
}
pub(crate) use map_backend;
