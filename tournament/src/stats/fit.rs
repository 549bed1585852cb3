//! The ratings of many players from all their games at once. Pure arithmetic, with its sources.
//!
//! - R. A. Bradley, M. E. Terry, *Rank analysis of incomplete block designs*, Biometrika 39 (1952): one
//!   beats the other with the chance 1 / (1 + 10^(−d/400)), a draw counting as half a win and half a loss.
//!   The seat may have a rating of its own, which whoever sits first has on top (A. Agresti,
//!   *Categorical Data Analysis*, 2002, 10.6).
//! - The likelihood is concave; Newton's method finds its one maximum, which exists for those
//!   who are connected by chains of points in both directions (L. R. Ford, *Solution of a ranking problem
//!   from binary comparisons*, Amer. Math. Monthly 64, 1957): `connect` finds and names the others.
//! - Bars from the inverse of the information matrix, as if games were independent and had no draws; or
//!   from what pairs really brought: the "sandwich" of the information around the sum of squared
//!   scores (H. White, *Maximum Likelihood Estimation of Misspecified Models*, Econometrica 50, 1982).

use serde::{Deserialize, Serialize};

use super::connect::{Link, links};
use super::matrix::Matrix;
use super::normal::{Z95, normal};
use super::table::{Meeting, Tables};

/// Elo of a natural unit: 400 / ln 10.
const ELO_OF_UNIT: f64 = 173.717_792_761_300_73;
/// Newton's method ends below this step, in natural units.
const STEP_MIN: f64 = 1e-11;
/// It needs a dozen.
const STEPS_MAX: u32 = 100;
/// A seat that is worth more than this, in natural units (3474 Elo), has no bound.
const SEAT_MAX: f64 = 20.0;

/// How error bars are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bars {
    /// From how the results of pairs differ from what was expected: right whatever the share of
    /// draws and the openings are, given some twenty pairs.
    #[default]
    Pairs,
    /// From the information matrix alone: too wide by the share of draws, and defined for a single pair.
    Information,
}

/// What is fitted, and relative to what it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitOptions {
    /// Whether the first seat has a rating.
    pub first_seat: bool,
    /// The player whose rating is 0 without an error; none: the mean of all who are rated is 0.
    pub reference: Option<u32>,
    /// How many drawn games each player is given against one of rating 0: a weak prior, as in
    /// BayesElo and Ordo, with which everybody is rated and nobody infinitely. 0: none. Other
    /// than in those, it does not depend on whom a player met.
    pub prior_draws: f64,
    /// How bars are found.
    pub bars: Bars,
}

/// A figure with its bar, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The most likely value.
    pub elo: f64,
    /// Half of the 95 % interval, which lies evenly around it.
    pub error: f64,
}

/// What is known of a player's strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// A rating.
    Rated(Estimate),
    /// Stronger than all who are rated: it, or those who took points from it, lost none to them.
    Above,
    /// Weaker than all who are rated, likewise.
    Below,
    /// Not connected with them by games that tell.
    Apart,
}

/// What the first seat is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeatStrength {
    /// It was not fitted.
    Unasked,
    /// So much.
    Worth(Estimate),
    /// More than any number: the games would be certain with it. Ratings are those without it.
    Unbounded,
}

/// Ratings of many players.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Each player, in the order asked for.
    pub strengths: Vec<(u32, Strength)>,
    /// The first seat.
    pub first_seat: SeatStrength,
    /// Players by their row of the covariance, which is in natural units.
    rows: Vec<u32>,
    ratings: Vec<f64>,
    covariance: Matrix,
}

impl Fit {
    /// Fits the ratings of these players to their games against each other.
    pub fn new(tables: &Tables, players: &[u32], options: &FitOptions) -> Self {
        let prior = if options.prior_draws > 0.0 { options.prior_draws } else { 0.0 };
        let links = if prior > 0.0 {
            vec![Link::Inside; players.len()]
        } else {
            links(tables, players, options.reference)
        };
        let unrated = |link: Link| match link {
            Link::Above => Strength::Above,
            Link::Below => Strength::Below,
            Link::Inside | Link::Apart => Strength::Apart,
        };
        let inside = |(player, link): (&u32, &Link)| (*link == Link::Inside).then_some(*player);
        let rows: Vec<u32> = players.iter().zip(&links).filter_map(inside).collect();
        let model = Model::new(tables, &rows, prior);
        let with_seat = options.first_seat.then(|| model.maximum(true)).flatten();
        let first_seat = options.first_seat && with_seat.is_some();
        // Alone, the concave likelihood has its maximum; a failure could only be one of rounding.
        let found = with_seat.or_else(|| model.maximum(false)).filter(|_| !rows.is_empty());
        let found = found.and_then(|at| {
            let covariance = model.covariance(&at, first_seat, options.bars)?;
            Some((at, covariance))
        });
        let Some((at, covariance)) = found else {
            let strengths = players.iter().zip(&links);
            let strengths = strengths.map(|(player, link)| (*player, unrated(*link))).collect();
            let (rows, ratings) = (Vec::new(), Vec::new());
            let first_seat = SeatStrength::Unasked;
            return Self { strengths, first_seat, rows, ratings, covariance: Matrix::zero(0) };
        };
        let reference = options.reference.and_then(|it| rows.iter().position(|row| *row == it));
        let (ratings, covariance) = anchored(&at, &covariance, rows.len(), reference);
        let estimate = |row: usize| Estimate {
            elo: ELO_OF_UNIT * ratings[row],
            error: ELO_OF_UNIT * Z95 * covariance.at(row, row).max(0.0).sqrt(),
        };
        let strength = |(player, link): (&u32, &Link)| {
            let strength = match (link, rows.iter().position(|row| row == player)) {
                (Link::Inside, Some(row)) => Strength::Rated(estimate(row)),
                _ => unrated(*link),
            };
            (*player, strength)
        };
        let seat = match (options.first_seat, first_seat) {
            (false, _) => SeatStrength::Unasked,
            (true, true) => SeatStrength::Worth(estimate(rows.len())),
            (true, false) => SeatStrength::Unbounded,
        };
        Self {
            strengths: players.iter().zip(&links).map(strength).collect(),
            first_seat: seat,
            rows,
            ratings,
            covariance,
        }
    }

    /// How likely it is that one is the stronger of two; none where either is not rated.
    pub fn superiority(&self, player: u32, opponent: u32) -> Option<f64> {
        let row = |player| self.rows.iter().position(|row| *row == player);
        let (a, b) = (row(player)?, row(opponent)?);
        let c = &self.covariance;
        let variance = c.at(a, a) + c.at(b, b) - 2.0 * c.at(a, b);
        let difference = self.ratings[a] - self.ratings[b];
        if a == b || difference == 0.0 {
            return Some(0.5);
        }
        Some(normal(difference / variance.max(0.0).sqrt()))
    }
}

/// Relative to the reference or to the mean: the figures T·x with the covariance T C Tᵀ, where T takes
/// the reference, or the mean, off every rating and leaves the seat as it is.
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

/// The games of those who are rated.
struct Model<'a> {
    meetings: Vec<(usize, usize, &'a Meeting)>,
    rated: usize,
    prior: f64,
}

/// What one meeting adds at a point: expected scores and weights of the games with either seat.
struct Terms {
    expected: [f64; 2],
    weights: [f64; 2],
}

impl<'a> Model<'a> {
    fn new(tables: &'a Tables, rows: &[u32], prior: f64) -> Self {
        let row = |player: u32| rows.iter().position(|row| *row == player);
        let of_rated =
            |([a, b], meeting): ([u32; 2], &'a Meeting)| Some((row(a)?, row(b)?, meeting));
        Self {
            meetings: tables.meetings().filter_map(of_rated).collect(),
            rated: rows.len(),
            prior,
        }
    }

    fn terms(&self, at: &[f64], a: usize, b: usize, meeting: &Meeting) -> Terms {
        let seat = at.get(self.rated).copied().unwrap_or(0.0);
        let difference = at[a] - at[b];
        let expected = [difference + seat, difference - seat].map(|x| 1.0 / (1.0 + (-x).exp()));
        let games = [meeting.first_seat, meeting.second_seat].map(|tally| tally.games() as f64);
        let weight = |i: usize| games[i] * expected[i] * (1.0 - expected[i]);
        Terms { expected, weights: [weight(0), weight(1)] }
    }

    /// Which figures the expected score of `a` with either seat grows with, and how.
    fn direction(&self, a: usize, b: usize, seat: usize, with_seat: bool) -> Vec<(usize, f64)> {
        let sign = if seat == 0 { 1.0 } else { -1.0 };
        let mut direction = vec![(a, 1.0), (b, -1.0)];
        direction.extend(with_seat.then_some((self.rated, sign)));
        direction
    }

    /// The gradient of the log-likelihood and the information, its negative second derivative.
    fn derivatives(&self, at: &[f64]) -> (Vec<f64>, Matrix) {
        let mut gradient = vec![0.0; at.len()];
        let mut information = Matrix::zero(at.len());
        for (a, b, meeting) in &self.meetings {
            let terms = self.terms(at, *a, *b, meeting);
            for (i, tally) in [meeting.first_seat, meeting.second_seat].into_iter().enumerate() {
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

    /// The rating of the first player is free only where there is a prior.
    fn fixed(&self) -> usize {
        usize::from(self.prior <= 0.0).min(self.rated)
    }

    /// The maximum; none where it is not found, as where the seat explains everything.
    fn maximum(&self, with_seat: bool) -> Option<Vec<f64>> {
        let size = self.rated + usize::from(with_seat);
        let mut at = vec![0.0; size];
        if size == self.fixed() {
            return Some(at);
        }
        for _ in 0..STEPS_MAX {
            let (gradient, information) = self.derivatives(&at);
            let step = without(&information, self.fixed()).solve(&gradient[self.fixed()..])?;
            let longest = step.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()));
            // Far from the maximum a step may overshoot: none moves anybody by more than e times.
            let share = if longest > 1.0 { 1.0 / longest } else { 1.0 };
            at[self.fixed()..].iter_mut().zip(&step).for_each(|(x, step)| *x += share * step);
            if with_seat && at[self.rated].abs() > SEAT_MAX {
                return None;
            }
            if longest < STEP_MIN {
                return Some(at);
            }
        }
        // Rounding can keep steps from getting shorter; nobody sees a billionth.
        let (gradient, information) = self.derivatives(&at);
        let step = without(&information, self.fixed()).solve(&gradient[self.fixed()..])?;
        step.iter().all(|x| x.abs() < 1e-6).then_some(at)
    }

    /// The covariance of all figures, with zeros for the one that is fixed.
    fn covariance(&self, at: &[f64], with_seat: bool, bars: Bars) -> Option<Matrix> {
        let (_, information) = self.derivatives(at);
        let inner = without(&information, self.fixed()).inverse()?;
        let mut inverse = Matrix::zero(at.len());
        for row in 0..inner.size() {
            for column in 0..inner.size() {
                inverse.add(row + self.fixed(), column + self.fixed(), inner.at(row, column));
            }
        }
        if bars == Bars::Information {
            return Some(inverse);
        }
        let mut seen = Matrix::zero(at.len());
        for (a, b, meeting) in &self.meetings {
            let terms = self.terms(at, *a, *b, meeting);
            let expected = terms.expected[0] + terms.expected[1];
            let square = |(i, n): (usize, &u64)| *n as f64 * (i as f64 / 2.0 - expected).powi(2);
            let squares: f64 = meeting.pairs.iter().enumerate().map(square).sum();
            seen.add_outer(squares, &[(*a, 1.0), (*b, -1.0)]);
            // Games without a twin tell as much as they would if they were independent.
            let alone = meeting.games_alone() as f64 / meeting.games().games().max(1) as f64;
            for (i, weight) in terms.weights.into_iter().enumerate() {
                seen.add_outer(alone * weight, &self.direction(*a, *b, i, with_seat));
                if with_seat {
                    // Which game of a pair brought what is not kept: taken as independent.
                    seen.add(self.rated, self.rated, (1.0 - alone) * weight);
                }
            }
        }
        for (row, x) in at.iter().enumerate().take(self.rated) {
            let expected = 1.0 / (1.0 + (-x).exp());
            seen.add(row, row, self.prior * expected * (1.0 - expected));
        }
        Some(inverse.times(&seen).times(&inverse))
    }
}

/// The matrix without its first rows and columns.
fn without(matrix: &Matrix, first: usize) -> Matrix {
    let mut rest = Matrix::zero(matrix.size().saturating_sub(first));
    for row in 0..rest.size() {
        for column in 0..rest.size() {
            rest.add(row, column, matrix.at(row + first, column + first));
        }
    }
    rest
}
