//! The interface between the tuner and a method: the [`Optimizer`] trait and the
//! [`OptimizerContext`], which holds the space, the random numbers, the open requests and the
//! history.

use std::collections::BTreeMap;

use super::history::{Generation, Origin, Shares, TunerEvent};
use super::measurement::{MeasurementRequest, MeasurementResult, Subject};
use super::rng::Rng;
use super::space::{Space, distance};
use super::weights::Weights;

/// A running method. It receives results in the order of its requests.
pub(crate) trait Optimizer: Send {
    /// Makes the first requests.
    fn start(&mut self, context: &mut OptimizerContext);

    /// Records the result of the oldest open request and makes the requests that follow from it. At
    /// least one request stays open until the method has converged.
    fn record(&mut self, number: u32, result: &MeasurementResult, context: &mut OptimizerContext);

    /// The weights that the method would return now.
    fn best(&self, space: &Space) -> Weights;

    /// Why the method stopped making requests, if it did.
    fn convergence(&self) -> Option<&'static str> {
        None
    }
}

/// The state that all methods share.
pub(crate) struct OptimizerContext {
    pub(crate) space: Space,
    pub(crate) rng: Rng,
    /// Requests without a recorded result.
    pub(crate) open: BTreeMap<u32, MeasurementRequest>,
    /// The number of requests made, including those beyond the budget.
    pub(crate) requested: u32,
    /// The budget: the largest number of measurements.
    pub(crate) measurements_max: u32,
    /// The number of results recorded.
    pub(crate) recorded: u32,
    /// The games of these results.
    pub(crate) games: u64,
    pub(crate) history: Vec<TunerEvent>,
    generations: u32,
}

impl OptimizerContext {
    pub(crate) fn new(space: Space, seed: u64, measurements_max: u32) -> Self {
        Self {
            space,
            rng: Rng::new(seed),
            open: BTreeMap::new(),
            requested: 0,
            measurements_max,
            recorded: 0,
            games: 0,
            history: Vec::new(),
            generations: 0,
        }
    }

    /// Makes a request and returns its number. Requests beyond the budget get a number but are
    /// never issued.
    pub(crate) fn request(&mut self, subject: Subject, origin: Origin) -> u32 {
        let number = self.requested;
        self.requested = self.requested.saturating_add(1);
        if number < self.measurements_max {
            let request = MeasurementRequest { number, subject };
            self.history.push(TunerEvent::Requested { request: request.clone(), origin });
            self.open.insert(number, request);
        }
        number
    }

    pub(crate) fn request_fitness(
        &mut self,
        weights: Weights,
        threshold: Option<f64>,
        origin: Origin,
    ) -> u32 {
        self.request(Subject::Fitness { weights, threshold }, origin)
    }

    /// Adds a completed generation to the history: its members as request numbers, points and
    /// shares.
    pub(crate) fn record_population(
        &mut self,
        best: Weights,
        members: impl Iterator<Item = (u32, Vec<f64>, f64)>,
    ) {
        let mut requests = Vec::new();
        let mut points = Vec::new();
        let mut shares = Vec::new();
        for (request, point, share) in members {
            requests.push(request);
            points.push(point);
            shares.push(share);
        }
        let mean = self.space.values(&centroid(&points));
        let shares = Shares::of(&shares);
        let generation = self.generation(best, mean);
        self.history.push(TunerEvent::Generation(Generation {
            shares,
            diversity: diversity(&points),
            members: requests,
            ..generation
        }));
    }

    /// Adds the current point of a method without a population to the history.
    pub(crate) fn record_point(&mut self, best: Weights, point: &[f64]) {
        let mean = self.space.values(point);
        let generation = self.generation(best, mean);
        self.history.push(TunerEvent::Generation(generation));
    }

    fn generation(&mut self, best: Weights, mean: Vec<f64>) -> Generation {
        let number = self.generations;
        self.generations += 1;
        let (measurements, games) = (self.recorded, self.games);
        let members = Vec::new();
        Generation {
            number,
            measurements,
            games,
            best,
            mean,
            shares: None,
            diversity: None,
            members,
        }
    }
}

/// The centroid of points.
pub(crate) fn centroid(points: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; points.first().map_or(0, Vec::len)];
    for point in points {
        mean.iter_mut().zip(point).for_each(|(mean, x)| *mean += x / points.len() as f64);
    }
    mean
}

/// The mean distance between two points; `None` with fewer than two.
fn diversity(points: &[Vec<f64>]) -> Option<f64> {
    let mut sum = 0.0;
    let mut count = 0.0;
    for (index, a) in points.iter().enumerate() {
        for b in &points[..index] {
            sum += distance(a, b);
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: &[&[f64]], mean: &[f64], expected: Option<f64>) {
        let points: Vec<Vec<f64>> = points.iter().map(|point| point.to_vec()).collect();
        assert_eq!(diversity(&points), expected);
        assert_eq!(centroid(&points), mean);
    }

    #[test]
    fn diversity_is_the_mean_pairwise_distance() {
        check(&[], &[], None);
        check(&[&[0.5, 1.0]], &[0.5, 1.0], None);
        check(&[&[0.0, 0.0], &[1.0, 1.0]], &[0.5, 0.5], Some(1.0));
        check(&[&[0.0], &[0.0], &[0.75]], &[0.25], Some(0.5));
    }
}
