//! The channel through which people's input reaches a bout, and stops an engine that is thinking.
//! Reads no keyboard itself.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use sandboard_engine::StopHandle;

/// An input of a person. Inputs are handled in order, also while an engine thinks. A move or a
/// request for a hint that is entered early waits for a person's turn, and all later inputs wait
/// with it.
///
/// An input without a player comes from the person to move; otherwise from the only person;
/// otherwise from the person that moved last. A draw is accepted or declined by the side to which
/// it was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputEvent {
    /// Play this move.
    Move(String),
    /// Take back this number of plies; none: until the person is to move again.
    Undo(Option<u32>),
    /// Resign the bout.
    Resign,
    /// Offer a draw.
    OfferDraw,
    /// Accept the draw offer.
    AcceptDraw,
    /// Decline the draw offer.
    DeclineDraw,
    /// Stop clocks and engines.
    Pause,
    /// End the pause.
    Resume,
    /// Ask the hint engine for a move, which is not played.
    Hint,
    /// Stop the engine that is thinking, so that it moves now.
    MoveNow,
    /// Show board and clocks again ([`Observer::show_board`](super::Observer::show_board)).
    ShowBoard,
    /// Save the record: in its destination, or a copy in this file.
    Save(Option<PathBuf>),
    /// End the bout without a result, for this reason.
    Abort(String),
    /// Leave the bout unfinished; its record can be resumed.
    Quit,
    /// This player has left for good, and loses.
    Disconnected(usize),
    /// An input whose outcome is reported.
    Tracked(TrackedInput),
}

/// An input whose outcome [`Observer::input_answered`](super::Observer::input_answered) reports.
/// It does not wait for a turn: out of turn it is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedInput {
    /// The number that the outcome repeats.
    pub number: u64,
    /// The player whose input it is; none: as for other inputs.
    pub player: Option<usize>,
    /// The number of plies for which the input is meant: at another number it is rejected. None: at
    /// any number.
    pub ply: Option<u32>,
    /// The input itself.
    pub event: Box<InputEvent>,
}

impl InputEvent {
    /// Whether this input, and all later ones, wait until a person is to move.
    pub(super) fn waits_for_turn(&self) -> bool {
        matches!(self, InputEvent::Move(_) | InputEvent::Hint)
    }

    /// Whether this input stops an engine that is thinking.
    fn stops_thinking(&self) -> bool {
        use InputEvent::*;
        match self {
            Undo(_) | Resign | AcceptDraw | Pause | MoveNow | Abort(_) | Quit | Disconnected(_) => {
                true
            }
            Move(_) | OfferDraw | DeclineDraw | Resume | Hint | ShowBoard | Save(_) => false,
            Tracked(input) => input.event.stops_thinking(),
        }
    }
}

type StopSlot = Arc<Mutex<Option<StopHandle>>>;

/// The sending end, for the thread that reads people's input. Can be cloned. When all clones are
/// dropped, that counts as [`InputEvent::Quit`].
#[derive(Clone, Debug)]
pub struct InputSender {
    sender: Sender<InputEvent>,
    current_call: StopSlot,
}

impl InputSender {
    /// Sends an input, and stops an engine that is thinking if the input does not wait for it.
    /// Returns false if the bout is over.
    pub fn send(&self, event: InputEvent) -> bool {
        let stops = event.stops_thinking();
        // First the event, then the stop: see `InputReceiver::set_stop_handle`.
        let sent = self.sender.send(event).is_ok();
        if stops
            && let Some(call) = &*self.current_call.lock().unwrap_or_else(PoisonError::into_inner)
        {
            call.stop();
        }
        sent
    }
}

/// The receiving end, for the driver.
#[derive(Debug)]
pub struct InputReceiver {
    pub(super) events: Receiver<InputEvent>,
    current_call: StopSlot,
    /// The next event, if it must wait for a person's turn.
    head: Option<InputEvent>,
}

impl InputReceiver {
    /// Sets the call that inputs stop. The caller clears the handle before, and checks for events
    /// afterwards: that check finds earlier events, and a later event stops the call.
    pub(super) fn set_stop_handle(&self, call: Option<StopHandle>) {
        *self.current_call.lock().unwrap_or_else(PoisonError::into_inner) = call;
    }

    /// Whether a [`InputEvent::Quit`] is in the channel. Drops all other events.
    pub(super) fn has_quit(&self) -> bool {
        self.events.try_iter().any(|event| event == InputEvent::Quit)
    }

    /// The next event, if there is one and it need not wait for a person's turn.
    pub(super) fn next(&mut self, is_turn: bool) -> Option<InputEvent> {
        if self.head.is_none() {
            self.head = self.events.try_recv().ok();
        }
        self.head.take_if(|event| is_turn || !event.waits_for_turn())
    }
}

/// A channel from people to a bout.
pub fn input_channel() -> (InputSender, InputReceiver) {
    let (sender, events) = mpsc::channel();
    let current_call = StopSlot::default();
    let receiver = InputReceiver { events, current_call: current_call.clone(), head: None };
    (InputSender { sender, current_call }, receiver)
}
