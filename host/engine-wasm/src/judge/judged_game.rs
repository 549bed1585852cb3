//! A game whose rules are a component, as the host's checked form of a game.
//!
//! The judge cannot undo moves. To take moves back, this type starts from an earlier position and
//! plays the other moves again. It keeps a copy of the position that it went back to last: a query
//! that plays a line and takes it back costs two calls more than the line.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_common::text::{clean_text, counted, quoted};
use sandboard_engine::{Fault, FaultCode};
use sandboard_games::board::Board;
use sandboard_games::general::{Actor, Next, Observer};
use sandboard_games::splitmix;
use sandboard_games::{
    DynGame, Ending, GameInfo, Phase, PlayoutPlan, Playouts, PositionError, PositionFault, Refusal,
    Seat, SetupError, Side, Variant,
};

use super::checks::{Answer, SCORE_MAX};
use super::instance::{JudgeInstance, SharedInstance, Started};
use super::{JudgeTemplate, Reasons};
use crate::backend::Backend;
use sandboard_component::judge as types;

/// The most faults of a position text that are reported.
const POSITION_FAULTS_MAX: usize = 16;

/// A position that a judge holds, with the moves that led to it.
pub(super) struct JudgedGame<B: Backend> {
    rules: Arc<JudgeTemplate<B>>,
    instance: SharedInstance<B>,
    info: &'static GameInfo,
    variant: Variant,
    /// The text of the start position; empty for the variant's own.
    start: String,
    handle: u32,
    moves: Vec<String>,
    turn: Turn,
    /// The position that moves were last taken back to: its number of moves, handle and turn.
    anchor: Option<(usize, u32, Turn)>,
}

/// What follows after a position; checked against the description of the game.
#[derive(Clone)]
struct Turn {
    next: Next,
    /// The lowest seat to move, or the seat that would have moved after the end; before a move of
    /// chance that of the position before.
    to_move: Seat,
    phase: Phase,
    ending: Option<Arc<Ending>>,
}

impl<B: Backend> JudgedGame<B> {
    pub(super) fn set_up(
        rules: &Arc<JudgeTemplate<B>>,
        info: &'static GameInfo,
        variant: &Variant,
        position: Option<&str>,
    ) -> Result<Self, SetupError> {
        let failed = |fault: Fault| SetupError::Judge { game: info.id, reason: fault.sentence };
        let instance = JudgeInstance::new(rules).map_err(failed)?;
        let instance = Arc::new(Mutex::new(instance));
        let start = position.unwrap_or_default();
        let started = lock(&instance).start(&variant.text(), start).map_err(failed)?;
        let Started { game: handle, variant: text, answer } = started.map_err(|faults| {
            SetupError::Position { game: info.id, error: position_error(faults) }
        })?;
        // A variant that the manifest does not declare cannot be named again.
        let variant = info.variant(&text).map_err(|error| SetupError::Judge {
            game: info.id,
            reason: format!("returned a variant that is not declared: {error}"),
        })?;
        let turn = turn(&rules.reasons, info, &variant, answer, Seat(0)).map_err(failed)?;
        let rules = rules.clone();
        let start = start.to_owned();
        Ok(Self {
            rules,
            instance,
            info,
            variant,
            start,
            handle,
            moves: vec![],
            turn,
            anchor: None,
        })
    }

    fn judge(&self) -> MutexGuard<'_, JudgeInstance<B>> {
        lock(&self.instance)
    }

    /// What a query returns; after a fault, the default.
    fn ask<T: Default>(
        &self,
        query: impl FnOnce(&mut JudgeInstance<B>, u32) -> Result<T, Fault>,
    ) -> T {
        query(&mut self.judge(), self.handle).unwrap_or_default()
    }

    fn poison(&self, sentence: String) -> Fault {
        self.judge().poison(Fault::new(FaultCode::Protocol, sentence))
    }

    /// Plays a move on a handle, where `before` is what follows.
    fn play_on(&self, handle: u32, mv: &str, before: &Turn) -> Result<(String, Turn), String> {
        let sentence = |fault: Fault| format!("the rules of the game failed: {}", fault.sentence);
        let played = self.judge().play(handle, mv).map_err(sentence)?;
        let (mv, answer) = match played {
            Ok(played) => played,
            // A game that adjudicates lists moves that cannot be played after its end.
            Err(reason) if self.info.adjudicates => return Err(reason),
            Err(reason) => {
                let is_listed = match before.next {
                    Next::Chance => {
                        let outcomes = self.judge().chance(handle).map_err(sentence)?;
                        outcomes.iter().any(|(outcome, _)| outcome == mv)
                    }
                    Next::Seats(_) | Next::Over => {
                        self.lists(handle, before.to_move, mv).map_err(sentence)?
                    }
                };
                return Err(self.refused(mv, reason, is_listed));
            }
        };
        let turn = turn(&self.rules.reasons, self.info, &self.variant, answer, before.to_move);
        let turn = turn.map_err(|fault| sentence(self.judge().poison(fault)))?;
        Ok((mv, turn))
    }

    /// Whether a move is among the legal moves of a seat.
    fn lists(&self, handle: u32, seat: Seat, mv: &str) -> Result<bool, Fault> {
        let listed = self.judge().legal(handle, seat)?;
        Ok(listed.split_ascii_whitespace().any(|legal| legal == mv))
    }

    /// The reason of a refusal; a fault of the judge if it has listed the move.
    fn refused(&self, mv: &str, reason: String, is_listed: bool) -> String {
        if !is_listed {
            return reason;
        }
        let sentence = format!("listed {} as legal, but refused it: {reason}", quoted(mv));
        let fault = self.poison(sentence);
        format!("the rules of the game failed: {}", fault.sentence)
    }

    /// A handle in the position after `plies` of the moves, and what follows there.
    fn handle_at(&self, plies: usize) -> Result<(u32, Turn), String> {
        let (from, handle, mut turn) = match &self.anchor {
            Some((from, handle, turn)) if *from <= plies => {
                let copy = self.judge().clone_game(*handle).map_err(|fault| fault.sentence)?;
                (*from, copy, turn.clone())
            }
            _ => {
                let started = self.judge().start(&self.variant.text(), &self.start);
                let started = started.map_err(|fault| fault.sentence)?;
                let Started { game, answer, .. } =
                    started.map_err(|_| self.forgot("the start position"))?;
                let turn = turn(&self.rules.reasons, self.info, &self.variant, answer, Seat(0));
                (0, game, turn.map_err(|fault| self.judge().poison(fault).sentence)?)
            }
        };
        for mv in &self.moves[from..plies] {
            match self.play_on(handle, mv, &turn) {
                Ok((again, next)) if again == *mv => turn = next,
                _ => return Err(self.forgot(&format!("the move {}", quoted(mv)))),
            }
        }
        Ok((handle, turn))
    }

    /// Poisons a judge that does not accept again what it has accepted before.
    fn forgot(&self, what: &str) -> String {
        self.poison(format!("accepted {what} once, but not again")).sentence
    }

    fn count(&self, depth: u32) -> u64 {
        if depth == 0 || !self.info.adjudicates && self.turn.ending.is_some() {
            return 1;
        }
        let mut line = String::new();
        self.write_legal(&mut line);
        let moves = line.split_ascii_whitespace();
        if depth == 1 {
            return moves.count() as u64;
        }
        let after = |mv: &str| {
            let mut after = self.copy();
            after.play(mv).map_or(0, |_| after.count(depth - 1))
        };
        moves.map(after).sum()
    }

    fn copy(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            instance: self.instance.clone(),
            info: self.info,
            variant: self.variant.clone(),
            start: self.start.clone(),
            // After a fault no handle is used.
            handle: self.ask(JudgeInstance::clone_game),
            moves: self.moves.clone(),
            turn: self.turn.clone(),
            anchor: None,
        }
    }
}

fn lock<B: Backend>(instance: &SharedInstance<B>) -> MutexGuard<'_, JudgeInstance<B>> {
    instance.lock().unwrap_or_else(PoisonError::into_inner)
}

fn position_error(faults: Vec<types::PositionFault>) -> PositionError {
    let fault = |fault: types::PositionFault| PositionFault {
        offset: fault.offset as usize,
        reason: clean_text(&fault.reason, sandboard_abi::limits::REASON_BYTES),
    };
    PositionError(faults.into_iter().take(POSITION_FAULTS_MAX).map(fault).collect())
}

/// Checks an answer against the description of the game and its variant. `before`: the seat to move
/// before. Err: a fault of the judge.
fn turn(
    reasons: &Reasons,
    info: &GameInfo,
    variant: &Variant,
    answer: Answer,
    before: Seat,
) -> Result<Turn, Fault> {
    let fault = |sentence: String| Fault::new(FaultCode::Protocol, sentence);
    let Answer { next, to_move, phase, ending } = answer;
    let seats = next.seats();
    let seat_count = info.seats_of(variant);
    if let Some(seat) = seats.iter().chain(to_move).find(|seat| seat.0 >= seat_count) {
        let last = seat_count - 1;
        return Err(fault(format!("named seat {} to move; the seats are 0 to {last}", seat.0)));
    }
    if seats.len() > 1 && !info.features.simultaneous {
        let sentence = "named several seats to move; its manifest does not declare `simultaneous`";
        return Err(fault(sentence.into()));
    }
    if next == Next::Chance && !info.features.chance {
        let sentence = "left the next move to chance; its manifest does not declare `chance`";
        return Err(fault(sentence.into()));
    }
    let to_move = to_move.unwrap_or(before);
    let Some((scores, reason)) = ending else {
        return Ok(Turn { next, to_move, phase, ending: None });
    };
    if scores.len() != usize::from(seat_count) {
        let (found, variant) = (scores.len(), variant.id);
        let seats = counted(seat_count.into(), "seat");
        let sentence = format!("returned {found} scores; the variant `{variant}` has {seats}");
        return Err(fault(sentence));
    }
    if let Some(score) = scores.iter().find(|score| score.unsigned_abs() > SCORE_MAX) {
        return Err(fault(format!("returned the score {score}; the limit is {SCORE_MAX}")));
    }
    let Some(reason) = reasons.intern(&reason) else {
        return Err(fault("gave too many different reasons for endings".into()));
    };
    let side = |seat: u8| info.side(Seat(seat));
    for seat in 1..seat_count {
        let other = (0..seat).find(|other| side(*other) == side(seat));
        let other = other.filter(|other| scores[usize::from(*other)] != scores[usize::from(seat)]);
        if let Some(other) = other {
            let sentence =
                format!("gave different scores to the seats {other} and {seat} of one side");
            return Err(fault(sentence));
        }
    }
    let ending = Ending { scores, reason: reason.into() };
    Ok(Turn { next, to_move, phase, ending: Some(Arc::new(ending)) })
}

impl<B: Backend> Drop for JudgedGame<B> {
    fn drop(&mut self) {
        let anchor = self.anchor.take();
        let mut judge = self.judge();
        judge.close(self.handle);
        if let Some((_, handle, _)) = anchor {
            judge.close(handle);
        }
    }
}

impl<B: Backend> DynGame for JudgedGame<B> {
    fn info(&self) -> &'static GameInfo {
        self.info
    }

    fn variant(&self) -> Variant {
        self.variant.clone()
    }

    fn position(&self) -> String {
        self.ask(JudgeInstance::position)
    }

    fn next(&self) -> Next {
        self.turn.next
    }

    fn to_move(&self) -> Seat {
        self.turn.to_move
    }

    fn phase(&self) -> Phase {
        self.turn.phase
    }

    fn prompt(&self) -> Option<String> {
        match self.turn.phase {
            Phase::Play => None,
            _ => self.ask(JudgeInstance::prompt),
        }
    }

    fn side(&self, seat: Seat) -> Side {
        self.info.side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        let names = self.ask(JudgeInstance::sides);
        let index = usize::from(side.0);
        let declared = self.sides();
        if self.fault().is_some() {
            return declared[index];
        }
        let known = names.get(index).and_then(|name| declared.iter().find(|it| *it == name));
        known.copied().unwrap_or_else(|| {
            // The list may be long: it is the judge's.
            let names = names.iter().take(declared.len()).map(|name| quoted(name));
            let names = names.collect::<Vec<_>>().join(", ");
            self.poison(format!("returned the names {names} of sides, which are not declared"));
            declared[index]
        })
    }

    fn ending(&self) -> Option<Ending> {
        self.turn.ending.as_deref().cloned()
    }

    fn is_over(&self) -> bool {
        self.turn.ending.is_some()
    }

    fn write_legal_of(&self, seat: Seat, out: &mut String) {
        let line = self.ask(|judge, handle| judge.legal(handle, seat));
        let waits = !self.turn.next.has_seat(seat) && self.turn.next != Next::Over;
        if waits && !line.is_empty() {
            self.poison(format!("listed moves for seat {}, which is not to move", seat.0));
            return;
        }
        out.push_str(&line);
    }

    fn chance(&self) -> Vec<(String, u32)> {
        match self.turn.next {
            Next::Chance => self.ask(JudgeInstance::chance),
            _ => Vec::new(),
        }
    }

    fn view(&self, observer: Observer) -> String {
        match observer {
            Observer::Seat(_) | Observer::Spectator if self.info.features.hidden_information => {
                self.ask(|judge, handle| judge.view(handle, observer))
            }
            _ => self.position(),
        }
    }

    fn seen(&self, observer: Observer, actor: Actor, mv: &str) -> Option<String> {
        match observer {
            Observer::Seat(_) | Observer::Spectator if self.info.features.hidden_information => {
                self.ask(|judge, handle| judge.seen(handle, observer, actor, mv))
            }
            _ => Some(mv.to_owned()),
        }
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        let refuse = |reason| Refusal { text: text.to_owned(), reason };
        let (mv, turn) = self.play_on(self.handle, text, &self.turn).map_err(refuse)?;
        self.moves.push(mv.clone());
        self.turn = turn;
        Ok(mv)
    }

    fn canonical(&self, text: &str) -> Result<String, Refusal> {
        match self.turn.next.first() {
            Some(Actor::Seat(seat)) => self.canonical_of(seat, text),
            _ => self.copy().play(text),
        }
    }

    fn canonical_of(&self, seat: Seat, text: &str) -> Result<String, Refusal> {
        let refuse = |reason| Refusal { text: text.to_owned(), reason };
        let failed = |fault: Fault| format!("the rules of the game failed: {}", fault.sentence);
        let canonical = self.judge().canonical(self.handle, seat, text);
        canonical
            .map_err(failed)
            .and_then(|it| {
                it.or_else(|reason| {
                    // As in `play`.
                    let is_listed = !self.info.adjudicates
                        && self.lists(self.handle, seat, text).map_err(failed)?;
                    Err(self.refused(text, reason, is_listed))
                })
            })
            .map_err(refuse)
    }

    fn notation(&self, text: &str) -> Option<String> {
        self.ask(|judge, handle| judge.notation(handle, text))
    }

    fn take_back(&mut self, plies: usize) -> usize {
        let plies = plies.min(self.moves.len());
        if plies == 0 {
            return 0;
        }
        let left = self.moves.len() - plies;
        if let Some((_, anchor, _)) = self.anchor.take_if(|(from, ..)| *from > left) {
            self.judge().close(anchor);
        }
        // After a fault the judge is not asked again.
        if let Ok((handle, turn)) = self.handle_at(left) {
            let before = std::mem::replace(&mut self.handle, handle);
            self.judge().close(before);
            self.turn = turn;
            if self.anchor.as_ref().is_none_or(|(from, ..)| *from != left) {
                let copy = self.ask(JudgeInstance::clone_game);
                if let Some((_, old, _)) = self.anchor.replace((left, copy, self.turn.clone())) {
                    self.judge().close(old);
                }
            }
        }
        self.moves.truncate(left);
        plies
    }

    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn moves(&self) -> Vec<String> {
        self.moves.clone()
    }

    fn write_last_move(&self, out: &mut String) {
        out.extend(self.moves.last().map(String::as_str));
    }

    fn board(&self, observer: Observer) -> Option<Board> {
        let mover = match (observer, self.turn.next) {
            (Observer::Seat(seat), next) if next.has_seat(seat) => Some(seat),
            (_, Next::Seats(_)) => Some(self.turn.to_move),
            (_, Next::Chance | Next::Over) => None,
        };
        self.ask(|judge, handle| judge.board(handle, observer, mover))
    }

    fn diagram(&self, observer: Observer) -> String {
        let drawn = || self.board(observer).map(|board| board.diagram());
        let diagram = self.ask(|judge, handle| judge.diagram(handle, observer)).or_else(drawn);
        diagram.unwrap_or_else(|| self.view(observer) + "\n")
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn perft(&self, depth: u32) -> u64 {
        self.count(depth)
    }

    fn playouts(&self, plan: &PlayoutPlan) -> Playouts {
        self.ask(|judge, handle| judge.playouts(handle, self.seats(), plan))
    }

    fn hash(&self) -> u64 {
        splitmix::hash_text(&self.position())
    }

    fn symmetric_hash(&self) -> u64 {
        self.hash()
    }

    fn without_history(&self) -> Box<dyn DynGame> {
        let position = self.position();
        match Self::set_up(&self.rules, self.info, &self.variant, Some(&position)) {
            Ok(game) => Box::new(game),
            Err(error) => {
                self.poison(format!("does not read its own position again: {error}"));
                self.boxed_clone()
            }
        }
    }

    fn boxed_clone(&self) -> Box<dyn DynGame> {
        Box::new(self.copy())
    }

    fn fault(&self) -> Option<String> {
        self.judge().fault().map(|fault| fault.sentence.clone())
    }
}
