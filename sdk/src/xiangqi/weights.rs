//! The weights of the evaluation, in hundredths of a pawn. They have names, so that a setup can set
//! them and a tuner can vary them.

use crate::weights::Weight;

/// A weight's index in [`WEIGHTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum WeightIndex {
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

/// All weights of the evaluation.
pub static WEIGHTS: [Weight; 24] = [
    weight("pawn", "a pawn in the opening, without its piece-square value", 80, 400),
    weight("pawn-late", "a pawn in the endgame", 110, 400),
    weight("advisor", "an advisor", 200, 600),
    weight("elephant", "an elephant", 200, 600),
    weight("horse", "a horse in the opening", 400, 1_000),
    weight("horse-late", "a horse in the endgame", 440, 1_000),
    weight("rook", "a rook in the opening", 920, 2_000),
    weight("rook-late", "a rook in the endgame", 980, 2_000),
    weight("cannon", "a cannon in the opening", 455, 1_000),
    weight("cannon-late", "a cannon in the endgame", 410, 1_000),
    weight("places", "the piece-square tables, in percent", 100, 300),
    weight("rook-point", "each point that a rook attacks", 4, 30),
    weight("horse-leg", "each free leg of a horse", 12, 60),
    weight("horse-stuck", "subtracted for a horse with at most one free leg", 20, 100),
    weight("cannon-point", "each empty point that a cannon reaches", 1, 20),
    weight("linked-pawns", "two pawns side by side beyond the river", 25, 100),
    weight("hollow-cannon", "a cannon on the king's file with no piece between", 120, 400),
    weight("cannon-behind-two", "a cannon on the king's file with two pieces between", 25, 100),
    weight("bottom-cannon", "a cannon on the king's rank with no piece between", 50, 200),
    weight("open-rook", "a rook on the king's file or beside the middle file", 15, 100),
    weight("advisors-gone", "each rook or horse, for each advisor the opponent has lost", 18, 100),
    weight(
        "elephants-gone",
        "each cannon or crossed pawn, for each lost elephant of the opponent",
        10,
        100,
    ),
    weight("near", "each attacker, for each step nearer to the king", 3, 30),
    weight("tempo", "the right to move", 15, 60),
];
