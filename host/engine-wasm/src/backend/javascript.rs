//! The WebAssembly of the JavaScript engine in which this program runs, itself as WebAssembly: in a
//! browser or in Node. It runs only modules that count their fuel, because nothing else ends their
//! calls, and modules limit the growth of their memories themselves.
//!
//! Invariant: everything that JavaScript holds of a store is forgotten before the store is dropped.
#![expect(unsafe_code, reason = "JavaScript keeps the addresses of stores")]

mod imports;
mod signatures;

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use sandboard_component::canonical::{Encoding, Memory as MemoryBytes};
use sandboard_metering::{
    InstrumentError, REFUSED_BY_RUNTIME, REFUSED_BYTES, REFUSED_ELEMENTS, TableLimits,
    defined_sizes,
};

use self::imports::{HostFunctionAddresses, ResultType, Status};
use self::signatures::{Export, Kind, Signature};
use super::{Backend, Context, StoreData};
use crate::call_error::{CallError, Trap};
use crate::canonical_call::HostCall;
use crate::compiled_modules::CompiledModule;
use crate::imports::{self as engine_imports, with_engine_imports};
use crate::instance::StoreState;
use crate::judge::{JudgeState, imports as judge_imports, with_judge_imports};
use crate::memory_limiter::{MemoryLimiter, RefusedGrowth, TABLE_ELEMENT_BYTES};
use crate::runtime::TABLE_ELEMENTS;

/// The JavaScript engine.
#[derive(Clone, Copy)]
pub(crate) struct JavaScript;

/// A compiled module.
pub(crate) struct Module {
    id: u32,
    /// Pages of its memories and elements of its tables, with their own maximum.
    sizes: sandboard_metering::DefinedSizes,
}

impl Drop for Module {
    fn drop(&mut self) {
        imports::release_module(self.id);
    }
}

/// The counters of a store.
#[derive(Clone, Copy)]
pub(crate) struct Counters {
    fuel: u32,
    stack: u32,
}

/// The globals of a store by which modules limit their growth.
#[derive(Clone, Copy)]
struct GrowthGlobals {
    left: u32,
    refused: u32,
}

/// An object of a store that one instance exports and another imports.
#[derive(Clone, Copy)]
pub(crate) struct Extern {
    object: u32,
    kind: Kind,
}

/// A function of an instance.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    object: u32,
    signature: Signature,
}

/// A function of the host for stores with this data.
type RunHostFunction<S> = fn(HostCall<StoreMut<'_, S>>, &[u64]) -> Result<u64, CallError>;

/// A function of the host, and the type of its result.
pub(crate) struct HostFunction<S: StoreData<JavaScript>> {
    run: RunHostFunction<S>,
    result: ResultType,
}

/// Finds the function of the host with a name. None: there is none.
type FindHostFunction<S> = fn(&str) -> Option<HostFunction<S>>;

/// The result of a function of the host.
trait HostResult {
    const TYPE: ResultType;

    fn bits(self) -> u64;
}

impl HostResult for () {
    const TYPE: ResultType = ResultType::None;

    fn bits(self) -> u64 {
        0
    }
}

impl HostResult for u64 {
    const TYPE: ResultType = ResultType::I64;

    fn bits(self) -> u64 {
        self
    }
}

/// Finds the function of the host with this name.
macro_rules! find {
    (
        ($sought:ident, $module:ident)
        $($name:literal $function:ident($($param:ident: $core:ty),*) -> $result:ty;)*
    ) => {
        match $sought {
            $($name => Some(HostFunction {
                run: |call, bits| $module::$function(call, bits).map(HostResult::bits),
                result: <$result as HostResult>::TYPE,
            }),)*
            _ => None,
        }
    };
}

fn engine_function(name: &str) -> Option<HostFunction<StoreState<JavaScript>>> {
    with_engine_imports!(find(name, engine_imports))
}

fn judge_function(name: &str) -> Option<HostFunction<JudgeState<JavaScript>>> {
    with_judge_imports!(find(name, judge_imports))
}

/// Calls a function of the host for the store at an address.
fn host_thunk<S: StoreData<JavaScript>>(
    data: *mut c_void,
    function: *const c_void,
    encoding: u32,
    params: &[u64],
) -> Option<u64> {
    // SAFETY: `host_function` below passed this address, which is that of a function of this type.
    let run: RunHostFunction<S> = unsafe { std::mem::transmute(function) };
    // SAFETY: as above; the store lives, because one of its instances makes this call. `call` and
    // `instantiate` hold no reference to it meanwhile.
    let inner = unsafe { &mut *data.cast::<Inner<S>>() };
    let encoding = match encoding {
        0 => Encoding::Utf8,
        1 => Encoding::Utf16,
        _ => Encoding::CompactUtf16,
    };
    let result = run(HostCall { store: StoreMut(inner.into(), PhantomData), encoding }, params);
    // SAFETY: as above; the reference that the function got is gone.
    let inner = unsafe { &mut *data.cast::<Inner<S>>() };
    result.map_err(|error| inner.ended = Some(error)).ok()
}

/// What a store consists of. Its address does not change.
struct Inner<S> {
    id: u32,
    growth: GrowthGlobals,
    data: S,
    /// Why a function of the host ended the current call.
    ended: Option<CallError>,
}

/// Instances with the host's data for them.
pub(crate) struct Store<S>(NonNull<Inner<S>>);

/// What a function of the host sees of a store.
pub(crate) struct StoreMut<'a, S>(NonNull<Inner<S>>, PhantomData<&'a mut Inner<S>>);

// SAFETY: a store owns its data.
unsafe impl<S: Send> Send for Store<S> {}

impl<S> Drop for Store<S> {
    fn drop(&mut self) {
        // SAFETY: `new_store` made the address from a box, and only this function frees it.
        let inner = unsafe { Box::from_raw(self.0.as_ptr()) };
        imports::release_store(inner.id);
    }
}

impl JavaScript {
    /// Puts code that limits growth into an instrumented module.
    pub(crate) fn limit_growth(self, module: &[u8]) -> Result<Vec<u8>, InstrumentError> {
        let limits = TableLimits {
            element_bytes: TABLE_ELEMENT_BYTES as u32,
            elements_max: TABLE_ELEMENTS as u32,
        };
        sandboard_metering::limit_growth(module, limits)
    }

    /// Compiles a module that limits its growth. Err: the reason of a refusal.
    pub(crate) fn module(
        self,
        bytes: &[u8],
        initialization_parts: u64,
    ) -> Result<CompiledModule<Self>, String> {
        let exports = signatures::exports(bytes).map_err(|error| error.to_string())?;
        let sizes = defined_sizes(bytes).map_err(|error| error.to_string())?;
        let module = Module { id: imports::compile(bytes)?, sizes };
        Ok(CompiledModule { module, exports, initialization_parts })
    }
}

impl Backend for JavaScript {
    type Module = Module;
    type ExportKey = Export;
    type Store<S: StoreData<Self>> = Store<S>;
    type Instance = u32;
    type Extern = Extern;
    type Memory = u32;
    type MemoryBytes<'a> = RemoteMemory<'a>;
    type Counters = Counters;
    type Function = Function;
    type HostFunctions<S: StoreData<Self>> = FindHostFunction<S>;

    fn new_store<S: StoreData<Self>>(&self, mut data: S) -> Store<S> {
        let id = imports::new_store();
        let growth = GrowthGlobals {
            left: imports::new_global(id, true),
            refused: imports::new_global(id, false),
        };
        let left = data.memory_limiter().left_bytes();
        imports::set_global(id, growth.left, left.cast_signed());
        let inner = Box::new(Inner { id, growth, data, ended: None });
        // A box has an address.
        Store(NonNull::from(Box::leak(inner)))
    }

    fn engine_functions(&self) -> Result<FindHostFunction<StoreState<Self>>, CallError> {
        Ok(engine_function)
    }

    fn judge_functions(&self) -> Result<FindHostFunction<JudgeState<Self>>, CallError> {
        Ok(judge_function)
    }

    fn interrupter(&self) -> impl Fn() + Send + Sync + 'static {
        || ()
    }

    fn host_function<S: StoreData<Self>>(
        find: &FindHostFunction<S>,
        store: &mut Store<S>,
        name: &str,
        encoding: Encoding,
    ) -> Option<Extern> {
        let HostFunction { run, result } = find(name)?;
        let addresses = HostFunctionAddresses {
            thunk: host_thunk::<S>,
            data: store.0.as_ptr().cast(),
            function: run as *const c_void,
            encoding: match encoding {
                Encoding::Utf8 => 0,
                Encoding::Utf16 => 1,
                Encoding::CompactUtf16 => 2,
            },
            result,
        };
        let object = imports::host_function(store.id(), addresses);
        Some(Extern { object, kind: Kind::Other })
    }

    fn new_counters<S: StoreData<Self>>(store: &mut Store<S>) -> Result<Counters, CallError> {
        let id = store.id();
        Ok(Counters { fuel: imports::new_global(id, true), stack: imports::new_global(id, false) })
    }

    fn counter_imports(counters: Counters) -> [Extern; 2] {
        [counters.fuel, counters.stack].map(|object| Extern { object, kind: Kind::Other })
    }

    fn instantiate<S: StoreData<Self>>(
        store: &mut Store<S>,
        module: &Module,
        imports: &[Extern],
    ) -> Result<u32, CallError> {
        admit_sizes(store.data_mut().memory_limiter(), module)?;
        let (id, growth) = (store.id(), store.growth());
        let left = store.data_mut().memory_limiter().left_bytes();
        imports::set_global(id, growth.left, left.cast_signed());
        let mut objects: Vec<u32> = imports.iter().map(|import| import.object).collect();
        objects.extend([growth.left, growth.refused]);
        let (status, instance) = imports::instantiate(id, module.id, &objects);
        store.finish(status).map(|()| instance)
    }

    fn export<S: StoreData<Self>>(
        store: &mut Store<S>,
        instance: u32,
        export: &Export,
    ) -> Option<Extern> {
        let object = imports::export(store.id(), instance, &export.name)?;
        Some(Extern { object, kind: export.kind })
    }

    fn memory(of: &Extern) -> Option<u32> {
        matches!(of.kind, Kind::Memory).then_some(of.object)
    }

    fn function<S: StoreData<Self>>(_: &mut Store<S>, of: &Extern) -> Option<Function> {
        match of.kind {
            Kind::Function(signature) => Some(Function { object: of.object, signature }),
            Kind::Memory | Kind::Other => None,
        }
    }
}

/// Counts what a module defines before it is instantiated. Err: a limit is exceeded.
fn admit_sizes(limiter: &mut MemoryLimiter, module: &Module) -> Result<(), CallError> {
    let refused = |what| Err(CallError::Other(format!("a {what} is larger than the limits")));
    let size = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    let bytes = |pages: u64| size(pages.saturating_mul(1 << 16));
    for &(pages, maximum) in &module.sizes.memories {
        if !limiter.memory_may_grow(0, bytes(pages), maximum.map(bytes)) {
            return refused("memory");
        }
    }
    for &(elements, maximum) in &module.sizes.tables {
        if !limiter.table_may_grow(0, size(elements), maximum.map(size)) {
            return refused("table");
        }
    }
    Ok(())
}

/// A memory of an instance, from which and to which JavaScript copies.
pub(crate) struct RemoteMemory<'a> {
    store: u32,
    /// None: it has no bytes.
    memory: Option<u32>,
    /// The store, which lives at least as long.
    of_store: PhantomData<&'a mut ()>,
}

impl MemoryBytes for RemoteMemory<'_> {
    fn size_bytes(&self) -> u64 {
        self.memory.map_or(0, |memory| imports::memory_bytes(self.store, memory))
    }

    fn copy_to(&self, address: u32, bytes: &mut [u8]) -> bool {
        match self.memory {
            Some(memory) => imports::copy_to(self.store, memory, address, bytes),
            None => address == 0 && bytes.is_empty(),
        }
    }

    fn copy_from(&mut self, address: u32, bytes: &[u8]) -> bool {
        match self.memory {
            Some(memory) => imports::copy_from(self.store, memory, address, bytes),
            None => address == 0 && bytes.is_empty(),
        }
    }
}

macro_rules! context {
    ($store:ty) => {
        impl<S: StoreData<JavaScript>> $store {
            /// The number of the store.
            fn id(&self) -> u32 {
                // SAFETY: the store lives, and no other reference to this field is kept.
                unsafe { (*self.0.as_ptr()).id }
            }

            fn growth(&self) -> GrowthGlobals {
                // SAFETY: as above.
                unsafe { (*self.0.as_ptr()).growth }
            }

            /// Notes what the modules have grown, and says why a call ended.
            fn finish(&mut self, status: Status) -> Result<(), CallError> {
                let (id, growth) = (self.id(), self.growth());
                let left = imports::global(id, growth.left).cast_unsigned();
                let refused = imports::global(id, growth.refused);
                let limiter = self.data_mut().memory_limiter();
                limiter.set_left_bytes(left);
                match i32::try_from(refused).unwrap_or(0) {
                    REFUSED_BYTES => limiter.refused = Some(RefusedGrowth::Memory),
                    REFUSED_ELEMENTS => limiter.refused = Some(RefusedGrowth::TableElements),
                    REFUSED_BY_RUNTIME => {
                        let reason = "the JavaScript engine has no more memory";
                        limiter.system_error = Some(reason.to_owned());
                        return Err(CallError::Other(reason.to_owned()));
                    }
                    _ => (),
                }
                // SAFETY: as above.
                let ended = unsafe { (*self.0.as_ptr()).ended.take() };
                match (status, ended) {
                    (Status::Returned, _) => Ok(()),
                    (Status::Ended, Some(error)) => Err(error),
                    (Status::Ended | Status::Failed, _) => Err(call_error(&imports::take_error())),
                }
            }
        }

        impl<S: StoreData<JavaScript>> Context for $store {
            type Backend = JavaScript;
            type Data = S;

            fn data(&self) -> &S {
                // SAFETY: the store lives, and the reference ends with that to `self`.
                unsafe { &(*self.0.as_ptr()).data }
            }

            fn data_mut(&mut self) -> &mut S {
                // SAFETY: as above.
                unsafe { &mut (*self.0.as_ptr()).data }
            }

            fn memory(&mut self, memory: Option<u32>) -> RemoteMemory<'_> {
                RemoteMemory { store: self.id(), memory, of_store: PhantomData }
            }

            fn call(
                &mut self,
                function: &Function,
                params: &[u64],
            ) -> Result<Option<u64>, CallError> {
                let Function { object, signature } = *function;
                let (status, result) = imports::call(self.id(), object, params, signature.wide);
                self.finish(status)?;
                Ok(signature.has_result.then_some(result))
            }

            fn fuel(&mut self, counters: Counters) -> i64 {
                imports::global(self.id(), counters.fuel)
            }

            fn set_fuel(&mut self, counters: Counters, parts: i64) {
                imports::set_global(self.id(), counters.fuel, parts);
            }

            fn stack(&mut self, counters: Counters) -> i32 {
                imports::global(self.id(), counters.stack) as i32
            }

            fn set_stack(&mut self, counters: Counters, slots: i32) {
                imports::set_global(self.id(), counters.stack, slots.into());
            }

            fn runtime_fuel(&self) -> u64 {
                0
            }

            fn set_runtime_fuel(&mut self, _: u64) {}
        }
    };
}

context!(Store<S>);
context!(StoreMut<'_, S>);

/// What the text of an error means: `RuntimeError: …` of V8, SpiderMonkey or JavaScriptCore.
fn call_error(text: &str) -> CallError {
    match trap(text) {
        Some(trap) => trap.into(),
        None => CallError::Other(text.replace('\n', " ")),
    }
}

/// The words of V8, SpiderMonkey and JavaScriptCore for traps. The first that fit count.
const TRAPS: &[(&str, Trap)] = &[
    ("unreachable", Trap::Unreachable),
    ("Unreachable code", Trap::Unreachable),
    ("table index is out of bounds", Trap::TableOutOfBounds),
    ("table index out of bounds", Trap::TableOutOfBounds),
    ("table access out of bounds", Trap::TableOutOfBounds),
    ("table initializer", Trap::TableOutOfBounds),
    ("element segment", Trap::TableOutOfBounds),
    ("Out of bounds table access", Trap::TableOutOfBounds),
    ("Out of bounds call_indirect", Trap::TableOutOfBounds),
    ("memory access out of bounds", Trap::MemoryOutOfBounds),
    ("data segment", Trap::MemoryOutOfBounds),
    ("index out of bounds", Trap::MemoryOutOfBounds),
    ("Out of bounds memory access", Trap::MemoryOutOfBounds),
    ("null function or function signature mismatch", Trap::IndirectCall),
    ("indirect call to null", Trap::IndirectCallToNull),
    ("call_indirect to a null table entry", Trap::IndirectCallToNull),
    ("indirect call signature mismatch", Trap::BadSignature),
    ("call_indirect to a signature that does not match", Trap::BadSignature),
    ("divide by zero", Trap::IntegerDivisionByZero),
    ("remainder by zero", Trap::IntegerDivisionByZero),
    ("Division by zero", Trap::IntegerDivisionByZero),
    ("divide result unrepresentable", Trap::IntegerOverflow),
    ("integer overflow", Trap::IntegerOverflow),
    ("Integer overflow", Trap::IntegerOverflow),
    ("invalid conversion to integer", Trap::BadConversionToInteger),
    ("float unrepresentable in integer range", Trap::Conversion),
    ("Out of bounds Trunc operation", Trap::Conversion),
    ("Maximum call stack size exceeded", Trap::StackOverflow),
    ("too much recursion", Trap::StackOverflow),
];

/// The trap with these words; none: it is another error.
fn trap(text: &str) -> Option<Trap> {
    let (kind, words) = text.split_once(": ")?;
    if !matches!(kind, "RuntimeError" | "RangeError" | "InternalError") {
        return None;
    }
    TRAPS.iter().find(|(known, _)| words.contains(known)).map(|(_, trap)| *trap)
}
