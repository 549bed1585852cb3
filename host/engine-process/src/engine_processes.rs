//! Makes engine processes, and compiles in jailed processes. Starts one jail when the first process
//! is needed. Knows no catalog and decides no permission.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sandboard_abi::Description;

use super::compile;
use super::engine_process::EngineProcess;
use super::limits::CompileLimits;
use super::message::Task;
use sandboard_engine::{
    Assets, Caps, Confinement, Engine, EngineSource, Fault, FaultCode, FuelMeter, Listener,
    NullListener, Resources, SharedTable, TestBudget,
};
use sandboard_engine_wasm::{CompiledCode, Compiler, Metering, Runtime, RuntimeOptions};
use sandboard_games::Games;
use sandboard_jail::files::{empty_file, sealed_file};
use sandboard_jail::{Jail, JailedProcess, Layer, Role, SpawnRequest};

/// The memory of a thread in addition to its instance, in bytes: its stack and the reserve of the
/// allocator.
const THREAD_BYTES: u64 = 4 << 20;

/// Makes engine processes in one jail. Shared by all loaders of this process.
pub struct EngineProcesses {
    program: PathBuf,
    without: Vec<Layer>,
    jail: OnceLock<Result<Jail, String>>,
    compile_limits: CompileLimits,
    /// Held during a compilation. Each uses all cores, so one at a time is enough.
    compiling: Mutex<()>,
}

impl EngineProcesses {
    /// Prepares engine processes of this program, the binary `sandboard`, in a jail without these
    /// layers. Starts no process yet.
    pub fn new(program: PathBuf, compile_limits: CompileLimits, without: &[Layer]) -> Arc<Self> {
        let (jail, compiling, without) = (OnceLock::new(), Mutex::default(), without.to_vec());
        Arc::new(Self { program, without, jail, compile_limits, compiling })
    }

    /// The jail of the processes. Err: why this system has none, and what to do.
    pub fn jail(&self) -> Result<&Jail, Fault> {
        let start =
            || Jail::start_without(&self.program, &self.without).map_err(|error| error.to_string());
        self.jail
            .get_or_init(start)
            .as_ref()
            .map_err(|error| Fault::new(FaultCode::Host, format!("has no jail to run in: {error}")))
    }

    /// A source for a native library with these bytes. Each instance runs in a process of its own.
    pub fn native(
        self: &Arc<Self>,
        library: &[u8],
        caps: Caps,
        resources: &Resources,
    ) -> Result<EngineProcessSource, Fault> {
        let (names, files) = sealed_files(library, &resources.assets)?;
        let task = Task::Native { caps, assets: names };
        self.source(task, files, caps, None, &resources.games)
    }

    /// A source for a component with these bytes. Each instance runs in a process of its own.
    /// `runtime` scans and compiles it here or in another process, and runs no code of it.
    pub fn wasm(
        self: &Arc<Self>,
        runtime: &Runtime,
        component: &[u8],
        metering: Metering,
        caps: Caps,
        resources: &Resources,
    ) -> Result<EngineProcessSource, Fault> {
        let code = runtime.compile_scanned(metering, component)?;
        let options = runtime.options();
        let (names, files) = sealed_files(code.bytes(), &resources.assets)?;
        let task = Task::Wasm { metering, options, caps, assets: names };
        let fuel_meter = metering.fuel_meter(options.opt_level);
        self.source(task, files, caps, fuel_meter, &resources.games)
    }

    fn source(
        self: &Arc<Self>,
        task: Task,
        files: Vec<File>,
        caps: Caps,
        fuel_meter: Option<FuelMeter>,
        games: &Games,
    ) -> Result<EngineProcessSource, Fault> {
        Ok(EngineProcessSource {
            processes: self.clone(),
            task,
            files,
            caps,
            fuel_meter,
            games: games.clone(),
            confinement: self.confinement()?,
            until_us: None,
        })
    }

    /// The layers that confine the processes.
    pub(crate) fn confinement(&self) -> Result<Confinement, Fault> {
        let layers = self.jail()?.layers();
        let below_minimum = layers.meets_minimum().err();
        let is_contest = self.compile_limits == CompileLimits::CONTEST;
        let below_minimum = below_minimum.filter(|_| is_contest);
        Ok(Confinement { layers: layers.words(), below_minimum })
    }

    /// What the jail lacks for a contest, if anything. Err: there is no jail.
    pub fn below_minimum(&self) -> Result<Option<String>, Fault> {
        Ok(self.jail()?.layers().meets_minimum().err())
    }

    pub(crate) fn spawn(&self, request: SpawnRequest) -> Result<JailedProcess, Fault> {
        self.jail()?.spawn(request).map_err(|error| {
            Fault::new(FaultCode::Host, format!("has no process to run in: {error}"))
        })
    }
}

/// The names of the assets, and the sealed files of each process: the module first.
fn sealed_files(module: &[u8], assets: &Assets) -> Result<(Vec<String>, Vec<File>), Fault> {
    let file = |name: &str, bytes: &[u8]| {
        sealed_file(name, bytes).map_err(|error| {
            let sentence = format!("cannot be passed to its process: {error}");
            Fault::new(FaultCode::Host, sentence)
        })
    };
    let (mut names, mut files) = (Vec::new(), vec![file("module", module)?]);
    for (name, bytes) in assets.in_memory() {
        names.push(name.to_owned());
        files.push(file("asset", bytes)?);
    }
    Ok((names, files))
}

/// A source of engines that runs each instance in a process of its own.
pub struct EngineProcessSource {
    processes: Arc<EngineProcesses>,
    task: Task,
    files: Vec<File>,
    caps: Caps,
    fuel_meter: Option<FuelMeter>,
    games: Games,
    confinement: Confinement,
    /// When work of its instances is stopped, in microseconds of the host's clock.
    until_us: Option<u64>,
}

impl EngineProcessSource {
    /// The same source, whose instances stop when the time of this budget is over.
    pub fn within(self, budget: &TestBudget) -> Self {
        Self { until_us: Some(budget.deadline_us()), ..self }
    }

    /// The engine's description, from a process that then ends.
    pub fn describe(&self) -> Result<Description, Fault> {
        self.spawn(Arc::new(NullListener), 1)?.describe()
    }

    /// The memory of the instances in a process that searches with this number of threads, in
    /// bytes.
    fn memory_bytes(&self, threads: u16) -> u64 {
        let one = self.caps.memory_bytes;
        match self.task {
            Task::Wasm { .. } if threads > 1 => {
                let each = one.saturating_add(THREAD_BYTES);
                each.saturating_mul(threads.into()).saturating_add(SharedTable::bytes_for(one))
            }
            _ => one,
        }
    }

    fn spawn(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<EngineProcess, Fault> {
        let files = self.files.iter().map(File::try_clone).collect::<io::Result<_>>();
        let files = files.map_err(|error| {
            Fault::new(FaultCode::Host, format!("cannot be passed to its process: {error}"))
        })?;
        let role = match self.task {
            Task::Native { .. } => Role::Native,
            _ => Role::Wasm,
        };
        let memory_bytes = self.memory_bytes(threads);
        let (cpu_s, program) = (None, None);
        let request = SpawnRequest { role, memory_bytes, cpu_s, file_bytes: 0, files, program };
        let process = self.processes.spawn(request)?;
        EngineProcess::new(
            process,
            &self.task,
            self.caps,
            self.games.clone(),
            listener,
            self.until_us,
        )
    }
}

impl EngineSource for EngineProcessSource {
    fn open(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<Box<dyn Engine>, Fault> {
        let mut engine = self.spawn(listener, threads)?;
        engine.open()?;
        Ok(Box::new(engine))
    }

    fn fuel_meter(&self) -> Option<FuelMeter> {
        self.fuel_meter.clone()
    }

    fn confinement(&self) -> Option<Confinement> {
        Some(self.confinement.clone())
    }
}

impl Compiler for EngineProcesses {
    fn compile(
        &self,
        bytes: &[u8],
        metering: Metering,
        options: RuntimeOptions,
    ) -> Result<CompiledCode, Fault> {
        let _turn = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        let file_fault = |error: io::Error| {
            Fault::new(FaultCode::Host, format!("cannot be passed to the compiler: {error}"))
        };
        let module = sealed_file("module", bytes).map_err(file_fault)?;
        let code = empty_file("code").map_err(file_fault)?;
        let code_file = code.try_clone().map_err(file_fault)?;
        let limits = self.compile_limits;
        let request = SpawnRequest {
            role: Role::Compile,
            memory_bytes: limits.memory_bytes,
            cpu_s: Some(limits.cpu_s),
            file_bytes: limits.code_bytes,
            files: vec![module, code],
            program: None,
        };
        let process = self.spawn(request)?;
        compile::finish(process, &code_file, Task::Compile { metering, options }, limits)
    }
}
