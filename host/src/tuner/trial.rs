//! One unit of a measurement: two games of one opening with the seats exchanged, or a few positions of games that were
//! played. What comes of it depends on nothing but what is asked and its number.

use sandboard_evolution::{Asked, Space, Weights};
use sandboard_games::Side;
use sandboard_tournament::schedule::Pair;

use super::lessons::Lesson;
use super::setup::BLOCK;
use crate::arena::{Conditions, Job, Rival};
use crate::ask::{Asker, checked};
use crate::bout::{BoutError, EnginePlayer, Nobody};
use crate::budget::Budget;
use crate::exact::ExactError;
use crate::referee::Termination;

/// How often a game is tried that ends without a result.
const ATTEMPTS: u32 = 3;

/// What came of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// What it brought the weights that are asked about, 0 to 4.
    pub half_points: u8,
    /// Moves of both games, or positions.
    pub plies: u32,
    /// Why a game ended, where an engine did something wrong.
    pub fault: Option<String>,
}

/// A unit that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// A game cannot begin.
    #[error("a game cannot be played: {0}")]
    Bout(#[from] BoutError),
    /// Where a game begins has no exact value.
    #[error("a game cannot be played: {0}")]
    Exact(#[from] ExactError),
    /// A game ended without a result again and again.
    #[error("a game has no result after {ATTEMPTS} attempts: {0}")]
    NoResult(String),
    /// A position cannot be set up.
    #[error("a position cannot be asked about: {0}")]
    Setup(#[from] sandboard_games::SetupError),
    /// Moves of others say nothing of one set of weights against another.
    #[error(
        "games that were played cannot tell how weights play against each other; take another method than SPSA"
    )]
    Duel,
}

/// Makes units, on any thread.
pub trait Trial: Sync {
    /// The unit of this number for what is asked, of which `rivals` are opponents, too.
    fn make(&self, asked: &Asked, number: u32, rivals: &[Weights]) -> Result<Made, TrialError>;
}

/// Weights as options of an engine, beside those that are not tuned.
pub fn with_weights(engine: &EnginePlayer, space: &Space, weights: &Weights) -> EnginePlayer {
    let tuned = |name: &str| space.parameters().iter().any(|parameter| parameter.name == name);
    let mut options = engine.options.clone();
    options.retain(|(name, _)| !tuned(name));
    options.extend(space.options(weights).map(|(name, value)| (name.to_owned(), value)));
    // In the same order whether they were typed or come from a journal.
    options.sort();
    EnginePlayer { options, ..engine.clone() }
}

/// Games.
pub struct Games {
    /// What they have in common.
    pub conditions: Conditions,
    /// What is tuned.
    pub space: Space,
    /// The engine, with those of its options that are not tuned.
    pub engine: Rival,
    /// Whom it plays beside the rivals of the season: each unit the next.
    pub opponents: Vec<Rival>,
}

impl Games {
    fn rival(&self, weights: &Weights) -> Rival {
        Rival {
            engine: with_weights(&self.engine.engine, &self.space, weights),
            ..self.engine.clone()
        }
    }

    /// What a game brought its first player in half points, its moves, and what went wrong.
    fn play(&self, job: &Job, rivals: &[Rival]) -> Result<(u8, u32, Option<String>), TrialError> {
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            let report = crate::bout::run(self.conditions.bout(job, rivals)?, None, &mut Nobody)?;
            let result = report.result.as_ref();
            let half_points = result.and_then(|it| it.half_points(Side(job.side_of(0))));
            reason = result.map_or_else(String::new, |it| it.sentence.clone());
            let Some(half_points) = half_points else { continue };
            let is_fault = result.is_some_and(|it| {
                matches!(
                    it.termination,
                    Termination::Timeout | Termination::IllegalMove | Termination::Fault { .. }
                )
            });
            let plies = u32::try_from(report.record.plies.len()).unwrap_or(u32::MAX);
            return Ok((half_points, plies, is_fault.then_some(reason)));
        }
        Err(TrialError::NoResult(reason))
    }
}

impl Trial for Games {
    fn make(&self, asked: &Asked, number: u32, rivals: &[Weights]) -> Result<Made, TrialError> {
        let rivals = match asked {
            Asked::Fitness { weights, .. } => {
                let named = self.opponents.len();
                let next = number as usize % (named + rivals.len()).max(1);
                let found = || rivals.get(next - named).map(|weights| self.rival(weights));
                let opponent = self.opponents.get(next).cloned().or_else(found);
                [self.rival(weights)].into_iter().chain(opponent).collect()
            }
            Asked::Duel { plus, minus } => vec![self.rival(plus), self.rival(minus)],
        };
        let pair = Pair { number, round: 0, players: [0, 1], opening: number };
        let mut made = Made { half_points: 0, plies: 0, fault: None };
        for job in self.conditions.plan.jobs(pair) {
            let (half_points, plies, fault) = self.play(&job, &rivals)?;
            made.half_points += half_points;
            made.plies = made.plies.saturating_add(plies);
            made.fault = made.fault.or(fault);
        }
        Ok(made)
    }
}

/// Positions of games that were played.
pub struct Agreement {
    /// What is tuned.
    pub space: Space,
    /// The engine, with those of its options that are not tuned.
    pub engine: EnginePlayer,
    /// What it may spend on each.
    pub budget: Budget,
    /// What its chance comes from.
    pub seed: u64,
    /// The positions, at least one; units take them in turn.
    pub lessons: Vec<Lesson>,
}

impl Trial for Agreement {
    fn make(&self, asked: &Asked, number: u32, _rivals: &[Weights]) -> Result<Made, TrialError> {
        let Asked::Fitness { weights, .. } = asked else { return Err(TrialError::Duel) };
        let player = with_weights(&self.engine, &self.space, weights);
        let asker = Asker { player, budget: self.budget, seed: self.seed };
        let mut made = Made { half_points: 0, plies: 0, fault: None };
        let first = u64::from(number) * u64::from(BLOCK);
        for index in first..first + u64::from(BLOCK) {
            let lesson = &self.lessons[(index % self.lessons.len().max(1) as u64) as usize];
            let game = lesson.start.set_up()?;
            let answer = asker.ask(&*game, &[]).answer;
            let chosen = answer.and_then(|answer| checked(&*game, &answer.choice, &[]));
            made.plies += 1;
            match chosen {
                Ok(mv) => made.half_points += u8::from(mv.as_deref() == Some(&*lesson.mv)),
                Err(fault) => made.fault = Some(fault.sentence),
            }
        }
        Ok(made)
    }
}
