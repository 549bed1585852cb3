//! Where workers come from: one jail for a process, started when the first worker is
//! needed. Makes sources of engines, and compiles. Knows no catalog and grants nothing.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sandboard_abi::Description;

use super::compile;
use super::instance::WorkerInstance;
use super::limits::CompileLimits;
use super::message::Task;
use crate::engine::commons;
use crate::engine::wasm::{
    Code, Compiler, Metering, PRICES_VERSION, RUNTIME_VERSION, Runtime, RuntimeOptions,
};
use crate::engine::{
    Assets, Caps, Confinement, Deaf, Engine, EngineSource, Fault, FaultCode, FuelClock, Listener,
    Patience,
};
use crate::jail::files::{empty, sealed};
use crate::jail::{Inmate, Jail, Layer, Order, Role};

/// What a thread takes beside its instance, in bytes: its stack, and what an allocator keeps for it.
const THREAD_BYTES: u64 = 4 << 20;

/// Makes workers. Shared by whoever needs some.
pub struct Workers {
    program: PathBuf,
    without: Vec<Layer>,
    jail: OnceLock<Result<Jail, String>>,
    compile_limits: CompileLimits,
    /// Whoever has it compiles; on all cores, so one is enough at a time.
    compiling: Mutex<()>,
}

impl Workers {
    /// Workers of this program, which is the binary `sandboard`, in a jail that is to do
    /// without some layers. Starts nothing yet.
    pub fn new(program: PathBuf, compile_limits: CompileLimits, without: &[Layer]) -> Arc<Self> {
        let (jail, compiling, without) = (OnceLock::new(), Mutex::default(), without.to_vec());
        Arc::new(Self { program, without, jail, compile_limits, compiling })
    }

    /// The jail that they are in. Err: there is none on this system, and what to do about it.
    pub fn jail(&self) -> Result<&Jail, Fault> {
        let start =
            || Jail::start_without(&self.program, &self.without).map_err(|error| error.to_string());
        self.jail
            .get_or_init(start)
            .as_ref()
            .map_err(|error| Fault::new(FaultCode::Host, format!("got no jail to run in: {error}")))
    }

    /// A native library, of which these are the bytes, each instance in a process of its own.
    pub fn native(
        self: &Arc<Self>,
        library: &[u8],
        caps: Caps,
        assets: &Assets,
    ) -> Result<WorkerSource, Fault> {
        let (names, files) = handed(library, assets)?;
        let task = Task::Native { caps, assets: names };
        self.source(task, files, caps, None)
    }

    /// A component, of which these are the bytes, each instance in a process of its own.
    /// `runtime` scans and compiles it, or has that done, and runs nothing of it.
    pub fn wasm(
        self: &Arc<Self>,
        runtime: &Runtime,
        component: &[u8],
        metering: Metering,
        caps: Caps,
        assets: &Assets,
    ) -> Result<WorkerSource, Fault> {
        let code = runtime.scanned_code(metering, component)?;
        let options = runtime.options();
        let (names, files) = handed(code.bytes(), assets)?;
        let task = Task::Wasm { metering, options, caps, assets: names };
        let fuel_clock = (metering == Metering::Fuel).then(|| FuelClock {
            runtime: RUNTIME_VERSION.into(),
            prices: PRICES_VERSION,
            opt_level: options.opt_level.to_string(),
        });
        self.source(task, files, caps, fuel_clock)
    }

    fn source(
        self: &Arc<Self>,
        task: Task,
        files: Vec<File>,
        caps: Caps,
        fuel_clock: Option<FuelClock>,
    ) -> Result<WorkerSource, Fault> {
        let confinement = self.confinement()?;
        let (workers, until_us) = (self.clone(), None);
        Ok(WorkerSource { workers, task, files, caps, fuel_clock, confinement, until_us })
    }

    /// What keeps its processes in.
    pub(crate) fn confinement(&self) -> Result<Confinement, Fault> {
        let layers = self.jail()?.layers();
        let below_minimum = layers.meets_minimum().err();
        let is_contest = self.compile_limits == CompileLimits::CONTEST;
        let below_minimum = below_minimum.filter(|_| is_contest);
        Ok(Confinement { layers: layers.words(), below_minimum })
    }

    /// What its jail lacks for a contest, if anything. Err: there is none.
    pub fn below_minimum(&self) -> Result<Option<String>, Fault> {
        Ok(self.jail()?.layers().meets_minimum().err())
    }

    pub(crate) fn spawn(&self, order: Order) -> Result<Inmate, Fault> {
        self.jail()?.spawn(order).map_err(|error| {
            Fault::new(FaultCode::Host, format!("got no process to run in: {error}"))
        })
    }
}

/// What is handed to each worker of a module: names of assets; files, the module first.
fn handed(module: &[u8], assets: &Assets) -> Result<(Vec<String>, Vec<File>), Fault> {
    let file = |name: &str, bytes: &[u8]| {
        sealed(name, bytes).map_err(|error| {
            let sentence = format!("cannot be handed to a worker: {error}");
            Fault::new(FaultCode::Host, sentence)
        })
    };
    let (mut names, mut files) = (Vec::new(), vec![file("module", module)?]);
    for (name, bytes) in assets.held() {
        names.push(name.to_owned());
        files.push(file("asset", bytes)?);
    }
    Ok((names, files))
}

/// A module each instance of which is a process.
pub struct WorkerSource {
    workers: Arc<Workers>,
    task: Task,
    files: Vec<File>,
    caps: Caps,
    fuel_clock: Option<FuelClock>,
    confinement: Confinement,
    /// When its instances are stopped, whatever they do.
    until_us: Option<u64>,
}

impl WorkerSource {
    /// The same source, whose instances are stopped when the time of this is over.
    pub fn within(self, patience: &Patience) -> Self {
        Self { until_us: Some(patience.until_us()), ..self }
    }

    /// What the engine says of itself, asked in a process that ends with it.
    pub fn describe(&self) -> Result<Description, Fault> {
        self.worker(Arc::new(Deaf), 1)?.describe()
    }

    /// What the instances in a worker hold that search with so many threads.
    fn memory_bytes(&self, threads: u16) -> u64 {
        let one = self.caps.memory_bytes;
        match self.task {
            Task::Wasm { .. } if threads > 1 => {
                let each = one.saturating_add(THREAD_BYTES);
                each.saturating_mul(threads.into()).saturating_add(commons::table_bytes(one))
            }
            _ => one,
        }
    }

    fn worker(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<WorkerInstance, Fault> {
        let files = self.files.iter().map(File::try_clone).collect::<io::Result<_>>();
        let files = files.map_err(|error| {
            Fault::new(FaultCode::Host, format!("cannot be handed to a worker: {error}"))
        })?;
        let role = match self.task {
            Task::Native { .. } => Role::Native,
            _ => Role::Wasm,
        };
        let memory_bytes = self.memory_bytes(threads);
        let (cpu_s, program) = (None, None);
        let order = Order { role, memory_bytes, cpu_s, file_bytes: 0, files, program };
        let inmate = self.workers.spawn(order)?;
        WorkerInstance::new(inmate, &self.task, self.caps, listener, self.until_us)
    }
}

impl EngineSource for WorkerSource {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        let mut worker = self.worker(listener, threads)?;
        worker.open()?;
        Ok(Box::new(worker))
    }

    fn fuel_clock(&self) -> Option<FuelClock> {
        self.fuel_clock.clone()
    }

    fn confinement(&self) -> Option<Confinement> {
        Some(self.confinement.clone())
    }
}

impl Compiler for Workers {
    fn compile(
        &self,
        bytes: &[u8],
        metering: Metering,
        options: RuntimeOptions,
    ) -> Result<Code, Fault> {
        let _turn = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        let no_file = |error: io::Error| {
            Fault::new(FaultCode::Host, format!("cannot be handed to a compiler: {error}"))
        };
        let module = sealed("module", bytes).map_err(no_file)?;
        let code = empty("code").map_err(no_file)?;
        let place = code.try_clone().map_err(no_file)?;
        let limits = self.compile_limits;
        let order = Order {
            role: Role::Compile,
            memory_bytes: limits.memory_bytes,
            cpu_s: Some(limits.cpu_s),
            file_bytes: limits.code_bytes,
            files: vec![module, code],
            program: None,
        };
        let inmate = self.spawn(order)?;
        compile::finish(inmate, &place, Task::Compile { metering, options }, limits)
    }
}
