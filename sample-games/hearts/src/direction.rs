//! The directions of the pass, one for each variant.

use sandboard_game_sdk::games::Variant;

use super::INFO;
use super::table::SEATS;

/// To whom cards are passed: a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Left,
    Right,
    Across,
    /// No cards are passed.
    Nowhere,
}

impl Direction {
    /// All directions, in the order of the variants.
    const ALL: [Direction; 4] =
        [Direction::Left, Direction::Right, Direction::Across, Direction::Nowhere];

    pub(crate) fn of(variant: &Variant) -> Self {
        let index = INFO.variants.iter().position(|known| known.id == variant.id);
        Self::ALL[index.unwrap_or(0)]
    }

    /// The seat that gets the cards of a seat.
    pub(crate) fn receiver(self, seat: usize) -> usize {
        let steps = match self {
            Direction::Left => 1,
            Direction::Across => 2,
            Direction::Right => 3,
            Direction::Nowhere => 0,
        };
        (seat + steps) % SEATS
    }

    /// The direction for people, after "to pass".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Direction::Left => "to the left",
            Direction::Right => "to the right",
            Direction::Across => "across the table",
            Direction::Nowhere => "nowhere",
        }
    }
}
