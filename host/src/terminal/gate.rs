//! Whose turn it is, for the thread that reads the keyboard: a script's lines
//! wait until they can be acted on, and a prompt until the board is drawn.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::bout::PersonEvent;

/// What the bout is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// It has not come to the first turn, or acts on what a person typed.
    #[default]
    Busy,
    /// It waits for people.
    Free,
    /// An engine thinks.
    Thinking {
        /// Nothing but a person will stop it.
        endless: bool,
    },
    /// It is over.
    Over,
}

/// The state, and waiting for it.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what the bout is doing now.
    pub fn set(&self, state: State) {
        let mut now = self.lock();
        if *now != State::Over {
            *now = state;
        }
        self.changed.notify_all();
    }

    /// An engine that thinks, if one does, was told to come to an end.
    pub fn told(&self) {
        let mut now = self.lock();
        if let State::Thinking { endless } = &mut *now {
            *endless = false;
        }
    }

    /// The bout is over for good.
    pub fn close(&self) {
        self.set(State::Over);
    }

    /// Waits until `event` can be acted on. False: the bout is over.
    pub fn wait_for(&self, event: Option<&PersonEvent>) -> bool {
        self.wait(|state| open(state, event), None) != State::Over
    }

    /// Waits a moment for the bout to wait for people. False: it is over.
    pub fn settle(&self, moment: Duration) -> bool {
        self.wait(|state| state == State::Free, Some(moment)) != State::Over
    }

    fn wait(&self, until: impl Fn(State) -> bool, moment: Option<Duration>) -> State {
        let shut = |state: &mut State| *state != State::Over && !until(*state);
        let guard = self.lock();
        match moment {
            None => *self.changed.wait_while(guard, shut).unwrap_or_else(PoisonError::into_inner),
            Some(moment) => {
                let waited = self.changed.wait_timeout_while(guard, moment, shut);
                *waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }
}

/// Whether an event of a script (none: a line that is no event) is acted on in
/// this state: in turn, but what stops an engine need not wait for one that
/// nothing else stops.
fn open(state: State, event: Option<&PersonEvent>) -> bool {
    use PersonEvent::*;
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

    fn check(state: State, event: Option<PersonEvent>, expected: bool) {
        assert_eq!(open(state, event.as_ref()), expected, "{state:?} {event:?}");
    }

    #[test]
    fn a_script_waits_for_its_turn() {
        let (limited, endless) =
            (State::Thinking { endless: false }, State::Thinking { endless: true });
        let mv = || Some(PersonEvent::Move("h8".into()));
        check(State::Free, mv(), true);
        check(State::Busy, mv(), false);
        check(limited, mv(), false);
        check(endless, mv(), false);
        check(limited, Some(PersonEvent::Quit), false);
        check(endless, Some(PersonEvent::Quit), true);
        check(endless, Some(PersonEvent::Undo(None)), true);
        check(limited, Some(PersonEvent::MoveNow), true);
        check(State::Busy, Some(PersonEvent::MoveNow), false);
        check(limited, None, false);
        check(State::Over, mv(), true);
    }

    #[test]
    fn an_engine_that_was_told_comes_to_an_end() {
        let gate = Gate::default();
        gate.set(State::Thinking { endless: true });
        gate.told();
        assert_eq!(*gate.lock(), State::Thinking { endless: false });
        gate.set(State::Free);
        gate.told();
        assert_eq!(*gate.lock(), State::Free);
    }

    #[test]
    fn over_stays_over() {
        let gate = Gate::default();
        gate.set(State::Free);
        assert!(gate.wait_for(None));
        gate.close();
        gate.set(State::Free);
        assert!(!gate.wait_for(None));
        assert!(!gate.settle(Duration::ZERO));
    }
}
