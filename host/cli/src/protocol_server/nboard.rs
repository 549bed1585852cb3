//! Protocol server for NBoard, version 2, for reversi on 8×8.

use sandboard_abi::{Choice, Limits, Line};

use super::driver::fault_sentence;
use super::game_state::{CheckedDecision, EngineInfo, GameState};
use super::uci_family::wall_time_limits;
use super::{Action, Session};
use sandboard_engine::Fault;
use sandboard_protocols::nboard::{move_of, protocol_move};

/// A session in the protocol of NBoard.
pub(super) struct Nboard {
    state: GameState,
    depth: Option<u32>,
    /// The purpose of the running search, if there is one.
    searching: Option<SearchPurpose>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchPurpose {
    /// To play a move.
    Go,
    /// To evaluate moves.
    Hint,
}

impl Nboard {
    pub(super) fn new(engine_info: EngineInfo) -> Result<Self, String> {
        Ok(Self { state: GameState::new(engine_info)?, depth: None, searching: None })
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "depth" => {
                let depth = value.parse().ok().filter(|depth| *depth > 0);
                self.depth = Some(depth.ok_or_else(|| format!("depth `{value}` is not a depth"))?);
                Ok(())
            }
            "game" => self.set_game(value),
            // Contempt has no effect on our engines.
            "contempt" => Ok(()),
            _ => self.state.set_option(name, value),
        }
    }

    /// Sets up a game in GGF, with its moves.
    fn set_game(&mut self, text: &str) -> Result<(), String> {
        let info = self.state.engine_info.game;
        let variant = self.state.engine_info.variant.clone();
        let reads = info.formats.iter().find(|format| format.id == "ggf").and_then(|it| it.read);
        let read = reads.ok_or("this game has no GGF")?;
        let trees = read(text.as_bytes(), Some(&variant)).map_err(|error| error.to_string())?;
        let tree = trees.first().ok_or("the file has no game")?;
        let before = self.state.snapshot();
        let start = tree.start.clone().unwrap_or_default();
        self.state.set_up(&variant, &start)?;
        let played = tree.main_line().try_for_each(|node| self.state.play(node.mv).map(drop));
        if played.is_err() {
            self.state.restore(before);
        }
        played
    }

    /// Plays the move of `F5/eval/time`.
    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = move_of(text.split('/').next().unwrap_or_default().trim());
        self.state.play(&mv).map(drop)
    }

    fn start_search(
        &mut self,
        purpose: SearchPurpose,
        lines: u16,
        out: &mut Vec<String>,
    ) -> Result<Action, String> {
        if let Some(ending) = self.state.game.ending() {
            return Err(format!("the game is over: {}", ending.reason));
        }
        out.push(format!("status {} is thinking", super::one_line(&self.state.engine_info.name)));
        let limits = Limits { depth: self.depth, lines, ..Limits::default() };
        let limits = self.state.engine_info.or_default_limits(wall_time_limits(None, None, limits));
        self.searching = Some(purpose);
        Ok(Action::Search(self.state.search_request(limits, Vec::new())))
    }

    fn execute(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Result<Action, String> {
        match word {
            "" | "analyze" => (),
            "nboard" => {
                let name = super::one_line(&self.state.engine_info.name);
                out.push(format!("set myname {name}"));
            }
            "set" => self.set(rest)?,
            "move" => self.play(rest)?,
            "go" => return self.start_search(SearchPurpose::Go, 1, out),
            "hint" => {
                let lines = rest.parse().ok().filter(|lines| *lines > 0);
                let lines = lines
                    .ok_or_else(|| format!("hint `{rest}`: the number of moves is missing"))?;
                return self.start_search(SearchPurpose::Hint, lines, out);
            }
            "ping" => {
                let number: u64 =
                    rest.parse().map_err(|_| format!("ping `{rest}` has no number"))?;
                out.push(format!("pong {number}"));
            }
            "learn" => out.push("learned".into()),
            "quit" => return Ok(Action::Quit),
            _ => return Err(format!("unknown command: {word}")),
        }
        Ok(Action::Continue)
    }
}

/// A score in discs, in the notation of the protocol.
fn discs(line: Option<&Line>) -> String {
    let score = line.and_then(|line| line.score);
    score.map_or(String::new(), |score| format!("{:.2}", f64::from(score.value)))
}

fn seconds(line: Option<&Line>) -> String {
    let spent_us = line.map_or(0, |line| line.spent);
    format!("{:.2}", spent_us as f64 / 1e6)
}

impl Session for Nboard {
    fn handle_line(&mut self, line: &str, out: &mut Vec<String>) -> Action {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_lowercase();
        if self.searching.is_some() {
            return match word.as_str() {
                "quit" => Action::Quit,
                // A ping also means: stop searching.
                "ping" => Action::StopAndPostpone,
                _ => Action::Postpone,
            };
        }
        self.execute(&word, rest.trim(), out).unwrap_or_else(|reason| {
            self.report_error(&reason, out);
            Action::Continue
        })
    }

    fn report_error(&mut self, reason: &str, out: &mut Vec<String>) {
        out.push(format!("status {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        out.push(format!("nodestats {} {}", line.nodes, seconds(Some(line))));
        if self.searching == Some(SearchPurpose::Hint) && line.score.is_some() {
            let moves: String = line.moves.split_ascii_whitespace().map(protocol_move).collect();
            out.push(format!("search {moves} {} 0 {}", discs(Some(line)), line.depth));
        }
    }

    fn engine_answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Action {
        let purpose = self.searching.take();
        let line = answer.as_ref().ok().and_then(|choice| choice.line.clone());
        match answer.and_then(|choice| self.state.check_answer(&choice)) {
            // The GUI sends the move back, and it is played then.
            Ok(CheckedDecision::Play(mv)) if purpose == Some(SearchPurpose::Go) => {
                let (value, time) = (discs(line.as_ref()), seconds(line.as_ref()));
                out.push(format!("=== {}/{value}/{time}", protocol_move(&mv)));
            }
            Ok(CheckedDecision::Play(_)) => (),
            Ok(CheckedDecision::Resign | CheckedDecision::AcceptDraw) => {
                out.push("status the engine resigned, which the protocol cannot express".into());
            }
            Err(fault) => self.report_error(&fault_sentence(&fault), out),
        }
        out.push("status".into());
        Action::Continue
    }
}
