//! Code of the core modules of a component, compiled by this host, and how they are wired.

use sandboard_component::Wiring;
use serde::{Deserialize, Serialize};

use crate::backend::Backend;
#[cfg(target_family = "wasm")]
use crate::backend::javascript::JavaScript;
#[cfg(feature = "wasmi")]
use crate::backend::wasmi::Wasmi;
#[cfg(not(target_family = "wasm"))]
use crate::backend::wasmtime::{Wasmtime, words};
use crate::compiled_modules::{CompiledModule, CompiledModules, Mismatch};
use crate::scan::World;

/// Unchanged output of wasmtime's compiler, or for an interpreter instrumented modules, after a
/// header. Bytes from any other source would run outside the sandbox.
pub struct CompiledCode(Vec<u8>);

/// How the modules are wired, and what is known of each. A component that fits two interfaces has
/// two wirings.
#[derive(Serialize, Deserialize)]
struct Header {
    engine: Option<Wiring>,
    judge: Option<Wiring>,
    modules: Vec<ModuleHeader>,
}

#[derive(Serialize, Deserialize)]
struct ModuleHeader {
    code_bytes: usize,
    initialization_parts: u64,
}

/// The code of a core module.
pub(crate) struct ModuleCode {
    pub(crate) code: Vec<u8>,
    /// The price of instantiating it, in parts of a unit.
    pub(crate) initialization_parts: u64,
}

/// Why the code of a component cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodeError {
    #[error("is not complete")]
    Incomplete,
    #[error("has a header that cannot be read: {0}")]
    Header(serde_json::Error),
    #[error("was not compiled for {0}")]
    OtherInterface(&'static str),
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    #[error("{0}")]
    Refused(String),
}

impl CompiledCode {
    /// Wraps the output of a compiler in this process or in a process that this host started. In
    /// such a process, wraps the code that it received from its host.
    pub fn from_compiler(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// Puts the code of compiled modules and their wirings together.
    pub(crate) fn new(
        engine: Option<Wiring>,
        judge: Option<Wiring>,
        modules: &[ModuleCode],
    ) -> serde_json::Result<Self> {
        let header_of = |module: &ModuleCode| ModuleHeader {
            code_bytes: module.code.len(),
            initialization_parts: module.initialization_parts,
        };
        let headers = modules.iter().map(header_of).collect();
        let header = serde_json::to_vec(&Header { engine, judge, modules: headers })?;
        let mut code = (header.len() as u64).to_le_bytes().to_vec();
        code.extend(header);
        modules.iter().for_each(|module| code.extend(&module.code));
        Ok(Self(code))
    }

    /// Wraps code from the cache whose hash was checked.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn from_cache(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// The bytes, for the cache or another process.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Deserialises the component for an interface. Err: the code is that of another runtime, or of
    /// a component for another interface.
    #[cfg(not(target_family = "wasm"))]
    #[expect(unsafe_code, reason = "wasmtime trusts the code that it deserialises")]
    pub(crate) fn of_wasmtime(
        &self,
        engine: &Wasmtime,
        world: World,
    ) -> Result<CompiledModules<Wasmtime>, CodeError> {
        self.modules(world, |code, initialization_parts| {
            // SAFETY: the bytes are unchanged output of wasmtime. All constructors require it, and
            // the cache checks the hash and the owner of a file. Wasmtime itself refuses output of
            // another version or configuration.
            let module = unsafe { wasmtime::Module::deserialize(&engine.0, code) };
            let module = module.map_err(|error| CodeError::Refused(words(&error)))?;
            Ok(Wasmtime::module(module, initialization_parts))
        })
    }

    /// Translates the component for an interface. Err: as above.
    #[cfg(feature = "wasmi")]
    pub(crate) fn of_wasmi(
        &self,
        engine: &Wasmi,
        world: World,
    ) -> Result<CompiledModules<Wasmi>, CodeError> {
        self.modules(world, |code, initialization_parts| {
            engine.module(code, initialization_parts).map_err(CodeError::Refused)
        })
    }

    /// Compiles the component for an interface. Err: as above.
    #[cfg(target_family = "wasm")]
    pub(crate) fn of_javascript(
        &self,
        engine: JavaScript,
        world: World,
    ) -> Result<CompiledModules<JavaScript>, CodeError> {
        self.modules(world, |code, initialization_parts| {
            engine.module(code, initialization_parts).map_err(CodeError::Refused)
        })
    }

    fn modules<B: Backend>(
        &self,
        world: World,
        module: impl Fn(&[u8], u64) -> Result<CompiledModule<B>, CodeError>,
    ) -> Result<CompiledModules<B>, CodeError> {
        let (header, mut rest) = self.header()?;
        let mut modules = Vec::new();
        for header in &header.modules {
            let (code, after) =
                rest.split_at_checked(header.code_bytes).ok_or(CodeError::Incomplete)?;
            rest = after;
            modules.push(module(code, header.initialization_parts)?);
        }
        let wiring = match world {
            World::Engine => header.engine,
            World::Judge => header.judge,
        };
        let wiring = wiring.ok_or(CodeError::OtherInterface(world.noun()))?;
        Ok(CompiledModules::new(world.interface(), modules, wiring)?)
    }

    fn header(&self) -> Result<(Header, &[u8]), CodeError> {
        let (length, rest) = self.0.split_first_chunk().ok_or(CodeError::Incomplete)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (header, rest) = rest.split_at_checked(length).ok_or(CodeError::Incomplete)?;
        Ok((serde_json::from_slice(header).map_err(CodeError::Header)?, rest))
    }
}

#[cfg(test)]
mod tests {
    use sandboard_builder::component::{GAME_WIT, wrap_core_module};

    use super::*;
    use crate::{Metering, Runtime};

    const GAME: &str = include_str!("../../../tests/fixtures/games/plies.wat");

    #[test]
    fn code_is_used_for_its_interface_and_only_if_it_is_complete() {
        let component = wrap_core_module(wat::parse_str(GAME).unwrap(), GAME_WIT).unwrap();
        let runtime = Runtime::new();
        let code = runtime.compile_in_process(Metering::Fuel, &component).unwrap();
        let check = |bytes: &[u8], world: World, expected: Option<&str>| {
            let engine = runtime.wasmtime(Metering::Fuel).unwrap();
            let code = CompiledCode::from_compiler(bytes.to_vec());
            let error =
                code.of_wasmtime(engine, world).map(drop).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected);
        };
        let bytes = code.bytes();
        check(bytes, World::Judge, None);
        check(bytes, World::Engine, Some("was not compiled for an engine"));
        let incomplete = Some("is not complete");
        check(b"", World::Judge, incomplete);
        check(&bytes[..7], World::Judge, incomplete);
        check(&bytes[..8], World::Judge, incomplete);
        check(&bytes[..bytes.len() - 1], World::Judge, incomplete);
        let mut changed = bytes.to_vec();
        changed[8] = b'x';
        let expected = "has a header that cannot be read: expected value at line 1 column 1";
        check(&changed, World::Judge, Some(expected));
    }
}
