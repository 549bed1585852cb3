//! Makes the calls of a script on fresh instances, one after another. Judges nothing.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::script::{Call, Step};
use crate::engine::{Answer, CallName, Engine, EngineSource, Fault, FaultCode, Listener, Spent};

/// How a repeated call ended.
pub type Repeated = Result<Outcome, Fault>;

/// What a call that came back brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was started, and took this.
    Started(Spent),
    /// It was told.
    Told,
    /// It chose.
    Chosen(Answer),
}

/// Makes the calls in their order, and shows each to `see` after it has ended;
/// `see` may end the walk. `listener` hears what the engine says.
pub fn walk<'a, B>(
    steps: impl IntoIterator<Item = &'a Step>,
    source: &dyn EngineSource,
    listener: &Arc<dyn Listener>,
    mut see: impl FnMut(&'a Step, &Repeated) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut instance = None;
    for step in steps {
        let repeated = make(&step.call, source, listener, &mut instance);
        see(step, &repeated)?;
    }
    ControlFlow::Continue(())
}

fn make(
    call: &Call,
    source: &dyn EngineSource,
    listener: &Arc<dyn Listener>,
    instance: &mut Option<Box<dyn Engine>>,
) -> Repeated {
    if let Call::Start(setup) = call {
        // Never two instances at once: the old one makes room.
        *instance = None;
        let opened = source.open(listener.clone()).and_then(|mut engine| {
            let spent = engine.start(setup)?;
            Ok((engine, spent))
        });
        let (engine, spent) = opened.map_err(|fault| fault.during(CallName::Start))?;
        *instance = Some(engine);
        return Ok(Outcome::Started(spent));
    }
    let Some(engine) = instance.as_mut() else {
        return Err(Fault::new(FaultCode::Start, "has no instance that was started"));
    };
    engine.control().clear();
    match call {
        Call::Start(_) => Ok(Outcome::Told),
        Call::Played(mv) => {
            let told = engine.played(mv).map(|()| Outcome::Told);
            told.map_err(|fault| fault.during(CallName::Played))
        }
        Call::TakenBack(plies) => {
            let told = engine.taken_back(*plies).map(|()| Outcome::Told);
            told.map_err(|fault| fault.during(CallName::TakenBack))
        }
        Call::Choose(limits, barred) => {
            let chosen = engine.choose(limits, barred).map(Outcome::Chosen);
            chosen.map_err(|fault| fault.during(CallName::Choose))
        }
    }
}
