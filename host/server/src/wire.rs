//! The values of the HTTP and socket API: requests, snapshots, events, client messages. It checks
//! their shape only; whether an action is allowed is decided elsewhere.

mod client_message;
mod event;
mod message;
mod new_arena;
pub(crate) mod object;
mod request;
mod view;
pub(crate) mod whole_number;

pub(crate) use client_message::{ClientAction, ClientMessage, Handshake};
pub(crate) use event::{Event, PlayerClock, PlayerState, SideName, message};
pub(crate) use message::{Message, ResultView, log_message};
pub(crate) use new_arena::{ARENA_PLAYERS_MAX, ResumeArena};
pub use new_arena::{ArenaFormat, NewArena, NewArenaPlayer, OpeningList, SequentialTest};
pub use request::{EngineSeat, text_of};
pub(crate) use request::{MOVES_MAX, NewPlayer, NewRoom, NewSettings};
pub(crate) use sandboard_bout::view::{Line, Ply, Position};
pub(crate) use view::{
    Clock, Engine, LogLine, OpeningMove, Permissions, Player, Presence, RoomBoard, RoomCard,
    Snapshot, State, TimeRules, UndoRequest,
};

/// The version of the API.
pub(crate) const VERSION: u32 = 1;
