//! Where questions come from: files of deals in PBN and LIN, which are read whole, and JSON
//! lines, which are read one by one.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use sandboard_games::bridge::{Board, read_lin, read_pbn};
use sandboard_games::formats::FormatError;

use super::answer::Answer;
use super::task::{Named, Task};
use super::{boards, line};
use crate::cli::next_line;

/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// What a file is.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable Bridge Notation
    Pbn,
    /// LIN, as Bridge Base Online writes it
    Lin,
    /// A JSON object on each line
    Json,
}

/// Where to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Input,
}

/// Why nothing is read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system does not give it out.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Nobody knows what it is.
    #[error(
        "{}: what is in it cannot be told by its ending (.pbn, .lin, .json, .jsonl); say --from",
        .0.display()
    )]
    Unknown(PathBuf),
    /// It is larger than is read.
    #[error("{} has more than {FILE_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
}

/// One thing that is asked, as it stands in its file.
pub struct Item {
    /// The name of the file; none: standard input.
    file: Option<String>,
    raw: Raw,
}

enum Raw {
    /// With its number, from 1.
    Line(usize, Result<String, String>),
    /// With its place among the boards of the file, from 1.
    Board(usize, Box<Result<Board, String>>),
}

/// Items in the order of the files.
pub type Items = Box<dyn Iterator<Item = Item> + Send>;

impl Source {
    /// The source of this name.
    pub fn of(path: &Path) -> Source {
        match path.to_str() {
            Some("-") => Source::Input,
            _ => Source::File(path.to_owned()),
        }
    }

    fn open(self, from: Option<Format>) -> Result<(Items, Option<usize>), ReadError> {
        match self {
            Source::Input => Ok((input(BufReader::new(std::io::stdin()), from), None)),
            Source::File(path) => {
                let format = from.or_else(|| by_ending(&path));
                let format = format.ok_or_else(|| ReadError::Unknown(path.clone()))?;
                let bytes = read(&path)?;
                let items = of_bytes(bytes, format, Some(path.display().to_string()));
                let items: Vec<Item> = items.collect();
                let count = items.len();
                Ok((Box::new(items.into_iter()), Some(count)))
            }
        }
    }
}

/// Everything that these sources ask, and how much it is where that is known; no source is
/// standard input.
pub fn open(
    mut sources: Vec<Source>,
    from: Option<Format>,
) -> Result<(Items, Option<usize>), ReadError> {
    if sources.is_empty() {
        sources.push(Source::Input);
    }
    let (mut all, mut count): (Items, _) = (Box::new(std::iter::empty()), Some(0));
    for source in sources {
        let (items, known) = source.open(from)?;
        all = Box::new(all.chain(items));
        count = count.zip(known).map(|(one, other)| one + other);
    }
    Ok((all, count))
}

fn by_ending(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "pbn" => Some(Format::Pbn),
        "lin" => Some(Format::Lin),
        "json" | "jsonl" | "ndjson" => Some(Format::Json),
        _ => None,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 > FILE_BYTES {
        true => Err(ReadError::TooLarge(path.to_owned())),
        false => Ok(bytes),
    }
}

/// Standard input: what it is, it says itself by how it begins.
fn input(mut from: impl BufRead + Send + 'static, format: Option<Format>) -> Items {
    let begin = from.fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
    let format = format.unwrap_or_else(|| sniffed(&begin));
    if format == Format::Json {
        return Box::new(lines(from, None));
    }
    let mut bytes = Vec::new();
    match from.take(FILE_BYTES).read_to_end(&mut bytes) {
        Ok(_) => Box::new(of_bytes(bytes, format, None)),
        Err(error) => Box::new(std::iter::once(unreadable(1, &error, None))),
    }
}

/// JSON lines, unless it looks like something else.
fn sniffed(begin: &[u8]) -> Format {
    let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match text.first() {
        Some(b'[' | b'%') => Format::Pbn,
        Some(byte) if byte.is_ascii_lowercase() && first_line.contains(&b'|') => Format::Lin,
        _ => Format::Json,
    }
}

fn of_bytes(bytes: Vec<u8>, format: Format, file: Option<String>) -> Items {
    let boards = match format {
        Format::Json => return Box::new(lines(std::io::Cursor::new(bytes), file)),
        Format::Pbn => read_pbn(&bytes),
        Format::Lin => read_lin(&bytes),
    };
    let item = move |(index, board): (usize, Result<Board, FormatError>)| {
        let board = board.map_err(|error| error.to_string());
        Item { file: file.clone(), raw: Raw::Board(index + 1, Box::new(board)) }
    };
    Box::new(boards.into_iter().enumerate().map(item))
}

/// Lines that are not blank.
fn lines(
    mut input: impl BufRead + Send + 'static,
    file: Option<String>,
) -> impl Iterator<Item = Item> + Send {
    let mut number = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            number += 1;
            match next_line(&mut input) {
                Ok(None) => ended = true,
                Ok(Some(Ok(line))) if line.trim().is_empty() => (),
                Ok(Some(line)) => {
                    return Some(Item { file: file.clone(), raw: Raw::Line(number, line) });
                }
                Err(error) => {
                    ended = true;
                    return Some(unreadable(number, &error, file.clone()));
                }
            }
        }
        None
    })
}

fn unreadable(number: usize, error: &std::io::Error, file: Option<String>) -> Item {
    Item { file, raw: Raw::Line(number, Err(format!("the input cannot be read: {error}"))) }
}

impl Item {
    /// How it is named, and what it asks or what is wrong with it.
    pub fn read(&self) -> (Named, Result<Task, String>) {
        match &self.raw {
            Raw::Line(_, Ok(text)) => line::read(text),
            Raw::Line(_, Err(error)) => (Named::default(), Err(error.clone())),
            Raw::Board(_, board) => match &**board {
                Ok(board) => {
                    let deal = Box::new(boards::deal(board));
                    (boards::named(board), Ok(Task::Deal(deal)))
                }
                Err(error) => (Named::default(), Err(error.clone())),
            },
        }
    }

    /// A sentence with the place before it.
    pub fn at(&self, error: &str) -> String {
        let Some(file) = &self.file else { return error.to_owned() };
        match &self.raw {
            Raw::Line(number, _) => format!("{file}:{number}: {error}"),
            Raw::Board(number, _) => format!("{file}: board {number}: {error}"),
        }
    }

    /// The board with its table; none: it is a position.
    pub fn board(&self, task: &Task, answer: &Answer) -> Option<Board> {
        let Task::Deal(deal) = task else { return None };
        let board = match &self.raw {
            Raw::Board(_, board) => board.as_ref().as_ref().ok()?.clone(),
            Raw::Line(number, _) => boards::of_deal(*number, deal),
        };
        Some(boards::solved(board, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_says_what_it_is() {
        let check =
            |begin: &str, expected| assert_eq!(sniffed(begin.as_bytes()), expected, "{begin}");
        check("{\"deal\": \"[N:|\"}", Format::Json);
        check("", Format::Json);
        check("N:… … … …", Format::Json);
        check("\n  % PBN 2.1\n", Format::Pbn);
        check("\u{feff}[Event \"x\"]", Format::Pbn);
        check("qx|o1|md|3S2|", Format::Lin);
        check("vg\n|", Format::Json);
    }

    #[test]
    fn files_say_it_by_their_endings() {
        let check =
            |name: &str, expected| assert_eq!(by_ending(Path::new(name)), expected, "{name}");
        check("a.pbn", Some(Format::Pbn));
        check("a.b.LIN", Some(Format::Lin));
        check("a.jsonl", Some(Format::Json));
        check("a.json", Some(Format::Json));
        check("a.txt", None);
        check("pbn", None);
    }

    /// Every item by the place of its error and whether it asks something.
    fn check(text: &str, format: Format, expected: &[(&str, bool)]) {
        let items = of_bytes(text.as_bytes().to_vec(), format, Some("f".to_owned()));
        let told: Vec<(String, bool)> =
            items.map(|item| (item.at("!"), item.read().1.is_ok())).collect();
        let told: Vec<(&str, bool)> = told.iter().map(|(at, ok)| (at.as_str(), *ok)).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_bad_one_does_not_hide_the_others() {
        let lines = "{\"deal\": \"N:A... K... Q... J...\"}\n\n{\n{\"position\": \"N:A... K... Q... J... S N -\"}";
        check(lines, Format::Json, &[("f:1: !", true), ("f:3: !", false), ("f:4: !", true)]);
        let pbn = "[Board \"1\"]\n[Deal \"N:A... K... Q... J...\"]\n\n[Board \"2\"]\n[Deal \"N:A... A... Q... J...\"]\n\n\
                   [Board \"3\"]\n[Deal \"N:A... K... Q... J...\"]\n";
        let boards = [("f: board 1: !", true), ("f: board 2: !", false), ("f: board 3: !", true)];
        check(pbn, Format::Pbn, &boards);
    }
}
