//! Skill ratings for games of two or more players. Pure arithmetic after R. C. Weng, C.-J. Lin, *A
//! Bayesian Approximation Method for Online Ranking*, JMLR 12 (2011), algorithm 4: one Bayesian
//! update for each game, by the Plackett–Luce model of rankings.
//!
//! A player's performance has the variance σ² + β², and c² is the sum of these variances over all
//! players of the game. The model fills the places from the first to the last: among the players
//! that have no better place than q, player i is first with the probability
//! p(i, q) = exp(μᵢ / c) / Σ exp(μₛ / c). Players with equal scores share a place.

use serde::{Deserialize, Serialize};

/// The skill of a player as a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillRating {
    /// The mean of the distribution; 25 for a new player.
    pub mu: f64,
    /// The standard deviation, at least 0, in the unit of `mu`; 25/3 for a new player.
    pub sigma: f64,
}

impl Default for SkillRating {
    fn default() -> Self {
        Self { mu: 25.0, sigma: 25.0 / 3.0 }
    }
}

impl SkillRating {
    /// μ − 3σ: the true skill is above it with a probability of 99.87 %. It is 0 for a new player.
    pub fn conservative(&self) -> f64 {
        self.mu - 3.0 * self.sigma
    }
}

/// The system with its constants. The defaults are those of the Python package openskill.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlackettLuce {
    /// β: the standard deviation of a player's performance around the skill, in the unit of μ.
    pub beta: f64,
    /// κ: the least factor by which a game reduces σ², above 0 and at most 1.
    pub kappa: f64,
    /// τ: before each game, σ² grows by τ², so that ratings of strong confidence can still change.
    pub tau: f64,
}

impl Default for PlackettLuce {
    fn default() -> Self {
        Self { beta: 25.0 / 6.0, kappa: 0.0001, tau: 25.0 / 300.0 }
    }
}

impl PlackettLuce {
    /// The ratings after one game, in the order of the players. `scores` has the score of each
    /// player in the game's unit: a higher score is a better place, equal scores are a tie.
    ///
    /// The order of games matters, the order of players does not. The ratings stay as they are if
    /// there are fewer than two players, if the number of scores is not that of the players, or if
    /// a number is not finite or too large to compute with.
    pub fn rate(&self, players: &[SkillRating], scores: &[i32]) -> Vec<SkillRating> {
        self.updated(players, scores).unwrap_or_else(|| players.to_vec())
    }

    fn updated(&self, players: &[SkillRating], scores: &[i32]) -> Option<Vec<SkillRating>> {
        if players.len() < 2 || players.len() != scores.len() {
            return None;
        }
        let variances: Vec<f64> =
            players.iter().map(|it| it.sigma.powi(2) + self.tau.powi(2)).collect();
        let c = variances.iter().map(|it| it + self.beta.powi(2)).sum::<f64>().sqrt();
        let places: Vec<Place> =
            scores.iter().map(|score| Place::new(*score, players, scores, c)).collect();
        let players = players.iter().zip(scores).zip(variances);
        let after = players.enumerate().map(|(i, ((player, score), variance))| {
            let (mut omega, mut delta) = (0.0, 0.0);
            for (q, place) in places.iter().enumerate().filter(|(_, it)| it.score >= *score) {
                let p = place.probability(player.mu, c);
                omega += (f64::from(u8::from(q == i)) - p) / place.sharers;
                delta += p * (1.0 - p) / place.sharers;
            }
            // γ of the paper, which slows the decrease of σ.
            let gamma = variance.sqrt() / c;
            let factor = 1.0 - gamma * variance / (c * c) * delta;
            SkillRating {
                mu: player.mu + variance / c * omega,
                sigma: (variance * factor.max(self.kappa)).sqrt(),
            }
        });
        let after: Vec<SkillRating> = after.collect();
        after.iter().all(|it| it.mu.is_finite() && it.sigma.is_finite()).then_some(after)
    }
}

/// The place of a player in a game, and what all have in common that are not better.
struct Place {
    score: i32,
    /// The number of players that share the place.
    sharers: f64,
    /// The highest μ of those that are not better.
    highest: f64,
    /// The sum of exp((μ − highest) / c) over those that are not better. Without the highest one
    /// as the reference, the sum would overflow or be 0 for a large μ.
    sum: f64,
}

impl Place {
    fn new(score: i32, players: &[SkillRating], scores: &[i32], c: f64) -> Self {
        let others = || players.iter().zip(scores).filter(|(_, other)| **other <= score);
        let highest = others().fold(f64::NEG_INFINITY, |highest, (it, _)| highest.max(it.mu));
        Self {
            score,
            sharers: scores.iter().filter(|other| **other == score).count() as f64,
            highest,
            sum: others().map(|(it, _)| ((it.mu - highest) / c).exp()).sum(),
        }
    }

    /// The probability that a player of this μ is the first of those that are not better.
    fn probability(&self, mu: f64, c: f64) -> f64 {
        ((mu - self.highest) / c).exp() / self.sum
    }
}
