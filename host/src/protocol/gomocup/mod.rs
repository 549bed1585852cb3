//! The brain's side of the protocol of Gomocup and Piskvork, version 2.

mod listing;
mod times;

use sandboard_abi::{Choice, Line};

use super::chess::number;
use super::drive::fault_sentence;
use super::table::{Decided, Offer, Table};
use super::{Act, Session};
use crate::engine::Fault;
use crate::process::gomocup::{Board, Point, STOP, point_of, points, text_of, variant_of};
use listing::Listing;
use times::Times;

/// The variant whose opening `SWAP2BOARD` is.
const SWAP2: &str = "swap2";

/// A session in the protocol of Gomocup.
pub(super) struct Gomocup {
    table: Table,
    /// The rules that were named last, where any were. Err: why they are none.
    rule: Result<Option<&'static str>, String>,
    /// Why nothing can be played as it was told; nothing is answered to what tells it.
    unfit: Option<String>,
    times: Times,
    /// Whether the engine thinks.
    thinks: bool,
    /// Whether it is made ready, before which no other line is heard.
    prepares: bool,
    /// What the lines after this belong to.
    listing: Option<Listing>,
    /// An opening that is being decided, a move at a time.
    opening: Option<Vec<Point>>,
}

impl Gomocup {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        Ok(Self {
            table: Table::new(offer)?,
            rule: Ok(None),
            unfit: None,
            times: Times::default(),
            thinks: false,
            prepares: false,
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
        let named = self.rule.clone();
        let named_id = named.clone().ok().flatten();
        let id = named_id.unwrap_or(if own == SWAP2 { "standard" } else { own });
        let variant = self.table.offer.game.variant(&format!("{id}-{size}"));
        let variant = variant.map_err(|_| format!("unsupported size or rule: {id} {size}"))?;
        self.table.set_up(&variant, "")?;
        self.table.new_game();
        self.unfit = named.err();
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
        // Who has overrun the clock is told so by less than nothing.
        let ms = || number(value).ok_or_else(|| format!("{key}: `{value}` is no number"));
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.times.turn = Some(ms()?),
            "timeout_match" => self.times.of_match = Some(ms()?),
            "time_left" => self.times.left = Some(ms()?),
            "rule" => {
                let named = value.parse().ok().and_then(variant_of);
                self.rule =
                    named.ok_or_else(|| format!("rule {value} is not played here")).map(Some);
                self.unfit = match self.rule.clone() {
                    Ok(Some(id)) => self.fit(id).err(),
                    Ok(None) => None,
                    Err(reason) => Some(reason),
                };
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

    fn ask(&mut self) -> Result<Act, String> {
        if let Some(reason) = &self.unfit {
            return Err(reason.clone());
        }
        if let Some(outcome) = self.table.game.outcome() {
            return Err(format!("the game is over: {}", outcome.reason));
        }
        self.thinks = true;
        let limits = self.times.limits(&self.table.offer);
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

    /// Makes the engine ready for the empty board, before it is said that it is.
    fn prepare(&mut self, out: &mut Vec<String>) -> Act {
        if self.unfit.is_some() {
            out.push("OK".into());
            return Act::Wait;
        }
        self.prepares = true;
        Act::Prepare(self.table.readiness())
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
            "START" => self.start(rest).map(|()| self.prepare(out)),
            "RECTSTART" => match rest.split_once(',').map(|(w, h)| (w.trim(), h.trim())) {
                Some((width, height)) if width == height => {
                    self.start(width).map(|()| self.prepare(out))
                }
                _ => Err("only square boards are played here".into()),
            },
            "RESTART" => self.start(&self.size().to_string()).map(|()| self.prepare(out)),
            "BEGIN" => {
                self.start(&self.size().to_string())?;
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
}

impl Session for Gomocup {
    fn hear(&mut self, line: &str, out: &mut Vec<String>) -> Act {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_uppercase();
        if self.prepares {
            if word == "END" {
                // Whoever waited for the engine has no use for it any more.
                out.push("OK".into());
                return Act::Quit;
            }
            return Act::Later;
        }
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

    fn prepared(&mut self, ready: Result<(), Fault>, out: &mut Vec<String>) {
        self.prepares = false;
        out.push(match ready {
            Ok(()) => "OK".into(),
            Err(fault) => format!("ERROR {}", fault_sentence(&fault)),
        });
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
