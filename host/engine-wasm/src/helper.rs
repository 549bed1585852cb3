//! Runs one helper of a team: an instance of the engine on its own thread, which thinks during the
//! leader's calls and waits otherwise. A helper chooses no move, and only its log is passed on.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use sandboard_abi::{Level, Setup};
use sandboard_engine::meter::Meter;
use sandboard_engine::{Engine, Fault, FaultCode, Listener, SharedTable, StopHandle, Usage};

use super::InstanceTemplate;
use super::backend::Backend;
use super::fuel_pool::{FuelPool, FuelRole};
use super::instance::WasmInstance;

/// Time in which a helper must return after a stop request, in microseconds: less than that of an
/// engine, so that a helper is dropped before its leader is overdue.
const STOP_GRACE_US: u64 = 250_000;

/// What all instances of a team share.
#[derive(Clone)]
pub(crate) struct TeamState {
    /// The shared table and cells.
    pub(crate) table: Arc<SharedTable>,
    /// The pool of the helpers' fuel.
    pub(crate) fuel_pool: FuelPool,
}

/// A call for a helper.
#[derive(Clone, Debug)]
pub(crate) enum Job {
    /// Passed to [`Engine::played`].
    Played(String),
    /// Passed to [`Engine::taken_back`].
    TakenBack(u32),
    /// [`Engine::think`] with this limit of fuel, in units.
    Think(Option<u64>),
}

type JobResult = Result<Usage, Fault>;

/// What a leader needs of a helper's instance.
struct HelperHandle {
    stop_handle: StopHandle,
    meter: Arc<Meter>,
}

/// The leader's side of a helper.
pub(crate) struct Helper {
    /// Numbers start at 1.
    pub(crate) number: u16,
    /// None: the helper is being dropped.
    jobs: Option<Sender<Job>>,
    results: Receiver<JobResult>,
    handle: Receiver<Result<HelperHandle, Fault>>,
    /// None: the helper has not started yet.
    stop_handle: Option<StopHandle>,
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    /// Creates a helper and begins to start it on its thread. Err: the system gave no thread.
    pub(crate) fn spawn<B: Backend>(
        template: &Arc<InstanceTemplate<B>>,
        listener: &Arc<dyn Listener>,
        team: &TeamState,
        setup: Setup,
    ) -> Result<Self, Fault> {
        let number = setup.helper;
        let (jobs, queue) = channel();
        let (results_sender, results) = channel();
        let (handle_sender, handle) = channel();
        let (template, team) = (template.clone(), team.clone());
        let listener = Arc::new(HelperListener { number, listener: listener.clone() });
        let run = move || match WasmInstance::new(&template, listener, STOP_GRACE_US) {
            Err(fault) => drop(handle_sender.send(Err(fault))),
            Ok(mut instance) => {
                let TeamState { table, fuel_pool } = team;
                instance.join(table, FuelRole::Helper { pool: fuel_pool, reported: None });
                let (stop_handle, meter) = (instance.stop_handle(), instance.meter());
                let _ = handle_sender.send(Ok(HelperHandle { stop_handle, meter }));
                run_jobs(instance, &setup, &queue, &results_sender);
            }
        };
        let thread = std::thread::Builder::new().name(format!("helper {number}")).spawn(run);
        let thread = thread
            .map_err(|error| Fault::new(FaultCode::Host, format!("got no thread: {error}")))?;
        let (jobs, thread) = (Some(jobs), Some(thread));
        Ok(Self { number, jobs, results, handle, stop_handle: None, thread })
    }

    /// Waits until the helper has started. Returns its meter, and what starting used.
    pub(crate) fn wait_for_start(&mut self) -> Result<(Arc<Meter>, Usage), Fault> {
        let HelperHandle { stop_handle, meter } =
            self.handle.recv().map_err(|_| thread_lost())??;
        self.stop_handle = Some(stop_handle);
        Ok((meter, self.wait(1)?))
    }

    /// Queues jobs; [`wait`](Self::wait) returns their results.
    pub(crate) fn begin(&self, jobs: &[Job]) {
        // From here on, a stop request is meant for these jobs.
        if let Some(stop_handle) = &self.stop_handle {
            stop_handle.clear();
        }
        if let Some(queue) = &self.jobs {
            // If the thread has ended, `wait` reports it.
            jobs.iter().for_each(|job| drop(queue.send(job.clone())));
        }
    }

    /// Requests the helper to return.
    pub(crate) fn stop(&self) {
        if let Some(stop_handle) = &self.stop_handle {
            stop_handle.stop();
        }
    }

    /// Waits for the results of this number of jobs. Returns the last result, or the first fault. A
    /// job that does not return is killed by its alarm.
    pub(crate) fn wait(&self, jobs: usize) -> JobResult {
        let next = || self.results.recv().unwrap_or_else(|_| Err(thread_lost()));
        (0..jobs).try_fold(Usage::default(), |_, _| next())
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.stop();
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn thread_lost() -> Fault {
    Fault::new(FaultCode::Host, "was lost with its thread")
}

/// Starts the instance and runs jobs, until one fails or the leader drops the helper.
fn run_jobs<B: Backend>(
    mut instance: WasmInstance<B>,
    setup: &Setup,
    queue: &Receiver<Job>,
    results: &Sender<JobResult>,
) {
    let mut result = instance.start(setup);
    loop {
        let failed = result.is_err();
        if results.send(result).is_err() || failed {
            return;
        }
        let Ok(job) = queue.recv() else { return };
        result = match job {
            Job::Played(mv) => instance.played(&mv).map(|()| Usage::default()),
            Job::TakenBack(plies) => instance.taken_back(plies).map(|()| Usage::default()),
            Job::Think(fuel) => instance.help(fuel),
        };
    }
}

/// Passes a helper's log on, marked with its number. Discards reports: the leader reports.
struct HelperListener {
    number: u16,
    listener: Arc<dyn Listener>,
}

impl Listener for HelperListener {
    fn log(&self, level: Level, text: &str) {
        // A helper's fatal error does not end the game.
        let level = level.max(Level::Warning);
        self.listener.log(level, &format!("helper {}: {text}", self.number));
    }
}
