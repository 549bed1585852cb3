//! Turns the end of an engine process into the fault of its engine, in one sentence. Decides no
//! result.

use sandboard_abi::limits;
use sandboard_engine::messages;

use super::frame::FrameError;
use sandboard_common::text::clean_text;
use sandboard_engine::{Fault, FaultCode};
use sandboard_jail::{ExitCause, ExitReport};

/// What Rust's runtime prints to standard error when an engine overflows the stack of the calling
/// thread.
const STACK_OVERFLOW_TEXT: &str = "has overflowed its stack";

/// The fault of an engine whose process ended, or closed its channel, during a call.
pub(crate) fn exit_fault(end: &ExitReport) -> Fault {
    let crash_fault = |sentence: String| {
        let last_output = match end.output.lines().next_back() {
            Some(last) => format!("; its last output: {last}"),
            None => String::new(),
        };
        Fault::new(FaultCode::Crash, clean_text(&(sentence + &last_output), limits::REASON_BYTES))
    };
    match &end.cause {
        cause @ ExitCause::Memory { .. } => Fault::new(FaultCode::Memory, cause.to_string()),
        ExitCause::Signal { by_host: true, .. } => crash_fault(messages::CLOSED_ITS_CHANNEL.into()),
        ExitCause::Signal { .. } if end.output.contains(STACK_OVERFLOW_TEXT) => {
            Fault::new(FaultCode::Stack, messages::USED_ITS_STACK)
        }
        ExitCause::Exited(status) => crash_fault(messages::ended_process(status)),
        cause => crash_fault(cause.to_string()),
    }
}

/// The fault of an engine whose process sent an invalid message.
pub(crate) fn frame_fault(error: &FrameError) -> Fault {
    let sentence = clean_text(&format!("sent {error}"), limits::REASON_BYTES);
    Fault::new(FaultCode::Protocol, sentence)
}
