//! CMA-ES: samples candidates from a normal distribution, moves its mean towards the better half of
//! them and adapts its covariance to successful steps (N. Hansen, A. Ostermeier, *Completely
//! Derandomized Self-Adaptation in Evolution Strategies*, Evol. Comp. 9, 2001), with active updates
//! from the worse half (G. Jastrebski, D. Arnold, *Improving Evolution Strategies through Active
//! Covariance Matrix Adaptation*, CEC 2006). The algorithm is that of the crate `fcmaes-core`.
//!
//! The crate multiplies matrices in the order that is fastest on the processor. A run is therefore
//! reproducible bit for bit only on processors of one kind. A journal written on another kind may
//! be refused at the first request that differs.

use std::collections::BTreeMap;

use fcmaes_core::{Cmaes, CmaesParams};
use serde::{Deserialize, Serialize};

use super::error::{SettingsError, check_range};
use super::history::Origin;
use super::measurement::MeasurementResult;
use super::optimizer::{Optimizer, OptimizerContext};
use super::space::{Space, clamp_unit};
use super::weights::Weights;

/// The size of the noise that breaks ties; smaller than any difference between two shares of games.
const TIE_NOISE: f64 = 1e-12;

/// The number of generations in a row with equal shares after which the method stops.
const PLATEAU_GENERATIONS: u32 = 10;

const NO_DIFFERENCE: &str = "all candidates are equally good";

/// Settings of CMA-ES.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CmaEs {
    /// The initial standard deviation around the start as a part of the range, above 0 to 1;
    /// default 0.2. The best weights should lie within two or three of it. A parameter with its own
    /// step uses that instead.
    pub sigma: f64,
    /// The population size, 4 to 1000; default 3 · (4 + ⌊3 ln n⌋) for n parameters. That is three
    /// times Hansen's default, which is for functions without noise: many candidates with few games
    /// each cope best with noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<u32>,
}

impl Default for CmaEs {
    fn default() -> Self {
        Self { sigma: 0.2, population: None }
    }
}

impl CmaEs {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        check_range("sigma", self.sigma, [1e-6, 1.0])?;
        check_range("population", self.population.unwrap_or(4).into(), [4.0, 1000.0])
    }

    pub(crate) fn population(&self, dimension: usize) -> u32 {
        let hansen_default = 4 + (3.0 * libm::log(dimension as f64)) as u32;
        self.population.unwrap_or(3 * hansen_default)
    }
}

pub(crate) struct CmaEsRun {
    inner: Cmaes,
    /// The sampled candidates, not rounded, and possibly outside the borders.
    candidates: Vec<Vec<f64>>,
    /// The index of each candidate without a result, by request number.
    pending: BTreeMap<u32, usize>,
    requests: Vec<u32>,
    shares: Vec<f64>,
    mean: Vec<f64>,
    /// The number of generations in a row in which all shares were equal.
    plateau_generations: u32,
    convergence: Option<&'static str>,
}

impl CmaEsRun {
    pub(crate) fn new(settings: CmaEs, space: &Space, seed: u64) -> Self {
        let dimension = space.dimension();
        let mean = space.point(&space.start());
        let sigmas: Vec<f64> =
            (0..dimension).map(|gene| space.scale(gene, settings.sigma)).collect();
        // No borders, but a penalty beyond them. The crate would move candidates to the borders
        // without telling its step-size adaptation, and its steps would grow.
        let unbounded = fcmaes_core::Fitness::new(dimension, 1, Vec::new(), Vec::new());
        let params = CmaesParams {
            popsize: settings.population(dimension) as i32,
            // The crate damps its steps less if it expects few evaluations; the steps then grow.
            max_evaluations: u64::MAX,
            seed,
            // With few games the best share of all recurs often, which must not stop the run.
            stop_tol_hist_fun: 0.0,
            ..CmaesParams::default()
        };
        Self {
            inner: Cmaes::new(unbounded, &mean, &sigmas, &params),
            candidates: Vec::new(),
            pending: BTreeMap::new(),
            requests: Vec::new(),
            shares: Vec::new(),
            mean,
            plateau_generations: 0,
            convergence: None,
        }
    }

    fn request_generation(&mut self, context: &mut OptimizerContext) {
        self.candidates = self.inner.ask();
        self.shares = vec![0.0; self.candidates.len()];
        self.requests.clear();
        for (index, point) in self.candidates.iter().enumerate() {
            let number =
                context.request_fitness(context.space.weights(point), None, Origin::Sample);
            self.requests.push(number);
            self.pending.insert(number, index);
        }
    }

    /// The costs to minimise: the lost share, the penalty and a tie-breaking noise. Few games give
    /// few distinct shares. Without the noise the crate takes it for a plateau when every fourth
    /// candidate equals the best ever, and lets its steps grow: with two pairs of games, the median
    /// on the sphere benchmark was twice as far from the optimum.
    fn costs(&self, context: &mut OptimizerContext) -> Vec<f64> {
        let both = self.shares.iter().zip(&self.candidates);
        both.map(|(share, point)| {
            1.0 - share + boundary_penalty(point) + TIE_NOISE * context.rng.uniform()
        })
        .collect()
    }

    fn finish_generation(&mut self, context: &mut OptimizerContext) {
        let costs = self.costs(context);
        let is_plateau = self.shares.iter().all(|share| *share == self.shares[0]);
        self.plateau_generations = if is_plateau { self.plateau_generations + 1 } else { 0 };
        self.convergence = if self.plateau_generations >= PLATEAU_GENERATIONS {
            Some(NO_DIFFERENCE)
        } else {
            stop_reason(self.inner.tell(&costs))
        };
        self.mean = mean_of_the_better_half(&self.candidates, &costs);
        let best = self.best(&context.space);
        let candidates = std::mem::take(&mut self.candidates);
        let rows = self.requests.iter().zip(candidates).zip(&self.shares);
        let rows = rows.map(|((request, point), share)| {
            (*request, point.iter().map(|x| clamp_unit(*x)).collect(), *share)
        });
        context.record_population(best, rows);
        if self.convergence.is_none() {
            self.request_generation(context);
        }
    }
}

/// The boundary penalty: the squared distance beyond the borders, summed over the parameters. One
/// range beyond a border costs as much as losing every game.
fn boundary_penalty(point: &[f64]) -> f64 {
    let excess = point.iter().map(|x| x - clamp_unit(*x));
    excess.map(|excess| excess * excess).sum()
}

/// The mean of the distribution, which `fcmaes-core` does not expose: that of the better half of
/// the candidates, weighted by ln(μ + ½) − ln(rank) as in the default parameters of Hansen's *The
/// CMA Evolution Strategy: A Tutorial*.
fn mean_of_the_better_half(points: &[Vec<f64>], costs: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    // Among equals the first, as in the crate.
    order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
    order.truncate(points.len() / 2);
    let weight = |rank: usize| libm::log(order.len() as f64 + 0.5) - libm::log(rank as f64);
    let total: f64 = (1..=order.len()).map(weight).sum();
    let mut mean = vec![0.0; points.first().map_or(0, Vec::len)];
    for (rank, index) in (1..).zip(&order) {
        let part = weight(rank) / total;
        mean.iter_mut().zip(&points[*index]).for_each(|(mean, x)| *mean += part * x);
    }
    mean
}

/// The text of a stop code of the crate; `None` if it continues.
fn stop_reason(stop: i32) -> Option<&'static str> {
    match stop {
        0 => None,
        2 => Some("the steps are too small to matter"),
        3 => Some(NO_DIFFERENCE),
        4 | 5 => Some("the best candidates have been equally good for many generations"),
        6 => Some("the covariance matrix is ill-conditioned"),
        _ => Some("the method stopped"),
    }
}

impl Optimizer for CmaEsRun {
    fn start(&mut self, context: &mut OptimizerContext) {
        self.request_generation(context);
    }

    fn record(&mut self, number: u32, result: &MeasurementResult, context: &mut OptimizerContext) {
        let (MeasurementResult::Fitness(fitness), Some(index)) =
            (result, self.pending.remove(&number))
        else {
            return;
        };
        self.shares[index] = fitness.share;
        if self.pending.is_empty() {
            self.finish_generation(context);
        }
    }

    /// The mean of the distribution, which is based on half of a generation's games. The best
    /// candidate is mostly a lucky one.
    fn best(&self, space: &Space) -> Weights {
        space.weights(&self.mean)
    }

    fn convergence(&self) -> Option<&'static str> {
        self.convergence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::functions::Function;

    fn check_population(population: Option<u32>, dimension: usize, expected: u32) {
        let settings = CmaEs { population, ..CmaEs::default() };
        assert_eq!(settings.population(dimension), expected);
        let mut context = OptimizerContext::new(Function::Sphere.space(dimension), 1, u32::MAX);
        CmaEsRun::new(settings, &context.space, 1).start(&mut context);
        assert_eq!(context.requested, expected);
    }

    #[test]
    fn population_sizes() {
        check_population(None, 1, 12);
        check_population(None, 10, 30);
        check_population(None, 200, 57);
        check_population(Some(4), 10, 4);
        check_population(Some(1000), 2, 1000);
    }

    fn check_penalty(point: &[f64], expected: f64) {
        assert_eq!(boundary_penalty(point), expected);
    }

    #[test]
    fn points_beyond_the_borders_are_penalised() {
        check_penalty(&[0.0, 0.5, 1.0], 0.0);
        check_penalty(&[-0.5, 0.5, 1.0], 0.25);
        check_penalty(&[-1.0, 0.5, 1.5], 1.25);
    }

    #[test]
    fn ties_between_candidates_are_broken() {
        let mut context = OptimizerContext::new(Function::Sphere.space(3), 1, u32::MAX);
        let settings = CmaEs { sigma: 1e-6, population: Some(12) };
        let mut run = CmaEsRun::new(settings, &context.space, 3);
        run.start(&mut context);
        run.shares = [[0.25; 6], [0.75; 6]].concat();
        let mut costs = run.costs(&mut context);
        assert!(costs[..6].iter().all(|cost| (cost - 0.75).abs() < 1e-11), "{costs:?}");
        assert!(costs[6..].iter().all(|cost| (cost - 0.25).abs() < 1e-11), "{costs:?}");
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        assert_eq!(costs.len(), 12);
    }

    #[test]
    fn a_plateau_of_ten_generations_stops_the_run() {
        let mut context = OptimizerContext::new(Function::Sphere.space(3), 1, u32::MAX);
        let mut run =
            CmaEsRun::new(CmaEs { population: Some(4), ..CmaEs::default() }, &context.space, 3);
        run.start(&mut context);
        for number in 0..4 * 30 {
            assert_eq!(run.convergence, None, "{number}");
            // One candidate of the tenth generation differs, and one of the twentieth.
            let share = if [39, 76].contains(&number) { 0.75 } else { 0.5 };
            let fitness = crate::Fitness { share, standard_error: 0.0, games: 2 };
            run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
        }
        assert_eq!(run.convergence, Some(NO_DIFFERENCE));
    }

    #[test]
    fn candidates_are_sampled_around_the_mean() {
        let mut context = OptimizerContext::new(Function::Sphere.space(2), 1, u32::MAX);
        let settings = CmaEs { population: Some(1000), sigma: 0.05 };
        let mut run = CmaEsRun::new(settings, &context.space, 3);
        run.start(&mut context);
        for generation in 0..5 {
            let start = run.mean.clone();
            for number in 0..1000 {
                let value: f64 =
                    run.candidates[number as usize].iter().map(|x| (x - 0.6) * (x - 0.6)).sum();
                let fitness =
                    crate::Fitness { share: 1.0 / (1.0 + value), standard_error: 0.0, games: 1 };
                run.record(
                    generation * 1000 + number,
                    &MeasurementResult::Fitness(fitness),
                    &mut context,
                );
            }
            let centroid = crate::optimizer::centroid(&run.candidates);
            for ((mean, centroid), start) in run.mean.iter().zip(centroid).zip(start) {
                // A mean of 1000 samples with a deviation of less than 0.1: four standard errors.
                assert!((mean - centroid).abs() < 0.0127, "{generation}: {mean} {centroid}");
                assert!((mean - 0.6).abs() < (start - 0.6).abs() + 0.01, "{generation}");
            }
        }
        assert!(run.mean.iter().all(|x| (x - 0.6).abs() < 0.02), "{:?}", run.mean);
    }
}
