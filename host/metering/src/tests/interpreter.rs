//! Runs instrumented modules with an interpreter, whose [`Report`] must be that of the compiler.

use wasmi::{
    Config, Engine, Error, Extern, ExternType, Func, FuncType, Global, Instance, Memory, Module,
    Mutability, Ref, Store, StoreLimits, StoreLimitsBuilder, Table, TrapCode, Val, ValType,
};
use wasmtime::Trap;

use super::run::{Call, End, Report, hash};
use crate::{COUNTER_MODULE, FUEL, instrument};

/// The state of a store.
struct Host {
    limits: StoreLimits,
    fuel: Option<Global>,
    budget: i64,
    calls: Vec<i64>,
}

/// An interpreter whose stack is larger than a test needs.
pub(super) struct Interpreter(Engine);

impl Interpreter {
    pub(super) fn new() -> Self {
        let mut config = Config::default();
        config.wasm_tail_call(false).set_max_recursion_depth(1 << 20);
        config.set_max_stack_height(64 << 20);
        Self(Engine::new(&config))
    }

    /// Instruments the module and runs it.
    pub(super) fn instrumented(&self, module: &[u8], fuel: i64, stack: i32) -> Report {
        let instrumented = instrument(module).unwrap();
        let module = Module::new(&self.0, &instrumented).unwrap();
        let limits = StoreLimitsBuilder::new().memory_size(4 << 20).table_elements(5_000).build();
        let host = Host { limits, fuel: None, budget: fuel, calls: Vec::new() };
        let mut store = Store::new(&self.0, host);
        store.limiter(|host| &mut host.limits);
        let counters = [Val::I64(fuel), Val::I32(stack)]
            .map(|value| Global::new(&mut store, value, Mutability::Var));
        store.data_mut().fuel = Some(counters[0]);
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
                report.calls.push(call(&store, counters, Ok(String::new())));
                Some(instance)
            }
            Err(error) => {
                report.calls.push(call(&store, counters, Err(error)));
                None
            }
        };
        if let Some(instance) = instance {
            // Their order is that of the file, as in the other runtime.
            run_exports(&mut store, instance, &exports(&instrumented), counters, &mut report);
        }
        report.stack_left = counters[1].get(&store).i32().unwrap();
        report.host_calls = std::mem::take(&mut store.data_mut().calls);
        report
    }
}

/// The names of a module's exports.
fn exports(module: &[u8]) -> Vec<String> {
    let payloads = wasmparser::Parser::new(0).parse_all(module).map(Result::unwrap);
    payloads
        .filter_map(|payload| match payload {
            wasmparser::Payload::ExportSection(exports) => Some(exports),
            _ => None,
        })
        .flatten()
        .map(|export| export.unwrap().name.to_owned())
        .collect()
}

fn run_exports(
    store: &mut Store<Host>,
    instance: Instance,
    exports: &[String],
    counters: [Global; 2],
    report: &mut Report,
) {
    for name in exports {
        let Some(function) = instance.get_func(&*store, name) else { continue };
        let ty = function.ty(&*store);
        let arguments: Vec<_> = ty.params().iter().zip(7..).map(|(ty, n)| value(*ty, n)).collect();
        let mut results = vec![Val::I32(0); ty.results().len()];
        let returned = function.call(&mut *store, &arguments, &mut results);
        let returned = returned.map(|()| results.iter().map(text).collect::<Vec<_>>().join(" "));
        let call = call(store, counters, returned);
        let ended = !matches!(call.end, End::Returned(_));
        report.calls.push(call);
        if ended {
            break;
        }
    }
    for name in exports {
        let export = instance.get_export(&*store, name).unwrap();
        report.state.push(format!("{name}: {}", state(store, export)));
    }
}

/// What a call that has ended did.
fn call(store: &Store<Host>, [fuel, stack]: [Global; 2], returned: Result<String, Error>) -> Call {
    let left = fuel.get(store).i64().unwrap();
    let is_deep = stack.get(store).i32().unwrap() < 0;
    let end = match returned {
        _ if left < 0 => End::OutOfFuel,
        Ok(values) => End::Returned(values),
        Err(_) if is_deep => End::StackOverflow,
        Err(error) => match trap(&error) {
            Some(trap) => End::Trapped(trap.to_string()),
            None => End::Trapped(error.to_string()),
        },
    };
    Call { end, spent: store.data().budget - left }
}

/// The trap of an error, as the other runtime names it. None: it is another error.
fn trap(error: &Error) -> Option<Trap> {
    let text = error.to_string();
    Some(match error.as_trap_code() {
        Some(TrapCode::UnreachableCodeReached) => Trap::UnreachableCodeReached,
        Some(TrapCode::MemoryOutOfBounds) => Trap::MemoryOutOfBounds,
        Some(TrapCode::TableOutOfBounds) => Trap::TableOutOfBounds,
        Some(TrapCode::IndirectCallToNull) => Trap::IndirectCallToNull,
        Some(TrapCode::IntegerDivisionByZero) => Trap::IntegerDivisionByZero,
        Some(TrapCode::IntegerOverflow) => Trap::IntegerOverflow,
        Some(TrapCode::BadConversionToInteger) => Trap::BadConversionToInteger,
        Some(TrapCode::BadSignature) => Trap::BadSignature,
        // Segments that are copied at instantiation.
        None if text.starts_with("out of bounds table access") => Trap::TableOutOfBounds,
        None if text.starts_with("out of bounds memory access") => Trap::MemoryOutOfBounds,
        _ => return None,
    })
}

/// An import of this type. Functions note the fuel that is spent.
fn provide(store: &mut Store<Host>, ty: &ExternType) -> Extern {
    match ty {
        ExternType::Func(ty) => host_function(store, ty).into(),
        ExternType::Global(ty) => {
            Global::new(store, value(ty.content(), 3), ty.mutability()).into()
        }
        ExternType::Memory(ty) => Memory::new(store, *ty).unwrap().into(),
        ExternType::Table(ty) => Table::new(store, *ty, Val::FuncRef(Ref::Null)).unwrap().into(),
    }
}

fn host_function(store: &mut Store<Host>, ty: &FuncType) -> Func {
    let types: Vec<_> = ty.results().to_vec();
    Func::new(store, ty.clone(), move |mut caller, _, results| {
        let fuel = caller.data().fuel.unwrap().get(&caller).i64().unwrap();
        let host = caller.data_mut();
        host.calls.push(host.budget - fuel);
        let n = host.calls.len() as u32;
        for (result, ty) in results.iter_mut().zip(&types) {
            *result = value(*ty, n);
        }
        Ok(())
    })
}

/// A value that depends on a number.
fn value(ty: ValType, n: u32) -> Val {
    match ty {
        ValType::I32 => Val::I32(n.cast_signed()),
        ValType::I64 => Val::I64(n.into()),
        ValType::F32 => Val::F32((n as f32).into()),
        ValType::F64 => Val::F64(f64::from(n).into()),
        ValType::V128 => Val::V128(u128::from(n).into()),
        ValType::FuncRef => Val::FuncRef(Ref::Null),
        ValType::ExternRef => Val::ExternRef(Ref::Null),
    }
}

/// A value in the words of the other runtime.
fn text(value: &Val) -> String {
    match value {
        Val::FuncRef(function) => format!("funcref {}", !matches!(function, Ref::Null)),
        Val::V128(bits) => format!("v128 {:x}", bits.as_u128()),
        Val::F32(value) => format!("F32({})", value.to_bits()),
        Val::F64(value) => format!("F64({})", value.to_bits()),
        other => format!("{other:?}"),
    }
}

fn state(store: &Store<Host>, export: Extern) -> String {
    match export {
        Extern::Memory(memory) => {
            let bytes = memory.data(store);
            format!("{} bytes, {:x}", bytes.len(), hash(bytes))
        }
        Extern::Global(global) => text(&global.get(store)),
        Extern::Table(table) => format!("{} elements", table.size(store)),
        Extern::Func(_) => String::new(),
    }
}
