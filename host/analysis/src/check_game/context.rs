//! The state that all steps share: the boards to test, the random games, and the warnings of the
//! current step. Judges nothing itself.

use sandboard_games::GameInfo;
use sandboard_games::splitmix::{self, SplitMix64};

use super::random_game::{Draw, RandomGame};
use super::test_game::{FindingReporter, TestGame};
use super::{GameCheckSettings, GameTarget};
use crate::check::Step;
use crate::check::outcome::{Finding, StepFailure, StepResult, Warnings};
use crate::check::positions::{Board, boards_of};

/// The longest random game in which positions are tested, in plies.
const PLIES_MAX: usize = 600;
/// The number of random games in which positions are tested, over all boards.
const GAMES: usize = 6;
/// The most of them on one board.
const GAMES_OF_BOARD_MAX: usize = 4;

/// The state of a check.
pub(crate) struct GameContext<'a> {
    pub target: &'a GameTarget<'a>,
    pub settings: &'a GameCheckSettings,
    pub step: &'static Step,
    /// All boards to test.
    pub boards: Vec<Board>,
    pub warnings: Warnings,
}

impl<'a> GameContext<'a> {
    pub(crate) fn new(
        target: &'a GameTarget<'a>,
        settings: &'a GameCheckSettings,
        step: &'static Step,
    ) -> Self {
        Self { target, settings, step, boards: Vec::new(), warnings: Warnings::default() }
    }

    /// The part of an amount of work that each board gets.
    pub(crate) fn share(&self, total: usize) -> usize {
        total / self.boards.len().max(1)
    }

    /// The random games in which positions are tested: the same ones in all steps.
    pub(crate) fn random_games(&self) -> StepResult<Vec<RandomGame>> {
        let count = self.share(GAMES).clamp(1, GAMES_OF_BOARD_MAX);
        let games =
            self.boards.iter().flat_map(|board| (0..count).map(move |index| (board, index)));
        games.map(|(board, index)| self.random_game(board, index, PLIES_MAX)).collect()
    }

    /// As [`random_games`](Self::random_games), for a step that does not test whether listed moves
    /// can be played: it is skipped if one cannot.
    pub(crate) fn playable_games(&self) -> StepResult<Vec<RandomGame>> {
        let games = self.random_games()?;
        match games.iter().find_map(|game| game.refusal.as_ref()) {
            None => Ok(games),
            Some(refusal) => Err(StepFailure::Skipped(format!(
                "a listed move cannot be played, which step 3 tests: {refusal}"
            ))),
        }
    }

    /// The random game with this number on a board.
    pub(crate) fn random_game(
        &self,
        board: &Board,
        index: usize,
        plies_max: usize,
    ) -> StepResult<RandomGame> {
        let mut draw = Draw::new(splitmix::output(self.settings.seed, index as u64));
        let position = board.info.deal.map(|deal| deal(&board.variant, draw.seed()));
        RandomGame::play(self.begin(board, position.as_deref())?, position, &mut draw, plies_max)
    }

    /// A generator of random numbers for this step.
    pub(crate) fn random(&self) -> SplitMix64 {
        SplitMix64::new(splitmix::mix(self.settings.seed ^ u64::from(self.step.number)))
    }

    /// Begins a game.
    pub(crate) fn begin(&self, board: &Board, position: Option<&str>) -> StepResult<TestGame> {
        TestGame::begin(board, position, self.reporter())
    }

    /// Begins a random game, and plays its first moves.
    pub(crate) fn game_at(&self, random: &RandomGame, plies: usize) -> StepResult<TestGame> {
        let mut game = self.begin(&random.board, random.position.as_deref())?;
        for mv in &random.moves[..plies] {
            game.play_listed(mv)?;
        }
        Ok(game)
    }

    /// The reporter for findings of this step.
    pub(crate) fn reporter(&self) -> FindingReporter {
        FindingReporter { advice: self.advice() }
    }

    /// Adds a warning; only the first few are kept.
    pub(crate) fn warn(&mut self, finding: Finding) {
        self.warnings.add(finding);
    }

    /// The command that runs this step again, and the page that explains it.
    pub(crate) fn advice(&self) -> String {
        let Step { number, name, .. } = self.step;
        let command = &self.settings.rerun_command;
        format!("{command} --step {number} --verbose; docs/check.md, game step {number}, {name}")
    }
}

/// The boards of a game to test: of each variant the smallest, the default and the largest.
pub(crate) fn boards(info: &'static GameInfo, variant: Option<&str>) -> Vec<Board> {
    let named: Vec<&str> = match variant {
        Some(variant) => vec![variant],
        None => info.variants.iter().map(|variant| variant.id).collect(),
    };
    let mut boards = Vec::new();
    for text in named {
        let of_variant = boards_of(info, text);
        let Some(last) = of_variant.len().checked_sub(1) else { continue };
        let default = |board: &Board| {
            let known = info.variants.iter().find(|known| known.id == board.variant.id);
            known.is_some_and(|known| board.variant.size == Some(known.default_size))
        };
        let chosen = |(index, board): &(usize, Board)| [0, last].contains(index) || default(board);
        let kept = of_variant.into_iter().enumerate().filter(chosen);
        boards.extend(kept.map(|(_, board)| board));
    }
    boards
}
