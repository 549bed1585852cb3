//! The engine's side of GTP, the Go text protocol, version 2, for games on a square board in which black begins.

mod clock;

use sandboard_abi::{Choice, Limits, Line};

use self::clock::Clock;
use super::chess::timed;
use super::drive::fault_sentence;
use super::table::{Decided, Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;
use crate::process::gtp::{Command, INTERRUPT, INTERRUPTS, column, command, move_of, vertex};

/// The command that sets an option of the engine.
const OPTION: &str = "sandboard-option";

/// All commands, as `list_commands` has them.
const COMMANDS: [&str; 21] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    INTERRUPTS,
    "known_command",
    "komi",
    "list_commands",
    "list_games",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    OPTION,
    "set_game",
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

    /// The names of the game in programs for several games, the first of them the one that it is told by.
    fn games(&self) -> &'static [&'static str] {
        match self.id() {
            "reversi" => &["Othello", "Reversi"],
            _ => &["Gomoku"],
        }
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

    /// The board with the columns as moves name them here.
    fn board(&self) -> String {
        let id = self.id();
        let line = |line: &str| match line.split_whitespace().all(is_column) {
            true => line.chars().map(|letter| column(id, letter)).collect(),
            false => line.to_owned(),
        };
        self.table.game.board().lines().map(line).collect::<Vec<String>>().join("\n")
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
            "list_games" => self.games()[0].to_owned(),
            "set_game" if is_one_of(self.games(), argument(0)) => String::new(),
            "set_game" => return Err("unsupported game".into()),
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
            INTERRUPTS => String::new(),
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
                self.clocks = [Clock::of(&arguments)?; 2];
                String::new()
            }
            "time_left" => {
                self.time_left(&arguments)?;
                String::new()
            }
            "final_score" => self.final_score()?,
            "showboard" => format!("\n{}", self.board()),
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

/// Whether a word names the column of a board.
fn is_column(word: &str) -> bool {
    matches!(word.as_bytes(), [letter] if letter.is_ascii_lowercase())
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|it| it.eq_ignore_ascii_case(name))
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
        match (self.asked.is_some(), line.trim() == INTERRUPT) {
            (true, true) => return Act::Stop,
            (true, false) => return Act::Later,
            (false, _) => (),
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
