//! A game with a program that speaks GTP, exchange by exchange. Each command has a number and its response has the same: what
//! has another answers nothing. The program's board is known by the moves that it was told, and is cleared when others are meant.

use sandboard_abi::{Choice, Decision, Limits, Setup, Unit, limits};
use sandboard_games::game;

use crate::engine::Fault;
use crate::engine::desk::checked_choice;
use crate::process::exchange::{Exchange, no_move, own_error, refusal};
use crate::process::settings;
use crate::process::wire::{Asked, Wire};

/// A game in GTP.
#[derive(Default)]
pub(in crate::process) struct Gtp {
    number: u32,
    game: String,
    /// The moves on its board; none: it is to be cleared.
    told: Option<Vec<String>>,
    /// Whether the clock of the game was told.
    is_clocked: bool,
}

/// What it responds: its text, or why it failed.
type Responded = Result<String, String>;

impl Gtp {
    fn command(&mut self, text: &str) -> String {
        self.number += 1;
        format!("{} {text}", self.number)
    }

    /// Says a command and hears its response.
    fn ask(&mut self, wire: &mut Wire, text: &str) -> Result<Responded, Fault> {
        let command = self.command(text);
        wire.say(&command)?;
        self.responded(wire)
    }

    /// Hears the response to the last command, with all of its lines.
    fn responded(&mut self, wire: &mut Wire) -> Result<Responded, Fault> {
        let (is_ok, mut text) = loop {
            let line = wire.hear()?;
            match super::response(&line) {
                Some(it) => match it.to(self.number) {
                    Some(text) => break (it.is_ok, text.to_owned()),
                    None => return Err(Wire::unasked(&line)),
                },
                None if line.trim().is_empty() => (),
                None => wire.remark(&line)?,
            }
        };
        loop {
            let line = wire.hear()?;
            if line.trim().is_empty() {
                return Ok(if is_ok { Ok(text) } else { Err(text) });
            }
            if text.len() < limits::LOG_TEXT_BYTES {
                text.push(' ');
                text.push_str(line.trim());
            }
        }
    }

    /// The same; that it cannot do this is a reason not to begin.
    fn must(&mut self, wire: &mut Wire, text: &str) -> Result<(), Fault> {
        match self.ask(wire, text)? {
            Ok(_) => Ok(()),
            Err(why) => Err(refusal(&format!("refuses `{text}`: {why}"))),
        }
    }

    /// The same; it need not be able to.
    fn may(&mut self, wire: &mut Wire, text: &str) -> Result<(), Fault> {
        if let Err(why) = self.ask(wire, text)? {
            wire.remark(&format!("{text}: {why}"))?;
        }
        Ok(())
    }

    /// Has its board as it is after these moves.
    fn tell(&mut self, wire: &mut Wire, moves: &[String]) -> Result<(), Fault> {
        let known = self.told.take().filter(|told| moves.starts_with(told));
        let from = match known {
            Some(told) => told.len(),
            None => {
                self.must(wire, "clear_board")?;
                0
            }
        };
        for (ply, mv) in moves.iter().enumerate().skip(from) {
            let vertex = super::vertex(&self.game, mv);
            let command = format!("play {} {vertex}", color(ply));
            match self.ask(wire, &command)? {
                Ok(_) => (),
                // Some know no word for it: who cannot but pass has passed, to them.
                Err(why) if self.game == "reversi" && mv == "pass" => {
                    wire.remark(&format!("{command}: {why}"))?;
                }
                Err(why) => {
                    let says = format!("refuses `{command}`, which was played, and says");
                    return Err(own_error(&says, &why));
                }
            }
        }
        Ok(())
    }

    /// Times in whole seconds, which is all that it has words for.
    fn tell_times(&mut self, wire: &mut Wire, limits: &Limits, ply: usize) -> Result<(), Fault> {
        let timed = matches!(limits.unit, Unit::Wall | Unit::Cpu);
        let Some(left_us) = wire.left_us().filter(|_| timed) else { return Ok(()) };
        let seconds = (left_us / 1_000_000).max(1);
        let (settings, stones) = match limits.game_left {
            Some(_) => (format!("time_settings {seconds} 0 0"), 0),
            None => (format!("time_settings 0 {seconds} 1"), 1),
        };
        // Settings begin a clock; of one that goes on only what is left is told.
        if limits.game_left.is_none() || !self.is_clocked {
            self.may(wire, &settings)?;
        }
        self.is_clocked = limits.game_left.is_some();
        self.may(wire, &format!("time_left {} {seconds} {stones}", color(ply)))
    }
}

/// Who plays the ply with this number: black begins, and sides alternate. In small letters, since some compare them so.
fn color(ply: usize) -> char {
    if ply.is_multiple_of(2) { 'b' } else { 'w' }
}

impl Exchange for Gtp {
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        let none = || refusal("cannot begin: there is no such game");
        let info = game(&setup.game).ok_or_else(none)?;
        let variant = info.variant(&setup.variant).map_err(|_| none())?;
        let start = (info.new)(&variant, None).map_err(|_| none())?;
        if !setup.start.is_empty() && setup.start != start.position() {
            return Err(refusal(
                "cannot begin: gtp cannot tell a position, only moves from the game's own start",
            ));
        }
        if setup.threads > 1 {
            let threads = setup.threads;
            let reason = format!("cannot be given {threads} threads: gtp has no word for them");
            return Err(refusal(&reason));
        }
        setup.game.clone_into(&mut self.game);
        self.may(wire, "protocol_version")?;
        let knows = self.ask(wire, &format!("known_command {}", super::INTERRUPTS))?;
        wire.mouth.hears_of_stops(knows.is_ok_and(|text| text.eq_ignore_ascii_case("true")));
        let (options, speech) = (wire.options.clone(), wire.speech.clone());
        for (option, value) in settings(&options, &setup.options) {
            let command = format!("{} {value}", speech.name_of(&option.name));
            self.must(wire, command.trim_end())?;
        }
        let size = start.variant().size.unwrap_or(8);
        self.must(wire, &format!("boardsize {size}"))?;
        self.must(wire, "clear_board")?;
        self.told = Some(Vec::new());
        Ok(())
    }

    fn admits(&self, wire: &Wire, limits: &Limits) -> Result<(), Fault> {
        wire.only_time(limits)
    }

    fn search(&mut self, wire: &mut Wire, limits: &Limits, _asked: Asked) -> Result<Choice, Fault> {
        let mut moves = wire.desk.line();
        self.tell(wire, &moves)?;
        self.tell_times(wire, limits, moves.len())?;
        let command = self.command(&format!("genmove {}", color(moves.len())));
        wire.begin_search(&command)?;
        let answer = match self.responded(wire)? {
            Ok(answer) => answer,
            Err(why) => return Err(own_error("has no move, it says", &why)),
        };
        if answer.eq_ignore_ascii_case("resign") {
            let (decision, offers_draw) = (Decision::Resign, false);
            return Ok(Choice { decision, offers_draw, line: None });
        }
        let mv = super::move_of(&self.game, &answer);
        let mv = mv.ok_or_else(|| no_move(&answer, "which is no point"))?;
        moves.push(mv.clone());
        self.told = Some(moves);
        let (decision, offers_draw) = (Decision::Play(mv), false);
        checked_choice(Choice { decision, offers_draw, line: None })
    }
}
