//! What an answer, a fault or a clock that ran out is worth: a move, a refusal
//! and another request, or the end of the bout and its sentence.

use sandboard_abi::{Barred, Choice, Decision, Line, Unit, limits};
use sandboard_games::{Outcome, Side};

use super::texts::{kept, tidy};
use super::words::{Command, Mark, Notice, Rejection, What};
use super::{BoutResult, OnTimeout, Ply, Pondered, Referee, Termination};
use crate::budget::Amount;
use crate::engine::{Fault, FaultCode, Spent};

/// An answer as it came in.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub choice: Choice,
    pub spent: Spent,
    pub reported: Vec<String>,
}

/// A move that the game has taken, with what the bout has to know of it.
struct Made {
    mv: String,
    spent: Spent,
    line: Option<Line>,
    mark: Option<Mark>,
    offers_draw: bool,
    /// The instance did not survive the call.
    poisoned: bool,
}

/// An answer that is not taken.
struct Refusal {
    mv: String,
    reason: String,
    /// What it took, where an engine gave it.
    receipt: Option<Spent>,
}

/// How a player comes to be late.
#[derive(Default)]
pub(super) struct Late {
    /// The moves it reported in this call, newest first.
    reported: Vec<String>,
    /// The sentence of the fault, where it was killed: the instance is gone.
    fault: Option<String>,
}

impl Referee {
    pub(super) fn chosen(
        &mut self,
        player: usize,
        call: u64,
        answer: Held,
        out: &mut Vec<Command>,
    ) -> Result<(), Rejection> {
        let person = !self.is_engine(player);
        let paused = self.paused;
        let turn = self.turn.as_mut().filter(|turn| turn.running && turn.player == player);
        let turn = turn.filter(|turn| turn.call == call).ok_or(Rejection::NotAsked(player))?;
        if person && paused {
            return Err(Rejection::Paused);
        }
        // The call of an engine is over; a person may still try again.
        turn.running = person;
        if paused {
            turn.held = Some(answer);
        } else {
            self.judge(player, answer, out);
        }
        Ok(())
    }

    /// Judges the answer of the player to move.
    pub(super) fn judge(&mut self, player: usize, answer: Held, out: &mut Vec<Command>) {
        let Held { choice, mut spent, reported } = answer;
        let person = !self.is_engine(player);
        let elapsed = self.turn.as_ref().map_or(0, |turn| turn.elapsed_us(self.now_us));
        if person {
            spent = Spent { wall_us: elapsed, ..Spent::default() };
        }
        let owed = self.take_owed(player);
        let clock = &self.players[player].clock;
        let Some(mut reading) = clock.reading(&spent) else {
            let unit = clock.budget().unit();
            let reason =
                format!("the host did not count what {} spent in {unit:?}", self.name(player));
            return self.aborted(&reason.to_lowercase(), out);
        };
        let guard = self.settings.guard_us;
        if clock.budget().unit() == Unit::Wall && elapsed > reading.saturating_add(guard) {
            reading = elapsed;
        }
        reading = reading.saturating_add(owed);
        if clock.is_over(reading, self.settings.grace) {
            return self.late(player, reading, Late { reported, ..Late::default() }, out);
        }
        self.players[player].clock.charge(reading);
        let receipt = (!person).then_some(spent);
        match choice.decision {
            Decision::Resign => self.resigned(player, receipt, out),
            Decision::AcceptDraw => match self.offer_to(player) {
                Ok(_) => self.draw_accepted(player, receipt, out),
                Err(rejection) => {
                    let reason = rejection.to_string();
                    let mv = "accept-draw".into();
                    self.refused(player, Refusal { mv, reason, receipt }, out);
                }
            },
            Decision::Play(text) if text.len() > limits::MOVE_BYTES => {
                let reason =
                    format!("it has {} bytes, more than {}", text.len(), limits::MOVE_BYTES);
                self.refused(player, Refusal { mv: text, reason, receipt }, out);
            }
            Decision::Play(text) => match self.game.play(&text) {
                Ok(mv) => {
                    let Choice { offers_draw, line, .. } = choice;
                    let (mark, poisoned) = (None, false);
                    self.moved(player, Made { mv, spent, line, mark, offers_draw, poisoned }, out);
                }
                Err(refusal) => {
                    let refusal = Refusal { mv: text, reason: refusal.reason, receipt };
                    self.refused(player, refusal, out);
                }
            },
        }
    }

    /// Books a move that the game has taken, and goes on.
    fn moved(&mut self, player: usize, made: Made, out: &mut Vec<Command>) {
        let Some(turn) = self.turn.take() else { return };
        let Made { mv, spent, line, mark, offers_draw, poisoned } = made;
        let offers_draw = offers_draw && self.settings.draw_offers;
        let mv: std::sync::Arc<str> = mv.into();
        self.players[player].clock.move_made();
        let pondered = std::mem::take(&mut self.players[player].pondered);
        let pondered = (pondered != Pondered::default()).then(|| Box::new(pondered));
        self.plies.push(Ply {
            seat: turn.seat.0,
            player,
            mv: mv.clone(),
            spent,
            before: turn.before,
            after: self.players[player].clock,
            line: line.map(|line| Box::new(kept(line))),
            mark,
            offers_draw,
            pondered,
        });
        let ply = (self.plies.len() - 1) as u32;
        out.push(Command::Show(Notice::Moved { player, ply, mv: mv.clone(), mark }));
        self.settle_offer(player, offers_draw, out);
        let names = self.names_now();
        if names != self.side_names {
            self.side_names = names;
            out.push(Command::Show(Notice::Swapped { names }));
        }
        self.stop_pondering(out);
        for engine in self.engines() {
            if poisoned && engine == player {
                self.start(player, out);
            } else {
                out.push(Command::Tell { player: engine, mv: mv.clone() });
            }
        }
        out.push(Command::Store);
        self.next_turn(out);
    }

    /// A move declines what its mover has heard, and may carry an offer.
    fn settle_offer(&mut self, player: usize, offers_draw: bool, out: &mut Vec<Command>) {
        if let Some(offer) = self.offer.as_ref()
            && offer.heard
            && let Ok(by) = self.offer_to(player)
        {
            self.offer = None;
            out.push(Command::Show(Notice::DrawDeclined { player: by }));
        }
        let stands = self.offer.as_ref().is_some_and(|offer| offer.by == player);
        if offers_draw && !stands {
            self.open_offer(player, out);
        }
    }

    /// Refuses an answer: a person tries again on the running clock, an engine
    /// is asked again or has lost.
    fn refused(&mut self, player: usize, refusal: Refusal, out: &mut Vec<Command>) {
        let mv = tidy(&refusal.mv, limits::MOVE_BYTES);
        let reason = tidy(&refusal.reason, limits::REASON_BYTES);
        let spent = refusal.receipt;
        let person = !self.is_engine(player);
        let now_us = self.now_us;
        let Some(turn) = self.turn.as_mut() else { return };
        let mut requests_left = None;
        if person {
            // The clock of a person runs through; what is charged is charged at the move.
            self.players[player].clock = turn.before;
        } else {
            turn.requests_left = turn.requests_left.saturating_sub(1);
            turn.running = false;
            turn.since_us = Some(now_us);
            turn.barred.push(Barred { r#move: mv.clone(), reason: reason.clone() });
            requests_left = Some(turn.requests_left);
        }
        let position = tidy(&self.game.position(), limits::LINE_BYTES);
        let (r#move, told) = (mv.clone(), reason.clone());
        self.note(What::Refused { player, r#move, reason: told, spent, position });
        let sentence = format!("the move `{mv}` is illegal: {reason}");
        out.push(Command::Show(Notice::Refused { player, mv, reason, requests_left }));
        match requests_left {
            Some(0) => {
                let sentence = format!("{} loses: {sentence}", self.called(player));
                self.lose(player, Termination::IllegalMove, sentence, out);
            }
            Some(_) => {
                out.push(Command::Store);
                self.request(out);
            }
            None => (),
        }
    }

    /// Time is up: what was spent is charged, and the setting of the bout decides.
    pub(super) fn late(&mut self, player: usize, spent: u64, late: Late, out: &mut Vec<Command>) {
        let clock = &mut self.players[player].clock;
        let (allowed, unit) = (clock.allowed().unwrap_or(spent), clock.budget().unit());
        clock.charge(spent);
        self.note(What::Late { player, spent, allowed });
        out.push(Command::Show(Notice::Late { player, spent, allowed }));
        if self.settings.on_timeout == OnTimeout::PlayReported && self.is_engine(player) {
            for text in late.reported.iter().filter(|text| text.len() <= limits::MOVE_BYTES) {
                let Ok(mv) = self.game.play(text) else { continue };
                let mark = Some(Mark::ReportedOnTimeout);
                let spent = match unit {
                    Unit::Fuel => Spent { fuel: Some(spent), ..Spent::default() },
                    Unit::Cpu => Spent { cpu_us: Some(spent), ..Spent::default() },
                    _ => Spent { wall_us: spent, ..Spent::default() },
                };
                let poisoned = late.fault.is_some();
                let made = Made { mv, spent, line: None, mark, offers_draw: false, poisoned };
                return self.moved(player, made, out);
            }
        }
        let amount = |value| Amount { unit, value };
        let how = late.fault.unwrap_or_else(|| {
            let of = if unit == Unit::Cpu { " of CPU time" } else { "" };
            format!("took {} and was allowed {}{of}", amount(spent), amount(allowed))
        });
        let sentence = format!("{} loses on time: it {how}", self.called(player));
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
        let sentence = tidy(&fault.sentence, limits::REASON_BYTES);
        let fault = Fault { sentence: sentence.clone(), ..fault };
        let code = fault.code;
        self.note(What::Fault { player, code, sentence, call: fault.call, spent: fault.spent });
        self.ponders_no_more(player);
        let owed = if call.is_some() { self.take_owed(player) } else { 0 };
        let clock = &self.players[player].clock;
        let unit = clock.budget().unit();
        let on_time = match code {
            // Under fuel: it did not stop when it was told to.
            FaultCode::Timeout => true,
            FaultCode::Fuel => unit == Unit::Fuel,
            _ => false,
        };
        // A fault without a receipt: the referee's own reading, or just over the limit.
        let deadline = clock.deadline(self.settings.grace);
        let spent = clock.reading(&fault.spent).filter(|spent| *spent > 0).or(match unit {
            Unit::Wall => self.turn.as_ref().map(|turn| turn.elapsed_us(self.now_us)),
            _ => deadline.map(|deadline| deadline.saturating_add(1)),
        });
        let spent = spent.map(|spent| spent.saturating_add(owed));
        let said = fault.sentence.clone();
        let to_move = self.to_move();
        let asked = call.is_some_and(|call| to_move == Some((player, Some(call))));
        if let Some(turn) = self.turn.as_mut().filter(|_| asked) {
            turn.running = false;
        }
        out.push(Command::Show(Notice::Faulted { player, fault }));
        match call {
            _ if on_time && asked => {
                let spent = spent.unwrap_or(0);
                if self.paused && !self.players[player].clock.is_over(spent, self.settings.grace) {
                    self.lost_in_pause(player, spent, out);
                } else {
                    self.late(player, spent, Late { reported, fault: Some(said) }, out);
                }
            }
            // It did not stop when it was told to: a fresh one takes its place,
            // and is asked what the old one may have been asked since.
            Some(_) if on_time => {
                self.start(player, out);
                let asked = |turn: &super::Turn| turn.running && turn.player == player;
                if self.turn.as_ref().is_some_and(asked) && !self.paused {
                    self.request(out);
                }
            }
            _ if code == FaultCode::Host => {
                let reason = format!("{} {said}", self.called(player));
                self.aborted(&reason, out);
            }
            _ => {
                let sentence = format!("{} loses: it {said}", self.called(player));
                let termination = match code {
                    FaultCode::IllegalMove => Termination::IllegalMove,
                    fault => Termination::Fault { fault },
                };
                self.lose(player, termination, sentence, out);
            }
        }
    }

    /// An engine that did not stop for a pause is killed: that costs it what it
    /// spent and its instance, and it is asked anew on resume.
    fn lost_in_pause(&mut self, player: usize, spent: u64, out: &mut Vec<Command>) {
        self.players[player].clock.charge(spent);
        self.start(player, out);
    }

    pub(super) fn ended_by_rules(&mut self, outcome: Outcome, out: &mut Vec<Command>) {
        let rule = outcome.reason.to_owned();
        let sentence = match outcome.winner {
            Some(side) => format!("{} wins: {rule}", self.side_called(side)),
            None => format!("draw: {rule}"),
        };
        let winner = outcome.winner.map(|side| side.0);
        let termination = Termination::Rules { rule };
        let score = Some(outcome.score);
        self.finish(BoutResult { winner, termination, score, sentence }, out);
    }

    pub(super) fn resigned(&mut self, player: usize, spent: Option<Spent>, out: &mut Vec<Command>) {
        self.note(What::Resigned { player, spent });
        let sentence = format!("{} resigns", self.called(player));
        self.lose(player, Termination::Resignation, sentence, out);
    }

    pub(super) fn disconnected(&mut self, player: usize, out: &mut Vec<Command>) {
        let sentence = format!("{} loses: the connection is gone", self.called(player));
        self.lose(player, Termination::Disconnected, sentence, out);
    }

    /// `player` takes the draw that the other side offers.
    pub(super) fn draw_accepted(
        &mut self,
        player: usize,
        spent: Option<Spent>,
        out: &mut Vec<Command>,
    ) {
        self.note(What::DrawAccepted { player, spent });
        self.nobody_wins(Termination::DrawAgreed, "draw: agreed".into(), out);
    }

    pub(super) fn ply_limit(&mut self, out: &mut Vec<Command>) {
        let sentence = format!("draw: the bout has {} plies", self.settings.plies_max);
        self.nobody_wins(Termination::PlyLimit, sentence, out);
    }

    pub(super) fn aborted(&mut self, reason: &str, out: &mut Vec<Command>) {
        let sentence = format!("aborted: {}", tidy(reason, limits::REASON_BYTES));
        self.nobody_wins(Termination::Aborted, sentence, out);
    }

    fn nobody_wins(&mut self, termination: Termination, sentence: String, out: &mut Vec<Command>) {
        self.finish(BoutResult { winner: None, termination, score: None, sentence }, out);
    }

    fn lose(
        &mut self,
        player: usize,
        termination: Termination,
        sentence: String,
        out: &mut Vec<Command>,
    ) {
        let winner = Some(self.players[player].side.other().0);
        self.finish(BoutResult { winner, termination, score: None, sentence }, out);
    }

    pub(super) fn finish(&mut self, result: BoutResult, out: &mut Vec<Command>) {
        self.stop_thinking(out);
        self.stop_pondering(out);
        self.result = Some(result.clone());
        (self.turn, self.settling) = (None, None);
        self.offer = None;
        self.arm(out);
        out.extend([Command::Store, Command::End(result)]);
    }

    fn name(&self, player: usize) -> &str {
        &self.players[player].setup.name
    }

    /// A player in sentences: its name, and what its side is called now.
    fn called(&self, player: usize) -> String {
        let side = self.game.side_name(self.players[player].side);
        format!("{} ({side})", self.name(player))
    }

    pub(super) fn side_called(&self, side: Side) -> String {
        let of_side = self.players.iter().filter(|player| player.side == side);
        let names: Vec<_> = of_side.map(|player| player.setup.name.as_str()).collect();
        format!("{} ({})", names.join(" and "), self.game.side_name(side))
    }
}
