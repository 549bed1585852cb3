//! Random games by the rules that are checked. A seed determines all of them.

use sandboard_games::splitmix::SplitMix64;

use super::test_game::TestGame;
use crate::check::outcome::StepResult;
use crate::check::positions::Board;

/// Draws the moves of one random game.
pub(crate) struct Draw {
    seed: u64,
    random: SplitMix64,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, random: SplitMix64::new(seed) }
    }

    /// The seed, for games that deal their start positions.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// One of these moves, separated by spaces; none if there are none.
    pub(crate) fn one_of<'a>(&mut self, legal: &'a str) -> Option<&'a str> {
        let count = legal.split_ascii_whitespace().count();
        legal.split_ascii_whitespace().nth(self.random.below(count))
    }
}

/// A random game: its start and its moves.
#[derive(Clone, Debug)]
pub(crate) struct RandomGame {
    pub board: Board,
    /// The text of the start position; none: that of the variant.
    pub position: Option<String>,
    pub moves: Vec<String>,
    /// Why a move that was listed as legal could not be played after `moves`.
    pub refusal: Option<String>,
}

impl RandomGame {
    /// Plays a game on to its end, or to this number of plies.
    pub(crate) fn play(
        mut game: TestGame,
        position: Option<String>,
        draw: &mut Draw,
        plies_max: usize,
    ) -> StepResult<Self> {
        let board = game.board().clone();
        let mut random = Self { board, position, moves: Vec::new(), refusal: None };
        while random.moves.len() < plies_max && game.ask("ending", |it| it.ending())?.is_none() {
            let legal = game.legal()?;
            let Some(mv) = draw.one_of(&legal) else { break };
            if let Err(refusal) = game.play(mv)? {
                random.refusal = Some(format!("{refusal} ({})", game.history()));
                break;
            }
            random.moves.push(mv.to_owned());
        }
        Ok(random)
    }

    /// At most `count` numbers of plies, spread over the game, with the first and the last one.
    pub(crate) fn sampled_plies(&self, count: usize) -> Vec<usize> {
        let last = self.moves.len();
        let steps = count.saturating_sub(1).clamp(1, last.max(1));
        let mut plies: Vec<usize> = (0..=steps).map(|step| step * last / steps).collect();
        plies.dedup();
        plies
    }
}
