//! The genetic algorithm in its steady state: a few good sets of weights live side by side, one child is made
//! of some of them, and of all the worst goes (D. Whitley, *The GENITOR Algorithm and Selection Pressure*,
//! ICGA 1989, but for its choice of parents, which is even here: who lives is good enough).
//!
//! Fitness is the result of games, so that whoever was lucky once would stay for ever. One question in a few
//! therefore measures a survivor again, him whom the fewest measurements are of; all his games count together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Fitness};
use super::breeding::Breeding;
use super::desk::{Desk, Optimizer};
use super::error::{SettingsError, between};
use super::history::{Event, Origin};
use super::space::Space;
use super::weights::Weights;

/// How many parents a child has if nothing else is asked for.
const PARENTS: u32 = 3;

/// The steady-state genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SteadyState {
    /// How many sets of weights live, 2 to 1000; 12 by default: a few good ones.
    pub population: u32,
    /// How many children are on their way at a time, 1 to 1000; 1 by default. More of them keep more cores busy, and
    /// each is born of parents who know a little less. The run depends on this, and not on how many cores there are.
    pub children: u32,
    /// One question in so many measures a survivor again, up to 1000; 3 by default. 0: none, for a fitness without luck;
    /// 1 is refused, since nobody would be born.
    pub remeasure: u32,
    /// How children come of parents.
    pub breeding: Breeding,
}

impl Default for SteadyState {
    fn default() -> Self {
        Self { population: 12, children: 1, remeasure: 3, breeding: Breeding::default() }
    }
}

impl SteadyState {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        between("population", self.population.into(), [2.0, 1000.0])?;
        between("children", self.children.into(), [1.0, 1000.0])?;
        if self.remeasure != 0 {
            between("remeasure", self.remeasure.into(), [2.0, 1000.0])?;
        }
        self.breeding.check()
    }
}

/// Weights that live.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The question that brought them in.
    pub(crate) number: u32,
    pub(crate) weights: Weights,
    /// What all measurements say together.
    pub(crate) fitness: Fitness,
    /// How many measurements were asked for.
    pub(crate) asked: u32,
    /// How many have come.
    pub(crate) told: u32,
}

impl Member {
    pub(crate) fn new(number: u32, weights: Weights, fitness: Fitness) -> Self {
        Self { number, weights, fitness, asked: 1, told: 1 }
    }

    pub(crate) fn measured_again(&mut self, fitness: Fitness) {
        self.fitness = self.fitness.and(fitness);
        self.told += 1;
    }
}

/// The weights to ship: among those measured most often at all (twice, if anybody was) the ones
/// with the best share less its standard error. The best share alone would be the luckiest one's.
pub(crate) fn best_of(members: &[Member]) -> Option<&Member> {
    let again = members.iter().any(|member| member.told > 1);
    let sure = members.iter().filter(|member| !again || member.told > 1);
    sure.max_by(|a, b| a.fitness.cautious().total_cmp(&b.fitness.cautious()))
}

pub(crate) fn note(desk: &mut Desk, members: &[Member], best: Weights) {
    let space = desk.space.clone();
    let rows = members
        .iter()
        .map(|member| (member.number, space.point(&member.weights), member.fitness.share));
    desk.note_population(best, rows);
}

/// What an answer is about.
enum Waiting {
    Newborn(Weights),
    /// The question that brought him in.
    Again(u32),
}

pub(crate) struct SteadyStateRun {
    settings: SteadyState,
    members: Vec<Member>,
    waiting: BTreeMap<u32, Waiting>,
    /// How many questions followed those of the founders.
    followed: u32,
}

impl SteadyStateRun {
    pub(crate) fn new(settings: SteadyState) -> Self {
        Self { settings, members: Vec::new(), waiting: BTreeMap::new(), followed: 0 }
    }

    fn population(&self) -> usize {
        self.settings.population as usize
    }

    fn ask_next(&mut self, desk: &mut Desk) {
        self.followed = self.followed.wrapping_add(1);
        let again = self.settings.remeasure;
        if again > 0 && self.followed.is_multiple_of(again) {
            self.ask_again(desk);
        } else {
            self.ask_child(desk);
        }
    }

    fn ask_again(&mut self, desk: &mut Desk) {
        // Of those measured least the best, who would do the most harm.
        let least = self.members.iter().map(|member| member.asked).min();
        let those = self.members.iter_mut().filter(|member| Some(member.asked) == least);
        let member = those.max_by(|a, b| a.fitness.share.total_cmp(&b.fitness.share));
        let member = member.expect("somebody lives once the founders are measured");
        member.asked += 1;
        let of = member.number;
        let number = desk.ask_fitness(member.weights.clone(), None, Origin::Again { of });
        self.waiting.insert(number, Waiting::Again(of));
    }

    fn ask_child(&mut self, desk: &mut Desk) {
        let breeding = self.settings.breeding;
        let count = breeding.parents_of_one(PARENTS, &mut desk.draws);
        let chosen = desk.draws.different(count, self.members.len());
        let points = chosen.iter().map(|member| desk.space.point(&self.members[*member].weights));
        let points: Vec<Vec<f64>> = points.collect();
        let mut living: Vec<Weights> =
            self.members.iter().map(|member| member.weights.clone()).collect();
        living.extend(self.waiting.values().filter_map(|waiting| match waiting {
            Waiting::Newborn(weights) => Some(weights.clone()),
            Waiting::Again(_) => None,
        }));
        let child = breeding.child(&points, &living, &desk.space, &mut desk.draws);
        let parents = chosen.iter().map(|member| self.members[*member].number).collect();
        let bar = self.worst().map(|worst| self.members[worst].fitness.share);
        let number = desk.ask_fitness(child.clone(), bar, Origin::Child { parents });
        self.waiting.insert(number, Waiting::Newborn(child));
    }

    /// The place of the worst; of several the one who lived longest, so that a plateau is walked over.
    fn worst(&self) -> Option<usize> {
        let places = 0..self.members.len();
        places.min_by(|a, b| {
            let (a, b) = (&self.members[*a], &self.members[*b]);
            a.fitness.share.total_cmp(&b.fitness.share).then(a.number.cmp(&b.number))
        })
    }

    fn join(&mut self, number: u32, weights: Weights, fitness: Fitness, desk: &mut Desk) {
        // Somebody may be born twice where there is nobody else: one place is enough for him.
        match self.members.iter_mut().find(|member| member.weights == weights) {
            Some(member) if self.followed > 0 => {
                member.asked += 1;
                member.measured_again(fitness);
                return;
            }
            _ => self.members.push(Member::new(number, weights, fitness)),
        }
        if self.members.len() > self.population()
            && let Some(worst) = self.worst()
        {
            let gone = self.members.remove(worst);
            desk.history.push(Event::Gone { number: gone.number });
        }
    }
}

impl Optimizer for SteadyStateRun {
    fn begin(&mut self, desk: &mut Desk) {
        let breeding = self.settings.breeding;
        for founder in breeding.founders(self.population(), &desk.space, &mut desk.draws) {
            let number = desk.ask_fitness(founder.clone(), None, Origin::Founder);
            self.waiting.insert(number, Waiting::Newborn(founder));
        }
    }

    fn take(&mut self, number: u32, answer: &Answer, desk: &mut Desk) {
        let Answer::Fitness(fitness) = *answer else { return };
        match self.waiting.remove(&number) {
            Some(Waiting::Newborn(weights)) => self.join(number, weights, fitness, desk),
            Some(Waiting::Again(of)) => {
                if let Some(member) = self.members.iter_mut().find(|member| member.number == of) {
                    member.measured_again(fitness);
                }
            }
            None => return,
        }
        if desk.counted.is_multiple_of(self.settings.population) {
            note(desk, &self.members, self.best(&desk.space));
        }
        if desk.counted == self.settings.population {
            (0..self.settings.children).for_each(|_| self.ask_next(desk));
        } else if desk.counted > self.settings.population {
            self.ask_next(desk);
        }
    }

    fn best(&self, space: &Space) -> Weights {
        best_of(&self.members).map_or_else(|| space.start(), |member| member.weights.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Asked;
    use crate::functions::Function;

    /// A run of two who live, told these shares in turn, with ten games each: what it asked (`f` for a founder, `c` for a
    /// child of whom with the bar, `a` for whom again) and who has gone.
    fn check(settings: SteadyState, shares: &[f64], asked: &[&str], gone: &[u32], best: u32) {
        let mut desk = Desk::new(Function::Sphere.space(3), 1, u32::MAX);
        let breeding = Breeding { parents: Some(2), crossover_rate: 1.0, ..Breeding::default() };
        let mut run = SteadyStateRun::new(SteadyState { population: 2, breeding, ..settings });
        run.begin(&mut desk);
        for (number, share) in (0..).zip(shares) {
            desk.counted += 1;
            let fitness = Fitness { share: *share, error: 0.1, games: 10 };
            run.take(number, &Answer::Fitness(fitness), &mut desk);
        }
        let found: Vec<String> = desk.history.iter().filter_map(told).collect();
        assert_eq!(found, asked);
        let went = desk.history.iter().filter_map(|event| match event {
            Event::Gone { number } => Some(*number),
            _ => None,
        });
        assert_eq!(went.collect::<Vec<_>>(), gone);
        assert_eq!(best_of(&run.members).map(|member| member.number), Some(best));
    }

    fn told(event: &Event) -> Option<String> {
        let Event::Asked { question, why } = event else { return None };
        let Asked::Fitness { bar, .. } = question.asked else { return None };
        Some(match (why, bar) {
            (Origin::Founder, None) => "f".into(),
            (Origin::Again { of }, None) => format!("a {of}"),
            (Origin::Child { parents }, Some(bar)) => {
                let mut parents = parents.clone();
                parents.sort();
                format!("c {parents:?} {bar}")
            }
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_worst_goes() {
        let once = SteadyState { remeasure: 0, ..SteadyState::default() };
        check(once, &[0.5, 0.25], &["f", "f", "c [0, 1] 0.25"], &[], 0);
        let better = ["f", "f", "c [0, 1] 0.25", "c [0, 2] 0.5"];
        check(once, &[0.5, 0.25, 0.75], &better, &[1], 2);
        let worse = ["f", "f", "c [0, 1] 0.25", "c [0, 1] 0.25"];
        check(once, &[0.5, 0.25, 0.125], &worse, &[2], 0);
        // Of equal ones the older.
        let equal = ["f", "f", "c [0, 1] 0.5", "c [1, 2] 0.5"];
        check(once, &[0.5, 0.5, 0.5], &equal, &[0], 2);
    }

    #[test]
    fn as_many_children_are_on_their_way_as_asked_for() {
        let two = SteadyState { remeasure: 0, children: 2, ..SteadyState::default() };
        let asked = ["f", "f", "c [0, 1] 0.25", "c [0, 1] 0.25", "c [0, 2] 0.5"];
        check(two, &[0.5, 0.25, 0.75], &asked, &[1], 2);
    }

    #[test]
    fn who_was_lucky_once_goes_when_measured_again() {
        let again = SteadyState { remeasure: 2, ..SteadyState::default() };
        // 0 was lucky, is measured again as the best of those measured least, and has 0.5 on average.
        let asked = ["f", "f", "c [0, 1] 0.25", "a 0", "c [0, 2] 0.5", "a 2"];
        check(again, &[0.875, 0.25, 0.75, 0.125, 0.625], &asked, &[1, 0], 2);
        // Only he was measured twice, so he would be shipped.
        check(again, &[0.875, 0.25, 0.75, 0.125], &asked[..5], &[1], 0);
    }

    #[test]
    fn children_on_their_way_are_no_twins() {
        let mut desk = Desk::new(Function::Whole.space(1), 1, u32::MAX);
        let breeding = Breeding { mutation_rate: 1.0, mutation_size: 0.05, ..Breeding::default() };
        let settings = SteadyState { population: 2, children: 8, remeasure: 0, breeding };
        let mut run = SteadyStateRun::new(settings);
        run.begin(&mut desk);
        for number in 0..2 {
            desk.counted += 1;
            let fitness = Fitness { share: 0.5, error: 0.1, games: 10 };
            run.take(number, &Answer::Fitness(fitness), &mut desk);
        }
        let living = run.members.iter().map(|member| member.weights.clone());
        let unborn = run.waiting.values().filter_map(|waiting| match waiting {
            Waiting::Newborn(weights) => Some(weights.clone()),
            Waiting::Again(_) => None,
        });
        let all: Vec<Weights> = living.chain(unborn).collect();
        let different: std::collections::HashSet<&Weights> = all.iter().collect();
        assert_eq!((different.len(), all.len()), (10, 10), "{all:?}");
    }

    #[test]
    fn whoever_is_born_twice_lives_once() {
        let parameter = r#"[{ "name": "a", "kind": "whole", "min": 0, "max": 2, "start": 1 }]"#;
        let mut desk = Desk::new(serde_json::from_str(parameter).unwrap(), 1, u32::MAX);
        let settings = SteadyState { population: 3, remeasure: 0, ..SteadyState::default() };
        let mut run = SteadyStateRun::new(settings);
        run.begin(&mut desk);
        for number in 0..20 {
            desk.counted += 1;
            let fitness = Fitness { share: 0.5, error: 0.1, games: 10 };
            run.take(number, &Answer::Fitness(fitness), &mut desk);
        }
        // There are but three, who are measured in turn.
        let mut values: Vec<f64> = run.members.iter().map(|m| m.weights.values()[0]).collect();
        values.sort_by(f64::total_cmp);
        assert_eq!(values, [0.0, 1.0, 2.0]);
        assert_eq!(run.members.iter().map(|member| member.told).sum::<u32>(), 20);
        assert_eq!(run.members.iter().map(|member| member.fitness.games).sum::<u32>(), 200);
    }

    #[test]
    fn whoever_has_gone_while_he_was_measured_is_not_missed() {
        let four = SteadyState { remeasure: 2, children: 4, ..SteadyState::default() };
        let at_once = ["f", "f", "c [0, 1] 0.25", "a 0", "c [0, 1] 0.25", "a 1"];
        let then = ["c [0, 2] 0.5", "a 2", "c [0, 2] 0.5", "a 2"];
        let shares = [0.5, 0.25, 0.75, 0.5, 0.125, 0.875];
        check(four, &shares, &[&at_once[..], &then].concat(), &[1, 4], 0);
    }
}
