//! What every step works with: the loaded engine, the boards it is tried on,
//! and what has been found in the step so far. Judges nothing itself.

use std::sync::Arc;
use std::time::Duration;

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_games::DynGame;

use super::ears::{Ears, Log};
use super::outcome::{Finding, Scribe, Verdict, Wrong};
use super::player::Player;
use super::positions::Board;
use super::yardstick::Watch;
use super::{Settings, Step, Subject};
use crate::ask::seats_to_move;
use crate::clock::{Clock, Grace};
use crate::engine::Fault;
use crate::engine::wasm::Metering;
use crate::loader::Loaded;
use crate::manifest::ModuleKind;

/// Grace where promptness is not the question: a busy machine fails nobody.
pub const PATIENT: Grace = Grace { us: 3_000_000, fuel: 1_000_000_000 };
/// When a call that no clock limits is told to stop.
pub const GUARD: Watch =
    Watch { after: Duration::from_millis(2000), grace: Duration::from_millis(500) };
/// Fuel for a move that must be the same every time: about 20 ms.
const FIXED_FUEL: u64 = 20_000_000;
/// Depth and nodes for the same purpose where fuel is not counted.
const FIXED_DEPTH: u32 = 3;
const FIXED_NODES: u64 = 400;
/// Warnings of a step that are kept.
const WARNINGS_KEPT: usize = 5;

/// The state of a check.
pub struct Bench<'a> {
    pub subject: &'a Subject<'a>,
    pub settings: &'a Settings,
    pub step: &'static Step,
    /// The engine without a count of fuel; with it, where nothing else counts.
    pub loaded: Option<Loaded>,
    /// The engine with it, where it is wasm.
    pub fuelled: Option<Loaded>,
    /// Every board it is to be tried on.
    pub boards: Vec<Board>,
    pub log: Arc<Log>,
    pub warnings: Vec<Finding>,
    pub warned: usize,
}

/// How a position is told to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As a position text in `start`.
    Start,
    /// As moves in `start`.
    Moves,
    /// Move by move, by `played`.
    Played,
}

/// A request for a move: the limits, and how they are called.
#[derive(Clone, Debug)]
pub struct Ask {
    pub limits: Limits,
    pub label: String,
}

impl<'a> Bench<'a> {
    pub fn new(subject: &'a Subject<'a>, settings: &'a Settings, step: &'static Step) -> Self {
        Self {
            subject,
            settings,
            step,
            loaded: None,
            fuelled: None,
            boards: Vec::new(),
            log: Arc::default(),
            warnings: Vec::new(),
            warned: 0,
        }
    }

    pub fn is_native(&self) -> bool {
        self.subject.entry.kind == Some(ModuleKind::Native)
    }

    /// The engine as requests in this unit need it.
    pub fn engine(&self, unit: Unit) -> Verdict<&Loaded> {
        let wanted = match unit {
            Unit::Fuel => self.fuelled.as_ref(),
            _ => self.loaded.as_ref(),
        };
        wanted.ok_or_else(|| Wrong::Skipped("the engine was not loaded for it".into()))
    }

    /// One board of each variant: the smallest.
    pub fn small_boards(&self) -> Vec<Board> {
        let mut small: Vec<Board> = Vec::new();
        for board in &self.boards {
            let same = |other: &Board| {
                other.info.id == board.info.id && other.variant.id == board.variant.id
            };
            if !small.iter().any(same) {
                small.push(board.clone());
            }
        }
        small
    }

    /// The smallest, the usual and the largest board of each variant.
    pub fn shown_boards(&self) -> Vec<Board> {
        let mut shown = Vec::new();
        for small in self.small_boards() {
            let same = |board: &&Board| {
                board.info.id == small.info.id && board.variant.id == small.variant.id
            };
            let usual = small.info.variants.iter().find(|known| known.id == small.variant.id);
            let usual = usual.map(|known| known.usual_size);
            let of_variant: Vec<&Board> = self.boards.iter().filter(same).collect();
            let last = of_variant.len().saturating_sub(1);
            let is_shown = |index: usize, board: &Board| {
                index == 0 || index == last || board.variant.size == usual
            };
            let kept =
                of_variant.iter().enumerate().filter(|(index, board)| is_shown(*index, board));
            shown.extend(kept.map(|(_, board)| (*board).clone()));
        }
        shown
    }

    /// The budget of the test games, with grace for a busy machine.
    pub fn usual_ask(&self) -> Ask {
        let budget = self.settings.budget;
        Ask { limits: Clock::new(budget).limits(self.grace()), label: budget.to_string() }
    }

    /// The grace of the test games. On fuel alone it is that of any bout: no machine is too busy for it.
    pub fn grace(&self) -> Grace {
        if self.settings.patience.is_some() { Grace::default() } else { PATIENT }
    }

    /// What the engine is loaded for where nothing else is asked for.
    pub fn metering(&self) -> Metering {
        match self.settings.patience {
            Some(_) => Metering::Fuel,
            None => Metering::Deadline,
        }
    }

    /// A request that a sound engine answers alike every time.
    pub fn fixed_ask(&self) -> Ask {
        if self.fuelled.is_some() {
            let limits = Limits {
                unit: Unit::Fuel,
                call_max: Some(FIXED_FUEL),
                grace: self.grace().fuel,
                lines: 1,
                ..Limits::default()
            };
            return Ask { limits, label: "fuel:2e7/move".into() };
        }
        let limits = Limits {
            depth: Some(FIXED_DEPTH),
            nodes: Some(FIXED_NODES),
            lines: 1,
            ..Limits::default()
        };
        Ask { limits, label: format!("depth:{FIXED_DEPTH},nodes:{FIXED_NODES}") }
    }

    /// What an instance is told of a game.
    pub fn setup(&self, game: &dyn DynGame, unit: Unit) -> Setup {
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

    /// A fresh instance after `moves` from the board's own start.
    pub fn seat(&self, board: &Board, moves: &[String], way: Way, unit: Unit) -> Verdict<Player> {
        let refused = || Wrong::Skipped(format!("the rules do not set up {}", board.text()));
        let start = board.set_up().ok_or_else(refused)?;
        let mut game = start.boxed_clone();
        for mv in moves {
            game.play(mv).map_err(|_| refused())?;
        }
        let mut setup = self.setup(&*game, unit);
        match way {
            Way::Start => setup.start = game.position(),
            Way::Moves => setup.moves = moves.join(" "),
            Way::Played => (),
        }
        let told = match way {
            Way::Start => format!("start with the position `{}`", setup.start),
            Way::Moves => format!("start with the moves `{}`", setup.moves),
            Way::Played => format!("start, then played `{}`", moves.join(" ")),
        };
        let scene = format!("{}, seat {}: {told}", board.text(), game.to_move().0);
        let game = if way == Way::Played { start } else { game };
        let mut player = self.begin(game, &setup, scene, unit)?;
        if way == Way::Played {
            moves.iter().try_for_each(|mv| player.played(mv))?;
        }
        Ok(player)
    }

    /// A fresh instance that was told this setup.
    pub fn begin(
        &self,
        game: Box<dyn DynGame>,
        setup: &Setup,
        scene: String,
        unit: Unit,
    ) -> Verdict<Player> {
        self.try_begin(game, setup, scene.clone(), unit)?.map_err(|fault| {
            self.scribe().fault(&fault, scene, "it starts, as its description says it can")
        })
    }

    /// As [`begin`](Self::begin), where a fault need not be a failure.
    pub fn try_begin(
        &self,
        game: Box<dyn DynGame>,
        setup: &Setup,
        scene: String,
        unit: Unit,
    ) -> Verdict<Result<Player, Fault>> {
        let ears = Ears::new(self.log.clone());
        let began = self.engine(unit)?.source.open(ears.clone()).and_then(|mut engine| {
            let spent = engine.start(setup)?;
            Ok((engine, spent))
        });
        Ok(began.map(|(engine, spent)| Player::new(engine, game, ears, scene, self, spent)))
    }

    /// What writes the faults of this step down.
    pub fn scribe(&self) -> Scribe {
        Scribe { log: self.log.clone(), help: self.help() }
    }

    /// A failure.
    pub fn failed(&self, finding: Finding) -> Wrong {
        Wrong::Failed(Box::new(finding))
    }

    /// Something to warn of; the first few are kept.
    pub fn warn(&mut self, finding: Finding) {
        self.warned += 1;
        if self.warnings.len() < WARNINGS_KEPT {
            self.warnings.push(finding);
        }
    }

    /// The command that tries this step again, and where it is explained.
    pub fn help(&self) -> String {
        let Step { number, name, .. } = self.step;
        format!("{} --step {number} --verbose; docs/check.md, {number} {name}", self.settings.again)
    }
}
