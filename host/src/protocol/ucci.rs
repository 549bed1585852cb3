//! The engine's side of UCCI 3.0, the universal Chinese chess protocol.

use sandboard_abi::{Choice, Limits, Line};

use super::chess::{self, Barrier, Search};
use super::drive::fault_sentence;
use super::table::{Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;

/// The option by which times are told in milliseconds.
const IN_MS: &str = "usemillisec";
/// The option that is pressed when a game begins.
const NEW_GAME: &str = "newgame";

/// A session in UCCI.
pub(super) struct Ucci {
    table: Table,
    search: Search,
    in_ms: bool,
    /// Until the next position.
    banned: Vec<String>,
    /// Why the last position was refused, if it was: nothing is searched then.
    refused: Option<String>,
}

impl Ucci {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        let (table, search) = (Table::new(offer)?, Search::default());
        Ok(Self { table, search, in_ms: false, banned: Vec::new(), refused: None })
    }

    fn hello(&self, out: &mut Vec<String>) {
        let offer = &self.table.offer;
        out.push(format!("id name {} {}", offer.name, offer.version).trim_end().to_owned());
        if !offer.author.is_empty() {
            out.push(format!("id author {}", offer.author));
        }
        out.push(format!("option {IN_MS} type check default {}", self.in_ms));
        out.push(format!("option {NEW_GAME} type button"));
        for spec in &offer.options {
            out.push(format!("option {} {}", spec.name, chess::offered(&self.table, spec)));
        }
        out.push("ucciok".to_owned());
    }

    fn set_option(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.trim().split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            IN_MS => self.in_ms = ["true", "on"].contains(&value),
            NEW_GAME => self.new_game()?,
            _ => self.table.set_option(name.trim(), chess::value_of(value))?,
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), String> {
        self.table.new_game();
        self.refused = None;
        self.banned.clear();
        self.table.clear()
    }

    fn ban(&mut self, text: &str) -> Result<(), String> {
        let dialect = self.table.offer.dialect;
        let legal = self.table.legal();
        let own = |mv: &str| {
            let own = dialect.to_game(mv).filter(|own| legal.contains(own));
            own.ok_or_else(|| format!("`{mv}` is no move here"))
        };
        let banned = text.split_ascii_whitespace().map(own).collect::<Result<Vec<_>, _>>()?;
        if banned.len() >= legal.len() {
            return Err("every move is banned".into());
        }
        self.banned = banned;
        Ok(())
    }

    fn go(&mut self, text: &str, out: &mut Vec<String>) -> Act {
        let alone = ["infinite", "ponder", "draw"];
        let given = chess::words(text, &alone);
        let has = |name: &str| given.iter().any(|(word, _)| *word == name);
        let word = |name: &str| given.iter().find(|(word, _)| *word == name);
        let number = |name: &str| word(name).and_then(|(_, value)| chess::number(value));
        // `go depth infinite` is written so, too.
        let endless =
            has("infinite") || has("ponder") || word("depth").is_some_and(|it| it.1 == "infinite");
        let unit_ms = if self.in_ms { 1 } else { 1000 };
        let ms = |number: u64| number.saturating_mul(unit_ms);
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let more = Limits {
            increment: number("increment").map_or(0, ms).saturating_mul(1000),
            moves_to_go: number("movestogo").filter(|moves| *moves > 0).map(small),
            depth: number("depth").map(|depth| small(depth).max(1)),
            nodes: number("nodes").map(|nodes| nodes.max(1)),
            draw_offered: has("draw"),
            ..Limits::default()
        };
        let time_us = |time: u64| self.table.offer.time_us(ms(time));
        // Adapters tell the time for one move by UCI's word, and beside it a clock of 0, for none.
        let call = number("movetime").map(time_us);
        let time = number("time").filter(|time| *time > 0 || call.is_none()).map(time_us);
        let limits = match (endless, more.moves_to_go) {
            (true, _) => {
                chess::timed(None, None, Limits { increment: 0, moves_to_go: None, ..more })
            }
            (false, _) if call.is_some() => chess::timed(call, time, more),
            (false, Some(1)) => chess::timed(time, None, Limits { moves_to_go: None, ..more }),
            (false, _) => chess::timed(None, time, more),
        };
        let limits = if endless { limits } else { self.table.offer.or_usual(limits) };
        if has("ponder") {
            out.push(
                "info message pondering is not offered: this search ends with ponderhit".into(),
            );
        }
        if let Some(barrier) = chess::barrier(&self.table, self.refused.as_deref()) {
            let (reason, answer) = match barrier {
                Barrier::Any(reason, mv) => (reason, format!("bestmove {mv}")),
                Barrier::Nothing(reason) => (reason, "nobestmove".to_owned()),
            };
            self.bad(&reason, out);
            out.push(answer);
            return Act::Wait;
        }
        self.search.begin(endless);
        Act::Ask(self.table.question(limits, self.banned.clone()))
    }

    fn quit(&mut self, out: &mut Vec<String>) -> Act {
        // Whoever waited for the engine has no use for it any more.
        if self.search.prepared() {
            out.push("readyok".into());
        }
        out.push("bye".into());
        Act::Quit
    }

    fn say(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) {
        let offers = answer.as_ref().is_ok_and(|choice| choice.offers_draw);
        match answer.and_then(|choice| self.table.decided(&choice)) {
            Ok(decided) => {
                let (mv, remark) = chess::spoken(&self.table, decided);
                let remark = if remark.is_empty() && offers { "draw" } else { remark };
                out.push(match mv {
                    Some(mv) => format!("bestmove {mv} {remark}").trim_end().to_owned(),
                    None => "nobestmove".to_owned(),
                });
            }
            Err(fault) => {
                out.push(format!("info message {}", fault_sentence(&fault)));
                out.push("nobestmove".into());
            }
        }
    }
}

impl Session for Ucci {
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let changes = ["position", "banmoves", "go", "setoption", "probe"].contains(&word);
        if word == "quit" {
            return self.quit(out);
        }
        if self.search.holds(changes) {
            return Act::Later;
        }
        let done = match word {
            "" => Ok(()),
            "ucci" => {
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
            "position" => {
                self.banned.clear();
                let done = chess::position(&mut self.table, rest);
                self.refused = done.clone().err();
                done
            }
            "banmoves" => self.ban(rest),
            "go" => return self.go(rest, out),
            "stop" | "ponderhit" if self.search.is_on => {
                if let Some(held) = self.search.stop() {
                    self.say(held, out);
                    return Act::Wait;
                }
                return Act::Stop;
            }
            // Who does not think has no move to tell.
            "stop" => {
                out.push("nobestmove".into());
                Ok(())
            }
            "ponderhit" => Ok(()),
            "probe" => {
                out.push("pophash".into());
                Ok(())
            }
            _ => Err(format!("unknown command: {word}")),
        };
        if let Err(reason) = done {
            self.bad(&reason, out);
        }
        Act::Wait
    }

    fn bad(&mut self, reason: &str, out: &mut Vec<String>) {
        out.push(format!("info message {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        // It has words for one line.
        if line.rank > 1 {
            return;
        }
        let score = line.score.map_or(String::new(), |score| format!(" score {}", score.value));
        let moves = chess::moves_of(&self.table, line);
        let pv = if moves.is_empty() { "" } else { " pv" };
        // The numbers first: with its line, some show what they know of it by then.
        out.push(format!("info time {} nodes {}", line.spent / 1000, line.nodes));
        out.push(format!("info depth {}{score}{pv}{moves}", line.depth));
    }

    fn ended(&mut self, out: &mut Vec<String>) {
        if let Some(held) = self.search.ended() {
            self.say(held, out);
        }
    }

    fn prepared(&mut self, ready: Result<(), Fault>, out: &mut Vec<String>) {
        self.search.prepared();
        if let Err(fault) = ready {
            out.push(format!("info message {}", fault_sentence(&fault)));
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
