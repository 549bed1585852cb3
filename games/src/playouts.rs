//! Random games to their end: statistics of a game, and a test of its rules.
//!
//! The choices are part of the contract, so that every implementation of the same rules gets the
//! same games, among them those in a component. The game with index `i` takes its numbers from
//! [`SplitMix64`] with the seed `seed + i`, one for each ply. A seat plays the legal move with the
//! index [`below`](SplitMix64::below) their number, in the order in which the rules list them. Of
//! several seats that decide at the same time, the lowest moves first. Outcomes of chance are drawn
//! by [`draw`].

use crate::erased::DynGame;
use crate::general::{Actor, GeneralRules, draw};
use crate::splitmix::SplitMix64;

/// Which random games are played from a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutPlan {
    /// The seed of the first game. Each further game has the next number.
    pub seed: u64,
    /// The number of games.
    pub games: u32,
    /// The plies after which a game is not played on.
    pub plies_max: u32,
}

/// The results of random games, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playouts {
    /// The number of plies of each game, those of chance included.
    pub plies: Vec<u32>,
    /// The score of each seat, game after game; 0 in a game that is unfinished.
    pub scores: Vec<i32>,
    /// The indices of the games that did not end, in ascending order: because of
    /// [`PlayoutPlan::plies_max`], or because the rules list no move in a position in progress.
    pub unfinished: Vec<u32>,
    /// The plies of seats in all games.
    pub decisions: u64,
    /// The legal moves of all these decisions.
    pub choices: u64,
}

/// What one ply of a random game was.
enum Ply {
    /// A move of a seat, one of this number of legal ones.
    Decision(usize),
    Chance,
}

impl PlayoutPlan {
    /// The numbers of the game with this index.
    fn random(&self, index: u32) -> SplitMix64 {
        SplitMix64::new(self.seed.wrapping_add(index.into()))
    }

    /// The part of the plan after its first `games` games.
    pub fn after(self, games: u32) -> Self {
        let seed = self.seed.wrapping_add(games.into());
        Self { seed, games: self.games.saturating_sub(games), ..self }
    }
}

impl Playouts {
    /// The number of games.
    pub fn games(&self) -> usize {
        self.plies.len()
    }

    /// Appends the results of further games of the same rules.
    pub fn append(&mut self, mut more: Playouts) {
        let first = self.games() as u32;
        self.unfinished.extend(more.unfinished.iter().map(|index| first + index));
        self.plies.append(&mut more.plies);
        self.scores.append(&mut more.scores);
        self.decisions += more.decisions;
        self.choices += more.choices;
    }

    /// Plays one game by the rules of `P`. A ply is drawn by `play`, which returns `None` if there
    /// is no move.
    fn add<P: RandomGame>(
        &mut self,
        position: &mut P,
        plies_max: u32,
        mut play: impl FnMut(&mut P, Actor) -> Option<Ply>,
    ) {
        let mut plies = 0;
        let is_over = loop {
            let Some(actor) = position.next_actor() else { break true };
            if plies == plies_max {
                break false;
            }
            match play(position, actor) {
                Some(Ply::Chance) => (),
                Some(Ply::Decision(choices)) => {
                    self.decisions += 1;
                    self.choices += choices as u64;
                }
                None => break false,
            }
            plies += 1;
        };
        match is_over {
            true => position.append_result(&mut self.scores),
            false => {
                self.unfinished.push(self.plies.len() as u32);
                self.scores.extend((0..position.seat_count()).map(|_| 0));
            }
        }
        self.plies.push(plies);
    }
}

/// What a random game needs of a position.
trait RandomGame {
    fn seat_count(&self) -> u8;
    /// Who moves next; `None` after the end.
    fn next_actor(&self) -> Option<Actor>;
    /// Appends the score of each seat after the end.
    fn append_result(&self, scores: &mut Vec<i32>);
}

/// A position of typed rules.
struct TypedPosition<G>(G);

impl<G: GeneralRules> RandomGame for TypedPosition<G> {
    fn seat_count(&self) -> u8 {
        self.0.seats()
    }

    fn next_actor(&self) -> Option<Actor> {
        self.0.next().first()
    }

    fn append_result(&self, scores: &mut Vec<i32>) {
        self.0.append_scores(scores);
    }
}

impl RandomGame for Box<dyn DynGame> {
    fn seat_count(&self) -> u8 {
        self.seats()
    }

    fn next_actor(&self) -> Option<Actor> {
        self.next().first()
    }

    fn append_result(&self, scores: &mut Vec<i32>) {
        scores.extend(self.ending().into_iter().flat_map(|ending| ending.scores));
    }
}

/// Plays random games from a position, which does not change.
pub fn playouts<G: GeneralRules>(start: &G, plan: &PlayoutPlan) -> Playouts {
    let mut results = Playouts::default();
    let (mut moves, mut outcomes) = (Vec::new(), Vec::new());
    for index in 0..plan.games {
        let mut random = plan.random(index);
        results.add(&mut TypedPosition(start.clone()), plan.plies_max, |position, actor| {
            play_at_random(&mut position.0, actor, &mut random, &mut moves, &mut outcomes)
        });
    }
    results
}

/// Plays a random move; `None` if there is none. The lists are scratch memory.
fn play_at_random<G: GeneralRules>(
    position: &mut G,
    actor: Actor,
    random: &mut SplitMix64,
    moves: &mut Vec<G::Move>,
    outcomes: &mut Vec<(G::Move, u32)>,
) -> Option<Ply> {
    let Actor::Seat(seat) = actor else {
        outcomes.clear();
        position.chance(outcomes);
        position.play(actor, draw(outcomes, random)?);
        return Some(Ply::Chance);
    };
    if let Some(choices) = position.count_moves(seat) {
        let mv = position.nth_move(seat, random.below(choices))?;
        position.play(actor, &mv);
        return Some(Ply::Decision(choices));
    }
    moves.clear();
    position.generate(seat, moves);
    position.play(actor, moves.get(random.below(moves.len()))?);
    Some(Ply::Decision(moves.len()))
}

/// As [`playouts`], through the texts of a game: what every implementation of
/// [`DynGame::playouts`] must return. Much slower.
pub fn playouts_by_text<D: DynGame + ?Sized>(start: &D, plan: &PlayoutPlan) -> Playouts {
    let mut results = Playouts::default();
    for index in 0..plan.games {
        let mut random = plan.random(index);
        results.add(&mut start.boxed_clone(), plan.plies_max, |game, actor| {
            play_text_at_random(&mut **game, actor, &mut random)
        });
    }
    results
}

fn play_text_at_random(
    game: &mut dyn DynGame,
    actor: Actor,
    random: &mut SplitMix64,
) -> Option<Ply> {
    if actor == Actor::Chance {
        game.play(draw(&game.chance(), random)?).ok()?;
        return Some(Ply::Chance);
    }
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let moves: Vec<&str> = legal.split_ascii_whitespace().collect();
    game.play(moves.get(random.below(moves.len()))?).ok()?;
    Some(Ply::Decision(moves.len()))
}

#[cfg(test)]
mod tests;
