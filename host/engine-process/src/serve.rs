//! The code of an engine process: one module with at most one instance, which serves the calls of
//! its host one by one. The host trusts nothing that it sends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Description, Level, Line, View};

use super::frame::{self, FrameError, HOST_MESSAGE_BYTES_MAX};
use super::message::{HostMessage, ProcessMessage, Task};
use sandboard_common::sys::heap;
use sandboard_engine::{
    Assets, Engine, EngineSource, Fault, FaultCode, Listener, RemoteRules, Resources, StopHandle,
    Usage,
};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::{
    Allocator, CompiledCode, Metering, Runtime, RuntimeOptions, WasmModule,
};
use sandboard_games::Games;
use sandboard_jail::ChildContext;

/// Serves the host until the host closes the channel. Returns the exit code of the process.
pub fn serve(context: ChildContext) -> i32 {
    match ProcessServer::run(context) {
        Ok(()) | Err(FrameError::Closed) => 0,
        Err(error) => {
            // The host keeps the end of this output and shows it with the fault.
            let _ = writeln!(io::stderr(), "sandboard engine process: {error}");
            1
        }
    }
}

/// Sends messages to the host, from all threads of this process.
#[derive(Debug)]
struct MessageSender(Mutex<UnixStream>);

impl MessageSender {
    fn send(&self, message: &ProcessMessage) -> io::Result<()> {
        let mut channel = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&mut *channel, message)
    }
}

impl Listener for MessageSender {
    fn report(&self, line: &Line) {
        // If the host is gone, the next read fails and ends the process.
        let _ = self.send(&ProcessMessage::Report(line.clone()));
    }

    fn log(&self, level: Level, text: &str) {
        let _ = self.send(&ProcessMessage::Log(level, text.to_owned()));
    }
}

/// Asks the host about a game that this process does not know. During a call the host sends nothing
/// but answers on this channel, and the main thread waits for the engine.
#[derive(Debug)]
struct HostRules {
    sender: Arc<MessageSender>,
    /// Locked from a question to its answer.
    channel: Mutex<UnixStream>,
}

impl HostRules {
    fn ask(&self, question: &ProcessMessage) -> Result<HostMessage, String> {
        let gone = |error: FrameError| format!("the host does not answer: {error}");
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        self.sender.send(question).map_err(|error| gone(error.into()))?;
        frame::read(&mut *channel, HOST_MESSAGE_BYTES_MAX).map_err(gone)
    }
}

impl RemoteRules for HostRules {
    fn legal(&self, moves: &str) -> Result<String, String> {
        match self.ask(&ProcessMessage::Legal(moves.to_owned()))? {
            HostMessage::Legal(answer) => answer,
            _ => Err(WRONG_ANSWER.into()),
        }
    }

    fn look(&self, moves: &str) -> Result<View, String> {
        match self.ask(&ProcessMessage::Look(moves.to_owned()))? {
            HostMessage::Look(answer) => answer,
            _ => Err(WRONG_ANSWER.into()),
        }
    }
}

/// The answer to a question that gets another message than its answer.
const WRONG_ANSWER: &str = "the host does not answer: it sent another message";

/// The number of the call in progress, and the last one that the host stopped. Both sides
/// count calls from 1.
#[derive(Default)]
struct StopState {
    call: u64,
    stopped_call: u64,
    stop_handle: Option<StopHandle>,
}

struct ProcessServer {
    channel: UnixStream,
    sender: Arc<MessageSender>,
    stops: Arc<Mutex<StopState>>,
    module: Result<Module, Fault>,
    engine: Option<Box<dyn Engine>>,
}

/// The loaded module.
enum Module {
    Native(NativeModule),
    Wasm(WasmModule),
}

impl ProcessServer {
    fn run(context: ChildContext) -> Result<(), FrameError> {
        let mut channel = context.channel;
        let sender = Arc::new(MessageSender(Mutex::new(channel.try_clone()?)));
        let HostMessage::Task(task) = frame::read(&mut channel, HOST_MESSAGE_BYTES_MAX)? else {
            return Err(FrameError::Unknown("a call before the task".into()));
        };
        let rules = HostRules { sender: sender.clone(), channel: Mutex::new(channel.try_clone()?) };
        let mut files = context.files.into_iter();
        let Some(module) = files.next() else {
            return Err(FrameError::Unknown("a task without a module".into()));
        };
        let module = match task {
            Task::Compile { metering, options } => {
                let code = compile(&module, files.next(), metering, options)?;
                return Ok(sender.send(&ProcessMessage::Compiled(code))?);
            }
            Task::Native { caps, assets } => {
                heap::share();
                let resources = resources(assets, files, rules)?;
                load_native(context.library.as_deref(), caps, resources)
            }
            Task::Wasm { metering, options, caps, assets } => {
                let resources = resources(assets, files, rules)?;
                let runtime = runtime(options);
                let code = CompiledCode::from_compiler(read_all(&module)?);
                WasmModule::from_code(&runtime, &code, metering, caps, resources).map(Module::Wasm)
            }
        };
        sender.send(&ProcessMessage::Ready(module.as_ref().map(drop).map_err(Fault::clone)))?;
        let stops = Arc::default();
        watch_stops(context.stop_channel, Arc::clone(&stops))?;
        let mut server = Self { channel, sender, stops, module, engine: None };
        loop {
            let call = frame::read(&mut server.channel, HOST_MESSAGE_BYTES_MAX)?;
            let answer = server.answer(call)?;
            server.sender.send(&answer)?;
        }
    }

    fn answer(&mut self, call: HostMessage) -> Result<ProcessMessage, FrameError> {
        match call {
            HostMessage::Task(_) => Err(FrameError::Unknown("a second task".into())),
            HostMessage::Legal(_) | HostMessage::Look(_) => {
                Err(FrameError::Unknown("an answer without a question".into()))
            }
            HostMessage::Describe => Ok(ProcessMessage::Described(self.describe())),
            HostMessage::Open => Ok(ProcessMessage::Opened(self.open())),
            call => {
                let engine = self.engine.as_mut();
                let engine = engine.ok_or(FrameError::Unknown("a call before open".into()))?;
                begin_call(&self.stops, engine.stop_handle());
                Ok(match call {
                    HostMessage::Start(setup) => ProcessMessage::Done(engine.start(&setup)),
                    HostMessage::Played(mv) => run_call(engine, |engine| engine.played(&mv)),
                    HostMessage::TakenBack(plies) => {
                        run_call(engine, |engine| engine.taken_back(plies))
                    }
                    HostMessage::Choose(limits, barred) => {
                        ProcessMessage::Chosen(engine.choose(&limits, &barred))
                    }
                    _ => ProcessMessage::Done(engine.think()),
                })
            }
        }
    }

    fn describe(&self) -> Result<Description, Fault> {
        match self.module.as_ref().map_err(Fault::clone)? {
            Module::Native(module) => module.describe(),
            Module::Wasm(module) => module.describe(),
        }
    }

    /// Makes the instance. Returns the fuel that this burned, in units.
    fn open(&mut self) -> Result<u64, Fault> {
        let sender: Arc<dyn Listener> = self.sender.clone();
        let engine = match self.module.as_ref().map_err(Fault::clone)? {
            Module::Native(module) => module.open(sender, 1)?,
            Module::Wasm(module) => module.open(sender, 1)?,
        };
        let fuel = engine.unbudgeted_fuel();
        self.engine = Some(engine);
        Ok(fuel)
    }
}

/// Makes a call that returns only the fuel that it burned.
fn run_call(
    engine: &mut Box<dyn Engine>,
    call: impl FnOnce(&mut dyn Engine) -> Result<(), Fault>,
) -> ProcessMessage {
    let before = engine.unbudgeted_fuel();
    let result = call(&mut **engine);
    let fuel = Some(engine.unbudgeted_fuel().saturating_sub(before));
    ProcessMessage::Done(result.map(|()| Usage { fuel, ..Usage::default() }))
}

/// The runtime of an engine process, for a single instance with memory from the system.
fn runtime(options: RuntimeOptions) -> Runtime {
    Runtime::new().with_options(RuntimeOptions { allocator: Allocator::OnDemand, ..options })
}

fn load_native(
    path: Option<&Path>,
    caps: sandboard_engine::Caps,
    resources: Resources,
) -> Result<Module, Fault> {
    let path = path.ok_or_else(|| {
        Fault::new(FaultCode::Host, "cannot be loaded: its process has no path for the library")
    })?;
    NativeModule::load(path, CallMode::OwnProcess, caps, resources).map(Module::Native)
}

/// Compiles a module into a file. Ok: the size of the code, in bytes, or why it cannot be compiled.
fn compile(
    module: &File,
    code: Option<File>,
    metering: Metering,
    options: RuntimeOptions,
) -> Result<Result<u64, String>, FrameError> {
    let Some(mut file) = code else {
        return Err(FrameError::Unknown("a compile task without a file for the code".into()));
    };
    let module = read_all(module)?;
    Ok(match runtime(options).compile_in_process(metering, &module) {
        Ok(code) => {
            file.write_all(code.bytes())?;
            Ok(code.bytes().len() as u64)
        }
        Err(fault) => Err(fault.sentence),
    })
}

/// Reads a whole file, independent of its read position, which other processes share.
fn read_all(file: &File) -> io::Result<Vec<u8>> {
    struct At<'a>(&'a File, u64);
    impl Read for At<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read_at(buffer, self.1)?;
            self.1 += count as u64;
            Ok(count)
        }
    }
    // By `fstat`: the filter of engine processes refuses calls that accept a path.
    let mut bytes = Vec::with_capacity(rustix::fs::fstat(file)?.st_size.max(0) as usize);
    At(file, 0).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What the instance may query: the files with these names, the built-in games, and the host about
/// other games.
fn resources(
    assets: Vec<String>,
    files: impl Iterator<Item = File>,
    rules: HostRules,
) -> io::Result<Resources> {
    let assets = Assets::from_files(assets.into_iter().zip(files))?;
    let remote_rules: Arc<dyn RemoteRules> = Arc::new(rules);
    Ok(Resources { assets, games: Games::default(), remote_rules: Some(remote_rules) })
}

fn lock(stops: &Mutex<StopState>) -> MutexGuard<'_, StopState> {
    stops.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a call, which the host may already have stopped.
fn begin_call(stops: &Mutex<StopState>, stop_handle: StopHandle) {
    let mut stops = lock(stops);
    stops.call += 1;
    stop_handle.clear();
    if stops.stopped_call >= stops.call {
        stop_handle.stop();
    }
    stops.stop_handle = Some(stop_handle);
}

/// Receives stop requests on a thread of its own, because the main thread may be in the call that
/// must stop.
fn watch_stops(mut stop_channel: UnixStream, stops: Arc<Mutex<StopState>>) -> io::Result<()> {
    let watch = move || {
        let mut call = [0; 8];
        while stop_channel.read_exact(&mut call).is_ok() {
            let mut stops = lock(&stops);
            stops.stopped_call = stops.stopped_call.max(u64::from_le_bytes(call));
            if let Some(stop_handle) =
                stops.stop_handle.as_ref().filter(|_| stops.stopped_call == stops.call)
            {
                stop_handle.stop();
            }
        }
    };
    std::thread::Builder::new().name("stops".into()).spawn(watch).map(drop)
}
