//! Memory of a hundred wasm engines that wait for their opponents' moves, in this process and in
//! engine processes.

use sandboard_engine::{Caps, Engine, EngineSource};
use sandboard_engine_wasm::Metering;
use sandboard_tests::{jailed_wasm, wasm};

use crate::guests::started;
use crate::processes::{below, memory_bytes};
use crate::progress;
use crate::table::Table;

const ENGINES: u64 = 100;

pub(crate) fn measure(table: &mut Table) {
    let caps = Caps::default();
    for stem in ["random-mover", "gomoku-alpha"] {
        let here = wasm(stem, Metering::Deadline, caps).expect("it loads");
        let before = memory_bytes(std::process::id());
        let engines = idle(&here);
        let mib = mib(memory_bytes(std::process::id()).saturating_sub(before));
        table.add(format!("memory of {ENGINES} idle wasm engines, {stem}"), mib, "MiB", None);
        drop(engines);
        workers(table, stem);
    }
}

fn workers(table: &mut Table, stem: &str) {
    let source = jailed_wasm(stem, Metering::Deadline, Caps::default()).expect("it loads");
    let all = || below().into_iter().map(memory_bytes).sum::<u64>();
    let before = all();
    let engines = idle(&source);
    let mib = mib(all().saturating_sub(before));
    table.add("  the same in workers, their processes' share", mib, "MiB", None);
    drop(engines);
}

fn idle(source: &dyn EngineSource) -> Vec<Box<dyn Engine>> {
    let progress = progress::bar("idle", ENGINES);
    let engine = |_| {
        progress.inc(1);
        started(source)
    };
    let engines = (0..ENGINES).map(engine).collect();
    progress.finish_and_clear();
    engines
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
