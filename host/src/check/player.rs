//! An instance with the game it plays: whatever is told to the one is played in
//! the other, and what comes back is held against the rules.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use sandboard_abi::{Barred, Decision, Line, Unit};
use sandboard_games::DynGame;

use super::bench::{Ask, Bench, GUARD};
use super::ears::Ears;
use super::outcome::{Finding, Verdict, Wrong};
use super::positions::legal;
use crate::engine::{Control, Engine, Fault, Spent};
use crate::manifest::quoted;

pub struct Player {
    engine: Box<dyn Engine>,
    pub game: Box<dyn DynGame>,
    ears: Arc<Ears>,
    /// What it was told so far, for people.
    pub scene: String,
    help: String,
    log: Arc<super::ears::Log>,
    again: String,
    /// What starting took.
    pub started: Spent,
}

/// An answer that the rules admit.
pub struct Chosen {
    /// The move in its canonical text; none: it resigned.
    pub mv: Option<String>,
    /// What it took.
    pub spent: Spent,
    /// What it reported during the call.
    pub lines: Vec<Line>,
    /// How many lines that were.
    pub reports: u64,
    /// The line that came with the choice.
    pub line: Option<Line>,
}

impl Player {
    pub fn new(
        engine: Box<dyn Engine>,
        game: Box<dyn DynGame>,
        ears: Arc<Ears>,
        scene: String,
        bench: &Bench<'_>,
        started: Spent,
    ) -> Self {
        let (help, log, again) = (bench.help(), bench.log.clone(), bench.settings.analyse.clone());
        Self { engine, game, ears, scene, help, log, again, started }
    }

    /// Tells it a legal move.
    pub fn played(&mut self, mv: &str) -> Verdict<()> {
        let told = self.engine.played(mv);
        told.map_err(|fault| self.fault(&fault, &format!("played `{mv}`"), "no answer but done"))?;
        let refused = |refusal| Wrong::Skipped(format!("the rules refuse its own text: {refusal}"));
        self.game.play(mv).map(drop).map_err(refused)?;
        self.scene += &format!(", played `{mv}`");
        Ok(())
    }

    /// Tells it that moves are undone.
    pub fn taken_back(&mut self, plies: usize) -> Verdict<()> {
        let told = self.engine.taken_back(plies as u32);
        let call = format!("taken-back {plies}");
        told.map_err(|fault| self.fault(&fault, &call, "no answer but done"))?;
        self.game.take_back(plies);
        self.scene += &format!(", {call}");
        Ok(())
    }

    /// Asks for a move, which must be legal and none of those barred. What no
    /// clock limits must end by itself.
    pub fn choose(&mut self, ask: &Ask, barred: &[String]) -> Verdict<Chosen> {
        let guarded = ask.limits.unit == Unit::Unlimited;
        let (answer, stopped) = self.ask(ask, barred, guarded.then_some(GUARD));
        if stopped {
            let came_back =
                format!("nothing for {} ms; then it was told to stop", GUARD.as_millis());
            let call = self.call(ask, barred);
            return Err(Wrong::Failed(Box::new(Finding {
                sentence: format!("it does not keep the budget {}", ask.label),
                asked: format!("{}; {call}", self.scene),
                came_back,
                expected: "a move when depth or nodes are reached, without being told".into(),
                help: self.help.clone(),
            })));
        }
        match answer {
            Ok(answer) => self.judged(ask, barred, answer),
            Err(fault) => {
                let expected = format!("one of {} legal moves", legal(&*self.game).len());
                Err(self.fault(&fault, &self.call(ask, barred), &expected))
            }
        }
    }

    /// One request, not judged; whether it was told to stop by the guard.
    pub fn ask(
        &mut self,
        ask: &Ask,
        barred: &[String],
        guard: Option<Duration>,
    ) -> (Result<crate::engine::Answer, Fault>, bool) {
        self.ears.lines();
        let control = self.engine.control();
        control.clear();
        let barred: Vec<Barred> = barred
            .iter()
            .map(|mv| Barred { r#move: mv.clone(), reason: "refused by the check".into() })
            .collect();
        let engine = &mut self.engine;
        match guard {
            Some(guard) => stopped_after(guard, control, || engine.choose(&ask.limits, &barred)),
            None => (engine.choose(&ask.limits, &barred), false),
        }
    }

    /// An answer held against the rules.
    pub fn judged(
        &mut self,
        ask: &Ask,
        barred: &[String],
        answer: crate::engine::Answer,
    ) -> Verdict<Chosen> {
        let (lines, reports) = self.ears.lines();
        let mv = match &answer.choice.decision {
            Decision::Resign => None,
            Decision::AcceptDraw => {
                return Err(self.illegal(
                    ask,
                    barred,
                    "accepts a draw that nobody offers",
                    "a draw",
                ));
            }
            Decision::Play(text) => {
                let shown = quoted(text);
                let mv = self.game.canonical(text).map_err(|refusal| {
                    let reason = format!("chose an illegal move, {shown}: {}", refusal.reason);
                    self.illegal(ask, barred, &reason, &format!("play {shown}"))
                })?;
                if barred.contains(&mv) {
                    let reason = format!("chose {shown} although it is barred");
                    return Err(self.illegal(ask, barred, &reason, &format!("play {shown}")));
                }
                Some(mv)
            }
        };
        let line = answer.choice.line;
        Ok(Chosen { mv, spent: answer.spent, lines, reports, line })
    }

    fn illegal(&self, ask: &Ask, barred: &[String], reason: &str, came_back: &str) -> Wrong {
        let open = legal(&*self.game).into_iter().filter(|mv| !barred.contains(mv)).count();
        Wrong::Failed(Box::new(Finding {
            sentence: format!("it {reason}"),
            asked: format!("{}; {}", self.scene, self.call(ask, barred)),
            came_back: came_back.to_owned(),
            expected: format!("one of {open} legal moves in `{}`", self.game.position()),
            help: self.analyse(ask, barred),
        }))
    }

    /// The failure that a fault in this call is.
    pub fn fault(&self, fault: &Fault, call: &str, expected: &str) -> Wrong {
        let sentence = format!("it {}", fault.sentence);
        self.log.add("fault", &sentence);
        Wrong::Failed(Box::new(Finding {
            asked: format!("{}; {call}", self.scene),
            came_back: format!("a fault ({}): {sentence}", fault.code),
            sentence,
            expected: expected.to_owned(),
            help: self.help.clone(),
        }))
    }

    /// The request, for people.
    pub fn call(&self, ask: &Ask, barred: &[String]) -> String {
        match barred {
            [] => format!("choose under {}", ask.label),
            [one] => format!("choose under {} with `{one}` barred", ask.label),
            more => format!("choose under {} with {} moves barred", ask.label, more.len()),
        }
    }

    /// A command that asks the same outside the check.
    fn analyse(&self, ask: &Ask, barred: &[String]) -> String {
        let exclude = match barred {
            [] => String::new(),
            barred => format!(", \"exclude\": \"{}\"", barred.join(" ")),
        };
        format!(
            "echo '{{\"position\": \"{}\"{exclude}}}' | {} --game {} --variant {} --budget {}",
            self.game.position(),
            self.again,
            self.game.info().id,
            self.game.variant().text(),
            ask.label
        )
    }

    /// The handle that stops a call.
    pub fn control(&self) -> Control {
        self.engine.control()
    }
}

/// Makes a call and has it told to stop when it takes longer than this; whether
/// it was.
pub fn stopped_after<T>(after: Duration, control: Control, call: impl FnOnce() -> T) -> (T, bool) {
    let (done, waits) = channel::<()>();
    std::thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let late = waits.recv_timeout(after) == Err(RecvTimeoutError::Timeout);
            if late {
                control.stop();
            }
            late
        });
        let value = call();
        drop(done);
        (value, watch.join().unwrap_or(true))
    })
}
