//! Ten thousand loads of hostile modules: the memory, processes, descriptors and files that remain,
//! in this process and in the zygote.

use sandboard_engine::{Caps, EngineSource, Fault};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{built, engine_processes, gomoku, jailed_native, native_name, runtime};

use crate::processes::{below, descriptors, memory_bytes, temporary_files};
use crate::progress;
use crate::table::{Bar, Table};

const LOADS: u64 = 10_000;
/// Loads before the first measurement, so that lazy initialization does not count.
const WARM: u64 = 500;

pub(crate) fn measure(table: &mut Table) {
    let hostile = Hostile::new();
    // Resources that the first load creates and all others use.
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

/// Hostile modules, and how each is loaded.
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
            // Damaged at another offset each time.
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
            // A truncated library, in an engine process.
            2 => {
                // The end of the file is debug information, which a loader does not need.
                let bytes = &self.native[..(number as usize * 7919) % (self.native.len() / 4)];
                let source = engine_processes().native(bytes, Caps::default(), &Default::default());
                source.and_then(|source| source.describe()).map(drop)
            }
            // Compiled in an engine process, and invalid.
            3 => {
                let compiled = engine_processes().wasm(
                    runtime(),
                    &self.sound[..self.sound.len() - 1],
                    Metering::Deadline,
                    Caps::default(),
                    &Default::default(),
                );
                compiled.map(drop)
            }
            // A library that ends its process.
            _ => self.crash(),
        };
        assert!(failed.is_err(), "load {number} did not fail");
    }

    fn crash(&self) -> Result<(), Fault> {
        let mut engine =
            self.faulty.open(std::sync::Arc::new(sandboard_engine::NullListener), 1)?;
        engine.start(&gomoku(&[("fault", "stack")]))?;
        engine.choose(&Default::default(), &[]).map(drop)
    }
}

fn here(bytes: &[u8]) -> Result<(), Fault> {
    let caps = Caps::default();
    WasmModule::load(runtime(), bytes, Metering::Deadline, caps, Default::default()).map(drop)
}

/// Resources of this process and its descendants.
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
