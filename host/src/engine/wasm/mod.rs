//! Engines as wasm components, run in this process: capped in memory, stack,
//! time and output, with no import but the border's. Compiles and runs; reads
//! no manifest and judges no move.

mod cache;
mod convert;
mod exports;
mod faults;
mod helper;
mod imports;
mod instance;
mod limiter;
pub mod prices;
mod purse;
mod runtime;
pub mod scan;
mod team;

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Description, limits};
use wasmtime::component::Component;

pub use cache::{CACHE_BYTES, Cache, Code};
pub use prices::PRICES_VERSION;
pub use runtime::{
    Allocator, Compiler, Metering, OptLevel, Otherwise, RUNTIME_VERSION, Runtime, RuntimeOptions,
};

use super::desk::clean_text;
use super::meter::STOP_GRACE_US;
use super::{Assets, Caps, Deaf, Engine, EngineSource, Fault, FaultCode, FuelClock, Listener};
use instance::{State, WasmInstance};
use team::Team;

#[allow(missing_docs, clippy::all)]
pub(crate) mod bindings {
    wasmtime::component::bindgen!({
        path: "../abi/wit/since-v1",
        world: "sandboard",
    });
}

/// A compiled component, ready to be started any number of times.
pub struct WasmModule {
    recipe: Arc<Recipe>,
    opt_level: OptLevel,
}

/// What every instance of a module is made of.
struct Recipe {
    pre: bindings::SandboardPre<State>,
    metering: Metering,
    caps: Caps,
    assets: Assets,
}

impl WasmModule {
    /// Compiles the component in a file, or takes the host's own earlier output from the
    /// runtime's cache. Err: a load fault that says what is wrong with it.
    pub fn load(
        runtime: &Runtime,
        bytes: &[u8],
        metering: Metering,
        caps: Caps,
        assets: Assets,
    ) -> Result<Self, Fault> {
        let component = runtime.component(metering, &runtime.admit(bytes)?)?;
        Self::of_component(runtime, component, metering, caps, assets)
    }

    /// A component of which the machine code is there already, made by a runtime with the
    /// same options.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_code(
        runtime: &Runtime,
        code: &Code,
        metering: Metering,
        caps: Caps,
        assets: Assets,
    ) -> Result<Self, Fault> {
        let flavour = runtime.flavour(metering).map_err(refused)?;
        let component = code.component(&flavour.engine).map_err(refused)?;
        Self::of_component(runtime, component, metering, caps, assets)
    }

    fn of_component(
        runtime: &Runtime,
        component: Component,
        metering: Metering,
        caps: Caps,
        assets: Assets,
    ) -> Result<Self, Fault> {
        let flavour = runtime.flavour(metering).map_err(refused)?;
        exports::check(&component, &flavour.engine)
            .map_err(|reason| unsound(&clean_text(&reason, limits::REASON_BYTES)))?;
        let pre = flavour.linker.instantiate_pre(&component).map_err(refused)?;
        let pre = bindings::SandboardPre::new(pre).map_err(refused)?;
        let opt_level = runtime.options().opt_level;
        let recipe = Arc::new(Recipe { pre, metering, caps, assets });
        Ok(Self { recipe, opt_level })
    }

    /// The same from a file.
    pub fn load_file(
        runtime: &Runtime,
        path: &Path,
        metering: Metering,
        caps: Caps,
        assets: Assets,
    ) -> Result<Self, Fault> {
        let bytes = std::fs::read(path).map_err(|error| {
            Fault::new(FaultCode::Load, format!("cannot be read from {}: {error}", path.display()))
        })?;
        Self::load(runtime, &bytes, metering, caps, assets)
    }

    /// What the engine says of itself, asked of a fresh instance.
    pub fn describe(&self) -> Result<Description, Fault> {
        WasmInstance::new(&self.recipe, Arc::new(Deaf), STOP_GRACE_US)?.describe()
    }
}

/// The fault of a component that is not loaded.
fn unsound(reason: &dyn std::fmt::Display) -> Fault {
    Fault::new(FaultCode::Load, format!("cannot be loaded: {reason}"))
}

fn refused(error: wasmtime::Error) -> Fault {
    unsound(&faults::one_line(&error))
}

impl EngineSource for WasmModule {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        _threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        Ok(Box::new(Team::new(&self.recipe, listener)?))
    }

    fn fuel_clock(&self) -> Option<FuelClock> {
        (self.recipe.metering == Metering::Fuel).then(|| FuelClock {
            runtime: RUNTIME_VERSION.into(),
            prices: PRICES_VERSION,
            opt_level: self.opt_level.to_string(),
        })
    }
}
