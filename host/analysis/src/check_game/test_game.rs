//! A game under test. Checks after each call whether the rules have failed, and remembers the calls
//! for people.

use sandboard_common::text::quoted;
use sandboard_games::general::Observer;
use sandboard_games::{DynGame, Refusal, Seat, SetupError};

use super::game_state::{Difference, GameState};
use crate::check::outcome::{Finding, StepFailure, StepResult};
use crate::check::positions::Board;

/// Makes failures of a step.
#[derive(Clone, Debug)]
pub(crate) struct FindingReporter {
    /// The command that runs the step again, and the page that explains it.
    pub advice: String,
}

impl FindingReporter {
    /// A finding of this step.
    pub(crate) fn finding(
        &self,
        sentence: impl Into<String>,
        request: String,
        [response, expected]: [String; 2],
    ) -> Finding {
        let (sentence, advice) = (sentence.into(), self.advice.clone());
        Finding { sentence, request, response, expected, advice }
    }

    /// A failure of this step.
    pub(crate) fn failure(
        &self,
        sentence: impl Into<String>,
        request: String,
        answers: [String; 2],
    ) -> StepFailure {
        StepFailure::Failed(Box::new(self.finding(sentence, request, answers)))
    }
}

/// A call that changes a game.
#[derive(Clone, Debug)]
enum Call {
    Played(String),
    TakenBack(usize),
    Copied,
}

impl Call {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Played(mv) => Some(mv),
            Self::TakenBack(_) | Self::Copied => None,
        }
    }

    fn is_move(&self) -> bool {
        self.text().is_some()
    }
}

/// A game under test.
pub(crate) struct TestGame {
    game: Box<dyn DynGame>,
    board: Board,
    /// The text of the start position, if it is not that of the variant.
    start: Option<String>,
    calls: Vec<Call>,
    pub reporter: FindingReporter,
}

impl TestGame {
    /// Begins a game of a board.
    pub(crate) fn begin(
        board: &Board,
        position: Option<&str>,
        reporter: FindingReporter,
    ) -> StepResult<Self> {
        Self::try_begin(board, position, reporter.clone()).map_err(|error| {
            let request = begin_text(board, position);
            let (sentence, expected) = match error {
                SetupError::Judge { .. } => (error.to_string(), "no fault of the rules"),
                _ => (format!("it begins no game: {error}"), "a game"),
            };
            reporter.failure(sentence, request, [error.to_string(), expected.to_owned()])
        })
    }

    /// As [`begin`](Self::begin), but returns the error.
    pub(crate) fn try_begin(
        board: &Board,
        position: Option<&str>,
        reporter: FindingReporter,
    ) -> Result<Self, SetupError> {
        let game = (board.info.new)(&board.variant, position)?;
        let start = position.map(str::to_owned);
        Ok(Self { game, board: board.clone(), start, calls: Vec::new(), reporter })
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// The seats and a spectator.
    pub(crate) fn observers(&self) -> Vec<Observer> {
        let seats = (0..self.board.seats()).map(|seat| Observer::Seat(Seat(seat)));
        seats.chain([Observer::Spectator]).collect()
    }

    /// The calls so far, for people.
    pub(crate) fn history(&self) -> String {
        let begin = begin_text(&self.board, self.start.as_deref());
        let groups = self.calls.chunk_by(|one, next| one.is_move() && next.is_move());
        groups.fold(begin, |text, group| match group {
            [Call::TakenBack(plies)] => format!("{text}, take back {plies}"),
            [Call::Copied] => format!("{text}, copy"),
            moves => {
                let moves: Vec<&str> = moves.iter().filter_map(Call::text).collect();
                format!("{text}, play `{}`", moves.join(" "))
            }
        })
    }

    /// Asks the game. `call` names the question. Err: the rules failed.
    pub(crate) fn ask<T>(
        &self,
        call: &str,
        query: impl FnOnce(&dyn DynGame) -> T,
    ) -> StepResult<T> {
        let answer = query(&*self.game);
        self.check_fault(call)?;
        Ok(answer)
    }

    /// Err: the rules failed in this call.
    fn check_fault(&self, call: &str) -> StepResult<()> {
        let Some(fault) = self.game.fault() else { return Ok(()) };
        Err(self.failure(
            format!("the rules failed: {fault}"),
            call,
            [format!("a fault: {fault}"), "an answer without a fault".into()],
        ))
    }

    /// Plays a text. The inner error is the refusal of the rules.
    pub(crate) fn play(&mut self, text: &str) -> StepResult<Result<String, Refusal>> {
        let played = self.game.play(text);
        self.check_fault(&format!("play {}", quoted(text)))?;
        if played.is_ok() {
            self.calls.push(Call::Played(text.to_owned()));
        }
        Ok(played)
    }

    /// Plays a move that was listed as legal; returns what the rules return. Skips the step if it
    /// is refused.
    pub(crate) fn play_listed(&mut self, mv: &str) -> StepResult<String> {
        self.play(mv)?.map_err(|refusal| {
            let history = self.history();
            StepFailure::Skipped(format!(
                "a listed move cannot be played, which step 3 tests: {refusal} ({history})"
            ))
        })
    }

    /// Takes moves back; returns how many.
    pub(crate) fn take_back(&mut self, plies: usize) -> StepResult<usize> {
        let taken = self.game.take_back(plies);
        self.check_fault(&format!("take back {plies}"))?;
        self.calls.push(Call::TakenBack(plies));
        Ok(taken)
    }

    /// A copy of the game.
    pub(crate) fn copy(&self) -> StepResult<Self> {
        let game = self.ask("copy", |game| game.boxed_clone())?;
        let mut calls = self.calls.clone();
        calls.push(Call::Copied);
        let (board, start) = (self.board.clone(), self.start.clone());
        let copy = Self { game, board, start, calls, reporter: self.reporter.clone() };
        copy.check_fault("copy")?;
        Ok(copy)
    }

    /// The legal moves, separated by one space.
    pub(crate) fn legal(&self) -> StepResult<String> {
        self.ask("list the legal moves", |game| {
            let mut line = String::new();
            game.write_legal(&mut line);
            line
        })
    }

    /// What the game answers about its position.
    pub(crate) fn state(&self) -> StepResult<GameState> {
        let legal = self.legal()?;
        self.ask("position text", |game| GameState {
            position: game.position(),
            next: game.next(),
            phase: game.phase(),
            legal,
            ending: game.ending(),
        })
    }

    /// Fails if the game is not in this state. `circumstance` begins the sentence, such as "on a
    /// copy".
    pub(crate) fn expect(&self, expected: &GameState, circumstance: &str) -> StepResult<()> {
        match self.state()?.difference(expected) {
            None => Ok(()),
            Some(Difference { answer, found, expected }) => {
                let sentence = format!("{circumstance}, {answer} differs");
                Err(self.failure(sentence, &format!("query {answer}"), [found, expected]))
            }
        }
    }

    /// A failure in a call, with the response and the expected response.
    pub(crate) fn failure(
        &self,
        sentence: impl Into<String>,
        call: &str,
        answers: [String; 2],
    ) -> StepFailure {
        self.reporter.failure(sentence, format!("{}; {call}", self.history()), answers)
    }
}

fn begin_text(board: &Board, position: Option<&str>) -> String {
    match position {
        None => format!("begin {}", board.text()),
        // Not cut, so that the game can be repeated.
        Some(position) => format!("begin {} in `{position}`", board.text()),
    }
}
