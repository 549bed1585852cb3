//! Ten thousand hostile loads in a row: what is left of them afterwards, of memory,
//! processes, descriptors and files, here and in the process that makes workers.

use sandboard_host::engine::wasm::{Metering, WasmModule};
use sandboard_host::engine::{Caps, EngineSource, Fault};
use sandboard_tests::{built, gomoku, jailed_native, native_name, runtime, workers};

use crate::processes::{below, descriptors, memory_bytes, temporary_files};
use crate::progress;
use crate::table::{Bar, Table};

const LOADS: u64 = 10_000;
/// Before anything is compared: what is made once is made.
const WARM: u64 = 500;

pub fn measure(table: &mut Table) {
    let hostile = Hostile::new();
    // What the first load starts and every other uses.
    drop(jailed_native("random-mover", Caps::default()).and_then(|source| source.describe()));
    let progress = progress::bar("loads", WARM + LOADS);
    (0..WARM).for_each(|number| hostile.load(number));
    let before = Held::now();
    for number in 0..LOADS {
        hostile.load(number);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let after = Held::now();
    let none = Some(Bar::AtMost(0.0));
    let more = |after: usize, before: usize| after as f64 - before as f64;
    table.add(
        "10,000 hostile loads: processes left",
        more(after.processes, before.processes),
        "",
        none,
    );
    table.add("  descriptors left", more(after.descriptors, before.descriptors), "", none);
    table.add("  temporary files left", more(after.files, before.files), "", none);
    let bytes = after.memory_bytes as f64 - before.memory_bytes as f64;
    table.add("  memory left, a load", bytes / LOADS as f64, "bytes", Some(Bar::AtMost(100.0)));
}

/// Modules that mean harm, and how each is loaded.
struct Hostile {
    sound: Vec<u8>,
    native: Vec<u8>,
    faulty: Box<dyn EngineSource>,
}

impl Hostile {
    fn new() -> Self {
        let read = |name: &str| std::fs::read(built(name)).expect("it can be read");
        let faulty = Box::new(jailed_native("faulty", Caps::default()).expect("it loads"));
        let native = read(&native_name("random-mover"));
        Self { sound: read("random-mover.wasm"), native, faulty }
    }

    /// One load, which must fail.
    fn load(&self, number: u64) {
        let failed = match number % 5 {
            // Damaged at another place each time.
            0 => {
                let mut bytes = self.sound.clone();
                bytes.truncate((number as usize * 7919) % self.sound.len());
                here(&bytes)
            }
            1 => {
                let mut bytes = self.sound.clone();
                let at = (number as usize * 104_729) % 64;
                bytes[at] ^= 0xff;
                here(&bytes)
            }
            // A library that is cut off, in a worker.
            2 => {
                // What comes last is for debuggers, and not missed by a loader.
                let bytes = &self.native[..(number as usize * 7919) % (self.native.len() / 4)];
                let source = workers().native(bytes, Caps::default(), &Default::default());
                source.and_then(|source| source.describe()).map(drop)
            }
            // Compiled in a worker, and what no compiler takes.
            3 => {
                let compiled = workers().wasm(
                    runtime(),
                    &self.sound[..self.sound.len() - 1],
                    Metering::Deadline,
                    Caps::default(),
                    &Default::default(),
                );
                compiled.map(drop)
            }
            // One that ends its process.
            _ => self.crash(),
        };
        assert!(failed.is_err(), "load {number} did not fail");
    }

    fn crash(&self) -> Result<(), Fault> {
        let mut engine = self.faulty.open(std::sync::Arc::new(sandboard_host::engine::Deaf))?;
        engine.start(&gomoku(&[("fault", "stack")]))?;
        engine.choose(&Default::default(), &[]).map(drop)
    }
}

fn here(bytes: &[u8]) -> Result<(), Fault> {
    let caps = Caps::default();
    WasmModule::load(runtime(), bytes, Metering::Deadline, caps, Default::default()).map(drop)
}

/// What this process and those below hold.
struct Held {
    processes: usize,
    descriptors: usize,
    files: usize,
    memory_bytes: u64,
}

impl Held {
    fn now() -> Self {
        let processes = below();
        let all = || processes.iter().copied().chain([std::process::id()]);
        Self {
            descriptors: all().map(descriptors).sum(),
            memory_bytes: all().map(memory_bytes).sum(),
            files: temporary_files(),
            processes: processes.len(),
        }
    }
}
