//! From how a worker ended to what a person reads: the fault of its engine, in one
//! sentence. Decides no result.

use sandboard_abi::limits;

use super::frame::FrameError;
use crate::engine::desk::clean_text;
use crate::engine::{Fault, FaultCode};
use crate::jail::{Death, End};

/// What the runtime of the worker itself says, on its standard error, when an engine has
/// used up the stack of the thread that calls it.
const OVERFLOWED: &str = "has overflowed its stack";

/// The fault of an engine whose worker ended, or left its channel, in the middle of a call.
pub fn fault_of_death(end: &End) -> Fault {
    let crash = |sentence: String| {
        let said = match end.output.lines().next_back() {
            Some(last) => format!("; the last that it printed: {last}"),
            None => String::new(),
        };
        Fault::new(FaultCode::Crash, clean_text(&(sentence + &said), limits::REASON_BYTES))
    };
    match &end.how {
        Death::Signal { ours: true, .. } => crash("closed its channel before it answered".into()),
        Death::Signal { .. } if end.output.contains(OVERFLOWED) => {
            Fault::new(FaultCode::Stack, "used up its stack")
        }
        Death::Exited(status) => {
            crash(format!("ended its process before it answered (exit status {status})"))
        }
        how => crash(how.to_string()),
    }
}

/// The fault of an engine whose worker sent what is no message.
pub fn fault_of_frame(error: &FrameError) -> Fault {
    let sentence = clean_text(&format!("its worker sent {error}"), limits::REASON_BYTES);
    Fault::new(FaultCode::Protocol, sentence)
}
