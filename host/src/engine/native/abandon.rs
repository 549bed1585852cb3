//! A native engine on a thread of its own, so that a call which does not come
//! back costs its bout and nobody else: the caller stops waiting, the thread
//! and what it holds are left behind. It still runs in this process; getting
//! rid of it is the jail's work, not ours.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use sandboard_abi::{Barred, Description, Limits, Setup};

use super::host_table::Context;
use super::instance::NativeInstance;
use super::load::Library;
use crate::engine::meter::{Allowance, BOOKKEEPING_US};
use crate::engine::timer::{NEVER, now_us};
use crate::engine::{Answer, Control, Engine, Fault, FaultCode, Spent};

/// How much longer than its deadline a call is waited for, in microseconds:
/// one that comes back late but does come back is told from one that hangs.
const PATIENCE_US: u64 = 20_000;
/// How often a wait without a deadline looks whether it was told to stop.
const LOOK: Duration = Duration::from_millis(50);

/// The stack of an engine's thread.
const STACK_BYTES: usize = 16 * 1024 * 1024;

type Job = Box<dyn FnOnce(&mut NativeInstance) + Send>;

/// An instance behind a thread.
pub struct Abandonable {
    jobs: Sender<Job>,
    context: Arc<Context>,
    start_us: u64,
    guard_us: u64,
    poison: Option<Fault>,
}

impl Abandonable {
    pub fn new(mut instance: NativeInstance) -> Result<Self, Fault> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let context = instance.context().clone();
        let (start_us, guard_us) = (instance.start_us(), instance.guard_us());
        std::thread::Builder::new()
            .name("native engine".into())
            .stack_size(STACK_BYTES)
            .spawn(move || queue.into_iter().for_each(|job| job(&mut instance)))
            .map_err(no_thread)?;
        Ok(Self { jobs, context, start_us, guard_us, poison: None })
    }

    fn call<T: Send + 'static>(
        &mut self,
        allowance: Allowance,
        work: impl FnOnce(&mut NativeInstance) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        if self.control().is_stopped() {
            // A stop that came before the call: its end is counted from here.
            self.control().clear();
            self.control().stop();
        }
        self.context.meter.call_follows();
        let (answer, waiting) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |instance| {
            // Nobody may be waiting any more.
            let _ = answer.send(work(instance));
        });
        let answered = match self.jobs.send(job) {
            Ok(()) => self.wait(&waiting, allowance),
            Err(_) => Err(gone()),
        };
        answered.inspect_err(|fault| self.poison = Some(fault.clone()))
    }

    fn wait<T>(
        &self,
        waiting: &Receiver<Result<T, Fault>>,
        allowance: Allowance,
    ) -> Result<T, Fault> {
        let allowance = self.context.meter.allow(allowance);
        let limit_us = allowance.due_us.saturating_add(allowance.grace_us);
        let give_up_us = match limit_us {
            NEVER => NEVER,
            limit => now_us().saturating_add(limit).saturating_add(PATIENCE_US),
        };
        loop {
            let meter = &self.context.meter;
            let stop_us = meter.control().killed_us().saturating_add(PATIENCE_US);
            let left_us = give_up_us.min(stop_us).saturating_sub(now_us());
            let left_us = left_us.min(meter.cpu_left_us(PATIENCE_US));
            let pause = Duration::from_micros(left_us).min(LOOK);
            match waiting.recv_timeout(pause) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) if left_us == 0 => return Err(self.fault()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Why a call is given up: what it broke before, or that it is late.
    fn fault(&self) -> Fault {
        self.context.give_up();
        let meter = &self.context.meter;
        let spent = meter.so_far();
        let fault = self.context.take_fault().unwrap_or_else(|| meter.timeout());
        Fault { spent, ..fault }
    }
}

/// What a library says of itself, waited for no longer than for a call that tells a move.
pub fn describe(library: Library) -> Result<Description, Fault> {
    let (answer, waiting) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("native engine".into())
        .stack_size(STACK_BYTES)
        .spawn(move || drop(answer.send(library.describe())))
        .map_err(no_thread)?;
    match waiting.recv_timeout(Duration::from_micros(BOOKKEEPING_US + PATIENCE_US)) {
        Ok(description) => description,
        Err(RecvTimeoutError::Disconnected) => Err(gone()),
        Err(RecvTimeoutError::Timeout) => {
            let sentence = format!("did not describe itself within {} ms", BOOKKEEPING_US / 1000);
            Err(Fault::new(FaultCode::Timeout, sentence))
        }
    }
}

fn no_thread(error: std::io::Error) -> Fault {
    Fault::new(FaultCode::Load, format!("got no thread: {error}"))
}

fn gone() -> Fault {
    Fault::new(FaultCode::Crash, "ended its own thread")
}

impl Engine for Abandonable {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        let setup = setup.clone();
        let allowance = Allowance::exactly(self.start_us);
        self.call(allowance, move |instance| instance.start(&setup))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        let mv = mv.to_owned();
        self.call(Allowance::exactly(BOOKKEEPING_US), move |instance| instance.played(&mv))
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.call(Allowance::exactly(BOOKKEEPING_US), move |instance| instance.taken_back(plies))
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        let allowance = Allowance::of_sleeper(limits, self.guard_us);
        let (limits, barred) = (limits.clone(), barred.to_vec());
        self.call(allowance, move |instance| instance.choose(&limits, &barred))
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.call(Allowance::NONE, Engine::think)
    }

    fn control(&self) -> Control {
        self.context.meter.control().clone()
    }
}
