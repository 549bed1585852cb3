//! The engine's side of the protocol of NBoard, version 2, for reversi on 8×8.

use sandboard_abi::{Choice, Limits, Line};

use super::chess::timed;
use super::drive::fault_sentence;
use super::table::{Decided, Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;
use crate::process::nboard::{move_of, spoken};

/// A session in the protocol of NBoard.
pub(super) struct Nboard {
    table: Table,
    depth: Option<u32>,
    /// What the engine thinks about, if it does.
    thinks: Option<Thought>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thought {
    /// A move.
    Go,
    /// What moves are worth.
    Hint,
}

impl Nboard {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        Ok(Self { table: Table::new(offer)?, depth: None, thinks: None })
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "depth" => {
                let depth = value.parse().ok().filter(|depth| *depth > 0);
                self.depth = Some(depth.ok_or_else(|| format!("depth `{value}` is no depth"))?);
                Ok(())
            }
            "game" => self.set_game(value),
            // Whom a game is between is all the same here.
            "contempt" => Ok(()),
            _ => self.table.set_option(name, value),
        }
    }

    /// A game in GGF, with the moves that it has.
    fn set_game(&mut self, text: &str) -> Result<(), String> {
        let info = self.table.offer.game;
        let variant = self.table.offer.variant.clone();
        let reads = info.formats.iter().find(|format| format.id == "ggf").and_then(|it| it.read);
        let read = reads.ok_or("this game has no GGF")?;
        let trees = read(text.as_bytes(), Some(&variant)).map_err(|error| error.to_string())?;
        let tree = trees.first().ok_or("there is no game in it")?;
        let before = self.table.saved();
        let start = tree.start.clone().unwrap_or_default();
        self.table.set_up(&variant, &start)?;
        let played = tree.main_line().try_for_each(|node| self.table.play(node.mv).map(drop));
        if played.is_err() {
            self.table.restore(before);
        }
        played
    }

    /// `F5/eval/time`, of which the move counts.
    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = move_of(text.split('/').next().unwrap_or_default().trim());
        self.table.play(&mv).map(drop)
    }

    fn ask(&mut self, thought: Thought, lines: u16, out: &mut Vec<String>) -> Result<Act, String> {
        if let Some(outcome) = self.table.game.outcome() {
            return Err(format!("the game is over: {}", outcome.reason));
        }
        out.push(format!("status {} is thinking", super::one_line(&self.table.offer.name)));
        let limits = Limits { depth: self.depth, lines, ..Limits::default() };
        let limits = self.table.offer.or_usual(timed(None, None, limits));
        self.thinks = Some(thought);
        Ok(Act::Ask(self.table.question(limits, Vec::new())))
    }

    fn obey(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Result<Act, String> {
        match word {
            "" | "analyze" => (),
            "nboard" => {
                let name = super::one_line(&self.table.offer.name);
                out.push(format!("set myname {name}"));
            }
            "set" => self.set(rest)?,
            "move" => self.play(rest)?,
            "go" => return self.ask(Thought::Go, 1, out),
            "hint" => {
                let lines = rest.parse().ok().filter(|lines| *lines > 0);
                let lines = lines.ok_or_else(|| format!("hint `{rest}`: how many moves?"))?;
                return self.ask(Thought::Hint, lines, out);
            }
            "ping" => {
                let number: u64 =
                    rest.parse().map_err(|_| format!("ping `{rest}` has no number"))?;
                out.push(format!("pong {number}"));
            }
            "learn" => out.push("learned".into()),
            "quit" => return Ok(Act::Quit),
            _ => return Err(format!("unknown command: {word}")),
        }
        Ok(Act::Wait)
    }
}

/// A value in discs, as it is written.
fn discs(line: Option<&Line>) -> String {
    let score = line.and_then(|line| line.score);
    score.map_or(String::new(), |score| format!("{:.2}", f64::from(score.value)))
}

fn seconds(line: Option<&Line>) -> String {
    let spent_us = line.map_or(0, |line| line.spent);
    format!("{:.2}", spent_us as f64 / 1e6)
}

impl Session for Nboard {
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_lowercase();
        if self.thinks.is_some() {
            return match word.as_str() {
                "quit" => Act::Quit,
                // Whoever asks this wants to have it stop.
                "ping" => Act::StopFirst,
                _ => Act::Later,
            };
        }
        self.obey(&word, rest.trim(), out).unwrap_or_else(|reason| {
            self.bad(&reason, out);
            Act::Wait
        })
    }

    fn bad(&mut self, reason: &str, out: &mut Vec<String>) {
        out.push(format!("status {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        out.push(format!("nodestats {} {}", line.nodes, seconds(Some(line))));
        if self.thinks == Some(Thought::Hint) && line.score.is_some() {
            let moves: String = line.moves.split_ascii_whitespace().map(spoken).collect();
            out.push(format!("search {moves} {} 0 {}", discs(Some(line)), line.depth));
        }
    }

    fn answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Act {
        let thought = self.thinks.take();
        let line = answer.as_ref().ok().and_then(|choice| choice.line.clone());
        match answer.and_then(|choice| self.table.decided(&choice)) {
            // Its move is told, and played when that comes back.
            Ok(Decided::Play(mv)) if thought == Some(Thought::Go) => {
                let (value, time) = (discs(line.as_ref()), seconds(line.as_ref()));
                out.push(format!("=== {}/{value}/{time}", spoken(&mv)));
            }
            Ok(Decided::Play(_)) => (),
            Ok(Decided::Resign | Decided::AcceptDraw) => {
                out.push("status the engine gives up, for which there is no word".into());
            }
            Err(fault) => self.bad(&fault_sentence(&fault), out),
        }
        out.push("status".into());
        Act::Wait
    }
}
