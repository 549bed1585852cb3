//! The only function of the host for judges: their log.

use sandboard_abi::limits;
use sandboard_common::text::clean_text;

use super::JudgeState;
use crate::backend::{Backend, Context};
use crate::call_error::CallError;
use crate::canonical_call::HostCall;

/// Calls a macro with the functions of the host for judges, as
/// [`with_engine_imports`](crate::imports::with_engine_imports) does with those for engines.
macro_rules! with_judge_imports {
    ($callback:ident($($argument:tt)*)) => {
        $callback! {
            ($($argument)*)
            "log" log(text: u32, text_length: u32) -> ();
        }
    };
}
pub(crate) use with_judge_imports;

pub(crate) fn log<B, C>(mut call: HostCall<C>, bits: &[u64]) -> Result<(), CallError>
where
    B: Backend,
    C: Context<Backend = B, Data = JudgeState<B>>,
{
    let (text,): (String,) = call.params(bits)?;
    let text = clean_text(&text, limits::REASON_BYTES);
    log::debug!("a judge: {text}");
    call.store.data_mut().logged = Some(text);
    Ok(())
}
