//! Runs engines that ponder, each on a thread of its own. The instance moves to the thread when
//! pondering starts, and back when it stops. The referee decides when that is.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use sandboard_engine::{CallName, Engine, Fault, FaultCode, StopHandle, Usage};

use super::TimeSource;
use super::run_loop::{Driver, RunningEngine};
use crate::referee::Event;

/// The thread of one player. It sleeps while it has no instance, and ends when this is dropped.
pub(super) struct PonderThread {
    engines: Sender<Box<dyn Engine>>,
    returns: Receiver<(Box<dyn Engine>, Result<Usage, Fault>)>,
    /// The stop handle of the instance on the thread; none: there is no instance.
    stop_handle: Option<StopHandle>,
}

/// An instance that returned from pondering.
struct Return {
    /// None: it was lost with its thread.
    instance: Option<RunningEngine>,
    outcome: Result<Usage, Fault>,
    /// The time from the stop request to the return, in microseconds.
    stop_us: u64,
}

impl PonderThread {
    fn new() -> std::io::Result<Self> {
        let (engines, queue) = channel::<Box<dyn Engine>>();
        let (sender, returns) = channel();
        std::thread::Builder::new().name("ponder".into()).spawn(move || {
            for mut engine in queue {
                let outcome = engine.think();
                if sender.send((engine, outcome)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { engines, returns, stop_handle: None })
    }

    /// Lets the instance ponder. Err: the thread has ended; contains the instance.
    fn start(&mut self, instance: RunningEngine) -> Result<(), RunningEngine> {
        let RunningEngine { engine, stop_handle } = instance;
        // A stop after this line is meant for this call.
        stop_handle.clear();
        match self.engines.send(engine) {
            Ok(()) => self.stop_handle = Some(stop_handle),
            Err(unsent) => return Err(RunningEngine { engine: unsent.0, stop_handle }),
        }
        Ok(())
    }

    /// Stops the instance and waits for it; none: there is no instance on the thread. An engine
    /// that does not stop is killed, so this waits a little more than half a second at most.
    fn stop(&mut self, time: &dyn TimeSource) -> Option<Return> {
        let stop_handle = self.stop_handle.take()?;
        let (returned, stop_us) = match self.returns.try_recv() {
            Ok(returned) => (Some(returned), 0),
            Err(TryRecvError::Disconnected) => (None, 0),
            Err(TryRecvError::Empty) => {
                let requested_us = time.now_us();
                stop_handle.stop();
                let returned = self.returns.recv().ok();
                (returned, time.now_us().saturating_sub(requested_us))
            }
        };
        let lost = || Fault::new(FaultCode::Host, sandboard_engine::messages::LOST_PONDER_THREAD);
        Some(match returned {
            Some((engine, outcome)) => {
                let instance = Some(RunningEngine { engine, stop_handle });
                Return { instance, outcome, stop_us }
            }
            None => Return { instance: None, outcome: Err(lost()), stop_us },
        })
    }
}

impl Drop for PonderThread {
    fn drop(&mut self) {
        if let Some(stop_handle) = &self.stop_handle {
            stop_handle.stop();
        }
    }
}

impl Driver<'_> {
    /// Lets an engine ponder.
    pub(super) fn start_pondering(&mut self, player: usize) {
        let ply = self.referee.plies().len() as u32;
        let Some(slot) = self.slots.get_mut(player) else { return };
        // Without an instance the engine has lost, or is about to be started again.
        let Some(instance) = slot.instance.take() else { return };
        let thread = match slot.ponder_thread.take().map_or_else(PonderThread::new, Ok) {
            Ok(thread) => slot.ponder_thread.insert(thread),
            Err(error) => {
                log::warn!("no thread for pondering: {error}");
                slot.instance = Some(instance);
                return;
            }
        };
        slot.output.begin_pondering(ply);
        if let Err(instance) = thread.start(instance) {
            slot.instance = Some(instance);
            slot.ponder_thread = None;
        }
    }

    /// Stops an engine that ponders, and reports the outcome to the referee.
    pub(super) fn stop_pondering(&mut self, player: usize) {
        let Some(slot) = self.slots.get_mut(player) else { return };
        let Some(thread) = slot.ponder_thread.as_mut() else { return };
        let Some(Return { instance, outcome, stop_us }) = thread.stop(self.time) else { return };
        slot.output.end_pondering();
        slot.instance = instance;
        match outcome {
            Ok(spent) => self.feed(Event::PonderingEnded { player, spent, stop_us }),
            Err(fault) => self.report_fault(player, fault.during(CallName::Think)),
        }
    }

    /// Stops all engines that ponder, when the bout is left.
    pub(super) fn end_all_pondering(&mut self) {
        for slot in &mut self.slots {
            if let Some(mut thread) = slot.ponder_thread.take() {
                drop(thread.stop(self.time));
            }
        }
    }
}
