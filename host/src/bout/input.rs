//! What people want, put into events of the referee, and what they want beside
//! the bout: a hint, a look, a save. Decides nothing that the referee decides.

use std::sync::Arc;

use sandboard_abi::{Choice, Decision, Limits};

use super::drive::{Driver, Said, open};
use super::people::{PersonEvent, Word};
use super::{Ears, Hint};
use crate::clock::Clock;
use crate::engine::{Answer, Fault, Spent};
use crate::referee::{Command, Event, Notice, PlayerKind};

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
            PersonEvent::Gone(player) => self.feed(Event::Disconnect { player }),
            PersonEvent::Said(word) => self.said(word),
        }
    }

    /// Hears a word: what the referee rejects at it is its answer.
    fn said(&mut self, word: Word) {
        self.answer();
        let Word { number, player, ply, event } = word;
        self.said = Some(Said { number, player, refused: None });
        let have = self.referee.plies().len() as u32;
        match ply.filter(|ply| *ply != have) {
            Some(ply) => {
                self.reject(&format!("it was said after {ply} plies, and there are {have}"))
            }
            None => self.person_event(*event),
        }
    }

    /// Looks whether the referee refuses what was said, in its commands from `known` on.
    pub(super) fn heed(&mut self, known: usize) {
        let Some(said) = self.said.as_mut() else { return };
        let refusal = |command: &Command| match command {
            Command::Rejected(reason) => Some(reason.to_string()),
            Command::Show(Notice::Refused { player, reason, .. }) => {
                (said.player == Some(*player)).then(|| reason.clone())
            }
            _ => None,
        };
        let refused = self.commands.iter().skip(known).find_map(refusal);
        said.refused = said.refused.take().or(refused);
    }

    /// Tells what became of the last word, if that was not told yet.
    pub(super) fn answer(&mut self) {
        let Some(Said { number, refused, .. }) = self.said.take() else { return };
        let (scene, observer) = self.scene();
        observer.answered(scene, number, refused.as_deref().map_or(Ok(()), Err));
    }

    /// The player whose word it is, where it is that of one only.
    fn said_by(&self) -> Option<usize> {
        self.said.as_ref().and_then(|said| said.player)
    }

    pub(super) fn reject(&mut self, reason: &str) {
        if let Some(said) = self.said.as_mut() {
            said.refused.get_or_insert_with(|| reason.to_owned());
        }
        let (scene, observer) = self.scene();
        observer.rejected(scene, reason);
    }

    fn is_person(&self, player: usize) -> bool {
        self.referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
    }

    /// The person that an input comes from: who said it, else the one to move, else the only one,
    /// else the one that moved last.
    fn speaker(&self) -> Option<usize> {
        if let Some(player) = self.said_by() {
            return Some(player);
        }
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
        let other = || (0..self.referee.players()).find(other);
        match self.said_by().or_else(other).or_else(|| self.speaker()) {
            Some(player) => self.feed(event(player)),
            None => self.reject("no person plays in this bout"),
        }
    }

    fn person_moves(&mut self, text: String) {
        match self.referee.to_move() {
            Some((player, Some(call))) if self.may_move(player) => {
                let decision = Decision::Play(text);
                let choice = Choice { decision, offers_draw: false, line: None };
                let spent = Spent::default();
                self.feed(Event::Chosen { player, call, choice, spent, reported: Vec::new() });
            }
            _ if self.referee.is_paused() => self.reject("the bout is paused"),
            _ => self.reject("it is not your turn"),
        }
    }

    /// Whether a move of this player is that of who speaks.
    fn may_move(&self, player: usize) -> bool {
        self.is_person(player) && self.said_by().is_none_or(|by| by == player)
    }

    fn give_hint(&mut self) {
        let Some(hint) = self.hint.clone() else {
            return self.reject("no engine gives hints in this bout");
        };
        let player = self.referee.to_move().map(|(player, _)| player);
        let Some(player) = player.filter(|player| self.may_move(*player)) else {
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
