//! The host's side of compiling in a worker: limits around it, and what came of it. Takes
//! the code that comes back for what it is, the output of our own compiler: whoever could
//! forge it has broken out of a compiler that is safe Rust, inside a jail.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sandboard_abi::limits;

use super::frame::{self, FROM_WORKER_BYTES};
use super::limits::CompileLimits;
use super::message::{FromWorker, Task, ToWorker};
use crate::engine::desk::clean_text;
use crate::engine::timer::{Alarm, now_us};
use crate::engine::wasm::Code;
use crate::engine::{Fault, FaultCode};
use crate::jail::{Death, Inmate, signal_name};

/// Lets a worker compile; its code is in `place` then.
pub(super) fn finish(
    mut inmate: Inmate,
    place: &File,
    task: Task,
    most: CompileLimits,
) -> Result<Code, Fault> {
    let late = Arc::<AtomicBool>::default();
    let alarm = {
        let (killer, late) = (inmate.killer(), late.clone());
        Alarm::new(move || {
            late.store(true, Ordering::SeqCst);
            killer.kill();
        })
    };
    alarm.set(now_us().saturating_add(most.wall_s.saturating_mul(1_000_000)));
    let asked = frame::write(&mut inmate.channel, &ToWorker::Task(task));
    let answer = asked
        .map_err(frame::FrameError::from)
        .and_then(|()| frame::read(&mut inmate.channel, FROM_WORKER_BYTES));
    let bytes = match answer {
        Ok(FromWorker::Compiled(Ok(bytes))) => bytes,
        Ok(FromWorker::Compiled(Err(reason))) => {
            let reason = clean_text(&reason, limits::REASON_BYTES);
            return Err(Fault::new(FaultCode::Load, reason));
        }
        Ok(_) => return Err(unsound("its compiler answered what was not asked".into())),
        Err(_) if late.load(Ordering::SeqCst) => {
            return Err(exceeded(&format!("{} s", most.wall_s)));
        }
        Err(_) => return Err(died(inmate, most)),
    };
    let no_code = |reason: String| unsound(format!("its compiler left no code: {reason}"));
    if bytes > most.code_bytes {
        return Err(no_code(format!("{bytes} bytes of it")));
    }
    let mut code = vec![0; bytes as usize];
    place.read_exact_at(&mut code, 0).map_err(|error| no_code(error.to_string()))?;
    Ok(Code::vouched(code))
}

/// Why a compiler ended before it was done: mostly a limit.
fn died(inmate: Inmate, most: CompileLimits) -> Fault {
    let end = inmate.end();
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let signal = match &end.how {
        Death::Signal { number, .. } => signal_name(*number),
        _ => None,
    };
    match &end.how {
        _ if signal == Some("SIGXCPU") => exceeded(&format!("{} s of CPU time", most.cpu_s)),
        _ if signal == Some("SIGXFSZ") => {
            exceeded(&format!("{} of machine code", mib(most.code_bytes)))
        }
        _ if end.output.contains("memory allocation of") => {
            exceeded(&format!("{} of memory", mib(most.memory_bytes)))
        }
        how => unsound(format!("its compiler {how}")),
    }
}

fn exceeded(what: &str) -> Fault {
    unsound(format!("compile budget exceeded: {what}"))
}

fn unsound(reason: String) -> Fault {
    Fault::new(FaultCode::Load, format!("cannot be loaded: {reason}"))
}
