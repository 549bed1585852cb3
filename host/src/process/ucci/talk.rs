//! A game with a program that speaks UCCI, exchange by exchange.

use sandboard_abi::{Choice, Decision, Limits, Line, Setup, Unit};

use super::{Going, Said};
use crate::engine::Fault;
use crate::engine::desk::checked_choice;
use crate::process::exchange::{Exchange, answered, no_move, own_error};
use crate::process::offers::Offers;
use crate::process::uci::talk::reported;
use crate::process::uci::{Offered, Takes};
use crate::process::wire::{Asked, Wire};

/// The option by which times are told in milliseconds.
const IN_MS: &str = "usemillisec";
/// The option that is pressed when a game begins.
const NEW_GAME: &str = "newgame";

/// A game in UCCI.
#[derive(Default)]
pub(in crate::process) struct Ucci {
    offers: Offers,
    in_ms: bool,
}

/// Until it has done all that it was told before, when no search is on.
fn await_ready(wire: &mut Wire) -> Result<(), Fault> {
    wire.say("isready")?;
    loop {
        let line = wire.hear()?;
        match super::read(&line) {
            Said::ReadyOk => return Ok(()),
            // A word to stop that came when it had answered already.
            Said::NoBestMove if wire.mouth.takes_late() => (),
            Said::BestMove(_) | Said::NoBestMove => return Err(Wire::unasked(&line)),
            Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
            Said::Option(_) | Said::UcciOk | Said::Info(_) | Said::Nothing => (),
        }
    }
}

impl Ucci {
    /// Hears who it is and what can be set.
    fn shake_hands(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        wire.say("ucci")?;
        loop {
            let line = wire.hear()?;
            match super::read(&line) {
                Said::UcciOk => return Ok(()),
                Said::Option(Some(offered)) => self.offers.add(offered)?,
                Said::ReadyOk | Said::BestMove(_) | Said::NoBestMove => {
                    return Err(answered("ucci", &line));
                }
                Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
                Said::Option(None) => wire.remark(&line)?,
                Said::Info(_) | Said::Nothing => (),
            }
        }
    }

    fn await_move(wire: &mut Wire, unit: Unit, is_offered: bool) -> Result<Choice, Fault> {
        let mut best: Option<Line> = None;
        loop {
            let line = wire.hear()?;
            match super::read(&line) {
                Said::Info(info) => {
                    if let Some(line) = reported(wire, info, unit) {
                        wire.report(line, &mut best)?;
                    }
                }
                Said::BestMove(chosen) => {
                    let decision = match wire.speech.dialect.to_game(chosen.mv) {
                        _ if chosen.resigns => Decision::Resign,
                        _ if chosen.draws && is_offered => Decision::AcceptDraw,
                        Some(mv) if !mv.is_empty() => Decision::Play(mv),
                        _ => return Err(no_move(chosen.mv, "which is no move as it writes them")),
                    };
                    let line = best.filter(|line| match &decision {
                        Decision::Play(mv) => line.moves.split(' ').next() == Some(mv),
                        Decision::Resign | Decision::AcceptDraw => true,
                    });
                    return checked_choice(Choice { decision, offers_draw: chosen.draws, line });
                }
                Said::NoBestMove => return Err(own_error("has no move, it says", &line)),
                Said::Text(text) | Said::Unknown(text) => wire.remark(text)?,
                Said::Option(_) | Said::UcciOk | Said::ReadyOk | Said::Nothing => (),
            }
        }
    }
}

impl Exchange for Ucci {
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        self.shake_hands(wire)?;
        // Some count milliseconds and offer nothing: where the manifest says so, they are told so.
        let speech = wire.speech.clone();
        let mut named = wire.options.iter().map(|option| speech.name_of(&option.name));
        if self.offers.find(IN_MS).is_none()
            && let Some(name) = named.find(|name| name.eq_ignore_ascii_case(IN_MS))
        {
            self.offers.add(Offered { name: name.to_owned(), takes: Takes::Check })?;
        }
        let chosen = self.offers.chosen(wire, setup)?;
        for (name, value) in &chosen {
            wire.say(&super::set_option(name, value))?;
        }
        let set = chosen.iter().find(|(name, _)| name.eq_ignore_ascii_case(IN_MS));
        self.in_ms = match set {
            Some((_, value)) => value == "true",
            None => self.offers.find(IN_MS).is_some(),
        };
        if self.in_ms && set.is_none() {
            wire.say(&super::set_option(IN_MS, "true"))?;
        }
        await_ready(wire)?;
        if self.offers.find(NEW_GAME).is_some() {
            wire.say(&super::set_option(NEW_GAME, ""))?;
            await_ready(wire)?;
        }
        Ok(())
    }

    fn search(&mut self, wire: &mut Wire, limits: &Limits, asked: Asked) -> Result<Choice, Fault> {
        let (dialect, view) = (wire.speech.dialect, asked.view);
        wire.say(&crate::process::uci::position(&dialect.position(&view.position)))?;
        if !asked.barred.is_empty() {
            let barred: Vec<String> =
                asked.barred.iter().map(|it| dialect.to_program(&it.r#move)).collect();
            wire.say(&format!("banmoves {}", barred.join(" ")))?;
        }
        // What it says before this is no answer to what it has not been asked.
        await_ready(wire)?;
        let going = Going { left_us: wire.left_us(), seat: view.to_move, in_ms: self.in_ms };
        wire.begin_search(&super::go(limits, going))?;
        Self::await_move(wire, limits.unit, limits.draw_offered)
    }

    fn rest(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        await_ready(wire)
    }
}
