//! The properties of an SGF node: reads the values of the known ones. Checks only the syntax of
//! others.

use crate::formats::scan::{Scanner, text};
use crate::formats::{FormatError, Mark, RecordedResult, ResultCause, excerpt, one_line};
use crate::gomoku::formats::{size_from, text_of};
use crate::gomoku::point::Color;
use crate::rules::Side;

/// More values than a node of a valid file can have: all points, three times.
const VALUES_MAX: usize = 3 * 22 * 22;

/// Properties with exactly one value.
const SINGLE: [&str; 10] = ["B", "W", "C", "PL", "SZ", "GM", "RU", "PB", "PW", "RE"];
/// Properties with a list of values.
const LISTS: [&str; 8] = ["AB", "AW", "AE", "LB", "TE", "BM", "IT", "DO"];

/// The known properties of a node, in file order.
#[derive(Default)]
pub(super) struct Properties<'a> {
    all: Vec<Property<'a>>,
}

/// A property with one of its values.
#[derive(Clone, Copy)]
pub(super) struct Property<'a> {
    pub name: &'static str,
    pub value: &'a [u8],
    pub line: usize,
}

impl<'a> Properties<'a> {
    /// Reads the properties of a node whose `;` was just consumed.
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        self.all.clear();
        while let Some(name) = scanner.name() {
            let known = SINGLE.iter().chain(&LISTS).copied().find(|known| *known == name);
            let mut values = 0;
            loop {
                let line = scanner.line();
                let Some(value) = scanner.value()? else { break };
                values += 1;
                if let Some(name) = known {
                    self.add(Property { name, value, line })?;
                }
            }
            if values == 0 {
                return Err(
                    scanner.error(format!("the property {name} has no value: `[` is missing"))
                );
            }
        }
        Ok(())
    }

    fn add(&mut self, property: Property<'a>) -> Result<(), FormatError> {
        let Property { name, line, .. } = property;
        if SINGLE.contains(&name) && self.get(name).is_some() {
            return Err(FormatError::line(line, format!("a second {name} in one node")));
        }
        if self.all.len() == VALUES_MAX {
            return Err(FormatError::line(line, "more values in one node than a board has points"));
        }
        self.all.push(property);
        Ok(())
    }

    /// The first property with this name.
    pub(crate) fn get(&self, name: &str) -> Option<Property<'a>> {
        self.all(name).next()
    }

    /// The judgement of the node's move.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.all.iter().find_map(Property::mark)
    }

    /// All values of a property.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = Property<'a>> {
        self.all.iter().copied().filter(move |property| property.name == name)
    }
}

impl Property<'_> {
    pub(crate) fn wrong(&self, reason: impl Into<String>) -> FormatError {
        FormatError::line(self.line, reason)
    }

    fn quote(&self) -> String {
        format!("{} of {}", excerpt(self.value), self.name)
    }

    /// The text on one line.
    pub(crate) fn one_line(&self) -> Option<String> {
        one_line(&text(self.value))
    }

    /// Checks the game number: gomoku is 4.
    pub(crate) fn check_game(&self) -> Result<(), FormatError> {
        match self.value.trim_ascii() {
            b"4" => Ok(()),
            _ => {
                Err(self
                    .wrong(format!("game {} is not gomoku, which is GM[4]", excerpt(self.value))))
            }
        }
    }

    /// A board size, `15` or `15:15`.
    pub(crate) fn size(&self) -> Result<u8, FormatError> {
        let value = text(self.value);
        let (width, height) = value.split_once(':').unwrap_or((&value, &value));
        let number = |text: &str| text.trim().parse().ok().and_then(size_from);
        let size = number(width).filter(|size| number(height) == Some(*size));
        size.ok_or_else(|| {
            self.wrong(format!(
                "{} is not a board size: boards are square, of size 5 to 22",
                self.quote()
            ))
        })
    }

    /// The judgement of a move by a property that means it, once or doubled (`TE[2]`).
    pub(crate) fn mark(&self) -> Option<Mark> {
        let is_doubled = self.value.trim_ascii() == b"2";
        match (self.name, is_doubled) {
            ("TE", false) => Some(Mark::Good),
            ("TE", true) => Some(Mark::Brilliant),
            ("BM", false) => Some(Mark::Mistake),
            ("BM", true) => Some(Mark::Blunder),
            ("IT", _) => Some(Mark::Interesting),
            ("DO", _) => Some(Mark::Dubious),
            _ => None,
        }
    }

    /// A colour, `B` or `W`.
    pub(crate) fn color(&self) -> Result<Color, FormatError> {
        match self.value.trim_ascii().first().map(u8::to_ascii_uppercase) {
            Some(b'B') => Ok(Color::Black),
            Some(b'W') => Ok(Color::White),
            _ => Err(self.wrong(format!("{} is neither B nor W", self.quote()))),
        }
    }

    /// The text of a move. An empty value is a pass, and so is `tt` on boards without such a point.
    pub(crate) fn mv(&self, size: u8) -> Result<String, FormatError> {
        match self.value.trim_ascii() {
            b"" => Ok("pass".to_owned()),
            b"tt" if size <= 19 => Ok("pass".to_owned()),
            letters => point(letters, size)
                .and_then(|(column, row)| text_of(column, row, size))
                .ok_or_else(|| self.no_point(size)),
        }
    }

    fn no_point(&self, size: u8) -> FormatError {
        let last = char::from(b'a' + size - 1);
        self.wrong(format!("{} is not a point: expected two letters a to {last}", self.quote()))
    }

    /// The points of a value: one, or a rectangle given by two corners. Column from the left and
    /// row from the top, both from 0.
    pub(crate) fn points(&self, size: u8) -> Result<Vec<(u64, u64)>, FormatError> {
        let value = self.value.trim_ascii();
        let corners = match value.split(|&byte| byte == b':').collect::<Vec<_>>()[..] {
            [one] => point(one, size).map(|it| (it, it)),
            [from, to] => point(from, size).zip(point(to, size)),
            _ => None,
        };
        let ((left, top), (right, bottom)) = corners.ok_or_else(|| self.no_point(size))?;
        Ok((top..=bottom).flat_map(|row| (left..=right).map(move |column| (column, row))).collect())
    }

    /// A label: the letters of its point, and the text.
    pub(crate) fn label(&self) -> Option<(&[u8], String)> {
        let colon = self.value.iter().position(|&byte| byte == b':')?;
        Some((self.value[..colon].trim_ascii(), text(&self.value[colon + 1..])))
    }

    /// A result such as `B+Resign`, `W+` or `Draw`; `None` if unknown.
    pub(crate) fn result(&self) -> Option<RecordedResult> {
        let value = text(self.value).trim().to_ascii_lowercase();
        let cause = match value.get(2..).unwrap_or_default() {
            "r" | "resign" => ResultCause::Resignation,
            "t" | "time" => ResultCause::Time,
            "f" | "forfeit" => ResultCause::Forfeit,
            // Chinese servers write this.
            "draw" => {
                return Some(RecordedResult { winner: None, cause: ResultCause::Unspecified });
            }
            _ => ResultCause::Unspecified,
        };
        match value.as_str() {
            "0" | "draw" => Some(RecordedResult { winner: None, cause: ResultCause::Unspecified }),
            won if won.starts_with("b+") => Some(RecordedResult { winner: Some(Side(0)), cause }),
            won if won.starts_with("w+") => Some(RecordedResult { winner: Some(Side(1)), cause }),
            _ => None,
        }
    }
}

/// Column from the left and row from the top of two letters, both from 0.
fn point(letters: &[u8], size: u8) -> Option<(u64, u64)> {
    let &[column, row] = letters else { return None };
    let number = |letter: u8| {
        let number = letter.checked_sub(b'a').filter(|number| *number < size)?;
        Some(u64::from(number))
    };
    number(column).zip(number(row))
}
