//! The joint fit of the ratings of many players to all their games (Bradley-Terry).
//!
//! Sources:
//!
//! - R. A. Bradley, M. E. Terry, *Rank analysis of incomplete block designs*, Biometrika 39 (1952):
//!   the probability of winning is 1 / (1 + 10^(−d/400)), and a draw counts as half a win and half
//!   a loss. The first seat may have an advantage, which is added to the rating of the player who
//!   has it (A. Agresti, *Categorical Data Analysis*, 2002, 10.6).
//! - The likelihood is concave; Newton's method finds its only maximum, which exists if
//!   all players are connected by chains of points in both directions (L. R. Ford, *Solution of a
//!   ranking problem from binary comparisons*, Amer. Math. Monthly 64, 1957). `connectivity` finds
//!   the players that are not.
//! - Errors from the inverse of the information matrix, as if games were independent and had no
//!   draws; or from the observed results of pairs: the "sandwich" of the information around the sum
//!   of squared scores (H. White, *Maximum Likelihood Estimation of Misspecified Models*,
//!   Econometrica 50, 1982).
//! - If all pairs of two players had the same result, their residuals say nothing about the spread.
//!   The "rule of three" gives the least sum, as in `elo`.

use serde::{Deserialize, Serialize};

use super::connectivity::{Connection, connections};
use super::cross_table::{CrossTable, HeadToHead};
use super::elo::unknown_share;
use super::matrix::Matrix;
use super::normal::{Z95, normal_cdf};

/// Elo per natural unit: 400 / ln 10.
const ELO_PER_UNIT: f64 = 173.717_792_761_300_73;
/// Newton's method stops below this step, in natural units.
const STEP_MIN: f64 = 1e-11;
/// The largest number of Newton steps; about a dozen are needed.
const STEPS_MAX: u32 = 100;
/// The largest seat advantage in natural units (3474 Elo); beyond it the advantage is unbounded.
const SEAT_MAX: f64 = 20.0;

/// How the covariance of the ratings is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CovarianceMethod {
    /// From the residuals of pairs (sandwich estimator): correct for any draw rate and any
    /// openings, given some twenty pairs.
    #[default]
    Sandwich,
    /// From the Fisher information alone: too wide if there are draws, but defined for a single
    /// pair.
    Information,
}

/// The options of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitOptions {
    /// Whether to fit the advantage of the first seat.
    pub fit_seat_advantage: bool,
    /// The player whose rating is 0 without an error. `None`: the mean of all rated players is 0.
    pub reference: Option<u32>,
    /// The number of drawn games that each player is given against an opponent of rating 0: a weak
    /// prior, as in BayesElo and Ordo, with which every player gets a finite rating. 0: no prior.
    /// Unlike in those programs, it does not depend on the opponents a player met.
    pub prior_draws: f64,
    /// How the covariance is estimated.
    pub covariance: CovarianceMethod,
}

/// An estimate with its error, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The most likely value.
    pub elo: f64,
    /// Half of the symmetric 95 % interval.
    pub error: f64,
}

/// The rating of a player, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerRating {
    /// The player is rated.
    Rated(Estimate),
    /// Stronger than all rated players: it, or players who took points from it, lost none to them.
    Above,
    /// Weaker than all rated players, likewise.
    Below,
    /// Not connected with the rated players by points.
    Unconnected,
}

/// The advantage of the first seat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeatAdvantage {
    /// The advantage was not fitted.
    NotFitted,
    /// The fitted advantage.
    Fitted(Estimate),
    /// No finite value: the seat explains every game. The ratings are those without an advantage.
    Unbounded,
}

/// The fitted ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The rating of each player, in the order of the input.
    pub player_ratings: Vec<(u32, PlayerRating)>,
    /// The advantage of the first seat.
    pub seat_advantage: SeatAdvantage,
    /// The players by their row in the covariance, which is in natural units.
    rows: Vec<u32>,
    ratings: Vec<f64>,
    covariance: Matrix,
}

impl Fit {
    /// Fits the ratings of these players to their games against each other.
    pub fn new(table: &CrossTable, players: &[u32], options: &FitOptions) -> Self {
        let prior = if options.prior_draws > 0.0 { options.prior_draws } else { 0.0 };
        let connections = if prior > 0.0 {
            vec![Connection::Rated; players.len()]
        } else {
            connections(table, players, options.reference)
        };
        let unrated = |connection: Connection| match connection {
            Connection::Above => PlayerRating::Above,
            Connection::Below => PlayerRating::Below,
            Connection::Rated | Connection::Unconnected => PlayerRating::Unconnected,
        };
        let inside = |(player, connection): (&u32, &Connection)| {
            (*connection == Connection::Rated).then_some(*player)
        };
        let rows: Vec<u32> = players.iter().zip(&connections).filter_map(inside).collect();
        let model = Model::new(table, &rows, prior);
        let with_seat = options.fit_seat_advantage.then(|| model.maximum(true)).flatten();
        let has_seat = options.fit_seat_advantage && with_seat.is_some();
        // Without the seat the concave likelihood has a maximum; only rounding could make this
        // fail.
        let found = with_seat.or_else(|| model.maximum(false)).filter(|_| !rows.is_empty());
        let found = found.and_then(|at| {
            let covariance = model.covariance(&at, has_seat, options.covariance)?;
            Some((at, covariance))
        });
        let Some((at, covariance)) = found else {
            let player_ratings = players.iter().zip(&connections);
            let player_ratings = player_ratings
                .map(|(player, connection)| (*player, unrated(*connection)))
                .collect();
            let (rows, ratings) = (Vec::new(), Vec::new());
            let seat_advantage = SeatAdvantage::NotFitted;
            return Self {
                player_ratings,
                seat_advantage,
                rows,
                ratings,
                covariance: Matrix::zero(0),
            };
        };
        let reference = options.reference.and_then(|it| rows.iter().position(|row| *row == it));
        let (ratings, covariance) = anchored(&at, &covariance, rows.len(), reference);
        let estimate = |row: usize| Estimate {
            elo: ELO_PER_UNIT * ratings[row],
            error: ELO_PER_UNIT * Z95 * covariance.at(row, row).max(0.0).sqrt(),
        };
        let player_rating = |(player, connection): (&u32, &Connection)| {
            let rating = match (connection, rows.iter().position(|row| row == player)) {
                (Connection::Rated, Some(row)) => PlayerRating::Rated(estimate(row)),
                _ => unrated(*connection),
            };
            (*player, rating)
        };
        let seat = match (options.fit_seat_advantage, has_seat) {
            (false, _) => SeatAdvantage::NotFitted,
            (true, true) => SeatAdvantage::Fitted(estimate(rows.len())),
            (true, false) => SeatAdvantage::Unbounded,
        };
        Self {
            player_ratings: players.iter().zip(&connections).map(player_rating).collect(),
            seat_advantage: seat,
            rows,
            ratings,
            covariance,
        }
    }

    /// The probability that `player` is stronger than `opponent`; `None` if either is not rated.
    pub fn superiority(&self, player: u32, opponent: u32) -> Option<f64> {
        let row = |player| self.rows.iter().position(|row| *row == player);
        let (a, b) = (row(player)?, row(opponent)?);
        let c = &self.covariance;
        let variance = c.at(a, a) + c.at(b, b) - 2.0 * c.at(a, b);
        let difference = self.ratings[a] - self.ratings[b];
        if a == b || difference == 0.0 {
            return Some(0.5);
        }
        Some(normal_cdf(difference / variance.max(0.0).sqrt()))
    }
}

/// Shifts ratings so that the reference, or the mean, is 0: T·x with the covariance T C Tᵀ, where T
/// subtracts the reference or the mean from every rating and leaves the seat advantage unchanged.
fn anchored(at: &[f64], c: &Matrix, rated: usize, reference: Option<usize>) -> (Vec<f64>, Matrix) {
    let weight = |row: usize| match reference {
        Some(reference) => f64::from(u8::from(row == reference)),
        None => 1.0 / rated as f64,
    };
    let anchor: f64 = (0..rated).map(|row| weight(row) * at[row]).sum();
    let size = c.size();
    let with_anchor: Vec<f64> =
        (0..size).map(|row| (0..rated).map(|k| weight(k) * c.at(row, k)).sum()).collect();
    let of_anchor: f64 = (0..rated).map(|row| weight(row) * with_anchor[row]).sum();
    let mut covariance = Matrix::zero(size);
    let moves = |row: usize| f64::from(u8::from(row < rated));
    for a in 0..size {
        for b in 0..size {
            let shared = moves(b) * with_anchor[a] + moves(a) * with_anchor[b];
            covariance.add(a, b, c.at(a, b) - shared + moves(a) * moves(b) * of_anchor);
        }
    }
    (at.iter().enumerate().map(|(row, x)| x - moves(row) * anchor).collect(), covariance)
}

/// The games of the rated players.
struct Model<'a> {
    head_to_heads: Vec<(usize, usize, &'a HeadToHead)>,
    rated: usize,
    prior: f64,
}

/// The contribution of two players' games at a point: expected scores and information weights with
/// either seat.
struct Terms {
    expected: [f64; 2],
    weights: [f64; 2],
}

impl<'a> Model<'a> {
    fn new(table: &'a CrossTable, rows: &[u32], prior: f64) -> Self {
        let row = |player: u32| rows.iter().position(|row| *row == player);
        let of_rated = |([a, b], head_to_head): ([u32; 2], &'a HeadToHead)| {
            Some((row(a)?, row(b)?, head_to_head))
        };
        Self {
            head_to_heads: table.head_to_heads().filter_map(of_rated).collect(),
            rated: rows.len(),
            prior,
        }
    }

    fn terms(&self, at: &[f64], a: usize, b: usize, head_to_head: &HeadToHead) -> Terms {
        let seat = at.get(self.rated).copied().unwrap_or(0.0);
        let difference = at[a] - at[b];
        let expected = [difference + seat, difference - seat].map(|x| 1.0 / (1.0 + (-x).exp()));
        let games =
            [head_to_head.first_seat, head_to_head.second_seat].map(|tally| tally.games() as f64);
        let weight = |i: usize| games[i] * expected[i] * (1.0 - expected[i]);
        Terms { expected, weights: [weight(0), weight(1)] }
    }

    /// The gradient of the expected score of `a` with either seat, as (row, derivative) entries.
    fn direction(&self, a: usize, b: usize, seat: usize, with_seat: bool) -> Vec<(usize, f64)> {
        let sign = if seat == 0 { 1.0 } else { -1.0 };
        let mut direction = vec![(a, 1.0), (b, -1.0)];
        direction.extend(with_seat.then_some((self.rated, sign)));
        direction
    }

    /// The gradient of the log-likelihood, and the information: its negative second derivative.
    fn derivatives(&self, at: &[f64]) -> (Vec<f64>, Matrix) {
        let mut gradient = vec![0.0; at.len()];
        let mut information = Matrix::zero(at.len());
        for (a, b, head_to_head) in &self.head_to_heads {
            let terms = self.terms(at, *a, *b, head_to_head);
            for (i, tally) in
                [head_to_head.first_seat, head_to_head.second_seat].into_iter().enumerate()
            {
                let surprise =
                    tally.half_points() as f64 / 2.0 - tally.games() as f64 * terms.expected[i];
                let vector = self.direction(*a, *b, i, at.len() > self.rated);
                vector.iter().for_each(|(row, x)| gradient[*row] += surprise * x);
                information.add_outer(terms.weights[i], &vector);
            }
        }
        for (row, x) in at.iter().enumerate().take(self.rated) {
            let expected = 1.0 / (1.0 + (-x).exp());
            gradient[row] += self.prior * (0.5 - expected);
            information.add(row, row, self.prior * expected * (1.0 - expected));
        }
        (gradient, information)
    }

    /// The number of fixed ratings: without a prior the first one is fixed at 0.
    fn fixed(&self) -> usize {
        usize::from(self.prior <= 0.0).min(self.rated)
    }

    /// The maximum of the likelihood; `None` if it is not found, such as when the seat explains
    /// every game.
    fn maximum(&self, with_seat: bool) -> Option<Vec<f64>> {
        let size = self.rated + usize::from(with_seat);
        let mut at = vec![0.0; size];
        if size == self.fixed() {
            return Some(at);
        }
        for _ in 0..STEPS_MAX {
            let (gradient, information) = self.derivatives(&at);
            let step =
                without_first(&information, self.fixed()).solve(&gradient[self.fixed()..])?;
            let longest = step.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()));
            // Far from the maximum a step may overshoot: no step is longer than 1.
            let share = if longest > 1.0 { 1.0 / longest } else { 1.0 };
            at[self.fixed()..].iter_mut().zip(&step).for_each(|(x, step)| *x += share * step);
            if with_seat && at[self.rated].abs() > SEAT_MAX {
                return None;
            }
            if longest < STEP_MIN {
                return Some(at);
            }
        }
        // Rounding can keep steps from shrinking further; a millionth is accurate enough.
        let (gradient, information) = self.derivatives(&at);
        let step = without_first(&information, self.fixed()).solve(&gradient[self.fixed()..])?;
        step.iter().all(|x| x.abs() < 1e-6).then_some(at)
    }

    /// The covariance of all estimates, with zeros for the fixed one.
    fn covariance(&self, at: &[f64], with_seat: bool, method: CovarianceMethod) -> Option<Matrix> {
        let (_, information) = self.derivatives(at);
        let inner = without_first(&information, self.fixed()).inverse()?;
        let mut inverse = Matrix::zero(at.len());
        for row in 0..inner.size() {
            for column in 0..inner.size() {
                inverse.add(row + self.fixed(), column + self.fixed(), inner.at(row, column));
            }
        }
        if method == CovarianceMethod::Information {
            return Some(inverse);
        }
        let mut squared_scores = Matrix::zero(at.len());
        for (a, b, head_to_head) in &self.head_to_heads {
            let terms = self.terms(at, *a, *b, head_to_head);
            let expected = terms.expected[0] + terms.expected[1];
            let square = |(i, n): (usize, &u64)| *n as f64 * (i as f64 / 2.0 - expected).powi(2);
            let squares: f64 = head_to_head.pairs.iter().enumerate().map(square).sum();
            let squares = squares.max(least_squares(&head_to_head.pairs));
            squared_scores.add_outer(squares, &[(*a, 1.0), (*b, -1.0)]);
            // Games outside pairs count as if they were independent.
            let single_share =
                head_to_head.single_games() as f64 / head_to_head.games().games().max(1) as f64;
            for (i, weight) in terms.weights.into_iter().enumerate() {
                squared_scores
                    .add_outer(single_share * weight, &self.direction(*a, *b, i, with_seat));
                if with_seat {
                    // The results of the two games of a pair are not kept separately: taken as
                    // independent.
                    squared_scores.add(self.rated, self.rated, (1.0 - single_share) * weight);
                }
            }
        }
        for (row, x) in at.iter().enumerate().take(self.rated) {
            let expected = 1.0 / (1.0 + (-x).exp());
            squared_scores.add(row, row, self.prior * expected * (1.0 - expected));
        }
        Some(inverse.times(&squared_scores).times(&inverse))
    }
}

/// The least sum of squared scores of pairs. If all pairs of two players had the same result, their
/// residuals can all be 0, which would be an interval of no width. The sum is then at least the one
/// that gives the interval of [`Sample`](super::Sample) for equal pairs. Otherwise 0.
fn least_squares(pairs: &[u64; 5]) -> f64 {
    let count: u64 = pairs.iter().sum();
    if count == 0 || !pairs.contains(&count) {
        return 0.0;
    }
    // Half the interval of the mean points of a pair: the score of a game is half of them.
    let half_width = unknown_share(count);
    (count as f64 * half_width / Z95).powi(2)
}

/// The matrix without its first `count` rows and columns.
fn without_first(matrix: &Matrix, count: usize) -> Matrix {
    let mut rest = Matrix::zero(matrix.size().saturating_sub(count));
    for row in 0..rest.size() {
        for column in 0..rest.size() {
            rest.add(row, column, matrix.at(row + count, column + count));
        }
    }
    rest
}
