//! What a host holds a process by that answers its calls: the meter of a call, the alarm that
//! kills who is late, and the farewell to who has left. Says nothing to it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::engine::desk::Desk;
use crate::engine::meter::Meter;
use crate::engine::timer::Alarm;
use crate::engine::{Control, Fault, FaultCode};
use crate::jail::{CpuClock, End, Inmate};

/// How long a process that has left its channel is given to end by itself.
const PARTING: Duration = Duration::from_millis(500);

/// A process on its leash.
pub struct Leash {
    /// What its calls spend and may spend.
    pub meter: Arc<Meter>,
    killed: Arc<AtomicBool>,
}

impl Leash {
    /// A leash of a process. `kill`: ends it, from any thread; `deadlines`: who is late is killed; `clock`: its CPU time,
    /// where that of the process is meant; `herald`: tells it to stop, and returns at once.
    pub fn new(
        kill: impl Fn() + Send + Sync + 'static,
        deadlines: bool,
        clock: Option<CpuClock>,
        herald: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let killed = Arc::<AtomicBool>::default();
        let is_killed = killed.clone();
        let meter = Arc::new_cyclic(|meter: &std::sync::Weak<Meter>| {
            let meter = meter.clone();
            let alarm = Alarm::new(move || {
                if let Some(meter) = meter.upgrade().filter(|meter| meter.is_overdue()) {
                    meter.hold();
                    is_killed.store(true, Ordering::SeqCst);
                    kill();
                }
            });
            let control = Control::with_alarm(alarm.clone()).heralded(Arc::new(herald));
            Meter::of(control, alarm, deadlines, clock)
        });
        Self { meter, killed }
    }

    /// Whether it was late and was killed for it.
    pub fn has_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }

    /// How it ended; `left`: it was not sent away but has left its channel. What it printed last
    /// goes into the log.
    pub fn farewell(&self, inmate: &Inmate, left: bool, desk: &mut Desk) -> End {
        if left && !self.has_killed() {
            // The channel ends a moment before its process, whose end is worth more than ours.
            inmate.has_ended_within(PARTING);
        }
        let end = inmate.fate();
        end.output.lines().for_each(|line| desk.overheard(line));
        end
    }
}

/// The fault of a host that has no process for an engine.
pub fn no_worker(error: io::Error) -> Fault {
    Fault::new(FaultCode::Host, format!("got no worker: {error}"))
}
