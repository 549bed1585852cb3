//! Runs a module twice under wasmtime: the original, whose fuel the runtime counts, and the
//! instrumented one, which counts itself. The tests compare the two [`Report`]s.

use wasmtime::{
    Config, Engine, Extern, ExternType, Func, FuncType, Global, GlobalType, Instance, Memory,
    Module, Mutability, OperatorCost, OptLevel, Ref, Store, StoreLimits, StoreLimitsBuilder, Table,
    Trap, Val, ValType, VariableOperatorCost, WasmFeatures,
};

use crate::{COUNTER_MODULE, FEATURES, FUEL, SIZE_PRICES, instrument};

/// More than any run of a test needs, even if a segment has several operators with huge sizes.
pub(super) const ENOUGH: i64 = 1 << 61;
/// More slots than any run of a test needs.
pub(super) const DEEP: i32 = 1 << 30;

/// The machine's stack for a module.
pub(super) const STACK_BYTES: usize = 16 << 20;

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Report {
    /// The fuel spent at each call of a host function since the start, in parts.
    pub host_calls: Vec<i64>,
    /// The instantiation, and then each call of an exported function.
    pub calls: Vec<Call>,
    /// The counter of the stack at the end.
    pub stack_left: i32,
    /// Exported memories, globals and sizes of tables at the end.
    pub state: Vec<String>,
}

/// The instantiation or a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// How it ended.
    pub end: End,
    /// The fuel spent since the start, in parts. After a trap the two ways differ.
    pub spent: i64,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// It returned these values.
    Returned(String),
    /// It used up its fuel.
    OutOfFuel,
    /// It used up its stack.
    StackOverflow,
    /// It trapped for another reason.
    Trapped(String),
}

/// Whose counters count.
#[derive(Clone, Copy, PartialEq)]
enum Counting {
    Runtime,
    Module,
}

/// The state of a store.
struct Host {
    limits: StoreLimits,
    fuel: Option<Global>,
    budget: i64,
    calls: Vec<i64>,
}

macro_rules! define_operator_cost {
    ($($name:literal, $parts:literal, $reason:literal: $($operator:ident)+;)*) => {
        /// The prices in the runtime's format.
        fn operator_cost() -> OperatorCost {
            let mut cost = OperatorCost {
                variable: VariableOperatorCost {
                    memory_copy_per_byte: SIZE_PRICES.memory_copy_per_byte,
                    memory_fill_per_byte: SIZE_PRICES.memory_fill_per_byte,
                    memory_init_per_byte: SIZE_PRICES.memory_init_per_byte,
                    memory_grow_per_page: SIZE_PRICES.memory_grow_per_page,
                    table_copy_per_element: SIZE_PRICES.table_copy_per_element,
                    table_fill_per_element: SIZE_PRICES.table_fill_per_element,
                    table_init_per_element: SIZE_PRICES.table_init_per_element,
                    table_grow_per_element: SIZE_PRICES.table_grow_per_element,
                    ..VariableOperatorCost::default()
                },
                ..OperatorCost::new()
            };
            $($(cost.$operator = $parts;)+)*
            cost
        }
    };
}

crate::with_price_classes!(define_operator_cost);

/// The engines of both ways of counting.
pub(super) struct Engines {
    runtime: Engine,
    module: Engine,
}

impl Engines {
    pub(super) fn new(level: OptLevel) -> Self {
        let engine = |counting| {
            let mut config = Config::new();
            config
                .wasm_features(WasmFeatures::all().difference(FEATURES), false)
                .wasm_features(FEATURES, true)
                .cranelift_nan_canonicalization(counting == Counting::Runtime)
                .cranelift_opt_level(level)
                .memory_init_cow(false)
                .memory_reservation(1 << 20)
                .memory_guard_size(1 << 16)
                .async_stack_size(20 << 20)
                .max_wasm_stack(STACK_BYTES);
            if counting == Counting::Runtime {
                config.consume_fuel(true).operator_cost(operator_cost());
            }
            Engine::new(&config).unwrap()
        };
        Self { runtime: engine(Counting::Runtime), module: engine(Counting::Module) }
    }

    /// Runs the original. The runtime counts.
    pub(super) fn original(&self, module: &[u8], fuel: i64) -> Report {
        run(&self.runtime, module, Counting::Runtime, fuel, 0)
    }

    /// Instruments the module and runs it.
    pub(super) fn instrumented(&self, module: &[u8], fuel: i64, stack: i32) -> Report {
        let instrumented = instrument(module).unwrap();
        run(&self.module, &instrumented, Counting::Module, fuel, stack)
    }
}

fn run(engine: &Engine, bytes: &[u8], counting: Counting, fuel: i64, stack: i32) -> Report {
    let module = Module::new(engine, bytes).unwrap();
    let limits = StoreLimitsBuilder::new().memory_size(4 << 20).table_elements(5_000).build();
    let host = Host { limits, fuel: None, budget: fuel, calls: Vec::new() };
    let mut store = Store::new(engine, host);
    store.limiter(|host| &mut host.limits);
    let mut counters = Vec::new();
    match counting {
        Counting::Runtime => store.set_fuel(fuel.cast_unsigned()).unwrap(),
        Counting::Module => {
            for value in [Val::I64(fuel), Val::I32(stack)] {
                let ty = GlobalType::new(value.ty(&store).unwrap(), Mutability::Var);
                counters.push(Global::new(&mut store, ty, value).unwrap());
            }
            store.data_mut().fuel = Some(counters[0]);
        }
    }
    let imports: Vec<Extern> = module
        .imports()
        .map(|import| match import.module() {
            COUNTER_MODULE => counters[usize::from(import.name() != FUEL)].into(),
            _ => provide(&mut store, import.ty()),
        })
        .collect();
    let mut report = Report::default();
    let instance = match Instance::new(&mut store, &module, &imports) {
        Ok(instance) => {
            report.calls.push(call(&mut store, &counters, Ok(String::new())));
            Some(instance)
        }
        Err(error) => {
            report.calls.push(call(&mut store, &counters, Err(error)));
            None
        }
    };
    if let Some(instance) = instance {
        let exports = instance.exports(&mut store).map(|export| export.name().to_owned());
        let exports: Vec<_> = exports.collect();
        for name in &exports {
            let Some(Extern::Func(function)) = instance.get_export(&mut store, name) else {
                continue;
            };
            let ty = function.ty(&store);
            let arguments: Vec<_> = ty.params().zip(7..).map(|(ty, n)| value(ty, n)).collect();
            let mut results = vec![Val::I32(0); ty.results().len()];
            let returned = function.call(&mut store, &arguments, &mut results);
            let returned =
                returned.map(|()| results.iter().map(text).collect::<Vec<_>>().join(" "));
            let call = call(&mut store, &counters, returned);
            let ended = !matches!(call.end, End::Returned(_));
            report.calls.push(call);
            if ended {
                break;
            }
        }
        for name in &exports {
            let export = instance.get_export(&mut store, name).unwrap();
            report.state.push(format!("{name}: {}", state(&mut store, export)));
        }
    }
    if let [_, stack] = &counters[..] {
        report.stack_left = stack.get(&mut store).unwrap_i32();
    }
    report.host_calls = std::mem::take(&mut store.data_mut().calls);
    report
}

/// What a call that has ended did.
fn call(
    store: &mut Store<Host>,
    counters: &[Global],
    returned: Result<String, wasmtime::Error>,
) -> Call {
    let budget = store.data().budget;
    let (left, is_deep) = match counters {
        [fuel, stack] => {
            let left = fuel.get(&mut *store).unwrap_i64();
            (left, stack.get(&mut *store).unwrap_i32() < 0)
        }
        _ => (store.get_fuel().unwrap().cast_signed(), false),
    };
    let end = match returned {
        _ if left < 0 => End::OutOfFuel,
        Ok(values) => End::Returned(values),
        Err(_) if is_deep => End::StackOverflow,
        Err(error) => match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => End::OutOfFuel,
            Some(Trap::StackOverflow) => End::StackOverflow,
            Some(trap) => End::Trapped(trap.to_string()),
            None => End::Trapped(error.to_string()),
        },
    };
    Call { end, spent: budget - left }
}

/// An import of this type. Functions note the fuel that is spent.
fn provide(store: &mut Store<Host>, ty: ExternType) -> Extern {
    match ty {
        ExternType::Func(ty) => host_function(store, ty).into(),
        ExternType::Global(ty) => {
            let value = value(ty.content().clone(), 3);
            Global::new(store, ty, value).unwrap().into()
        }
        ExternType::Memory(ty) => Memory::new(store, ty).unwrap().into(),
        ExternType::Table(ty) => Table::new(store, ty, Ref::Func(None)).unwrap().into(),
        ExternType::Tag(_) => unreachable!("no tags are admitted"),
    }
}

fn host_function(store: &mut Store<Host>, ty: FuncType) -> Func {
    let types: Vec<_> = ty.results().collect();
    Func::new(store, ty, move |mut caller, _, results| {
        let left = match caller.data().fuel {
            Some(fuel) => fuel.get(&mut caller).unwrap_i64(),
            None => caller.get_fuel().unwrap().cast_signed(),
        };
        let host = caller.data_mut();
        host.calls.push(host.budget - left);
        let n = host.calls.len() as u32;
        for (result, ty) in results.iter_mut().zip(&types) {
            *result = value(ty.clone(), n);
        }
        Ok(())
    })
}

/// A value that depends on a number.
fn value(ty: ValType, n: u32) -> Val {
    match ty {
        ValType::I32 => Val::I32(n.cast_signed()),
        ValType::I64 => Val::I64(n.into()),
        ValType::F32 => Val::F32((n as f32).to_bits()),
        ValType::F64 => Val::F64(f64::from(n).to_bits()),
        ValType::V128 => Val::V128(u128::from(n).into()),
        ValType::Ref(_) => Val::FuncRef(None),
    }
}

fn text(value: &Val) -> String {
    match value {
        Val::FuncRef(function) => format!("funcref {}", function.is_some()),
        Val::V128(bits) => format!("v128 {:x}", bits.as_u128()),
        other => format!("{other:?}"),
    }
}

fn state(store: &mut Store<Host>, export: Extern) -> String {
    match export {
        Extern::Memory(memory) => {
            let bytes = memory.data(&store);
            format!("{} bytes, {:x}", bytes.len(), hash(bytes))
        }
        Extern::Global(global) => text(&global.get(store)),
        Extern::Table(table) => format!("{} elements", table.size(store)),
        _ => String::new(),
    }
}

/// A hash of a memory.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
