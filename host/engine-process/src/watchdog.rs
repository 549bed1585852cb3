//! Watches a process that serves calls: meters each call, kills the process when it exceeds its
//! time, and collects its exit report. Sends nothing to the process itself.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sandboard_engine::meter::{ALARM_REPEAT_US, Meter};
use sandboard_engine::timer::Alarm;
use sandboard_engine::{Fault, FaultCode, HostState, StopHandle};
use sandboard_jail::{CpuClock, ExitReport, JailedProcess};

/// How long a process that has closed its channel may take to end by itself.
const EXIT_WAIT: Duration = Duration::from_millis(500);

/// Watches one process.
pub(crate) struct ProcessWatchdog {
    /// Meters the calls and their allowances.
    pub(crate) meter: Arc<Meter>,
    killed: Arc<AtomicBool>,
}

impl ProcessWatchdog {
    /// Watches a process. `kill` ends it, from any thread. `enforce_deadlines`: whether to kill it
    /// when a call exceeds its time. `clock`: its CPU clock, if the CPU time of the whole process
    /// counts. `send_stop` requests a stop and returns at once.
    pub(crate) fn new(
        kill: impl Fn() + Send + Sync + 'static,
        enforce_deadlines: bool,
        clock: Option<CpuClock>,
        send_stop: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let killed = Arc::<AtomicBool>::default();
        let is_killed = killed.clone();
        let meter = Arc::new_cyclic(|meter: &std::sync::Weak<Meter>| {
            let meter = meter.clone();
            let alarm = Alarm::repeating(ALARM_REPEAT_US, move || {
                if let Some(meter) = meter.upgrade().filter(|meter| meter.is_overdue()) {
                    meter.freeze_cpu_time();
                    is_killed.store(true, Ordering::SeqCst);
                    kill();
                }
            });
            let stop_handle =
                StopHandle::with_alarm(alarm.clone()).with_stop_hook(Arc::new(send_stop));
            Meter::with_clock(stop_handle, alarm, enforce_deadlines, clock)
        });
        Self { meter, killed }
    }

    /// Whether the process was killed because it exceeded its time.
    pub(crate) fn has_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }

    /// Ends the process and returns how it ended. `has_left`: the process has closed its channel
    /// itself. The end of its output goes to the log.
    pub(crate) fn end_process(
        &self,
        process: &JailedProcess,
        has_left: bool,
        host_state: &mut HostState,
    ) -> ExitReport {
        if has_left && !self.has_killed() {
            // The channel closes a moment before the process ends, and its own end tells more than
            // a kill.
            process.exits_within(EXIT_WAIT);
        }
        let end = process.kill_and_report();
        end.output.lines().for_each(|line| host_state.log_printed_line(line));
        end
    }
}

/// The fault when the host cannot make a process for an engine.
pub(crate) fn no_process_fault(error: io::Error) -> Fault {
    Fault::new(FaultCode::Host, format!("has no process to run in: {error}"))
}
