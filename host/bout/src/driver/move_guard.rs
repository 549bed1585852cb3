//! The guard of moves without a limit of time or fuel: stops an engine that does not answer, and
//! decides whether the engine or the machine was at fault. Moves with such a limit have guards of
//! their own, in the engine's meter.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_common::sys::cpu::CpuClock;
use sandboard_common::sys::machine;
use sandboard_engine::messages;
use sandboard_engine::timer::{Alarm, now_us};
use sandboard_engine::{Fault, FaultCode, StopHandle, Usage};

/// After a tenth of the limit the times are measured, so that short calls need no measurement.
const MEASURED_FROM: u64 = 10;

/// Guards the calls of one bout, one at a time.
pub(super) struct MoveGuard {
    /// Wall time after which a call is stopped, in microseconds.
    limit_us: u64,
    state: Arc<Mutex<GuardState>>,
    /// Begins to measure.
    measures: Arc<Alarm>,
    /// Stops the call.
    stops: Arc<Alarm>,
}

#[derive(Default)]
struct GuardState {
    /// The call that is guarded; none: there is none, or it was stopped.
    stop_handle: Option<StopHandle>,
    /// The CPU clock of the thread that makes the call; an engine may run on it.
    thread: Option<CpuClock>,
    /// The times when the measurement began.
    measured_from: Option<Times>,
    /// The call was stopped after this measurement.
    stopped: Option<Times>,
}

/// The times of a clock or of a period, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    wall_us: u64,
    /// CPU time of the thread that makes the call; none: it is not counted.
    thread_us: Option<u64>,
    /// Idle CPU time of the machine, added up over its CPUs; none: it is not counted.
    idle_us: Option<u64>,
}

impl MoveGuard {
    /// A guard that stops calls after `limit_us` microseconds of wall time.
    pub(super) fn new(limit_us: u64) -> Self {
        let state: Arc<Mutex<GuardState>> = Arc::default();
        let (measured, stopped) = (state.clone(), state.clone());
        Self {
            limit_us,
            state,
            measures: Alarm::new(move || locked(&measured).measure()),
            stops: Alarm::new(move || locked(&stopped).stop()),
        }
    }

    /// Guards the call that this thread begins now, until [`end`](Self::end).
    pub(super) fn begin(&self, stop_handle: StopHandle) {
        let (stop_handle, thread) = (Some(stop_handle), CpuClock::of_this_thread());
        *locked(&self.state) = GuardState { stop_handle, thread, ..GuardState::default() };
        let now = now_us();
        self.measures.set(now.saturating_add(self.limit_us / MEASURED_FROM));
        self.stops.set(now.saturating_add(self.limit_us));
    }

    /// Ends the guarded call, which used `spent`. Returns its fault, if the guard stopped it.
    pub(super) fn end(&self, spent: &Usage) -> Option<Fault> {
        self.measures.turn_off();
        self.stops.turn_off();
        let mut state = locked(&self.state);
        state.stop_handle = None;
        let period = state.stopped.take()?;
        Some(guard_fault(self.limit_us, spent, period))
    }
}

impl GuardState {
    fn times(&self) -> Times {
        let thread_us = self.thread.and_then(CpuClock::now_us);
        Times { wall_us: now_us(), thread_us, idle_us: machine::idle_us() }
    }

    fn measure(&mut self) {
        if self.stop_handle.is_some() {
            self.measured_from = Some(self.times());
        }
    }

    fn stop(&mut self) {
        // Without a handle the call has just ended. The handle may stop the next one.
        let Some(stop_handle) = self.stop_handle.take() else { return };
        let period = self.measured_from.map(|from| self.times().since(from));
        self.stopped = Some(period.unwrap_or_default());
        stop_handle.stop();
    }
}

impl Times {
    /// The period since earlier times.
    fn since(self, from: Self) -> Self {
        let between = |now: Option<u64>, from: Option<u64>| Some(now?.saturating_sub(from?));
        Self {
            wall_us: self.wall_us.saturating_sub(from.wall_us),
            thread_us: between(self.thread_us, from.thread_us),
            idle_us: between(self.idle_us, from.idle_us),
        }
    }
}

/// The fault of a call that the guard stopped after `limit_us`. The engine is at fault if it worked
/// for at least half of the time, or if at least half a CPU was idle meanwhile. Otherwise the
/// machine is. `period`: the part of the call that was measured.
fn guard_fault(limit_us: u64, spent: &Usage, period: Times) -> Fault {
    let is_half = |us: Option<u64>, of_us: u64| us.is_some_and(|us| us.saturating_mul(2) >= of_us);
    let has_worked = is_half(spent.cpu_us, limit_us) || is_half(period.thread_us, period.wall_us);
    let was_idle = is_half(period.idle_us, period.wall_us);
    let ms = limit_us / 1000;
    let limit = messages::no_answer_guard(ms);
    let (code, sentence) = match has_worked || was_idle {
        true => (FaultCode::Timeout, limit),
        false => {
            let cpu_ms = spent.cpu_us.max(period.thread_us).unwrap_or(0) / 1000;
            let why = messages::no_answer_busy(ms, cpu_ms);
            (FaultCode::Host, why)
        }
    };
    Fault { spent: *spent, ..Fault::new(code, sentence) }
}

fn locked(state: &Mutex<GuardState>) -> MutexGuard<'_, GuardState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks who is at fault for a call of 1,000 µs, of which 900 were measured: CPU time of the
    /// engine, CPU time of the calling thread, and idle time, in microseconds.
    fn check(times: [Option<u64>; 3], expected: FaultCode) {
        let [cpu_us, thread_us, idle_us] = times;
        let spent = Usage { wall_us: 1_000, cpu_us, ..Usage::default() };
        let fault = guard_fault(1_000, &spent, Times { wall_us: 900, thread_us, idle_us });
        assert_eq!(fault.code, expected, "{times:?}");
        assert!(fault.sentence.starts_with("did not answer within 1 ms"), "{}", fault.sentence);
        assert_eq!(fault.spent, spent);
    }

    #[test]
    fn the_engine_is_at_fault_where_it_could_have_worked() {
        let (engine, machine) = (FaultCode::Timeout, FaultCode::Host);
        // It worked.
        check([Some(1_000), Some(0), Some(0)], engine);
        check([Some(500), None, None], engine);
        check([None, Some(450), Some(0)], engine);
        // It slept on an idle machine.
        check([Some(0), Some(0), Some(450)], engine);
        check([None, None, Some(1_800)], engine);
        // It got less than half of a busy CPU, or nothing is known.
        check([Some(499), Some(449), Some(449)], machine);
        check([None, None, Some(0)], machine);
        check([None; 3], machine);
    }

    #[test]
    fn a_call_that_ends_in_time_is_not_stopped() {
        let guard = MoveGuard::new(3_600_000_000);
        let stop_handle = StopHandle::default();
        guard.begin(stop_handle.clone());
        assert_eq!(guard.end(&Usage::default()), None);
        locked(&guard.state).stop();
        assert!(!stop_handle.is_stopped(), "an alarm that comes too late stops nothing");
        assert_eq!(guard.end(&Usage::default()), None);
    }

    #[test]
    fn a_measured_period_ends_with_the_stop() {
        let guard = MoveGuard::new(3_600_000_000);
        let stop_handle = StopHandle::default();
        // The clock begins with the process. A time on it must differ from a period.
        while now_us() < 10_000 {}
        guard.begin(stop_handle.clone());
        let begin_us = now_us();
        locked(&guard.state).measure();
        locked(&guard.state).stop();
        assert!(stop_handle.is_stopped());
        let period = locked(&guard.state).stopped.unwrap();
        assert!(period.wall_us <= now_us() - begin_us, "{period:?}");
        if cfg!(target_os = "linux") {
            assert!(period.thread_us.is_some() && period.idle_us.is_some(), "{period:?}");
        }
        let fault = guard.end(&Usage { cpu_us: Some(3_600_000_000), ..Usage::default() });
        assert_eq!(fault.unwrap().code, FaultCode::Timeout);
    }
}
