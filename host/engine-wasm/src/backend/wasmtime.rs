//! Wasmtime: compiles modules, and can interrupt calls.

use std::sync::Arc;

use sandboard_component::canonical::Encoding;
use wasmtime::{
    AsContextMut, Caller, Engine, Extern, Global, GlobalType, Instance, Linker, Memory, Module,
    ModuleExport, Mutability, ResourceLimiter, Store, StoreContextMut, UpdateDeadline, Val,
    ValType, WasmBacktrace,
};

use super::core_functions::core_functions;
use super::{Backend, Context, StoreData};
use crate::call_error::{CallError, Trap};
use crate::canonical_call::HostCall;
use crate::compiled_modules::{CompiledModule, ENCODINGS};
use crate::imports::{self, with_engine_imports};
use crate::instance::StoreState;
use crate::judge::{JudgeState, imports as judge_imports, with_judge_imports};
use crate::memory_limiter::MemoryLimiter;
use crate::runtime::{CORE_INSTANCES, MEMORIES, TABLES};

core_functions!(wasmtime);

/// A configured wasmtime engine.
#[derive(Clone)]
pub(crate) struct Wasmtime(pub(crate) Engine);

/// The counters of a store.
#[derive(Clone, Copy)]
pub(crate) struct Counters {
    fuel: Global,
    stack: Global,
}

/// The name under which a linker has the functions of the host that pass texts in this encoding.
fn host_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Utf8 => "host, UTF-8",
        Encoding::Utf16 => "host, UTF-16",
        Encoding::CompactUtf16 => "host, Latin-1 or UTF-16",
    }
}

/// Adds functions of the host to a linker, for each encoding of texts.
macro_rules! link {
    (
        ($linker:ident, $module:ident)
        $($name:literal $function:ident($($param:ident: $core:ty),*) -> $result:ty;)*
    ) => {
        for encoding in ENCODINGS {
            $($linker.func_wrap(
                host_name(encoding),
                $name,
                move |mut caller: Caller<'_, _>, $($param: $core),*| -> wasmtime::Result<$result> {
                    let call = HostCall { store: caller.as_context_mut(), encoding };
                    let bits = [$($param.into()),*];
                    $module::$function(call, &bits).map_err(wasmtime::Error::new)
                },
            )?;)*
        }
    };
}

fn engine_linker(engine: &Engine) -> wasmtime::Result<Linker<StoreState<Wasmtime>>> {
    let mut linker = Linker::new(engine);
    with_engine_imports!(link(linker, imports));
    Ok(linker)
}

fn judge_linker(engine: &Engine) -> wasmtime::Result<Linker<JudgeState<Wasmtime>>> {
    let mut linker = Linker::new(engine);
    with_judge_imports!(link(linker, judge_imports));
    Ok(linker)
}

impl Wasmtime {
    /// A module with what is needed to instantiate it.
    pub(crate) fn module(module: Module, initialization_parts: u64) -> CompiledModule<Self> {
        let exports = module.exports().filter_map(|it| module.get_export_index(it.name()));
        CompiledModule { exports: exports.collect(), module, initialization_parts }
    }
}

impl Backend for Wasmtime {
    type Module = Module;
    type ExportKey = ModuleExport;
    type Store<S: StoreData<Self>> = Store<S>;
    type Instance = Instance;
    type Extern = Extern;
    type Memory = Memory;
    type MemoryBytes<'a> = &'a mut [u8];
    type Counters = Counters;
    type Function = Function;
    type HostFunctions<S: StoreData<Self>> = Arc<Linker<S>>;

    fn new_store<S: StoreData<Self>>(&self, data: S) -> Store<S> {
        let mut store = Store::new(&self.0, data);
        store.limiter(|data| data.memory_limiter());
        store.set_epoch_deadline(1);
        // All bouts share the epoch: each store checks whether its own deadline has passed.
        store.epoch_deadline_callback(|store| match store.data().is_overdue() {
            true => Err(wasmtime::Error::new(CallError::Overdue)),
            false => Ok(UpdateDeadline::Continue(1)),
        });
        store
    }

    fn engine_functions(&self) -> Result<Arc<Linker<StoreState<Self>>>, CallError> {
        engine_linker(&self.0).map(Arc::new).map_err(|error| call_error(&error))
    }

    fn judge_functions(&self) -> Result<Arc<Linker<JudgeState<Self>>>, CallError> {
        judge_linker(&self.0).map(Arc::new).map_err(|error| call_error(&error))
    }

    fn interrupter(&self) -> impl Fn() + Send + Sync + 'static {
        let engine = self.0.weak();
        move || {
            if let Some(engine) = engine.upgrade() {
                engine.increment_epoch();
            }
        }
    }

    fn host_function<S: StoreData<Self>>(
        functions: &Arc<Linker<S>>,
        store: &mut Store<S>,
        name: &str,
        encoding: Encoding,
    ) -> Option<Extern> {
        functions.get(store, host_name(encoding), name).ok()
    }

    fn new_counters<S: StoreData<Self>>(store: &mut Store<S>) -> Result<Counters, CallError> {
        let mut counter = |ty, value| {
            let ty = GlobalType::new(ty, Mutability::Var);
            Global::new(&mut *store, ty, value).map_err(|error| call_error(&error))
        };
        Ok(Counters {
            fuel: counter(ValType::I64, Val::I64(0))?,
            stack: counter(ValType::I32, Val::I32(0))?,
        })
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
        key: &ModuleExport,
    ) -> Option<Extern> {
        instance.get_module_export(store, key)
    }

    fn memory(of: &Extern) -> Option<Memory> {
        of.clone().into_memory()
    }

    fn function<S: StoreData<Self>>(store: &mut Store<S>, of: &Extern) -> Option<Function> {
        Function::new(&of.clone().into_func()?, store)
    }
}

macro_rules! context {
    ($store:ty) => {
        impl<S: StoreData<Wasmtime>> Context for $store {
            type Backend = Wasmtime;
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
                function.call(self, params).map_err(|error| call_error(&error))
            }

            fn fuel(&mut self, counters: Counters) -> i64 {
                counters.fuel.get(self).i64().unwrap_or(0)
            }

            fn set_fuel(&mut self, counters: Counters, parts: i64) {
                // Cannot fail: it is a mutable global of this type.
                drop(counters.fuel.set(self, Val::I64(parts)));
            }

            fn stack(&mut self, counters: Counters) -> i32 {
                counters.stack.get(self).i32().unwrap_or(0)
            }

            fn set_stack(&mut self, counters: Counters, slots: i32) {
                // Cannot fail, as above.
                drop(counters.stack.set(self, Val::I32(slots)));
            }

            fn runtime_fuel(&self) -> u64 {
                self.get_fuel().unwrap_or(0)
            }

            fn set_runtime_fuel(&mut self, parts: u64) {
                // Fails only if the engine does not count fuel. Then nothing reads it.
                drop(self.as_context_mut().set_fuel(parts));
            }
        }
    };
}

context!(Store<S>);
context!(StoreContextMut<'_, S>);

/// What an error means.
fn call_error(error: &wasmtime::Error) -> CallError {
    if let Some(error) = error.downcast_ref::<CallError>() {
        return error.clone();
    }
    match error.downcast_ref().copied().and_then(trap) {
        Some(trap) => CallError::Trap { trap, function: function_name(error) },
        None => CallError::Other(words(error)),
    }
}

/// None: no admitted module traps for this reason.
fn trap(trap: wasmtime::Trap) -> Option<Trap> {
    use wasmtime::Trap as T;
    Some(match trap {
        T::UnreachableCodeReached => Trap::Unreachable,
        T::MemoryOutOfBounds => Trap::MemoryOutOfBounds,
        T::TableOutOfBounds => Trap::TableOutOfBounds,
        T::IndirectCallToNull => Trap::IndirectCallToNull,
        T::BadSignature => Trap::BadSignature,
        T::IntegerOverflow => Trap::IntegerOverflow,
        T::IntegerDivisionByZero => Trap::IntegerDivisionByZero,
        T::BadConversionToInteger => Trap::BadConversionToInteger,
        T::StackOverflow => Trap::StackOverflow,
        T::OutOfFuel => Trap::OutOfFuel,
        _ => return None,
    })
}

/// The name of the function that trapped; none: its module gives it no name. It depends only on the
/// module and the call: wasmtime inlines no function (`Inlining::No`), and moves no instruction
/// that traps out of its function.
fn function_name(error: &wasmtime::Error) -> Option<String> {
    let innermost = error.downcast_ref::<WasmBacktrace>()?.frames().first()?;
    innermost.func_name().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// An error and its causes, without the backtrace.
pub(crate) fn words(error: &wasmtime::Error) -> String {
    let causes = error.chain().skip(usize::from(error.is::<WasmBacktrace>()));
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl ResourceLimiter for MemoryLimiter {
    // The limits of the pool, for memory that is allocated on demand, too.
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
    ) -> wasmtime::Result<bool> {
        Ok(self.memory_may_grow(current, desired, maximum))
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        match self.memory_was_refused(&error.to_string()) {
            true => Err(error),
            false => Ok(()),
        }
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.table_may_grow(current, desired, maximum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metering, OptLevel, Runtime, RuntimeOptions};

    /// A module whose function with this name divides by 0; the result is not used.
    fn module(name: Option<&str>) -> Vec<u8> {
        let escaped =
            |name: &str| -> String { name.bytes().map(|byte| format!("\\{byte:02x}")).collect() };
        let name = name.map_or_else(String::new, |it| format!("(@name \"{}\")", escaped(it)));
        let text = format!(
            r#"(module
                (func {name} (param i32) (result i32)
                    (i32.div_u (i32.const 1) (local.get 0)))
                (func $caller (export "go") (drop (call 0 (i32.const 0)))))"#
        );
        wat::parse_str(text).unwrap()
    }

    /// The error of calling the module.
    fn error_of(engine: &Engine, module: &[u8]) -> CallError {
        let module = Module::from_binary(engine, module).unwrap();
        let mut store = Store::new(engine, ());
        store.set_epoch_deadline(1);
        // Err: this engine counts no fuel.
        let _ = store.set_fuel(1_000_000);
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let go = instance.get_typed_func::<(), ()>(&mut store, "go").unwrap();
        call_error(&go.call(&mut store, ()).unwrap_err())
    }

    #[test]
    fn the_function_that_trapped_is_named_alike_at_each_level_of_optimisation() {
        for opt_level in [OptLevel::None, OptLevel::Speed, OptLevel::SpeedAndSize] {
            for metering in [Metering::Deadline, Metering::Fuel, Metering::RuntimeFuel] {
                let options = RuntimeOptions { opt_level, ..RuntimeOptions::default() };
                let runtime = Runtime::new().with_options(options);
                let engine = &runtime.wasmtime(metering).unwrap().0;
                let check = |name: Option<&str>, expected: Option<&str>| {
                    let CallError::Trap { trap, function } = error_of(engine, &module(name)) else {
                        panic!("{opt_level} {name:?}");
                    };
                    assert_eq!(trap, Trap::IntegerDivisionByZero);
                    assert_eq!(function.as_deref(), expected, "{opt_level}");
                };
                check(Some("search"), Some("search"));
                check(Some("a\u{202e}b\n"), Some("a\u{202e}b\n"));
                check(Some(""), None);
                check(None, None);
            }
        }
    }

    #[test]
    fn the_words_of_an_error_have_no_backtrace() {
        let runtime = Runtime::new();
        let engine = &runtime.wasmtime(Metering::Deadline).unwrap().0;
        let error = error_of(engine, &module(Some("search")));
        assert_eq!(error.to_string(), "wasm trap: integer divide by zero");
    }

    #[test]
    fn traps_have_the_words_of_wasmtime() {
        use wasmtime::Trap as T;
        for known in [
            T::UnreachableCodeReached,
            T::MemoryOutOfBounds,
            T::TableOutOfBounds,
            T::IndirectCallToNull,
            T::BadSignature,
            T::IntegerOverflow,
            T::IntegerDivisionByZero,
            T::BadConversionToInteger,
            T::StackOverflow,
            T::OutOfFuel,
        ] {
            let error = CallError::from(trap(known).unwrap());
            assert_eq!(error.to_string(), known.to_string());
        }
        let leaves = CallError::from(Trap::CannotLeaveComponent);
        assert_eq!(leaves.to_string(), T::CannotLeaveComponent.to_string());
    }
}
