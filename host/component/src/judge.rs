//! The interface of plugged-in games: its functions, and its values. `abi/wit/game-since-v1` says
//! what they mean.

use sandboard_abi::{Ending, GAME_ABI, GAME_WIT_PACKAGE};

use crate::canonical::{
    FlatValues, Guest, Layout, Lift, Lower, Memory, Reader, Value, ValueError, enumeration,
    payload_offset, record, variant,
};
use crate::core_modules::Interface;
use crate::types::{Function, Type};

/// The next move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// These seats, in ascending order.
    Seats(Vec<u8>),
    /// One of the outcomes of chance.
    Chance,
    /// None: the game is over. The seat that would have moved.
    Over(u8),
}

/// The player or chance that makes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The player at a seat.
    Seat(u8),
    /// Chance, such as dice or a deal.
    Chance,
}

/// The person for whom a position is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// The player at a seat.
    Seat(u8),
    /// A person without a seat.
    Spectator,
    /// A reader of a finished game.
    Everything,
}

/// The kind of decision that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// An ordinary move.
    Play,
    /// A restricted move of an opening procedure.
    Opening,
    /// Whether to exchange sides.
    Swap,
    /// How many moves will be offered.
    Announce,
    /// An offered move.
    Offer,
    /// Which offered move is played.
    Pick,
}

/// What follows after a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The next move.
    pub next: Next,
    /// The kind of decision.
    pub phase: Phase,
    /// How the game ended, if it is over.
    pub ending: Option<Ending>,
}

/// An outcome of chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The text of the outcome.
    pub r#move: String,
    /// Its weight, at least 1.
    pub weight: u32,
}

/// A game that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The handle of the game.
    pub game: u32,
    /// Its variant with the actual board size.
    pub variant: String,
    /// The turn of the first move.
    pub turn: Turn,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its canonical text.
    pub r#move: String,
    /// The turn after it.
    pub turn: Turn,
}

/// The results of random games, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayoutResults {
    /// The number of plies of each game.
    pub plies: Vec<u32>,
    /// The score of each seat, game after game.
    pub scores: Vec<i32>,
    /// The indices of the games that did not end.
    pub unfinished: Vec<u32>,
    /// The plies of seats in all games.
    pub decisions: u64,
    /// The legal moves of all of these plies.
    pub choices: u64,
}

/// A fault in a position text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionFault {
    /// The offset in the text, in bytes.
    pub offset: u32,
    /// What is wrong there.
    pub reason: String,
}

/// The interface of plugged-in games.
pub static JUDGE: Interface = Interface {
    package: GAME_WIT_PACKAGE,
    number: GAME_ABI,
    export: "judge",
    exported: &[
        Function {
            name: "start",
            params: &[("variant", &Type::String), ("position", &Type::String)],
            result: <Result<Started, Vec<PositionFault>>>::TYPE,
        },
        Function { name: "clone", params: &[GAME], result: &Type::U32 },
        Function { name: "close", params: &[GAME], result: &Type::Unit },
        Function { name: "play", params: &[GAME, MOVE], result: <Result<Played, String>>::TYPE },
        Function {
            name: "canonical",
            params: &[GAME, SEAT, MOVE],
            result: <Result<String, String>>::TYPE,
        },
        Function { name: "legal", params: &[GAME, SEAT], result: &Type::String },
        Function { name: "notation", params: &[GAME, MOVE], result: OPTIONAL_TEXT },
        Function { name: "chance", params: &[GAME], result: <Vec<Outcome>>::TYPE },
        Function {
            name: "playouts",
            params: &[GAME, ("seed", &Type::U64), ("games", &Type::U32), ("plies-max", &Type::U32)],
            result: PlayoutResults::TYPE,
        },
        Function { name: "position", params: &[GAME], result: &Type::String },
        Function { name: "view", params: &[GAME, OBSERVER], result: &Type::String },
        Function {
            name: "seen",
            params: &[GAME, OBSERVER, ("actor", Actor::TYPE), MOVE],
            result: OPTIONAL_TEXT,
        },
        Function { name: "sides", params: &[GAME], result: <Vec<String>>::TYPE },
        Function { name: "prompt", params: &[GAME], result: OPTIONAL_TEXT },
        Function { name: "board", params: &[GAME, OBSERVER], result: OPTIONAL_TEXT },
        Function { name: "diagram", params: &[GAME, OBSERVER], result: OPTIONAL_TEXT },
    ],
    imported: &[Function { name: "log", params: &[("text", &Type::String)], result: &Type::Unit }],
};

const GAME: (&str, &Type) = ("game", &Type::U32);
const SEAT: (&str, &Type) = ("seat", &Type::U8);
const MOVE: (&str, &Type) = ("move", &Type::String);
const OBSERVER: (&str, &Type) = ("observer", Observer::TYPE);
const OPTIONAL_TEXT: &Type = <Option<String>>::TYPE;

variant!(Next {
    0 "seats": Vec<u8> = seats => [Next::Seats(seats)],
    1 "chance": () = () => [Next::Chance],
    2 "over": u8 = seat => [Next::Over(seat)],
});
variant!(Actor {
    0 "seat": u8 = seat => [Actor::Seat(seat)],
    1 "chance": () = () => [Actor::Chance],
});
variant!(Observer {
    0 "seat": u8 = seat => [Observer::Seat(seat)],
    1 "spectator": () = () => [Observer::Spectator],
    2 "everything": () = () => [Observer::Everything],
});
enumeration!(Phase {
    0 "play" Play, 1 "opening" Opening, 2 "swap" Swap, 3 "announce" Announce, 4 "offer" Offer,
    5 "pick" Pick,
});

record!(Turn { next: Next, phase: Phase, ending: Option<Ending> });
record!(Outcome { r#move: String, weight: u32 });
record!(Started { game: u32, variant: String, turn: Turn });
record!(Played { r#move: String, turn: Turn });
record!(PlayoutResults {
    plies: Vec<u32>,
    scores: Vec<i32>,
    unfinished: Vec<u32>,
    decisions: u64,
    choices: u64,
});
record!(PositionFault { offset: u32, reason: String });
