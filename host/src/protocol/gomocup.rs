//! The brain's side of the protocol of Gomocup and Piskvork, version 2.

use sandboard_abi::{Choice, Limits, Line};

use super::chess::timed;
use super::drive::fault_sentence;
use super::table::{Decided, Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;
use crate::process::gomocup::{Board, Point, STOP, Stone, point_of, points, text_of, variant_of};

/// What stands for no limit of time in `INFO`, in milliseconds.
const UNLIMITED_MS: u64 = 2_147_483_647;
/// The variant whose opening `SWAP2BOARD` is.
const SWAP2: &str = "swap2";

/// A session in the protocol of Gomocup.
pub(super) struct Gomocup {
    table: Table,
    /// The rules that were named last, where any were.
    rule: Option<&'static str>,
    /// Why nothing can be played as it was told; nothing is answered to what tells it.
    unfit: Option<String>,
    times: Times,
    /// Whether the engine thinks.
    thinks: bool,
    /// What the lines after this belong to.
    listing: Option<Listing>,
    /// An opening that is being decided, a move at a time.
    opening: Option<Vec<Point>>,
}

/// Lines up to `DONE`.
struct Listing {
    is_opening: bool,
    lines: Vec<String>,
}

/// The times that `INFO` has told, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Times {
    turn: Option<u64>,
    of_match: Option<u64>,
    left: Option<u64>,
}

impl Gomocup {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        Ok(Self {
            table: Table::new(offer)?,
            rule: None,
            unfit: None,
            times: Times::default(),
            thinks: false,
            listing: None,
            opening: None,
        })
    }

    fn size(&self) -> u8 {
        self.table.game.variant().size.unwrap_or(0)
    }

    /// An empty board of this size, by the rules that were named.
    fn start(&mut self, size: &str) -> Result<(), String> {
        let own = self.table.offer.variant.id;
        let id = self.rule.unwrap_or(if own == SWAP2 { "standard" } else { own });
        let variant = self.table.offer.game.variant(&format!("{id}-{size}"));
        let variant = variant.map_err(|_| format!("unsupported size or rule: {id} {size}"))?;
        self.table.set_up(&variant, "")?;
        self.table.new_game();
        self.unfit = None;
        Ok(())
    }

    /// Has the board, if it is empty, played by the rules of this variant.
    fn fit(&mut self, id: &str) -> Result<(), String> {
        let variant = self.table.offer.game.variant(&format!("{id}-{}", self.size()));
        let variant = variant.map_err(|error| error.to_string())?;
        if self.table.game.variant() == variant {
            return Ok(());
        }
        if !self.board()?.stones.is_empty() {
            return Err("the rules have changed: a board is to be set up".into());
        }
        self.table.set_up(&variant, "")
    }

    /// What tells something and is not answered. Err: what is wrong with it, for people.
    fn info(&mut self, text: &str) -> Result<(), String> {
        let (key, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        let ms = || value.parse::<u64>().map_err(|_| format!("{key}: `{value}` is no number"));
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.times.turn = Some(ms()?),
            "timeout_match" => self.times.of_match = Some(ms()?),
            "time_left" => self.times.left = Some(ms()?),
            "rule" => {
                let number = value.parse().ok().and_then(variant_of);
                self.unfit = Some(format!("rule {value} is not played here"));
                let Some(id) = number else { return Ok(()) };
                self.rule = Some(id);
                self.unfit = self.fit(id).err();
            }
            // Whoever caps memory here is the host; a brain has no use for the others.
            "max_memory" | "game_type" | "evaluate" | "folder" => (),
            _ => {
                let is_own = |name: &str| name.eq_ignore_ascii_case(key);
                // What a brain does not know it passes over.
                if self.table.offer.options.iter().any(|spec| is_own(&spec.name)) {
                    self.table.set_option(key, value)?;
                }
            }
        }
        Ok(())
    }

    fn limits(&self) -> Limits {
        let offer = &self.table.offer;
        let timed_ms = |ms: &u64| *ms > 0 && *ms < UNLIMITED_MS;
        let turn = match self.times.turn {
            // As fast as it can.
            Some(0) => Some(1),
            turn => turn.filter(|ms| *ms < UNLIMITED_MS),
        };
        let is_clocked = self.times.of_match.filter(timed_ms).is_some();
        let left = self.times.left.or(self.times.of_match).filter(|_| is_clocked);
        let left = left.filter(|ms| *ms < UNLIMITED_MS);
        let us = |ms: u64| offer.time_us(ms);
        let limits = timed(turn.map(us), left.map(us), Limits::default());
        // Who says that nothing limits it means so.
        if self.times.turn.is_some() { limits } else { offer.or_usual(limits) }
    }

    fn ask(&mut self) -> Result<Act, String> {
        if let Some(reason) = &self.unfit {
            return Err(reason.clone());
        }
        if let Some(outcome) = self.table.game.outcome() {
            return Err(format!("the game is over: {}", outcome.reason));
        }
        self.thinks = true;
        let limits = self.limits();
        Ok(Act::Ask(self.table.question(limits, Vec::new())))
    }

    fn point(&self, text: &str) -> Result<(Point, String), String> {
        let read = points(text).filter(|points| points.len() == 1);
        let point = read.map(|points| points[0]).ok_or_else(|| format!("`{text}` is no point"))?;
        let mv = text_of(point, self.size());
        Ok((point, mv.ok_or_else(|| format!("`{text}` is not on the board"))?))
    }

    fn turn(&mut self, text: &str) -> Result<Act, String> {
        let (_, mv) = self.point(text)?;
        self.table.play(&mv)?;
        self.ask()
    }

    /// The stones as they stand.
    fn board(&self) -> Result<Board, String> {
        Board::read(&self.table.game.position()).ok_or_else(|| "there is no board".to_owned())
    }

    /// Another position of the same game.
    fn lay(&mut self, board: &Board) -> Result<(), String> {
        let variant = self.table.game.variant();
        self.table.set_up(&variant, &board.write())
    }

    fn take_back(&mut self, text: &str) -> Result<(), String> {
        let (point, mv) = self.point(text)?;
        if self.table.game.moves().last() == Some(&mv) {
            self.table.game.take_back(1);
            return Ok(());
        }
        let mut board = self.board()?;
        let before = board.stones.len();
        board.stones.retain(|stone| stone.at != point);
        if board.stones.len() == before {
            return Err(format!("no stone is at `{text}`"));
        }
        board.is_black = !board.is_black;
        self.lay(&board)
    }

    /// What stands between `BOARD` and `DONE`: points, and whose stones they are.
    fn listed(&mut self, lines: &[String]) -> Result<Act, String> {
        let size = self.size();
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let mut first_is_own = true;
        for line in lines {
            let form = || format!("`{line}` is not x,y and 1 or 2");
            let numbers = line.split(',').map(|part| part.trim().parse::<u8>().ok());
            let numbers: Vec<u8> = numbers.collect::<Option<_>>().ok_or_else(form)?;
            let [x, y, field] = numbers[..] else { return Err(form()) };
            text_of((x, y), size).ok_or_else(|| format!("`{line}` is not on the board"))?;
            if own.contains(&(x, y)) || other.contains(&(x, y)) {
                return Err(format!("`{line}` is there twice"));
            }
            if own.is_empty() && other.is_empty() {
                first_is_own = field == 1;
            }
            match field {
                1 => own.push((x, y)),
                2 => other.push((x, y)),
                // Stones that count no more, of games that go on after a five.
                _ => return Err(form()),
            }
        }
        // Black begins: who moves with as many stones as the other is black.
        let is_black = match own.len().cmp(&other.len()) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less if other.len() == own.len() + 1 => false,
            _ => first_is_own,
        };
        let stones = |points: &[Point], is_black| -> Vec<Stone> {
            points.iter().map(|at| Stone { at: *at, is_black }).collect()
        };
        let stones = [stones(&own, is_black), stones(&other, !is_black)].concat();
        self.lay(&Board { size, stones, is_black, phase: String::new() })?;
        self.ask()
    }

    /// What stands between `SWAP2BOARD` and `DONE`: the stones of an opening.
    fn opened(&mut self, lines: &[String]) -> Result<Act, String> {
        let variant = self.table.offer.game.variant(&format!("{SWAP2}-{}", self.size()));
        let variant = variant.map_err(|error| error.to_string())?;
        let stones = lines.iter().map(|line| Ok(self.point(line)?.1));
        let stones = stones.collect::<Result<Vec<_>, String>>()?;
        if ![0, 3, 5].contains(&stones.len()) {
            return Err(format!("an opening has 0, 3 or 5 stones, not {}", stones.len()));
        }
        self.table.set_up(&variant, "")?;
        self.table.new_game();
        for (index, mv) in stones.iter().enumerate() {
            if index == 3 {
                self.table.play("put-two")?;
            }
            self.table.play(mv)?;
        }
        self.opening = Some(Vec::new());
        self.ask()
    }

    /// One more decision of an opening: what follows from it.
    fn open(&mut self, mv: String, mut laid: Vec<Point>, out: &mut Vec<String>) -> Act {
        let stones = self.board().map_or(0, |board| board.stones.len());
        // Who takes black says so; who takes white puts the next stone.
        let takes_black = matches!((mv.as_str(), stones), ("swap", 3) | ("keep", 5));
        if let Some(point) = point_of(&mv, self.size()) {
            laid.push(point);
        }
        if let Err(reason) = self.table.play(&mv) {
            self.bad(&reason, out);
            return Act::Wait;
        }
        if takes_black {
            out.push("SWAP".into());
            return Act::Wait;
        }
        // After the last stone of a step it is the other player's turn, or no opening any more.
        let is_done = match (laid.len(), stones) {
            (0, _) => false,
            (3, _) => true,
            (1, 3) => self.table.game.phase() != sandboard_games::Phase::Opening,
            (_, 0..=2) => false,
            _ => true,
        };
        if is_done {
            let shown: Vec<String> = laid.iter().map(|(x, y)| format!("{x},{y}")).collect();
            out.push(shown.join(" "));
            return Act::Wait;
        }
        self.opening = Some(laid);
        self.ask().unwrap_or_else(|reason| {
            self.bad(&reason, out);
            Act::Wait
        })
    }

    fn about(&self) -> String {
        let offer = &self.table.offer;
        let clean = |text: &str| super::one_line(text).replace('"', "'");
        let mut text =
            format!("name=\"{}\", version=\"{}\"", clean(&offer.name), clean(&offer.version));
        if !offer.author.is_empty() {
            text += &format!(", author=\"{}\"", clean(&offer.author));
        }
        text
    }

    fn obey(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Result<Act, String> {
        let ok = |out: &mut Vec<String>| {
            out.push("OK".into());
            Ok(Act::Wait)
        };
        match word {
            "" => Ok(Act::Wait),
            "START" => {
                self.start(rest)?;
                ok(out)
            }
            "RECTSTART" => match rest.split_once(',').map(|(w, h)| (w.trim(), h.trim())) {
                Some((width, height)) if width == height => {
                    self.start(width)?;
                    ok(out)
                }
                _ => Err("only square boards are played here".into()),
            },
            "RESTART" => {
                self.table.clear()?;
                self.table.new_game();
                ok(out)
            }
            "BEGIN" => {
                self.table.clear()?;
                self.ask()
            }
            "TURN" => self.turn(rest),
            "TAKEBACK" => {
                self.take_back(rest)?;
                ok(out)
            }
            "PLAY" => {
                let ((x, y), mv) = self.point(rest)?;
                self.table.play(&mv)?;
                out.push(format!("{x},{y}"));
                Ok(Act::Wait)
            }
            "BOARD" | "SWAP2BOARD" => {
                let is_opening = word == "SWAP2BOARD";
                self.listing = Some(Listing { is_opening, lines: Vec::new() });
                Ok(Act::Wait)
            }
            "INFO" => {
                if let Err(reason) = self.info(rest) {
                    out.push(format!("MESSAGE {}", super::one_line(&reason)));
                }
                Ok(Act::Wait)
            }
            "ABOUT" => {
                out.push(self.about());
                Ok(Act::Wait)
            }
            // Its answer has come already.
            STOP | "STOP" => Ok(Act::Wait),
            "END" => Ok(Act::Quit),
            _ => {
                out.push(format!("UNKNOWN command {}", super::one_line(word)));
                Ok(Act::Wait)
            }
        }
    }

    fn list(&mut self, line: &str) -> Result<Act, String> {
        let Some(mut listing) = self.listing.take() else { return Ok(Act::Wait) };
        if !line.eq_ignore_ascii_case("DONE") {
            // No board has more, and a longer one is none.
            if !line.is_empty() && listing.lines.len() < 1024 {
                listing.lines.push(line.chars().take(64).collect());
            }
            self.listing = Some(listing);
            return Ok(Act::Wait);
        }
        match listing.is_opening {
            true => self.opened(&listing.lines),
            false => self.listed(&listing.lines),
        }
    }
}

impl Session for Gomocup {
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_uppercase();
        if self.thinks {
            return match word.as_str() {
                STOP | "STOP" => Act::Stop,
                "END" => Act::Quit,
                _ => Act::Later,
            };
        }
        let done = match self.listing {
            Some(_) => self.list(line),
            None => self.obey(&word, rest.trim(), out),
        };
        done.unwrap_or_else(|reason| {
            self.bad(&reason, out);
            Act::Wait
        })
    }

    fn bad(&mut self, reason: &str, out: &mut Vec<String>) {
        self.opening = None;
        out.push(format!("ERROR {}", super::one_line(reason)));
    }

    fn report(&mut self, line: &Line, out: &mut Vec<String>) {
        let score = line.score.map_or(String::new(), |score| format!(" score {}", score.value));
        let (depth, nodes) = (line.depth, line.nodes);
        out.push(format!("MESSAGE depth {depth}{score} nodes {nodes} pv {}", line.moves));
    }

    fn answered(&mut self, answer: Result<Choice, Fault>, out: &mut Vec<String>) -> Act {
        self.thinks = false;
        let opening = self.opening.take();
        let decided = answer.and_then(|choice| self.table.decided(&choice));
        let mv = match decided {
            Ok(Decided::Play(mv)) => mv,
            Ok(Decided::Resign | Decided::AcceptDraw) => {
                out.push("ERROR the engine gives up, for which there is no word".into());
                return Act::Wait;
            }
            Err(fault) => {
                out.push(format!("ERROR {}", fault_sentence(&fault)));
                return Act::Wait;
            }
        };
        if let Some(laid) = opening {
            return self.open(mv, laid, out);
        }
        match point_of(&mv, self.size()) {
            Some((x, y)) => {
                // It is legal, and the engine's own board goes on with it.
                let _ = self.table.play(&mv);
                out.push(format!("{x},{y}"));
            }
            None => out.push(format!("ERROR the engine chose {mv}, for which there is no word")),
        }
        Act::Wait
    }
}
