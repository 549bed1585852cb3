//! Derives from a record the calls that each engine received. Sets up the referee of the bout again
//! and sends it the recorded events; its commands are the calls. Calls no engine.
//!
//! Invariant: pure, and the referee alone decides what an engine is asked: there is no second
//! implementation of these rules.

use std::collections::VecDeque;

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup, Unit};
use sandboard_engine::{CallName, ChooseResponse, Fault, FaultCode, Observation, Usage};

use super::call_script::{
    CallScript, CallScriptError, EngineCall, ExpectedResult, RecordedAnswer, ScriptStep, incoherent,
};
use super::{consistency, timeline};
use crate::record::{LineRecord, PlyRecord, Record};
use crate::referee::{
    Command, Event, EventKind, EventRecord, PlayerKind, PonderingTime, Referee, Rejection,
    Termination,
};
use crate::start::StartPosition;

/// The most sessions of a bout; a record with more is refused.
const SESSIONS_MAX: usize = 1000;
/// The most refused moves in the requests to engines, over the whole bout: limits the size of a
/// script.
const BARRED_MAX: usize = 1_000_000;

/// The calls behind a record that begins at `start`.
pub(super) fn derive(record: &Record, start: StartPosition) -> Result<CallScript, CallScriptError> {
    let referee = new_referee(record, &start)?;
    let mut derivation = Derivation {
        record,
        start,
        referee,
        now_us: 0,
        commands: VecDeque::new(),
        open_call: None,
        solving: None,
        compared_events: 0,
        given_up: None,
        sessions: 1,
        barred: 0,
        players: vec![Vec::new(); record.players.len()],
        observations: vec![None; record.players.len()],
    };
    derivation.run()?;
    Ok(CallScript { players: derivation.players, start: derivation.start })
}

fn new_referee(record: &Record, start: &StartPosition) -> Result<Referee, CallScriptError> {
    let game = start.set_up().map_err(|error| incoherent("start", error))?;
    Referee::new(game, record.player_setups(), record.settings, record.seed)
        .map_err(|error| incoherent("players", error))
}

struct Derivation<'a> {
    record: &'a Record,
    start: StartPosition,
    referee: Referee,
    now_us: u64,
    commands: VecDeque<Command>,
    open_call: Option<OpenCall>,
    /// The call under which the position was to be solved.
    solving: Option<u64>,
    /// The number of events of the referee that equal the record's.
    compared_events: usize,
    /// The player whose call was given up last: the call can still fail.
    given_up: Option<usize>,
    sessions: usize,
    /// The number of refused moves in all requests so far.
    barred: usize,
    players: Vec<Vec<ScriptStep>>,
    /// What the seat of each player sees from its next call on, where that has changed.
    observations: Vec<Option<Box<Observation>>>,
}

/// A request for a move that is not answered yet.
#[derive(Clone)]
struct OpenCall {
    player: usize,
    call: u64,
    limits: Limits,
}

type StepResult = Result<(), CallScriptError>;

impl<'a> Derivation<'a> {
    fn run(&mut self) -> StepResult {
        self.feed(Event::Begin)?;
        loop {
            while let Some(command) = self.commands.pop_front() {
                self.execute(command)?;
            }
            if self.referee.result().is_some() || !self.next_step()? {
                if self.compared_events < self.record.events.len() {
                    return Err(incoherent(self.place(), "the bout was already over"));
                }
                return consistency::compare_end(self.record, &self.referee);
            }
        }
    }

    /// Sends an event to the referee, and compares the events that it notes with the record.
    fn feed(&mut self, event: Event) -> StepResult {
        let mut out = Vec::new();
        self.referee.handle(self.now_us, event, &mut out);
        for (index, noted) in self.referee.events().iter().enumerate().skip(self.compared_events) {
            let place = format!("events[{index}]");
            match self.record.events.get(index) {
                Some(recorded) if consistency::same_event(recorded, noted) => (),
                Some(_) => {
                    let reason = format!("here the bout has {}", consistency::event_json(noted));
                    return Err(incoherent(place, reason));
                }
                None => {
                    let reason = format!("{} is missing", consistency::event_json(noted));
                    return Err(incoherent(place, reason));
                }
            }
        }
        self.compared_events = self.referee.events().len();
        self.commands.extend(out);
        Ok(())
    }

    fn execute(&mut self, command: Command) -> StepResult {
        match command {
            Command::Observe { player, observation } => {
                if let Some(slot) = self.observations.get_mut(player) {
                    *slot = Some(observation);
                }
                Ok(())
            }
            Command::Start { player, plies } => {
                let Some(setup) = self.setup(player, plies) else { return Ok(()) };
                self.add_call(player, EngineCall::Start(Box::new(setup)), CallName::Start)
            }
            Command::SendMove { player, mv } => {
                self.add_call(player, EngineCall::Played(mv.to_string()), CallName::Played)
            }
            Command::TakeBack { player, plies } => {
                self.add_call(player, EngineCall::TakenBack(plies), CallName::TakenBack)
            }
            Command::RequestMove { player, call, limits, .. } if self.referee.is_call_due(call) => {
                self.open_call = Some(OpenCall { player, call, limits });
                Ok(())
            }
            Command::Solve { call } => {
                self.solving = Some(call);
                Ok(())
            }
            Command::Reject(reason) => Err(incoherent(
                self.place(),
                format!("the bout cannot continue like this: {reason}"),
            )),
            _ => Ok(()),
        }
    }

    /// Adds a call other than `choose`. It failed if that is the next recorded event.
    fn add_call(&mut self, player: usize, call: EngineCall, name: CallName) -> StepResult {
        if self.referee.result().is_some() {
            // Results of calls after the end are not recorded.
            return Ok(());
        }
        let fault = self.next_event().and_then(|next| recorded_fault(next, player, name));
        let expected = match &fault {
            None => ExpectedResult::Done,
            Some(fault) => ExpectedResult::Fault(Box::new(fault.clone())),
        };
        self.add_step(player, call, expected, None);
        match fault {
            None => Ok(()),
            Some(fault) => {
                self.feed(Event::Fault { player, call: None, fault, reported: Vec::new() })
            }
        }
    }

    fn add_step(
        &mut self,
        player: usize,
        call: EngineCall,
        expected: ExpectedResult,
        from_report: Option<String>,
    ) {
        let at_ply = self.referee.chosen_plies() as u32;
        let observation = self.observations.get_mut(player).and_then(Option::take);
        if let Some(steps) = self.players.get_mut(player) {
            steps.push(ScriptStep { at_ply, observation, call, expected, from_report });
        }
    }

    /// The next recorded event other than a move.
    fn next_event(&self) -> Option<&'a EventRecord> {
        self.record.events.get(self.referee.events().len())
    }

    fn place(&self) -> String {
        let plies = self.referee.chosen_plies();
        match self.next_event() {
            Some(next) if next.at_ply as usize <= plies || plies >= self.record.plies.len() => {
                format!("events[{}]", self.referee.events().len())
            }
            _ => format!("plies[{plies}]"),
        }
    }

    /// Continues with the next recorded move or event. False: there is none.
    fn next_step(&mut self) -> Result<bool, CallScriptError> {
        let plies = self.referee.chosen_plies();
        let next = self.next_event();
        if let Some(next) = next.filter(|next| next.at_ply as usize <= plies) {
            if (next.at_ply as usize) < plies {
                return Err(incoherent(self.place(), format!("{plies} moves have been played")));
            }
            self.apply_event(&next.kind)?;
            return Ok(true);
        }
        if timeline::next_move(self.record, plies, self.referee.events().len()).is_some() {
            self.apply_move()?;
            return Ok(true);
        }
        if next.is_some() {
            return Err(incoherent(self.place(), "the record has fewer moves"));
        }
        match self.record.result.as_ref().map(|result| (&result.termination, &result.sentence)) {
            Some((Termination::Aborted, sentence)) => {
                let reason = sentence.strip_prefix("aborted: ").unwrap_or(sentence).to_owned();
                self.feed(Event::Abort { reason })?;
                Ok(true)
            }
            Some((Termination::Disconnected, sentence)) => {
                let player = (0..self.referee.player_count()).find(|player| {
                    let name = self.referee.player(*player).map(|setup| setup.name.as_str());
                    !self.is_engine(*player) && name.is_some_and(|name| sentence.starts_with(name))
                });
                let no_person = || incoherent("result", "no person has disconnected");
                self.feed(Event::Disconnect { player: player.ok_or_else(no_person)? })?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Answers the open request with the next recorded move.
    fn apply_move(&mut self) -> StepResult {
        let events = self.referee.events().len();
        let plies = self.referee.chosen_plies();
        let recorded = timeline::next_move(self.record, plies, events);
        let ply = recorded.and_then(|recorded| recorded.ply);
        self.apply_slow_stop(ply.and_then(|ply| ply.pondering.as_deref()))?;
        let (Some(recorded), Some(open)) = (recorded, self.open_call.take()) else {
            return Err(incoherent(self.place(), "no move was requested"));
        };
        let offered = self.next_event().is_some_and(
            |next| matches!(next.kind, EventKind::DrawOffered { player } if player == open.player),
        );
        // The usage of an undone move is not recorded; the undo restored the clock.
        let nothing = Usage { cpu_us: Some(0), fuel: Some(0), ..Usage::default() };
        let spent = ply.map_or(nothing, |ply| ply.spent);
        let choice = Choice {
            decision: Decision::Play(recorded.mv.to_owned()),
            offers_draw: ply.map_or(offered, |ply| ply.offers_draw),
            // The line of an undone move is not recorded. It did not end the bout.
            line: ply.and_then(|ply| ply.line.as_ref()).map(LineRecord::to_line),
        };
        let expected = match ply {
            Some(ply) => {
                let (mv, offers_draw) = (recorded.mv.to_owned(), ply.offers_draw);
                ExpectedResult::Answer(RecordedAnswer::Move { mv, offers_draw }, Box::new(spent))
            }
            None => ExpectedResult::Unknown,
        };
        self.answer(&open, expected, choice, spent)
    }

    /// Charges a slow stop of pondering before the player's request, which lowers its limits.
    fn apply_slow_stop(&mut self, pondering: Option<&PonderingTime>) -> StepResult {
        let (Some(pondering), Some(open)) = (pondering, &self.open_call) else { return Ok(()) };
        let (player, stop_us) = (open.player, pondering.stop_us);
        // Only the time of the stop is sent: the check for too much CPU time is not repeated.
        let spent = Usage { wall_us: stop_us, cpu_us: Some(stop_us), ..Usage::default() };
        self.feed(Event::PonderingEnded { player, spent, stop_us })?;
        while let Some(command) = self.commands.pop_front() {
            self.execute(command)?;
        }
        Ok(())
    }

    /// Sends an answer to the referee, after its time has passed.
    fn answer(
        &mut self,
        open: &OpenCall,
        expected: ExpectedResult,
        choice: Choice,
        spent: Usage,
    ) -> StepResult {
        let &OpenCall { player, call, .. } = open;
        if self.is_engine(player) {
            self.add_choose(open, expected)?;
        } else {
            self.now_us = self.now_us.saturating_add(spent.wall_us);
        }
        let (response, reported) = (ChooseResponse { choice, spent }, self.reported());
        self.feed(Event::Answered { player, call, response, reported })
    }

    fn add_choose(&mut self, open: &OpenCall, expected: ExpectedResult) -> StepResult {
        let barred = self.barred(open.player);
        self.barred = self.barred.saturating_add(barred.len());
        if self.barred > BARRED_MAX {
            return Err(incoherent(self.place(), "there are too many refused moves"));
        }
        let from_report = match expected {
            ExpectedResult::Fault(_) => self.reported().pop(),
            _ => None,
        };
        let call = EngineCall::Choose(Box::new(open.limits.clone()), barred);
        self.add_step(open.player, call, expected, from_report);
        Ok(())
    }

    /// The moves of the player that were refused in this turn.
    fn barred(&self, player: usize) -> Vec<Barred> {
        let at_ply = self.referee.chosen_plies() as u32;
        let events = self.record.events.get(..self.referee.events().len()).unwrap_or_default();
        let this_turn = events.iter().rev().take_while(|event| {
            event.at_ply == at_ply
                && !matches!(event.kind, EventKind::Undone { .. } | EventKind::Reloaded)
        });
        let refused = this_turn.filter_map(|event| match &event.kind {
            EventKind::Refused { player: other, r#move, reason, .. } if *other == player => {
                Some(Barred { r#move: r#move.clone(), reason: reason.clone() })
            }
            _ => None,
        });
        let mut barred: Vec<Barred> = refused.collect();
        barred.reverse();
        barred
    }

    /// The move that was taken from the reports of an engine that exceeded its time limit.
    fn reported(&self) -> Vec<String> {
        let events = self.referee.events().len();
        let recorded = timeline::next_move(self.record, self.referee.chosen_plies(), events);
        // The origin of an undone move is not recorded. If an overrun precedes it, the move came
        // from the reports: otherwise the engine would have lost.
        let is_reported = |ply: &PlyRecord| ply.origin.is_some();
        let recorded = recorded.filter(|recorded| recorded.ply.is_none_or(is_reported));
        recorded.map(|recorded| vec![recorded.mv.to_owned()]).unwrap_or_default()
    }

    /// Takes the open request. Err: it is not this player's.
    fn take_open_call(&mut self, player: usize) -> Result<OpenCall, CallScriptError> {
        let open = self.open_call.take().filter(|open| open.player == player);
        let missing = || format!("no move of player {player} was requested");
        open.ok_or_else(|| incoherent(self.place(), missing()))
    }

    /// Sends the referee what leads to a recorded event.
    fn apply_event(&mut self, kind: &EventKind) -> StepResult {
        match kind {
            EventKind::Refused { player, r#move, reason, spent, .. } => {
                let open = self.take_open_call(*player)?;
                let spent = spent.unwrap_or_default();
                let is = |word: &str, rejection: Rejection| {
                    r#move == word && *reason == rejection.to_string()
                };
                let (decision, answered) = if is("accept-draw", Rejection::NoOffer) {
                    (Decision::AcceptDraw, RecordedAnswer::DrawAccepted)
                } else if is("resign", Rejection::ResignationForbidden) {
                    (Decision::Resign, RecordedAnswer::Resigned)
                } else {
                    (Decision::Play(r#move.clone()), RecordedAnswer::Refused(r#move.clone()))
                };
                let choice = Choice { decision, offers_draw: false, line: None };
                let expected = ExpectedResult::Answer(answered, Box::new(spent));
                self.answer(&open, expected, choice, spent)?;
                if !self.is_engine(*player) {
                    // A person tries again on the same request.
                    self.open_call = Some(open);
                }
                Ok(())
            }
            EventKind::Fault { player, code, sentence, call, spent } => {
                let fault = fault(*code, sentence, *call, *spent);
                self.apply_fault(*player, fault)
            }
            EventKind::Overrun { player, spent, .. } => self.apply_overrun(*player, *spent),
            EventKind::Resigned { player, spent } => match spent {
                Some(spent) => {
                    let answered = RecordedAnswer::Resigned;
                    self.apply_final_answer(*player, Decision::Resign, answered, *spent)
                }
                None => self.apply_input(*player, Event::Resign { player: *player }),
            },
            EventKind::DrawAccepted { player, spent } => match spent {
                Some(spent) => {
                    let answered = RecordedAnswer::DrawAccepted;
                    self.apply_final_answer(*player, Decision::AcceptDraw, answered, *spent)
                }
                None => self.apply_input(*player, Event::AcceptDraw { player: *player }),
            },
            EventKind::Undone { moves, thinking } => {
                if let Some(open) = self.open_call.take()
                    && *thinking
                {
                    let call = open.call;
                    self.add_choose(&open, ExpectedResult::Unknown)?;
                    self.given_up = Some(open.player);
                    self.feed(Event::CallBegan { call })?;
                }
                let plies = u32::try_from(moves.len()).unwrap_or(u32::MAX);
                self.feed(Event::Undo { plies: Some(plies), by: None })
            }
            EventKind::DrawOffered { player } => {
                self.apply_input(*player, Event::OfferDraw { player: *player })
            }
            EventKind::DrawDeclined { player } => {
                let side = self.referee.side(*player);
                let by = (0..self.referee.player_count())
                    .find(|other| self.referee.side(*other) != side && !self.is_engine(*other));
                let player = by.unwrap_or(*player);
                self.apply_input(player, Event::DeclineDraw { player })
            }
            EventKind::Solved { score } => {
                let place = self.place();
                let missing = || incoherent(place, "no position was to be solved here");
                let call = self.solving.take().ok_or_else(missing)?;
                self.feed(Event::Solved { call, score: *score })
            }
            EventKind::Paused => self.feed(Event::Pause),
            EventKind::Resumed => self.feed(Event::Resume),
            EventKind::Reloaded => self.reload(),
            EventKind::Started { player } => {
                let reason = format!("no instance of player {player} was to be started");
                Err(incoherent(self.place(), reason))
            }
        }
    }

    /// Sends an input of a person. The answers of engines are recorded with their usage.
    fn apply_input(&mut self, player: usize, event: Event) -> StepResult {
        if self.is_engine(player) {
            let reason = format!("player {player} is an engine, but the usage is missing");
            return Err(incoherent(self.place(), reason));
        }
        self.feed(event)
    }

    /// Sends an engine's answer that ends the bout.
    fn apply_final_answer(
        &mut self,
        player: usize,
        decision: Decision,
        answered: RecordedAnswer,
        spent: Usage,
    ) -> StepResult {
        let open = self.take_open_call(player)?;
        let choice = Choice { decision, offers_draw: false, line: None };
        self.answer(&open, ExpectedResult::Answer(answered, Box::new(spent)), choice, spent)
    }

    /// Sends the fault of an engine's call.
    fn apply_fault(&mut self, player: usize, fault: Fault) -> StepResult {
        if fault.call == Some(CallName::Think) {
            // While pondering; the open request is another player's.
            if !self.record.players.get(player).is_some_and(|player| player.ponders) {
                let reason = format!("player {player} does not ponder");
                return Err(incoherent(self.place(), reason));
            }
            let reported = Vec::new();
            return self.feed(Event::Fault { player, call: None, fault, reported });
        }
        let open = self.open_call.take_if(|open| open.player == player);
        let given_up = self.given_up.take_if(|given_up| *given_up == player);
        if open.is_none() && given_up.is_none() {
            let reason = format!("player {player} had no call that could fail");
            return Err(incoherent(self.place(), reason));
        }
        // Without a usage of the engine, the referee's own reading counted.
        let after = self.record.events.get(self.referee.events().len() + 1);
        if let Some(EventKind::Overrun { spent, .. }) = after.map(|event| &event.kind) {
            self.now_us = self.now_us.saturating_add(*spent);
        }
        // The number of a call that was given up is unknown.
        let call = Some(open.as_ref().map_or(0, |open| open.call));
        if let Some(open) = &open {
            self.add_choose(open, ExpectedResult::Fault(Box::new(fault.clone())))?;
        }
        let reported = self.reported();
        self.feed(Event::Fault { player, call, fault, reported })
    }

    /// Sends an exceeded time limit without a fault.
    fn apply_overrun(&mut self, player: usize, spent: u64) -> StepResult {
        let open = self.take_open_call(player)?;
        self.now_us = self.now_us.saturating_add(spent);
        if !self.is_engine(player) {
            return self.feed(Event::Tick);
        }
        if open.limits.unit == Unit::Fuel {
            let reason = "an engine that uses up its fuel does not answer";
            return Err(incoherent(self.place(), reason));
        }
        self.add_choose(&open, ExpectedResult::Unknown)?;
        let spent =
            Usage { wall_us: spent, cpu_us: Some(spent), fuel: Some(spent), ..Usage::default() };
        let choice = Choice { decision: Decision::Resign, offers_draw: false, line: None };
        let (response, reported) = (ChooseResponse { choice, spent }, self.reported());
        self.feed(Event::Answered { player, call: open.call, response, reported })
    }

    /// Begins a new session, with fresh instances that receive all moves so far.
    fn reload(&mut self) -> StepResult {
        self.sessions += 1;
        if self.sessions > SESSIONS_MAX {
            let reason = format!("there are more than {SESSIONS_MAX} sessions");
            return Err(incoherent(self.place(), reason));
        }
        let place = self.place();
        let ended = std::mem::replace(&mut self.referee, new_referee(self.record, &self.start)?);
        let (plies, events) = ended.into_history();
        self.referee.restore(plies, events, 0).map_err(|error| incoherent(place, error))?;
        (self.open_call, self.solving, self.given_up) = (None, None, None);
        self.feed(Event::Begin)
    }

    fn is_engine(&self, player: usize) -> bool {
        self.referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Engine)
    }

    fn setup(&self, player: usize, plies: usize) -> Option<Setup> {
        let setup = self.referee.engine_setup(&self.start, player, plies);
        let player = self.record.players.get(player)?;
        Some(player.engine.as_ref()?.instance_setup(setup))
    }
}

/// The fault in this event, if it is one of this call of this player.
fn recorded_fault(event: &EventRecord, player: usize, name: CallName) -> Option<Fault> {
    match &event.kind {
        EventKind::Fault { player: other, code, sentence, call, spent }
            if *other == player && *call == Some(name) =>
        {
            Some(fault(*code, sentence, *call, *spent))
        }
        _ => None,
    }
}

fn fault(code: FaultCode, sentence: &str, call: Option<CallName>, spent: Usage) -> Fault {
    Fault { call, spent, ..Fault::new(code, sentence) }
}
