//! The protocol of Gomocup and Piskvork, version 2 (P. Laštovička,
//! plastovicka.github.io/protocl2en.htm), for gomoku: the lines of the manager and of the engine.

use crate::{GameSupport, ProtocolInfo};

mod board;
mod info;
mod remark;

pub use board::{Board, Stone, point_of, text_of};
pub use info::{Times, rule_number, variant_of};
pub use remark::{Remark, parse_remark};

/// The variants of gomoku that the protocol can express, of any size.
const VARIANTS: [&str; 5] = ["freestyle", "standard", "caro", "renju", "swap2"];

/// The command that ends a search, of Yixin's extension. Programs without the extension answer
/// `UNKNOWN`, which does no harm.
pub const STOP: &str = "YXSTOP";

/// The row of Gomocup in the table of protocols.
pub(crate) const INFO: ProtocolInfo = ProtocolInfo {
    word: "gomocup",
    games: GameSupport::Only(&[("gomoku", &VARIANTS)]),
    stop_command: Some(STOP),
    has_dialects: false,
    allows_option_names: true,
    accepts_carriage_return: true,
};

/// A point of the protocol: column and row from 0, rows from the top.
pub type Point = (u8, u8);

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// The command succeeded.
    Ok,
    /// The engine cannot execute the command, for this reason.
    Error(&'a str),
    /// The engine does not know the command.
    Unknown(&'a str),
    /// A text for the user; `true`: for the author.
    Text(&'a str, bool),
    /// The choice: one point, or several stones of an opening.
    Points(Vec<Point>),
    /// The engine takes the colour that does not move next.
    Swap,
    /// The engine suggests this point, and plays it if the manager says so.
    Suggest(Point),
    /// An empty line.
    Nothing,
    /// The engine's name, or a line that is not part of the protocol.
    Other(&'a str),
}

/// Reads a line, without its line end. The case of letters does not matter.
pub fn parse(line: &str) -> Message<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_ascii_uppercase().as_str() {
        "" => Message::Nothing,
        "OK" => Message::Ok,
        "ERROR" => Message::Error(rest),
        "UNKNOWN" => Message::Unknown(rest),
        "MESSAGE" => Message::Text(rest, false),
        "DEBUG" => Message::Text(rest, true),
        "SWAP" if rest.is_empty() => Message::Swap,
        "SUGGEST" => match points(rest).as_deref() {
            Some([point]) => Message::Suggest(*point),
            _ => Message::Other(line),
        },
        _ => points(line).map_or(Message::Other(line), Message::Points),
    }
}

/// Reads a field of the answer to `ABOUT`: `name="…", version="…", author="…"`. None: it has no
/// such field.
pub fn about_field<'a>(answer: &'a str, field: &str) -> Option<&'a str> {
    let mut rest = answer;
    loop {
        let (name, after) = rest.split_once('=')?;
        let (value, after) = after.trim_start().strip_prefix('"')?.split_once('"')?;
        if name.trim_matches([' ', ',', '\t']).eq_ignore_ascii_case(field) {
            return Some(value.trim());
        }
        rest = after;
    }
}

/// Reads points, `7,7` or several separated by blanks. Blanks around a comma are ignored. None: the
/// text is not a list of points.
pub fn points(text: &str) -> Option<Vec<Point>> {
    let numbers: Vec<u8> = text
        .split(|letter: char| letter == ',' || letter.is_whitespace())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let commas = text.matches(',').count();
    if numbers.is_empty() || numbers.len() != commas * 2 || !alternate(text) {
        return None;
    }
    Some(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// Whether each comma is between two numbers of its own.
fn alternate(text: &str) -> bool {
    let mut parts = text.split(',').map(|part| part.split_whitespace().count());
    let last = parts.next_back();
    parts.next() == Some(1) && parts.all(|count| count == 2) && last == Some(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: Message) {
        assert_eq!(parse(line), expected, "{line:?}");
    }

    #[test]
    fn fields_of_about() {
        let check = |field: &str, expected: Option<&str>| {
            let answer = "name=\"a, b=1\", Version = \" 2.0 \",author=\"\"";
            assert_eq!(about_field(answer, field), expected, "{field}");
        };
        check("name", Some("a, b=1"));
        check("version", Some("2.0"));
        check("author", Some(""));
        check("country", None);
        assert_eq!(about_field("some engine", "name"), None);
        assert_eq!(about_field("name=\"open", "name"), None);
        assert_eq!(about_field("name=bare", "name"), None);
    }

    #[test]
    fn words_of_the_protocol() {
        check("OK", Message::Ok);
        check("ok - everything is good\r", Message::Ok);
        check("ERROR message - unsupported size", Message::Error("message - unsupported size"));
        check("Unknown command", Message::Unknown("command"));
        check("MESSAGE depth 7 ev 12", Message::Text("depth 7 ev 12", false));
        check("debug it is", Message::Text("it is", true));
        check("SUGGEST 3,4", Message::Suggest((3, 4)));
        check("swap ", Message::Swap);
        check(" \t", Message::Nothing);
        check("name=\"x\", version=\"1\"", Message::Other("name=\"x\", version=\"1\""));
        // Words that resemble those of the protocol.
        check("OKAY", Message::Other("OKAY"));
        check("SWAP 1,2", Message::Other("SWAP 1,2"));
        check("SUGGEST", Message::Other("SUGGEST"));
    }

    #[test]
    fn points_of_a_line() {
        for one in ["7,10", " 7,10\r", "7 , 10", "7, 10", "07,10"] {
            check(one, Message::Points(vec![(7, 10)]));
        }
        check("7,7 8,7 9,9", Message::Points(vec![(7, 7), (8, 7), (9, 9)]));
        check("7 ,7 8, 7", Message::Points(vec![(7, 7), (8, 7)]));
        for none in
            ["7", "7,", ",7", "7,7,7", "7,7 8", "-1,7", "7;7", "7 7", "a,7", "300,1", ",", "7,,7"]
        {
            check(none, Message::Other(none));
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>(), words in "[0-9, \t]{0,24}") {
            parse(&line);
            parse(&words);
        }
    }
}
