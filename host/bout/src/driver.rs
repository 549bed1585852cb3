//! Plays one bout: carries out the commands of a [`Referee`] on one thread, with engines and
//! people. Each engine that ponders has one more thread. Engine calls block the driver; people's
//! input comes through a channel from their own thread, which can also stop an engine that is
//! thinking. Contains no rule of a bout (the referee does), no terminal and no catalog.

mod inline;
mod input;
mod input_handler;
mod move_guard;
mod output;
mod ponder_thread;
mod record_saver;
mod run_loop;
mod setup;
mod time;

use std::path::PathBuf;

use sandboard_abi::{Choice, Limits, Unit};
use sandboard_common::files::FileError;

pub use inline::InlineBout;
pub use input::{InputEvent, InputReceiver, InputSender, TrackedInput, input_channel};
pub(crate) use output::OutputCollector;
pub use output::{EngineOutput, OutputListener};
pub use record_saver::{RecordStore, RecordStoreHandle};
pub use setup::{
    BoutError, BoutSetup, EnginePlayer, HintEngine, LogAllowance, Participant, RecordDestination,
    ResumeError, player_seed,
};
use time::{SystemClock, TimeSource, WaitResult};

use crate::clock::RemainingBudget;
use crate::record::Record;
use crate::referee::{BoutResult, Notice, Referee};

/// The outcome of a run of a bout.
#[derive(Debug)]
pub struct BoutReport {
    /// The record, as it was last saved.
    pub record: Record,
    /// The result; none: the bout is unfinished.
    pub result: Option<BoutResult>,
    /// The file of the record, or why it was not written. `Ok(None)`: the destination is no file.
    pub saved: Result<Option<PathBuf>, FileError>,
}

/// The state of a bout, for observers.
#[derive(Clone, Copy)]
pub struct BoutView<'a> {
    /// The referee of the bout.
    pub referee: &'a Referee,
    /// The current time, on the referee's clock, in microseconds.
    pub now_us: u64,
}

impl BoutView<'_> {
    /// What is left on a player's clock now; none: there is no limit.
    pub fn clock(&self, player: usize) -> Option<RemainingBudget> {
        let clock = self.referee.clock(player)?;
        clock.remaining(match clock.budget().unit() {
            Unit::Unlimited | Unit::Wall => self.referee.charged_us(player, self.now_us),
            // CPU time and fuel are known only after the call has returned.
            Unit::Cpu | Unit::Fuel => 0,
        })
    }
}

/// Observes a bout, on the driver's thread. The time that an observer takes delays the bout, but
/// is not charged to any clock.
pub trait Observer {
    /// A notice of the referee; [`Notice::Moved`] after every move.
    fn notice(&mut self, _view: BoutView<'_>, _notice: &Notice) {}
    /// An engine begins to think about its move.
    fn engine_thinking(&mut self, _view: BoutView<'_>, _player: usize) {}
    /// A person is to move.
    fn person_to_move(&mut self, _view: BoutView<'_>, _player: usize, _limits: &Limits) {}
    /// [`InputEvent::ShowBoard`]: board and clocks are to be shown again.
    fn show_board(&mut self, _view: BoutView<'_>) {}
    /// An input of a person was rejected.
    fn input_rejected(&mut self, _view: BoutView<'_>, _reason: &str) {}
    /// The answer to a request for a hint. Its move, if it has one, is legal and is not played.
    fn hint(&mut self, _view: BoutView<'_>, _hint: Result<&Choice, &str>) {}
    /// The outcome of an [`InputEvent::Tracked`]: it was carried out and saved, or rejected with
    /// this reason.
    fn input_answered(&mut self, _view: BoutView<'_>, _number: u64, _answer: Result<(), &str>) {}
    /// The outcome of an [`InputEvent::Save`].
    fn record_saved(&mut self, _saved: Result<&std::path::Path, &FileError>) {}
    /// The bout has ended.
    fn bout_ended(&mut self, _view: BoutView<'_>, _result: &BoutResult) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {}

/// Plays a bout until it ends or a person quits, and saves its record. `people`: the receiving end
/// of an [`input_channel`], required if a person plays.
pub fn run(
    setup: BoutSetup,
    people: Option<InputReceiver>,
    observer: &mut dyn Observer,
) -> Result<BoutReport, BoutError> {
    run_with_time(&SystemClock::new(), setup, people, observer)
}

/// As [`run`], with another clock than the system's.
pub(crate) fn run_with_time(
    time: &dyn TimeSource,
    setup: BoutSetup,
    people: Option<InputReceiver>,
    observer: &mut dyn Observer,
) -> Result<BoutReport, BoutError> {
    Ok(run_loop::Driver::new(time, setup, people, observer)?.run())
}

#[cfg(test)]
mod tests;
