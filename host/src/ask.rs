//! One position put to an engine: a fresh instance, what it reported on the way
//! and what it chose; who has enough of it may halt it. Decides nothing about the answer but
//! whether it is legal.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use sandboard_abi::{Barred, Bound, Choice, Decision, Line, Score, Setup};
use sandboard_games::{DynGame, Seat};

use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::clock::{Clock, Grace};
use crate::engine::{Answer, Control, Fault, FaultCode, Listener};
use crate::manifest::quoted;

/// An engine that is asked about positions. Every question has an instance of
/// its own, so that none can spoil the next.
pub struct Asker {
    /// The engine.
    pub player: EnginePlayer,
    /// What each answer may spend.
    pub budget: Budget,
    /// The engine's source of randomness, the same for every question.
    pub seed: u64,
}

/// Ends questions before their answers, from any thread: the one that is being asked, and all
/// that follow.
#[derive(Clone, Debug, Default)]
pub struct Halt(Arc<Mutex<Halting>>);

#[derive(Debug, Default)]
struct Halting {
    halted: bool,
    /// Of the call that goes on.
    asked: Option<Control>,
}

impl Halt {
    fn halting(&self) -> MutexGuard<'_, Halting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine is to come to an end; one that does not is stopped a moment later.
    pub fn halt(&self) {
        let mut halting = self.halting();
        halting.halted = true;
        if let Some(control) = &halting.asked {
            control.stop();
        }
    }

    /// Names the call that a halt is meant for. One that came before stops it, too.
    pub(crate) fn asks(&self, control: Option<Control>) {
        let mut halting = self.halting();
        if let Some(control) = control.as_ref().filter(|_| halting.halted) {
            control.stop();
        }
        halting.asked = control;
    }
}

/// What came of a question.
#[derive(Debug)]
pub struct Asked {
    /// The choice, or what the engine did wrong.
    pub answer: Result<Answer, Fault>,
    /// The last line of rank 1 that it reported.
    pub last: Option<Line>,
    /// The lines of rank 1 that it reported, where move or score changed.
    pub turns: Vec<Turn>,
}

/// From when on an engine preferred a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The first move of the line, as the engine wrote it.
    pub r#move: String,
    /// The score of the line.
    pub score: Option<Score>,
    /// In plies.
    pub depth: u32,
    /// Nodes searched until then.
    pub nodes: u64,
    /// Wall time since the question, in microseconds.
    pub time_us: u64,
}

impl Asker {
    /// Asks about the position of `game`, the moves of `barred` excluded.
    pub fn ask(&self, game: &dyn DynGame, barred: &[Barred]) -> Asked {
        self.ask_until(game, barred, &Halt::default())
    }

    /// The same, unless it is halted: then the answer is what the engine had until then.
    pub fn ask_until(&self, game: &dyn DynGame, barred: &[Barred], halt: &Halt) -> Asked {
        let ear = Arc::new(Ear::default());
        let answer = self.choose(game, barred, &ear, halt);
        let mut heard = ear.heard();
        Asked { answer, last: heard.last.take(), turns: std::mem::take(&mut heard.turns) }
    }

    fn choose(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        ear: &Arc<Ear>,
        halt: &Halt,
    ) -> Result<Answer, Fault> {
        let mut engine = self.player.source.open_for(ear.clone(), self.player.threads)?;
        // The position says all: what was played before it is part of it where rules need it.
        engine.start(&Setup {
            game: game.info().id.into(),
            variant: game.variant().text(),
            start: game.position(),
            moves: String::new(),
            seats: seats_to_move(game),
            seed: self.seed,
            options: self.player.options.clone(),
            memory_bytes: self.player.memory_bytes,
            threads: self.player.threads,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        })?;
        let limits = Clock::new(self.budget).limits(Grace::default());
        ear.began.get_or_init(Instant::now);
        let control = engine.control();
        control.clear();
        halt.asks(Some(control));
        let answer = engine.choose(&limits, barred);
        halt.asks(None);
        answer
    }
}

/// The seats of the side that moves next: one engine plays them all.
pub fn seats_to_move(game: &dyn DynGame) -> Vec<u8> {
    let side = game.side(game.to_move());
    (0..game.info().seats).filter(|seat| game.side(Seat(*seat)) == side).collect()
}

/// The canonical text of a chosen move; none: the engine resigns. Err: it chose
/// what it may not.
pub fn checked(
    game: &dyn DynGame,
    choice: &Choice,
    barred: &[Barred],
) -> Result<Option<String>, Fault> {
    let illegal = |sentence: String| Fault::new(FaultCode::IllegalMove, sentence);
    let text = match &choice.decision {
        Decision::Play(text) => text,
        Decision::Resign => return Ok(None),
        Decision::AcceptDraw => {
            return Err(Fault::new(FaultCode::Protocol, "accepts a draw that nobody offers"));
        }
    };
    let shown = quoted(text);
    let mv = game.canonical(text).map_err(|refusal| {
        illegal(format!("chose an illegal move, {shown}: {}", refusal.reason))
    })?;
    match barred.iter().any(|barred| barred.r#move == mv) {
        true => Err(illegal(format!("chose {shown} although it is barred"))),
        false => Ok(Some(mv)),
    }
}

/// The word for how a score is to be read.
pub fn bound_word(bound: Bound) -> &'static str {
    match bound {
        Bound::Estimate => "estimate",
        Bound::AtLeast => "at-least",
        Bound::AtMost => "at-most",
        Bound::Exact => "exact",
    }
}

/// Keeps what is asked for of the lines of rank 1.
#[derive(Default)]
struct Ear {
    began: OnceLock<Instant>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    last: Option<Line>,
    turns: Vec<Turn>,
}

impl Ear {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Ear {
    fn report(&self, line: &Line) {
        if line.rank > 1 {
            return;
        }
        let elapsed = self.began.get().map_or(0, |began| began.elapsed().as_micros());
        let mut heard = self.heard();
        let first = line.moves.split_ascii_whitespace().next();
        let known = heard.turns.last();
        if let Some(mv) = first
            && known.is_none_or(|turn| turn.r#move != mv || turn.score != line.score)
        {
            heard.turns.push(Turn {
                r#move: mv.to_owned(),
                score: line.score,
                depth: line.depth,
                nodes: line.nodes,
                time_us: u64::try_from(elapsed).unwrap_or(u64::MAX),
            });
        }
        heard.last = Some(line.clone());
    }
}
