//! Engines that think on their opponents' time: each on a thread of its own, where
//! the instance goes when it may begin and from where it comes back when it is told
//! to stop. Decides nothing: when to begin and to stop are commands of the referee.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use super::Time;
use super::drive::{Driver, Instance};
use crate::engine::{CallName, Control, Engine, Fault, FaultCode, Spent};
use crate::referee::Event;

type Thinker = Box<dyn Engine>;

/// A player's thread. It sleeps unless the instance is there, and ends when this is dropped.
pub(super) struct Ponderer {
    jobs: Sender<Thinker>,
    back: Receiver<(Thinker, Result<Spent, Fault>)>,
    /// What stops the instance that is there; none: it is not.
    away: Option<Control>,
}

/// How an engine came back.
struct Return {
    instance: Option<Instance>,
    ended: Result<Spent, Fault>,
    /// From the word to stop on, in microseconds.
    late_us: u64,
}

impl Ponderer {
    fn new() -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Thinker>();
        let (returns, back) = channel();
        std::thread::Builder::new().name("on the opponent's time".into()).spawn(move || {
            for mut engine in queue {
                let ended = engine.think();
                if returns.send((engine, ended)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { jobs, back, away: None })
    }

    /// Lets the instance think; it comes back in the error if there is no thread any more.
    fn send(&mut self, instance: Instance) -> Result<(), Instance> {
        let Instance { engine, control } = instance;
        // Whoever stops the call after this line means this call.
        control.clear();
        match self.jobs.send(engine) {
            Ok(()) => self.away = Some(control),
            Err(unsent) => return Err(Instance { engine: unsent.0, control }),
        }
        Ok(())
    }

    /// Has the instance back; none: it is not away. One that does not stop is killed where
    /// it runs, so that this waits half a second and a little more at most.
    fn call_back(&mut self, time: &dyn Time) -> Option<Return> {
        let control = self.away.take()?;
        let (back, late_us) = match self.back.try_recv() {
            Ok(back) => (Some(back), 0),
            Err(TryRecvError::Disconnected) => (None, 0),
            Err(TryRecvError::Empty) => {
                let told_us = time.now_us();
                control.stop();
                let back = self.back.recv().ok();
                (back, time.now_us().saturating_sub(told_us))
            }
        };
        let lost = || Fault::new(FaultCode::Host, "was lost with the thread that it thought on");
        Some(match back {
            Some((engine, ended)) => {
                Return { instance: Some(Instance { engine, control }), ended, late_us }
            }
            None => Return { instance: None, ended: Err(lost()), late_us },
        })
    }
}

impl Drop for Ponderer {
    fn drop(&mut self) {
        if let Some(control) = &self.away {
            control.stop();
        }
    }
}

impl Driver<'_> {
    /// Lets an engine think on its opponents' time.
    pub(super) fn ponder(&mut self, player: usize) {
        let ply = self.referee.plies().len() as u32;
        let Some(chair) = self.chairs.get_mut(player) else { return };
        // One that is gone has lost, or is about to be started afresh.
        let Some(instance) = chair.instance.take() else { return };
        let ponderer = match chair.ponderer.take().map_or_else(Ponderer::new, Ok) {
            Ok(ponderer) => chair.ponderer.insert(ponderer),
            Err(error) => {
                log::warn!("no thread to think on an opponent's time: {error}");
                chair.instance = Some(instance);
                return;
            }
        };
        chair.ears.begin_pondering(ply);
        if let Err(instance) = ponderer.send(instance) {
            chair.instance = Some(instance);
            chair.ponderer = None;
        }
    }

    /// Has it back, and tells the referee how it went.
    pub(super) fn stop_pondering(&mut self, player: usize) {
        let Some(chair) = self.chairs.get_mut(player) else { return };
        let Some(ponderer) = chair.ponderer.as_mut() else { return };
        let Some(Return { instance, ended, late_us }) = ponderer.call_back(self.time) else {
            return;
        };
        chair.ears.end_pondering();
        chair.instance = instance;
        match ended {
            Ok(spent) => self.feed(Event::Pondered { player, spent, late_us }),
            Err(fault) => self.fault(player, fault.during(CallName::Think)),
        }
    }

    /// The bout is left: nobody thinks on.
    pub(super) fn end_pondering(&mut self) {
        for chair in &mut self.chairs {
            if let Some(mut ponderer) = chair.ponderer.take() {
                drop(ponderer.call_back(self.time));
            }
        }
    }
}
