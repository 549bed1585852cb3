//! The numbers that the evaluation rests on, in hundredths of a pawn: by name, so that a
//! setup can set and a tuner vary them.

use crate::weights::Weight;

/// A weight's place in [`WEIGHTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Name {
    Pawn,
    PawnLate,
    Advisor,
    Elephant,
    Horse,
    HorseLate,
    Rook,
    RookLate,
    Cannon,
    CannonLate,
    Places,
    RookPoint,
    HorseLeg,
    HorseStuck,
    CannonPoint,
    LinkedPawns,
    HollowCannon,
    CannonBehindTwo,
    BottomCannon,
    OpenRook,
    AdvisorsGone,
    ElephantsGone,
    Near,
    Tempo,
}

const fn weight(name: &'static str, about: &'static str, initial: i32, max: i32) -> Weight {
    Weight { name, about, initial, min: 0, max }
}

/// All of them, in the order of `Name`.
pub static WEIGHTS: [Weight; 24] = [
    weight("pawn", "a pawn at the beginning, beside its place", 80, 400),
    weight("pawn-late", "the same at the end", 110, 400),
    weight("advisor", "an advisor", 200, 600),
    weight("elephant", "an elephant", 200, 600),
    weight("horse", "a horse at the beginning", 400, 1_000),
    weight("horse-late", "the same at the end", 440, 1_000),
    weight("rook", "a rook at the beginning", 920, 2_000),
    weight("rook-late", "the same at the end", 980, 2_000),
    weight("cannon", "a cannon at the beginning", 455, 1_000),
    weight("cannon-late", "the same at the end", 410, 1_000),
    weight("places", "where pieces stand, in hundredths of the tables", 100, 300),
    weight("rook-point", "a point that a rook sees", 4, 30),
    weight("horse-leg", "a free leg of a horse", 12, 60),
    weight("horse-stuck", "lost by a horse without a free leg but one", 20, 100),
    weight("cannon-point", "an empty way of a cannon, by points", 1, 20),
    weight("linked-pawns", "two pawns side by side beyond the river", 25, 100),
    weight("hollow-cannon", "a cannon that sees the king with nothing between", 120, 400),
    weight("cannon-behind-two", "a cannon before the king with two pieces between", 25, 100),
    weight("bottom-cannon", "a cannon on the king's own rank with nothing between", 50, 200),
    weight("open-rook", "a rook that sees the king's file open up to the palace", 15, 100),
    weight("advisors-gone", "a rook or horse for each advisor that is gone", 18, 100),
    weight("elephants-gone", "a cannon or pawn beyond the river for each elephant gone", 10, 100),
    weight("near", "an attacker for each step that it is nearer to the king", 3, 30),
    weight("tempo", "to have the move", 15, 60),
];
