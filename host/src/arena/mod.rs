//! Many bouts: tournaments in pairs of games with the seats exchanged. What is to be played, what a result is worth and
//! what it says of the players' strength are pure values (the crate `sandboard-tournament`, [`Ledger`],
//! [`Survey`]); threads are in `runner` alone, files in `folder`, `store` and `openings`. Knows no rule of any
//! game, and loads no engine: the command line does.
//!
//! The store of an arena is its whole state: the setup, the openings, every attempt at a game. So an arena that was
//! killed goes on where it was, and ends as it would have ended undisturbed. `docs/arena.md` explains it.

mod balanced;
mod conditions;
#[cfg(test)]
pub(crate) mod fixture;
mod folder;
mod follow;
mod home;
mod job;
mod ledger;
mod live;
mod openings;
mod outcome;
pub mod present;
mod request;
mod runner;
mod setup;
mod standing;
pub mod store;
mod survey;
mod view;

#[cfg(test)]
mod tests_ledger;
#[cfg(test)]
mod tests_openings;

pub use crate::database::Url;
pub use crate::ordered::Stop;
pub use balanced::{Balanced, BalancedError, Finder, Recipe, find};
pub use conditions::{Conditions, Rival};
pub use folder::{ArenaFolder, FolderError, Loaded, OpenFolder, is_played, load, load_record};
pub use follow::Follower;
pub use home::Home;
pub use job::{GameKey, Job, Plan, Seal, job_id};
pub use ledger::{Ledger, LedgerError};
pub use live::{Shower, Slot, Status};
pub use openings::{OPENINGS_BYTES, OpeningFault, Openings, OpeningsError};
pub use outcome::{GameFault, GameResult};
pub use request::{Recruiter, Request};
pub use runner::{
    Arena, CONCURRENCY_MAX, Desk, Hopeless, JobQueue, Next, Played, Receipt, RunError, Session,
    Threads, Watcher, free_name, run, usual_concurrency, without_result,
};
pub use sandboard_tournament::schedule::Format;
pub use setup::{ArenaSetup, Contestant, FORMAT, OpeningsSource, VERSION};
pub use standing::{CountedPair, Faults, Filter, Standing};
pub use survey::Survey;
pub use view::{
    Duel, FaultView, GameRow, Interval, LiveGame, MeetingView, Moment, OpeningView, PlayerView,
    PonderView, Progress, SprtView, State, Unrated, View,
};
