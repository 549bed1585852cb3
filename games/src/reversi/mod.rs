//! Reversi, as far as it is there: the 8×8 board in two words.

pub mod bits;
