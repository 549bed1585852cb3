//! What an optimiser works with, whatever its method: the space, the draws, the questions that are open, the
//! history. And what a method has to be.

use std::collections::BTreeMap;

use super::answer::{Answer, Asked, Question};
use super::draw::Draws;
use super::history::{Event, Generation, Origin, Shares};
use super::space::{Space, distance};
use super::weights::Weights;

/// A method while it runs. It is told answers in the order of the questions and asks as it likes.
pub(crate) trait Optimizer: Send {
    /// Asks the first questions.
    fn begin(&mut self, desk: &mut Desk);

    /// Takes the answer to the first question that it has had none to, and asks what follows from it: there
    /// is always a question open until it is over.
    fn take(&mut self, number: u32, answer: &Answer, desk: &mut Desk);

    /// The weights that it would ship now.
    fn best(&self, space: &Space) -> Weights;

    /// Why it has nothing more to ask, if so.
    fn over(&self) -> Option<&'static str> {
        None
    }
}

/// What an optimiser works with.
pub(crate) struct Desk {
    pub(crate) space: Space,
    pub(crate) draws: Draws,
    /// Questions that no answer has counted for.
    pub(crate) open: BTreeMap<u32, Question>,
    /// How many were asked.
    pub(crate) asked: u32,
    /// How many may be.
    pub(crate) limit: u32,
    /// How many answers have counted.
    pub(crate) counted: u32,
    /// The games of these.
    pub(crate) games: u64,
    pub(crate) history: Vec<Event>,
    generations: u32,
}

impl Desk {
    pub(crate) fn new(space: Space, seed: u64, limit: u32) -> Self {
        Self {
            space,
            draws: Draws::new(seed),
            open: BTreeMap::new(),
            asked: 0,
            limit,
            counted: 0,
            games: 0,
            history: Vec::new(),
            generations: 0,
        }
    }

    /// Asks. Beyond the budget a question has a number, and nobody hears of it.
    pub(crate) fn ask(&mut self, asked: Asked, why: Origin) -> u32 {
        let number = self.asked;
        self.asked = self.asked.saturating_add(1);
        if number < self.limit {
            let question = Question { number, asked };
            self.history.push(Event::Asked { question: question.clone(), why });
            self.open.insert(number, question);
        }
        number
    }

    pub(crate) fn ask_fitness(&mut self, weights: Weights, bar: Option<f64>, why: Origin) -> u32 {
        self.ask(Asked::Fitness { weights, bar }, why)
    }

    /// Notes a whole generation: its members as questions, points and shares.
    pub(crate) fn note_population(
        &mut self,
        best: Weights,
        members: impl Iterator<Item = (u32, Vec<f64>, f64)>,
    ) {
        let mut questions = Vec::new();
        let mut points = Vec::new();
        let mut shares = Vec::new();
        for (question, point, share) in members {
            questions.push(question);
            points.push(point);
            shares.push(share);
        }
        let mean = self.space.values(&centre(&points));
        let shares = Shares::of(&shares);
        let generation = self.generation(best, mean);
        self.history.push(Event::Generation(Generation {
            shares,
            diversity: diversity(&points),
            members: questions,
            ..generation
        }));
    }

    /// Notes where a point that is moved has come to.
    pub(crate) fn note_point(&mut self, best: Weights, point: &[f64]) {
        let mean = self.space.values(point);
        let generation = self.generation(best, mean);
        self.history.push(Event::Generation(generation));
    }

    fn generation(&mut self, best: Weights, mean: Vec<f64>) -> Generation {
        let number = self.generations;
        self.generations += 1;
        let (questions, games) = (self.counted, self.games);
        let members = Vec::new();
        Generation { number, questions, games, best, mean, shares: None, diversity: None, members }
    }
}

/// The mean of points.
pub(crate) fn centre(points: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; points.first().map_or(0, Vec::len)];
    for point in points {
        mean.iter_mut().zip(point).for_each(|(mean, x)| *mean += x / points.len() as f64);
    }
    mean
}

/// The mean distance between two points.
fn diversity(points: &[Vec<f64>]) -> Option<f64> {
    let mut sum = 0.0;
    let mut count = 0.0;
    for (place, a) in points.iter().enumerate() {
        for b in &points[..place] {
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
        assert_eq!(centre(&points), mean);
    }

    #[test]
    fn diversity_is_the_mean_distance_of_two() {
        check(&[], &[], None);
        check(&[&[0.5, 1.0]], &[0.5, 1.0], None);
        check(&[&[0.0, 0.0], &[1.0, 1.0]], &[0.5, 0.5], Some(1.0));
        check(&[&[0.0], &[0.0], &[0.75]], &[0.25], Some(0.5));
    }
}
