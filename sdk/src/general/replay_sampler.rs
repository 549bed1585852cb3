//! The sampler of worlds for every game: it replays the game from the start position, and draws
//! each move and outcome among those that look as the player saw them.

use sandboard_games::general::{Actor, GeneralRules, Next, Observer, draw, step};

use super::determinize::Determinize;
use super::knowledge::Knowledge;
use crate::random::Random;

/// The most replays for one world, unless [`ReplaySampler::with_tries`] says otherwise.
const TRIES: u32 = 1_000;

/// Samples worlds of any game by replays.
///
/// At each ply it draws among the moves or outcomes of chance whose text for the player
/// ([`write_seen`](GeneralRules::write_seen)) is the one that the player saw. A replay that comes
/// to a ply without such a move, or whose last position has another view, is dropped. After 1000
/// dropped replays in a row there is no world ([`with_tries`](Self::with_tries)). The start of the
/// game, as far as what was seen leaves no choice, is replayed only once.
///
/// # Frequencies
/// In the long run a world is as frequent as its outcomes of chance are likely, given what the
/// player knows. Moves of others that the player saw only in part are drawn with equal probability.
/// What a move says about the cards of the seat that chose it is not taken into account.
///
/// Replays alone would prefer worlds whose plies leave few choices. Therefore they are proposals of
/// an independence sampler (W. K. Hastings, "Monte Carlo Sampling Methods Using Markov Chains and
/// Their Applications", Biometrika 57, 1970): a replay with the weight w, the product of the
/// probabilities of what looks alike at each ply of chance, replaces the previous world with the
/// weight v with the probability w / v. Otherwise the previous world is returned again.
#[derive(Clone, Debug)]
pub struct ReplaySampler<G> {
    tries: u32,
    /// The position up to which there was no choice, and the number of texts up to it.
    certain: Option<(G, usize)>,
    /// What the player had seen at the last call.
    seen: Vec<String>,
    view: String,
    /// The last world, with its weight.
    last: Option<(G, Weight)>,
}

impl<G> Default for ReplaySampler<G> {
    fn default() -> Self {
        Self::with_tries(TRIES)
    }
}

impl<G> ReplaySampler<G> {
    /// A sampler that drops at most this number of replays in a row before it finds no world.
    pub fn with_tries(tries: u32) -> Self {
        Self { tries, certain: None, seen: Vec::new(), view: String::new(), last: None }
    }
}

impl<G: GeneralRules> Determinize<G> for ReplaySampler<G> {
    fn sample(&mut self, knowledge: &Knowledge<G>, random: &mut Random) -> Option<G> {
        self.update(knowledge);
        let (certain, consumed) = self.certain.as_ref()?;
        let mut replays = (0..self.tries).filter_map(|_| {
            let mut replay = Replay::new(certain, *consumed);
            let fits = replay.run(knowledge, random) && knowledge.fits(&replay.position);
            fits.then_some((replay.position, replay.weight))
        });
        let proposal = replays.next()?;
        if self.last.as_ref().is_none_or(|last| random.unit() < proposal.1.over(last.1)) {
            self.last = Some(proposal);
        }
        self.last.as_ref().map(|(world, _)| world.clone())
    }
}

impl<G: GeneralRules> ReplaySampler<G> {
    /// Adapts to what the player knows now.
    fn update(&mut self, knowledge: &Knowledge<G>) {
        if self.certain.is_some() && self.seen == knowledge.seen && self.view == knowledge.view {
            return;
        }
        if !knowledge.seen.starts_with(&self.seen) {
            self.certain = None;
        }
        let start = || knowledge.start.clone().map(|start| (start, 0));
        if let Some((mut position, mut consumed)) = self.certain.take().or_else(start) {
            while consumed < knowledge.seen.len()
                && let Some((after, used)) = only_step(&position, knowledge, consumed)
            {
                (position, consumed) = (after, consumed + used);
            }
            self.certain = Some((position, consumed));
        }
        self.seen.clone_from(&knowledge.seen);
        self.view.clone_from(&knowledge.view);
        self.last = None;
    }
}

/// The position after the next step, and the number of texts that it takes, if only one step fits.
fn only_step<G: GeneralRules>(
    position: &G,
    knowledge: &Knowledge<G>,
    consumed: usize,
) -> Option<(G, usize)> {
    let mut after = position.clone();
    let mut used = 0;
    let actors = step(position);
    for (actor, moves) in &actors {
        let text = knowledge.seen.get(consumed + used).map(String::as_str);
        let candidates = candidates(position, *actor, moves, knowledge.observer(), text);
        let [(Candidate { mv, is_noticed }, _)] = *candidates else { return None };
        used += usize::from(is_noticed);
        after.play(*actor, mv);
    }
    (!actors.is_empty()).then_some((after, used))
}

/// A move that may be the one that the player saw: it looks like it, or is not noticed.
#[derive(Clone, Copy)]
struct Candidate<'a, M> {
    mv: &'a M,
    /// Whether the player noticed the move.
    is_noticed: bool,
}

/// The moves of an actor that look like `text`, or that the observer does not notice.
fn candidates<'a, G: GeneralRules>(
    before: &G,
    actor: Actor,
    moves: &'a [(G::Move, u32)],
    observer: Observer,
    text: Option<&str>,
) -> Vec<(Candidate<'a, G::Move>, u32)> {
    let mut seen = String::new();
    let fit = |(mv, weight): &'a (G::Move, u32)| {
        seen.clear();
        before.write_seen(observer, actor, mv, &mut seen);
        let is_noticed = !seen.is_empty();
        let fits = !is_noticed || text == Some(&seen);
        fits.then_some((Candidate { mv, is_noticed }, *weight))
    };
    moves.iter().filter_map(fit).collect()
}

/// A replay in progress, from the position up to which there was no choice.
struct Replay<G> {
    position: G,
    /// The number of texts that are replayed.
    consumed: usize,
    weight: Weight,
}

impl<G: GeneralRules> Replay<G> {
    fn new(certain: &G, consumed: usize) -> Self {
        Self { position: certain.clone(), consumed, weight: Weight::ONE }
    }

    /// Replays all texts, until a seat of the player is to move or the game is over. Returns
    /// whether each ply had a move that fits.
    fn run(&mut self, knowledge: &Knowledge<G>, random: &mut Random) -> bool {
        loop {
            let next = self.position.next();
            if self.consumed == knowledge.seen.len()
                && (next == Next::Over || knowledge.seat_to_move(&self.position).is_some())
            {
                return true;
            }
            if next == Next::Over || !self.play_step(knowledge, random) {
                return false;
            }
        }
    }

    /// Plays one step; returns whether there was a move that fits for each actor.
    fn play_step(&mut self, knowledge: &Knowledge<G>, random: &mut Random) -> bool {
        let before = self.position.clone();
        for (actor, moves) in step(&before) {
            let text = knowledge.seen.get(self.consumed).map(String::as_str);
            let candidates = candidates(&before, actor, &moves, knowledge.observer(), text);
            let Some(chosen) = draw(&candidates, random.generator()) else { return false };
            if actor == Actor::Chance {
                let sum = |weights: &mut dyn Iterator<Item = u32>| weights.map(u64::from).sum();
                let all: u64 = sum(&mut moves.iter().map(|(_, weight)| *weight));
                let alike: u64 = sum(&mut candidates.iter().map(|(_, weight)| *weight));
                self.weight.multiply(alike as f64 / all as f64);
            }
            self.consumed += usize::from(chosen.is_noticed);
            self.position.play(actor, chosen.mv);
        }
        true
    }
}

/// A positive number that may be far smaller than the smallest `f64`: mantissa · 2^(-512 · shifts).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weight {
    mantissa: f64,
    shifts: i32,
}

impl Weight {
    const ONE: Self = Self { mantissa: 1.0, shifts: 0 };
    /// The factor by which a mantissa grows when it is too small: 2⁵¹².
    const SHIFT: f64 = f64::from_bits((1023 + 512) << 52);

    /// Multiplies by a number from 2⁻⁴⁸ to 1.
    fn multiply(&mut self, factor: f64) {
        self.mantissa *= factor;
        if self.mantissa < 1.0 / Self::SHIFT {
            self.mantissa *= Self::SHIFT;
            self.shifts += 1;
        }
    }

    /// The quotient of two weights; infinite or 0 if it is too large or too small.
    fn over(self, other: Self) -> f64 {
        let quotient = self.mantissa / other.mantissa;
        match other.shifts - self.shifts {
            0 => quotient,
            1 => quotient * Self::SHIFT,
            -1 => quotient / Self::SHIFT,
            difference if difference > 0 => f64::INFINITY,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_may_be_smaller_than_any_float() {
        let weight = |factors: u32| {
            let mut weight = Weight::ONE;
            (0..factors).for_each(|_| weight.multiply(0.25));
            weight
        };
        let check = |one: u32, other: u32, expected: f64| {
            assert_eq!(weight(one).over(weight(other)), expected, "{one}, {other}");
        };
        check(0, 0, 1.0);
        check(3, 1, 1.0 / 16.0);
        check(1, 3, 16.0);
        check(5_000, 5_001, 4.0);
        check(5_001, 5_000, 0.25);
        // Around the points where the exponent is split.
        for factors in 250..800 {
            check(factors, factors + 1, 4.0);
            check(factors + 2, factors, 1.0 / 16.0);
        }
        check(0, 5_000, f64::INFINITY);
        check(5_000, 0, 0.0);
    }
}
