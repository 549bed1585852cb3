//! Glicko-2: ratings that change over time, for ladders without an end. Pure arithmetic after M. E.
//! Glickman, *Example of the Glicko-2 system* (2013); step numbers refer to that paper.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// Rating points per unit of the internal scale (step 2).
const SCALE: f64 = 173.7178;
/// The tolerance of the equation for the volatility (step 5).
const TOLERANCE: f64 = 1e-6;
/// The largest number of iterations, so that the solver ends even for NaN.
const STEPS_MAX: u32 = 200;

/// The rating of a player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlickoRating {
    /// The rating; 1500 for a new player.
    pub rating: f64,
    /// The rating deviation: the true rating is within two deviations with 95 % confidence.
    pub deviation: f64,
    /// The volatility: how much the rating is expected to change.
    pub volatility: f64,
}

impl Default for GlickoRating {
    fn default() -> Self {
        Self { rating: 1500.0, deviation: 350.0, volatility: 0.06 }
    }
}

/// A game of a rating period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeriodGame {
    /// The players, as indices into the list of ratings.
    pub players: [usize; 2],
    /// The score of the first player, 0 to 1.
    pub score: f64,
}

/// The system with its constant τ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Glicko2 {
    /// τ limits the change of the volatility; 0.3 to 1.2 (step 1).
    pub tau: f64,
}

impl Default for Glicko2 {
    fn default() -> Self {
        Self { tau: 0.5 }
    }
}

impl Glicko2 {
    /// The ratings after a period, in which all games count as simultaneous. A player without games
    /// keeps the rating and gets a larger deviation (step 6). Games with players outside the list,
    /// or of a player against itself, are ignored.
    pub fn period(&self, ratings: &[GlickoRating], games: &[PeriodGame]) -> Vec<GlickoRating> {
        let mut met: Vec<Vec<(GlickoRating, f64)>> = vec![Vec::new(); ratings.len()];
        for game in games {
            let [a, b] = game.players;
            if let (Some(first), Some(second), true) = (ratings.get(a), ratings.get(b), a != b) {
                met[a].push((*second, game.score));
                met[b].push((*first, 1.0 - game.score));
            }
        }
        ratings.iter().zip(&met).map(|(player, met)| self.after(*player, met)).collect()
    }

    /// The rating of a player after a period of games against these opponents, each with the score
    /// of the player.
    pub fn after(&self, player: GlickoRating, met: &[(GlickoRating, f64)]) -> GlickoRating {
        let (mu, phi) = ((player.rating - 1500.0) / SCALE, player.deviation / SCALE);
        let (mut information, mut surprise) = (0.0, 0.0);
        for (opponent, score) in met {
            let (mu_j, phi_j) = ((opponent.rating - 1500.0) / SCALE, opponent.deviation / SCALE);
            let g = 1.0 / (1.0 + 3.0 * phi_j * phi_j / (PI * PI)).sqrt();
            let expected = 1.0 / (1.0 + (-g * (mu - mu_j)).exp());
            information += g * g * expected * (1.0 - expected);
            surprise += g * (score - expected);
        }
        if information <= 0.0 {
            let deviation = SCALE * phi.hypot(player.volatility);
            return GlickoRating { deviation, ..player };
        }
        // Steps 3 to 7.
        let variance = 1.0 / information;
        let volatility = self.volatility(player.volatility, phi, variance, variance * surprise);
        let before = phi * phi + volatility * volatility;
        let phi = 1.0 / (1.0 / before + information).sqrt();
        let mu = mu + phi * phi * surprise;
        GlickoRating { rating: 1500.0 + SCALE * mu, deviation: SCALE * phi, volatility }
    }

    /// Step 5: the zero of f by the Illinois algorithm.
    fn volatility(&self, sigma: f64, phi: f64, variance: f64, delta: f64) -> f64 {
        let start = (sigma * sigma).ln();
        let f = |x: f64| {
            let e = x.exp();
            let sum = phi * phi + variance + e;
            e * (delta * delta - sum) / (2.0 * sum * sum) - (x - start) / (self.tau * self.tau)
        };
        let mut a = start;
        let excess = delta * delta - phi * phi - variance;
        let mut b = if excess > 0.0 {
            excess.ln()
        } else {
            let steps = (1..STEPS_MAX).map(|k| start - f64::from(k) * self.tau);
            steps.into_iter().find(|x| f(*x) >= 0.0).unwrap_or(start)
        };
        let (mut f_a, mut f_b) = (f(a), f(b));
        for _ in 0..STEPS_MAX {
            if (b - a).abs() <= TOLERANCE {
                break;
            }
            let c = a + (a - b) * f_a / (f_b - f_a);
            let f_c = f(c);
            if f_c * f_b <= 0.0 {
                (a, f_a) = (b, f_b);
            } else {
                f_a /= 2.0;
            }
            (b, f_b) = (c, f_c);
        }
        (a / 2.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(rating: f64, deviation: f64) -> GlickoRating {
        GlickoRating { rating, deviation, ..GlickoRating::default() }
    }

    /// Checks the new rating as Glickman prints it.
    fn check(player: GlickoRating, met: &[(GlickoRating, f64)], expected: &str) {
        let after = Glicko2 { tau: 0.5 }.after(player, met);
        let text = format!("{:.2} {:.2} {:.5}", after.rating, after.deviation, after.volatility);
        assert_eq!(text, expected, "{met:?}");
    }

    #[test]
    fn the_example_of_the_paper() {
        let met =
            [(known(1400.0, 30.0), 1.0), (known(1550.0, 100.0), 0.0), (known(1700.0, 300.0), 0.0)];
        // Glickman rounds intermediate results and prints 1464.06 from a change of −0.2069;
        // unrounded it is 1464.05.
        check(known(1500.0, 200.0), &met, "1464.05 151.52 0.06000");
    }

    #[test]
    fn deviations_of_idle_players_grow() {
        // Expected: √(200² + (0.06 · 173.7178)²).
        check(known(1500.0, 200.0), &[], "1500.00 200.27 0.06000");
        check(known(1900.0, 50.0), &[], "1900.00 51.07 0.06000");
    }

    #[test]
    fn a_period_updates_all_players_at_once() {
        let ratings =
            [known(1500.0, 200.0), known(1400.0, 30.0), known(1550.0, 100.0), known(1700.0, 300.0)];
        let against = |other, score| PeriodGame { players: [0, other], score };
        let reversed = PeriodGame { players: [3, 0], score: 1.0 };
        let games = [against(1, 1.0), against(2, 0.0), reversed, against(9, 1.0), against(0, 1.0)];
        let after = Glicko2::default().period(&ratings, &games);
        let met = [(ratings[1], 1.0), (ratings[2], 0.0), (ratings[3], 0.0)];
        assert_eq!(after[0], Glicko2::default().after(ratings[0], &met));
        assert_eq!(after[2], Glicko2::default().after(ratings[2], &[(ratings[0], 1.0)]));
        assert!(after[1].rating < 1400.0 && after[2].rating > 1550.0 && after[3].rating > 1700.0);
    }

    #[test]
    fn unexpected_results_raise_the_volatility() {
        let weak = known(800.0, 30.0);
        let expected = Glicko2::default().after(known(1500.0, 60.0), &[(weak, 1.0); 12]);
        let surprise = Glicko2::default().after(known(1500.0, 60.0), &[(weak, 0.0); 12]);
        assert!(expected.volatility < 0.06 && surprise.volatility > 0.0601, "{surprise:?}");
        assert!(surprise.rating < 1500.0 && expected.rating > 1500.0);
    }
}
