//! A game with a program that speaks the border itself, line by line. Whatever it asks is answered by the desk that
//! answers any engine, while its time runs; what it says that nobody asked is a fault.

use sandboard_abi::{Choice, Decision, Description, Limits, Line, Setup, limits};

use super::{About, BEGIN, CHOOSE, DESCRIBE, GREETING, PING, Said};
use crate::engine::desk::{checked_choice, checked_description, clean_text, long_move};
use crate::engine::{Fault, FaultCode};
use crate::process::exchange::{Exchange, answered, refusal};
use crate::process::settings;
use crate::process::wire::{Asked, Wire};

/// A game in the border's own words.
#[derive(Default)]
pub(in crate::process) struct Sandboard;

/// What a program answers in the end.
enum Answer {
    Ready,
    Choice(Decision, bool),
    Error(String),
}

/// Hears until it answers what was asked last; meanwhile it may ask, report and log. `best`: its last report of
/// rank 1.
fn converse(
    wire: &mut Wire,
    limits: Option<&Limits>,
    best: &mut Option<Line>,
) -> Result<Answer, Fault> {
    loop {
        let line = wire.hear()?;
        match Said::read(&line).map_err(|why| malformed(&line, &why))? {
            Said::Legal(moves) => {
                let answer = wire.work(|desk| super::legal(&desk.legal(moves)));
                wire.answer(&answer)?;
            }
            Said::Look(moves) => {
                let answer = wire.work(|desk| super::look(&desk.look(moves)).join("\n"));
                wire.answer(&answer)?;
            }
            Said::Left => {
                let left_us = wire.left_us();
                wire.answer(&super::left(left_us))?;
            }
            Said::Log(level, text) => wire.desk.log(level, text)?,
            Said::Report(found) => {
                let spent = limits.map_or(0, |limits| wire.spent(limits.unit));
                wire.report(Line { spent, ..found }, best)?;
            }
            Said::Error(reason) => return Ok(Answer::Error(reason.to_owned())),
            Said::Ready => return Ok(Answer::Ready),
            Said::Play { mv, .. } if mv.len() > limits::MOVE_BYTES => {
                return Err(long_move(mv.len()));
            }
            Said::Play { mv, offers_draw } => {
                return Ok(Answer::Choice(Decision::Play(mv.to_owned()), offers_draw));
            }
            Said::Resign => return Ok(Answer::Choice(Decision::Resign, false)),
            Said::AcceptDraw => return Ok(Answer::Choice(Decision::AcceptDraw, false)),
            Said::Pong => return Err(Wire::unasked(&line)),
        }
    }
}

/// Hears what it has said already: what it logs may come at any moment, and all else would be the answer to nothing.
fn hush(wire: &mut Wire) -> Result<(), Fault> {
    while let Some(come) = wire.come()? {
        if !come.starts_with("log ") {
            return Err(Wire::unasked(&come));
        }
        let line = wire.hear()?;
        match Said::read(&line).map_err(|why| malformed(&line, &why))? {
            Said::Log(level, text) => wire.desk.log(level, text)?,
            _ => return Err(Wire::unasked(&line)),
        }
    }
    Ok(())
}

fn malformed(line: &str, why: &str) -> Fault {
    let line = clean_text(line, limits::LABEL_BYTES);
    Fault::new(
        FaultCode::Protocol,
        format!("printed a line that is none of sandboard: `{line}`: {why}"),
    )
}

/// What the program is, as it says itself; to nobody else is it said.
pub(in crate::process) fn describe(wire: &mut Wire) -> Result<Description, Fault> {
    wire.say(GREETING)?;
    wire.say(DESCRIBE)?;
    let mut about = About::default();
    loop {
        let line = wire.hear()?;
        if let Some(description) = about.hear(&line).map_err(|why| malformed(&line, &why))? {
            return checked_description(description);
        }
    }
}

impl Exchange for Sandboard {
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        wire.say(GREETING)?;
        let options = wire.options.clone();
        let options = settings(&options, &setup.options);
        let options = options.map(|(option, value)| (option.name.as_str(), value));
        for fact in super::game(setup, options) {
            wire.say(&fact)?;
        }
        wire.say(BEGIN)?;
        match converse(wire, None, &mut None)? {
            Answer::Ready => Ok(()),
            Answer::Error(reason) => Err(refusal(&format!("answered with an error: {reason}"))),
            Answer::Choice(..) => Err(answered(BEGIN, "a choice")),
        }
    }

    fn search(&mut self, wire: &mut Wire, limits: &Limits, asked: Asked) -> Result<Choice, Fault> {
        let moves = wire.desk.line();
        for fact in super::choice(&moves, asked.view.to_move, limits, &asked.barred) {
            wire.say(&fact)?;
        }
        hush(wire)?;
        wire.begin_search(CHOOSE)?;
        let mut best = None;
        match converse(wire, Some(limits), &mut best)? {
            Answer::Choice(decision, offers_draw) => {
                let line = best.filter(|line| match &decision {
                    Decision::Play(mv) => line.moves.split(' ').next() == Some(mv.as_str()),
                    Decision::Resign | Decision::AcceptDraw => false,
                });
                checked_choice(Choice { decision, offers_draw, line })
            }
            Answer::Error(reason) => {
                let reason = clean_text(&reason, limits::REASON_BYTES);
                Err(Fault::new(FaultCode::Error, format!("answered with an error: {reason}")))
            }
            Answer::Ready => Err(answered(CHOOSE, "ready")),
        }
    }

    fn rest(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        wire.say(PING)?;
        loop {
            let line = wire.hear()?;
            match Said::read(&line).map_err(|why| malformed(&line, &why))? {
                Said::Pong => return Ok(()),
                Said::Log(level, text) => wire.desk.log(level, text)?,
                _ => return Err(Wire::unasked(&line)),
            }
        }
    }
}
