//! The rules by which an organiser has bouts of engines end early, as values and as text, and
//! what they say of what the engines said. Knows no game and no clock; off unless it is set.
//!
//! A text is `none`, or parts joined by commas, each once: `win=600/8`, `draw=10/8@40`,
//! `exact=12`.

use std::fmt;
use std::str::FromStr;

use sandboard_abi::{Bound, Score};
use sandboard_games::Side;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The accepted forms, for error messages and help texts.
pub const ADJUDICATION_FORMS: &str = "none, win=SCORE/PLIES, draw=SCORE/PLIES or draw=SCORE/PLIES@AFTER, exact=LEFT, or several \
     joined by a comma (win=600/8,draw=10/8@40,exact=12)";

/// When a bout of engines is ended early. Bouts in which a person plays never are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// Both sides say that one of them is ahead: it wins.
    pub win: Option<WinRule>,
    /// Both sides say that nobody is ahead: a draw.
    pub draw: Option<DrawRule>,
    /// So much is left as the game's row in [`exact`](crate::exact::Ending) counts, or less: what
    /// perfect play makes of it is the result.
    pub exact: Option<u32>,
}

/// When the engines agree on a winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRule {
    /// By so much it is ahead at least, in the game's own unit; 1 or more.
    pub score: i32,
    /// For so many plies, one after another, of both sides; 2 or more.
    pub plies: u32,
}

/// When the engines agree on a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// By so much anybody is ahead at most, in the game's own unit; 0 or more.
    pub score: i32,
    /// For so many plies, one after another, of both sides; 2 or more.
    pub plies: u32,
    /// The first so many plies of the bout do not count.
    pub after: u32,
}

/// Why rules for an early end are none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdjudicationError {
    /// A part of the text that is none of the forms.
    #[error("`{part}`: {reason}; write {ADJUDICATION_FORMS}")]
    Part {
        /// The part.
        part: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A level score would be a lead.
    #[error("a lead of {win} cannot win when {draw} still is a draw")]
    Overlap {
        /// The score of `win`.
        win: i32,
        /// The score of `draw`.
        draw: i32,
    },
    /// The last part of this game, or of this variant, is solved by nobody.
    #[error("`exact={left}`: no ending of {game} {variant} is solved here, but of {solved}")]
    NoEnding {
        /// What was asked for.
        left: u32,
        /// The game's id.
        game: &'static str,
        /// Its variant.
        variant: String,
        /// What can be solved, in words.
        solved: String,
    },
    /// More is left than can be solved.
    #[error("`exact={left}`: at most {most} {unit}s of {game} can be solved")]
    TooMuchLeft {
        /// What was asked for.
        left: u32,
        /// The most there may be.
        most: u32,
        /// Of what.
        unit: &'static str,
        /// The game's id.
        game: &'static str,
    },
}

impl Adjudication {
    /// No early end.
    pub const NONE: Self = Self { win: None, draw: None, exact: None };

    /// Whether there is no early end.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Whether the end may depend on what engines say of their moves.
    pub fn counts_scores(&self) -> bool {
        self.win.is_some() || self.draw.is_some()
    }

    /// Err: values that cannot be, in whatever way they were set.
    pub fn check(&self) -> Result<(), AdjudicationError> {
        let wrong = |part: &dyn fmt::Display, reason| {
            Err(AdjudicationError::Part { part: part.to_string(), reason })
        };
        if let Some(win) = &self.win {
            match win {
                WinRule { score: ..=0, .. } => return wrong(win, "a lead is 1 or more"),
                WinRule { plies: ..=1, .. } => return wrong(win, FEW_PLIES),
                _ => (),
            }
        }
        if let Some(draw) = &self.draw {
            match draw {
                DrawRule { score: ..=-1, .. } => return wrong(draw, "a draw's score is 0 or more"),
                DrawRule { plies: ..=1, .. } => return wrong(draw, FEW_PLIES),
                _ => (),
            }
        }
        if self.exact == Some(0) {
            return wrong(&"exact=0", "with nothing left it is over anyway");
        }
        match (&self.win, &self.draw) {
            (Some(win), Some(draw)) if win.score <= draw.score => {
                Err(AdjudicationError::Overlap { win: win.score, draw: draw.score })
            }
            _ => Ok(()),
        }
    }
}

const FEW_PLIES: &str = "2 plies or more are needed for both sides to say so";

/// What an engine said of a move of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Whose move it was.
    pub side: Side,
    /// What it said, as the mover sees it.
    pub score: Score,
}

impl Said {
    /// Whether it says that `side` is ahead by so much at least.
    fn ahead(&self, side: Side, by: i32) -> bool {
        let value = i64::from(self.score.value);
        // A bound says something on one side only.
        let (lead, against) = match self.side == side {
            true => (value, Bound::AtMost),
            false => (-value, Bound::AtLeast),
        };
        lead >= i64::from(by) && self.score.bound != against
    }

    /// Whether it says that nobody is ahead by more than that.
    fn level(&self, by: i32) -> bool {
        let told = matches!(self.score.bound, Bound::Estimate | Bound::Exact);
        told && self.score.value.unsigned_abs() <= by.unsigned_abs()
    }
}

/// What the engines agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// This side wins.
    Win(Side, WinRule),
    /// Nobody does.
    Draw(DrawRule),
}

/// What `rules` make of what was said of the moves of a bout, from the first to the last; of a
/// move of which nothing was said nobody agrees on anything. Looks at no more of them than agree.
pub(super) fn verdict<I>(rules: &Adjudication, said: I) -> Option<Verdict>
where
    I: DoubleEndedIterator<Item = Option<Said>> + ExactSizeIterator + Clone,
{
    if let Some(win) = rules.win {
        let leads =
            |side: &Side| agree(win.plies, said.clone().rev(), |said| said.ahead(*side, win.score));
        if let Some(side) = [Side(0), Side(1)].into_iter().find(leads) {
            return Some(Verdict::Win(side, win));
        }
    }
    let draw = rules.draw?;
    let late = said.skip(draw.after as usize).rev();
    agree(draw.plies, late, |said| said.level(draw.score)).then_some(Verdict::Draw(draw))
}

/// Whether `holds` of so many in a row from the last one on, among them moves of both sides.
fn agree(
    plies: u32,
    newest_first: impl Iterator<Item = Option<Said>>,
    holds: impl Fn(&Said) -> bool,
) -> bool {
    let (mut run, mut sides) = (0_u32, [false; 2]);
    for said in newest_first {
        let Some(said) = said.filter(&holds) else { return false };
        run = run.saturating_add(1);
        sides[usize::from(said.side.0 & 1)] = true;
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
            self.draw.map(|draw| draw.to_string()),
            self.exact.map(|left| format!("exact={left}")),
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
            rules.take(part).map_err(|reason| AdjudicationError::Part {
                part: crate::referee::tidy(part, PART_TOLD_BYTES),
                reason,
            })?;
        }
        rules.check()?;
        Ok(rules)
    }
}

/// What of a part is quoted in an error, in bytes.
const PART_TOLD_BYTES: usize = 64;

impl Adjudication {
    /// Takes one part of a text.
    fn take(&mut self, part: &str) -> Result<(), &'static str> {
        let (name, value) = part.split_once('=').ok_or(match part {
            "" => "it is empty",
            "none" => "it stands alone",
            _ => "it has no value",
        })?;
        let twice = || Err("it is there twice");
        match name {
            "win" => {
                let (score, plies) = score_and_plies(value)?;
                self.win.replace(WinRule { score, plies }).map_or(Ok(()), |_| twice())
            }
            "draw" => {
                let (value, after) = value.split_once('@').unwrap_or((value, "0"));
                let (score, plies) = score_and_plies(value)?;
                let after = number(after).ok_or("what follows `@` is no number of plies")?;
                self.draw.replace(DrawRule { score, plies, after }).map_or(Ok(()), |_| twice())
            }
            "exact" => {
                let left = number(value).ok_or("what follows `=` is no number")?;
                self.exact.replace(left).map_or(Ok(()), |_| twice())
            }
            _ => Err("there is no such rule"),
        }
    }
}

/// `600/8`.
fn score_and_plies(value: &str) -> Result<(i32, u32), &'static str> {
    let (score, plies) = value.split_once('/').ok_or("it does not say for how many plies")?;
    let score = number(score).and_then(|score| i32::try_from(score).ok());
    let score = score.ok_or("its score is no whole number from 0 on")?;
    let plies = number(plies).ok_or("what follows `/` is no number of plies")?;
    Ok((score, plies))
}

/// Digits alone, within 32 bits: no sign, no blank.
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
