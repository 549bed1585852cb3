//! Wasmi: an interpreter, for a second opinion. It runs only modules that count their fuel, because
//! nothing else ends their calls.

use sandboard_component::canonical::Encoding;
use sandboard_metering::FRAME_SLOTS;
use wasmi::{
    AsContextMut, Caller, Config, Engine, Extern, Func, Global, Instance, Memory, Module,
    Mutability, ResourceLimiter, Store, StoreContextMut, TrapCode, Val,
};
use wasmi_core::LimiterError;

use super::core_functions::core_functions;
use super::{Backend, Context, StoreData};
use crate::call_error::{CallError, Trap};
use crate::canonical_call::HostCall;
use crate::compiled_modules::CompiledModule;
use crate::counters::STACK_SLOTS;
use crate::imports::{self, with_engine_imports};
use crate::instance::StoreState;
use crate::judge::{JudgeState, imports as judge_imports, with_judge_imports};
use crate::memory_limiter::MemoryLimiter;
use crate::runtime::{CORE_INSTANCES, MEMORIES, TABLES};

/// The interpreter's own stack, in bytes. The counter of the modules ends first: a slot takes at
/// most 16 bytes.
const STACK_BYTES: usize = 64 << 20;

core_functions!(wasmi);

/// A configured interpreter.
#[derive(Clone)]
pub(crate) struct Wasmi(Engine);

/// The counters of a store.
#[derive(Clone, Copy)]
pub(crate) struct Counters {
    fuel: Global,
    stack: Global,
}

/// Makes a function of the host in a store. None: there is none with this name.
type MakeFunction<S> = fn(&mut Store<S>, &str, Encoding) -> Option<Func>;

/// Makes the function of the host with this name.
macro_rules! make {
    (
        ($store:ident, $sought:ident, $encoding:ident, $module:ident)
        $($name:literal $function:ident($($param:ident: $core:ty),*) -> $result:ty;)*
    ) => {
        match $sought {
            $($name => Some(Func::wrap(
                $store,
                move |mut caller: Caller<'_, _>, $($param: $core),*|
                -> Result<$result, wasmi::Error> {
                    let call = HostCall { store: caller.as_context_mut(), encoding: $encoding };
                    let bits = [$($param.into()),*];
                    $module::$function(call, &bits).map_err(wasmi::Error::host)
                },
            )),)*
            _ => None,
        }
    };
}

fn engine_function(
    store: &mut Store<StoreState<Wasmi>>,
    name: &str,
    encoding: Encoding,
) -> Option<Func> {
    with_engine_imports!(make(store, name, encoding, imports))
}

fn judge_function(
    store: &mut Store<JudgeState<Wasmi>>,
    name: &str,
    encoding: Encoding,
) -> Option<Func> {
    with_judge_imports!(make(store, name, encoding, judge_imports))
}

impl Wasmi {
    pub(crate) fn new() -> Self {
        let mut config = Config::default();
        // Each call takes at least a frame, except that of a leaf.
        config.set_max_recursion_depth((STACK_SLOTS / FRAME_SLOTS) as usize + 16);
        config.set_max_stack_height(STACK_BYTES);
        Self(Engine::new(&config))
    }

    /// Translates an instrumented module. Err: the reason of a refusal.
    pub(crate) fn module(
        &self,
        bytes: &[u8],
        initialization_parts: u64,
    ) -> Result<CompiledModule<Self>, String> {
        let module = Module::new(&self.0, bytes).map_err(|error| error.to_string())?;
        let exports = exports(bytes).map_err(|error| error.to_string())?;
        Ok(CompiledModule { module, exports, initialization_parts })
    }
}

/// The names of a module's exports, in their order.
fn exports(module: &[u8]) -> wasmparser::Result<Vec<String>> {
    let mut names = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(module) {
        if let wasmparser::Payload::ExportSection(exports) = payload? {
            for export in exports {
                names.push(export?.name.to_owned());
            }
        }
    }
    Ok(names)
}

impl Backend for Wasmi {
    type Module = Module;
    type ExportKey = String;
    type Store<S: StoreData<Self>> = Store<S>;
    type Instance = Instance;
    type Extern = Extern;
    type Memory = Memory;
    type MemoryBytes<'a> = &'a mut [u8];
    type Counters = Counters;
    type Function = Function;
    type HostFunctions<S: StoreData<Self>> = MakeFunction<S>;

    fn new_store<S: StoreData<Self>>(&self, data: S) -> Store<S> {
        let mut store = Store::new(&self.0, data);
        store.limiter(|data| data.memory_limiter());
        store
    }

    fn engine_functions(&self) -> Result<MakeFunction<StoreState<Self>>, CallError> {
        Ok(engine_function)
    }

    fn judge_functions(&self) -> Result<MakeFunction<JudgeState<Self>>, CallError> {
        Ok(judge_function)
    }

    fn interrupter(&self) -> impl Fn() + Send + Sync + 'static {
        || ()
    }

    fn host_function<S: StoreData<Self>>(
        make: &MakeFunction<S>,
        store: &mut Store<S>,
        name: &str,
        encoding: Encoding,
    ) -> Option<Extern> {
        make(store, name, encoding).map(Extern::Func)
    }

    fn new_counters<S: StoreData<Self>>(store: &mut Store<S>) -> Result<Counters, CallError> {
        let mut counter = |value| Global::new(&mut *store, value, Mutability::Var);
        Ok(Counters { fuel: counter(Val::I64(0)), stack: counter(Val::I32(0)) })
    }

    fn counter_imports(counters: Counters) -> [Extern; 2] {
        [counters.fuel.into(), counters.stack.into()]
    }

    fn instantiate<S: StoreData<Self>>(
        store: &mut Store<S>,
        module: &Module,
        imports: &[Extern],
    ) -> Result<Instance, CallError> {
        Instance::new(store, module, imports).map_err(|error| call_error(&error))
    }

    fn export<S: StoreData<Self>>(
        store: &mut Store<S>,
        instance: Instance,
        name: &String,
    ) -> Option<Extern> {
        instance.get_export(&*store, name)
    }

    fn memory(of: &Extern) -> Option<Memory> {
        of.into_memory()
    }

    fn function<S: StoreData<Self>>(store: &mut Store<S>, of: &Extern) -> Option<Function> {
        Function::new(&of.into_func()?, &*store)
    }
}

macro_rules! context {
    ($store:ty) => {
        impl<S: StoreData<Wasmi>> Context for $store {
            type Backend = Wasmi;
            type Data = S;

            fn data(&self) -> &S {
                self.data()
            }

            fn data_mut(&mut self) -> &mut S {
                self.data_mut()
            }

            fn memory(&mut self, memory: Option<Memory>) -> &mut [u8] {
                match memory {
                    Some(memory) => memory.data_mut(self.as_context_mut()),
                    None => &mut [],
                }
            }

            fn call(
                &mut self,
                function: &Function,
                params: &[u64],
            ) -> Result<Option<u64>, CallError> {
                let result = function.call(&mut *self, params);
                match &self.data_mut().memory_limiter().system_error {
                    Some(reason) => Err(CallError::Other(reason.clone())),
                    None => result.map_err(|error| call_error(&error)),
                }
            }

            fn fuel(&mut self, counters: Counters) -> i64 {
                counters.fuel.get(&*self).i64().unwrap_or(0)
            }

            fn set_fuel(&mut self, counters: Counters, parts: i64) {
                // Cannot fail: it is a mutable global of this type.
                drop(counters.fuel.set(self, Val::I64(parts)));
            }

            fn stack(&mut self, counters: Counters) -> i32 {
                counters.stack.get(&*self).i32().unwrap_or(0)
            }

            fn set_stack(&mut self, counters: Counters, slots: i32) {
                // Cannot fail, as above.
                drop(counters.stack.set(self, Val::I32(slots)));
            }

            /// This runtime counts no fuel for older records.
            fn runtime_fuel(&self) -> u64 {
                0
            }

            fn set_runtime_fuel(&mut self, _parts: u64) {}
        }
    };
}

context!(Store<S>);
context!(StoreContextMut<'_, S>);

impl wasmi::errors::HostError for CallError {}

/// What an error means.
fn call_error(error: &wasmi::Error) -> CallError {
    if let Some(error) = error.downcast_ref::<CallError>() {
        return error.clone();
    }
    let text = error.to_string();
    let trap = match error.as_trap_code() {
        Some(TrapCode::UnreachableCodeReached) => Trap::Unreachable,
        Some(TrapCode::MemoryOutOfBounds) => Trap::MemoryOutOfBounds,
        Some(TrapCode::TableOutOfBounds) => Trap::TableOutOfBounds,
        Some(TrapCode::IndirectCallToNull) => Trap::IndirectCallToNull,
        Some(TrapCode::BadSignature) => Trap::BadSignature,
        Some(TrapCode::IntegerOverflow) => Trap::IntegerOverflow,
        Some(TrapCode::IntegerDivisionByZero) => Trap::IntegerDivisionByZero,
        Some(TrapCode::BadConversionToInteger) => Trap::BadConversionToInteger,
        Some(TrapCode::StackOverflow) => Trap::StackOverflow,
        // A segment that does not fit at instantiation is no trap of this runtime.
        None if text.starts_with("out of bounds table access") => Trap::TableOutOfBounds,
        None if text.starts_with("out of bounds memory access") => Trap::MemoryOutOfBounds,
        _ => return CallError::Other(text),
    };
    trap.into()
}

impl ResourceLimiter for MemoryLimiter {
    fn instances(&self) -> usize {
        CORE_INSTANCES as usize
    }

    fn tables(&self) -> usize {
        TABLES as usize
    }

    fn memories(&self) -> usize {
        MEMORIES as usize
    }

    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, LimiterError> {
        Ok(self.memory_may_grow(current, desired, maximum))
    }

    fn memory_grow_failed(&mut self, error: &LimiterError) {
        // `call` reports it: the interpreter lets the module continue.
        self.memory_was_refused(&error.to_string());
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, LimiterError> {
        Ok(self.table_may_grow(current, desired, maximum))
    }
}
