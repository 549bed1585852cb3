//! The handle that stops a running call from any thread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{meter, timer};

/// Stops the current call: from then on the engine's `left()` is 0. Clones share one state.
#[derive(Clone, Default)]
pub struct StopHandle {
    state: Arc<StopState>,
    /// Kills a call that does not return after a stop request.
    alarm: Option<Arc<timer::Alarm>>,
    /// Forwards a stop request to an engine in another process.
    stop_hook: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl fmt::Debug for StopHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopHandle").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Whether a stop was requested, and its deadline. Both are in one atomic, so that no thread sees
/// one without the other.
#[derive(Debug)]
struct StopState {
    /// When the call is killed after a stop request; [`timer::NEVER`]: no stop was requested.
    kill_at_us: AtomicU64,
    /// Time from a stop request until the call is killed.
    grace_us: u64,
}

impl StopState {
    fn new(grace_us: u64) -> Self {
        Self { kill_at_us: AtomicU64::new(timer::NEVER), grace_us }
    }
}

impl Default for StopState {
    fn default() -> Self {
        Self::new(meter::STOP_GRACE_US)
    }
}

impl StopHandle {
    /// A handle whose stop also moves `alarm`, if it is on, to [`meter::STOP_GRACE_US`] after the
    /// request.
    pub fn with_alarm(alarm: Arc<timer::Alarm>) -> Self {
        Self::with_grace(alarm, meter::STOP_GRACE_US)
    }

    /// A handle whose stop also moves `alarm`, if it is on, to `grace_us` after the request.
    pub(crate) fn with_grace(alarm: Arc<timer::Alarm>, grace_us: u64) -> Self {
        Self { state: Arc::new(StopState::new(grace_us)), alarm: Some(alarm), stop_hook: None }
    }

    /// Adds a function that runs at every stop request.
    #[cfg(target_os = "linux")]
    pub fn with_stop_hook(self, stop_hook: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { stop_hook: Some(stop_hook), ..self }
    }

    /// Requests a stop. A call that does not return within the grace is killed. A second request
    /// does not extend the grace. Without a call, the request is for the next one.
    pub fn stop(&self) {
        let at_us = timer::now_us() + self.state.grace_us;
        self.state.kill_at_us.fetch_min(at_us, Ordering::SeqCst);
        if let Some(alarm) = &self.alarm {
            alarm.move_no_later(at_us);
        }
        if let Some(stop_hook) = &self.stop_hook {
            stop_hook();
        }
    }

    /// Forgets an earlier stop request. The caller does this before a call, so that a stop request
    /// for the next call cannot be lost.
    #[inline]
    pub fn clear(&self) {
        self.state.kill_at_us.store(timer::NEVER, Ordering::SeqCst);
    }

    /// Whether a stop was requested.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.kill_at_us() != timer::NEVER
    }

    /// Time from a stop request until the call is killed, in microseconds.
    pub(crate) fn grace_us(&self) -> u64 {
        self.state.grace_us
    }

    /// When the call is killed after a stop request, on the clock of [`timer::now_us`];
    /// [`timer::NEVER`]: no stop was requested.
    #[inline]
    pub fn kill_at_us(&self) -> u64 {
        self.state.kill_at_us.load(Ordering::SeqCst)
    }
}
