//! The host's side of compiling in a jailed process: the limits, and the result. The host runs the
//! compiled code without checking it. That is safe because it is the output of our own compiler,
//! which is safe Rust and runs in a jail.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sandboard_abi::limits::REASON_BYTES;

use super::frame::{self, PROCESS_MESSAGE_BYTES_MAX};
use super::limits::CompileLimits;
use super::message::{HostMessage, ProcessMessage, Task};
use sandboard_common::text::clean_text;
use sandboard_engine::timer::{Alarm, now_us};
use sandboard_engine::{Fault, FaultCode};
use sandboard_engine_wasm::CompiledCode;
use sandboard_jail::{ExitCause, JailedProcess, signal_name};

/// Lets a process compile. On success its code is in `code_file`.
pub(super) fn finish(
    mut process: JailedProcess,
    code_file: &File,
    task: Task,
    limits: CompileLimits,
) -> Result<CompiledCode, Fault> {
    let timed_out = Arc::<AtomicBool>::default();
    let alarm = {
        let (kill_handle, timed_out) = (process.kill_handle(), timed_out.clone());
        Alarm::new(move || {
            timed_out.store(true, Ordering::SeqCst);
            kill_handle.kill();
        })
    };
    alarm.set(now_us().saturating_add(limits.wall_s.saturating_mul(1_000_000)));
    let sent = frame::write(&mut process.channel, &HostMessage::Task(task));
    let answer = sent
        .map_err(frame::FrameError::from)
        .and_then(|()| frame::read(&mut process.channel, PROCESS_MESSAGE_BYTES_MAX));
    let bytes = match answer {
        Ok(ProcessMessage::Compiled(Ok(bytes))) => bytes,
        Ok(ProcessMessage::Compiled(Err(reason))) => {
            let reason = clean_text(&reason, REASON_BYTES);
            return Err(Fault::new(FaultCode::Load, reason));
        }
        Ok(_) => return Err(load_fault("its compiler sent an unexpected answer".into())),
        Err(_) if timed_out.load(Ordering::SeqCst) => {
            return Err(budget_fault(&format!("{} s", limits.wall_s)));
        }
        Err(_) => return Err(exit_fault(process, limits)),
    };
    let no_code = |reason: String| load_fault(format!("its compiler returned no code: {reason}"));
    if bytes > limits.code_bytes {
        return Err(no_code(format!("{bytes} bytes of it")));
    }
    let mut code = vec![0; bytes as usize];
    code_file.read_exact_at(&mut code, 0).map_err(|error| no_code(error.to_string()))?;
    Ok(CompiledCode::from_compiler(code))
}

/// Why a compiler ended early, which is usually a limit.
fn exit_fault(process: JailedProcess, limits: CompileLimits) -> Fault {
    let end = process.kill_and_wait();
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let signal = match &end.cause {
        ExitCause::Signal { number, .. } => signal_name(*number),
        _ => None,
    };
    match &end.cause {
        _ if signal == Some("SIGXCPU") => budget_fault(&format!("{} s of CPU time", limits.cpu_s)),
        _ if signal == Some("SIGXFSZ") => {
            budget_fault(&format!("{} of machine code", mib(limits.code_bytes)))
        }
        _ if end.output.contains("memory allocation of")
            || matches!(end.cause, ExitCause::Memory { .. }) =>
        {
            budget_fault(&format!("{} of memory", mib(limits.memory_bytes)))
        }
        cause => load_fault(format!("its compiler {cause}")),
    }
}

fn budget_fault(limit: &str) -> Fault {
    load_fault(format!("compile budget exceeded: {limit}"))
}

fn load_fault(reason: String) -> Fault {
    Fault::new(FaultCode::Load, sandboard_engine::messages::cannot_be_loaded(reason))
}
