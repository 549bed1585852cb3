//! What people want, put into events of the referee, and what they want beside
//! the bout: a hint, a look, a save. Decides nothing that the referee decides.

use std::sync::Arc;

use sandboard_abi::{Choice, Decision, Limits};

use super::drive::{Driver, open};
use super::people::PersonEvent;
use super::{Ears, Hint};
use crate::clock::Clock;
use crate::engine::{Answer, Fault, Spent};
use crate::referee::{Event, PlayerKind};

impl Driver<'_> {
    pub(super) fn person_event(&mut self, event: PersonEvent) {
        self.now_us = self.time.now_us();
        match event {
            PersonEvent::Move(text) => self.person_moves(text),
            PersonEvent::Undo(plies) => {
                let by = self.speaker();
                self.feed(Event::Undo { plies, by });
            }
            PersonEvent::Resign => self.by_speaker(|player| Event::Resign { player }),
            PersonEvent::OfferDraw => self.by_speaker(|player| Event::OfferDraw { player }),
            PersonEvent::AcceptDraw => self.by_addressee(|player| Event::AcceptDraw { player }),
            PersonEvent::DeclineDraw => self.by_addressee(|player| Event::DeclineDraw { player }),
            PersonEvent::Pause => self.feed(Event::Pause),
            PersonEvent::Resume => self.feed(Event::Resume),
            PersonEvent::Hint => self.give_hint(),
            // Who sent it has stopped the engine, if one was thinking.
            PersonEvent::MoveNow => (),
            PersonEvent::Show => {
                let (scene, observer) = self.scene();
                observer.show(scene);
            }
            PersonEvent::Save(copy) => {
                let date = self.time.date();
                let saved = self.keeper.save(&self.referee, self.now_us, date, copy);
                self.observer.saved(saved.as_deref());
            }
            PersonEvent::Abort(reason) => self.feed(Event::Abort { reason }),
            PersonEvent::Quit => self.left = true,
        }
    }

    fn reject(&mut self, reason: &str) {
        let (scene, observer) = self.scene();
        observer.rejected(scene, reason);
    }

    fn is_person(&self, player: usize) -> bool {
        self.referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
    }

    /// The person that an input comes from: the one to move, else the only one,
    /// else the one that moved last.
    fn speaker(&self) -> Option<usize> {
        if let Some((player, _)) = self.referee.to_move()
            && self.is_person(player)
        {
            return Some(player);
        }
        let mut people = (0..self.referee.players()).filter(|player| self.is_person(*player));
        match (people.next(), people.next()) {
            (person, None) => person,
            (first, _) => {
                let mut movers = self.referee.plies().iter().rev().map(|ply| ply.player);
                movers.find(|player| self.is_person(*player)).or(first)
            }
        }
    }

    fn by_speaker(&mut self, event: impl FnOnce(usize) -> Event) {
        match self.speaker() {
            Some(player) => self.feed(event(player)),
            None => self.reject("no person plays in this bout"),
        }
    }

    /// By a person to whom the draw is offered.
    fn by_addressee(&mut self, event: impl FnOnce(usize) -> Event) {
        let offering = self.referee.draw_offered_by().and_then(|by| self.referee.side(by));
        let other = |player: &usize| {
            self.is_person(*player)
                && offering.is_some_and(|_| self.referee.side(*player) != offering)
        };
        match (0..self.referee.players()).find(other).or_else(|| self.speaker()) {
            Some(player) => self.feed(event(player)),
            None => self.reject("no person plays in this bout"),
        }
    }

    fn person_moves(&mut self, text: String) {
        match self.referee.to_move() {
            Some((player, Some(call))) if self.is_person(player) => {
                let decision = Decision::Play(text);
                let choice = Choice { decision, offers_draw: false, line: None };
                let spent = Spent::default();
                self.feed(Event::Chosen { player, call, choice, spent, reported: Vec::new() });
            }
            _ if self.referee.is_paused() => self.reject("the bout is paused"),
            _ => self.reject("it is not your turn"),
        }
    }

    fn give_hint(&mut self) {
        let Some(hint) = self.hint.clone() else {
            return self.reject("no engine gives hints in this bout");
        };
        let player = self.referee.to_move().map(|(player, _)| player);
        let Some(player) = player.filter(|player| self.is_person(*player)) else {
            return self.reject("it is not your turn");
        };
        let seats = self.referee.player(player).map(|setup| setup.seats.clone());
        let limits = Clock::new(hint.budget).limits(self.referee.settings().grace);
        let answer = self.ask_for_hint(&hint, seats.unwrap_or_default(), &limits);
        let checked = match answer {
            Err(fault) => Err(format!("the engine {}", fault.sentence)),
            Ok(answer) => match &answer.choice.decision {
                Decision::Play(text) => match self.referee.game().canonical(text) {
                    Ok(mv) => Ok(Choice { decision: Decision::Play(mv), ..answer.choice }),
                    Err(_) => Err("the engine chose an illegal move".to_owned()),
                },
                _ => Ok(answer.choice),
            },
        };
        let (scene, observer) = self.scene();
        observer.hint(scene, checked.as_ref().map_err(String::as_str));
    }

    /// Asks `hint` for a move of `seats`, in an instance of its own.
    fn ask_for_hint(
        &mut self,
        hint: &Hint,
        seats: Vec<u8>,
        limits: &Limits,
    ) -> Result<Answer, Fault> {
        let seed = hint.engine.seed.unwrap_or(self.seed);
        let setup = self.setup(&hint.engine, seats, seed);
        let mut instance = open(&hint.engine, Arc::new(Ears::new(usize::MAX, None)), &setup)?;
        instance.control.clear();
        self.publish(Some(instance.control.clone()));
        let answer = instance.engine.choose(limits, &[]);
        self.publish(None);
        answer
    }
}
