//! Protocol server for UCCI 3.0, the Universal Chinese Chess Protocol.

use sandboard_abi::{Choice, Limits, Line};

use super::driver::fault_sentence;
use super::game_state::{EngineInfo, GameState};
use super::uci_family::{self, SearchRefusal, SearchState};
use super::{Action, Session};
use sandboard_engine::Fault;

/// The option that selects milliseconds as the unit of times.
const IN_MS: &str = "usemillisec";
/// The button option that starts a new game.
const NEW_GAME: &str = "newgame";

/// A session in UCCI.
pub(super) struct Ucci {
    state: GameState,
    search: SearchState,
    in_ms: bool,
    /// The excluded moves, until the next position.
    banned: Vec<String>,
    /// Why the last position was refused; then no search is started.
    refused: Option<String>,
}

impl Ucci {
    pub(super) fn new(engine_info: EngineInfo) -> Result<Self, String> {
        let (state, search) = (GameState::new(engine_info)?, SearchState::default());
        Ok(Self { state, search, in_ms: false, banned: Vec::new(), refused: None })
    }

    fn write_identity(&self, out: &mut Vec<String>) {
        let engine_info = &self.state.engine_info;
        out.push(
            format!("id name {} {}", engine_info.name, engine_info.version).trim_end().to_owned(),
        );
        if !engine_info.author.is_empty() {
            out.push(format!("id author {}", engine_info.author));
        }
        out.push(format!("option {IN_MS} type check default {}", self.in_ms));
        out.push(format!("option {NEW_GAME} type button"));
        for spec in &engine_info.options {
            out.push(format!(
                "option {} {}",
                spec.name,
                uci_family::option_declaration(&self.state, spec)
            ));
        }
        out.push("ucciok".to_owned());
    }

    fn set_option(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.trim().split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            IN_MS => self.in_ms = ["true", "on"].contains(&value),
            NEW_GAME => self.new_game()?,
            _ => self.state.set_option(name.trim(), uci_family::received_value(value))?,
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), String> {
        self.state.new_game();
        self.refused = None;
        self.banned.clear();
        self.state.clear()
    }

    fn ban(&mut self, text: &str) -> Result<(), String> {
        let dialect = self.state.engine_info.dialect;
        let legal = self.state.legal();
        let own = |mv: &str| {
            let own = dialect.to_game(mv).filter(|own| legal.contains(own));
            own.ok_or_else(|| format!("`{mv}` is not a legal move here"))
        };
        let banned = text.split_ascii_whitespace().map(own).collect::<Result<Vec<_>, _>>()?;
        if banned.len() >= legal.len() {
            return Err("every move is banned".into());
        }
        self.banned = banned;
        Ok(())
    }

    fn go(&mut self, text: &str, out: &mut Vec<String>) -> Action {
        let alone = ["infinite", "ponder", "draw"];
        let given = uci_family::word_values(text, &alone);
        let has = |name: &str| given.iter().any(|(word, _)| *word == name);
        let word = |name: &str| given.iter().find(|(word, _)| *word == name);
        let number = |name: &str| word(name).and_then(|(_, value)| uci_family::parse_number(value));
        // An unlimited search may also be written `go depth infinite`.
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
        let time_us = |time: u64| self.state.engine_info.time_us(ms(time));
        // Adapters use UCI's word for the time of one move; a clock of 0 beside it means no clock.
        let call = number("movetime").map(time_us);
        let time = number("time").filter(|time| *time > 0 || call.is_none()).map(time_us);
        let limits = match (endless, more.moves_to_go) {
            (true, _) => uci_family::wall_time_limits(
                None,
                None,
                Limits { increment: 0, moves_to_go: None, ..more },
            ),
            (false, _) if call.is_some() => uci_family::wall_time_limits(call, time, more),
            (false, Some(1)) => {
                uci_family::wall_time_limits(time, None, Limits { moves_to_go: None, ..more })
            }
            (false, _) => uci_family::wall_time_limits(None, time, more),
        };
        let limits =
            if endless { limits } else { self.state.engine_info.or_default_limits(limits) };
        if has("ponder") {
            out.push(
                "info message pondering is not supported: this search ends with ponderhit".into(),
            );
        }
        if let Some(refusal) = uci_family::search_refusal(&self.state, self.refused.as_deref()) {
            let (reason, answer) = match refusal {
                SearchRefusal::AnyMove(reason, mv) => (reason, format!("bestmove {mv}")),
                SearchRefusal::NoMove(reason) => (reason, "nobestmove".to_owned()),
            };
            self.report_error(&reason, out);
            out.push(answer);
            return Action::Continue;
        }
        self.search.begin(endless);
        Action::Search(self.state.search_request(limits, self.banned.clone()))
    }

    fn quit(&mut self, out: &mut Vec<String>) -> Action {
        // Nothing waits for the engine any more.
        if self.search.end_preparation() {
            out.push("readyok".into());
        }
        out.push("bye".into());
        Action::Quit
    }

    fn write_answer(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) {
        let offers = answer.as_ref().is_ok_and(|choice| choice.offers_draw);
        match answer.and_then(|choice| self.state.check_answer(&choice)) {
            Ok(decision) => {
                let (mv, remark) = uci_family::protocol_move(&self.state, decision);
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
    fn handle_line(&mut self, line: &str, out: &mut Vec<String>) -> Action {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let changes = ["position", "banmoves", "go", "setoption", "probe"].contains(&word);
        if word == "quit" {
            return self.quit(out);
        }
        if self.search.must_wait(changes) {
            return Action::Postpone;
        }
        let done = match word {
            "" => Ok(()),
            "ucci" => {
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
            "position" => {
                self.banned.clear();
                let done = uci_family::position(&mut self.state, rest);
                self.refused = done.clone().err();
                done
            }
            "banmoves" => self.ban(rest),
            "go" => return self.go(rest, out),
            "stop" | "ponderhit" if self.search.is_running => {
                if let Some(answer) = self.search.stop() {
                    self.write_answer(answer, out);
                    return Action::Continue;
                }
                return Action::Stop;
            }
            // Without a search there is no move to answer.
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
            self.report_error(&reason, out);
        }
        Action::Continue
    }

    fn report_error(&mut self, reason: &str, out: &mut Vec<String>) {
        out.push(format!("info message {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        // The protocol supports only one line.
        if line.rank > 1 {
            return;
        }
        let score = line.score.map_or(String::new(), |score| format!(" score {}", score.value));
        let moves = uci_family::moves_of(&self.state, line);
        let pv = if moves.is_empty() { "" } else { " pv" };
        // The numbers come first: some programs show them together with the next line.
        out.push(format!("info time {} nodes {}", line.spent / 1000, line.nodes));
        out.push(format!("info depth {}{score}{pv}{moves}", line.depth));
    }

    fn input_ended(&mut self, out: &mut Vec<String>) {
        if let Some(answer) = self.search.input_ended() {
            self.write_answer(answer, out);
        }
    }

    fn engine_prepared(&mut self, ready: Result<(), Fault>, out: &mut Vec<String>) {
        self.search.end_preparation();
        if let Err(fault) = ready {
            out.push(format!("info message {}", fault_sentence(&fault)));
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
