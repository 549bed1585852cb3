//! Protocol server for UCI, the Universal Chess Interface of 2006, for any game.

use sandboard_abi::{Bound, Choice, Limits, Line};
use sandboard_games::Variant;

use super::driver::fault_sentence;
use super::game_state::{EngineInfo, GameState};
use super::uci_family::{self, SearchRefusal, SearchState};
use super::{Action, Session};
use sandboard_engine::Fault;

/// The most lines of a search (MultiPV).
const LINES: u16 = 64;

/// A session in UCI.
pub(super) struct Uci {
    state: GameState,
    search: SearchState,
    lines: u16,
    /// Why the last position was refused; then no search is started.
    refused: Option<String>,
    /// The variant that the game's own id selects as the value of `UCI_Variant`.
    own: Variant,
}

impl Uci {
    pub(super) fn new(engine_info: EngineInfo) -> Result<Self, String> {
        let (own, search) = (engine_info.variant.clone(), SearchState::default());
        Ok(Self { state: GameState::new(engine_info)?, search, lines: 1, refused: None, own })
    }

    fn write_identity(&self, out: &mut Vec<String>) {
        let engine_info = &self.state.engine_info;
        out.push(
            format!("id name {} {}", engine_info.name, engine_info.version).trim_end().to_owned(),
        );
        let author = if engine_info.author.is_empty() { "unknown" } else { &engine_info.author };
        out.push(format!("id author {author}"));
        out.push(format!("option name MultiPV type spin default 1 min 1 max {LINES}"));
        // GUIs for several games select a game by its name.
        let id = engine_info.game.id;
        let variants = engine_info.variants.iter().filter(|it| *it != id);
        let variants: String = variants.map(|it| format!(" var {it}")).collect();
        out.push(format!("option name UCI_Variant type combo default {id} var {id}{variants}"));
        for spec in &engine_info.options {
            let kind = uci_family::option_declaration(&self.state, spec);
            out.push(format!("option name {} {kind}", spec.name));
        }
        out.push("uciok".to_owned());
    }

    /// Handles `name NAME value VALUE`; the name may have several words.
    fn set_option(&mut self, text: &str) -> Result<(), String> {
        let form = "an option is set by `setoption name NAME value VALUE`";
        let text = text.trim().strip_prefix("name").ok_or(form)?.trim();
        let (name, value) = match text.split_once(" value") {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (text, ""),
        };
        if name.eq_ignore_ascii_case("MultiPV") {
            let lines = value.parse().ok().filter(|lines| (1..=LINES).contains(lines));
            self.lines = lines.ok_or_else(|| format!("MultiPV: `{value}` is not 1 to {LINES}"))?;
            return Ok(());
        }
        if name.eq_ignore_ascii_case("UCI_Variant") {
            let game = self.state.engine_info.game;
            let variant = match value == game.id {
                true => self.own.clone(),
                false => game.variant(value).map_err(|error| error.to_string())?,
            };
            self.state.set_up(&variant, "")?;
            self.state.engine_info.variant = variant;
            self.refused = None;
            return Ok(());
        }
        self.state.set_option(name, uci_family::received_value(value))
    }

    fn go(&mut self, text: &str, out: &mut Vec<String>) -> Action {
        let (text, only) = match text.split_once("searchmoves") {
            Some((before, after)) => (before, after.split_ascii_whitespace().collect()),
            None => (text, Vec::new()),
        };
        let given = uci_family::word_values(text, &["infinite", "ponder"]);
        let word = |name: &str| given.iter().find(|(word, _)| *word == name);
        let number = |name: &str| word(name).and_then(|(_, value)| uci_family::parse_number(value));
        // In the protocol the side that starts is called white.
        let own =
            if self.state.game.to_move().0 == 0 { ["wtime", "winc"] } else { ["btime", "binc"] };
        let time = |ms: u64| self.state.engine_info.time_us(ms);
        let ponders = word("ponder").is_some();
        let endless = word("infinite").is_some() || ponders;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let mate = number("mate").map(|moves| small(moves.saturating_mul(2)));
        let more = Limits {
            increment: number(own[1]).unwrap_or(0).saturating_mul(1000),
            moves_to_go: number("movestogo").filter(|moves| *moves > 0).map(small),
            depth: number("depth").map(small).or(mate).map(|depth| depth.max(1)),
            nodes: number("nodes").map(|nodes| nodes.max(1)),
            lines: self.lines,
            ..Limits::default()
        };
        let call = number("movetime").map(time);
        // Some programs send a clock of 0 together with a time for one move; it means no clock.
        let game = number(own[0]).filter(|ms| *ms > 0 || call.is_none()).map(time);
        let limits = match endless {
            true => uci_family::wall_time_limits(
                None,
                None,
                Limits { increment: 0, moves_to_go: None, ..more },
            ),
            false => {
                let limits = self
                    .state
                    .engine_info
                    .or_default_limits(uci_family::wall_time_limits(call, game, more));
                Limits { lines: self.lines, ..limits }
            }
        };
        if ponders {
            out.push(
                "info string pondering is not supported: this search ends with `ponderhit`".into(),
            );
        }
        if let Some(refusal) = uci_family::search_refusal(&self.state, self.refused.as_deref()) {
            let (reason, mv) = match refusal {
                SearchRefusal::AnyMove(reason, mv) => (reason, mv),
                SearchRefusal::NoMove(reason) => (reason, "(none)".to_owned()),
            };
            self.report_error(&reason, out);
            out.push(format!("bestmove {mv}"));
            return Action::Continue;
        }
        let barred = uci_family::moves_except(&self.state, &only);
        self.search.begin(endless);
        Action::Search(self.state.search_request(limits, barred))
    }

    fn quit(&mut self, out: &mut Vec<String>) -> Action {
        // Nothing waits for the engine any more.
        if self.search.end_preparation() {
            out.push("readyok".into());
        }
        Action::Quit
    }

    fn write_answer(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) {
        let decision = answer.and_then(|choice| self.state.check_answer(&choice));
        match decision {
            Ok(decision) => {
                let (mv, remark) = uci_family::protocol_move(&self.state, decision);
                if !remark.is_empty() {
                    out.push(format!("info string the engine answers: {remark}"));
                }
                out.push(format!("bestmove {}", mv.unwrap_or_else(|| "(none)".to_owned())));
            }
            Err(fault) => {
                out.push(format!("info string {}", fault_sentence(&fault)));
                out.push("bestmove (none)".into());
            }
        }
    }
}

/// The commands of the protocol.
const COMMANDS: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// Positions without the word `position`: one xiangqi GUI expects this of adapters.
const POSITIONS: [&str; 2] = ["fen", "startpos"];

/// A line without the unknown words before its command, which the protocol tells us to ignore; the
/// whole line if it has no command.
fn command(line: &str) -> &str {
    let mut text = line;
    loop {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let is_first = text.len() == line.len();
        if COMMANDS.contains(&word) || is_first && POSITIONS.contains(&word) {
            return text;
        }
        if rest.is_empty() {
            return line;
        }
        text = rest.trim_start();
    }
}

impl Session for Uci {
    fn handle_line(&mut self, line: &str, out: &mut Vec<String>) -> Action {
        let line = command(line.trim());
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let changes = ["position", "fen", "startpos", "go", "setoption", "ucinewgame"];
        let changes = changes.contains(&word);
        if word == "quit" {
            return self.quit(out);
        }
        if self.search.must_wait(changes) {
            return Action::Postpone;
        }
        let done = match word {
            "" | "debug" | "register" => Ok(()),
            "uci" => {
                self.write_identity(out);
                Ok(())
            }
            "isready" => {
                if let Some(action) = self.search.prepare(&self.state, self.refused.as_deref()) {
                    return action;
                }
                out.push("readyok".into());
                Ok(())
            }
            "setoption" => self.set_option(rest),
            "ucinewgame" => {
                self.state.new_game();
                self.refused = None;
                self.state.clear()
            }
            "position" | "fen" | "startpos" => {
                let text = if word == "position" { rest } else { line };
                let done = uci_family::position(&mut self.state, text);
                self.refused = done.clone().err();
                done
            }
            "go" => return self.go(rest, out),
            "stop" | "ponderhit" if self.search.is_running => {
                if let Some(answer) = self.search.stop() {
                    self.write_answer(answer, out);
                    return Action::Continue;
                }
                return Action::Stop;
            }
            "stop" | "ponderhit" => Ok(()),
            _ => Err(format!("unknown command: {word}")),
        };
        if let Err(reason) = done {
            self.report_error(&reason, out);
        }
        Action::Continue
    }

    fn report_error(&mut self, reason: &str, out: &mut Vec<String>) {
        out.push(format!("info string {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        let mut text = format!("info depth {} multipv {}", line.depth, line.rank.max(1));
        if let Some(score) = line.score {
            text += &match uci_family::forced_result(score.value) {
                Some((plies, true)) => format!(" score mate {}", (plies + 1) / 2),
                Some((plies, false)) => format!(" score mate -{}", (plies + 1) / 2),
                None => format!(" score cp {}", score.value),
            };
            text += match score.bound {
                Bound::AtLeast => " lowerbound",
                Bound::AtMost => " upperbound",
                Bound::Estimate | Bound::Exact => "",
            };
        }
        text += &format!(" nodes {}", line.nodes);
        if let Some(nps) = line.nodes.saturating_mul(1_000_000).checked_div(line.spent) {
            text += &format!(" time {} nps {nps}", line.spent / 1000);
        }
        let moves = uci_family::moves_of(&self.state, line);
        if !moves.is_empty() {
            text += " pv";
            text += &moves;
        }
        out.push(text);
    }

    fn input_ended(&mut self, out: &mut Vec<String>) {
        if let Some(answer) = self.search.input_ended() {
            self.write_answer(answer, out);
        }
    }

    fn engine_prepared(&mut self, ready: Result<(), Fault>, out: &mut Vec<String>) {
        self.search.end_preparation();
        if let Err(fault) = ready {
            out.push(format!("info string {}", fault_sentence(&fault)));
        }
        out.push("readyok".into());
    }

    fn engine_answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Action {
        if let Some(answer) = self.search.take_answer(answer) {
            self.write_answer(answer, out);
        }
        Action::Continue
    }
}
