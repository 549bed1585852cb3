//! Handles people's inputs: turns them into events of the referee, and answers requests beside the
//! bout (hints, showing the board, saving). Decides nothing that the referee decides.

use std::sync::Arc;

use crate::messages;
use sandboard_abi::{Choice, Decision, Limits};
use sandboard_engine::{ChooseResponse, Fault, Usage};

use super::input::{InputEvent, TrackedInput};
use super::run_loop::{Driver, PendingInput, open};
use super::{HintEngine, OutputCollector};
use crate::clock::Clock;
use crate::referee::{Command, Event, Notice, PlayerKind};

impl Driver<'_> {
    pub(super) fn handle_input(&mut self, event: InputEvent) {
        self.now_us = self.time.now_us();
        match event {
            InputEvent::Move(text) => self.play_move(text),
            InputEvent::Undo(plies) => {
                let by = self.input_player();
                self.feed(Event::Undo { plies, by });
            }
            InputEvent::Resign => self.feed_for_player(|player| Event::Resign { player }),
            InputEvent::OfferDraw => self.feed_for_player(|player| Event::OfferDraw { player }),
            InputEvent::AcceptDraw => {
                self.feed_for_offer_receiver(|player| Event::AcceptDraw { player });
            }
            InputEvent::DeclineDraw => {
                self.feed_for_offer_receiver(|player| Event::DeclineDraw { player });
            }
            InputEvent::Pause => self.feed(Event::Pause),
            InputEvent::Resume => self.feed(Event::Resume),
            InputEvent::Hint => self.give_hint(),
            // The sender has stopped the engine that was thinking, if there was one.
            InputEvent::MoveNow => (),
            InputEvent::ShowBoard => {
                let (view, observer) = self.view();
                observer.show_board(view);
            }
            InputEvent::Save(copy) => {
                let date = self.time.date();
                let saved = self.saver.save(&self.referee, self.now_us, date, copy);
                self.observer.record_saved(saved.as_deref());
            }
            InputEvent::Abort(reason) => self.feed(Event::Abort { reason }),
            InputEvent::Quit => self.quit = true,
            InputEvent::Disconnected(player) => self.feed(Event::Disconnect { player }),
            InputEvent::Tracked(input) => self.handle_tracked(input),
        }
    }

    /// Handles a tracked input: its answer is whether the referee rejects it.
    fn handle_tracked(&mut self, input: TrackedInput) {
        self.answer_input();
        let TrackedInput { number, player, ply, event } = input;
        self.pending_input = Some(PendingInput { number, player, rejection: None });
        let have = self.referee.plies().len() as u32;
        match ply.filter(|ply| *ply != have) {
            Some(ply) => {
                self.reject(&messages::input_for_ply(ply, have));
            }
            None => self.handle_input(*event),
        }
    }

    /// Notes whether the referee rejected the tracked input, in its commands from `first_new` on.
    pub(super) fn note_rejection(&mut self, first_new: usize) {
        let Some(input) = self.pending_input.as_mut() else { return };
        let rejection = |command: &Command| match command {
            Command::Reject(reason) => Some(reason.to_string()),
            Command::Notify(Notice::Refused { player, reason, .. }) => {
                (input.player == Some(*player)).then(|| reason.clone())
            }
            _ => None,
        };
        let found = self.commands.iter().skip(first_new).find_map(rejection);
        input.rejection = input.rejection.take().or(found);
    }

    /// Reports the outcome of the last tracked input, once.
    pub(super) fn answer_input(&mut self) {
        let Some(PendingInput { number, rejection, .. }) = self.pending_input.take() else {
            return;
        };
        let (view, observer) = self.view();
        observer.input_answered(view, number, rejection.as_deref().map_or(Ok(()), Err));
    }

    /// The player of the tracked input that is being handled, if it names one.
    fn tracked_player(&self) -> Option<usize> {
        self.pending_input.as_ref().and_then(|input| input.player)
    }

    pub(super) fn reject(&mut self, reason: &str) {
        if let Some(input) = self.pending_input.as_mut() {
            input.rejection.get_or_insert_with(|| reason.to_owned());
        }
        let (view, observer) = self.view();
        observer.input_rejected(view, reason);
    }

    fn is_person(&self, player: usize) -> bool {
        self.referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
    }

    /// The player of an input: the one that it names; otherwise the person to move; otherwise the
    /// only person; otherwise the person that moved last.
    fn input_player(&self) -> Option<usize> {
        if let Some(player) = self.tracked_player() {
            return Some(player);
        }
        if let Some((player, _)) = self.referee.to_move()
            && self.is_person(player)
        {
            return Some(player);
        }
        let mut people = (0..self.referee.player_count()).filter(|player| self.is_person(*player));
        match (people.next(), people.next()) {
            (person, None) => person,
            (first, _) => {
                let mut movers = self.referee.plies().iter().rev().filter_map(|ply| ply.player);
                movers.find(|player| self.is_person(*player)).or(first)
            }
        }
    }

    /// Sends an event of the player of the input.
    fn feed_for_player(&mut self, event: impl FnOnce(usize) -> Event) {
        match self.input_player() {
            Some(player) => self.feed(event(player)),
            None => self.reject("no person plays in this bout"),
        }
    }

    /// Sends an event of a person to whom the draw is offered.
    fn feed_for_offer_receiver(&mut self, event: impl FnOnce(usize) -> Event) {
        let offering = self.referee.draw_offered_by().and_then(|by| self.referee.side(by));
        let other = |player: &usize| {
            self.is_person(*player)
                && offering.is_some_and(|_| self.referee.side(*player) != offering)
        };
        let other = || (0..self.referee.player_count()).find(other);
        match self.tracked_player().or_else(other).or_else(|| self.input_player()) {
            Some(player) => self.feed(event(player)),
            None => self.reject("no person plays in this bout"),
        }
    }

    fn play_move(&mut self, text: String) {
        match self.referee.to_move() {
            Some((player, Some(call))) if self.may_move(player) => {
                let decision = Decision::Play(text);
                let choice = Choice { decision, offers_draw: false, line: None };
                let response = ChooseResponse { choice, spent: Usage::default() };
                self.feed(Event::Answered { player, call, response, reported: Vec::new() });
            }
            _ if self.referee.is_paused() => self.reject("the bout is paused"),
            _ => self.reject("it is not your turn"),
        }
    }

    /// Whether the current input may be a move of this player.
    fn may_move(&self, player: usize) -> bool {
        self.is_person(player) && self.tracked_player().is_none_or(|by| by == player)
    }

    fn give_hint(&mut self) {
        let Some(hint) = self.hint.clone() else {
            return self.reject("this bout has no engine for hints");
        };
        let player = self.referee.to_move().map(|(player, _)| player);
        let Some(player) = player.filter(|player| self.may_move(*player)) else {
            return self.reject("it is not your turn");
        };
        let limits = Clock::new(hint.budget).limits(self.referee.settings().grace);
        let response = self.request_hint(&hint, player, &limits);
        let checked = match response {
            Err(fault) => Err(messages::the_engine(fault.sentence)),
            Ok(ChooseResponse { choice, .. }) => match &choice.decision {
                Decision::Play(text) => match self.referee.canonical(text) {
                    Ok(mv) => Ok(Choice { decision: Decision::Play(mv), ..choice }),
                    Err(_) => Err("the engine chose an illegal move".to_owned()),
                },
                _ => Ok(choice),
            },
        };
        let (view, observer) = self.view();
        observer.hint(view, checked.as_ref().map_err(String::as_str));
    }

    /// Requests a move of `player` from a fresh instance of the hint engine, which sees what the
    /// player sees.
    fn request_hint(
        &mut self,
        hint: &HintEngine,
        player: usize,
        limits: &Limits,
    ) -> Result<ChooseResponse, Fault> {
        let seed = hint.engine.seed.unwrap_or(self.seed);
        let plies = self.referee.plies().len();
        let setup = self.referee.engine_setup(&self.start, player, plies);
        let setup = hint.engine.instance_setup(setup, seed);
        let output = Arc::new(OutputCollector::new(usize::MAX, None));
        output.observe(self.referee.observation(player));
        let mut instance = open(&hint.engine, output, &setup)?;
        instance.stop_handle.clear();
        self.set_stop_handle(Some(instance.stop_handle.clone()));
        let response = instance.engine.choose(limits, &[]);
        self.set_stop_handle(None);
        response
    }
}
