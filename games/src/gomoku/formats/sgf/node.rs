//! A node of SGF: the properties that mean something to us, and their values read.
//! Of all others only the form is looked at.

use crate::formats::scan::{Scanner, text};
use crate::formats::{By, FormatError, Told, one_line, shown};
use crate::gomoku::formats::{size_from, text_of};
use crate::gomoku::point::Color;
use crate::rules::Side;

/// More values than a node of a sound file can have: all points, three times.
const VALUES_MAX: usize = 3 * 22 * 22;

/// Properties that may have one value only.
const SINGLE: [&str; 10] = ["B", "W", "C", "PL", "SZ", "GM", "RU", "PB", "PW", "RE"];
/// Properties with a list of values.
const LISTS: [&str; 4] = ["AB", "AW", "AE", "LB"];

/// The known properties of a node, in the order of the file.
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
    /// Reads the properties of the node whose `;` has just been taken.
    pub fn read(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
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
                return Err(scanner.error(format!("the property {name} has no value: no `[`")));
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

    /// The property with this name, if it is there.
    pub fn get(&self, name: &str) -> Option<Property<'a>> {
        self.all(name).next()
    }

    /// Every value of a property.
    pub fn all(&self, name: &str) -> impl Iterator<Item = Property<'a>> {
        self.all.iter().copied().filter(move |property| property.name == name)
    }
}

impl Property<'_> {
    pub fn wrong(&self, reason: impl Into<String>) -> FormatError {
        FormatError::line(self.line, reason)
    }

    fn shown(&self) -> String {
        format!("{} of {}", shown(self.value), self.name)
    }

    /// The text, on one line.
    pub fn one_line(&self) -> Option<String> {
        one_line(&text(self.value))
    }

    /// The kind of game: gomoku is 4.
    pub fn check_game(&self) -> Result<(), FormatError> {
        match self.value.trim_ascii() {
            b"4" => Ok(()),
            _ => Err(self.wrong(format!("it is GM[4] that is gomoku, not {}", shown(self.value)))),
        }
    }

    /// The size of a board, `15` or `15:15`.
    pub fn size(&self) -> Result<u8, FormatError> {
        let value = text(self.value);
        let (width, height) = value.split_once(':').unwrap_or((&value, &value));
        let number = |text: &str| text.trim().parse().ok().and_then(size_from);
        let size = number(width).filter(|size| number(height) == Some(*size));
        size.ok_or_else(|| {
            self.wrong(format!("{} is no board: they are square, of 5 to 22", self.shown()))
        })
    }

    /// A colour, `B` or `W`.
    pub fn color(&self) -> Result<Color, FormatError> {
        match self.value.trim_ascii().first().map(u8::to_ascii_uppercase) {
            Some(b'B') => Ok(Color::Black),
            Some(b'W') => Ok(Color::White),
            _ => Err(self.wrong(format!("{} is neither B nor W", self.shown()))),
        }
    }

    /// The text of a move; an empty one is a pass, and so is `tt` on boards that
    /// have no such point.
    pub fn mv(&self, size: u8) -> Result<String, FormatError> {
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
        self.wrong(format!("{} is no point: two letters a to {last}", self.shown()))
    }

    /// The points of a value: one, or a rectangle by two corners. Column and row,
    /// from 0 and from the top.
    pub fn points(&self, size: u8) -> Result<Vec<(u64, u64)>, FormatError> {
        let value = self.value.trim_ascii();
        let corners = match value.split(|&byte| byte == b':').collect::<Vec<_>>()[..] {
            [one] => point(one, size).map(|it| (it, it)),
            [from, to] => point(from, size).zip(point(to, size)),
            _ => None,
        };
        let ((left, top), (right, bottom)) = corners.ok_or_else(|| self.no_point(size))?;
        Ok((top..=bottom).flat_map(|row| (left..=right).map(move |column| (column, row))).collect())
    }

    /// A text on a point: the point's letters, and the text.
    pub fn label(&self) -> Option<(&[u8], String)> {
        let colon = self.value.iter().position(|&byte| byte == b':')?;
        Some((self.value[..colon].trim_ascii(), text(&self.value[colon + 1..])))
    }

    /// A result: `B+Resign`, `W+`, `Draw`; none: it is not known.
    pub fn result(&self) -> Option<Told> {
        let value = text(self.value).trim().to_ascii_lowercase();
        let by = match value.get(2..).unwrap_or_default() {
            "r" | "resign" => By::Resignation,
            "t" | "time" => By::Time,
            "f" | "forfeit" => By::Forfeit,
            // As Chinese servers write it.
            "draw" => return Some(Told { winner: None, by: By::Unsaid }),
            _ => By::Unsaid,
        };
        match value.as_str() {
            "0" | "draw" => Some(Told { winner: None, by: By::Unsaid }),
            won if won.starts_with("b+") => Some(Told { winner: Some(Side(0)), by }),
            won if won.starts_with("w+") => Some(Told { winner: Some(Side(1)), by }),
            _ => None,
        }
    }
}

/// Column and row of two letters, from 0 and from the top.
fn point(letters: &[u8], size: u8) -> Option<(u64, u64)> {
    let &[column, row] = letters else { return None };
    let number = |letter: u8| {
        let number = letter.checked_sub(b'a').filter(|number| *number < size)?;
        Some(u64::from(number))
    };
    number(column).zip(number(row))
}
