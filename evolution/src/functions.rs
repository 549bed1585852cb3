//! Functions whose least value is known to be 0, in place of engines: a set of weights plays the better the
//! less its function is. Each without luck, and with that of games.

use crate::answer::{Answer, Asked, Fitness, Question};
use crate::draw::Draws;
use crate::race::{Race, RaceSetup};
use crate::space::{Kind, Parameter, Space};
use crate::weights::Weights;

/// A function of any number of variables, each from −5 to 5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Function {
    /// The sum of squares about (1.7, −1.7, 1.7, …).
    Sphere,
    /// H. Rosenbrock's valley (1960): bent, with a flat floor; 0 at (1, 1, …).
    Rosenbrock,
    /// A sphere about (7, −7, 7, …) of whole variables from −20 to 20, a fourth as steep.
    Whole,
    /// L. Rastrigin's hills (1974) on the sphere: eleven local minima in each direction.
    Rastrigin,
}

impl Function {
    pub(crate) fn value(self, x: &[f64]) -> f64 {
        let shifted =
            x.iter().enumerate().map(|(place, x)| if place % 2 == 0 { x - 1.7 } else { x + 1.7 });
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
        let (kind, far, start) = match self {
            Self::Whole => (Kind::Whole, 20.0, -12.0),
            Self::Rosenbrock => (Kind::Real, 5.0, -1.2),
            Self::Sphere | Self::Rastrigin => (Kind::Real, 5.0, -3.0),
        };
        let parameter = |number| Parameter {
            name: format!("x{number}"),
            kind,
            min: -far,
            max: far,
            start,
            step: None,
        };
        Space::new((0..dimension).map(parameter).collect()).unwrap()
    }
}

/// Whether games have luck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Luck {
    /// An answer is the chance to win.
    None,
    /// An answer comes of so many pairs of games.
    Pairs(u32),
}

/// A function as those who play see it.
pub(crate) struct Arena {
    pub(crate) function: Function,
    luck: Luck,
    /// The value of the start.
    start: f64,
    draws: Draws,
}

impl Arena {
    pub(crate) fn new(function: Function, dimension: usize, luck: Luck, seed: u64) -> Self {
        let start = function.value(function.space(dimension).start().values());
        Self { function, luck, start, draws: Draws::new(!seed) }
    }

    pub(crate) fn value(&self, weights: &Weights) -> f64 {
        self.function.value(weights.values())
    }

    /// Plays what is asked: fitness against the opponents, a duel against each other.
    pub(crate) fn answer(&mut self, question: &Question) -> Answer {
        match &question.asked {
            Asked::Fitness { weights, .. } => Answer::Fitness(self.fitness(weights)),
            Asked::Duel { plus, minus } => {
                let fitness = self.play(chance(self.value(plus), self.value(minus)));
                Answer::Duel { result: 2.0 * fitness.share - 1.0, games: fitness.games }
            }
        }
    }

    pub(crate) fn fitness(&mut self, weights: &Weights) -> Fitness {
        self.play(self.against_opponents(weights))
    }

    /// The chance to win against one who is perfect and one as good as the start, each half of the time.
    fn against_opponents(&self, weights: &Weights) -> f64 {
        let value = self.value(weights);
        (chance(value, 0.0) + chance(value, self.start)) / 2.0
    }

    fn play(&mut self, chance: f64) -> Fitness {
        let Luck::Pairs(pairs) = self.luck else {
            return Fitness { share: chance, error: 0.0, games: 1 };
        };
        let mut race = Race::new(RaceSetup { bar: 0.0, error: 0.05, pairs }).unwrap();
        for _ in 0..pairs {
            race.add(self.half_points(chance)).unwrap();
        }
        race.fitness().unwrap()
    }

    /// One pair of games against the opponents: its half points.
    pub(crate) fn pair(&mut self, weights: &Weights) -> u8 {
        self.half_points(self.against_opponents(weights))
    }

    fn half_points(&mut self, chance: f64) -> u8 {
        2 * (0..2).filter(|_| self.draws.chance(chance)).count() as u8
    }
}

/// The chance to win of one value against another: a factor of ten in 1 + value is 200 Elo.
fn chance(value: f64, other: f64) -> f64 {
    1.0 / (1.0 + ((1.0 + value) / (1.0 + other)).sqrt())
}
