//! An engine instance together with the game that it plays. Sends moves to both, and checks the
//! engine's responses against the rules.

use std::sync::Arc;

use sandboard_abi::{Barred, Decision, Line, Unit};
use sandboard_games::DynGame;

use super::context::{CheckContext, MoveRequest, UNLIMITED_WATCH};
use super::cpu_baseline::{CpuBaseline, TimedCall};
use super::outcome::{FaultReporter, Finding, StepFailure, StepResult};
use super::output::OutputCollector;
use super::positions::legal;
use sandboard_bout::query::checked_move;
use sandboard_common::text::quoted;
use sandboard_engine::{ChooseResponse, Engine, Fault, Usage};

pub(super) struct TestInstance {
    engine: Box<dyn Engine>,
    pub game: Box<dyn DynGame>,
    output: Arc<OutputCollector>,
    /// The calls so far, for people.
    pub history: String,
    reporter: FaultReporter,
    analyse_command: String,
    /// The usage of `start`.
    pub started: Usage,
}

/// A choice that the rules accept.
pub(super) struct ChosenMove {
    /// The canonical move; none if the engine resigned or accepted a draw.
    pub mv: Option<String>,
    /// The usage of the call.
    pub spent: Usage,
    /// The reports during the call, as far as they were kept.
    pub lines: Vec<Line>,
    /// The number of all reports.
    pub reports: u64,
    /// The line of the choice.
    pub line: Option<Line>,
}

impl TestInstance {
    pub(super) fn new(
        engine: Box<dyn Engine>,
        game: Box<dyn DynGame>,
        output: Arc<OutputCollector>,
        history: String,
        context: &CheckContext<'_>,
        started: Usage,
    ) -> Self {
        let (reporter, analyse_command) =
            (context.reporter(), context.settings.analyse_command.clone());
        Self { engine, game, output, history, reporter, analyse_command, started }
    }

    /// Plays a legal move.
    pub(super) fn played(&mut self, mv: &str) -> StepResult<()> {
        let result = self.engine.played(mv);
        result.map_err(|fault| {
            self.fault(&fault, &format!("played `{mv}`"), "it returns without a fault")
        })?;
        let refused =
            |refusal| StepFailure::Skipped(format!("the rules reject their own move: {refusal}"));
        self.game.play(mv).map(drop).map_err(refused)?;
        self.history += &format!(", played `{mv}`");
        Ok(())
    }

    /// Takes moves back.
    pub(super) fn taken_back(&mut self, plies: usize) -> StepResult<()> {
        let result = self.engine.taken_back(plies as u32);
        let call = format!("taken-back {plies}");
        result.map_err(|fault| self.fault(&fault, &call, "it returns without a fault"))?;
        self.game.take_back(plies);
        self.history += &format!(", {call}");
        Ok(())
    }

    /// Requests a move, which must be legal and not barred. Without a time limit, the engine must
    /// return by itself when its depth or nodes are reached.
    pub(super) fn choose(
        &mut self,
        move_request: &MoveRequest,
        barred: &[String],
    ) -> StepResult<ChosenMove> {
        let response = match move_request.limits.unit {
            Unit::Unlimited => {
                let TimedCall { value, was_stopped, .. } =
                    self.choose_beside(move_request, barred, UNLIMITED_WATCH);
                if was_stopped {
                    return Err(self.budget_ignored(move_request, barred));
                }
                value
            }
            _ => self.request_move(move_request, barred),
        };
        match response {
            Ok(answer) => self.check_response(move_request, barred, answer),
            Err(fault) => {
                let expected = format!("one of {} legal moves", legal(&*self.game).len());
                Err(self.fault(&fault, &self.call(move_request, barred), &expected))
            }
        }
    }

    fn budget_ignored(&self, move_request: &MoveRequest, barred: &[String]) -> StepFailure {
        let waited_ms = (UNLIMITED_WATCH.after + UNLIMITED_WATCH.grace).as_millis();
        StepFailure::Failed(Box::new(Finding {
            sentence: format!("it exceeds the budget {}", move_request.label),
            request: format!("{}; {}", self.history, self.call(move_request, barred)),
            response: format!("nothing for {waited_ms} ms; then it was stopped"),
            expected: "a move when depth or nodes are reached, without a stop".into(),
            advice: self.reporter.advice.clone(),
        }))
    }

    /// Requests a move without checking the response.
    pub(super) fn request_move(
        &mut self,
        move_request: &MoveRequest,
        barred: &[String],
    ) -> Result<ChooseResponse, Fault> {
        self.output.lines();
        self.engine.stop_handle().clear();
        self.engine.choose(&move_request.limits, &as_barred(barred))
    }

    /// As [`request_move`](Self::request_move), beside a baseline that may stop the call.
    pub(super) fn choose_beside(
        &mut self,
        move_request: &MoveRequest,
        barred: &[String],
        baseline: CpuBaseline,
    ) -> TimedCall<Result<ChooseResponse, Fault>> {
        // Clear it before the baseline starts, so that its stop is not lost.
        let control = self.engine.stop_handle();
        control.clear();
        self.output.lines();
        baseline
            .run_beside(control, || self.engine.choose(&move_request.limits, &as_barred(barred)))
    }

    /// Lets the engine ponder beside a baseline that stops it.
    pub(super) fn think(&mut self, baseline: CpuBaseline) -> TimedCall<Result<Usage, Fault>> {
        let control = self.engine.stop_handle();
        control.clear();
        self.output.lines();
        let timed_call = baseline.run_beside(control, || self.engine.think());
        // These reports are about other positions.
        self.output.lines();
        self.history += ", think";
        timed_call
    }

    /// Checks a response against the rules.
    pub(super) fn check_response(
        &mut self,
        move_request: &MoveRequest,
        barred: &[String],
        answer: ChooseResponse,
    ) -> StepResult<ChosenMove> {
        let (lines, reports) = self.output.lines();
        let agreed =
            move_request.limits.draw_offered && answer.choice.decision == Decision::AcceptDraw;
        let mv = match agreed {
            true => Ok(None),
            false => checked_move(&*self.game, &answer.choice, &as_barred(barred)),
        };
        let mv = mv
            .map_err(|fault| self.illegal(move_request, barred, &fault, &answer.choice.decision))?;
        let line = answer.choice.line;
        Ok(ChosenMove { mv, spent: answer.spent, lines, reports, line })
    }

    fn illegal(
        &self,
        move_request: &MoveRequest,
        barred: &[String],
        fault: &Fault,
        decision: &Decision,
    ) -> StepFailure {
        let open = legal(&*self.game).into_iter().filter(|mv| !barred.contains(mv)).count();
        StepFailure::Failed(Box::new(Finding {
            sentence: format!("it {}", fault.sentence),
            request: format!("{}; {}", self.history, self.call(move_request, barred)),
            response: match decision {
                Decision::Play(text) => format!("play {}", quoted(text)),
                Decision::Resign => "resign".into(),
                Decision::AcceptDraw => "accept a draw".into(),
            },
            expected: format!("one of {open} legal moves in `{}`", self.game.position()),
            advice: self.analyse(move_request, barred),
        }))
    }

    /// Converts a fault in this call to a failure.
    pub(super) fn fault(&self, fault: &Fault, call: &str, expected: &str) -> StepFailure {
        self.reporter.fault(fault, format!("{}; {call}", self.history), expected)
    }

    /// The command that runs the step again, and the page that explains it.
    pub(super) fn advice(&self) -> &str {
        &self.reporter.advice
    }

    /// The text of a request, for people.
    pub(super) fn call(&self, move_request: &MoveRequest, barred: &[String]) -> String {
        match barred {
            [] => format!("choose under {}", move_request.label),
            [one] => format!("choose under {} with `{one}` barred", move_request.label),
            more => format!("choose under {} with {} moves barred", move_request.label, more.len()),
        }
    }

    /// The command that makes the same request outside the check.
    fn analyse(&self, move_request: &MoveRequest, barred: &[String]) -> String {
        let exclude = match barred {
            [] => String::new(),
            barred => format!(", \"exclude\": \"{}\"", barred.join(" ")),
        };
        format!(
            "echo '{{\"position\": \"{}\"{exclude}}}' | {} --game {} --variant {} --budget {}",
            self.game.position(),
            self.analyse_command,
            self.game.info().id,
            self.game.variant().text(),
            move_request.label
        )
    }
}

/// Moves as barred moves, for the engine.
fn as_barred(moves: &[String]) -> Vec<Barred> {
    let barred = |mv: &String| Barred { r#move: mv.clone(), reason: "refused by the check".into() };
    moves.iter().map(barred).collect()
}
