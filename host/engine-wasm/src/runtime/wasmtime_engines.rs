//! What a runtime does with wasmtime alone: its engines, the cache of its code, and its compiler.

use sandboard_abi::limits::REASON_BYTES;
use sandboard_common::text::clean_text;
use sandboard_component::CoreModules;
use sandboard_engine::Fault;
use wasmtime::Module;

use super::configuration::new_engine;
use super::{Metering, Prepared, RUNTIME_VERSION, Runtime, RuntimeKind, prepare, read};
use crate::backend::wasmtime::{Wasmtime, words};
use crate::code_cache::{CacheKey, CodeCache};
use crate::compiled_modules::CompiledModules;
use crate::load_fault;
use crate::scan::World;

impl Runtime {
    /// A runtime that caches compiled code.
    pub fn with_cache(cache: CodeCache) -> Self {
        Self { cache: Some(cache), ..Self::default() }
    }

    /// A runtime whose engines cannot be interrupted by deadlines and stop requests. Only for
    /// measuring the cost of interruption (`cargo xtask bench sandbox metering`).
    pub fn without_interruption() -> Self {
        Self { without_interruption: true, ..Self::default() }
    }

    /// The wasmtime engine for this metering.
    pub(crate) fn wasmtime(&self, metering: Metering) -> Result<&Wasmtime, Fault> {
        let cell = &self.wasmtime[metering as usize];
        if let Some(engine) = cell.get() {
            return Ok(engine);
        }
        let interruptible = !self.without_interruption;
        let engine = new_engine(metering, self.options, interruptible);
        let engine = Wasmtime(engine.map_err(|error| load_error(&error))?);
        Ok(cell.get_or_init(|| engine))
    }

    /// The cache, if there is one, and the key of a component in it.
    pub(super) fn cache_entry(
        &self,
        metering: Metering,
        bytes: &[u8],
    ) -> Result<Option<(&CodeCache, CacheKey)>, Fault> {
        match (&self.cache, self.options.kind) {
            (Some(cache), RuntimeKind::Wasmtime) => {
                let engine = self.wasmtime(metering)?;
                Ok(Some((cache, cache.key(&engine.0, metering, bytes))))
            }
            // What an interpreter needs is made faster than it is read.
            _ => Ok(None),
        }
    }

    /// The machine code of a prepared module.
    pub(super) fn precompile(&self, metering: Metering, module: &[u8]) -> Result<Vec<u8>, Fault> {
        let engine = self.wasmtime(metering)?;
        catch_panic(|| engine.0.precompile_module(module))
    }

    pub(super) fn compiled_modules(
        &self,
        engine: &Wasmtime,
        metering: Metering,
        bytes: &[u8],
        world: World,
    ) -> Result<CompiledModules<Wasmtime>, Fault> {
        if self.cache.is_none() && self.compiler.is_none() {
            let CoreModules { modules, wiring } = read(bytes, world)?;
            let modules = modules
                .into_iter()
                .map(|module| {
                    let Prepared { module, initialization_parts } = prepare(module, metering)?;
                    let module = catch_panic(|| Module::from_binary(&engine.0, &module))?;
                    Ok(Wasmtime::module(module, initialization_parts))
                })
                .collect::<Result<_, Fault>>()?;
            let compiled = CompiledModules::new(world.interface(), modules, wiring);
            return compiled.map_err(|error| load_fault(&error));
        }
        let modules = self.code(metering, bytes, world)?.of_wasmtime(engine, world);
        let modules = match (modules, &self.cache) {
            (Err(error), Some(cache)) => {
                let key = cache.key(&engine.0, metering, bytes);
                cache.discard(&key, &format!("cannot be used: {error}"));
                self.code(metering, bytes, world)?.of_wasmtime(engine, world)
            }
            (modules, _) => modules,
        };
        modules.map_err(|error| load_fault(&error))
    }
}

/// Compiles, and turns a panic of wasmtime into a fault of the component. A panic in the compiler
/// is a defect of wasmtime; it leaves nothing behind, because a compilation shares no state.
fn catch_panic<T>(compile: impl FnOnce() -> wasmtime::Result<T>) -> Result<T, Fault> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile)) {
        Ok(compiled) => compiled.map_err(|error| load_error(&error)),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            let words = clean_text(&words.unwrap_or("no reason").replace('\n', " "), REASON_BYTES);
            Err(load_fault(&format!("the compiler of {RUNTIME_VERSION} panicked: {words}")))
        }
    }
}

fn load_error(error: &wasmtime::Error) -> Fault {
    load_fault(&clean_text(&words(error).replace('\n', " "), REASON_BYTES))
}

#[cfg(test)]
mod tests {
    use sandboard_engine::FaultCode;

    use super::*;

    #[test]
    fn a_panic_of_the_compiler_is_a_fault_of_the_component() {
        let fault = catch_panic::<()>(|| panic!("invalid\ncode {}", 7)).unwrap_err();
        assert_eq!(fault.code, FaultCode::Load);
        let expected =
            format!("cannot be loaded: the compiler of {RUNTIME_VERSION} panicked: invalid code 7");
        assert_eq!(fault.sentence, expected);
        assert_eq!(catch_panic(|| Ok(7)), Ok(7));
    }

    #[test]
    fn the_runtime_version_is_that_of_the_lock_file() {
        let lock = include_str!("../../../../Cargo.lock");
        let (_, rest) = lock.split_once("name = \"wasmtime\"\nversion = \"").unwrap();
        let (version, _) = rest.split_once('"').unwrap();
        assert_eq!(RUNTIME_VERSION, format!("wasmtime {version}"));
    }
}
