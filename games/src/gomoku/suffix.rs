//! The words after rows and side in a position text: seat colours, the step of a procedure, a pass
//! or foul just made. Reading is strict, and written text reads back. The table of words is in the
//! documentation of `gomoku`.

use super::board::Board;
use super::decisions::distance_from_centre;
use super::forbidden::{self, Foul};
use super::notation::{TextPart, read_fifths, read_point};
use super::point::{Color, Point};
use super::procedure::StepKind;
use super::stage::Stage;
use super::symmetry::same_points;
use super::variants::RuleSet;
use crate::phase::Phase;
use crate::rules::PositionFault;

/// A value that was read and its byte offset.
#[derive(Clone, Copy, Debug)]
struct Located<T> {
    offset: usize,
    value: T,
}

/// The words of a text, before they are compared with the board.
#[derive(Debug, Default)]
pub(super) struct Suffix {
    first: usize,
    swapped: Option<Located<()>>,
    fifths: Option<Located<u8>>,
    phase: Option<Located<Phase>>,
    offers: Vec<Located<Point>>,
    passes: Option<Located<u8>>,
    foul: Option<Located<Point>>,
}

fn fault(offset: usize, reason: impl Into<String>) -> PositionFault {
    PositionFault { offset, reason: reason.into() }
}

impl Suffix {
    /// Reads the words; appends their faults to `faults`.
    pub(super) fn read(
        parts: &[TextPart<'_>],
        size: u8,
        faults: &mut Vec<PositionFault>,
    ) -> Suffix {
        let mut suffix =
            Suffix { first: parts.first().map_or(0, |part| part.offset), ..Suffix::default() };
        let mut parts = parts.iter().copied().peekable();
        suffix.swapped = parts.next_if(|part| part.text == "swapped").map(|part| part.locate(()));
        suffix.fifths = parts
            .peek()
            .and_then(|part| Some(part.locate(read_fifths(part.text)?)))
            .inspect(|_| {
                parts.next();
            });
        suffix.phase = parts
            .peek()
            .and_then(|part| Some(part.locate(phase_named(part.text)?)))
            .inspect(|_| {
                parts.next();
            });
        if let Some(Located { value: Phase::Offer | Phase::Pick, .. }) = suffix.phase
            && let Some(list) = parts.next()
        {
            suffix.read_offers(list, size, faults);
        }
        suffix.passes = parts
            .peek()
            .and_then(|part| Some(part.locate(passes_named(part.text)?)))
            .inspect(|_| {
                parts.next();
            });
        if let Some(part) = parts.next_if(|part| part.text.starts_with("foul-")) {
            match read_point(&part.text["foul-".len()..], size) {
                Ok(point) => suffix.foul = Some(part.locate(point)),
                Err(reason) => faults.push(fault(part.offset, format!("foul: {reason}"))),
            }
        }
        if let Some(extra) = parts.next() {
            faults.push(fault(extra.offset, unknown(extra.text, suffix.has_no_words())));
        }
        suffix
    }

    fn read_offers(&mut self, list: TextPart<'_>, size: u8, faults: &mut Vec<PositionFault>) {
        for part in list.split(|c| c == ',') {
            match read_point(part.text, size) {
                Ok(point) => self.offers.push(part.locate(point)),
                Err(reason) => faults.push(fault(part.offset, format!("offered point: {reason}"))),
            }
        }
    }

    fn has_no_words(&self) -> bool {
        self.swapped.is_none() && self.fifths.is_none() && self.allows_finished_game()
    }

    /// Whether a row on the board can have ended the game with these words.
    fn allows_finished_game(&self) -> bool {
        self.phase.is_none() && self.passes.is_none() && self.foul.is_none()
    }

    /// The stage that the words describe, if it is possible on this board. `over`: a row of stones
    /// or a full board has ended the game.
    pub(super) fn stage(
        &self,
        rule_set: RuleSet,
        board: &Board,
        to_move: Color,
        over: bool,
    ) -> Result<Stage, PositionFault> {
        if over && !self.allows_finished_game() {
            return Err(fault(self.first, "the game has already ended on this board"));
        }
        let script = rule_set.procedure.script();
        if let Some(swapped) = self.swapped
            && script.step(0).is_none()
        {
            let reason = format!("colours cannot be exchanged in {}", rule_set.id());
            return Err(fault(swapped.offset, reason));
        }
        let swapped = self.swapped.is_some();
        match self.phase {
            Some(phase) => {
                ProcedureSuffix { suffix: self, rule_set, board, to_move, phase }.stage()
            }
            None => self.play(rule_set, board, to_move).map(|stage| Stage { swapped, ..stage }),
        }
    }

    /// The stage of a position in ordinary play.
    fn play(
        &self,
        rule_set: RuleSet,
        board: &Board,
        to_move: Color,
    ) -> Result<Stage, PositionFault> {
        if let Some(fifths) = self.fifths {
            return Err(fault(fifths.offset, "no number is announced in ordinary play"));
        }
        if let Some(passes) = self.passes
            && !rule_set.rule.allows_pass()
        {
            return Err(fault(
                passes.offset,
                format!("passing is not allowed in {}", rule_set.id()),
            ));
        }
        if let Some(foul) = self.foul {
            let is_last = to_move == Color::White && self.passes.is_none();
            if !is_last
                || !rule_set.rule.forbids(Color::Black)
                || foul_at(board, foul.value).is_none()
            {
                return Err(fault(foul.offset, format!("{} is not a foul just made", foul.value)));
            }
        }
        let passes = self.passes.map_or(0, |passes| passes.value);
        Ok(Stage { passes, foul: self.foul.map(|foul| foul.value), ..Stage::PLAY })
    }
}

/// The foul that a stone on the board was, if it was placed last.
pub(super) fn foul_at(board: &Board, point: Point) -> Option<Foul> {
    if board.stone_at(point) != Some(Color::Black) {
        return None;
    }
    let mut before = board.clone();
    before.toggle(Color::Black, point);
    forbidden::foul(&before, point)
}

/// Compares the words of a position inside a procedure with its board.
struct ProcedureSuffix<'a> {
    suffix: &'a Suffix,
    rule_set: RuleSet,
    board: &'a Board,
    to_move: Color,
    phase: Located<Phase>,
}

impl ProcedureSuffix<'_> {
    fn stage(&self) -> Result<Stage, PositionFault> {
        let script = self.rule_set.procedure.script();
        let step = self.step()?;
        let Some((_, kind)) = script.step(step) else { return Ok(Stage::PLAY) };
        self.check_stones(step)?;
        self.check_colours(step)?;
        let fifths = self.fifths(step)?;
        let swapped = self.suffix.swapped.is_some();
        let mut stage = Stage { step, fifths, swapped, ..Stage::PLAY };
        let most = match kind {
            StepKind::Offer(_) => stage.fifths.saturating_sub(1),
            _ => stage.fifths,
        };
        for offer in &self.suffix.offers {
            if stage.offers.len() == most {
                return Err(fault(offer.offset, format!("more than {most} points are offered")));
            }
            self.check_offer(*offer, &stage)?;
            stage.offers.insert(offer.value);
        }
        if kind == StepKind::Pick && stage.offers.len() < stage.fifths {
            let reason = format!("pick needs {} offered points", stage.fifths);
            return Err(fault(self.phase.offset, reason));
        }
        Ok(stage)
    }

    fn count(&self, color: Color) -> usize {
        self.board.stones(color).count()
    }

    fn step(&self) -> Result<u8, PositionFault> {
        let Located { offset, value: phase } = self.phase;
        if let Some(after) =
            self.suffix.passes.map(|word| word.offset).or(self.suffix.foul.map(|w| w.offset))
        {
            return Err(fault(after, "passes and fouls are only possible after the procedure"));
        }
        let [black, white] = Color::ALL.map(|color| self.count(color));
        let stones = u8::try_from(black + white).unwrap_or(u8::MAX);
        let step = self.rule_set.procedure.script().find(phase, stones);
        let none = || {
            let (id, name) = (self.rule_set.id(), phase.name());
            fault(offset, format!("{id} has no phase {name} with {stones} stones on the board"))
        };
        let step = step.ok_or_else(none)?;
        let next = if stones % 2 == 0 { Color::Black } else { Color::White };
        if black != white + usize::from(next == Color::White) || self.to_move != next {
            return Err(fault(
                offset,
                "the stones and the side to move do not alternate from black",
            ));
        }
        Ok(step)
    }

    /// Checks the distances from the centre: sorted, each is at most the procedure's limit.
    fn check_stones(&self, step: u8) -> Result<(), PositionFault> {
        let limits = self.rule_set.procedure.script().distances(step);
        let limits: Vec<u8> = limits.collect();
        for color in Color::ALL {
            let distance = |point| distance_from_centre(self.board, point);
            let mut distances: Vec<u8> = self.board.stones(color).map(distance).collect();
            distances.sort_unstable();
            let own = limits.iter().skip(color.index()).step_by(2);
            if distances.iter().zip(own).any(|(distance, limit)| distance > limit) {
                let reason = "a stone is farther from the centre than the procedure allows";
                return Err(fault(self.phase.offset, reason));
            }
        }
        Ok(())
    }

    fn check_colours(&self, step: u8) -> Result<(), PositionFault> {
        let may_be = self.rule_set.procedure.script().may_be_swapped(step);
        match self.suffix.swapped {
            Some(swapped) if !may_be => {
                Err(fault(swapped.offset, "colours cannot be exchanged before this phase"))
            }
            _ => Ok(()),
        }
    }

    /// The number of offers to make, if known; else 0.
    fn fifths(&self, step: u8) -> Result<u8, PositionFault> {
        let (most, script) = (self.rule_set.max_fifths, self.rule_set.procedure.script());
        match (script.is_announced(step), self.suffix.fifths) {
            (false, None) => Ok(script.fixed_fifths(step).unwrap_or(0)),
            (false, Some(fifths)) => {
                Err(fault(fifths.offset, "no number is announced in this phase"))
            }
            (true, None) => Err(fault(self.phase.offset, "fifths-N is missing before the phase")),
            (true, Some(Located { offset, value })) if value > most => {
                Err(fault(offset, format!("at most {most} may be announced")))
            }
            (true, Some(fifths)) => Ok(fifths.value),
        }
    }

    fn check_offer(&self, offer: Located<Point>, stage: &Stage) -> Result<(), PositionFault> {
        let Located { offset, value: point } = offer;
        let kind = self.rule_set.procedure.offer_symmetry();
        let same = |other| same_points(self.board, kind, other).contains(&point);
        if self.board.stone_at(point).is_some() {
            Err(fault(offset, format!("{point} is offered but occupied")))
        } else if stage.offers.iter().any(same) {
            Err(fault(offset, format!("{point} is equivalent to another offer")))
        } else {
            Ok(())
        }
    }
}

impl TextPart<'_> {
    fn locate<T>(&self, value: T) -> Located<T> {
        Located { offset: self.offset, value }
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
        "moves" => "move lists are not supported: the rules of gomoku need no history",
        _ if is_first => "unexpected text after the side to move",
        _ => "unexpected text",
    }
}

/// Appends the words of a stage, each after a space.
pub(super) fn write(stage: &Stage, rule_set: RuleSet, out: &mut String) {
    let script = rule_set.procedure.script();
    let mut word = |text: &str| {
        out.push(' ');
        out.push_str(text);
    };
    if stage.swapped {
        word("swapped");
    }
    if let Some((_, kind)) = script.step(stage.step) {
        if script.is_announced(stage.step) {
            word(&format!("fifths-{}", stage.fifths));
        }
        word(kind.phase().name());
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
