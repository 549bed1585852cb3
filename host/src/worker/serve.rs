//! What a worker does in its jail: one module, at most one instance of it, one call
//! after the other as its host asks. Nothing here is believed by the host.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Description, Level, Line};

use super::frame::{self, FrameError, TO_WORKER_BYTES};
use super::message::{FromWorker, Task, ToWorker};
use crate::engine::native::{Calls, NativeModule};
use crate::engine::wasm::{Allocator, Code, Metering, Runtime, RuntimeOptions, WasmModule};
use crate::engine::{Assets, Control, Engine, EngineSource, Fault, FaultCode, Listener, Spent};
use crate::jail::Cell;
use crate::sys::heap;

/// Does what the host of this worker says, until it says no more. Comes back with the
/// process's exit code.
pub fn serve(cell: Cell) -> i32 {
    match Worker::run(cell) {
        Ok(()) | Err(FrameError::Closed) => 0,
        Err(error) => {
            // To whoever reads a worker's output: its host keeps the end of it.
            let _ = writeln!(io::stderr(), "sandboard worker: {error}");
            1
        }
    }
}

/// The host's ear, for all threads of this process.
struct Voice(Mutex<UnixStream>);

impl Voice {
    fn say(&self, message: &FromWorker) -> io::Result<()> {
        let mut channel = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&mut *channel, message)
    }
}

impl Listener for Voice {
    fn report(&self, line: &Line) {
        // A host that is gone hears nothing, and the next read finds that out.
        let _ = self.say(&FromWorker::Report(line.clone()));
    }

    fn log(&self, level: Level, text: &str) {
        let _ = self.say(&FromWorker::Log(level, text.to_owned()));
    }
}

/// Which call is in progress and up to which one the host has said stop; calls are counted
/// by both sides, from 1.
#[derive(Default)]
struct Stops {
    call: u64,
    stopped: u64,
    control: Option<Control>,
}

struct Worker {
    channel: UnixStream,
    voice: Arc<Voice>,
    stops: Arc<Mutex<Stops>>,
    module: Result<Module, Fault>,
    engine: Option<Box<dyn Engine>>,
}

/// What was loaded.
enum Module {
    Native(NativeModule),
    Wasm(WasmModule),
}

impl Worker {
    fn run(cell: Cell) -> Result<(), FrameError> {
        let mut channel = cell.channel;
        let voice = Arc::new(Voice(Mutex::new(channel.try_clone()?)));
        let ToWorker::Task(task) = frame::read(&mut channel, TO_WORKER_BYTES)? else {
            return Err(FrameError::Unknown("a call before the task".into()));
        };
        let mut files = cell.files.into_iter();
        let Some(module) = files.next() else {
            return Err(FrameError::Unknown("a task without a module".into()));
        };
        let module = match task {
            Task::Compile { metering, options } => {
                let code = compile(&module, files.next(), metering, options)?;
                return Ok(voice.say(&FromWorker::Compiled(code))?);
            }
            Task::Native { caps, assets } => {
                heap::share();
                let assets = in_files(assets, files)?;
                load_native(cell.library.as_deref(), caps, assets)
            }
            Task::Wasm { metering, options, caps, assets } => {
                let assets = in_files(assets, files)?;
                let runtime = runtime(options);
                let code = Code::compiled(read_all(&module)?);
                WasmModule::of_code(&runtime, &code, metering, caps, assets).map(Module::Wasm)
            }
        };
        voice.say(&FromWorker::Ready(module.as_ref().map(drop).map_err(Fault::clone)))?;
        let stops = Arc::default();
        hear_stops(cell.stops, Arc::clone(&stops))?;
        let mut worker = Self { channel, voice, stops, module, engine: None };
        loop {
            let call = frame::read(&mut worker.channel, TO_WORKER_BYTES)?;
            let answer = worker.answer(call)?;
            worker.voice.say(&answer)?;
        }
    }

    fn answer(&mut self, call: ToWorker) -> Result<FromWorker, FrameError> {
        match call {
            ToWorker::Task(_) => Err(FrameError::Unknown("a second task".into())),
            ToWorker::Describe => Ok(FromWorker::Described(self.describe())),
            ToWorker::Open => Ok(FromWorker::Opened(self.open())),
            call => {
                let engine = self.engine.as_mut();
                let engine = engine.ok_or(FrameError::Unknown("a call before open".into()))?;
                begin_call(&self.stops, engine.control());
                Ok(match call {
                    ToWorker::Start(setup) => FromWorker::Done(engine.start(&setup)),
                    ToWorker::Played(mv) => told(engine, |engine| engine.played(&mv)),
                    ToWorker::TakenBack(plies) => told(engine, |engine| engine.taken_back(plies)),
                    ToWorker::Choose(limits, barred) => {
                        FromWorker::Chosen(engine.choose(&limits, &barred))
                    }
                    _ => FromWorker::Done(engine.think()),
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

    /// What instantiating has burnt, in units of fuel.
    fn open(&mut self) -> Result<u64, Fault> {
        let voice: Arc<dyn Listener> = self.voice.clone();
        let engine = match self.module.as_ref().map_err(Fault::clone)? {
            Module::Native(module) => module.open(voice)?,
            Module::Wasm(module) => module.open(voice)?,
        };
        let fuel = engine.own_fuel();
        self.engine = Some(engine);
        Ok(fuel)
    }
}

/// A call that brings nothing back but the fuel that it burnt.
fn told(
    engine: &mut Box<dyn Engine>,
    call: impl FnOnce(&mut dyn Engine) -> Result<(), Fault>,
) -> FromWorker {
    let before = engine.own_fuel();
    let told = call(&mut **engine);
    let fuel = Some(engine.own_fuel().saturating_sub(before));
    FromWorker::Done(told.map(|()| Spent { fuel, ..Spent::default() }))
}

/// The runtime of a worker: a single instance, from the system's memory.
fn runtime(options: RuntimeOptions) -> Runtime {
    Runtime::new().with_options(RuntimeOptions { allocator: Allocator::OnDemand, ..options })
}

fn load_native(
    path: Option<&Path>,
    caps: crate::engine::Caps,
    assets: Assets,
) -> Result<Module, Fault> {
    let path = path.ok_or_else(|| {
        Fault::new(FaultCode::Host, "cannot be loaded: its jail has no place for a library")
    })?;
    NativeModule::load(path, Calls::Alone, caps, assets).map(Module::Native)
}

/// Compiles a module into a file; so many bytes of code, or why there are none.
fn compile(
    module: &File,
    code: Option<File>,
    metering: Metering,
    options: RuntimeOptions,
) -> Result<Result<u64, String>, FrameError> {
    let Some(mut file) = code else {
        return Err(FrameError::Unknown("a task of compiling without a place for the code".into()));
    };
    let module = read_all(module)?;
    Ok(match runtime(options).compile_here(metering, &module) {
        Ok(code) => {
            file.write_all(code.bytes())?;
            Ok(code.bytes().len() as u64)
        }
        Err(fault) => Err(fault.sentence),
    })
}

/// All of a file, wherever its descriptor, which others have as well, stands.
fn read_all(file: &File) -> io::Result<Vec<u8>> {
    struct At<'a>(&'a File, u64);
    impl Read for At<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read_at(buffer, self.1)?;
            self.1 += count as u64;
            Ok(count)
        }
    }
    let mut bytes = Vec::with_capacity(file.metadata()?.len() as usize);
    At(file, 0).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn in_files(names: Vec<String>, files: impl Iterator<Item = File>) -> io::Result<Assets> {
    Assets::in_files(names.into_iter().zip(files))
}

fn lock(stops: &Mutex<Stops>) -> MutexGuard<'_, Stops> {
    stops.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call begins; it may have been stopped before.
fn begin_call(stops: &Mutex<Stops>, control: Control) {
    let mut stops = lock(stops);
    stops.call += 1;
    control.clear();
    if stops.stopped >= stops.call {
        control.stop();
    }
    stops.control = Some(control);
}

/// Hears which call is to stop, on a thread of its own: the other one may be in that call.
fn hear_stops(mut words: UnixStream, stops: Arc<Mutex<Stops>>) -> io::Result<()> {
    let hear = move || {
        let mut call = [0; 8];
        while words.read_exact(&mut call).is_ok() {
            let mut stops = lock(&stops);
            stops.stopped = stops.stopped.max(u64::from_le_bytes(call));
            if let Some(control) = stops.control.as_ref().filter(|_| stops.stopped == stops.call) {
                control.stop();
            }
        }
    };
    std::thread::Builder::new().name("stops".into()).spawn(hear).map(drop)
}
