//! What goes over the wire, as plain values: requests, snapshots, events, messages of clients.
//! Checks shapes only; what may be done is not decided here.

mod event;
mod request;
mod said;
mod view;

pub use event::{Event, PlayerClock, PlayerState, SideName, message};
pub use request::{EngineSeat, NewPlayer, NewRoom, NewSettings, text_of};
pub use said::{First, Said, Want};
pub use view::{
    Clock, Engine, Line, LogLine, May, Moves, Outcome, Player, Ply, Position, Presence, RoomCard,
    Snapshot, State, UndoAsked,
};

/// The version of the contract that this host speaks.
pub const VERSION: u32 = 1;
