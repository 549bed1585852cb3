//! How the searches for games of any kind value positions: a score for each seat.

use sandboard_games::Ending;
use sandboard_games::general::{GeneralRules, Next, draw};

use crate::random::Random;

/// The longest random game, in plies. A longer one counts as a draw.
const GAME_PLIES: u32 = 2_000;

/// Values positions for [`IsMcts`](super::IsMcts) and [`MaxN`](super::MaxN): a number for each
/// seat, larger if the position is better for it. All numbers of a game have the same unit.
pub trait SeatEvaluator<G: GeneralRules> {
    /// The scores of a position in which the game is in progress, one for each seat: an estimate,
    /// or the result of playing on. The position may be changed.
    fn scores(&mut self, position: &mut G, random: &mut Random) -> Vec<f64>;

    /// The scores of a game that is over. Default: [`relative_scores`].
    fn ending_scores(&mut self, ending: &Ending) -> Vec<f64> {
        relative_scores(ending)
    }
}

/// The score of each seat minus the mean of all: in games whose scores add up to 0 the score
/// itself, otherwise how far a seat is ahead. Seats play to beat others, not for points.
pub fn relative_scores(ending: &Ending) -> Vec<f64> {
    let scores = ending.scores.iter().map(|score| f64::from(*score));
    let mean = scores.clone().sum::<f64>() / ending.scores.len() as f64;
    scores.map(|score| score - mean).collect()
}

/// Plays legal moves at random to the end, each with the same probability, and outcomes of chance
/// by their weights. A game of more than 2000 plies counts as a draw: 0 for each seat.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomGames;

impl<G: GeneralRules> SeatEvaluator<G> for RandomGames {
    fn scores(&mut self, position: &mut G, random: &mut Random) -> Vec<f64> {
        let (mut moves, mut outcomes) = (Vec::new(), Vec::new());
        for _ in 0..GAME_PLIES {
            if let Some(ending) = position.ending() {
                return self.scores_of::<G>(&ending);
            }
            let Some(actor) = position.next().first() else { break };
            let mv = match position.next() {
                Next::Chance => {
                    outcomes.clear();
                    position.chance(&mut outcomes);
                    draw(&outcomes, random.generator()).cloned()
                }
                next => {
                    moves.clear();
                    next.seats().iter().take(1).for_each(|it| position.generate(it, &mut moves));
                    moves.get(random.below(moves.len())).cloned()
                }
            };
            let Some(mv) = mv else { break };
            position.play(actor, &mv);
        }
        vec![0.0; position.seats().into()]
    }
}

impl RandomGames {
    fn scores_of<G: GeneralRules>(&mut self, ending: &Ending) -> Vec<f64> {
        <Self as SeatEvaluator<G>>::ending_scores(self, ending)
    }
}
