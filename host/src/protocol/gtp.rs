//! The engine's side of GTP, the Go text protocol, version 2, for games on a square board in which black begins.

use sandboard_abi::{Choice, Limits, Line};

use super::chess::timed;
use super::drive::fault_sentence;
use super::table::{Decided, Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;
use crate::process::gtp::{Command, command, move_of, vertex};

/// The command that sets an option of the engine.
const OPTION: &str = "sandboard-option";

/// All commands, as `list_commands` has them.
const COMMANDS: [&str; 18] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "known_command",
    "komi",
    "list_commands",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    OPTION,
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// A session in GTP.
pub(super) struct Gtp {
    table: Table,
    /// The clocks of black and white.
    clocks: [Clock; 2],
    /// The command that the engine answers: its number, and whether its move is played.
    asked: Option<(Option<u32>, bool)>,
    /// How many moves were played before each of the passes that nobody told.
    implied: Vec<usize>,
    /// What the answer took that comes next, in milliseconds.
    took: u64,
}

/// A clock, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Clock {
    /// None: it is not limited.
    left: Option<u64>,
    /// For so many moves; 0: for all.
    stones: u32,
    /// The overtime that comes then, and again, and for how many moves; of none: there is no overtime.
    overtime: (u64, u32),
}

impl Clock {
    /// After a move that took so many milliseconds.
    fn after(self, took: u64) -> Self {
        let Some(left) = self.left else { return self };
        let (time, stones) = self.overtime;
        match (left.checked_sub(took), self.stones) {
            (Some(left), 0) => Self { left: Some(left), ..self },
            (None, 0) if stones > 0 => {
                let left = Some((left + time).saturating_sub(took));
                Self { left, stones, ..self }.less_a_stone()
            }
            (None, 0) => Self { left: Some(0), ..self },
            (left, _) => Self { left: Some(left.unwrap_or(0)), ..self }.less_a_stone(),
        }
    }

    fn less_a_stone(self) -> Self {
        match (self.stones, self.overtime) {
            // What comes then nobody has told.
            (1, (_, 0)) => Self::default(),
            (1, (time, stones)) => Self { left: Some(time), stones, ..self },
            (stones, _) => Self { stones: stones.saturating_sub(1), ..self },
        }
    }
}

impl Gtp {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        let (table, clocks) = (Table::new(offer)?, [Clock::default(); 2]);
        Ok(Self { table, clocks, asked: None, implied: Vec::new(), took: 0 })
    }

    fn id(&self) -> &'static str {
        self.table.offer.game.id
    }

    /// Has this colour move: who cannot but pass, and whom nobody told so, has passed.
    fn turn(&mut self, color: &str) -> Result<usize, String> {
        let seat = match color.to_ascii_lowercase().as_str() {
            "b" | "black" => 0,
            "w" | "white" => 1,
            _ => return Err("syntax error: a colour is b or w".into()),
        };
        if usize::from(self.table.game.to_move().0) != seat {
            match self.table.legal().as_slice() {
                [pass] if pass == "pass" => {
                    self.implied.push(self.table.game.plies());
                    self.table.play("pass")?;
                }
                _ => return Err("illegal move: it is the other colour's turn".into()),
            }
        }
        Ok(seat)
    }

    /// Takes back the pass that nobody told, where that is the last move.
    fn take_back_implied(&mut self) {
        let plies = self.table.game.plies();
        self.implied.retain(|before| *before < plies);
        if plies > 0 && self.implied.last() == Some(&(plies - 1)) {
            self.table.game.take_back(1);
            self.implied.pop();
        }
    }

    /// Takes back a move, with the pass that nobody told before it.
    fn undo(&mut self) -> Result<(), String> {
        self.take_back_implied();
        if self.table.game.take_back(1) == 0 {
            return Err("cannot undo".into());
        }
        self.take_back_implied();
        Ok(())
    }

    fn size(&mut self, text: &str) -> Result<(), String> {
        let id = self.table.offer.variant.id;
        let variant = self.table.offer.game.variant(&format!("{id}-{text}"));
        let variant = variant.map_err(|_| "unacceptable size")?;
        self.table.set_up(&variant, "").map_err(|_| "unacceptable size".to_owned())
    }

    fn play(&mut self, color: &str, text: &str) -> Result<(), String> {
        let mv = move_of(self.id(), text).ok_or("illegal move")?;
        self.turn(color)?;
        let played = self.table.play(&mv);
        if let Err(reason) = played {
            self.take_back_implied();
            return Err(format!("illegal move: {reason}"));
        }
        Ok(())
    }

    fn generate(&mut self, id: Option<u32>, color: &str, plays: bool) -> Result<Act, String> {
        let seat = self.turn(color)?;
        if let Some(outcome) = self.table.game.outcome() {
            self.take_back_implied();
            return Err(format!("the game is over: {}", outcome.reason));
        }
        let clock = self.clocks[seat];
        let us = clock.left.map(|ms| self.table.offer.time_us(ms));
        let limits = match clock.stones {
            0 => timed(None, us, Limits::default()),
            1 => timed(us, None, Limits::default()),
            more => timed(None, us, Limits { moves_to_go: Some(more), ..Limits::default() }),
        };
        let limits = self.table.offer.or_usual(limits);
        self.asked = Some((id, plays));
        Ok(Act::Ask(self.table.question(limits, Vec::new())))
    }

    /// Main time and overtime in seconds, and stones of the overtime.
    fn time_settings(&mut self, arguments: &[&str]) -> Result<(), String> {
        let numbers = arguments.iter().map(|text| text.parse().ok()).collect::<Option<Vec<u32>>>();
        let Some(&[main, overtime, stones]) = numbers.as_deref() else {
            return Err("syntax error: three whole numbers of seconds and stones".into());
        };
        let ms = |seconds: u32| u64::from(seconds) * 1000;
        let clock = match (main, stones) {
            // No stones in some overtime: nothing is limited.
            (0, 0) if overtime > 0 => Clock::default(),
            (0, _) => Clock { left: Some(ms(overtime)), stones, overtime: (ms(overtime), stones) },
            _ => Clock { left: Some(ms(main)), stones: 0, overtime: (ms(overtime), stones) },
        };
        self.clocks = [clock; 2];
        Ok(())
    }

    fn time_left(&mut self, arguments: &[&str]) -> Result<(), String> {
        let &[color, time, stones] = arguments else {
            return Err("syntax error: a colour, seconds and stones".into());
        };
        let seat = match color.to_ascii_lowercase().as_str() {
            "b" | "black" => 0,
            "w" | "white" => 1,
            _ => return Err("syntax error: a colour is b or w".into()),
        };
        let read = (time.parse::<u32>().ok(), stones.parse().ok());
        let (Some(seconds), Some(stones)) = read else {
            return Err("syntax error: whole numbers of seconds and stones".into());
        };
        let left = Some(u64::from(seconds) * 1000);
        self.clocks[seat] = Clock { left, stones, ..self.clocks[seat] };
        Ok(())
    }

    fn final_score(&self) -> Result<String, String> {
        let outcome = self.table.game.outcome().ok_or("cannot score: the game is not over")?;
        let Some(winner) = outcome.winner else { return Ok("0".to_owned()) };
        let letter = if self.table.game.side_name(winner) == "white" { 'W' } else { 'B' };
        Ok(match outcome.score {
            0 => format!("{letter}+"),
            score => format!("{letter}+{}", score.unsigned_abs()),
        })
    }

    fn obey(&mut self, Command { id, name, arguments }: Command<'_>) -> Result<Answer, String> {
        let argument = |index: usize| arguments.get(index).copied().unwrap_or_default();
        let offer = &self.table.offer;
        let said = match name {
            "protocol_version" => "2".to_owned(),
            "name" => super::one_line(&offer.name),
            "version" => super::one_line(&offer.version),
            "known_command" => COMMANDS.contains(&argument(0)).to_string(),
            "list_commands" => COMMANDS.join("\n"),
            "boardsize" => {
                self.size(argument(0))?;
                self.implied.clear();
                String::new()
            }
            "clear_board" => {
                self.table.clear()?;
                self.table.new_game();
                self.implied.clear();
                String::new()
            }
            // There is none in these games; whoever sets it may.
            "komi" if argument(0).parse::<f64>().is_ok() => String::new(),
            "komi" => return Err("syntax error: a number".into()),
            "play" => {
                self.play(argument(0), argument(1))?;
                String::new()
            }
            "genmove" | "reg_genmove" => {
                let act = self.generate(id, argument(0), name == "genmove")?;
                return Ok(Answer::Later(act));
            }
            "undo" => {
                self.undo()?;
                String::new()
            }
            "time_settings" => {
                self.time_settings(&arguments)?;
                String::new()
            }
            "time_left" => {
                self.time_left(&arguments)?;
                String::new()
            }
            "final_score" => self.final_score()?,
            "showboard" => format!("\n{}", self.table.game.board()),
            OPTION => {
                let value = arguments.get(1..).unwrap_or_default().join(" ");
                self.table.set_option(argument(0), &value)?;
                String::new()
            }
            "quit" => return Ok(Answer::Quit),
            _ => return Err("unknown command".into()),
        };
        Ok(Answer::Now(said))
    }

    /// The engine's answer in words; its move is played, unless it was only asked for.
    fn said(&mut self, answer: Result<Choice, Fault>, plays: bool) -> Result<String, String> {
        let seat = usize::from(self.table.game.to_move().0);
        let decided = answer.and_then(|choice| self.table.decided(&choice));
        if is_played(&decided, plays) {
            self.clocks[seat] = self.clocks[seat].after(self.took);
        } else {
            self.take_back_implied();
        }
        match decided.map_err(|fault| fault_sentence(&fault))? {
            Decided::Play(mv) => {
                if plays {
                    self.table.play(&mv)?;
                }
                Ok(vertex(self.id(), &mv))
            }
            Decided::Resign | Decided::AcceptDraw => Ok("resign".to_owned()),
        }
    }
}

/// Whether a decision is played on the board.
fn is_played(decided: &Result<Decided, Fault>, plays: bool) -> bool {
    plays && matches!(decided, Ok(Decided::Play(_)))
}

enum Answer {
    Now(String),
    /// The engine is asked.
    Later(Act),
    Quit,
}

/// A response: its lines, none of them empty, and the empty one that ends it.
fn respond(id: Option<u32>, answer: Result<String, String>, out: &mut Vec<String>) {
    let id = id.map_or(String::new(), |id| id.to_string());
    let (sign, text) = match answer {
        Ok(text) => ('=', text),
        Err(reason) => ('?', super::one_line(&reason)),
    };
    let mut lines = text.lines();
    out.push(format!("{sign}{id} {}", lines.next().unwrap_or_default()).trim_end().to_owned());
    out.extend(lines.filter(|line| !line.trim().is_empty()).map(|line| line.trim_end().to_owned()));
    out.push(String::new());
}

impl Session for Gtp {
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act {
        // Commands are answered one after another.
        if self.asked.is_some() {
            return Act::Later;
        }
        let Some(command) = command(line) else { return Act::Wait };
        let id = command.id;
        match self.obey(command) {
            Ok(Answer::Now(text)) => respond(id, Ok(text), out),
            Ok(Answer::Later(act)) => return act,
            Ok(Answer::Quit) => {
                respond(id, Ok(String::new()), out);
                return Act::Quit;
            }
            Err(reason) => respond(id, Err(reason), out),
        }
        Act::Wait
    }

    fn bad(&mut self, reason: &str, out: &mut Vec<String>) {
        respond(None, Err(format!("syntax error: {reason}")), out);
    }

    fn report(&mut self, _line: &Line, _out: &mut Vec<String>) {
        // Nothing is said between a command and its response.
    }

    fn took(&mut self, us: u64) {
        self.took = us / 1000;
    }

    fn answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Act {
        let (id, plays) = self.asked.take().unwrap_or((None, false));
        let said = self.said(answer, plays);
        respond(id, said, out);
        Act::Wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_down() {
        let clock = |left, stones, overtime| Clock { left: Some(left), stones, overtime };
        let check = |before: Clock, took: u64, expected: Clock| {
            assert_eq!(before.after(took), expected, "{before:?}, {took} ms");
        };
        check(Clock::default(), 9, Clock::default());
        check(clock(60_000, 0, (0, 0)), 10_000, clock(50_000, 0, (0, 0)));
        check(clock(5000, 0, (0, 0)), 6000, clock(0, 0, (0, 0)));
        // Main time that is used up is followed by overtime, in which the move counts.
        check(clock(5000, 0, (30_000, 5)), 5000, clock(0, 0, (30_000, 5)));
        check(clock(5000, 0, (30_000, 5)), 6000, clock(29_000, 4, (30_000, 5)));
        check(clock(5000, 0, (30_000, 1)), 6000, clock(30_000, 1, (30_000, 1)));
        check(clock(29_000, 4, (30_000, 5)), 9000, clock(20_000, 3, (30_000, 5)));
        check(clock(2000, 1, (30_000, 5)), 1000, clock(30_000, 5, (30_000, 5)));
        check(clock(5000, 1, (0, 0)), 1000, Clock::default());
    }
}
