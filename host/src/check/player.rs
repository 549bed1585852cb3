//! An instance with the game it plays: whatever is told to the one is played in
//! the other, and what comes back is held against the rules.

use std::sync::Arc;

use sandboard_abi::{Barred, Decision, Line, Unit};
use sandboard_games::DynGame;

use super::bench::{Ask, Bench, GUARD};
use super::ears::Ears;
use super::outcome::{Finding, Scribe, Verdict, Wrong};
use super::positions::legal;
use super::yardstick::{Watch, Watched};
use crate::ask::checked;
use crate::engine::{Answer, Engine, Fault, Spent};
use crate::manifest::quoted;

pub struct Player {
    engine: Box<dyn Engine>,
    pub game: Box<dyn DynGame>,
    ears: Arc<Ears>,
    /// What it was told so far, for people.
    pub scene: String,
    scribe: Scribe,
    analyse: String,
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
        let (scribe, analyse) = (bench.scribe(), bench.settings.analyse.clone());
        Self { engine, game, ears, scene, scribe, analyse, started }
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
        let answer = match ask.limits.unit {
            Unit::Unlimited => {
                let Watched { value, was_stopped, .. } = self.watched(ask, barred, GUARD);
                if was_stopped {
                    return Err(self.budget_ignored(ask, barred));
                }
                value
            }
            _ => self.ask(ask, barred),
        };
        match answer {
            Ok(answer) => self.judged(ask, barred, answer),
            Err(fault) => {
                let expected = format!("one of {} legal moves", legal(&*self.game).len());
                Err(self.fault(&fault, &self.call(ask, barred), &expected))
            }
        }
    }

    fn budget_ignored(&self, ask: &Ask, barred: &[String]) -> Wrong {
        let waited_ms = (GUARD.after + GUARD.grace).as_millis();
        Wrong::Failed(Box::new(Finding {
            sentence: format!("it does not keep the budget {}", ask.label),
            asked: format!("{}; {}", self.scene, self.call(ask, barred)),
            came_back: format!("nothing for {waited_ms} ms; then it was told to stop"),
            expected: "a move when depth or nodes are reached, without being told".into(),
            help: self.scribe.help.clone(),
        }))
    }

    /// One request, not judged.
    pub fn ask(&mut self, ask: &Ask, barred: &[String]) -> Result<Answer, Fault> {
        self.ears.lines();
        self.engine.control().clear();
        self.engine.choose(&ask.limits, &refused(barred))
    }

    /// The same beside a watch, which may tell it to stop.
    pub fn watched(
        &mut self,
        ask: &Ask,
        barred: &[String],
        watch: Watch,
    ) -> Watched<Result<Answer, Fault>> {
        // Before the watch begins: a stop of it must not be lost.
        let control = self.engine.control();
        control.clear();
        self.ears.lines();
        watch.over(control, || self.engine.choose(&ask.limits, &refused(barred)))
    }

    /// Lets it think on its opponent's time beside a watch, which tells it to stop.
    pub fn think(&mut self, watch: Watch) -> Watched<Result<Spent, Fault>> {
        let control = self.engine.control();
        control.clear();
        self.ears.lines();
        let thought = watch.over(control, || self.engine.think());
        // Lines of then are about other positions.
        self.ears.lines();
        self.scene += ", think";
        thought
    }

    /// An answer held against the rules.
    pub fn judged(&mut self, ask: &Ask, barred: &[String], answer: Answer) -> Verdict<Chosen> {
        let (lines, reports) = self.ears.lines();
        let agreed = ask.limits.draw_offered && answer.choice.decision == Decision::AcceptDraw;
        let mv = match agreed {
            true => Ok(None),
            false => checked(&*self.game, &answer.choice, &refused(barred)),
        };
        let mv = mv.map_err(|fault| self.illegal(ask, barred, &fault, &answer.choice.decision))?;
        let line = answer.choice.line;
        Ok(Chosen { mv, spent: answer.spent, lines, reports, line })
    }

    fn illegal(&self, ask: &Ask, barred: &[String], fault: &Fault, decision: &Decision) -> Wrong {
        let open = legal(&*self.game).into_iter().filter(|mv| !barred.contains(mv)).count();
        Wrong::Failed(Box::new(Finding {
            sentence: format!("it {}", fault.sentence),
            asked: format!("{}; {}", self.scene, self.call(ask, barred)),
            came_back: match decision {
                Decision::Play(text) => format!("play {}", quoted(text)),
                Decision::Resign => "resign".into(),
                Decision::AcceptDraw => "accept a draw".into(),
            },
            expected: format!("one of {open} legal moves in `{}`", self.game.position()),
            help: self.analyse(ask, barred),
        }))
    }

    /// What a fault in this call comes to.
    pub fn fault(&self, fault: &Fault, call: &str, expected: &str) -> Wrong {
        self.scribe.fault(fault, format!("{}; {call}", self.scene), expected)
    }

    /// The command that tries the step again, and where it is explained.
    pub fn help(&self) -> &str {
        &self.scribe.help
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
            self.analyse,
            self.game.info().id,
            self.game.variant().text(),
            ask.label
        )
    }
}

/// Moves as an engine is told that they are barred.
fn refused(moves: &[String]) -> Vec<Barred> {
    let refused =
        |mv: &String| Barred { r#move: mv.clone(), reason: "refused by the check".into() };
    moves.iter().map(refused).collect()
}
