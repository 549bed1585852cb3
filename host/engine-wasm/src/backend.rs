//! What this crate needs of a runtime of WebAssembly. Everything else is independent of it:
//! budgets, the functions of the host, the canonical ABI, and the faults of engines and judges.
//!
//! Invariant: where modules count their fuel, calls have the same results, fuel and faults with
//! every backend. Only the name of the function that trapped depends on it.

#[cfg(feature = "wasmi")]
pub(crate) mod wasmi;
pub(crate) mod wasmtime;

use sandboard_component::canonical::Encoding;

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

    fn memory(&mut self, memory: <Self::Backend as Backend>::Memory) -> &mut [u8];

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
    fn is_overdue(&self) -> bool;
}

/// Defines the functions of a backend. Each core signature of the interfaces is one case, so that
/// the backend's fastest calls can be used. `$runtime` is the name of its crate.
macro_rules! core_functions {
    ($runtime:ident; $($case:ident: ($($index:literal: $param:ty),*) -> $result:ty),* $(,)?) => {
        /// A function of an instance.
        #[derive(Clone)]
        pub(crate) enum Function {
            $($case($runtime::TypedFunc<($($param,)*), $result>)),*
        }

        impl Function {
            /// None: it has another signature.
            fn new(function: &$runtime::Func, store: impl $runtime::AsContext) -> Option<Self> {
                let ty = function.ty(&store);
                // An attempt with another type is slow, because it makes an error.
                let lengths = (ty.params().len(), ty.results().len());
                $({
                    let params: &[usize] = &[$($index),*];
                    let results = <$result as $crate::backend::ResultBits>::LENGTH;
                    if lengths == (params.len(), results)
                        && let Ok(typed) = function.typed(&store)
                    {
                        return Some(Self::$case(typed));
                    }
                })*
                None
            }

            fn call(
                &self,
                store: impl $runtime::AsContextMut,
                params: &[u64],
            ) -> Result<Option<u64>, $runtime::Error> {
                match self {
                    $(Self::$case(function) => {
                        let result = function.call(store, ($(params[$index] as $param,)*))?;
                        Ok($crate::backend::ResultBits::bits(result))
                    })*
                }
            }
        }
    };
    ($runtime:ident) => {
        core_functions! {
            $runtime;
            Action0: () -> (),
            Action1: (0: u32) -> (),
            Query0: () -> u32,
            Query1: (0: u32) -> u32,
            Query2: (0: u32, 1: u32) -> u32,
            Query3: (0: u32, 1: u32, 2: u32) -> u32,
            Query4: (0: u32, 1: u32, 2: u32, 3: u32) -> u32,
            Query7: (0: u32, 1: u32, 2: u32, 3: u32, 4: u32, 5: u32, 6: u32) -> u32,
            Playouts: (0: u32, 1: u64, 2: u32, 3: u32) -> u32,
        }
    };
}
use core_functions;

/// The result of a core function.
pub(crate) trait ResultBits {
    /// The number of core values.
    const LENGTH: usize;

    fn bits(self) -> Option<u64>;
}

impl ResultBits for () {
    const LENGTH: usize = 0;

    fn bits(self) -> Option<u64> {
        None
    }
}

impl ResultBits for u32 {
    const LENGTH: usize = 1;

    fn bits(self) -> Option<u64> {
        Some(self.into())
    }
}
