//! A game with a brain of Gomocup, exchange by exchange. It keeps a board of its own: what is on it is known here, and
//! whenever one more stone does not make it the position that is meant, it is told anew.

use sandboard_abi::{Choice, Decision, Level, Limits, Setup};

use super::{Board, Point, Said, Stone, Times, point_of, rule_number, text_of};
use crate::engine::desk::checked_choice;
use crate::engine::{Fault, FaultCode};
use crate::jail::PROGRAM_FOLDER;
use crate::process::exchange::{Exchange, answered, no_move, own_error, refusal};
use crate::process::settings;
use crate::process::wire::{Asked, Wire};

/// A game in the protocol of Gomocup.
#[derive(Default)]
pub(in crate::process) struct Gomocup {
    /// What it is told when a board is set up: `INFO` of rules and options.
    facts: Vec<String>,
    size: u8,
    /// The stones on its board, its own choice with them; none: a board is to be set up.
    known: Option<Vec<Stone>>,
    /// The time of the whole game that it was told last.
    match_ms: Option<u64>,
    /// What the clock of the game held at first, in microseconds.
    whole_us: Option<u64>,
    /// The line of moves up to here that it has chosen as a whole, in an opening.
    plan: Vec<String>,
}

/// The next line that is no text for people.
fn hear<T>(
    wire: &mut Wire,
    mut answer: impl FnMut(&mut Wire, Said<'_>, &str) -> Result<Option<T>, Fault>,
) -> Result<T, Fault> {
    loop {
        let line = wire.hear()?;
        match super::read(&line) {
            Said::Text(text, is_for_author) => {
                let level = if is_for_author { Level::Debug } else { Level::Info };
                wire.desk.log(level, text)?;
            }
            Said::Nothing => (),
            said => {
                if let Some(answer) = answer(wire, said, &line)? {
                    return Ok(answer);
                }
            }
        }
    }
}

/// Asks who it is, to whom nothing else was said: what it says before is no answer. Any line of text is one.
fn shake_hands(wire: &mut Wire, begins: bool) -> Result<(), Fault> {
    wire.say("ABOUT")?;
    hear(wire, |wire, said, line| match said {
        Said::Points(_) | Said::Swap | Said::Suggest(_) => Err(Wire::unasked(line)),
        Said::Other(text) => wire.remark(text).map(Some),
        Said::Error(why) if begins => Err(refusal(&format!("cannot begin, it says: {why}"))),
        // Some do not know it, and are brains all the same.
        Said::Unknown(_) => wire.remark(line).map(Some),
        _ => wire.remark(line).map(|()| None),
    })
}

impl Gomocup {
    /// A new board, and what is to be known of its game.
    fn set_up(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        wire.say(&format!("START {}", self.size))?;
        let size = self.size;
        hear(wire, |wire, said, line| match said {
            Said::Ok => Ok(Some(())),
            Said::Error(why) | Said::Unknown(why) => {
                Err(refusal(&format!("refuses a board of {size}: {why}")))
            }
            Said::Other(text) => wire.remark(text).map(|()| None),
            _ => Err(answered("START", line)),
        })?;
        self.facts.iter().try_for_each(|fact| wire.say(fact))?;
        self.match_ms = None;
        self.known = Some(Vec::new());
        Ok(())
    }

    /// An empty board, by whichever word it knows.
    fn clear(&mut self, wire: &mut Wire) -> Result<(), Fault> {
        if self.known.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        wire.say("RESTART")?;
        let cleared = hear(wire, |wire, said, line| match said {
            Said::Ok => Ok(Some(true)),
            Said::Error(_) | Said::Unknown(_) => Ok(Some(false)),
            Said::Other(text) => wire.remark(text).map(|()| None),
            _ => Err(answered("RESTART", line)),
        })?;
        match cleared {
            true => {
                self.known = Some(Vec::new());
                Ok(())
            }
            false => self.set_up(wire),
        }
    }

    fn tell_times(&mut self, wire: &mut Wire, limits: &Limits) -> Result<(), Fault> {
        self.whole_us = self.whole_us.or(limits.game_left);
        let times = Times::of(limits, wire.left_us(), self.whole_us);
        wire.say(&format!("INFO timeout_turn {}", times.turn_ms))?;
        if self.match_ms.replace(times.match_ms) != Some(times.match_ms) {
            wire.say(&format!("INFO timeout_match {}", times.match_ms))?;
        }
        wire.say(&format!("INFO time_left {}", times.left_ms))
    }

    /// Tells the position and asks for a move in it.
    fn ask(
        &mut self,
        wire: &mut Wire,
        limits: &Limits,
        board: &Board,
        moves: &[String],
    ) -> Result<(), Fault> {
        let ordered = board.in_order(moves);
        if ordered.is_empty() {
            self.clear(wire)?;
            self.tell_times(wire, limits)?;
            return wire.begin_search("BEGIN");
        }
        let newest = moves.last().and_then(|mv| point_of(mv, board.size));
        if let Some(stone) = self.one_more(&ordered, board.is_black)
            && newest == Some(stone.at)
        {
            self.tell_times(wire, limits)?;
            return wire.begin_search(&format!("TURN {}", shown(stone.at)));
        }
        self.clear(wire)?;
        self.tell_times(wire, limits)?;
        wire.say("BOARD")?;
        for stone in &ordered {
            let field = if stone.is_black == board.is_black { 1 } else { 2 };
            wire.say(&format!("{},{field}", shown(stone.at)))?;
        }
        wire.begin_search("DONE")
    }

    /// The opponent's stone that alone its board lacks.
    fn one_more(&self, ordered: &[Stone], is_black: bool) -> Option<Stone> {
        let known = self.known.as_ref()?;
        let (last, before) = ordered.split_last()?;
        let is_same = known.len() == before.len() && before.iter().all(|it| known.contains(it));
        (!known.is_empty() && is_same && last.is_black != is_black).then_some(*last)
    }

    /// A choice in an opening, of which it decides several moves at once.
    fn open(
        &mut self,
        wire: &mut Wire,
        limits: &Limits,
        board: &Board,
        moves: &[String],
    ) -> Result<String, Fault> {
        let ordered = board.in_order(moves);
        if ![0, 3, 5].contains(&ordered.len()) {
            let sentence = format!("cannot be told an opening of {} stones", ordered.len());
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        self.clear(wire)?;
        self.tell_times(wire, limits)?;
        wire.say("SWAP2BOARD")?;
        for stone in &ordered {
            wire.say(&shown(stone.at))?;
        }
        wire.begin_search("DONE")?;
        let count = ordered.len();
        let chosen = hear(wire, |wire, said, line| match (said, count) {
            // It takes black. After three stones the other player holds it, after five who is asked.
            (Said::Swap, 3) => Ok(Some(vec!["swap".to_owned()])),
            (Said::Swap, 5) => Ok(Some(vec!["keep".to_owned()])),
            (Said::Points(points), _) => {
                let word = match (count, points.len()) {
                    (0, 3) => None,
                    (3, 1) => Some("keep"),
                    (3, 2) => Some("put-two"),
                    (5, 1) => Some("swap"),
                    _ => return Err(answered(&format!("SWAP2BOARD of {count} stones"), line)),
                };
                let texts = points.iter().map(|point| checked(*point, board.size));
                let words = word.map(|word| Ok(word.to_owned()));
                words.into_iter().chain(texts).collect::<Result<Vec<_>, _>>().map(Some)
            }
            // The word to stop is one that not all know.
            (Said::Unknown(_), _) if wire.mouth.takes_late() => wire.remark(line).map(|()| None),
            (Said::Error(_) | Said::Unknown(_), _) => {
                Err(own_error("cannot open by swap2, it says", line))
            }
            (Said::Other(text), _) => wire.remark(text).map(|()| None),
            _ => Err(answered(&format!("SWAP2BOARD of {count} stones"), line)),
        })?;
        self.known = None;
        self.plan = [moves, &chosen].concat();
        chosen.into_iter().next().ok_or_else(|| Fault::new(FaultCode::Error, "chose nothing"))
    }

    /// What it has chosen already for a game that came so far.
    fn planned(&self, moves: &[String]) -> Option<String> {
        self.plan.strip_prefix(moves)?.first().cloned()
    }
}

fn shown((column, row): Point) -> String {
    format!("{column},{row}")
}

fn checked(point: Point, size: u8) -> Result<String, Fault> {
    text_of(point, size)
        .ok_or_else(|| no_move(&shown(point), &format!("which is no point of a board of {size}")))
}

/// Its choice of one point.
fn await_point(wire: &mut Wire, size: u8) -> Result<(Point, String), Fault> {
    hear(wire, |wire, said, line| match said {
        Said::Points(points) => match points.as_slice() {
            [point] => checked(*point, size).map(|text| Some((*point, text))),
            _ => Err(answered("TURN", line)),
        },
        // It is the manager who plays what is suggested.
        Said::Suggest(point) => {
            checked(point, size)?;
            wire.say(&format!("PLAY {}", shown(point))).map(|()| None)
        }
        Said::Error(_) => Err(own_error("has no move, it says", line)),
        Said::Swap => Err(answered("TURN", line)),
        _ => wire.remark(line).map(|()| None),
    })
}

impl Exchange for Gomocup {
    fn begin(&mut self, wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
        let view = wire.desk.look("").map_err(|why| refusal(&format!("cannot begin: {why}")))?;
        let board = Board::read(&view.position);
        let variant = setup.variant.split('-').next().unwrap_or_default();
        let variant = if variant.is_empty() { "freestyle" } else { variant };
        let (Some(board), Some(rule)) = (board, rule_number(variant)) else {
            return Err(refusal("cannot begin: it cannot be told such a board"));
        };
        self.size = board.size;
        let mut facts = vec!["INFO game_type 1".to_owned(), format!("INFO rule {rule}")];
        facts.push(format!("INFO max_memory {}", setup.memory_bytes));
        if wire.has_files {
            facts.push(format!("INFO folder {PROGRAM_FOLDER}"));
        }
        let (options, speech) = (wire.options.clone(), wire.speech.clone());
        for (option, value) in settings(&options, &setup.options) {
            facts.push(format!("INFO {} {value}", speech.name_of(&option.name)));
        }
        if setup.threads > 1 {
            let threads = setup.threads;
            let reason = format!("cannot be given {threads} threads: gomocup has no word for them");
            return Err(refusal(&reason));
        }
        self.facts = facts;
        shake_hands(wire, true)?;
        self.set_up(wire)?;
        shake_hands(wire, true)
    }

    fn admits(&self, wire: &Wire, limits: &Limits) -> Result<(), Fault> {
        wire.only_time(limits)
    }

    fn search(&mut self, wire: &mut Wire, limits: &Limits, asked: Asked) -> Result<Choice, Fault> {
        let play = |mv: String| {
            checked_choice(Choice { decision: Decision::Play(mv), offers_draw: false, line: None })
        };
        let moves = wire.desk.line();
        let Some(board) = Board::read(&asked.view.position) else {
            return Err(Fault::new(FaultCode::Host, "cannot be told the position: it is no board"));
        };
        if let Some(mv) =
            self.planned(&moves).filter(|mv| asked.barred.iter().all(|it| it.r#move != **mv))
        {
            return play(mv);
        }
        // What it says before this is no answer to what it has not been asked.
        shake_hands(wire, false)?;
        let is_opening = |word: &str| word == "opening" || word == "swap";
        if board.phase.split(' ').any(is_opening) {
            return play(self.open(wire, limits, &board, &moves)?);
        }
        self.ask(wire, limits, &board, &moves)?;
        let (at, text) = await_point(wire, self.size)?;
        let own = Stone { at, is_black: board.is_black };
        self.known = Some(board.stones.iter().copied().chain([own]).collect());
        play(text)
    }
}
