//! What follows from an answer, a fault or an exceeded time limit: a move, a refusal and another
//! request, or the end of the bout with its sentence.

use std::sync::Arc;

use sandboard_abi::{Barred, Choice, Decision, Unit, limits};
use sandboard_engine::{Amount, ChooseResponse, Fault, FaultCode, Usage};
use sandboard_games::{Ending, Seat, Side, winner};

use super::messages::{Command, EventKind, MoveOrigin, Notice, Rejection};
use super::{
    BoutResult, PlayerState, Ply, PonderingTime, Referee, SeenMove, Termination, TimeoutPolicy,
    Turn,
};
use crate::messages as sentences;
use crate::text::{sanitize, shorten_line};

/// An exceeded time limit.
#[derive(Default)]
pub(super) struct Overrun {
    /// What was spent, in the unit of the player's budget.
    pub spent: u64,
    /// The moves that the engine reported in this call, newest first.
    pub reported: Vec<String>,
    /// The sentence of the fault, if the engine was killed and its instance is gone.
    pub fault_sentence: Option<String>,
}

impl Referee {
    pub(super) fn receive_answer(
        &mut self,
        player: usize,
        call: u64,
        response: ChooseResponse,
        reported: Vec<String>,
        out: &mut Vec<Command>,
    ) -> Result<(), Rejection> {
        let is_person = !self.is_engine(player);
        let paused = self.paused;
        let turn = self.turn.as_mut().filter(|turn| turn.running && turn.player == player);
        let turn = turn.filter(|turn| turn.call == call).ok_or(Rejection::NoSuchCall(player))?;
        if is_person && paused {
            return Err(Rejection::Paused);
        }
        // The call of an engine is over; a person can try again.
        turn.running = is_person;
        if paused {
            turn.held = Some((response, reported));
        } else {
            self.judge_answer(player, response, reported, out);
        }
        Ok(())
    }

    /// Judges the answer of the player to move.
    pub(super) fn judge_answer(
        &mut self,
        player: usize,
        response: ChooseResponse,
        reported: Vec<String>,
        out: &mut Vec<Command>,
    ) {
        let ChooseResponse { choice, mut spent } = response;
        let is_person = !self.is_engine(player);
        let elapsed = self.turn.as_ref().map_or(0, |turn| turn.elapsed_us(self.now_us));
        if is_person {
            spent = Usage { wall_us: elapsed, ..Usage::default() };
        }
        let owed = self.take_owed(player);
        let clock = &self.players[player].clock;
        let Some(mut reading) = clock.reading(&spent) else {
            let unit = match clock.budget().unit() {
                Unit::Fuel => "fuel",
                Unit::Cpu => "CPU time",
                Unit::Unlimited | Unit::Wall => "wall time",
            };
            let reason = sentences::not_measured(unit, self.name(player));
            return self.abort(&reason, out);
        };
        let guard = self.settings.guard_us;
        if clock.budget().unit() == Unit::Wall && elapsed > reading.saturating_add(guard) {
            reading = elapsed;
        }
        reading = reading.saturating_sub(self.free_us(player)).saturating_add(owed);
        let clock = &self.players[player].clock;
        if clock.is_exceeded_by(reading, self.settings.grace) {
            let overrun = Overrun { spent: reading, reported, fault_sentence: None };
            return self.handle_overrun(player, overrun, out);
        }
        self.players[player].clock.charge(reading);
        let engine_spent = (!is_person).then_some(spent);
        match choice.decision {
            Decision::Resign => match self.check_resignation() {
                Ok(()) => self.end_by_resignation(player, engine_spent, out),
                Err(rejection) => {
                    let reason = rejection.to_string();
                    let refused = Barred { r#move: "resign".into(), reason };
                    self.refuse_answer(player, refused, engine_spent, out);
                }
            },
            Decision::AcceptDraw => match self.offer_to(player) {
                Ok(_) => self.end_by_agreement(player, engine_spent, out),
                Err(rejection) => {
                    let reason = rejection.to_string();
                    let refused = Barred { r#move: "accept-draw".into(), reason };
                    self.refuse_answer(player, refused, engine_spent, out);
                }
            },
            Decision::Play(text) if text.len() > limits::MOVE_BYTES => {
                let reason = sentences::move_text_too_long(text.len(), limits::MOVE_BYTES);
                self.refuse_answer(player, Barred { r#move: text, reason }, engine_spent, out);
            }
            Decision::Play(text) => match self.accept(&text) {
                Ok(accepted) => {
                    let Choice { offers_draw, line, .. } = choice;
                    let line = line.map(|line| Box::new(shorten_line(line)));
                    let ply = self.new_ply(player, accepted, spent);
                    let ply = Ply { line, offers_draw, ..ply };
                    self.complete_move(player, ply, false, out);
                }
                Err(_) if self.abort_if_rules_failed(out) => {}
                Err(refusal) => {
                    let refused = Barred { r#move: text, reason: refusal.reason };
                    self.refuse_answer(player, refused, engine_spent, out);
                }
            },
        }
    }

    /// A move that the game has accepted, without line and offer.
    fn new_ply(
        &self,
        player: usize,
        (mv, seen): (Arc<str>, Option<SeenMove>),
        spent: Usage,
    ) -> Ply {
        Ply {
            seat: self.turn.as_ref().map(|turn| turn.seat.0),
            player: Some(player),
            mv,
            seen,
            spent,
            clock: self.players[player].clock,
            line: None,
            origin: None,
            offers_draw: false,
            pondering: None,
        }
    }

    /// Adds a move that the game has accepted, and begins the next turn. A move that others decide
    /// at the same time is kept until all have. `instance_lost`: the mover's engine was killed and
    /// is started again.
    fn complete_move(
        &mut self,
        player: usize,
        ply: Ply,
        instance_lost: bool,
        out: &mut Vec<Command>,
    ) {
        let Some(turn) = self.turn.take() else { return };
        let offers_draw = ply.offers_draw && self.settings.draw_offers;
        let state: &mut PlayerState = &mut self.players[player];
        state.clock.complete_move();
        let pondering = std::mem::take(&mut state.pondering);
        let pondering = (pondering != PonderingTime::default()).then(|| Box::new(pondering));
        let ply = Ply { clock: state.clock, offers_draw, pondering, ..ply };
        if turn.is_shared {
            self.step.push(ply);
            self.stop_pondering(out);
            if instance_lost {
                self.start_engine(player, out);
            }
        } else {
            self.clocks_before.push(turn.clock_before);
            let first = self.add([ply], out);
            self.update_offer(player, offers_draw, out);
            self.send(first, instance_lost.then_some(player), out);
        }
        self.next_turn(out);
    }

    /// A move declines the offer that its mover has seen, and can contain a new offer.
    fn update_offer(&mut self, player: usize, offers_draw: bool, out: &mut Vec<Command>) {
        if let Some(offer) = self.draw_offer.as_ref()
            && offer.seen
            && let Ok(by) = self.offer_to(player)
        {
            self.draw_offer = None;
            out.push(Command::Notify(Notice::DrawDeclined { player: by }));
        }
        let is_open = self.draw_offer.as_ref().is_some_and(|offer| offer.by == player);
        if offers_draw && !is_open {
            self.open_offer(player, out);
        }
    }

    /// Refuses an answer: a person tries again on the running clock, an engine gets another
    /// request or loses. `spent` is the usage of an engine's call.
    fn refuse_answer(
        &mut self,
        player: usize,
        refused: Barred,
        spent: Option<Usage>,
        out: &mut Vec<Command>,
    ) {
        let mv = sanitize(&refused.r#move, limits::MOVE_BYTES);
        let reason = sanitize(&refused.reason, limits::REASON_BYTES);
        let is_person = !self.is_engine(player);
        let now_us = self.now_us;
        let Some(turn) = self.turn.as_mut() else { return };
        let mut requests_left = None;
        if is_person {
            // A person's clock runs on, and is charged once, at the move.
            self.players[player].clock = turn.clock_before;
        } else {
            turn.requests_left = turn.requests_left.saturating_sub(1);
            turn.running = false;
            turn.since_us = Some(now_us);
            turn.barred.push(Barred { r#move: mv.clone(), reason: reason.clone() });
            requests_left = Some(turn.requests_left);
        }
        let position = sanitize(&self.game.position(), limits::LINE_BYTES);
        self.record_event(EventKind::Refused {
            player,
            r#move: mv.clone(),
            reason: reason.clone(),
            spent,
            position,
        });
        let sentence = sentences::illegal_move(&mv, &reason);
        out.push(Command::Notify(Notice::Refused { player, mv, reason, requests_left }));
        match requests_left {
            Some(0) => {
                let sentence = sentences::lost(self.name(player), self.side_of(player), sentence);
                self.lose(player, Termination::IllegalMove, sentence, out);
            }
            Some(_) => {
                out.push(Command::SaveRecord);
                self.request(out);
            }
            None => (),
        }
    }

    /// Charges an exceeded time limit, and applies the [`TimeoutPolicy`] of the bout.
    pub(super) fn handle_overrun(
        &mut self,
        player: usize,
        overrun: Overrun,
        out: &mut Vec<Command>,
    ) {
        let Overrun { spent, reported, fault_sentence } = overrun;
        let clock = &mut self.players[player].clock;
        let (allowed, unit) = (clock.allowed().unwrap_or(spent), clock.budget().unit());
        clock.charge(spent);
        self.record_event(EventKind::Overrun { player, spent, allowed });
        out.push(Command::Notify(Notice::Overrun { player, spent, allowed }));
        if self.settings.on_timeout == TimeoutPolicy::PlayReported && self.is_engine(player) {
            for text in reported.iter().filter(|text| text.len() <= limits::MOVE_BYTES) {
                let Ok(accepted) = self.accept(text) else { continue };
                let origin = Some(MoveOrigin::ReportedOnTimeout);
                let spent = match unit {
                    Unit::Fuel => Usage { fuel: Some(spent), ..Usage::default() },
                    Unit::Cpu => Usage { cpu_us: Some(spent), ..Usage::default() },
                    _ => Usage { wall_us: spent, ..Usage::default() },
                };
                let ply = Ply { origin, ..self.new_ply(player, accepted, spent) };
                return self.complete_move(player, ply, fault_sentence.is_some(), out);
            }
        }
        let amount = |value| Amount { unit, value };
        let how = fault_sentence.unwrap_or_else(|| match unit {
            Unit::Cpu => sentences::took_too_much_cpu(amount(spent), amount(allowed)),
            _ => sentences::took_too_long(amount(spent), amount(allowed)),
        });
        let sentence = sentences::lost_on_time(self.name(player), self.side_of(player), how);
        self.lose(player, Termination::Timeout, sentence, out);
    }

    pub(super) fn judge_fault(
        &mut self,
        player: usize,
        call: Option<u64>,
        fault: Fault,
        reported: Vec<String>,
        out: &mut Vec<Command>,
    ) {
        let sentence = sanitize(&fault.sentence, limits::REASON_BYTES);
        let fault = Fault { sentence: sentence.clone(), ..fault };
        let code = fault.code;
        let event =
            EventKind::Fault { player, code, sentence, call: fault.call, spent: fault.spent };
        self.record_event(event);
        self.clear_pondering(player);
        let owed = if call.is_some() { self.take_owed(player) } else { 0 };
        let clock = &self.players[player].clock;
        let unit = clock.budget().unit();
        let is_timeout = match code {
            // Under fuel, too: the engine ignored a stop.
            FaultCode::Timeout => true,
            FaultCode::Fuel => unit == Unit::Fuel,
            _ => false,
        };
        // If the fault has no usage: the referee's own reading, or one unit more than the limit.
        let deadline = clock.deadline(self.settings.grace);
        let spent = clock.reading(&fault.spent).filter(|spent| *spent > 0).or(match unit {
            Unit::Wall => self.turn.as_ref().map(|turn| turn.elapsed_us(self.now_us)),
            _ => deadline.map(|deadline| deadline.saturating_add(1)),
        });
        let spent = spent.map(|spent| spent.saturating_add(owed));
        let sentence = fault.sentence.clone();
        let to_move = self.to_move();
        let is_current = call.is_some_and(|call| to_move == Some((player, Some(call))));
        if let Some(turn) = self.turn.as_mut().filter(|_| is_current) {
            turn.running = false;
        }
        out.push(Command::Notify(Notice::Faulted { player, fault }));
        match call {
            _ if is_timeout && is_current => {
                let spent = spent.unwrap_or(0);
                let clock = &self.players[player].clock;
                if self.paused && !clock.is_exceeded_by(spent, self.settings.grace) {
                    self.restart_in_pause(player, spent, out);
                } else {
                    let fault_sentence = Some(sentence);
                    let overrun = Overrun { spent, reported, fault_sentence };
                    self.handle_overrun(player, overrun, out);
                }
            }
            // A given-up call that ignored its stop: a fresh instance replaces the old one, and
            // gets the request that the old one may have received since.
            Some(_) if is_timeout => {
                self.start_engine(player, out);
                let is_to_move = |turn: &Turn| turn.running && turn.player == player;
                if self.turn.as_ref().is_some_and(is_to_move) && !self.paused {
                    self.request(out);
                }
            }
            _ if code == FaultCode::Host => {
                let reason =
                    sentences::engine_failed(self.name(player), self.side_of(player), sentence);
                self.abort(&reason, out);
            }
            _ => {
                let sentence =
                    sentences::lost_by_fault(self.name(player), self.side_of(player), sentence);
                let termination = match code {
                    FaultCode::IllegalMove => Termination::IllegalMove,
                    fault => Termination::Fault { fault },
                };
                self.lose(player, termination, sentence, out);
            }
        }
    }

    /// An engine that ignored the stop of a pause was killed. It loses its instance and the time
    /// it spent, and gets a new request on resume.
    fn restart_in_pause(&mut self, player: usize, spent: u64, out: &mut Vec<Command>) {
        self.players[player].clock.charge(spent);
        self.start_engine(player, out);
    }

    pub(super) fn end_by_rules(&mut self, ending: Ending, out: &mut Vec<Command>) {
        let Ending { scores, reason } = ending;
        let rule = reason.into_owned();
        let winner = winner(&scores, |seat| self.game.side(seat));
        let mut sentence = match winner {
            Some(side) => {
                sentences::won_by_rule(self.players_of(side), self.game.side_name(side), &rule)
            }
            None if self.game.has_two_sides() => sentences::draw_by_rule(&rule),
            None => sentences::shared_win(self.best_sides(&scores), &rule),
        };
        if !self.game.has_two_sides() {
            let scores: Vec<String> = scores.iter().map(i32::to_string).collect();
            sentence = sentences::with_scores(sentence, scores.join(", "));
        }
        let winner = winner.map(|side| side.0);
        let termination = Termination::Rules { rule };
        self.finish(BoutResult { winner, termination, scores, sentence }, out);
    }

    /// The sides with the highest of these scores, in sentences.
    fn best_sides(&self, scores: &[i32]) -> String {
        let highest = scores.iter().max();
        let best = (0..).zip(scores).filter(|(_, score)| Some(*score) == highest);
        let mut sides: Vec<Side> = best.map(|(seat, _)| self.game.side(Seat(seat))).collect();
        sides.dedup();
        let names: Vec<String> = sides.into_iter().map(|side| self.side_players(side)).collect();
        names.join(" and ")
    }

    pub(super) fn end_by_resignation(
        &mut self,
        player: usize,
        spent: Option<Usage>,
        out: &mut Vec<Command>,
    ) {
        self.record_event(EventKind::Resigned { player, spent });
        let sentence = sentences::resigned(self.name(player), self.side_of(player));
        self.lose(player, Termination::Resignation, sentence, out);
    }

    pub(super) fn end_by_disconnection(&mut self, player: usize, out: &mut Vec<Command>) {
        let sentence = sentences::lost_connection(self.name(player), self.side_of(player));
        self.lose(player, Termination::Disconnected, sentence, out);
    }

    /// `player` accepts the draw that the other side offers.
    pub(super) fn end_by_agreement(
        &mut self,
        player: usize,
        spent: Option<Usage>,
        out: &mut Vec<Command>,
    ) {
        self.record_event(EventKind::DrawAccepted { player, spent });
        self.end_in_draw(Termination::DrawAgreed, sentences::DRAW_AGREED.into(), out);
    }

    pub(super) fn end_by_ply_limit(&mut self, out: &mut Vec<Command>) {
        let sentence = sentences::ply_limit(self.settings.plies_max);
        self.end_in_draw(Termination::PlyLimit, sentence, out);
    }

    pub(super) fn abort(&mut self, reason: &str, out: &mut Vec<Command>) {
        let sentence = sentences::aborted(sanitize(reason, limits::REASON_BYTES));
        let (termination, scores) = (Termination::Aborted, Vec::new());
        self.finish(BoutResult { winner: None, termination, scores, sentence }, out);
    }

    fn end_in_draw(&mut self, termination: Termination, sentence: String, out: &mut Vec<Command>) {
        let scores = self.scores_of_sides(|_| 0);
        self.finish(BoutResult { winner: None, termination, scores, sentence }, out);
    }

    /// The score of each seat: that of its side.
    pub(super) fn scores_of_sides(&self, score: impl Fn(Side) -> i32) -> Vec<i32> {
        (0..self.game.seats()).map(|seat| score(self.game.side(Seat(seat)))).collect()
    }

    /// Ends the bout: the side of `player` loses, and all others have done better.
    fn lose(
        &mut self,
        player: usize,
        termination: Termination,
        sentence: String,
        out: &mut Vec<Command>,
    ) {
        let loser = self.players[player].side;
        let scores = self.scores_of_sides(|side| if side == loser { -1 } else { 1 });
        let winner = winner(&scores, |seat| self.game.side(seat)).map(|side| side.0);
        self.finish(BoutResult { winner, termination, scores, sentence }, out);
    }

    pub(super) fn finish(&mut self, result: BoutResult, out: &mut Vec<Command>) {
        self.stop_call(out);
        self.stop_pondering(out);
        self.result = Some(result.clone());
        (self.turn, self.solving) = (None, None);
        self.draw_offer = None;
        self.set_timer(out);
        out.extend([Command::SaveRecord, Command::Finish(result)]);
    }

    fn name(&self, player: usize) -> &str {
        &self.players[player].setup.name
    }

    /// The current name of a player's side.
    fn side_of(&self, player: usize) -> &'static str {
        self.game.side_name(self.players[player].side)
    }

    /// The names of a side's players, in sentences.
    pub(super) fn players_of(&self, side: Side) -> String {
        let of_side = self.players.iter().filter(|player| player.side == side);
        let names: Vec<_> = of_side.map(|player| player.setup.name.as_str()).collect();
        names.join(" and ")
    }

    /// A side in sentences: the names of its players and its current name.
    fn side_players(&self, side: Side) -> String {
        format!("{} ({})", self.players_of(side), self.game.side_name(side))
    }
}
