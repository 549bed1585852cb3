//! How a game is played from a leaf of the tree to its end.

use sandboard_games::{MoveSet, Outcome, Rules};

use crate::random::Random;

/// The longest random playout, in plies. A longer one counts as a draw.
const PLAYOUT_PLIES: u32 = 2_000;

/// The end of a playout, or the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayoutResult {
    /// 1 for a win of side 0, 0 for a draw, -1 for a win of side 1; between these for an estimate.
    pub result: f64,
    /// The score of side 0, in the game's unit ([`Ending::scores`]); 1, 0 and -1 in games without a
    /// margin.
    ///
    /// [`Ending::scores`]: sandboard_games::Ending::scores
    pub margin: f64,
}

impl PlayoutResult {
    /// The result of a game that is over.
    pub fn of<R: Rules>(position: &R, outcome: &Outcome) -> Self {
        let [own, other] = position.side_scores(outcome);
        let result = f64::from(i8::from(own > other) - i8::from(own < other));
        Self { result, margin: f64::from(own) }
    }
}

/// Plays a game from a leaf of the tree to its end, or estimates how it would end.
pub trait Playout<R: Rules> {
    /// The result from this position, in which the game is in progress. The position may be
    /// changed.
    fn play(&mut self, position: &mut R, random: &mut Random) -> PlayoutResult;
}

/// Plays legal moves at random, each with the same probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPlayout;

impl<R: Rules> Playout<R> for RandomPlayout {
    fn play(&mut self, position: &mut R, random: &mut Random) -> PlayoutResult {
        let mut moves = Vec::new();
        for _ in 0..PLAYOUT_PLIES {
            if let Some(outcome) = position.outcome() {
                return PlayoutResult::of(position, &outcome);
            }
            let Some(mv) = random_move(position, &mut moves, random) else { break };
            position.make(mv);
        }
        PlayoutResult::default()
    }
}

/// A legal move; `None` if there is none. `moves` is scratch memory.
fn random_move<R: Rules>(
    position: &R,
    moves: &mut Vec<R::Move>,
    random: &mut Random,
) -> Option<R::Move> {
    if let Some(count) = position.count_moves() {
        let number = random.below(usize::try_from(count).ok()?);
        if let Some(mv) = position.nth_move(number as u64) {
            return Some(mv);
        }
    }
    moves.clear();
    position.generate(MoveSet::All, moves);
    // The test of legality may be slow: it is made for the drawn moves only.
    while !moves.is_empty() {
        let mv = moves.swap_remove(random.below(moves.len()));
        if position.is_legal(mv) {
            return Some(mv);
        }
    }
    None
}
