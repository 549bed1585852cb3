//! Sampling of positions that fit what a player knows.

use sandboard_games::general::GeneralRules;

use super::knowledge::Knowledge;
use crate::random::Random;

/// Samples *worlds*: whole positions that fit what a player knows, with values for all that is
/// hidden. [`ReplaySampler`](super::ReplaySampler) does so for every game. Implement the trait for
/// a type of your own if that is too slow for a game: if many cards are hidden, a sampler that
/// deals them in one step, by what the play has shown, is faster by orders of magnitude.
///
/// Test a sampler of your own with [`Knowledge::fits`], and the frequencies of its worlds.
pub trait Determinize<G: GeneralRules> {
    /// A world: a position that [fits](Knowledge::fits) and in which one of the player's seats is
    /// to move. `None`: none was found. Worlds should appear as often as is likely by what the
    /// player knows.
    fn sample(&mut self, knowledge: &Knowledge<G>, random: &mut Random) -> Option<G>;
}
