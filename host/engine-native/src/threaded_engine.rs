//! Runs a native engine on a thread of its own, so that a call which does not return affects only
//! its own bout: the caller stops waiting and abandons the thread with everything that it holds.
//! An abandoned thread runs on at the lowest priority: only the jail can end it.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use sandboard_abi::{Barred, Description, Limits, Setup};
use sandboard_engine::meter::{Allowance, BOOKKEEPING_US};
use sandboard_engine::timer::{NEVER, now_us};
use sandboard_engine::{ChooseResponse, Engine, Fault, FaultCode, StopHandle, Usage};

use super::engine_thread::EngineThread;
use super::host_functions::HostContext;
use super::instance::NativeInstance;
use super::library::Library;

/// How long the caller waits after a call's deadline, in microseconds, so that a call which returns
/// late is distinguished from one that hangs.
const LATE_RETURN_US: u64 = 20_000;
/// Interval at which a wait checks for stop requests and changed limits.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

type Job = Box<dyn FnOnce(&mut NativeInstance) + Send>;

/// A native engine whose calls run on its own thread.
pub(super) struct ThreadedEngine {
    jobs: Sender<Job>,
    thread: EngineThread,
    context: Arc<HostContext>,
    start_us: u64,
    guard_us: u64,
    poison: Option<Fault>,
}

impl ThreadedEngine {
    pub(super) fn new(mut instance: NativeInstance) -> Result<Self, Fault> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let context = instance.context().clone();
        let (start_us, guard_us) = (instance.start_us(), instance.guard_us());
        let thread =
            EngineThread::spawn(move || queue.into_iter().for_each(|job| job(&mut instance)))?;
        Ok(Self { jobs, thread, context, start_us, guard_us, poison: None })
    }

    fn call<T: Send + 'static>(
        &mut self,
        allowance: Allowance,
        work: impl FnOnce(&mut NativeInstance) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        if self.stop_handle().is_stopped() {
            // The stop came before the call: its grace starts now.
            self.stop_handle().clear();
            self.stop_handle().stop();
        }
        self.context.meter.reset_cpu_time();
        let (results, result) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |instance| {
            // Fails if the caller has stopped waiting.
            let _ = results.send(work(instance));
        });
        let result = match self.jobs.send(job) {
            Ok(()) => self.wait(&result, allowance),
            Err(_) => Err(thread_ended()),
        };
        result.inspect_err(|fault| self.poison = Some(fault.clone()))
    }

    fn wait<T>(
        &self,
        result: &Receiver<Result<T, Fault>>,
        allowance: Allowance,
    ) -> Result<T, Fault> {
        let allowance = self.context.meter.effective(allowance);
        let limit_us = allowance.due_us.saturating_add(allowance.grace_us);
        let abandon_at_us = match limit_us {
            NEVER => NEVER,
            limit => now_us().saturating_add(limit).saturating_add(LATE_RETURN_US),
        };
        loop {
            let meter = &self.context.meter;
            let stop_us = meter.stop_handle().kill_at_us().saturating_add(LATE_RETURN_US);
            let left_us = abandon_at_us.min(stop_us).saturating_sub(now_us());
            let left_us = left_us.min(meter.cpu_left_us(LATE_RETURN_US));
            let timeout = Duration::from_micros(left_us).min(POLL_INTERVAL);
            match result.recv_timeout(timeout) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(thread_ended()),
                Err(RecvTimeoutError::Timeout) if left_us == 0 => return Err(self.abandon()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Abandons the call. Returns its first fault in a host function, or else the timeout.
    fn abandon(&self) -> Fault {
        self.thread.abandon();
        self.context.ignore_output();
        let meter = &self.context.meter;
        let spent = meter.current_usage();
        let fault = self.context.take_fault().unwrap_or_else(|| meter.timeout_fault());
        Fault { spent, ..fault }
    }
}

/// Asks a library for its description, with the time limit of a notification of a move.
pub(super) fn describe(library: Library) -> Result<Description, Fault> {
    let (results, result) = mpsc::sync_channel(1);
    let thread = EngineThread::spawn(move || drop(results.send(library.describe())))?;
    match result.recv_timeout(Duration::from_micros(BOOKKEEPING_US + LATE_RETURN_US)) {
        Ok(description) => description,
        Err(RecvTimeoutError::Disconnected) => Err(thread_ended()),
        Err(RecvTimeoutError::Timeout) => {
            thread.abandon();
            let sentence = format!("did not describe itself within {} ms", BOOKKEEPING_US / 1000);
            Err(Fault::new(FaultCode::Timeout, sentence))
        }
    }
}

fn thread_ended() -> Fault {
    Fault::new(FaultCode::Crash, sandboard_engine::messages::ENDED_ITS_THREAD)
}

impl Engine for ThreadedEngine {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        let setup = setup.clone();
        let allowance = Allowance::fixed(self.start_us);
        self.call(allowance, move |instance| instance.start(&setup))
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        let mv = mv.to_owned();
        self.call(Allowance::fixed(BOOKKEEPING_US), move |instance| instance.played(&mv))
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.call(Allowance::fixed(BOOKKEEPING_US), move |instance| instance.taken_back(plies))
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        let allowance = Allowance::for_sleeping_engine(limits, self.guard_us);
        let (limits, barred) = (limits.clone(), barred.to_vec());
        self.call(allowance, move |instance| instance.choose(&limits, &barred))
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.call(Allowance::UNLIMITED, Engine::think)
    }

    fn stop_handle(&self) -> StopHandle {
        self.context.meter.stop_handle().clone()
    }
}
