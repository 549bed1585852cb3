//! The engine's side of UCI, the universal chess interface of 2006, whatever the game.

use sandboard_abi::{Bound, Choice, Limits, Line};
use sandboard_games::Variant;

use super::chess::{self, Barrier, Search};
use super::drive::fault_sentence;
use super::table::{Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;

/// Lines that may be asked for at once.
const LINES: u16 = 64;

/// A session in UCI.
pub(super) struct Uci {
    table: Table,
    search: Search,
    lines: u16,
    /// Why the last position was refused, if it was: nothing is searched then.
    refused: Option<String>,
    /// The variant that the game's id stands for.
    own: Variant,
}

impl Uci {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        let (own, search) = (offer.variant.clone(), Search::default());
        Ok(Self { table: Table::new(offer)?, search, lines: 1, refused: None, own })
    }

    fn hello(&self, out: &mut Vec<String>) {
        let offer = &self.table.offer;
        out.push(format!("id name {} {}", offer.name, offer.version).trim_end().to_owned());
        let author = if offer.author.is_empty() { "unknown" } else { &offer.author };
        out.push(format!("id author {author}"));
        out.push(format!("option name MultiPV type spin default 1 min 1 max {LINES}"));
        // Programs for several games know a game by its name.
        let id = offer.game.id;
        let variants = offer.variants.iter().filter(|it| *it != id);
        let variants: String = variants.map(|it| format!(" var {it}")).collect();
        out.push(format!("option name UCI_Variant type combo default {id} var {id}{variants}"));
        for spec in &offer.options {
            let kind = chess::offered(&self.table, spec);
            out.push(format!("option name {} {kind}", spec.name));
        }
        out.push("uciok".to_owned());
    }

    /// `name NAME value VALUE`, where the name may have several words.
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
            let game = self.table.offer.game;
            let variant = match value == game.id {
                true => self.own.clone(),
                false => game.variant(value).map_err(|error| error.to_string())?,
            };
            self.table.set_up(&variant, "")?;
            self.table.offer.variant = variant;
            self.refused = None;
            return Ok(());
        }
        self.table.set_option(name, chess::value_of(value))
    }

    fn go(&mut self, text: &str, out: &mut Vec<String>) -> Act {
        let (text, only) = match text.split_once("searchmoves") {
            Some((before, after)) => (before, after.split_ascii_whitespace().collect()),
            None => (text, Vec::new()),
        };
        let given = chess::words(text, &["infinite", "ponder"]);
        let word = |name: &str| given.iter().find(|(word, _)| *word == name);
        let number = |name: &str| word(name).and_then(|(_, value)| chess::number(value));
        // The side that begins is white to the protocol.
        let own =
            if self.table.game.to_move().0 == 0 { ["wtime", "winc"] } else { ["btime", "binc"] };
        let time = |ms: u64| self.table.offer.time_us(ms);
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
        // Beside the time for one move some tell a clock of 0, for none.
        let game = number(own[0]).filter(|ms| *ms > 0 || call.is_none()).map(time);
        let limits = match endless {
            true => chess::timed(None, None, Limits { increment: 0, moves_to_go: None, ..more }),
            false => {
                let limits = self.table.offer.or_usual(chess::timed(call, game, more));
                Limits { lines: self.lines, ..limits }
            }
        };
        if ponders {
            out.push(
                "info string pondering is not offered: this search ends with `ponderhit`".into(),
            );
        }
        if let Some(barrier) = chess::barrier(&self.table, self.refused.as_deref()) {
            let (reason, mv) = match barrier {
                Barrier::Any(reason, mv) => (reason, mv),
                Barrier::Nothing(reason) => (reason, "(none)".to_owned()),
            };
            self.bad(&reason, out);
            out.push(format!("bestmove {mv}"));
            return Act::Wait;
        }
        let barred = chess::all_but(&self.table, &only);
        self.search.begin(endless);
        Act::Ask(self.table.question(limits, barred))
    }

    fn quit(&mut self, out: &mut Vec<String>) -> Act {
        // Whoever waited for the engine has no use for it any more.
        if self.search.prepared() {
            out.push("readyok".into());
        }
        Act::Quit
    }

    fn say(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) {
        let decided = answer.and_then(|choice| self.table.decided(&choice));
        match decided {
            Ok(decided) => {
                let (mv, remark) = chess::spoken(&self.table, decided);
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

/// Positions without the first word: adapters for xiangqi leave it out, as one program of that game wants it.
const POSITIONS: [&str; 2] = ["fen", "startpos"];

/// A line without unknown words before its command, which the protocol wants passed over; the whole of it where none follows.
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
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act {
        let line = command(line.trim());
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let changes = ["position", "fen", "startpos", "go", "setoption", "ucinewgame"];
        let changes = changes.contains(&word);
        if word == "quit" {
            return self.quit(out);
        }
        if self.search.holds(changes) {
            return Act::Later;
        }
        let done = match word {
            "" | "debug" | "register" => Ok(()),
            "uci" => {
                self.hello(out);
                Ok(())
            }
            "isready" => {
                if let Some(act) = self.search.prepare(&self.table, self.refused.as_deref()) {
                    return act;
                }
                out.push("readyok".into());
                Ok(())
            }
            "setoption" => self.set_option(rest),
            "ucinewgame" => {
                self.table.new_game();
                self.refused = None;
                self.table.clear()
            }
            "position" | "fen" | "startpos" => {
                let text = if word == "position" { rest } else { line };
                let done = chess::position(&mut self.table, text);
                self.refused = done.clone().err();
                done
            }
            "go" => return self.go(rest, out),
            "stop" | "ponderhit" if self.search.is_on => {
                if let Some(held) = self.search.stop() {
                    self.say(held, out);
                    return Act::Wait;
                }
                return Act::Stop;
            }
            "stop" | "ponderhit" => Ok(()),
            _ => Err(format!("unknown command: {word}")),
        };
        if let Err(reason) = done {
            self.bad(&reason, out);
        }
        Act::Wait
    }

    fn bad(&mut self, reason: &str, out: &mut Vec<String>) {
        out.push(format!("info string {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        let mut text = format!("info depth {} multipv {}", line.depth, line.rank.max(1));
        if let Some(score) = line.score {
            text += &match chess::forced(score.value) {
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
        let moves = chess::moves_of(&self.table, line);
        if !moves.is_empty() {
            text += " pv";
            text += &moves;
        }
        out.push(text);
    }

    fn ended(&mut self, out: &mut Vec<String>) {
        if let Some(held) = self.search.ended() {
            self.say(held, out);
        }
    }

    fn prepared(&mut self, ready: Result<(), Fault>, out: &mut Vec<String>) {
        self.search.prepared();
        if let Err(fault) = ready {
            out.push(format!("info string {}", fault_sentence(&fault)));
        }
        out.push("readyok".into());
    }

    fn answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Act {
        if let Some(answer) = self.search.answered(answer) {
            self.say(answer, out);
        }
        Act::Wait
    }
}
