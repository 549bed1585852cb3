//! A game with an engine of NBoard, exchange by exchange. It is told the whole position each time, and asked for a sign that it
//! has heard it.

use sandboard_abi::{Bound, Choice, Decision, Limits, Line, Score, Setup, Unit};

use super::Said;
use crate::engine::desk::checked_choice;
use crate::engine::{Fault, FaultCode};
use crate::process::exchange::{Exchange, no_move, refusal};
use crate::process::settings;
use crate::process::wire::{Asked, Wire};

/// A game in the protocol of NBoard.
#[derive(Default)]
pub(in crate::process) struct Nboard {
    number: u64,
    /// The depth that its manifest sets, told again where a search has none.
    depth: Option<String>,
    /// The depth that it was told last.
    told: Option<String>,
}

impl Nboard {
    /// Until it has done all that it was told before, when no search is on.
    fn await_ready(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        self.number += 1;
        wire.say(&format!("ping {}", self.number))?;
        loop {
            let line = wire.hear()?;
            match super::read(&line) {
                Said::Pong(number) if number == self.number => return Ok(()),
                Said::Pong(_) | Said::Move(..) => return Err(Wire::unasked(&line)),
                Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
                Said::Search(..) | Said::Nodes(_) | Said::Nothing => (),
            }
        }
    }

    /// How deep it is to search.
    fn tell_depth(&mut self, wire: &mut Wire, limits: &Limits) -> Result<(), Fault> {
        let depth = limits.depth.map(|depth| depth.max(1).to_string()).or(self.depth.clone());
        if let Some(depth) = depth.filter(|depth| Some(depth) != self.told.as_ref()) {
            wire.say(&format!("set depth {depth}"))?;
            self.told = Some(depth);
        }
        Ok(())
    }

    fn await_move(wire: &mut Wire, unit: Unit) -> Result<Choice, Fault> {
        let (mut best, mut nodes) = (None, 0);
        loop {
            let line = wire.hear()?;
            match super::read(&line) {
                Said::Nodes(number) => nodes = number,
                Said::Search(moves, value, depth) => {
                    let (score, spent) = (value.map(score), wire.spent(unit));
                    let (depth, moves) = (depth.unwrap_or(0), moves.join(" "));
                    let line = Line { rank: 1, score, depth, nodes, spent, moves };
                    wire.report(line, &mut best)?;
                }
                Said::Move(mv, _) if mv.is_empty() => {
                    return Err(no_move(line.trim(), "which names no move"));
                }
                Said::Move(mv, value) => {
                    let own = Line {
                        rank: 1,
                        score: value.map(score),
                        depth: 0,
                        nodes,
                        spent: wire.spent(unit),
                        moves: mv.clone(),
                    };
                    let is_its = |line: &Line| line.moves.split(' ').next() == Some(mv.as_str());
                    let line = Some(best.filter(is_its).unwrap_or(own));
                    let (decision, offers_draw) = (Decision::Play(mv), false);
                    return checked_choice(Choice { decision, offers_draw, line });
                }
                Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
                Said::Pong(_) => return Err(Wire::unasked(&line)),
                Said::Nothing => (),
            }
        }
    }
}

/// Discs as the game counts them.
fn score(discs: f64) -> Score {
    // Whatever it says, no board has more discs.
    Score { value: discs.clamp(-64.0, 64.0).round() as i32, bound: Bound::Estimate }
}

impl Exchange for Nboard {
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        if setup.threads > 1 {
            let threads = setup.threads;
            let reason = format!("cannot be given {threads} threads: nboard has no word for them");
            return Err(refusal(&reason));
        }
        wire.say("nboard 2")?;
        let (options, speech) = (wire.options.clone(), wire.speech.clone());
        for (option, value) in settings(&options, &setup.options) {
            let name = speech.name_of(&option.name);
            if name == "depth" {
                self.depth = Some(value.to_owned());
                self.told = self.depth.clone();
            }
            wire.say(&format!("set {name} {value}"))?;
        }
        self.await_ready(wire)
    }

    fn admits(&self, _wire: &Wire, limits: &Limits) -> Result<(), Fault> {
        if limits.unit == Unit::Unlimited && limits.nodes.is_some() && limits.depth.is_none() {
            let sentence = "cannot be limited in nodes alone: nboard can only tell depth";
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        Ok(())
    }

    fn search(&mut self, wire: &mut Wire, limits: &Limits, asked: Asked) -> Result<Choice, Fault> {
        let Some(game) = super::game_of(&asked.view.position) else {
            return Err(Fault::new(FaultCode::Host, "cannot be told the position: it is no board"));
        };
        self.tell_depth(wire, limits)?;
        wire.say(&format!("set game {game}"))?;
        // What it says before this is no answer to what it has not been asked.
        self.await_ready(wire)?;
        wire.begin_search("go")?;
        Self::await_move(wire, limits.unit)
    }

    fn rest(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        self.await_ready(wire)
    }
}
