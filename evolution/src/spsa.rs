//! Simultaneous perturbation stochastic approximation (SPSA): perturbs all parameters at once, each
//! in a random direction, lets the two sides play each other, and moves the point towards the
//! winner (J. Spall, *Multivariate Stochastic Approximation Using a Simultaneous Perturbation
//! Gradient Approximation*, IEEE Trans. Autom. Control 37, 1992; gains as in his *Implementation of
//! the Simultaneous Perturbation Algorithm for Stochastic Optimization*, IEEE Trans. Aerosp.
//! Electron. Syst. 34, 1998).
//!
//! Lengths are measured in perturbations of each parameter, as is usual for tuners of chess
//! engines: a step of the option, or a part of its range.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::{SettingsError, check_range};
use super::history::Origin;
use super::measurement::{MeasurementResult, Subject};
use super::optimizer::{Optimizer, OptimizerContext};
use super::space::{Space, clamp_unit};
use super::weights::Weights;

/// How strongly the averaged result favours later points: point k has about the weight k³, so that
/// half of the weight is on the last sixth (polynomial-decay averaging: O. Shamir, T. Zhang,
/// *Stochastic Gradient Descent for Non-smooth Optimization*, ICML 2013).
const DECAY: f64 = 3.0;

/// The default stability in iterations if the length of the run is unknown.
const STABILITY: f64 = 50.0;

/// The number of iterations that make one generation of the history.
const GENERATION_ITERATIONS: u32 = 10;

/// Settings of SPSA. In iteration k = 0, 1, … the two sides lie c / (k + 1)^γ from the point. The
/// point moves by half the margin times a · ((A + 1) / (A + k + 1))^α · (k + 1)^γ perturbations c:
/// Spall's gains in units of the perturbations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spsa {
    /// The first gain, above 0 to 1000; default 1. If one side wins every game of the first
    /// iteration, the point moves by half of this in perturbations.
    pub a: f64,
    /// Spall's A, 0 to 10⁹ iterations: the gain only decays after about as many. The default is a
    /// tenth of all iterations, as Spall advises, or 50 if the budget does not define their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
    /// The exponent of the decay of the gain, above 0.5 to 1; default 0.602, from Spall. With a
    /// lower exponent the method need not converge.
    pub alpha: f64,
    /// The first perturbation as a part of the range, above 0 to 1; default 0.1. A parameter with
    /// its own step uses that instead. The sides of a whole parameter are at least 1 apart.
    pub c: f64,
    /// The exponent of the decay of the perturbation, 0 to 0.5; default 0.101, from Spall.
    pub gamma: f64,
    /// The number of duels per iteration, each with its own random directions, 1 to 1000; default
    /// 1. The point moves by their mean. More duels keep more cores busy.
    pub duels: u32,
}

impl Default for Spsa {
    fn default() -> Self {
        Self { a: 1.0, stability: None, alpha: 0.602, c: 0.1, gamma: 0.101, duels: 1 }
    }
}

impl Spsa {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        check_range("a", self.a, [1e-6, 1000.0])?;
        check_range("stability", self.stability.unwrap_or(0.0), [0.0, 1e9])?;
        check_range("alpha", self.alpha, [0.501, 1.0])?;
        check_range("c", self.c, [1e-6, 1.0])?;
        check_range("gamma", self.gamma, [0.0, 0.5])?;
        check_range("duels", self.duels.into(), [1.0, 1000.0])
    }

    fn stability(&self, measurements: Option<u32>) -> f64 {
        let tenth = |measurements| f64::from(measurements) / f64::from(self.duels) / 10.0;
        self.stability.unwrap_or_else(|| measurements.map_or(STABILITY, tenth))
    }
}

pub(crate) struct SpsaRun {
    settings: Spsa,
    stability: f64,
    point: Vec<f64>,
    /// The weighted mean of the points so far, in which later ones count more.
    mean: Vec<f64>,
    iteration: u32,
    /// The direction of each parameter, 1 or −1, by request number.
    pending: BTreeMap<u32, Vec<f64>>,
    /// The sum of margin times direction over the duels of this iteration.
    slope: Vec<f64>,
}

impl SpsaRun {
    pub(crate) fn new(settings: Spsa, space: &Space, measurements: Option<u32>) -> Self {
        let point = space.point(&space.start());
        Self {
            stability: settings.stability(measurements),
            settings,
            mean: point.clone(),
            slope: vec![0.0; point.len()],
            point,
            iteration: 0,
            pending: BTreeMap::new(),
        }
    }

    /// The number k + 1 of the iteration k.
    fn iteration_number(&self) -> f64 {
        f64::from(self.iteration) + 1.0
    }

    fn request_duels(&mut self, context: &mut OptimizerContext) {
        let decay = libm::pow(self.iteration_number(), -self.settings.gamma);
        for _ in 0..self.settings.duels {
            let random_sign = |_| if context.rng.next_u64() >> 63 == 0 { 1.0 } else { -1.0 };
            let directions: Vec<f64> = (0..self.point.len()).map(random_sign).collect();
            let side = |sign: f64| {
                let genes =
                    self.point.iter().zip(&directions).enumerate().map(|(gene, (x, direction))| {
                        let distance = context.space.scale(gene, self.settings.c) * decay;
                        x + sign * direction * distance.max(context.space.grid(gene) / 2.0)
                    });
                context.space.weights(&genes.collect::<Vec<_>>())
            };
            let (plus, minus) = (side(1.0), side(-1.0));
            let number = context.request(Subject::Duel { plus, minus }, Origin::Perturbation);
            self.pending.insert(number, directions);
        }
    }

    fn step(&mut self, space: &Space) {
        let Spsa { a, alpha, gamma, duels, c, .. } = self.settings;
        let decay = (self.stability + 1.0) / (self.stability + self.iteration_number());
        let gain = a * libm::pow(decay, alpha) * libm::pow(self.iteration_number(), gamma);
        for (gene, x) in self.point.iter_mut().enumerate() {
            let slope = self.slope[gene] / f64::from(duels) / 2.0;
            *x = clamp_unit(*x + gain * slope * space.scale(gene, c));
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
    fn start(&mut self, context: &mut OptimizerContext) {
        self.request_duels(context);
    }

    fn record(&mut self, number: u32, result: &MeasurementResult, context: &mut OptimizerContext) {
        let (MeasurementResult::Duel { margin, .. }, Some(directions)) =
            (result, self.pending.remove(&number))
        else {
            return;
        };
        self.slope
            .iter_mut()
            .zip(directions)
            .for_each(|(slope, direction)| *slope += margin * direction);
        if self.pending.is_empty() {
            self.step(&context.space);
            if self.iteration.is_multiple_of(GENERATION_ITERATIONS) {
                let best = self.best(&context.space);
                context.record_point(best, &self.point);
            }
            self.request_duels(context);
        }
    }

    /// The weighted mean of the points. The last point alone depends on the luck of the last duels.
    fn best(&self, space: &Space) -> Weights {
        space.weights(&self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, ParameterKind};

    fn space(step: Option<f64>) -> Space {
        let parameter = |name: &str, kind, step| Parameter {
            name: name.into(),
            kind,
            min: 0.0,
            max: 100.0,
            start: 50.0,
            step,
        };
        let whole = parameter("whole", ParameterKind::Whole, step);
        Space::new(vec![parameter("real", ParameterKind::Real, step), whole]).unwrap()
    }

    /// Checks how far the two sides of the first duel are apart, and how far the point moves when
    /// `plus` wins it.
    fn check(settings: Spsa, step: Option<f64>, apart: [f64; 2], moved: f64) {
        let mut context = OptimizerContext::new(space(step), 1, u32::MAX);
        let mut run = SpsaRun::new(settings, &context.space, None);
        run.start(&mut context);
        let Subject::Duel { plus, minus } = &context.open[&0].subject else { panic!("no duel") };
        for (gene, apart) in apart.into_iter().enumerate() {
            let found = (plus.values()[gene] - minus.values()[gene]).abs();
            assert!((found - apart).abs() < 1e-9, "{gene}: {found}");
        }
        let up = (plus.values()[0] - minus.values()[0]).signum();
        run.record(0, &MeasurementResult::Duel { margin: 1.0, games: 2 }, &mut context);
        let found = run.point[0] * 100.0 - 50.0;
        assert!((found - up * moved).abs() < 1e-9, "{found}");
    }

    #[test]
    fn gains_are_measured_in_perturbations() {
        let spsa = Spsa::default();
        check(Spsa { a: 2.0, c: 0.1, ..spsa }, None, [20.0, 20.0], 10.0);
        check(Spsa { a: 1.0, c: 0.1, ..spsa }, None, [20.0, 20.0], 5.0);
        check(Spsa { a: 2.0, c: 0.1, ..spsa }, Some(3.0), [6.0, 6.0], 3.0);
        check(Spsa { a: 2.0, c: 0.001, ..spsa }, None, [0.2, 1.0], 0.1);
        // The point stays within its range.
        check(Spsa { a: 1000.0, c: 1.0, ..spsa }, None, [100.0, 100.0], 50.0);
    }

    #[test]
    fn the_gain_decays_as_spall_defines_it() {
        let mut context = OptimizerContext::new(space(None), 1, u32::MAX);
        let settings = Spsa { stability: Some(4.0), c: 1e-6, a: 1.0, ..Spsa::default() };
        let mut run = SpsaRun::new(settings, &context.space, None);
        run.start(&mut context);
        for k in 0..50 {
            let before = run.point[0];
            run.record(k, &MeasurementResult::Duel { margin: -1.0, games: 2 }, &mut context);
            let k = f64::from(k);
            // Expected: a_k / (2 c_k) of the article, with a = (A + 1)^α c².
            let a_k = 5_f64.powf(0.602) * 1e-12 / (4.0 + k + 1.0).powf(0.602);
            let expected = a_k / (2.0 * 1e-6 / (k + 1.0).powf(0.101));
            let found = (run.point[0] - before).abs();
            assert!((found / expected - 1.0).abs() < 1e-6, "{k}: {found} {expected}");
        }
        let stability = |measurements| Spsa { duels: 2, ..Spsa::default() }.stability(measurements);
        assert_eq!([stability(Some(400)), stability(None)], [20.0, STABILITY]);
    }

    #[test]
    fn the_duels_of_an_iteration_are_averaged() {
        let mut context = OptimizerContext::new(space(None), 1, u32::MAX);
        let mut run = SpsaRun::new(Spsa { duels: 4, ..Spsa::default() }, &context.space, None);
        run.start(&mut context);
        let directions: Vec<f64> = run.pending.values().map(|directions| directions[0]).collect();
        assert_eq!(directions.len(), 4);
        let margins = [1.0, -0.5, 0.25, 0.0];
        for (number, margin) in (0..).zip(margins) {
            assert_eq!(run.iteration, 0);
            run.record(number, &MeasurementResult::Duel { margin, games: 2 }, &mut context);
        }
        let sum: f64 =
            directions.iter().zip(margins).map(|(direction, margin)| direction * margin).sum();
        assert!((run.point[0] - (0.5 + sum / 4.0 / 2.0 * 0.1)).abs() < 1e-12);
    }
}
