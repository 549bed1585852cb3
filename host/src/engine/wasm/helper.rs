//! One helper of a team: an instance of the engine on a thread of its own, which works while
//! the leader's calls run and waits otherwise. Chooses nothing, and is heard by nobody but
//! in the log.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use sandboard_abi::{Level, Setup};

use super::Recipe;
use super::instance::WasmInstance;
use super::purse::{Purse, Share};
use crate::engine::commons::Commons;
use crate::engine::meter::Meter;
use crate::engine::{Control, Engine, Fault, FaultCode, Listener, Spent};

/// How long a helper that was told to stop may take to come back, in microseconds: less than
/// an engine has, so that it is gone before its leader is taken for late.
pub const STOP_GRACE_US: u64 = 250_000;

/// What a team has in common.
#[derive(Clone)]
pub struct Shared {
    /// Table and cells.
    pub commons: Arc<Commons>,
    /// Who pays the fuel.
    pub purse: Purse,
}

/// What a helper is to do.
#[derive(Clone, Debug)]
pub enum Job {
    /// [`Engine::played`].
    Played(String),
    /// [`Engine::taken_back`].
    TakenBack(u32),
    /// [`Engine::think`], with so much fuel at most, in units.
    Think(Option<u64>),
}

type Done = Result<Spent, Fault>;
/// What stops a helper, and what it spends.
type Reins = (Control, Arc<Meter>);

/// A helper, as its leader has it.
pub struct Helper {
    /// From 1.
    pub number: u16,
    /// None: it is told to go.
    jobs: Option<Sender<Job>>,
    done: Receiver<Done>,
    reins: Receiver<Result<Reins, Fault>>,
    /// None: it is not there yet.
    control: Option<Control>,
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    /// A helper that begins to start at once. Err: there is no thread for it.
    pub fn hire(
        recipe: &Arc<Recipe>,
        listener: &Arc<dyn Listener>,
        shared: &Shared,
        setup: Setup,
    ) -> Result<Self, Fault> {
        let number = setup.helper;
        let (jobs, queue) = channel();
        let (report, done) = channel();
        let (hand_over, reins) = channel();
        let (recipe, shared) = (recipe.clone(), shared.clone());
        let ear = Arc::new(Ear { number, listener: listener.clone() });
        let life = move || match WasmInstance::new(&recipe, ear, STOP_GRACE_US) {
            Err(fault) => drop(hand_over.send(Err(fault))),
            Ok(mut instance) => {
                let Shared { commons, purse } = shared;
                instance.join(commons, Share::Helps { purse, told: None });
                let _ = hand_over.send(Ok((instance.control(), instance.meter())));
                work(instance, &setup, &queue, &report);
            }
        };
        let thread = std::thread::Builder::new().name(format!("helper {number}")).spawn(life);
        let thread = thread.map_err(|error| {
            Fault::new(FaultCode::Host, format!("got no thread to work on: {error}"))
        })?;
        let (jobs, thread) = (Some(jobs), Some(thread));
        Ok(Self { number, jobs, done, reins, control: None, thread })
    }

    /// Waits until it has started; its meter, and what starting took.
    pub fn started(&mut self) -> Result<(Arc<Meter>, Spent), Fault> {
        let (control, meter) = self.reins.recv().map_err(|_| lost())??;
        self.control = Some(control);
        Ok((meter, self.wait(1)?))
    }

    /// Has it do all this; whoever says so waits for it later.
    pub fn begin(&self, jobs: &[Job]) {
        // A stop that comes after this means these.
        if let Some(control) = &self.control {
            control.clear();
        }
        if let Some(queue) = &self.jobs {
            // A thread that is gone is found out when it is waited for.
            jobs.iter().for_each(|job| drop(queue.send(job.clone())));
        }
    }

    /// Tells it to come back.
    pub fn stop(&self) {
        if let Some(control) = &self.control {
            control.stop();
        }
    }

    /// Waits until it has done so many things, and says how the last one went or the first
    /// that failed; one that does not come back is killed where it runs.
    pub fn wait(&self, jobs: usize) -> Done {
        let next = || self.done.recv().unwrap_or_else(|_| Err(lost()));
        (0..jobs).try_fold(Spent::default(), |_, _| next())
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

fn lost() -> Fault {
    Fault::new(FaultCode::Host, "was lost with the thread that it worked on")
}

/// The life of a helper, on its thread: it ends with a fault, or when nobody is left to ask.
fn work(mut instance: WasmInstance, setup: &Setup, queue: &Receiver<Job>, report: &Sender<Done>) {
    let mut done = instance.start(setup);
    loop {
        let is_over = done.is_err();
        if report.send(done).is_err() || is_over {
            return;
        }
        let Ok(job) = queue.recv() else { return };
        done = match job {
            Job::Played(mv) => instance.played(&mv).map(|()| Spent::default()),
            Job::TakenBack(plies) => instance.taken_back(plies).map(|()| Spent::default()),
            Job::Think(fuel) => instance.help(fuel),
        };
    }
}

/// Hears a helper: what it reports is the leader's to report, what it logs is marked as its.
struct Ear {
    number: u16,
    listener: Arc<dyn Listener>,
}

impl Listener for Ear {
    fn log(&self, level: Level, text: &str) {
        // It ends nobody's game.
        let level = level.max(Level::Warning);
        self.listener.log(level, &format!("helper {}: {text}", self.number));
    }
}
