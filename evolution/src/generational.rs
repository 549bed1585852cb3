//! The genetic algorithm by generations: the best stay as they are (elitism), all others are replaced by children
//! of parents who won a small tournament each (B. Miller, D. Goldberg, *Genetic Algorithms, Tournament
//! Selection, and the Effects of Noise*, Complex Systems 9, 1995). Who stays is measured again with each
//! generation, and all his games count together: nobody stays for having been lucky once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::breeding::Breeding;
use super::desk::{Desk, Optimizer};
use super::error::{SettingsError, between};
use super::history::{Event, Origin};
use super::space::Space;
use super::steady::{Member, best_of, note};
use super::weights::Weights;

/// How many parents a child has if nothing else is asked for.
const PARENTS: u32 = 2;

/// The generational genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Generational {
    /// How many sets of weights live, 2 to 1000; 24 by default.
    pub population: u32,
    /// How many of them stay, 0 to one less than live; 6 by default.
    pub elite: u32,
    /// How many are drawn for each tournament, whose best becomes a parent; 1 (no selection but by
    /// the elite) to 1000, 5 by default.
    pub tournament: u32,
    /// Whether those who stay are measured again with each generation; by default they are. Not needed for a fitness
    /// without luck.
    pub remeasure: bool,
    /// How children come of parents.
    pub breeding: Breeding,
}

impl Default for Generational {
    fn default() -> Self {
        Self {
            population: 24,
            elite: 6,
            tournament: 5,
            remeasure: true,
            breeding: Breeding::default(),
        }
    }
}

impl Generational {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        between("population", self.population.into(), [2.0, 1000.0])?;
        between("elite", self.elite.into(), [0.0, f64::from(self.population) - 1.0])?;
        between("tournament", self.tournament.into(), [1.0, 1000.0])?;
        self.breeding.check()
    }
}

pub(crate) struct GenerationalRun {
    settings: Generational,
    /// Those who live, the best first once a generation is whole.
    members: Vec<Member>,
    /// Children of whom nothing is known yet.
    newborn: BTreeMap<u32, Weights>,
    /// Who is measured again: by question, the one that brought him in.
    again: BTreeMap<u32, u32>,
    best: Option<Weights>,
}

impl GenerationalRun {
    pub(crate) fn new(settings: Generational) -> Self {
        Self {
            settings,
            members: Vec::new(),
            newborn: BTreeMap::new(),
            again: BTreeMap::new(),
            best: None,
        }
    }

    fn ask_newborn(&mut self, weights: Weights, why: Origin, desk: &mut Desk) {
        let number = desk.ask_fitness(weights.clone(), None, why);
        self.newborn.insert(number, weights);
    }

    /// Everybody is measured: who goes, who stays, who is born.
    fn turn(&mut self, desk: &mut Desk) {
        self.members.sort_by(|a, b| {
            b.fitness.share.total_cmp(&a.fitness.share).then(b.number.cmp(&a.number))
        });
        self.best = best_of(&self.members).map(|member| member.weights.clone());
        note(desk, &self.members, self.best(&desk.space));
        let elite = self.settings.elite as usize;
        let children = self.breed(self.settings.population as usize - elite, desk);
        for gone in self.members.drain(elite..) {
            desk.history.push(Event::Gone { number: gone.number });
        }
        if self.settings.remeasure {
            for member in &mut self.members {
                member.asked += 1;
                let of = member.number;
                let why = Origin::Again { of };
                self.again.insert(desk.ask_fitness(member.weights.clone(), None, why), of);
            }
        }
        for (weights, parents) in children {
            self.ask_newborn(weights, Origin::Child { parents }, desk);
        }
    }

    fn breed(&self, count: usize, desk: &mut Desk) -> Vec<(Weights, Vec<u32>)> {
        let elite = &self.members[..self.settings.elite as usize];
        let mut living: Vec<Weights> = elite.iter().map(|member| member.weights.clone()).collect();
        let mut children = Vec::with_capacity(count);
        for _ in 0..count {
            let breeding = self.settings.breeding;
            let parents = breeding.parents_of_one(PARENTS, &mut desk.draws);
            let parents: Vec<&Member> = (0..parents).map(|_| self.winner(desk)).collect();
            let points = parents.iter().map(|parent| desk.space.point(&parent.weights));
            let points: Vec<Vec<f64>> = points.collect();
            let child = breeding.child(&points, &living, &desk.space, &mut desk.draws);
            living.push(child.clone());
            children.push((child, parents.iter().map(|parent| parent.number).collect()));
        }
        children
    }

    /// Who wins a tournament: the members stand in the order of their shares.
    fn winner(&self, desk: &mut Desk) -> &Member {
        let drawn = desk.draws.different(self.settings.tournament as usize, self.members.len());
        &self.members[drawn.into_iter().min().unwrap_or(0)]
    }
}

impl Optimizer for GenerationalRun {
    fn begin(&mut self, desk: &mut Desk) {
        let population = self.settings.population as usize;
        let breeding = self.settings.breeding;
        for founder in breeding.founders(population, &desk.space, &mut desk.draws) {
            self.ask_newborn(founder, Origin::Founder, desk);
        }
    }

    fn take(&mut self, number: u32, answer: &Answer, desk: &mut Desk) {
        let Answer::Fitness(fitness) = *answer else { return };
        if let Some(weights) = self.newborn.remove(&number) {
            self.members.push(Member::new(number, weights, fitness));
        } else if let Some(of) = self.again.remove(&number)
            && let Some(member) = self.members.iter_mut().find(|member| member.number == of)
        {
            member.measured_again(fitness);
        }
        if self.newborn.is_empty() && self.again.is_empty() {
            self.turn(desk);
        }
    }

    /// The best of the last whole generation, as its elite was chosen: children of one that is half measured have
    /// nobody to be compared with.
    fn best(&self, space: &Space) -> Weights {
        self.best.clone().unwrap_or_else(|| space.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Fitness;
    use crate::functions::Function;

    /// A run of four who live, told these shares in turn, with ten games each: who was asked about (none for a newborn), who
    /// has gone, and the members of each generation.
    fn check(
        settings: Generational,
        shares: &[f64],
        again: &[u32],
        gone: &[u32],
        ranks: &[&[u32]],
    ) {
        let mut desk = Desk::new(Function::Sphere.space(3), 1, u32::MAX);
        let mut run = GenerationalRun::new(Generational { population: 4, ..settings });
        run.begin(&mut desk);
        for (number, share) in (0..).zip(shares) {
            let fitness = Fitness { share: *share, error: 0.1, games: 10 };
            run.take(number, &Answer::Fitness(fitness), &mut desk);
        }
        let (mut found_again, mut found_gone, mut found_ranks) = (vec![], vec![], vec![]);
        for event in &desk.history {
            match event {
                Event::Asked { why: Origin::Again { of }, .. } => found_again.push(*of),
                Event::Asked { why: Origin::Child { parents }, .. } => {
                    let last: &Vec<u32> = found_ranks.last().unwrap();
                    assert!(parents.iter().all(|parent| last.contains(parent)), "{parents:?}");
                }
                Event::Gone { number } => found_gone.push(*number),
                Event::Generation(generation) => found_ranks.push(generation.members.clone()),
                _ => {}
            }
        }
        assert_eq!((found_again, found_gone), (again.to_vec(), gone.to_vec()));
        assert_eq!(found_ranks, ranks);
    }

    #[test]
    fn the_elite_stays_and_is_measured_again() {
        let two = Generational { elite: 2, ..Generational::default() };
        check(two, &[0.5, 0.75, 0.25], &[], &[], &[]);
        let first: &[u32] = &[1, 3, 0, 2];
        check(two, &[0.5, 0.75, 0.25, 0.625], &[1, 3], &[0, 2], &[first]);
        // 1 was lucky: (0.75 + 0.125) / 2. The children are 6 and 7.
        let shares = [0.5, 0.75, 0.25, 0.625, 0.125, 0.625, 0.5, 0.25];
        check(two, &shares, &[1, 3, 3, 6], &[0, 2, 1, 7], &[first, &[3, 6, 1, 7]]);
        let once = Generational { remeasure: false, ..two };
        let shares = [0.5, 0.75, 0.25, 0.625, 0.5, 0.25];
        check(once, &shares, &[], &[0, 2, 4, 5], &[first, &[1, 3, 4, 5]]);
        let none = Generational { elite: 0, ..Generational::default() };
        check(none, &[0.5, 0.75, 0.25, 0.625], &[], &[1, 3, 0, 2], &[first]);
    }

    /// How many parents the children have who are no copies.
    fn check_parents(breeding: &str, expected: usize) {
        let mut desk = Desk::new(Function::Sphere.space(3), 1, u32::MAX);
        let breeding = serde_json::from_str(breeding).unwrap();
        let mut run = GenerationalRun::new(Generational { breeding, ..Generational::default() });
        run.begin(&mut desk);
        for number in 0..24 {
            let fitness = Fitness { share: 0.5, error: 0.1, games: 10 };
            run.take(number, &Answer::Fitness(fitness), &mut desk);
        }
        let counts = desk.history.iter().filter_map(|event| match event {
            Event::Asked { why: Origin::Child { parents }, .. } => Some(parents.len()),
            _ => None,
        });
        assert_eq!(counts.filter(|count| *count > 1).max(), Some(expected), "{breeding:?}");
    }

    #[test]
    fn children_have_two_parents_unless_it_is_asked_for_more() {
        check_parents("{}", 2);
        check_parents(r#"{ "mutation_rate": 0.5 }"#, 2);
        check_parents(r#"{ "parents": 4 }"#, 4);
    }

    #[test]
    fn a_wide_tournament_is_won_by_the_best() {
        for (tournament, only_best) in [(4, true), (1, false)] {
            let mut desk = Desk::new(Function::Sphere.space(3), 1, u32::MAX);
            let mut run = GenerationalRun::new(Generational {
                population: 4,
                elite: 0,
                tournament,
                ..Generational::default()
            });
            run.begin(&mut desk);
            for (number, share) in [(0, 0.5), (1, 0.75), (2, 0.25), (3, 0.0)] {
                let fitness = Fitness { share, error: 0.1, games: 10 };
                run.take(number, &Answer::Fitness(fitness), &mut desk);
            }
            let parents = desk.history.iter().flat_map(|event| match event {
                Event::Asked { why: Origin::Child { parents }, .. } => parents.clone(),
                _ => Vec::new(),
            });
            assert_eq!(parents.collect::<Vec<_>>().iter().all(|parent| *parent == 1), only_best);
        }
    }
}
