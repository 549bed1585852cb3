//! People's way into a bout: a channel, and a hand on the engine that thinks.
//! Reads no keyboard itself.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Control;

/// What a person wants. Events are taken in the order in which they come, while
/// an engine thinks, too: but a move typed ahead waits for its turn, and
/// everything after it waits with it.
///
/// Where it matters who: the person to move, else the only person, else the one
/// that moved last; a draw is taken by whom it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonEvent {
    /// Play this move.
    Move(String),
    /// Take back so many plies; none: until the person is to move again.
    Undo(Option<u32>),
    /// Give up.
    Resign,
    /// Offer a draw.
    OfferDraw,
    /// Take the draw that is offered.
    AcceptDraw,
    /// Decline it.
    DeclineDraw,
    /// Stop the clocks.
    Pause,
    /// Go on.
    Resume,
    /// Ask the hint engine; nothing is played.
    Hint,
    /// The engine that thinks is to come to an end and play.
    MoveNow,
    /// See board and clocks again ([`Observer::show`](super::Observer::show)).
    Show,
    /// Save now: into the bout's own file, or a copy into this one.
    Save(Option<PathBuf>),
    /// End the bout by force, with this reason: it has no winner.
    Abort(String),
    /// Leave; the bout stays unfinished, and its record can be resumed.
    Quit,
    /// That player is gone for good, and loses.
    Gone(usize),
    /// One of these, of which is to be heard what became of it.
    Said(Word),
}

/// An event whose fate somebody wants to hear: see [`Observer::answered`](super::Observer::answered).
/// It waits for nobody's turn; what comes out of turn is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Told again with the answer.
    pub number: u64,
    /// The only player that it may come from; none: whoever could.
    pub player: Option<usize>,
    /// How many plies there are where it was said; once there are others, it is refused. None:
    /// that does not matter.
    pub ply: Option<u32>,
    /// What is wanted.
    pub event: Box<PersonEvent>,
}

impl PersonEvent {
    /// Whether it waits, and all that comes after it, until a person is to move.
    pub(super) fn waits_for_turn(&self) -> bool {
        matches!(self, PersonEvent::Move(_) | PersonEvent::Hint)
    }

    /// Whether the call of an engine that thinks comes to an end by it.
    fn stops_thinking(&self) -> bool {
        use PersonEvent::*;
        match self {
            Undo(_) | Resign | AcceptDraw | Pause | MoveNow | Abort(_) | Quit | Gone(_) => true,
            Move(_) | OfferDraw | DeclineDraw | Resume | Hint | Show | Save(_) => false,
            Said(word) => word.event.stops_thinking(),
        }
    }
}

type Slot = Arc<Mutex<Option<Control>>>;

/// The sending end, for the thread that reads a keyboard; cloned freely. When
/// all of them are gone, it counts as [`PersonEvent::Quit`].
#[derive(Clone, Debug)]
pub struct PersonInput {
    sender: Sender<PersonEvent>,
    thinking: Slot,
}

impl PersonInput {
    /// Hands in an event, and stops an engine that thinks where the event is
    /// not to wait for it. False: the bout is over.
    pub fn send(&self, event: PersonEvent) -> bool {
        let stops = event.stops_thinking();
        // First the event, then the stop: see `People::publish`.
        let sent = self.sender.send(event).is_ok();
        if stops
            && let Some(control) = &*self.thinking.lock().unwrap_or_else(PoisonError::into_inner)
        {
            control.stop();
        }
        sent
    }
}

/// The receiving end, for the driver.
#[derive(Debug)]
pub struct People {
    pub(super) events: Receiver<PersonEvent>,
    thinking: Slot,
    /// The next event, if it is not its time yet.
    head: Option<PersonEvent>,
}

impl People {
    /// Names the call that a stop is meant for. Who does so clears the control
    /// first, and looks for events after: one that came before is seen there,
    /// and one that comes later stops the call.
    pub(super) fn publish(&self, control: Option<Control>) {
        *self.thinking.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }

    /// Whether somebody leaves, when nothing else counts any more.
    pub(super) fn quits(&self) -> bool {
        self.events.try_iter().any(|event| event == PersonEvent::Quit)
    }

    /// The next event, if there is one and it need not wait for a person's turn.
    pub(super) fn next(&mut self, is_turn: bool) -> Option<PersonEvent> {
        if self.head.is_none() {
            self.head = self.events.try_recv().ok();
        }
        self.head.take_if(|event| is_turn || !event.waits_for_turn())
    }
}

/// A channel from people to a bout.
pub fn people() -> (PersonInput, People) {
    let (sender, events) = mpsc::channel();
    let thinking = Slot::default();
    (PersonInput { sender, thinking: thinking.clone() }, People { events, thinking, head: None })
}
