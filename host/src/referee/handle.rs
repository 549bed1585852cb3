//! The referee's answer to each event: turns, pauses, undo and draw offers.
//! What an answer of a player is worth is in `judge`.

use sandboard_abi::Unit;

use super::judge::{Held, Late};
use super::words::{Command, Event, Incident, Notice, Rejection, What};
use super::{Offer, Referee, Turn};
use crate::engine::Fault;

type Handled = Result<(), Rejection>;

impl Referee {
    /// Takes one event and appends what is to be done. `at_us` is on any clock
    /// that does not run backwards (a reading that does is taken as the last one).
    pub fn handle(&mut self, at_us: u64, event: Event, out: &mut Vec<Command>) {
        self.now_us = self.now_us.max(at_us);
        if let Err(rejection) = self.act(event, out) {
            out.push(Command::Rejected(rejection));
        }
    }

    fn act(&mut self, event: Event, out: &mut Vec<Command>) -> Handled {
        if self.result.is_some() {
            // Who thought to the end comes back after it.
            if let Event::Pondered { .. } = event {
                return Ok(());
            }
            return Err(Rejection::Over);
        }
        let named = match &event {
            Event::Chosen { player, .. }
            | Event::Fault { player, .. }
            | Event::Pondered { player, .. }
            | Event::Resign { player }
            | Event::OfferDraw { player }
            | Event::AcceptDraw { player }
            | Event::DeclineDraw { player }
            | Event::Disconnect { player } => Some(*player),
            Event::Undo { by, .. } => *by,
            _ => None,
        };
        if let Some(player) = named.filter(|player| *player >= self.players.len()) {
            return Err(Rejection::NoPlayer(player));
        }
        let early = matches!(event, Event::Begin | Event::Abort { .. } | Event::Disconnect { .. });
        if !self.begun && !early {
            return Err(Rejection::NotBegun);
        }
        match event {
            Event::Begin => self.begin(out),
            Event::Asked { call } => self.call_begins(call, out),
            Event::Chosen { player, call, choice, spent, reported } => {
                self.chosen(player, call, Held { choice, spent, reported }, out)
            }
            Event::Fault { player, call, fault, reported } => {
                self.fault(player, call, fault, reported, out)
            }
            Event::Pondered { player, spent, late_us } => {
                self.pondered(player, spent, late_us, out);
                Ok(())
            }
            Event::Settled { call, score } => self.settled(call, score, out),
            Event::Tick => self.tick(out),
            Event::Pause => self.pause(out),
            Event::Resume => self.resume(out),
            Event::Undo { plies, by } => self.undo(plies, by, out),
            Event::Resign { player } => {
                self.resigned(player, None, out);
                Ok(())
            }
            Event::OfferDraw { player } => self.offer_draw(player, out),
            Event::AcceptDraw { player } => {
                self.offer_to(player)?;
                self.draw_accepted(player, None, out);
                Ok(())
            }
            Event::DeclineDraw { player } => self.decline_draw(player, out),
            Event::Abort { reason } => {
                self.aborted(&reason, out);
                Ok(())
            }
            Event::Disconnect { player } => {
                self.disconnected(player, out);
                Ok(())
            }
        }
    }

    fn begin(&mut self, out: &mut Vec<Command>) -> Handled {
        if self.begun {
            return Err(Rejection::Begun);
        }
        self.begun = true;
        if self.reloaded {
            self.note(What::Reloaded);
        }
        out.push(Command::Show(Notice::Began));
        for player in self.engines() {
            self.start(player, out);
        }
        self.next_turn(out);
        Ok(())
    }

    /// Has a fresh instance started.
    pub(super) fn start(&mut self, player: usize, out: &mut Vec<Command>) {
        self.stop_pondering_of(player, out);
        self.note(What::Started { player });
        out.push(Command::Start { player });
    }

    pub(super) fn note(&mut self, what: What) {
        self.incidents.push(Incident { at_ply: self.plies.len() as u32, what });
    }

    /// Goes on with whoever is to move now, or ends the bout.
    pub(super) fn next_turn(&mut self, out: &mut Vec<Command>) {
        (self.turn, self.settling) = (None, None);
        if let Some(outcome) = self.game.outcome() {
            return self.ended_by_rules(outcome, out);
        }
        if self.adjudicated(out) {
            return;
        }
        if self.plies.len() as u64 >= u64::from(self.settings.plies_max) {
            return self.ply_limit(out);
        }
        let seat = self.game.to_move();
        let Some(player) = self.owner(seat) else {
            return self.aborted("the game wants a move of a seat that it does not have", out);
        };
        self.turn = Some(Turn {
            player,
            seat,
            call: 0,
            before: self.players[player].clock,
            since_us: None,
            used_us: 0,
            running: false,
            begun: false,
            requests_left: self.settings.requests,
            barred: Vec::new(),
            held: None,
        });
        if !self.paused {
            self.request(out);
        }
    }

    /// Asks the player to move, for the first time or again.
    pub(super) fn request(&mut self, out: &mut Vec<Command>) {
        let now_us = self.now_us;
        let Some(player) = self.turn.as_ref().map(|turn| turn.player) else { return };
        let limits = self.limits(player);
        if let Some(offer) = self.offer.as_mut().filter(|_| limits.draw_offered) {
            offer.heard = true;
        }
        self.next_call += 1;
        let call = self.next_call;
        let Some(turn) = self.turn.as_mut() else { return };
        turn.call = call;
        turn.since_us = Some(now_us);
        turn.used_us = std::mem::take(&mut self.carried_us);
        (turn.running, turn.begun) = (true, false);
        let barred = turn.barred.clone();
        self.arm(out);
        self.ponder(player, out);
        out.push(Command::Ask { player, call, limits, barred });
    }

    /// The time of a request counts from when its call began.
    fn call_begins(&mut self, call: u64, out: &mut Vec<Command>) -> Handled {
        let now_us = self.now_us;
        let turn = self.turn.as_mut().filter(|turn| turn.running && turn.call == call);
        let Some(turn) = turn else { return Ok(()) };
        turn.begun = true;
        if let Some(since) = turn.since_us.as_mut()
            && *since != now_us
        {
            *since = now_us;
            self.arm(out);
        }
        Ok(())
    }

    /// Arms or disarms the tick for the request in progress.
    pub(super) fn arm(&mut self, out: &mut Vec<Command>) {
        match self.deadline_us() {
            Some(at_us) => {
                self.armed = true;
                out.push(Command::Arm { at_us });
            }
            None if self.armed => {
                self.armed = false;
                out.push(Command::Disarm);
            }
            None => (),
        }
    }

    /// When the request in progress is over by the referee's own reading.
    fn deadline_us(&self) -> Option<u64> {
        let turn = self.turn.as_ref().filter(|turn| turn.running && self.result.is_none())?;
        let since_us = turn.since_us?;
        let clock = &self.players[turn.player].clock;
        if clock.budget().unit() != Unit::Wall {
            return None;
        }
        let guard = if self.is_engine(turn.player) { self.settings.guard_us } else { 0 };
        let us = clock.deadline(self.settings.grace)?.saturating_add(guard).saturating_add(1);
        let used_us = turn.used_us.saturating_add(self.players[turn.player].owed);
        Some(since_us.saturating_add(us.saturating_sub(used_us)))
    }

    fn tick(&mut self, out: &mut Vec<Command>) -> Handled {
        let Some(at_us) = self.deadline_us() else { return Ok(()) };
        if self.now_us < at_us {
            self.arm(out);
            return Ok(());
        }
        if let Some(turn) = self.turn.as_ref() {
            let (player, spent) = (turn.player, turn.elapsed_us(self.now_us));
            self.late(player, spent, Late::default(), out);
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
        self.stop_thinking(out);
        self.stop_pondering(out);
        self.arm(out);
        self.note(What::Paused);
        out.extend([Command::Show(Notice::Paused), Command::Store]);
        Ok(())
    }

    fn resume(&mut self, out: &mut Vec<Command>) -> Handled {
        if !self.paused {
            return Err(Rejection::NotPaused);
        }
        self.paused = false;
        self.note(What::Resumed);
        out.extend([Command::Show(Notice::Resumed), Command::Store]);
        let now_us = self.now_us;
        let Some(turn) = self.turn.as_mut() else { return Ok(()) };
        if let Some(held) = turn.held.take() {
            let player = turn.player;
            self.judge(player, held, out);
        } else if turn.running {
            turn.since_us = Some(now_us);
            let player = turn.player;
            self.arm(out);
            self.ponder(player, out);
        } else {
            self.request(out);
        }
        Ok(())
    }

    /// Stops the engine that is asked just now, if one is.
    pub(super) fn stop_thinking(&mut self, out: &mut Vec<Command>) {
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
                let own = self.plies.iter().rposition(|ply| ply.player == by);
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
        self.stop_thinking(out);
        self.stop_pondering(out);
        let mut thinking = false;
        if let Some(turn) = self.turn.take() {
            self.players[turn.player].clock = turn.before;
            thinking = turn.begun && self.is_engine(turn.player);
        }
        let gone = self.plies.split_off(have - plies);
        for ply in gone.iter().rev() {
            self.players[ply.player].clock = ply.before;
        }
        // The bout's plies are the last moves of the game, so as many come back.
        self.game.take_back(plies);
        self.side_names = self.names_now();
        self.offer = None;
        let moves = gone.iter().map(|ply| ply.mv.to_string()).collect();
        self.incidents
            .push(Incident { at_ply: have as u32, what: What::Undone { moves, thinking } });
        let plies = plies as u32;
        out.extend(self.engines().map(|player| Command::TakeBack { player, plies }));
        out.extend([Command::Show(Notice::Undone { plies }), Command::Store]);
        self.next_turn(out);
        Ok(())
    }

    /// The offer that `player` may accept or decline.
    pub(super) fn offer_to(&self, player: usize) -> Result<usize, Rejection> {
        let side = self.players[player].side;
        let offer = self.offer.as_ref().filter(|offer| self.players[offer.by].side != side);
        offer.map(|offer| offer.by).ok_or(Rejection::NoOffer)
    }

    fn offer_draw(&mut self, player: usize, out: &mut Vec<Command>) -> Handled {
        if !self.settings.draw_offers {
            return Err(Rejection::DrawForbidden);
        }
        if self.offer_to(player).is_ok() {
            // An offer answered by an offer is an agreement.
            self.draw_accepted(player, None, out);
            return Ok(());
        }
        if self.offer.as_ref().is_some_and(|offer| offer.by == player) {
            return Err(Rejection::OfferedAlready);
        }
        self.open_offer(player, out);
        out.push(Command::Store);
        Ok(())
    }

    /// Puts an offer on the table: people hear it at once, engines when asked.
    pub(super) fn open_offer(&mut self, player: usize, out: &mut Vec<Command>) {
        let side = self.players[player].side;
        let heard =
            (0..self.players.len()).any(|p| self.players[p].side != side && !self.is_engine(p));
        self.offer = Some(Offer { by: player, heard });
        self.note(What::DrawOffered { player });
        out.push(Command::Show(Notice::DrawOffered { player }));
    }

    fn decline_draw(&mut self, player: usize, out: &mut Vec<Command>) -> Handled {
        let by = self.offer_to(player)?;
        self.offer = None;
        self.note(What::DrawDeclined { player: by });
        out.extend([Command::Show(Notice::DrawDeclined { player: by }), Command::Store]);
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
            return Err(Rejection::NotAsked(player));
        }
        self.judge_fault(player, call, fault, reported, out);
        Ok(())
    }
}
