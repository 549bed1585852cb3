//! A game of perfect information with two or three seats and chance, whose tree follows from a
//! seed.

use sandboard_games::general::{Actor, GeneralRules, Next, SeatSet};
use sandboard_games::splitmix::mix;
use sandboard_games::{Ending, Features, GameInfo, PositionError, Seat, Variant, VariantInfo};

use super::no_position_texts;

static INFO: GameInfo = GameInfo::of_general::<RandomTree>(
    "random-tree",
    "Random tree",
    &["first", "second", "third"],
    Features { chance: true, hidden_information: false, simultaneous: false },
    &[
        VariantInfo::of_one_size("three", "a tree of a seed"),
        VariantInfo::of_one_size("two", "a tree of a seed").with_seats(2),
    ],
    "the number of a branch",
);

/// The most plies of a game.
const PLIES_MAX: u8 = 6;

#[derive(Clone, Debug)]
pub(super) struct RandomTree {
    /// A hash of the seed and the path.
    node: u64,
    plies: u8,
    seats: u8,
}

impl RandomTree {
    /// The root of the tree of a seed, in which a seat is to move.
    pub(super) fn of_seed(seed: u64, seats: u8) -> Self {
        Self { node: mix(seed) & !0xf, plies: 0, seats }
    }

    fn branches(&self) -> u64 {
        1 + (self.node >> 8) % 3
    }
}

impl GeneralRules for RandomTree {
    type Move = u64;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        Self::of_seed(0, INFO.seats_of(variant))
    }

    fn parse_position(_variant: &Variant, _text: &str) -> Result<Self, PositionError> {
        no_position_texts()
    }

    fn variant(&self) -> Variant {
        Variant { id: INFO.variants[usize::from(3 - self.seats)].id, size: None, setting: None }
    }

    fn next(&self) -> Next {
        match self.node % 16 {
            _ if self.plies == PLIES_MAX => Next::Over,
            15 => Next::Over,
            12..15 => Next::Chance,
            number => Next::Seats(SeatSet::one(Seat((number % u64::from(self.seats)) as u8))),
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<u64>) {
        if self.next().has_seat(seat) {
            out.extend(0..self.branches());
        }
    }

    fn chance(&self, out: &mut Vec<(u64, u32)>) {
        if self.next() == Next::Chance {
            out.extend((0..self.branches()).map(|branch| (branch, branch as u32 + 1)));
        }
    }

    fn play(&mut self, _actor: Actor, mv: &u64) {
        (self.node, self.plies) = (mix(self.node ^ mv), self.plies + 1);
    }

    fn ending(&self) -> Option<Ending> {
        let score = |seat: u8| ((self.node >> (16 + 8 * seat)) % 7) as i32 - 3;
        let scores = (0..self.seats).map(score).collect();
        (self.next() == Next::Over).then(|| Ending { scores, reason: "a leaf".into() })
    }

    fn write_position(&self, out: &mut String) {
        out.push_str(&self.node.to_string());
    }

    fn write_move(&self, _actor: Actor, mv: &u64, out: &mut String) {
        out.push_str(&mv.to_string());
    }
}
