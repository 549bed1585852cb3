//! Simultaneous perturbation stochastic approximation: all parameters are moved at once, either way by a coin
//! for each, the two sides play each other, and the point moves towards the winner (J. Spall, *Multivariate
//! Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation*, IEEE Trans. Autom.
//! Control 37, 1992; gains as in his *Implementation of the Simultaneous Perturbation Algorithm for
//! Stochastic Optimization*, IEEE Trans. Aerosp. Electron. Syst. 34, 1998).
//!
//! Each parameter is measured in perturbations of its own, as tuners of chess engines do: a step of the option, or a part of
//! its range.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Asked};
use super::desk::{Desk, Optimizer};
use super::error::{SettingsError, between};
use super::history::Origin;
use super::space::{Space, within};
use super::weights::Weights;

/// How much more the later points count in the mean that is shipped: point k with the third power of k, so
/// that half of the weight lies on the last sixth (polynomial-decay averaging: O. Shamir, T. Zhang,
/// *Stochastic Gradient Descent for Non-smooth Optimization*, ICML 2013).
const DECAY: f64 = 3.0;

/// The stability where nobody knows how long the run will be, in iterations.
const STABILITY: f64 = 50.0;

/// How many iterations are told of as one generation.
const ITERATIONS_TOLD: u32 = 10;

/// SPSA. In iteration k = 0, 1, … both sides are c / (k + 1)^γ from the point, and the point moves by half the
/// result times a · ((A + 1) / (A + k + 1))^α · (k + 1)^γ perturbations c: Spall's gains in the units of the
/// perturbations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spsa {
    /// The first gain, above 0 to 1000: if one side wins everything in the first iteration the point moves by half of it in
    /// perturbations; 1 by default.
    pub a: f64,
    /// A, 0 to 10⁹ iterations: the gain falls off only after about as many. By default a tenth of all, as Spall advises,
    /// or 50 where the budget does not say how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
    /// How fast the gain falls off, above 0.5 (more slowly it need not converge) to 1; Spall's 0.602 by default.
    pub alpha: f64,
    /// The first perturbation, as a part of a parameter's range, above 0 to 1; 0.1 by default. A parameter with a step of its own is
    /// perturbed by that. The sides of a whole one are 1 apart at least.
    pub c: f64,
    /// How fast the perturbation falls off, 0 to 0.5; Spall's 0.101 by default.
    pub gamma: f64,
    /// How many duels an iteration has, each with coins of its own, 1 to 1000; the point moves by their mean. 1 by
    /// default; more of them keep more cores busy.
    pub duels: u32,
}

impl Default for Spsa {
    fn default() -> Self {
        Self { a: 1.0, stability: None, alpha: 0.602, c: 0.1, gamma: 0.101, duels: 1 }
    }
}

impl Spsa {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        between("a", self.a, [1e-6, 1000.0])?;
        between("stability", self.stability.unwrap_or(0.0), [0.0, 1e9])?;
        between("alpha", self.alpha, [0.501, 1.0])?;
        between("c", self.c, [1e-6, 1.0])?;
        between("gamma", self.gamma, [0.0, 0.5])?;
        between("duels", self.duels.into(), [1.0, 1000.0])
    }

    fn stability(&self, questions: Option<u32>) -> f64 {
        let tenth = |questions| f64::from(questions) / f64::from(self.duels) / 10.0;
        self.stability.unwrap_or_else(|| questions.map_or(STABILITY, tenth))
    }
}

pub(crate) struct SpsaRun {
    settings: Spsa,
    stability: f64,
    point: Vec<f64>,
    /// The mean of the points so far, of which later ones count more.
    mean: Vec<f64>,
    iteration: u32,
    /// By question: which way each parameter went, 1 or −1.
    waiting: BTreeMap<u32, Vec<f64>>,
    /// The sum over the duels of this iteration: results times ways.
    slope: Vec<f64>,
}

impl SpsaRun {
    pub(crate) fn new(settings: Spsa, space: &Space, questions: Option<u32>) -> Self {
        let point = space.point(&space.start());
        Self {
            stability: settings.stability(questions),
            settings,
            mean: point.clone(),
            slope: vec![0.0; point.len()],
            point,
            iteration: 0,
            waiting: BTreeMap::new(),
        }
    }

    /// k + 1.
    fn rank(&self) -> f64 {
        f64::from(self.iteration) + 1.0
    }

    fn ask(&mut self, desk: &mut Desk) {
        let shrunk = libm::pow(self.rank(), -self.settings.gamma);
        for _ in 0..self.settings.duels {
            let coin = |_| if desk.draws.bits() >> 63 == 0 { 1.0 } else { -1.0 };
            let ways: Vec<f64> = (0..self.point.len()).map(coin).collect();
            let side = |sign: f64| {
                let genes = self.point.iter().zip(&ways).enumerate().map(|(gene, (x, way))| {
                    let far = desk.space.scale(gene, self.settings.c) * shrunk;
                    x + sign * way * far.max(desk.space.grid(gene) / 2.0)
                });
                desk.space.weights(&genes.collect::<Vec<_>>())
            };
            let (plus, minus) = (side(1.0), side(-1.0));
            let number = desk.ask(Asked::Duel { plus, minus }, Origin::Sides);
            self.waiting.insert(number, ways);
        }
    }

    fn step(&mut self, space: &Space) {
        let Spsa { a, alpha, gamma, duels, c, .. } = self.settings;
        let falling = (self.stability + 1.0) / (self.stability + self.rank());
        let gain = a * libm::pow(falling, alpha) * libm::pow(self.rank(), gamma);
        for (gene, x) in self.point.iter_mut().enumerate() {
            let slope = self.slope[gene] / f64::from(duels) / 2.0;
            *x = within(*x + gain * slope * space.scale(gene, c));
        }
        self.slope.fill(0.0);
        self.iteration += 1;
        let part = (DECAY + 1.0) / (f64::from(self.iteration) + DECAY);
        for (mean, x) in self.mean.iter_mut().zip(&self.point) {
            *mean += (x - *mean) * part;
        }
    }
}

impl Optimizer for SpsaRun {
    fn begin(&mut self, desk: &mut Desk) {
        self.ask(desk);
    }

    fn take(&mut self, number: u32, answer: &Answer, desk: &mut Desk) {
        let (Answer::Duel { result, .. }, Some(ways)) = (answer, self.waiting.remove(&number))
        else {
            return;
        };
        self.slope.iter_mut().zip(ways).for_each(|(slope, way)| *slope += result * way);
        if self.waiting.is_empty() {
            self.step(&desk.space);
            if self.iteration.is_multiple_of(ITERATIONS_TOLD) {
                let best = self.best(&desk.space);
                desk.note_point(best, &self.point);
            }
            self.ask(desk);
        }
    }

    /// The mean of the points, the later ones counting more: the last point alone has moved by the luck of the
    /// last duels.
    fn best(&self, space: &Space) -> Weights {
        space.weights(&self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Kind, Parameter};

    fn space(step: Option<f64>) -> Space {
        let parameter = |name: &str, kind, step| Parameter {
            name: name.into(),
            kind,
            min: 0.0,
            max: 100.0,
            start: 50.0,
            step,
        };
        let whole = parameter("whole", Kind::Whole, step);
        Space::new(vec![parameter("real", Kind::Real, step), whole]).unwrap()
    }

    /// How far the two sides of the first duel are apart, and how far the point has moved once plus won it.
    fn check(settings: Spsa, step: Option<f64>, apart: [f64; 2], moved: f64) {
        let mut desk = Desk::new(space(step), 1, u32::MAX);
        let mut run = SpsaRun::new(settings, &desk.space, None);
        run.begin(&mut desk);
        let Asked::Duel { plus, minus } = &desk.open[&0].asked else { panic!("no duel") };
        for (gene, apart) in apart.into_iter().enumerate() {
            let found = (plus.values()[gene] - minus.values()[gene]).abs();
            assert!((found - apart).abs() < 1e-9, "{gene}: {found}");
        }
        let up = (plus.values()[0] - minus.values()[0]).signum();
        run.take(0, &Answer::Duel { result: 1.0, games: 2 }, &mut desk);
        let found = run.point[0] * 100.0 - 50.0;
        assert!((found - up * moved).abs() < 1e-9, "{found}");
    }

    #[test]
    fn gains_are_in_perturbations() {
        let spsa = Spsa::default();
        check(Spsa { a: 2.0, c: 0.1, ..spsa }, None, [20.0, 20.0], 10.0);
        check(Spsa { a: 1.0, c: 0.1, ..spsa }, None, [20.0, 20.0], 5.0);
        check(Spsa { a: 2.0, c: 0.1, ..spsa }, Some(3.0), [6.0, 6.0], 3.0);
        check(Spsa { a: 2.0, c: 0.001, ..spsa }, None, [0.2, 1.0], 0.1);
        // Nothing leaves the range.
        check(Spsa { a: 1000.0, c: 1.0, ..spsa }, None, [100.0, 100.0], 50.0);
    }

    #[test]
    fn the_gain_falls_off_as_spall_has_it() {
        let mut desk = Desk::new(space(None), 1, u32::MAX);
        let settings = Spsa { stability: Some(4.0), c: 1e-6, a: 1.0, ..Spsa::default() };
        let mut run = SpsaRun::new(settings, &desk.space, None);
        run.begin(&mut desk);
        for k in 0..50 {
            let before = run.point[0];
            run.take(k, &Answer::Duel { result: -1.0, games: 2 }, &mut desk);
            let k = f64::from(k);
            // a_k / (2 c_k) of the article, with a = (A + 1)^α c².
            let a_k = 5_f64.powf(0.602) * 1e-12 / (4.0 + k + 1.0).powf(0.602);
            let expected = a_k / (2.0 * 1e-6 / (k + 1.0).powf(0.101));
            let found = (run.point[0] - before).abs();
            assert!((found / expected - 1.0).abs() < 1e-6, "{k}: {found} {expected}");
        }
        let stability = |questions| Spsa { duels: 2, ..Spsa::default() }.stability(questions);
        assert_eq!([stability(Some(400)), stability(None)], [20.0, STABILITY]);
    }

    #[test]
    fn duels_of_an_iteration_are_averaged() {
        let mut desk = Desk::new(space(None), 1, u32::MAX);
        let mut run = SpsaRun::new(Spsa { duels: 4, ..Spsa::default() }, &desk.space, None);
        run.begin(&mut desk);
        let ways: Vec<f64> = run.waiting.values().map(|ways| ways[0]).collect();
        assert_eq!(ways.len(), 4);
        let results = [1.0, -0.5, 0.25, 0.0];
        for (number, result) in (0..).zip(results) {
            assert_eq!(run.iteration, 0);
            run.take(number, &Answer::Duel { result, games: 2 }, &mut desk);
        }
        let sum: f64 = ways.iter().zip(results).map(|(way, result)| way * result).sum();
        assert!((run.point[0] - (0.5 + sum / 4.0 / 2.0 * 0.1)).abs() < 1e-12);
    }
}
