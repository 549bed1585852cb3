//! Makes the calls of a script on fresh instances, one after another. Compares nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Level, Line};
use sandboard_engine::{
    CallName, ChooseResponse, Engine, EngineSource, Fault, FaultCode, Listener, Observation, Usage,
};

use super::call_script::{EngineCall, ScriptStep};

/// The result of a repeated call.
pub type CallResult = Result<CallOutcome, Fault>;

/// The outcome of a call that returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// The instance was started, with this usage.
    Started(Usage),
    /// The engine was informed about a move or an undo.
    Done,
    /// The engine made a choice.
    Chosen(ChooseResponse),
}

/// Makes the calls of one player of a bout.
pub struct CallRunner<'a> {
    source: &'a dyn EngineSource,
    listener: Arc<ObservingListener>,
    instance: Option<Box<dyn Engine>>,
}

/// Passes output on, and says what the engine's seat sees.
struct ObservingListener {
    output: Arc<dyn Listener>,
    observation: Mutex<Option<Observation>>,
}

impl ObservingListener {
    fn observation(&self) -> MutexGuard<'_, Option<Observation>> {
        self.observation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for ObservingListener {
    fn report(&self, line: &Line) {
        self.output.report(line);
    }

    fn log(&self, level: Level, text: &str) {
        self.output.log(level, text);
    }

    fn observation(&self) -> Option<Observation> {
        self.observation().clone()
    }
}

impl<'a> CallRunner<'a> {
    /// A runner without an instance. `listener` receives the engine's output.
    pub fn new(source: &'a dyn EngineSource, listener: Arc<dyn Listener>) -> Self {
        let listener = ObservingListener { output: listener, observation: Mutex::default() };
        Self { source, listener: Arc::new(listener), instance: None }
    }

    /// Lowers the guard of the next calls, in microseconds of wall time; see
    /// [`Engine::lower_fuel_guard`].
    pub fn lower_fuel_guard(&mut self, guard_us: u64) {
        if let Some(engine) = &mut self.instance {
            engine.lower_fuel_guard(guard_us);
        }
    }

    /// Makes the next call.
    pub fn run(&mut self, step: &ScriptStep) -> CallResult {
        if let Some(observation) = step.observation.as_deref() {
            *self.listener.observation() = Some(observation.clone());
        }
        let (name, result) = match &step.call {
            EngineCall::Start(setup) => {
                // The old instance is dropped first: never two instances at once.
                self.instance = None;
                let opened = self.source.open(self.listener.clone(), setup.threads);
                let started = opened.and_then(|mut engine| {
                    let spent = engine.start(setup)?;
                    self.instance = Some(engine);
                    Ok(CallOutcome::Started(spent))
                });
                (CallName::Start, started)
            }
            EngineCall::Played(mv) => (
                CallName::Played,
                self.engine().and_then(|it| it.played(mv)).map(|()| CallOutcome::Done),
            ),
            EngineCall::TakenBack(plies) => (
                CallName::TakenBack,
                self.engine().and_then(|it| it.taken_back(*plies)).map(|()| CallOutcome::Done),
            ),
            EngineCall::Choose(limits, barred) => {
                let chosen = self.engine().and_then(|engine| engine.choose(limits, barred));
                (CallName::Choose, chosen.map(CallOutcome::Chosen))
            }
        };
        result.map_err(|fault| fault.during(name))
    }

    fn engine(&mut self) -> Result<&mut dyn Engine, Fault> {
        let engine = self.instance.as_deref_mut().map(|engine| engine as &mut dyn Engine);
        engine.ok_or_else(|| Fault::new(FaultCode::Start, "has no started instance"))
    }
}
