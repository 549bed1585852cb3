//! GTP, the Go text protocol, version 2 (G. Farnebäck, draft 2): numbered commands, their
//! responses, and points. For games on a square board in which black begins and sides alternate.

use crate::{GameSupport, ProtocolInfo};

/// The comment that stops a search, of GoGui's extension.
pub const INTERRUPT: &str = "# interrupt";
/// The command that a program knows if it supports [`INTERRUPT`]. Other programs may answer the
/// comment as if it were a command.
pub const INTERRUPT_QUERY: &str = "gogui-interrupt";

/// The variants of reversi that the protocol can express, of any size.
const REVERSI: [&str; 1] = ["standard"];
/// The variants of gomoku that the protocol can express: those without an opening procedure.
const GOMOKU: [&str; 4] = ["freestyle", "standard", "caro", "renju"];

/// The row of GTP in the table of protocols.
pub(crate) const INFO: ProtocolInfo = ProtocolInfo {
    word: "gtp",
    games: GameSupport::Only(&[("gomoku", &GOMOKU), ("reversi", &REVERSI)]),
    stop_command: Some(INTERRUPT),
    has_dialects: false,
    allows_option_names: true,
    accepts_carriage_return: false,
};

/// The first line of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// Whether the command succeeded.
    pub is_ok: bool,
    /// The number of the command, if it had one.
    pub id: Option<u32>,
    /// The text of the response, or its first line.
    pub text: &'a str,
}

impl<'a> Response<'a> {
    /// The text of the response to the command with this number; None: it answers another one. Some
    /// programs write a blank before the number.
    pub fn to(&self, number: u32) -> Option<&'a str> {
        match self.id {
            Some(id) => (id == number).then_some(self.text),
            None => {
                let (first, rest) =
                    self.text.split_once(char::is_whitespace).unwrap_or((self.text, ""));
                (first.parse() == Ok(number)).then_some(rest.trim())
            }
        }
    }
}

/// Reads the first line of a response. None: the line is not a response.
pub fn response(line: &str) -> Option<Response<'_>> {
    let line = line.trim();
    let is_ok = line.starts_with('=');
    let rest = line.strip_prefix(['=', '?'])?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (id, text) = rest.split_at(end);
    let follows = text.is_empty() || text.starts_with(char::is_whitespace);
    if !follows {
        return None;
    }
    let id = if id.is_empty() { None } else { Some(id.parse().ok()?) };
    Some(Response { is_ok, id, text: text.trim() })
}

/// A command without its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<'a> {
    /// The number, if there is one.
    pub id: Option<u32>,
    /// The name of the command.
    pub name: &'a str,
    /// The arguments of the command.
    pub arguments: Vec<&'a str>,
}

/// Reads a command. None: the line contains no command.
pub fn command(line: &str) -> Option<Command<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let mut words = words.by_ref().filter(|word| !word.is_empty());
    let first = words.next()?;
    let (id, name) = match first.parse() {
        Ok(id) => (Some(id), words.next().unwrap_or_default()),
        Err(_) => (None, first),
    };
    Some(Command { id, name, arguments: words.collect() })
}

/// Converts the letter of a column of the game, in lower case, to that of the protocol. Other
/// characters stay the same.
pub fn column(game: &str, letter: char) -> char {
    match letter {
        'i'..='y' if game == "gomoku" => char::from(letter as u8 + 1),
        other => other,
    }
}

/// Converts a move of the game to a vertex of the protocol. Columns of gomoku skip I; squares of
/// reversi stay the same.
pub fn vertex(game: &str, mv: &str) -> String {
    let mut letters = mv.chars();
    match letters.next() {
        Some(letter) if is_point(mv) => {
            format!("{}{}", column(game, letter), letters.as_str()).to_ascii_uppercase()
        }
        _ => mv.to_owned(),
    }
}

/// Converts a vertex of the protocol to a move of the game, which may be illegal. None: the text
/// cannot be a move.
pub fn move_of(game: &str, vertex: &str) -> Option<String> {
    let vertex = vertex.to_ascii_lowercase();
    let column = vertex.chars().next()?;
    match column {
        _ if !is_point(&vertex) => Some(vertex),
        'i' if game == "gomoku" => None,
        'j'..='z' if game == "gomoku" => {
            Some(format!("{}{}", char::from(column as u8 - 1), &vertex[1..]))
        }
        _ => Some(vertex),
    }
}

fn is_point(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && text.len() > 1
        && letters.all(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn responses() {
        let check = |line: &str, expected: Option<(bool, Option<u32>, &str)>| {
            let found = response(line).map(|it| (it.is_ok, it.id, it.text));
            assert_eq!(found, expected, "{line:?}");
        };
        check("=", Some((true, None, "")));
        check("=12 H8\r", Some((true, Some(12), "H8")));
        check("= F5", Some((true, None, "F5")));
        check("?3 illegal move", Some((false, Some(3), "illegal move")));
        check("= 12", Some((true, None, "12")));
        for none in ["", "12 H8", "=x", "=12x y", "=99999999999 x"] {
            check(none, None);
        }
    }

    #[test]
    fn numbers_of_responses() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(response(line).unwrap().to(12), expected, "{line}");
        };
        check("=12 F5", Some("F5"));
        check("= 12 F5", Some("F5"));
        check("= 12", Some(""));
        check("? 12 unknown command", Some("unknown command"));
        for none in ["= F5", "=", "=1 12 F5", "= 1 2", "= 123", "= 12x"] {
            check(none, None);
        }
    }

    #[test]
    fn commands() {
        let check = |line: &str, expected: Option<(Option<u32>, &str, &[&str])>| {
            let found = command(line);
            let found = found.as_ref().map(|it| (it.id, it.name, it.arguments.as_slice()));
            assert_eq!(found, expected, "{line:?}");
        };
        check("1 play B H8 # well", Some((Some(1), "play", &["B", "H8"])));
        check("quit\r", Some((None, "quit", &[])));
        check("\tgenmove\tw", Some((None, "genmove", &["w"])));
        check("7", Some((Some(7), "", &[])));
        check(" # nothing", None);
    }

    #[test]
    fn points_both_ways() {
        let check = |game: &str, mv: &str, theirs: &str| {
            assert_eq!(vertex(game, mv), theirs);
            assert_eq!(move_of(game, theirs).as_deref(), Some(mv));
        };
        check("gomoku", "h8", "H8");
        check("gomoku", "i8", "J8");
        check("gomoku", "v22", "W22");
        check("gomoku", "pass", "pass");
        check("reversi", "f5", "F5");
        check("reversi", "p16", "P16");
        assert_eq!(move_of("gomoku", "i8"), None);
        assert_eq!(move_of("gomoku", "PASS").as_deref(), Some("pass"));
        assert_eq!(move_of("gomoku", ""), None);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>()) {
            response(&line);
            command(&line);
            move_of("gomoku", &line);
            vertex("gomoku", &line);
        }
    }
}
