//! What follows rows and side in a position text: who holds black, where a
//! procedure stands, a pass or a foul just made. Read strictly, written so that
//! it reads back. The words are in a table at the head of `gomoku`.

use super::board::Board;
use super::decisions::distance_from_centre;
use super::forbidden::{self, Foul};
use super::notation::{Part, read_fifths, read_point};
use super::point::{Color, Point};
use super::procedure::What;
use super::stage::Stage;
use super::symmetry::same_points;
use super::variants::Terms;
use crate::phase::Phase;
use crate::rules::PositionFault;

/// A word that was read, and the byte where it begins.
#[derive(Clone, Copy, Debug)]
struct At<T> {
    at: usize,
    is: T,
}

/// The words of a text, before they are held against the board.
#[derive(Debug, Default)]
pub(super) struct Words {
    first: usize,
    swapped: Option<At<()>>,
    fifths: Option<At<u8>>,
    phase: Option<At<Phase>>,
    offers: Vec<At<Point>>,
    passes: Option<At<u8>>,
    foul: Option<At<Point>>,
}

fn fault(at: usize, reason: impl Into<String>) -> PositionFault {
    PositionFault { at, reason: reason.into() }
}

impl Words {
    /// Reads the words, all that is wrong with them into `faults`.
    pub(super) fn read(parts: &[Part<'_>], size: u8, faults: &mut Vec<PositionFault>) -> Words {
        let mut words =
            Words { first: parts.first().map_or(0, |part| part.at), ..Words::default() };
        let mut parts = parts.iter().copied().peekable();
        words.swapped = parts.next_if(|part| part.text == "swapped").map(|part| part.holds(()));
        words.fifths =
            parts.peek().and_then(|part| Some(part.holds(read_fifths(part.text)?))).inspect(|_| {
                parts.next();
            });
        words.phase =
            parts.peek().and_then(|part| Some(part.holds(phase_named(part.text)?))).inspect(|_| {
                parts.next();
            });
        if let Some(At { is: Phase::Offer | Phase::Pick, .. }) = words.phase
            && let Some(list) = parts.next()
        {
            words.read_offers(list, size, faults);
        }
        words.passes = parts
            .peek()
            .and_then(|part| Some(part.holds(passes_named(part.text)?)))
            .inspect(|_| {
                parts.next();
            });
        if let Some(part) = parts.next_if(|part| part.text.starts_with("foul-")) {
            match read_point(&part.text["foul-".len()..], size) {
                Ok(point) => words.foul = Some(part.holds(point)),
                Err(reason) => faults.push(fault(part.at, format!("the foul: {reason}"))),
            }
        }
        if let Some(extra) = parts.next() {
            faults.push(fault(extra.at, unknown(extra.text, words.is_plain())));
        }
        words
    }

    fn read_offers(&mut self, list: Part<'_>, size: u8, faults: &mut Vec<PositionFault>) {
        for part in list.split(|c| c == ',') {
            match read_point(part.text, size) {
                Ok(point) => self.offers.push(part.holds(point)),
                Err(reason) => faults.push(fault(part.at, format!("an offered point: {reason}"))),
            }
        }
    }

    fn is_plain(&self) -> bool {
        self.swapped.is_none() && self.fifths.is_none() && self.is_played_plainly()
    }

    /// Whether the game can be over with these words by what stands on the board.
    fn is_played_plainly(&self) -> bool {
        self.phase.is_none() && self.passes.is_none() && self.foul.is_none()
    }

    /// What the words say, if that can be on this board. `over`: a row of stones
    /// or the lack of points has ended the game.
    pub(super) fn stage(
        &self,
        terms: Terms,
        board: &Board,
        to_move: Color,
        over: bool,
    ) -> Result<Stage, PositionFault> {
        if over && !self.is_played_plainly() {
            return Err(fault(self.first, "the game is over before that"));
        }
        let script = terms.procedure.script();
        if let Some(swapped) = self.swapped
            && script.step(0).is_none()
        {
            let reason = format!("colours are never exchanged in {}", terms.id());
            return Err(fault(swapped.at, reason));
        }
        let swapped = self.swapped.is_some();
        match self.phase {
            Some(phase) => Procedural { words: self, terms, board, to_move, phase }.stage(),
            None => self.play(terms, board, to_move).map(|stage| Stage { swapped, ..stage }),
        }
    }

    /// The stage of a position in ordinary play.
    fn play(&self, terms: Terms, board: &Board, to_move: Color) -> Result<Stage, PositionFault> {
        if let Some(fifths) = self.fifths {
            return Err(fault(fifths.at, "in ordinary play nothing is announced"));
        }
        if let Some(passes) = self.passes
            && !terms.rule.allows_pass()
        {
            return Err(fault(passes.at, format!("nobody passes in {}", terms.id())));
        }
        if let Some(foul) = self.foul {
            let is_last = to_move == Color::White && self.passes.is_none();
            if !is_last || !terms.rule.forbids(Color::Black) || foul_at(board, foul.is).is_none() {
                return Err(fault(foul.at, format!("{} was no foul just made", foul.is)));
            }
        }
        let passes = self.passes.map_or(0, |passes| passes.is);
        Ok(Stage { passes, foul: self.foul.map(|foul| foul.is), ..Stage::PLAY })
    }
}

/// The foul that a stone on the board was, if it was put last.
pub(super) fn foul_at(board: &Board, point: Point) -> Option<Foul> {
    if board.stone_at(point) != Some(Color::Black) {
        return None;
    }
    let mut before = board.clone();
    before.toggle(Color::Black, point);
    forbidden::foul(&before, point)
}

/// The words of a position within a procedure, held against its board.
struct Procedural<'a> {
    words: &'a Words,
    terms: Terms,
    board: &'a Board,
    to_move: Color,
    phase: At<Phase>,
}

impl Procedural<'_> {
    fn stage(&self) -> Result<Stage, PositionFault> {
        let script = self.terms.procedure.script();
        let step = self.step()?;
        let Some((_, what)) = script.step(step) else { return Ok(Stage::PLAY) };
        self.check_stones(step)?;
        self.check_colours(step)?;
        let fifths = self.fifths(step)?;
        let swapped = self.words.swapped.is_some();
        let mut stage = Stage { step, fifths, swapped, ..Stage::PLAY };
        let most = match what {
            What::Offer(_) => stage.fifths.saturating_sub(1),
            _ => stage.fifths,
        };
        for offer in &self.words.offers {
            if stage.offers.len() == most {
                return Err(fault(offer.at, format!("more than {most} points are offered")));
            }
            self.check_offer(*offer, &stage)?;
            stage.offers.insert(offer.is);
        }
        if what == What::Pick && stage.offers.len() < stage.fifths {
            let reason = format!("{} points are to be offered first", stage.fifths);
            return Err(fault(self.phase.at, reason));
        }
        Ok(stage)
    }

    fn count(&self, color: Color) -> usize {
        self.board.stones(color).count()
    }

    fn step(&self) -> Result<u8, PositionFault> {
        let At { at, is: phase } = self.phase;
        if let Some(after) = self.words.passes.map(|word| word.at).or(self.words.foul.map(|w| w.at))
        {
            return Err(fault(after, "passes and fouls come after the procedure only"));
        }
        let [black, white] = Color::ALL.map(|color| self.count(color));
        let stones = u8::try_from(black + white).unwrap_or(u8::MAX);
        let step = self.terms.procedure.script().find(phase, stones);
        let none = || {
            let (id, name) = (self.terms.id(), phase.name());
            fault(at, format!("{id} has no phase {name} with {stones} stones on the board"))
        };
        let step = step.ok_or_else(none)?;
        let next = if stones % 2 == 0 { Color::Black } else { Color::White };
        if black != white + usize::from(next == Color::White) || self.to_move != next {
            return Err(fault(at, "stones and side do not take turns, black first"));
        }
        Ok(step)
    }

    /// Nearest first, the stones of a colour are where the procedure wants them.
    fn check_stones(&self, step: u8) -> Result<(), PositionFault> {
        let limits = self.terms.procedure.script().distances(step);
        let limits: Vec<u8> = limits.collect();
        for color in Color::ALL {
            let distance = |point| distance_from_centre(self.board, point);
            let mut distances: Vec<u8> = self.board.stones(color).map(distance).collect();
            distances.sort_unstable();
            let own = limits.iter().skip(color.index()).step_by(2);
            if distances.iter().zip(own).any(|(distance, limit)| distance > limit) {
                let reason = "a stone is farther from the centre than the procedure allows";
                return Err(fault(self.phase.at, reason));
            }
        }
        Ok(())
    }

    fn check_colours(&self, step: u8) -> Result<(), PositionFault> {
        let may_be = self.terms.procedure.script().may_be_swapped(step);
        match self.words.swapped {
            Some(swapped) if !may_be => {
                Err(fault(swapped.at, "nobody could exchange the colours yet"))
            }
            _ => Ok(()),
        }
    }

    /// How many offers are to be made, where that is settled; else 0.
    fn fifths(&self, step: u8) -> Result<u8, PositionFault> {
        let (most, script) = (self.terms.most_fifths, self.terms.procedure.script());
        match (script.is_announced(step), self.words.fifths) {
            (false, None) => Ok(script.fixed_fifths(step).unwrap_or(0)),
            (false, Some(fifths)) => Err(fault(fifths.at, "nothing is announced in this phase")),
            (true, None) => Err(fault(self.phase.at, "fifths-N should stand before it")),
            (true, Some(At { at, is })) if is > most => {
                Err(fault(at, format!("at most {most} may be announced")))
            }
            (true, Some(fifths)) => Ok(fifths.is),
        }
    }

    fn check_offer(&self, offer: At<Point>, stage: &Stage) -> Result<(), PositionFault> {
        let At { at, is: point } = offer;
        let alike = self.terms.procedure.alike();
        let same = |other| same_points(self.board, alike, other).contains(&point);
        if self.board.stone_at(point).is_some() {
            Err(fault(at, format!("{point} is offered, and a stone is there")))
        } else if stage.offers.iter().any(same) {
            Err(fault(at, format!("{point} is the same as another offer")))
        } else {
            Ok(())
        }
    }
}

impl Part<'_> {
    fn holds<T>(&self, is: T) -> At<T> {
        At { at: self.at, is }
    }
}

fn phase_named(text: &str) -> Option<Phase> {
    Phase::ALL.into_iter().filter(|&phase| phase != Phase::Play).find(|phase| phase.name() == text)
}

fn passes_named(text: &str) -> Option<u8> {
    match text {
        "passed" => Some(1),
        "passed-twice" => Some(2),
        _ => None,
    }
}

fn unknown(word: &str, is_first: bool) -> &'static str {
    match word {
        "moves" => "no moves are taken here: the rules of gomoku look at no history",
        _ if is_first => "nothing should follow the side to move",
        _ => "nothing should follow here",
    }
}

/// Appends the words of a stage, each after a blank.
pub(super) fn write(stage: &Stage, terms: Terms, out: &mut String) {
    let script = terms.procedure.script();
    let mut word = |text: &str| {
        out.push(' ');
        out.push_str(text);
    };
    if stage.swapped {
        word("swapped");
    }
    if let Some((_, what)) = script.step(stage.step) {
        if script.is_announced(stage.step) {
            word(&format!("fifths-{}", stage.fifths));
        }
        word(what.phase().name());
    }
    let offers: Vec<String> = stage.offers.iter().map(|point| point.to_string()).collect();
    if !offers.is_empty() {
        word(&offers.join(","));
    }
    match stage.passes {
        0 => {}
        1 => word("passed"),
        _ => word("passed-twice"),
    }
    if let Some(point) = stage.foul {
        word(&format!("foul-{point}"));
    }
}
