//! How the referee handles each event: turns, pauses, undo and draw offers. `judgement.rs` handles
//! answers, faults and exceeded time limits.

use sandboard_abi::{Limits, Unit};

use sandboard_engine::Fault;

use super::judgement::Overrun;
use super::messages::{Command, Event, EventKind, EventRecord, Notice, Rejection};
use super::steps::NextStep;
use super::{DrawOffer, Referee, Turn};

type Handled = Result<(), Rejection>;

impl Referee {
    /// Handles one event and appends the commands that follow from it. `now_us` is in
    /// microseconds on any clock; a time before the previous one counts as the previous one.
    pub fn handle(&mut self, now_us: u64, event: Event, out: &mut Vec<Command>) {
        self.now_us = self.now_us.max(now_us);
        if let Err(rejection) = self.dispatch(event, out) {
            out.push(Command::Reject(rejection));
        }
        if self.started && self.result.is_none() {
            self.abort_if_rules_failed(out);
        }
    }

    /// Aborts the bout if the rules of the game, which may be plugged in, have failed: that is no
    /// player's fault.
    pub(super) fn abort_if_rules_failed(&mut self, out: &mut Vec<Command>) -> bool {
        let Some(fault) = self.game.fault() else { return false };
        let reason = crate::messages::rules_failed(self.game.info().name, fault);
        self.abort(&reason, out);
        true
    }

    fn dispatch(&mut self, event: Event, out: &mut Vec<Command>) -> Handled {
        if self.result.is_some() {
            // An engine that was pondering at the end returns after it.
            if let Event::PonderingEnded { .. } = event {
                return Ok(());
            }
            return Err(Rejection::Finished);
        }
        let player = match &event {
            Event::Answered { player, .. }
            | Event::Fault { player, .. }
            | Event::PonderingEnded { player, .. }
            | Event::Resign { player }
            | Event::OfferDraw { player }
            | Event::AcceptDraw { player }
            | Event::DeclineDraw { player }
            | Event::Disconnect { player } => Some(*player),
            Event::Undo { by, .. } => *by,
            _ => None,
        };
        if let Some(player) = player.filter(|player| *player >= self.players.len()) {
            return Err(Rejection::UnknownPlayer(player));
        }
        let before_start =
            matches!(event, Event::Begin | Event::Abort { .. } | Event::Disconnect { .. });
        if !self.started && !before_start {
            return Err(Rejection::NotStarted);
        }
        match event {
            Event::Begin => self.begin(out),
            Event::CallBegan { call } => self.begin_call(call, out),
            Event::Answered { player, call, response, reported } => {
                self.receive_answer(player, call, response, reported, out)
            }
            Event::Fault { player, call, fault, reported } => {
                self.fault(player, call, fault, reported, out)
            }
            Event::PonderingEnded { player, spent, stop_us } => {
                self.end_pondering(player, spent, stop_us, out);
                Ok(())
            }
            Event::Solved { call, score } => self.end_by_solution(call, score, out),
            Event::Tick => self.tick(out),
            Event::Pause => self.pause(out),
            Event::Resume => self.resume(out),
            Event::Undo { plies, by } => self.undo(plies, by, out),
            Event::Resign { player } => {
                self.check_resignation()?;
                self.end_by_resignation(player, None, out);
                Ok(())
            }
            Event::OfferDraw { player } => self.offer_draw(player, out),
            Event::AcceptDraw { player } => {
                self.offer_to(player)?;
                self.end_by_agreement(player, None, out);
                Ok(())
            }
            Event::DeclineDraw { player } => self.decline_draw(player, out),
            Event::Abort { reason } => {
                self.abort(&reason, out);
                Ok(())
            }
            Event::Disconnect { player } => {
                self.end_by_disconnection(player, out);
                Ok(())
            }
        }
    }

    fn begin(&mut self, out: &mut Vec<Command>) -> Handled {
        if self.started {
            return Err(Rejection::AlreadyStarted);
        }
        self.started = true;
        if self.restored {
            self.record_event(EventKind::Reloaded);
        }
        out.push(Command::Notify(Notice::Began));
        for player in self.engines() {
            self.start_engine(player, out);
        }
        self.next_turn(out);
        Ok(())
    }

    /// Orders a fresh instance of an engine.
    pub(super) fn start_engine(&mut self, player: usize, out: &mut Vec<Command>) {
        self.stop_pondering_of(player, out);
        self.record_event(EventKind::Started { player });
        self.observe(player, out);
        out.push(Command::Start { player, plies: self.plies.len() });
    }

    pub(super) fn record_event(&mut self, kind: EventKind) {
        self.events.push(EventRecord { at_ply: self.chosen_plies() as u32, kind });
    }

    /// Begins the turn of the player to move, or ends the bout.
    pub(super) fn next_turn(&mut self, out: &mut Vec<Command>) {
        (self.turn, self.solving) = (None, None);
        if self.abort_if_rules_failed(out) {
            return;
        }
        let (seat, is_shared) = loop {
            if let Some(ending) = self.game.ending() {
                return self.end_by_rules(ending, out);
            }
            if self.end_early(out) {
                return;
            }
            if self.plies.len() as u64 >= u64::from(self.settings.plies_max) {
                return self.end_by_ply_limit(out);
            }
            match self.next_step(out) {
                NextStep::Choice { seat, is_shared } => break (seat, is_shared),
                NextStep::Again if self.abort_if_rules_failed(out) => return,
                NextStep::Again => (),
                NextStep::Ended => return,
            }
        };
        let Some(player) = self.owner(seat) else {
            return self.abort("the game expects a move of a seat that it does not have", out);
        };
        self.turn = Some(Turn {
            player,
            seat,
            is_shared,
            call: 0,
            limits: Limits::default(),
            clock_before: self.players[player].clock,
            since_us: None,
            used_us: 0,
            running: false,
            call_begun: false,
            requests_left: self.settings.requests,
            barred: Vec::new(),
            held: None,
        });
        if !self.paused {
            self.request(out);
        }
    }

    /// Requests a move from the player to move, for the first time or again.
    pub(super) fn request(&mut self, out: &mut Vec<Command>) {
        let now_us = self.now_us;
        let Some(player) = self.turn.as_ref().map(|turn| turn.player) else { return };
        let limits = self.limits(player);
        if let Some(offer) = self.draw_offer.as_mut().filter(|_| limits.draw_offered) {
            offer.seen = true;
        }
        self.last_call += 1;
        let call = self.last_call;
        let Some(turn) = self.turn.as_mut() else { return };
        turn.call = call;
        turn.limits = limits.clone();
        turn.since_us = Some(now_us);
        turn.used_us = std::mem::take(&mut self.carried_us);
        (turn.running, turn.call_begun) = (true, false);
        let barred = turn.barred.clone();
        self.set_timer(out);
        self.start_pondering(player, out);
        out.push(Command::RequestMove { player, call, limits, barred });
    }

    /// The time of a request counts from the beginning of its call.
    fn begin_call(&mut self, call: u64, out: &mut Vec<Command>) -> Handled {
        let now_us = self.now_us;
        let turn = self.turn.as_mut().filter(|turn| turn.running && turn.call == call);
        let Some(turn) = turn else { return Ok(()) };
        turn.call_begun = true;
        if let Some(since) = turn.since_us.as_mut()
            && *since != now_us
        {
            *since = now_us;
            self.set_timer(out);
        }
        Ok(())
    }

    /// Sets or clears the timer for the current request.
    pub(super) fn set_timer(&mut self, out: &mut Vec<Command>) {
        match self.deadline_us() {
            Some(at_us) => {
                self.timer_set = true;
                out.push(Command::SetTimer { at_us });
            }
            None if self.timer_set => {
                self.timer_set = false;
                out.push(Command::ClearTimer);
            }
            None => (),
        }
    }

    /// The time from which the current request exceeds its limit by the referee's own reading.
    /// None: no request is running, or the budget does not limit wall time.
    fn deadline_us(&self) -> Option<u64> {
        let turn = self.turn.as_ref().filter(|turn| turn.running && self.result.is_none())?;
        let since_us = turn.since_us?;
        let clock = &self.players[turn.player].clock;
        if clock.budget().unit() != Unit::Wall {
            return None;
        }
        let guard = if self.is_engine(turn.player) { self.settings.guard_us } else { 0 };
        let us = clock.deadline(self.settings.grace)?.saturating_add(guard).saturating_add(1);
        let us = us.saturating_add(self.free_us(turn.player));
        let used_us = turn.used_us.saturating_add(self.players[turn.player].owed);
        Some(since_us.saturating_add(us.saturating_sub(used_us)))
    }

    fn tick(&mut self, out: &mut Vec<Command>) -> Handled {
        let Some(at_us) = self.deadline_us() else { return Ok(()) };
        if self.now_us < at_us {
            self.set_timer(out);
            return Ok(());
        }
        if let Some(turn) = self.turn.as_ref() {
            let player = turn.player;
            let spent = self.charged_us(player, self.now_us);
            self.handle_overrun(player, Overrun { spent, ..Overrun::default() }, out);
        }
        Ok(())
    }

    fn pause(&mut self, out: &mut Vec<Command>) -> Handled {
        if self.paused {
            return Err(Rejection::Paused);
        }
        self.paused = true;
        let now_us = self.now_us;
        if let Some(turn) = self.turn.as_mut() {
            turn.used_us = turn.elapsed_us(now_us);
            turn.since_us = None;
        }
        self.stop_call(out);
        self.stop_pondering(out);
        self.set_timer(out);
        self.record_event(EventKind::Paused);
        out.extend([Command::Notify(Notice::Paused), Command::SaveRecord]);
        Ok(())
    }

    fn resume(&mut self, out: &mut Vec<Command>) -> Handled {
        if !self.paused {
            return Err(Rejection::NotPaused);
        }
        let postponed = self.turn.as_ref().is_some_and(|turn| self.is_postponed(turn));
        self.paused = false;
        self.record_event(EventKind::Resumed);
        out.extend([Command::Notify(Notice::Resumed), Command::SaveRecord]);
        let now_us = self.now_us;
        let Some(turn) = self.turn.as_mut() else { return Ok(()) };
        if let Some((response, reported)) = turn.held.take() {
            let player = turn.player;
            self.judge_answer(player, response, reported, out);
        } else if turn.running {
            turn.since_us = Some(now_us);
            let (player, call) = (turn.player, turn.call);
            // The driver has dropped this command: the bout was paused when its turn came.
            let repeated = postponed.then(|| Command::RequestMove {
                player,
                call,
                limits: turn.limits.clone(),
                barred: turn.barred.clone(),
            });
            self.set_timer(out);
            self.start_pondering(player, out);
            out.extend(repeated);
        } else {
            self.request(out);
        }
        Ok(())
    }

    /// Stops the engine call in progress, if there is one.
    pub(super) fn stop_call(&mut self, out: &mut Vec<Command>) {
        let running = self.turn.as_ref().filter(|turn| turn.running);
        if let Some((player, call)) = running.map(|turn| (turn.player, turn.call))
            && self.is_engine(player)
        {
            out.push(Command::Stop { player, call });
        }
    }

    fn undo(&mut self, plies: Option<u32>, by: Option<usize>, out: &mut Vec<Command>) -> Handled {
        if !self.settings.undo {
            return Err(Rejection::UndoForbidden);
        }
        let have = self.plies.len();
        let plies = match (plies, by) {
            (Some(plies), _) => plies as usize,
            (None, None) => 1,
            (None, Some(by)) => {
                let own = self.plies.iter().rposition(|ply| ply.player == Some(by));
                own.map_or(0, |own| have - own)
            }
        };
        if plies == 0 || have == 0 {
            return Err(Rejection::NothingToUndo);
        }
        if plies > have {
            let plies = u32::try_from(plies).unwrap_or(u32::MAX);
            return Err(Rejection::TooFewMoves { have: have as u32, plies });
        }
        self.stop_call(out);
        self.stop_pondering(out);
        let mut thinking = false;
        if let Some(turn) = self.turn.take() {
            self.players[turn.player].clock = turn.clock_before;
            thinking = turn.call_begun && self.is_engine(turn.player);
        }
        let undone = self.plies.split_off(have - plies);
        let clocks = self.clocks_before.split_off(have - plies);
        for (ply, clock) in undone.iter().zip(clocks).rev() {
            if let Some(player) = ply.player {
                self.players[player].clock = clock;
            }
        }
        // The bout's plies are the last moves of the game.
        self.game.take_back(plies);
        self.side_names = self.current_side_names();
        self.draw_offer = None;
        let moves = undone.iter().map(|ply| ply.mv.to_string()).collect();
        self.events
            .push(EventRecord { at_ply: have as u32, kind: EventKind::Undone { moves, thinking } });
        let plies = plies as u32;
        out.extend(self.engines().map(|player| Command::TakeBack { player, plies }));
        out.extend([Command::Notify(Notice::Undone { plies }), Command::SaveRecord]);
        self.next_turn(out);
        Ok(())
    }

    /// Whether a player may resign: it gives the win to the other side.
    pub(super) fn check_resignation(&self) -> Result<(), Rejection> {
        match self.game.has_two_sides() {
            true => Ok(()),
            false => Err(Rejection::ResignationForbidden),
        }
    }

    /// The player whose open draw offer `player` may accept or decline.
    pub(super) fn offer_to(&self, player: usize) -> Result<usize, Rejection> {
        let side = self.players[player].side;
        let offer = self.draw_offer.as_ref().filter(|offer| self.players[offer.by].side != side);
        offer.map(|offer| offer.by).ok_or(Rejection::NoOffer)
    }

    fn offer_draw(&mut self, player: usize, out: &mut Vec<Command>) -> Handled {
        if !self.settings.draw_offers {
            return Err(Rejection::DrawForbidden);
        }
        if self.offer_to(player).is_ok() {
            // Both sides offer a draw: that is an agreement.
            self.end_by_agreement(player, None, out);
            return Ok(());
        }
        if self.draw_offer.as_ref().is_some_and(|offer| offer.by == player) {
            return Err(Rejection::AlreadyOffered);
        }
        self.open_offer(player, out);
        out.push(Command::SaveRecord);
        Ok(())
    }

    /// Opens a draw offer. People see it at once, an engine with its next request.
    pub(super) fn open_offer(&mut self, player: usize, out: &mut Vec<Command>) {
        let side = self.players[player].side;
        let seen =
            (0..self.players.len()).any(|p| self.players[p].side != side && !self.is_engine(p));
        self.draw_offer = Some(DrawOffer { by: player, seen });
        self.record_event(EventKind::DrawOffered { player });
        out.push(Command::Notify(Notice::DrawOffered { player }));
    }

    fn decline_draw(&mut self, player: usize, out: &mut Vec<Command>) -> Handled {
        let by = self.offer_to(player)?;
        self.draw_offer = None;
        self.record_event(EventKind::DrawDeclined { player: by });
        out.extend([Command::Notify(Notice::DrawDeclined { player: by }), Command::SaveRecord]);
        Ok(())
    }

    fn fault(
        &mut self,
        player: usize,
        call: Option<u64>,
        fault: Fault,
        reported: Vec<String>,
        out: &mut Vec<Command>,
    ) -> Handled {
        if !self.is_engine(player) {
            return Err(Rejection::NoSuchCall(player));
        }
        self.judge_fault(player, call, fault, reported, out);
        Ok(())
    }
}
