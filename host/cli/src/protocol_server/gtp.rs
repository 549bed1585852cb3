//! Protocol server for GTP, the Go Text Protocol, version 2, for games on a square board in which
//! black starts.

mod clock;

use sandboard_abi::{Choice, Limits, Line};

use self::clock::Clock;
use super::driver::fault_sentence;
use super::game_state::{CheckedDecision, EngineInfo, GameState};
use super::uci_family::wall_time_limits;
use super::{Action, Session};
use sandboard_engine::Fault;
use sandboard_games::general::Observer;
use sandboard_protocols::gtp::{
    Command, INTERRUPT, INTERRUPT_QUERY, column, command, move_of, vertex,
};

/// Our extension command that sets an option of the engine.
const OPTION: &str = "sandboard-option";

/// All commands, for `list_commands`.
const COMMANDS: [&str; 21] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    INTERRUPT_QUERY,
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
    state: GameState,
    /// The clocks of black and of white.
    clocks: [Clock; 2],
    /// The pending command: its number, and whether the engine's move is played.
    pending: Option<(Option<u32>, bool)>,
    /// The number of moves before each implied pass: a pass that the other program left out.
    implied_passes: Vec<usize>,
    /// The duration of the search whose answer follows, in milliseconds.
    search_ms: u64,
}

impl Gtp {
    pub(super) fn new(engine_info: EngineInfo) -> Result<Self, String> {
        let (state, clocks) = (GameState::new(engine_info)?, [Clock::default(); 2]);
        Ok(Self { state, clocks, pending: None, implied_passes: Vec::new(), search_ms: 0 })
    }

    fn id(&self) -> &'static str {
        self.state.engine_info.game.id
    }

    /// Makes it this colour's turn. If the other colour can only pass, its pass is implied.
    fn set_turn(&mut self, color: &str) -> Result<usize, String> {
        let seat = match color.to_ascii_lowercase().as_str() {
            "b" | "black" => 0,
            "w" | "white" => 1,
            _ => return Err("syntax error: a colour is b or w".into()),
        };
        if usize::from(self.state.game.to_move().0) != seat {
            match self.state.legal().as_slice() {
                [pass] if pass == "pass" => {
                    self.implied_passes.push(self.state.game.plies());
                    self.state.play("pass")?;
                }
                _ => return Err("illegal move: it is the other colour's turn".into()),
            }
        }
        Ok(seat)
    }

    /// Takes back an implied pass, if that is the last move.
    fn take_back_implied_pass(&mut self) {
        let plies = self.state.game.plies();
        self.implied_passes.retain(|before| *before < plies);
        if plies > 0 && self.implied_passes.last() == Some(&(plies - 1)) {
            self.state.game.take_back(1);
            self.implied_passes.pop();
        }
    }

    /// Takes back a move, with the implied pass before it.
    fn undo(&mut self) -> Result<(), String> {
        self.take_back_implied_pass();
        if self.state.game.take_back(1) == 0 {
            return Err("cannot undo".into());
        }
        self.take_back_implied_pass();
        Ok(())
    }

    /// The names of the game in GTP programs; the first one is used for output.
    fn games(&self) -> &'static [&'static str] {
        match self.id() {
            "reversi" => &["Othello", "Reversi"],
            _ => &["Gomoku"],
        }
    }

    fn set_size(&mut self, text: &str) -> Result<(), String> {
        let id = self.state.engine_info.variant.id;
        let variant = self.state.engine_info.game.variant(&format!("{id}-{text}"));
        let variant = variant.map_err(|_| "unacceptable size")?;
        self.state.set_up(&variant, "").map_err(|_| "unacceptable size".to_owned())
    }

    fn play(&mut self, color: &str, text: &str) -> Result<(), String> {
        let mv = move_of(self.id(), text).ok_or("illegal move")?;
        self.set_turn(color)?;
        let played = self.state.play(&mv);
        if let Err(reason) = played {
            self.take_back_implied_pass();
            return Err(format!("illegal move: {reason}"));
        }
        Ok(())
    }

    fn generate(&mut self, id: Option<u32>, color: &str, plays: bool) -> Result<Action, String> {
        let seat = self.set_turn(color)?;
        if let Some(ending) = self.state.game.ending() {
            self.take_back_implied_pass();
            return Err(format!("the game is over: {}", ending.reason));
        }
        let clock = self.clocks[seat];
        let us = clock.left.map(|ms| self.state.engine_info.time_us(ms));
        let limits = match clock.stones {
            0 => wall_time_limits(None, us, Limits::default()),
            1 => wall_time_limits(us, None, Limits::default()),
            more => {
                wall_time_limits(None, us, Limits { moves_to_go: Some(more), ..Limits::default() })
            }
        };
        let limits = self.state.engine_info.or_default_limits(limits);
        self.pending = Some((id, plays));
        Ok(Action::Search(self.state.search_request(limits, Vec::new())))
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
        let ending = self.state.game.ending().ok_or("cannot score: the game is not over")?;
        let Some(winner) = self.state.game.winner() else { return Ok("0".to_owned()) };
        let letter = if self.state.game.side_name(winner) == "white" { 'W' } else { 'B' };
        // Scores of 1 and -1 say who has won, without a margin.
        Ok(match ending.scores.first().map_or(0, |score| score.unsigned_abs()) {
            0 | 1 => format!("{letter}+"),
            margin => format!("{letter}+{margin}"),
        })
    }

    /// The board, with columns named as in this protocol's moves.
    fn board(&self) -> String {
        let id = self.id();
        let line = |line: &str| match line.split_whitespace().all(is_column) {
            true => line.chars().map(|letter| column(id, letter)).collect(),
            false => line.to_owned(),
        };
        let diagram = self.state.game.diagram(Observer::Everything);
        diagram.lines().map(line).collect::<Vec<String>>().join("\n")
    }

    fn execute(&mut self, Command { id, name, arguments }: Command<'_>) -> Result<Reply, String> {
        let argument = |index: usize| arguments.get(index).copied().unwrap_or_default();
        let engine_info = &self.state.engine_info;
        let text = match name {
            "protocol_version" => "2".to_owned(),
            "name" => super::one_line(&engine_info.name),
            "version" => super::one_line(&engine_info.version),
            "known_command" => COMMANDS.contains(&argument(0)).to_string(),
            "list_commands" => COMMANDS.join("\n"),
            "list_games" => self.games()[0].to_owned(),
            "set_game" if is_one_of(self.games(), argument(0)) => String::new(),
            "set_game" => return Err("unsupported game".into()),
            "boardsize" => {
                self.set_size(argument(0))?;
                self.implied_passes.clear();
                String::new()
            }
            "clear_board" => {
                self.state.clear()?;
                self.state.new_game();
                self.implied_passes.clear();
                String::new()
            }
            INTERRUPT_QUERY => String::new(),
            // These games have no komi; setting it has no effect.
            "komi" if argument(0).parse::<f64>().is_ok() => String::new(),
            "komi" => return Err("syntax error: a number".into()),
            "play" => {
                self.play(argument(0), argument(1))?;
                String::new()
            }
            "genmove" | "reg_genmove" => {
                let action = self.generate(id, argument(0), name == "genmove")?;
                return Ok(Reply::Search(action));
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
                self.state.set_option(argument(0), &value)?;
                String::new()
            }
            "quit" => return Ok(Reply::Quit),
            _ => return Err("unknown command".into()),
        };
        Ok(Reply::Now(text))
    }

    /// The text of the engine's answer; plays its move, unless it is only a suggestion.
    fn answer_text(
        &mut self,
        answer: Result<Choice, Fault>,
        plays: bool,
    ) -> Result<String, String> {
        let seat = usize::from(self.state.game.to_move().0);
        let decision = answer.and_then(|choice| self.state.check_answer(&choice));
        if is_played(&decision, plays) {
            self.clocks[seat] = self.clocks[seat].after(self.search_ms);
        } else {
            self.take_back_implied_pass();
        }
        match decision.map_err(|fault| fault_sentence(&fault))? {
            CheckedDecision::Play(mv) => {
                if plays {
                    self.state.play(&mv)?;
                }
                Ok(vertex(self.id(), &mv))
            }
            CheckedDecision::Resign | CheckedDecision::AcceptDraw => Ok("resign".to_owned()),
        }
    }
}

/// Whether a word is the name of a column.
fn is_column(word: &str) -> bool {
    matches!(word.as_bytes(), [letter] if letter.is_ascii_lowercase())
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// Whether the engine's decision is played on the board.
fn is_played(decision: &Result<CheckedDecision, Fault>, plays: bool) -> bool {
    plays && matches!(decision, Ok(CheckedDecision::Play(_)))
}

enum Reply {
    Now(String),
    /// The engine searches first.
    Search(Action),
    Quit,
}

/// Writes a response: its non-empty lines, and an empty line at its end.
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
    fn handle_line(&mut self, line: &str, out: &mut Vec<String>) -> Action {
        // A command waits for the answer to the previous one.
        match (self.pending.is_some(), line.trim() == INTERRUPT) {
            (true, true) => return Action::Stop,
            (true, false) => return Action::Postpone,
            (false, _) => (),
        }
        let Some(command) = command(line) else { return Action::Continue };
        let id = command.id;
        match self.execute(command) {
            Ok(Reply::Now(text)) => respond(id, Ok(text), out),
            Ok(Reply::Search(action)) => return action,
            Ok(Reply::Quit) => {
                respond(id, Ok(String::new()), out);
                return Action::Quit;
            }
            Err(reason) => respond(id, Err(reason), out),
        }
        Action::Continue
    }

    fn report_error(&mut self, reason: &str, out: &mut Vec<String>) {
        respond(None, Err(format!("syntax error: {reason}")), out);
    }

    fn report(&mut self, _line: &Line, _out: &mut Vec<String>) {
        // GTP allows no output between a command and its response.
    }

    fn set_search_time(&mut self, us: u64) {
        self.search_ms = us / 1000;
    }

    fn engine_answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Action {
        let (id, plays) = self.pending.take().unwrap_or((None, false));
        let text = self.answer_text(answer, plays);
        respond(id, text, out);
        Action::Continue
    }
}
