//! Makes the calls of a script on fresh instances, one after another. Judges nothing.

use std::sync::Arc;

use super::script::Call;
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

/// Makes the calls that one player of a bout got.
pub struct Walker<'a> {
    source: &'a dyn EngineSource,
    listener: Arc<dyn Listener>,
    instance: Option<Box<dyn Engine>>,
}

impl<'a> Walker<'a> {
    /// One that has made no call yet; `listener` hears what the engine says.
    pub fn new(source: &'a dyn EngineSource, listener: Arc<dyn Listener>) -> Self {
        Self { source, listener, instance: None }
    }

    /// Makes the next call.
    pub fn make(&mut self, call: &Call) -> Repeated {
        let (name, made) = match call {
            Call::Start(setup) => {
                // Never two instances at once: the old one makes room.
                self.instance = None;
                let opened = self.source.open_for(self.listener.clone(), setup.threads);
                let started = opened.and_then(|mut engine| {
                    let spent = engine.start(setup)?;
                    self.instance = Some(engine);
                    Ok(Outcome::Started(spent))
                });
                (CallName::Start, started)
            }
            Call::Played(mv) => {
                (CallName::Played, self.engine().and_then(|it| it.played(mv)).map(told))
            }
            Call::TakenBack(plies) => {
                (CallName::TakenBack, self.engine().and_then(|it| it.taken_back(*plies)).map(told))
            }
            Call::Choose(limits, barred) => {
                let chosen = self.engine().and_then(|engine| engine.choose(limits, barred));
                (CallName::Choose, chosen.map(Outcome::Chosen))
            }
        };
        made.map_err(|fault| fault.during(name))
    }

    fn engine(&mut self) -> Result<&mut dyn Engine, Fault> {
        let engine = self.instance.as_deref_mut().map(|engine| engine as &mut dyn Engine);
        engine.ok_or_else(|| Fault::new(FaultCode::Start, "has no instance that was started"))
    }
}

fn told((): ()) -> Outcome {
    Outcome::Told
}
