//! Synchronises the thread that reads the keyboard with the bout: lines of a script wait until they
//! can be carried out, and a prompt waits until the board is drawn.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sandboard_bout::driver::InputEvent;

/// The state of the bout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// The first turn has not started, or an event of a person is being processed.
    #[default]
    Busy,
    /// The bout waits for people.
    Free,
    /// An engine thinks.
    Thinking {
        /// The search has no limit, so that only a person can stop it.
        endless: bool,
    },
    /// The bout is over.
    Over,
}

/// The state of the bout. A thread can wait until it changes.
#[derive(Debug, Default)]
pub(super) struct InputGate {
    state: Mutex<State>,
    changed: Condvar,
}

impl InputGate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state, unless the bout is over.
    pub(super) fn set(&self, state: State) {
        let mut now = self.lock();
        if *now != State::Over {
            *now = state;
        }
        self.changed.notify_all();
    }

    /// Notes that the thinking engine received the command to move now.
    pub(super) fn stop_requested(&self) {
        let mut now = self.lock();
        if let State::Thinking { endless } = &mut *now {
            *endless = false;
        }
    }

    /// Ends the bout for good.
    pub(super) fn close(&self) {
        self.set(State::Over);
    }

    /// Waits until `event` can be processed. False: the bout is over.
    pub(super) fn wait_for(&self, event: Option<&InputEvent>) -> bool {
        self.wait(|state| admits(state, event), None) != State::Over
    }

    /// Waits for at most `timeout` until the bout waits for people. False: the bout is over.
    pub(super) fn settle(&self, timeout: Duration) -> bool {
        self.wait(|state| state == State::Free, Some(timeout)) != State::Over
    }

    fn wait(&self, until: impl Fn(State) -> bool, timeout: Option<Duration>) -> State {
        let must_wait = |state: &mut State| *state != State::Over && !until(*state);
        let guard = self.lock();
        match timeout {
            None => {
                *self.changed.wait_while(guard, must_wait).unwrap_or_else(PoisonError::into_inner)
            }
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(guard, timeout, must_wait);
                *waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }
}

/// Whether an event of a script (`None`: a line without an event) is processed in this state.
/// Events wait for the person's turn. Those that stop an engine do not wait for an engine without a
/// limit.
fn admits(state: State, event: Option<&InputEvent>) -> bool {
    use InputEvent::*;
    match (state, event) {
        (State::Free | State::Over, _) => true,
        (State::Thinking { .. }, Some(MoveNow)) => true,
        (State::Thinking { endless }, Some(Undo(_) | Resign | Pause | Abort(_) | Quit)) => endless,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(state: State, event: Option<InputEvent>, expected: bool) {
        assert_eq!(admits(state, event.as_ref()), expected, "{state:?} {event:?}");
    }

    #[test]
    fn a_script_waits_for_its_turn() {
        let (limited, endless) =
            (State::Thinking { endless: false }, State::Thinking { endless: true });
        let mv = || Some(InputEvent::Move("h8".into()));
        check(State::Free, mv(), true);
        check(State::Busy, mv(), false);
        check(limited, mv(), false);
        check(endless, mv(), false);
        check(limited, Some(InputEvent::Quit), false);
        check(endless, Some(InputEvent::Quit), true);
        check(endless, Some(InputEvent::Undo(None)), true);
        check(limited, Some(InputEvent::MoveNow), true);
        check(State::Busy, Some(InputEvent::MoveNow), false);
        check(limited, None, false);
        check(State::Over, mv(), true);
    }

    #[test]
    fn a_command_to_move_limits_the_search() {
        let gate = InputGate::default();
        gate.set(State::Thinking { endless: true });
        gate.stop_requested();
        assert_eq!(*gate.lock(), State::Thinking { endless: false });
        gate.set(State::Free);
        gate.stop_requested();
        assert_eq!(*gate.lock(), State::Free);
    }

    #[test]
    fn a_closed_gate_stays_closed() {
        let gate = InputGate::default();
        gate.set(State::Free);
        assert!(gate.wait_for(None));
        gate.close();
        gate.set(State::Free);
        assert!(!gate.wait_for(None));
        assert!(!gate.settle(Duration::ZERO));
    }
}
