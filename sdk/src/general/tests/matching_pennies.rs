//! Matching pennies: two seats show a side of a coin. Seat 0 wins with equal sides, seat 1 with
//! different ones. They choose at the same time, or (variant `open`) seat 1 sees the other coin.

use sandboard_games::general::{Actor, GeneralRules, Next, SeatSet};
use sandboard_games::{Ending, Features, GameInfo, PositionError, Seat, Variant, VariantInfo};

use super::no_position_texts;

pub(super) static INFO: GameInfo = GameInfo::of_general::<MatchingPennies>(
    "matching-pennies",
    "Matching pennies",
    &["first", "second"],
    Features { chance: false, hidden_information: false, simultaneous: true },
    &[
        VariantInfo::of_one_size("standard", "at the same time"),
        VariantInfo::of_one_size("open", "one after the other"),
    ],
    "h or t",
);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MatchingPennies {
    is_open: bool,
    coins: Vec<char>,
}

impl GeneralRules for MatchingPennies {
    type Move = char;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        Self { is_open: variant.id == "open", coins: Vec::new() }
    }

    fn parse_position(_variant: &Variant, _text: &str) -> Result<Self, PositionError> {
        no_position_texts()
    }

    fn variant(&self) -> Variant {
        INFO.variant(if self.is_open { "open" } else { "standard" }).unwrap()
    }

    fn next(&self) -> Next {
        match self.coins.len() {
            0 if !self.is_open => Next::Seats(SeatSet::first(2)),
            2 => Next::Over,
            count => Next::Seats(SeatSet::one(Seat(count as u8))),
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<char>) {
        if self.next().has_seat(seat) {
            out.extend(['h', 't']);
        }
    }

    fn play(&mut self, _actor: Actor, mv: &char) {
        self.coins.push(*mv);
    }

    fn ending(&self) -> Option<Ending> {
        let &[one, other] = &*self.coins else { return None };
        let score = if one == other { 1 } else { -1 };
        Some(Ending { scores: vec![score, -score], reason: "both coins are shown".into() })
    }

    fn write_position(&self, out: &mut String) {
        out.extend(&self.coins);
    }

    fn write_move(&self, _actor: Actor, mv: &char, out: &mut String) {
        out.push(*mv);
    }
}
