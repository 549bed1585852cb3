//! Time until a new process has started an engine whose code is cached.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use sandboard_engine::{Caps, EngineSource, NullListener};
use sandboard_engine_wasm::scan::Profile;
use sandboard_engine_wasm::{CodeCache, Metering, Runtime, WasmModule};
use sandboard_tests::{built, gomoku};

use crate::table::{Bar, Table, median};

/// Argument by which the bench runs itself as the new process.
pub(crate) const FLAG: &str = "--cold";
const PROCESSES: usize = 31;

pub(crate) fn measure(table: &mut Table) {
    let cache = tempfile::tempdir().expect("there is a temporary folder");
    let bytes = grown();
    let module = cache.path().join("grown.wasm");
    std::fs::write(&module, &bytes).expect("the temporary folder takes a file");
    let kib = bytes.len() as f64 / 1024.0;
    // The first process fills the cache.
    ready_ms(&module, cache.path());
    let ready: Vec<_> = (0..PROCESSES).map(|_| ready_ms(&module, cache.path())).collect();
    table.add(
        format!("cold process, cached code of a {kib:.0} KiB module, to started"),
        median(ready),
        "ms",
        Some(Bar::AtMost(5.0)),
    );
}

/// An engine of 500 KiB of real code: its component with the modules of the other samples appended,
/// which are compiled and cached with it.
fn grown() -> Vec<u8> {
    let read = |name: &str| std::fs::read(built(name)).expect("it was built");
    let mut bytes = read("gomoku-alpha.wasm");
    for name in ["faulty.wasm", "random-mover.wasm"].into_iter().cycle() {
        if bytes.len() >= 500 * 1024 {
            return bytes;
        }
        bytes.extend(core_module_section(&read(name)));
    }
    bytes
}

/// The first core module of a component, as the section that holds it: id 1,
/// its length as LEB128, its bytes (component model, Binary.md).
fn core_module_section(component: &[u8]) -> &[u8] {
    let mut rest = &component[8..];
    loop {
        let (mut length, mut at) = (0_usize, 1);
        loop {
            let byte = rest[at];
            length |= usize::from(byte & 0x7f) << (7 * (at - 1));
            at += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (section, after) = rest.split_at(at + length);
        if section[0] == 1 {
            return section;
        }
        rest = after;
    }
}

fn ready_ms(module: &Path, cache: &Path) -> f64 {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this)
        .arg(FLAG)
        .args([module, cache])
        .output()
        .expect("this program runs itself");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| panic!("the child printed: {text}"))
}

/// The new process: measures from the first line of `main` to a started engine.
pub(crate) fn child(module: &str, cache: &str) {
    let began = Instant::now();
    let cache = CodeCache::open(Path::new(cache), Profile::Everyday).expect("the cache opens");
    let runtime = Runtime::with_cache(cache);
    let caps = Caps::default();
    let bytes = std::fs::read(module).expect("the component can be read");
    let source = WasmModule::load(&runtime, &bytes, Metering::Deadline, caps, Default::default())
        .expect("it loads");
    let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
    engine.start(&gomoku(&[])).expect("it starts");
    println!("{}", began.elapsed().as_secs_f64() * 1000.0);
}
