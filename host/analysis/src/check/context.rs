//! The state that all steps share: the loaded engine, the boards to test, and the warnings of the
//! current step. Judges nothing itself.

use std::sync::Arc;
use std::time::Duration;

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_games::DynGame;

use super::cpu_baseline::CpuBaseline;
use super::outcome::{FaultReporter, Finding, StepFailure, StepResult, Warnings};
use super::output::{OutputCollector, OutputLog};
use super::positions::Board;
use super::test_instance::TestInstance;
use super::{CheckSettings, CheckTarget, Step};
use sandboard_bout::clock::{Clock, Grace};
use sandboard_bout::query::seats_to_move;
use sandboard_engine::{Budget, Fault};
use sandboard_engine_wasm::Metering;
use sandboard_packs::loader::LoadedEngine;
use sandboard_packs::manifest::ModuleKind;

/// The grace of steps that do not judge time, so that no engine fails on a busy machine.
pub(crate) const GENEROUS_GRACE: Grace = Grace { us: 3_000_000, fuel: 1_000_000_000 };
/// When a call without a time limit is stopped.
pub(crate) const UNLIMITED_WATCH: CpuBaseline =
    CpuBaseline { after: Duration::from_millis(2000), grace: Duration::from_millis(500) };
/// The fuel of a deterministic request: about 20 ms.
const FIXED_FUEL: u64 = 20_000_000;
/// The depth and nodes of a deterministic request if fuel is not counted.
const FIXED_DEPTH: u32 = 3;
const FIXED_NODES: u64 = 400;

/// The smallest board of each variant.
fn smallest_of(boards: &[Board]) -> Vec<Board> {
    let mut small: Vec<Board> = Vec::new();
    for board in boards {
        let same =
            |other: &Board| other.info.id == board.info.id && other.variant.id == board.variant.id;
        if !small.iter().any(same) {
            small.push(board.clone());
        }
    }
    small
}

/// The smallest, the default and the largest board of each variant.
pub(crate) fn sampled_of(boards: &[Board]) -> Vec<Board> {
    let mut sampled = Vec::new();
    for small in smallest_of(boards) {
        let same =
            |board: &&Board| board.info.id == small.info.id && board.variant.id == small.variant.id;
        let default = small.info.variants.iter().find(|known| known.id == small.variant.id);
        let default = default.map(|known| known.default_size);
        let of_variant: Vec<&Board> = boards.iter().filter(same).collect();
        let last = of_variant.len().saturating_sub(1);
        let is_sampled = |index: usize, board: &Board| {
            index == 0 || index == last || board.variant.size == default
        };
        let kept = of_variant.iter().enumerate();
        let kept = kept.filter(|(index, board)| is_sampled(*index, board));
        sampled.extend(kept.map(|(_, board)| (*board).clone()));
    }
    sampled
}

/// The state of a check.
pub(crate) struct CheckContext<'a> {
    pub target: &'a CheckTarget<'a>,
    pub settings: &'a CheckSettings,
    pub step: &'static Step,
    /// The engine without fuel metering; in a check on fuel alone, with it.
    pub loaded: Option<LoadedEngine>,
    /// The engine with fuel metering, if it is a component.
    pub fuelled: Option<LoadedEngine>,
    /// All boards to test, apart from those of `general_boards`.
    pub boards: Vec<Board>,
    /// The smallest, the default and the largest board of each variant of games with chance, hidden
    /// information or moves at the same time. They are tested by bouts.
    pub general_boards: Vec<Board>,
    pub log: Arc<OutputLog>,
    pub warnings: Warnings,
}

/// How an instance gets a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetupMode {
    /// As a position text in `start`.
    Position,
    /// As moves in `start`.
    Moves,
    /// Move by move, with `played`.
    Played,
}

/// A request for a move: its limits, and their text for people.
#[derive(Clone, Debug)]
pub(crate) struct MoveRequest {
    pub limits: Limits,
    pub label: String,
}

impl<'a> CheckContext<'a> {
    pub(crate) fn new(
        target: &'a CheckTarget<'a>,
        settings: &'a CheckSettings,
        step: &'static Step,
    ) -> Self {
        Self {
            target,
            settings,
            step,
            loaded: None,
            fuelled: None,
            boards: Vec::new(),
            general_boards: Vec::new(),
            log: Arc::default(),
            warnings: Warnings::default(),
        }
    }

    pub(crate) fn is_native(&self) -> bool {
        self.target.entry.kind == Some(ModuleKind::Native)
    }

    /// The engine with the metering for requests in this unit.
    pub(crate) fn engine(&self, unit: Unit) -> StepResult<&LoadedEngine> {
        let wanted = match unit {
            Unit::Fuel => self.fuelled.as_ref(),
            _ => self.loaded.as_ref(),
        };
        wanted.ok_or_else(|| {
            StepFailure::Skipped("the engine was not loaded with this metering".into())
        })
    }

    /// The smallest board of each variant.
    pub(crate) fn smallest_boards(&self) -> Vec<Board> {
        smallest_of(&self.boards)
    }

    /// Whether bouts alone test the engine.
    pub(crate) fn has_only_general_boards(&self) -> bool {
        self.boards.is_empty() && !self.general_boards.is_empty()
    }

    /// The smallest, the default and the largest board of each variant.
    pub(crate) fn sampled_boards(&self) -> Vec<Board> {
        sampled_of(&self.boards)
    }

    /// A request with the budget of the test games.
    pub(crate) fn default_request(&self) -> MoveRequest {
        let budget = self.settings.budget;
        MoveRequest { limits: Clock::new(budget).limits(self.grace()), label: budget.to_string() }
    }

    /// The grace of the test games. On fuel alone it is the one of a bout, since fuel does not
    /// depend on the load of the machine.
    pub(crate) fn grace(&self) -> Grace {
        if self.settings.test_budget.is_some() { Grace::default() } else { GENEROUS_GRACE }
    }

    /// The default metering.
    pub(crate) fn metering(&self) -> Metering {
        match self.settings.test_budget {
            Some(_) => Metering::Fuel,
            None => Metering::Deadline,
        }
    }

    /// The budget of [`fixed_request`](Self::fixed_request), for bouts.
    pub(crate) fn fixed_budget(&self) -> Budget {
        // The label is the text of a budget.
        self.fixed_request().label.parse().unwrap_or(self.settings.budget)
    }

    /// A deterministic request: a correct engine gives the same response each time.
    pub(crate) fn fixed_request(&self) -> MoveRequest {
        if self.fuelled.is_some() {
            let limits = Limits {
                unit: Unit::Fuel,
                call_max: Some(FIXED_FUEL),
                grace: self.grace().fuel,
                lines: 1,
                ..Limits::default()
            };
            return MoveRequest { limits, label: "fuel:2e7/move".into() };
        }
        let limits = Limits {
            depth: Some(FIXED_DEPTH),
            nodes: Some(FIXED_NODES),
            lines: 1,
            ..Limits::default()
        };
        MoveRequest { limits, label: format!("depth:{FIXED_DEPTH},nodes:{FIXED_NODES}") }
    }

    /// The setup of an instance for a game.
    pub(crate) fn setup(&self, game: &dyn DynGame, unit: Unit) -> Setup {
        let loaded = self.engine(unit).ok();
        Setup {
            game: game.info().id.into(),
            variant: game.variant().text(),
            start: String::new(),
            moves: String::new(),
            seats: seats_to_move(game),
            seed: self.settings.seed,
            options: self.settings.options.clone(),
            memory_bytes: loaded.map_or(0, |loaded| loaded.caps.memory_bytes),
            threads: 1,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        }
    }

    /// Starts a fresh instance after `moves` from the start position.
    pub(crate) fn start_at(
        &self,
        board: &Board,
        moves: &[String],
        mode: SetupMode,
        unit: Unit,
    ) -> StepResult<TestInstance> {
        let refused = || StepFailure::Skipped(format!("the rules reject {}", board.text()));
        let start = board.new_game().ok_or_else(refused)?;
        let mut game = start.boxed_clone();
        for mv in moves {
            game.play(mv).map_err(|_| refused())?;
        }
        let mut setup = self.setup(&*game, unit);
        match mode {
            SetupMode::Position => setup.start = game.position(),
            SetupMode::Moves => setup.moves = moves.join(" "),
            SetupMode::Played => (),
        }
        let call = match mode {
            SetupMode::Position => format!("start with the position `{}`", setup.start),
            SetupMode::Moves => format!("start with the moves `{}`", setup.moves),
            SetupMode::Played => format!("start, then played `{}`", moves.join(" ")),
        };
        let history = format!("{}, seat {}: {call}", board.text(), game.to_move().0);
        let game = if mode == SetupMode::Played { start } else { game };
        let mut instance = self.start(game, &setup, history, unit)?;
        if mode == SetupMode::Played {
            moves.iter().try_for_each(|mv| instance.played(mv))?;
        }
        Ok(instance)
    }

    /// Starts a fresh instance with this setup.
    pub(crate) fn start(
        &self,
        game: Box<dyn DynGame>,
        setup: &Setup,
        history: String,
        unit: Unit,
    ) -> StepResult<TestInstance> {
        self.try_start(game, setup, history.clone(), unit)?.map_err(|fault| {
            self.reporter().fault(
                &fault,
                history,
                "a start without a fault, as its description promises",
            )
        })
    }

    /// As [`start`](Self::start), but returns a fault instead of a failure.
    pub(crate) fn try_start(
        &self,
        game: Box<dyn DynGame>,
        setup: &Setup,
        history: String,
        unit: Unit,
    ) -> StepResult<Result<TestInstance, Fault>> {
        let output = OutputCollector::new(self.log.clone());
        let began = self.engine(unit)?.source.open(output.clone(), 1).and_then(|mut engine| {
            let spent = engine.start(setup)?;
            Ok((engine, spent))
        });
        Ok(began
            .map(|(engine, spent)| TestInstance::new(engine, game, output, history, self, spent)))
    }

    /// The reporter for faults of this step.
    pub(crate) fn reporter(&self) -> FaultReporter {
        FaultReporter { log: self.log.clone(), advice: self.advice() }
    }

    /// Makes a failure from a problem.
    pub(crate) fn failed(&self, finding: Finding) -> StepFailure {
        StepFailure::Failed(Box::new(finding))
    }

    /// Adds a warning; only the first few are kept.
    pub(crate) fn warn(&mut self, finding: Finding) {
        self.warnings.add(finding);
    }

    /// The command that runs this step again, and the page that explains it.
    pub(crate) fn advice(&self) -> String {
        let Step { number, name, .. } = self.step;
        format!(
            "{} --step {number} --verbose; docs/check.md, {number} {name}",
            self.settings.rerun_command
        )
    }
}
