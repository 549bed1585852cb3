//! Piskvork's `.psq`: a header line with the board size, a line `x,y,ms` per move (from 1, y from
//! the top), optionally the player names, and an end code. Follows `openPsq` and `savePsq` in
//! Piskvork's game.cpp (Petr Laštovička, github.com/plastovicka/Piskvork). Also contains the code
//! shared with `.rec`.

use super::{point_of, size_from, size_of, text_of, tree_full, unsupported_start};
use crate::formats::{
    FormatError, GameTree, Location, LocationUnit, decode, excerpt, lines, one_line,
};
use crate::info::Variant;

/// The names that Piskvork writes for human players.
const PERSONS: [&str; 2] = ["homo-1", "homo-2"];

/// Reads a file. The file determines the size.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut lines = lines(bytes);
    let (_, first) = lines.next().unwrap_or_default();
    let header = Header::read(first)?;
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.size = Some(header.size);
    let mut body = Body { size: header.size, first: 1, rest: Vec::new() };
    for (line, text) in lines {
        body.read_line(line, text, &mut tree)?;
    }
    let [first, second] = match body.rest.as_slice() {
        [] | [_] => [None, None],
        [first, second, ..] => [name(first), name(second)],
    };
    if let [code] | [_, _, code] = body.rest.as_slice() {
        check_code(*code)?;
    }
    // The names belong to Piskvork's first and second player, whichever of them started.
    tree.names = if header.second_began { vec![second, first] } else { vec![first, second] };
    Ok(vec![tree])
}

/// Writes a game, with the player names if at least one is known.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(unsupported_start("psq"));
    }
    let size = size_of(variant);
    let mut text = format!("Piskvorky {size}x{size}, 0:0, 0\n");
    write_moves(tree, size, 1, &mut text)?;
    if tree.names.iter().any(Option::is_some) {
        write_names(tree, &mut text);
    }
    write_code(tree, &mut text);
    Ok(text.into_bytes())
}

/// The first line: `Piskvorky 15x15, 0:0, 0`.
struct Header {
    size: u8,
    second_began: bool,
}

impl Header {
    fn read(line: &[u8]) -> Result<Header, FormatError> {
        let wrong = |reason: String| Err(FormatError::line(1, reason));
        let text = decode(line);
        let Some(rest) = text.strip_prefix("Piskvorky ") else {
            return wrong(format!("{} is not `Piskvorky 15x15, 0:0, 0`", excerpt(line)));
        };
        let fields: Vec<&str> = rest.split(',').map(str::trim).collect();
        let &[board, levels, began] = fields.as_slice() else {
            return wrong(
                "expected a board size, two levels and the first player after `Piskvorky`".into(),
            );
        };
        let sides = board.split_once('x').and_then(|(w, h)| Some((number(w)?, number(h)?)));
        let Some((width, height)) = sides else {
            return wrong(format!(
                "{} is not a board size such as 15x15",
                excerpt(board.as_bytes())
            ));
        };
        let Some(size) = size_from(width).filter(|_| width == height) else {
            let board = excerpt(board.as_bytes());
            return wrong(format!("a board of {board}; boards are square, of size 5 to 22"));
        };
        if !levels.split_once(':').is_some_and(|(a, b)| is_integer(a) && is_integer(b)) {
            return wrong(format!("{} is not two levels such as 0:0", excerpt(levels.as_bytes())));
        }
        match began {
            "0" => Ok(Header { size, second_began: false }),
            "1" => Ok(Header { size, second_began: true }),
            other => wrong(format!("{} is not a first player, 0 or 1", excerpt(other.as_bytes()))),
        }
    }
}

/// The lines after the header, in `.psq` and `.rec`.
pub(super) struct Body<'a> {
    pub size: u8,
    /// The number of the first column and row.
    pub first: u64,
    /// The lines after the moves.
    pub rest: Vec<(usize, &'a [u8])>,
}

impl<'a> Body<'a> {
    /// Reads a move, or one of the lines after the moves.
    pub(crate) fn read_line(
        &mut self,
        line: usize,
        text: &'a [u8],
        tree: &mut GameTree,
    ) -> Result<(), FormatError> {
        let text = text.trim_ascii();
        if text.is_empty() {
            return Ok(());
        }
        if !is_move(text) {
            if self.rest.len() == 3 {
                let reason = format!("unexpected line {} after the moves", excerpt(text));
                return Err(FormatError::line(line, reason));
            }
            self.rest.push((line, text));
            return Ok(());
        }
        if !self.rest.is_empty() {
            return Err(FormatError::line(line, "a move after the end of the moves"));
        }
        let (point, ms) = self.read_move(text).map_err(|why| FormatError::line(line, why))?;
        tree.add(tree.depth() + 1, &point, line).map_err(tree_full(Location::Line(line)))?;
        if ms > 0 {
            tree.set_used_ms(ms);
        }
        Ok(())
    }

    fn read_move(&self, text: &[u8]) -> Result<(String, u64), String> {
        let form =
            || format!("{} is not a move such as {},{},0", excerpt(text), self.first, self.first);
        let numbers: Option<Vec<u64>> =
            decode(text).split(',').map(|part| number(part.trim())).collect();
        let (x, y, ms) = match numbers.as_deref() {
            Some(&[x, y]) => (x, y, 0),
            Some(&[x, y, ms]) => (x, y, ms),
            _ => return Err(form()),
        };
        let (first, last) = (self.first, self.first + u64::from(self.size) - 1);
        let point = x.checked_sub(first).zip(y.checked_sub(first));
        let point = point.and_then(|(column, row)| text_of(column, row, self.size));
        let point = point.ok_or_else(|| {
            format!("{x},{y} is not on the board; columns and rows are {first} to {last}")
        })?;
        Ok((point, ms))
    }
}

/// Whether a line is meant as a move, valid or not.
fn is_move(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit) && text.contains(&b',')
}

/// The player name in a line; `None` for an unnamed person.
pub(super) fn name((_, line): &(usize, &[u8])) -> Option<String> {
    one_line(&decode(line)).filter(|name| !PERSONS.contains(&name.as_str()))
}

/// Checks the end code, a number: 0 if the game ended normally.
pub(super) fn check_code((line, text): (usize, &[u8])) -> Result<(), FormatError> {
    match is_integer(&decode(text)) {
        true => Ok(()),
        false => {
            let reason = format!("{} is neither a move nor an end code", excerpt(text));
            Err(FormatError::line(line, reason))
        }
    }
}

/// Appends a line for each move of the main line.
pub(super) fn write_moves(
    tree: &GameTree,
    size: u8,
    first: u8,
    out: &mut String,
) -> Result<(), FormatError> {
    for node in tree.main_line() {
        let (column, from_top) = point_of(node.depth, node.mv, size)?;
        let ms = node.used_ms.unwrap_or(0);
        out.push_str(&format!("{},{},{ms}\n", column + first, from_top + first));
    }
    Ok(())
}

/// Appends the names, first mover first.
pub(super) fn write_names(tree: &GameTree, out: &mut String) {
    for (seat, person) in PERSONS.iter().enumerate() {
        let name = tree.names.get(seat).and_then(Option::as_deref).and_then(one_line);
        // A name that looks like a move would be read as one.
        let like_move = |name: &str| is_move(name.as_bytes());
        let name = name.map(|it| if like_move(&it) { format!("_{it}") } else { it });
        out.push_str(name.as_deref().unwrap_or(person));
        out.push('\n');
    }
}

/// Appends the end code: 0 for a finished game, -1 for an unfinished one.
pub(super) fn write_code(tree: &GameTree, out: &mut String) {
    out.push_str(if tree.result.is_some() { "0\n" } else { "-1\n" });
}

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn is_integer(text: &str) -> bool {
    number(text.strip_prefix('-').unwrap_or(text)).is_some()
}
