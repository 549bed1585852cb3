//! The rules by which bouts between engines end early, as values and as text, and the verdict that
//! they draw from the engines' scores. Off by default. Knows no game and no clock.
//!
//! The text is `none`, or parts joined by commas, each at most once: `win=600/8`, `resign=900/4`,
//! `draw=10/8@40`, `solver=12`.

use std::fmt;
use std::str::FromStr;

use sandboard_abi::{Bound, Score};
use sandboard_games::Side;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::sanitize;

/// The accepted forms, for error messages and help texts.
pub(super) const ADJUDICATION_FORMS: &str = "none, win=SCORE/PLIES, resign=SCORE/MOVES, \
     draw=SCORE/PLIES or draw=SCORE/PLIES@AFTER, solver=LEFT, or several joined by commas \
     (win=600/8,draw=10/8@40,solver=12)";

/// When a bout between engines ends early. A bout with a person never does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// One side wins if the scores of both sides agree that it is ahead.
    pub win: Option<WinRule>,
    /// One side loses if its own scores show it behind, whatever the other side's scores are.
    pub resign: Option<ResignRule>,
    /// The bout is a draw if the scores of both sides agree that neither side is ahead.
    pub draw: Option<DrawRule>,
    /// The bout ends with the result of perfect play when at most this much is left of the game,
    /// in the unit of its endgame solver; 1 or more.
    pub solver: Option<u32>,
}

/// When the scores of the engines agree on a winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRule {
    /// The smallest lead, in the game's unit; 1 or more.
    pub score: i32,
    /// The number of consecutive plies, including plies of both sides; 2 or more.
    pub plies: u32,
}

/// When the scores of one engine show that it has lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// The smallest lead of the other side, in the game's unit; 1 or more.
    pub score: i32,
    /// The number of consecutive moves of the side that is behind; 1 or more.
    pub moves: u32,
}

/// When the scores of the engines agree on a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The largest lead, in the game's unit; 0 or more.
    pub score: i32,
    /// The number of consecutive plies, including plies of both sides; 2 or more.
    pub plies: u32,
    /// The number of plies at the beginning of the bout that do not count.
    pub after: u32,
}

/// Why rules for an early end are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdjudicationError {
    /// A part of the text is invalid.
    #[error("`{part}`: {reason}; write {ADJUDICATION_FORMS}")]
    Part { part: String, reason: &'static str },
    /// The same score would be a win and a draw.
    #[error("a lead of {win} cannot win while a lead of {draw} is a draw")]
    Overlap {
        /// The score of the `win` or the `resign` rule.
        win: i32,
        /// The score of the `draw` rule.
        draw: i32,
    },
    /// The game has more or fewer than two sides.
    #[error("a bout can end early between two sides only, and the game has {0}")]
    ManySides(usize),
    /// No solver solves the last part of this game or variant.
    #[error(
        "`solver={left}`: no solver solves the last part of {game} {variant}; it can be solved \
         in {solved}"
    )]
    NotSolved {
        left: u32,
        /// The game's id.
        game: &'static str,
        variant: String,
        /// The games that can be solved, in words.
        solved: String,
    },
    /// The solver of the game cannot solve so much of it.
    #[error("`solver={left}`: at most {max_left} {unit}s of {game} can be solved")]
    TooMuchLeft {
        left: u32,
        max_left: u32,
        /// The unit of `left`, in the singular.
        unit: &'static str,
        /// The game's id.
        game: &'static str,
    },
}

impl Adjudication {
    /// No early end.
    pub const NONE: Self = Self { win: None, resign: None, draw: None, solver: None };

    /// Whether there is no early end.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Whether the end can depend on the scores that engines report with their moves.
    pub(crate) fn counts_scores(&self) -> bool {
        self.win.is_some() || self.resign.is_some() || self.draw.is_some()
    }

    /// Err: a value is out of range.
    pub(super) fn check(&self) -> Result<(), AdjudicationError> {
        let invalid = |part: &dyn fmt::Display, reason| {
            Err(AdjudicationError::Part { part: part.to_string(), reason })
        };
        if let Some(win) = &self.win {
            match win {
                WinRule { score: ..=0, .. } => return invalid(win, "a lead is 1 or more"),
                WinRule { plies: ..=1, .. } => return invalid(win, TOO_FEW_PLIES),
                _ => (),
            }
        }
        if let Some(resign) = &self.resign {
            match resign {
                ResignRule { score: ..=0, .. } => return invalid(resign, "a lead is 1 or more"),
                ResignRule { moves: 0, .. } => {
                    return invalid(resign, "the number of moves is 1 or more");
                }
                _ => (),
            }
        }
        if let Some(draw) = &self.draw {
            match draw {
                DrawRule { score: ..=-1, .. } => {
                    return invalid(draw, "the score of a draw is 0 or more");
                }
                DrawRule { plies: ..=1, .. } => return invalid(draw, TOO_FEW_PLIES),
                _ => (),
            }
        }
        if self.solver == Some(0) {
            return invalid(&"solver=0", "a game with nothing left is over");
        }
        let leads = [self.win.map(|win| win.score), self.resign.map(|resign| resign.score)];
        let smallest = leads.into_iter().flatten().min();
        match (smallest, &self.draw) {
            (Some(win), Some(draw)) if win <= draw.score => {
                Err(AdjudicationError::Overlap { win, draw: draw.score })
            }
            _ => Ok(()),
        }
    }
}

const TOO_FEW_PLIES: &str = "the number of plies is 2 or more, so that both sides are included";

/// The score that an engine gave to its own move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SideScore {
    /// The side that moved.
    pub side: Side,
    /// The score from that side's view; none: the move has no score.
    pub score: Option<Score>,
}

impl SideScore {
    /// Whether the score means that `side` is ahead by `lead` or more.
    fn shows_lead(&self, side: Side, lead: i32) -> bool {
        let Some(score) = self.score else { return false };
        let value = i64::from(score.value);
        // A bound on the wrong side proves nothing.
        let (found, wrong_bound) = match self.side == side {
            true => (value, Bound::AtMost),
            false => (-value, Bound::AtLeast),
        };
        found >= i64::from(lead) && score.bound != wrong_bound
    }

    /// Whether the score means that neither side is ahead by more than `lead`.
    fn shows_draw(&self, lead: i32) -> bool {
        let Some(score) = self.score else { return false };
        let is_value = matches!(score.bound, Bound::Estimate | Bound::Exact);
        is_value && score.value.unsigned_abs() <= lead.unsigned_abs()
    }
}

/// The outcome that the scores show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScoreVerdict {
    /// This side wins: both sides agree.
    Win(Side, WinRule),
    /// This side loses: its own scores show it.
    Resign(Side, ResignRule),
    /// The bout is a draw: both sides agree.
    Draw(DrawRule),
}

/// Applies `rules` to the scores of all moves of a bout, oldest first. Looks at the newest scores
/// only.
pub(super) fn verdict<I>(rules: &Adjudication, scores: I) -> Option<ScoreVerdict>
where
    I: DoubleEndedIterator<Item = SideScore> + ExactSizeIterator + Clone,
{
    let sides = [Side(0), Side(1)];
    if let Some(win) = rules.win {
        let leads = |side: &Side| {
            let newest_first = scores.clone().rev();
            ends_in_run(win.plies, newest_first, |score| score.shows_lead(*side, win.score))
        };
        if let Some(side) = sides.into_iter().find(leads) {
            return Some(ScoreVerdict::Win(side, win));
        }
    }
    if let Some(resign) = rules.resign {
        let is_behind = |side: &Side| {
            let own = scores.clone().rev().filter(|score| score.side == *side);
            let own = own.take(resign.moves as usize);
            let run = own.take_while(|score| score.shows_lead(side.other(), resign.score));
            run.count() == resign.moves as usize
        };
        if let Some(side) = sides.into_iter().find(is_behind) {
            return Some(ScoreVerdict::Resign(side, resign));
        }
    }
    let draw = rules.draw?;
    let newest_first = scores.skip(draw.after as usize).rev();
    let is_draw = ends_in_run(draw.plies, newest_first, |score| score.shows_draw(draw.score));
    is_draw.then_some(ScoreVerdict::Draw(draw))
}

/// Whether `condition` holds for the last `plies` scores, with scores of both sides among them.
fn ends_in_run(
    plies: u32,
    newest_first: impl Iterator<Item = SideScore>,
    condition: impl Fn(&SideScore) -> bool,
) -> bool {
    let (mut run, mut sides) = (0_u32, [false; 2]);
    for score in newest_first {
        if !condition(&score) {
            return false;
        }
        run = run.saturating_add(1);
        sides[usize::from(score.side.0 & 1)] = true;
        if run >= plies && sides == [true; 2] {
            return true;
        }
    }
    false
}

impl fmt::Display for WinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "win={}/{}", self.score, self.plies)
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resign={}/{}", self.score, self.moves)
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "draw={}/{}", self.score, self.plies)?;
        if self.after > 0 { write!(f, "@{}", self.after) } else { Ok(()) }
    }
}

impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        let parts = [
            self.win.map(|win| win.to_string()),
            self.resign.map(|resign| resign.to_string()),
            self.draw.map(|draw| draw.to_string()),
            self.solver.map(|left| format!("solver={left}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Adjudication {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<Self, AdjudicationError> {
        let mut rules = Self::NONE;
        if text == "none" {
            return Ok(rules);
        }
        for part in text.split(',').map(str::trim) {
            rules.add(part).map_err(|reason| AdjudicationError::Part {
                part: sanitize(part, QUOTED_PART_BYTES),
                reason,
            })?;
        }
        rules.check()?;
        Ok(rules)
    }
}

/// Longest part of a text that an error quotes, in bytes.
const QUOTED_PART_BYTES: usize = 64;

impl Adjudication {
    /// Parses one part of a text.
    fn add(&mut self, part: &str) -> Result<(), &'static str> {
        let (name, value) = part.split_once('=').ok_or(match part {
            "" => "the part is empty",
            "none" => "`none` cannot be combined with other rules",
            _ => "the value is missing",
        })?;
        let duplicate = || Err("the rule is given twice");
        match name {
            "win" => {
                let (score, plies) = score_and_count(value, NO_PLIES)?;
                self.win.replace(WinRule { score, plies }).map_or(Ok(()), |_| duplicate())
            }
            "resign" => {
                let (score, moves) = score_and_count(value, "the number of moves is missing")?;
                self.resign.replace(ResignRule { score, moves }).map_or(Ok(()), |_| duplicate())
            }
            "draw" => {
                let (value, after) = value.split_once('@').unwrap_or((value, "0"));
                let (score, plies) = score_and_count(value, NO_PLIES)?;
                let after = number(after).ok_or("`@` is not followed by a number of plies")?;
                self.draw.replace(DrawRule { score, plies, after }).map_or(Ok(()), |_| duplicate())
            }
            "solver" => {
                let left = number(value).ok_or("`=` is not followed by a number")?;
                self.solver.replace(left).map_or(Ok(()), |_| duplicate())
            }
            _ => Err("the rule is unknown"),
        }
    }
}

const NO_PLIES: &str = "the number of plies is missing";

/// Parses `SCORE/COUNT`. Err: what is wrong; `missing`, if there is no count.
fn score_and_count(value: &str, missing: &'static str) -> Result<(i32, u32), &'static str> {
    let (score, count) = value.split_once('/').ok_or(missing)?;
    let score = number(score).and_then(|score| i32::try_from(score).ok());
    let score = score.ok_or("the score is not a whole number of 0 or more")?;
    let count = number(count).ok_or("`/` is not followed by a whole number")?;
    Ok((score, count))
}

/// Parses a number of 32 bits that consists of digits only, without sign or space.
fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

impl Serialize for Adjudication {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Adjudication {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
