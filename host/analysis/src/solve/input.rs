//! Reads tasks: files of deals in PBN and LIN as a whole, and JSON lines one by one.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use sandboard_games::bridge::{Board, read_lin, read_pbn};
use sandboard_games::formats::FormatError;

use super::solver::SolveResult;
use super::task::{Task, TaskLabel};
use super::{boards, json_line};
use sandboard_common::files::read_regular;
use sandboard_common::line_reader::next_line;

/// The largest file, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealFormat {
    /// Portable Bridge Notation.
    Pbn,
    /// LIN, the format of Bridge Base Online.
    Lin,
    /// A JSON object on each line.
    Json,
}

/// A source of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DealSource {
    File(PathBuf),
    Input,
}

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The format is unknown.
    #[error(
        "{}: its format is unknown; use an extension .pbn, .lin, .json or .jsonl, or --from",
        .0.display()
    )]
    Unknown(PathBuf),
    /// The file is too large.
    #[error("{} has more than {FILE_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
}

/// An item of a source, before it is parsed.
pub struct InputItem {
    /// The path of the file; none for standard input.
    file: Option<String>,
    raw: RawItem,
}

enum RawItem {
    /// A line with its number, from 1.
    Line(usize, Result<String, String>),
    /// A board with its number in the file, from 1.
    Board(usize, Box<Result<Board, String>>),
}

/// Items in the order of the files.
pub type InputItems = Box<dyn Iterator<Item = InputItem> + Send>;

impl DealSource {
    /// The source with this path; `-` is standard input.
    pub fn from_path(path: &Path) -> DealSource {
        match path.to_str() {
            Some("-") => DealSource::Input,
            _ => DealSource::File(path.to_owned()),
        }
    }

    fn open(self, from: Option<DealFormat>) -> Result<(InputItems, Option<usize>), ReadError> {
        match self {
            DealSource::Input => Ok((input(BufReader::new(std::io::stdin()), from), None)),
            DealSource::File(path) => {
                let format = from.or_else(|| by_ending(&path));
                let format = format.ok_or_else(|| ReadError::Unknown(path.clone()))?;
                let bytes = read(&path)?;
                let items = of_bytes(bytes, format, Some(path.display().to_string()));
                let items: Vec<InputItem> = items.collect();
                let count = items.len();
                Ok((Box::new(items.into_iter()), Some(count)))
            }
        }
    }
}

/// All items of these sources, and their number if it is known. An empty list means standard input.
pub fn open(
    mut sources: Vec<DealSource>,
    from: Option<DealFormat>,
) -> Result<(InputItems, Option<usize>), ReadError> {
    if sources.is_empty() {
        sources.push(DealSource::Input);
    }
    let (mut all, mut count): (InputItems, _) = (Box::new(std::iter::empty()), Some(0));
    for source in sources {
        let (items, known) = source.open(from)?;
        all = Box::new(all.chain(items));
        count = count.zip(known).map(|(one, other)| one + other);
    }
    Ok((all, count))
}

fn by_ending(path: &Path) -> Option<DealFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "pbn" => Some(DealFormat::Pbn),
        "lin" => Some(DealFormat::Lin),
        "json" | "jsonl" | "ndjson" => Some(DealFormat::Json),
        _ => None,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let bytes = read_regular(path, FILE_BYTES).map_err(failed)?;
    match bytes.len() as u64 > FILE_BYTES {
        true => Err(ReadError::TooLarge(path.to_owned())),
        false => Ok(bytes),
    }
}

/// Reads standard input; detects the format by its first bytes.
fn input(mut from: impl BufRead + Send + 'static, format: Option<DealFormat>) -> InputItems {
    let begin = from.fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
    let format = format.unwrap_or_else(|| detect_format(&begin));
    if format == DealFormat::Json {
        return Box::new(lines(from, None));
    }
    let mut bytes = Vec::new();
    match from.take(FILE_BYTES).read_to_end(&mut bytes) {
        Ok(_) => Box::new(of_bytes(bytes, format, None)),
        Err(error) => Box::new(std::iter::once(unreadable(1, &error, None))),
    }
}

/// The format of standard input by its first bytes; JSON lines by default.
fn detect_format(begin: &[u8]) -> DealFormat {
    let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match text.first() {
        Some(b'[' | b'%') => DealFormat::Pbn,
        Some(byte) if byte.is_ascii_lowercase() && first_line.contains(&b'|') => DealFormat::Lin,
        _ => DealFormat::Json,
    }
}

fn of_bytes(bytes: Vec<u8>, format: DealFormat, file: Option<String>) -> InputItems {
    let boards = match format {
        DealFormat::Json => return Box::new(lines(std::io::Cursor::new(bytes), file)),
        DealFormat::Pbn => read_pbn(&bytes),
        DealFormat::Lin => read_lin(&bytes),
    };
    let item = move |(index, board): (usize, Result<Board, FormatError>)| {
        let board = board.map_err(|error| error.to_string());
        InputItem { file: file.clone(), raw: RawItem::Board(index + 1, Box::new(board)) }
    };
    Box::new(boards.into_iter().enumerate().map(item))
}

/// The lines that are not blank.
fn lines(
    mut input: impl BufRead + Send + 'static,
    file: Option<String>,
) -> impl Iterator<Item = InputItem> + Send {
    let mut number = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            number += 1;
            match next_line(&mut input) {
                Ok(None) => ended = true,
                Ok(Some(Ok(line))) if line.trim().is_empty() => (),
                Ok(Some(line)) => {
                    return Some(InputItem {
                        file: file.clone(),
                        raw: RawItem::Line(number, line),
                    });
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

fn unreadable(number: usize, error: &std::io::Error, file: Option<String>) -> InputItem {
    InputItem {
        file,
        raw: RawItem::Line(number, Err(format!("the input cannot be read: {error}"))),
    }
}

impl InputItem {
    /// Its label, and its task or an error.
    pub fn read(&self) -> (TaskLabel, Result<Task, String>) {
        match &self.raw {
            RawItem::Line(_, Ok(text)) => json_line::read(text),
            RawItem::Line(_, Err(error)) => (TaskLabel::default(), Err(error.clone())),
            RawItem::Board(_, board) => match &**board {
                Ok(board) => {
                    let deal = Box::new(boards::deal(board));
                    (boards::label(board), Ok(Task::Deal(deal)))
                }
                Err(error) => (TaskLabel::default(), Err(error.clone())),
            },
        }
    }

    /// Adds the location to an error.
    pub fn at(&self, error: &str) -> String {
        let Some(file) = &self.file else { return error.to_owned() };
        match &self.raw {
            RawItem::Line(number, _) => format!("{file}:{number}: {error}"),
            RawItem::Board(number, _) => format!("{file}: board {number}: {error}"),
        }
    }

    /// The board with its table of tricks; none for a position.
    pub fn board(&self, task: &Task, answer: &SolveResult) -> Option<Board> {
        let Task::Deal(deal) = task else { return None };
        let board = match &self.raw {
            RawItem::Board(_, board) => board.as_ref().as_ref().ok()?.clone(),
            RawItem::Line(number, _) => boards::of_deal(*number, deal),
        };
        Some(boards::solved(board, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_standard_input_is_detected() {
        let check = |begin: &str, expected| {
            assert_eq!(detect_format(begin.as_bytes()), expected, "{begin}")
        };
        check("{\"deal\": \"[N:|\"}", DealFormat::Json);
        check("", DealFormat::Json);
        check("N:… … … …", DealFormat::Json);
        check("\n  % PBN 2.1\n", DealFormat::Pbn);
        check("\u{feff}[Event \"x\"]", DealFormat::Pbn);
        check("qx|o1|md|3S2|", DealFormat::Lin);
        check("vg\n|", DealFormat::Json);
    }

    #[test]
    fn the_format_of_a_file_follows_its_extension() {
        let check =
            |name: &str, expected| assert_eq!(by_ending(Path::new(name)), expected, "{name}");
        check("a.pbn", Some(DealFormat::Pbn));
        check("a.b.LIN", Some(DealFormat::Lin));
        check("a.jsonl", Some(DealFormat::Json));
        check("a.json", Some(DealFormat::Json));
        check("a.txt", None);
        check("pbn", None);
    }

    /// Checks the location of every item, and whether it is valid.
    fn check(text: &str, format: DealFormat, expected: &[(&str, bool)]) {
        let items = of_bytes(text.as_bytes().to_vec(), format, Some("f".to_owned()));
        let found: Vec<(String, bool)> =
            items.map(|item| (item.at("!"), item.read().1.is_ok())).collect();
        let found: Vec<(&str, bool)> = found.iter().map(|(at, ok)| (at.as_str(), *ok)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_invalid_item_does_not_affect_others() {
        let lines = "{\"deal\": \"N:A... K... Q... J...\"}\n\n{\n{\"position\": \"N:A... K... Q... J... S N -\"}";
        check(lines, DealFormat::Json, &[("f:1: !", true), ("f:3: !", false), ("f:4: !", true)]);
        let pbn = "[Board \"1\"]\n[Deal \"N:A... K... Q... J...\"]\n\n[Board \"2\"]\n[Deal \"N:A... A... Q... J...\"]\n\n\
                   [Board \"3\"]\n[Deal \"N:A... K... Q... J...\"]\n";
        let boards = [("f: board 1: !", true), ("f: board 2: !", false), ("f: board 3: !", true)];
        check(pbn, DealFormat::Pbn, &boards);
    }
}
