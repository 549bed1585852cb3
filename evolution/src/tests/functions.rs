//! Test functions of optimisation with the known minimum 0, in place of engines: the lower the
//! value, the better the weights play. Measured exactly or with the noise of games.

use crate::measurement::{Fitness, MeasurementRequest, MeasurementResult, Subject};
use crate::racing::{Race, RaceSetup};
use crate::rng::Rng;
use crate::space::{Parameter, ParameterKind, Space};
use crate::weights::Weights;

/// A function of any number of variables, each from −5 to 5 unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Function {
    /// The sum of squares around (1.7, −1.7, 1.7, …).
    Sphere,
    /// H. Rosenbrock's valley (1960): curved, with a flat floor; the minimum is at (1, 1, …).
    Rosenbrock,
    /// A sphere around (7, −7, 7, …) of whole variables from −20 to 20, a fourth as steep.
    Whole,
    /// L. Rastrigin's function (1974), shifted like the sphere: eleven local minima in each
    /// direction.
    Rastrigin,
}

impl Function {
    pub(crate) fn value(self, x: &[f64]) -> f64 {
        let shifted =
            x.iter().enumerate().map(|(index, x)| if index % 2 == 0 { x - 1.7 } else { x + 1.7 });
        match self {
            Self::Whole => {
                let signs = [1.0, -1.0].into_iter().cycle();
                x.iter().zip(signs).map(|(x, sign)| ((x - 7.0 * sign) / 4.0).powi(2)).sum()
            }
            Self::Sphere => shifted.map(|x| x * x).sum(),
            Self::Rosenbrock => x
                .windows(2)
                .map(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2))
                .sum(),
            Self::Rastrigin => {
                shifted.map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
            }
        }
    }

    pub(crate) fn space(self, dimension: usize) -> Space {
        let (kind, bound, start) = match self {
            Self::Whole => (ParameterKind::Whole, 20.0, -12.0),
            Self::Rosenbrock => (ParameterKind::Real, 5.0, -1.2),
            Self::Sphere | Self::Rastrigin => (ParameterKind::Real, 5.0, -3.0),
        };
        let parameter = |number| Parameter {
            name: format!("x{number}"),
            kind,
            min: -bound,
            max: bound,
            start,
            step: None,
        };
        Space::new((0..dimension).map(parameter).collect()).unwrap()
    }
}

/// The noise of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    /// None: a result is the exact probability of winning.
    None,
    /// A result is measured with this many pairs of games.
    Pairs(u32),
}

/// A function that is measured by playing games.
pub(crate) struct NoisyFunction {
    pub(crate) function: Function,
    noise: Noise,
    /// The value at the start of the space.
    start: f64,
    rng: Rng,
}

impl NoisyFunction {
    pub(crate) fn new(function: Function, dimension: usize, noise: Noise, seed: u64) -> Self {
        let start = function.value(function.space(dimension).start().values());
        Self { function, noise, start, rng: Rng::new(!seed) }
    }

    pub(crate) fn value(&self, weights: &Weights) -> f64 {
        self.function.value(weights.values())
    }

    /// Makes a measurement: fitness against the opponents, a duel against each other.
    pub(crate) fn measure(&mut self, request: &MeasurementRequest) -> MeasurementResult {
        match &request.subject {
            Subject::Fitness { weights, .. } => MeasurementResult::Fitness(self.fitness(weights)),
            Subject::Duel { plus, minus } => {
                let fitness = self.play(win_probability(self.value(plus), self.value(minus)));
                MeasurementResult::Duel { margin: 2.0 * fitness.share - 1.0, games: fitness.games }
            }
        }
    }

    pub(crate) fn fitness(&mut self, weights: &Weights) -> Fitness {
        self.play(self.win_probability_against_opponents(weights))
    }

    /// The probability of winning against a mix of two opponents: a perfect one, and one as good as
    /// the start.
    fn win_probability_against_opponents(&self, weights: &Weights) -> f64 {
        let value = self.value(weights);
        (win_probability(value, 0.0) + win_probability(value, self.start)) / 2.0
    }

    fn play(&mut self, win_probability: f64) -> Fitness {
        let Noise::Pairs(pairs) = self.noise else {
            return Fitness { share: win_probability, standard_error: 0.0, games: 1 };
        };
        let mut race =
            Race::new(RaceSetup { threshold: 0.0, error_rate: 0.05, pairs_max: pairs }).unwrap();
        for _ in 0..pairs {
            race.add(self.half_points(win_probability)).unwrap();
        }
        race.fitness().unwrap()
    }

    /// The half points of one pair of games against the opponents.
    pub(crate) fn pair(&mut self, weights: &Weights) -> u8 {
        self.half_points(self.win_probability_against_opponents(weights))
    }

    fn half_points(&mut self, win_probability: f64) -> u8 {
        2 * (0..2).filter(|_| self.rng.chance(win_probability)).count() as u8
    }
}

/// The probability that one value wins against another: a factor of ten in 1 + value is 200 Elo.
fn win_probability(value: f64, other: f64) -> f64 {
    1.0 / (1.0 + ((1.0 + value) / (1.0 + other)).sqrt())
}
