//! A game with a program that speaks UCI, exchange by exchange. Believes nothing of it, and
//! takes no time: that is the call's.

use sandboard_abi::{Choice, Decision, Limits, Line, Setup, Unit};

use super::{Clocks, Info, Said};
use crate::engine::Fault;
use crate::engine::desk::checked_choice;
use crate::process::exchange::{Exchange, answered, no_move, own_error};
use crate::process::offers::Offers;
use crate::process::wire::{Asked, Wire};

/// A game in UCI.
pub(in crate::process) struct Uci {
    offers: Offers,
    /// How many lines it was told to show.
    shown: u16,
}

impl Default for Uci {
    fn default() -> Self {
        Self { offers: Offers::default(), shown: 1 }
    }
}

/// Until it has done all that it was told before, when no search is on.
fn await_ready(wire: &mut Wire) -> Result<(), Fault> {
    wire.say("isready")?;
    loop {
        let line = wire.hear()?;
        match super::read(&line) {
            Said::ReadyOk => return Ok(()),
            Said::BestMove(_) => return Err(Wire::unasked(&line)),
            Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
            Said::Option(_) | Said::UciOk | Said::Info(_) | Said::Nothing => (),
        }
    }
}

impl Uci {
    /// Hears who it is and what can be set.
    fn shake_hands(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        wire.say("uci")?;
        loop {
            let line = wire.hear()?;
            match super::read(&line) {
                Said::UciOk => return Ok(()),
                Said::Option(Some(offered)) => self.offers.add(offered)?,
                Said::ReadyOk | Said::BestMove(_) => {
                    return Err(answered("uci", &line));
                }
                Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
                Said::Option(None) => wire.remark(&line)?,
                Said::Info(_) | Said::Nothing => (),
            }
        }
    }

    fn await_move(wire: &mut Wire, unit: Unit) -> Result<Choice, Fault> {
        let mut best: Option<Line> = None;
        loop {
            let line = wire.hear()?;
            match super::read(&line) {
                Said::Info(info) => {
                    if let Some(line) = reported(wire, info, unit) {
                        wire.report(line, &mut best)?;
                    }
                }
                Said::BestMove(Some(mv)) => {
                    let Some(mv) = wire.speech.dialect.to_game(mv) else {
                        return Err(no_move(mv, "which is no move as it writes them"));
                    };
                    let line =
                        best.filter(|line| line.moves.split(' ').next() == Some(mv.as_str()));
                    let choice = Choice { decision: Decision::Play(mv), offers_draw: false, line };
                    return checked_choice(choice);
                }
                Said::BestMove(None) => return Err(own_error("has no move, it says", &line)),
                Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
                Said::Option(_) | Said::UciOk | Said::ReadyOk | Said::Nothing => (),
            }
        }
    }
}

/// A report as the border has it; none: it says nothing of value and moves.
pub(in crate::process) fn reported(wire: &Wire, info: Info, unit: Unit) -> Option<Line> {
    if info.score.is_none() && info.moves.is_empty() {
        return None;
    }
    let dialect = wire.speech.dialect;
    let moves: Vec<String> = info.moves.iter().map_while(|mv| dialect.to_game(mv)).collect();
    Some(Line {
        rank: info.rank.unwrap_or(1),
        score: info.score,
        depth: info.depth.unwrap_or(0),
        nodes: info.nodes.unwrap_or(0),
        spent: wire.spent(unit),
        moves: moves.join(" "),
    })
}

impl Exchange for Uci {
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        self.shake_hands(wire)?;
        for (name, value) in self.offers.chosen(wire, setup)? {
            wire.say(&super::set_option(&name, &value))?;
        }
        await_ready(wire)?;
        wire.say("ucinewgame")?;
        await_ready(wire)
    }

    fn search(&mut self, wire: &mut Wire, limits: &Limits, asked: Asked) -> Result<Choice, Fault> {
        let lines = limits.lines.max(1);
        let is_shown =
            self.offers.find("MultiPV").is_some_and(|it| it.check(&lines.to_string()).is_ok());
        if lines != self.shown && is_shown {
            wire.say(&super::set_option("MultiPV", &lines.to_string()))?;
            self.shown = lines;
        }
        let (dialect, view) = (wire.speech.dialect, asked.view);
        wire.say(&super::position(&dialect.position(&view.position)))?;
        // What it says before this is no answer to what it has not been asked.
        await_ready(wire)?;
        let clocks = Clocks { left_us: wire.left_us(), seat: view.to_move };
        let only: Vec<String> = asked.only.iter().map(|mv| dialect.to_program(mv)).collect();
        wire.begin_search(&super::go(limits, clocks, &only))?;
        Self::await_move(wire, limits.unit)
    }

    fn rest(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        await_ready(wire)
    }
}
