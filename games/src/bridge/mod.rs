//! Bridge with all four hands open: cards, the table they lie on, and what can be played.

mod board;
mod cards;
mod table;

pub use board::{TrickTable, Vulnerability};
pub use cards::{ACE, Card, Cards, Compass, Strain, Suit, TWO, rank_letter, rank_of_letter};
pub use table::Table;
