//! Protocol server for Gomocup and Piskvork, version 2 (there, an engine is called a brain).

mod stone_list;
mod time_limits;

use sandboard_abi::{Choice, Line};

use super::driver::fault_sentence;
use super::game_state::{CheckedDecision, EngineInfo, GameState};
use super::uci_family::parse_number;
use super::{Action, Session};
use sandboard_engine::Fault;
use sandboard_protocols::gomocup::{Board, Point, STOP, point_of, points, text_of, variant_of};
use stone_list::StoneList;
use time_limits::Times;

/// The variant of the openings of `SWAP2BOARD`.
const SWAP2: &str = "swap2";

/// A session in the protocol of Gomocup.
pub(super) struct Gomocup {
    state: GameState,
    /// The rule set last by `INFO rule`. Err: it is not supported.
    rule: Result<Option<&'static str>, String>,
    /// Why the current settings cannot be played. `INFO` gets no answer, so the next search reports
    /// it.
    unsupported: Option<String>,
    times: Times,
    /// Whether the engine searches.
    is_searching: bool,
    /// Whether the engine is being prepared; other lines wait for that.
    is_preparing: bool,
    /// The list to which the following lines belong.
    stone_list: Option<StoneList>,
    /// The points of an opening that is being decided, move by move.
    opening: Option<Vec<Point>>,
}

impl Gomocup {
    pub(super) fn new(engine_info: EngineInfo) -> Result<Self, String> {
        Ok(Self {
            state: GameState::new(engine_info)?,
            rule: Ok(None),
            unsupported: None,
            times: Times::default(),
            is_searching: false,
            is_preparing: false,
            stone_list: None,
            opening: None,
        })
    }

    fn size(&self) -> u8 {
        self.state.game.variant().size.unwrap_or(0)
    }

    /// Sets up an empty board of this size, with the rule set last.
    fn start(&mut self, size: &str) -> Result<(), String> {
        let own = self.state.engine_info.variant.id;
        let named = self.rule.clone();
        let named_id = named.clone().ok().flatten();
        let id = named_id.unwrap_or(if own == SWAP2 { "standard" } else { own });
        let variant = self.state.engine_info.game.variant(&format!("{id}-{size}"));
        let variant = variant.map_err(|_| format!("unsupported size or rule: {id} {size}"))?;
        self.state.set_up(&variant, "")?;
        self.state.new_game();
        self.unsupported = named.err();
        Ok(())
    }

    /// Switches an empty board to this variant.
    fn switch_variant(&mut self, id: &str) -> Result<(), String> {
        let variant = self.state.engine_info.game.variant(&format!("{id}-{}", self.size()));
        let variant = variant.map_err(|error| error.to_string())?;
        if self.state.game.variant() == variant {
            return Ok(());
        }
        if !self.board()?.stones.is_empty() {
            return Err("the rule has changed: set up a new board".into());
        }
        self.state.set_up(&variant, "")
    }

    /// Handles `INFO`, which gets no answer. Err: the problem, for people.
    fn info(&mut self, text: &str) -> Result<(), String> {
        let (key, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        // A negative time means that the clock has run out.
        let ms = || parse_number(value).ok_or_else(|| format!("{key}: `{value}` is not a number"));
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.times.turn_ms = Some(ms()?),
            "timeout_match" => self.times.match_ms = Some(ms()?),
            "time_left" => self.times.left_ms = Some(ms()?),
            "rule" => {
                let named = value.parse().ok().and_then(variant_of);
                self.rule = named.ok_or_else(|| format!("rule {value} is not supported")).map(Some);
                self.unsupported = match self.rule.clone() {
                    Ok(Some(id)) => self.switch_variant(id).err(),
                    Ok(None) => None,
                    Err(reason) => Some(reason),
                };
            }
            // The host limits memory; the other values have no use here.
            "max_memory" | "game_type" | "evaluate" | "folder" => (),
            _ => {
                let is_own = |name: &str| name.eq_ignore_ascii_case(key);
                // The protocol tells a brain to ignore unknown keys.
                if self.state.engine_info.options.iter().any(|spec| is_own(&spec.name)) {
                    self.state.set_option(key, value)?;
                }
            }
        }
        Ok(())
    }

    fn start_search(&mut self) -> Result<Action, String> {
        if let Some(reason) = &self.unsupported {
            return Err(reason.clone());
        }
        if let Some(ending) = self.state.game.ending() {
            return Err(format!("the game is over: {}", ending.reason));
        }
        self.is_searching = true;
        let limits = self.times.limits(&self.state.engine_info);
        Ok(Action::Search(self.state.search_request(limits, Vec::new())))
    }

    fn point(&self, text: &str) -> Result<(Point, String), String> {
        let read = points(text).filter(|points| points.len() == 1);
        let point =
            read.map(|points| points[0]).ok_or_else(|| format!("`{text}` is not a point"))?;
        let mv = text_of(point, self.size());
        Ok((point, mv.ok_or_else(|| format!("`{text}` is not on the board"))?))
    }

    fn turn(&mut self, text: &str) -> Result<Action, String> {
        let (_, mv) = self.point(text)?;
        self.state.play(&mv)?;
        self.start_search()
    }

    /// The stones on the board.
    fn board(&self) -> Result<Board, String> {
        Board::parse(&self.state.game.position()).ok_or_else(|| "there is no board".to_owned())
    }

    /// Sets up another position of the same game.
    fn set_position(&mut self, board: &Board) -> Result<(), String> {
        let variant = self.state.game.variant();
        self.state.set_up(&variant, &board.to_text())
    }

    fn take_back(&mut self, text: &str) -> Result<(), String> {
        let (point, mv) = self.point(text)?;
        if self.state.game.moves().last() == Some(&mv) {
            self.state.game.take_back(1);
            return Ok(());
        }
        let mut board = self.board()?;
        let before = board.stones.len();
        board.stones.retain(|stone| stone.at != point);
        if board.stones.len() == before {
            return Err(format!("no stone is at `{text}`"));
        }
        board.is_black = !board.is_black;
        self.set_position(&board)
    }

    /// Prepares the engine for the empty board; `OK` follows when that is done.
    fn prepare(&mut self, out: &mut Vec<String>) -> Action {
        if self.unsupported.is_some() {
            out.push("OK".into());
            return Action::Continue;
        }
        self.is_preparing = true;
        Action::Prepare(self.state.prepare_request())
    }

    fn about(&self) -> String {
        let engine_info = &self.state.engine_info;
        let clean = |text: &str| super::one_line(text).replace('"', "'");
        let mut text = format!(
            "name=\"{}\", version=\"{}\"",
            clean(&engine_info.name),
            clean(&engine_info.version)
        );
        if !engine_info.author.is_empty() {
            text += &format!(", author=\"{}\"", clean(&engine_info.author));
        }
        text
    }

    fn execute(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Result<Action, String> {
        let ok = |out: &mut Vec<String>| {
            out.push("OK".into());
            Ok(Action::Continue)
        };
        match word {
            "" => Ok(Action::Continue),
            "START" => self.start(rest).map(|()| self.prepare(out)),
            "RECTSTART" => match rest.split_once(',').map(|(w, h)| (w.trim(), h.trim())) {
                Some((width, height)) if width == height => {
                    self.start(width).map(|()| self.prepare(out))
                }
                _ => Err("only square boards are supported".into()),
            },
            "RESTART" => self.start(&self.size().to_string()).map(|()| self.prepare(out)),
            "BEGIN" => {
                self.start(&self.size().to_string())?;
                self.start_search()
            }
            "TURN" => self.turn(rest),
            "TAKEBACK" => {
                self.take_back(rest)?;
                ok(out)
            }
            "PLAY" => {
                let ((x, y), mv) = self.point(rest)?;
                self.state.play(&mv)?;
                out.push(format!("{x},{y}"));
                Ok(Action::Continue)
            }
            "BOARD" | "SWAP2BOARD" => {
                let is_opening = word == "SWAP2BOARD";
                self.stone_list = Some(StoneList { is_opening, lines: Vec::new() });
                Ok(Action::Continue)
            }
            "INFO" => {
                if let Err(reason) = self.info(rest) {
                    out.push(format!("MESSAGE {}", super::one_line(&reason)));
                }
                Ok(Action::Continue)
            }
            "ABOUT" => {
                out.push(self.about());
                Ok(Action::Continue)
            }
            // The search is already over.
            STOP | "STOP" => Ok(Action::Continue),
            "END" => Ok(Action::Quit),
            _ => {
                out.push(format!("UNKNOWN command {}", super::one_line(word)));
                Ok(Action::Continue)
            }
        }
    }
}

impl Session for Gomocup {
    fn handle_line(&mut self, line: &str, out: &mut Vec<String>) -> Action {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_uppercase();
        if self.is_preparing {
            if word == "END" {
                // Nothing waits for the engine any more.
                out.push("OK".into());
                return Action::Quit;
            }
            return Action::Postpone;
        }
        if self.is_searching {
            return match word.as_str() {
                STOP | "STOP" => Action::Stop,
                "END" => Action::Quit,
                _ => Action::Postpone,
            };
        }
        let done = match self.stone_list {
            Some(_) => self.add_list_line(line),
            None => self.execute(&word, rest.trim(), out),
        };
        done.unwrap_or_else(|reason| {
            self.report_error(&reason, out);
            Action::Continue
        })
    }

    fn report_error(&mut self, reason: &str, out: &mut Vec<String>) {
        self.opening = None;
        out.push(format!("ERROR {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        let score = line.score.map_or(String::new(), |score| format!(" score {}", score.value));
        let (depth, nodes) = (line.depth, line.nodes);
        out.push(format!("MESSAGE depth {depth}{score} nodes {nodes} pv {}", line.moves));
    }

    fn engine_prepared(&mut self, ready: Result<(), Fault>, out: &mut Vec<String>) {
        self.is_preparing = false;
        out.push(match ready {
            Ok(()) => "OK".into(),
            Err(fault) => format!("ERROR {}", fault_sentence(&fault)),
        });
    }

    fn engine_answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Action {
        self.is_searching = false;
        let opening = self.opening.take();
        let decision = answer.and_then(|choice| self.state.check_answer(&choice));
        let mv = match decision {
            Ok(CheckedDecision::Play(mv)) => mv,
            Ok(CheckedDecision::Resign | CheckedDecision::AcceptDraw) => {
                out.push("ERROR the engine resigned, which the protocol cannot express".into());
                return Action::Continue;
            }
            Err(fault) => {
                out.push(format!("ERROR {}", fault_sentence(&fault)));
                return Action::Continue;
            }
        };
        if let Some(opening_points) = opening {
            return self.continue_opening(mv, opening_points, out);
        }
        match point_of(&mv, self.size()) {
            Some((x, y)) => {
                // The move was checked; it keeps the board in step with the engine.
                let _ = self.state.play(&mv);
                out.push(format!("{x},{y}"));
            }
            None => {
                out.push(format!("ERROR the engine chose {mv}, which the protocol cannot express"))
            }
        }
        Action::Continue
    }
}
