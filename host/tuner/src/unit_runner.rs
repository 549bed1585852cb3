//! Measures one unit: two games from one opening with seats exchanged, or a few positions of
//! recorded games. The result depends only on the measured weights and the unit's number.

use sandboard_evolution::{Space, Subject, Weights};
use sandboard_games::Side;
use sandboard_tournament::schedule::Pair;

use super::setup::POSITIONS_PER_UNIT;
use super::training_positions::TrainingPosition;
use sandboard_arena_plan::{ArenaPlayer, Conditions, Job};
use sandboard_bout::driver::{BoutError, EnginePlayer, NullObserver};
use sandboard_bout::query::{PositionQuery, checked_move};
use sandboard_bout::referee::Termination;
use sandboard_bout::solver::SolverError;
use sandboard_engine::Budget;

/// How often a game without a result is played again.
const ATTEMPTS: u32 = 3;

/// The result of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitResult {
    /// Half points of the measured weights, 0 to 4.
    pub half_points: u8,
    /// Plies of both games, or the number of positions.
    pub plies: u32,
    /// The sentence of the fault that ended a game.
    pub fault: Option<String>,
}

/// Why a unit cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// A game cannot start.
    #[error("a game cannot be played: {0}")]
    Bout(#[from] BoutError),
    /// The exact value of the start position cannot be computed.
    #[error("a game cannot be played: {0}")]
    Exact(#[from] SolverError),
    /// A game ended without a result in all attempts.
    #[error("a game has no result after {ATTEMPTS} attempts: {0}")]
    NoResult(String),
    /// A position cannot be set up.
    #[error("a position cannot be set up: {0}")]
    Setup(#[from] sandboard_games::SetupError),
    /// Recorded games cannot compare two sets of weights directly.
    #[error(
        "recorded games cannot compare two sets of weights directly; use a method other than SPSA"
    )]
    Duel,
}

/// Measures units, on any thread.
pub trait UnitRunner: Sync {
    /// Measures the unit with this number. `rivals` are opponents in addition to the runner's own.
    fn run(
        &self,
        subject: &Subject,
        number: u32,
        rivals: &[Weights],
    ) -> Result<UnitResult, UnitError>;
}

/// The engine with these weights as options, and its other options unchanged.
pub fn with_weights(engine: &EnginePlayer, space: &Space, weights: &Weights) -> EnginePlayer {
    let tuned = |name: &str| space.parameters().iter().any(|parameter| parameter.name == name);
    let mut options = engine.options.clone();
    options.retain(|(name, _)| !tuned(name));
    options.extend(space.options(weights).map(|(name, value)| (name.to_owned(), value)));
    // Sorted, since options from the command line and from a journal are in different orders.
    options.sort();
    EnginePlayer { options, ..engine.clone() }
}

pub struct GameRunner {
    /// What all games have in common.
    pub conditions: Conditions,
    /// The tuned options with their ranges.
    pub space: Space,
    /// The engine, with the options that are not tuned.
    pub engine: ArenaPlayer,
    /// Its opponents in addition to the rivals of the season; units take them in turn.
    pub opponents: Vec<ArenaPlayer>,
}

impl GameRunner {
    fn rival(&self, weights: &Weights) -> ArenaPlayer {
        ArenaPlayer {
            engine: with_weights(&self.engine.engine, &self.space, weights),
            ..self.engine.clone()
        }
    }

    /// The half points of a game's first player, its plies, and the sentence of a fault.
    fn play(
        &self,
        job: &Job,
        rivals: &[ArenaPlayer],
    ) -> Result<(u8, u32, Option<String>), UnitError> {
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            let report = sandboard_bout::driver::run(
                self.conditions.bout(job, rivals)?,
                None,
                &mut NullObserver,
            )?;
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
        Err(UnitError::NoResult(reason))
    }
}

impl UnitRunner for GameRunner {
    fn run(
        &self,
        subject: &Subject,
        number: u32,
        rivals: &[Weights],
    ) -> Result<UnitResult, UnitError> {
        let rivals = match subject {
            Subject::Fitness { weights, .. } => {
                let named = self.opponents.len();
                let next = number as usize % (named + rivals.len()).max(1);
                let found = || rivals.get(next - named).map(|weights| self.rival(weights));
                let opponent = self.opponents.get(next).cloned().or_else(found);
                [self.rival(weights)].into_iter().chain(opponent).collect()
            }
            Subject::Duel { plus, minus } => vec![self.rival(plus), self.rival(minus)],
        };
        let pair = Pair { number, round: 0, players: [0, 1].into(), opening: number };
        let mut total = UnitResult { half_points: 0, plies: 0, fault: None };
        for job in self.conditions.plan.jobs(pair) {
            let (half_points, plies, fault) = self.play(&job, &rivals)?;
            total.half_points += half_points;
            total.plies = total.plies.saturating_add(plies);
            total.fault = total.fault.or(fault);
        }
        Ok(total)
    }
}

/// Measures weights by agreement with recorded games.
pub struct AgreementRunner {
    /// The tuned options with their ranges.
    pub space: Space,
    /// The engine, with the options that are not tuned.
    pub engine: EnginePlayer,
    /// The budget for each position.
    pub budget: Budget,
    /// The engine's seed.
    pub seed: u64,
    /// The positions, at least one; units take them in turn.
    pub positions: Vec<TrainingPosition>,
}

impl UnitRunner for AgreementRunner {
    fn run(
        &self,
        subject: &Subject,
        number: u32,
        _rivals: &[Weights],
    ) -> Result<UnitResult, UnitError> {
        let Subject::Fitness { weights, .. } = subject else { return Err(UnitError::Duel) };
        let player = with_weights(&self.engine, &self.space, weights);
        let query = PositionQuery { engine: player, budget: self.budget, seed: self.seed };
        let mut total = UnitResult { half_points: 0, plies: 0, fault: None };
        let first = u64::from(number) * u64::from(POSITIONS_PER_UNIT);
        for index in first..first + u64::from(POSITIONS_PER_UNIT) {
            let training = &self.positions[(index % self.positions.len().max(1) as u64) as usize];
            let game = training.start.set_up()?;
            let answer = query.run(&*game, &[]).answer;
            let chosen = answer.and_then(|answer| checked_move(&*game, &answer.choice, &[]));
            total.plies += 1;
            match chosen {
                Ok(mv) => total.half_points += u8::from(mv.as_deref() == Some(&*training.mv)),
                Err(fault) => total.fault = Some(fault.sentence),
            }
        }
        Ok(total)
    }
}
