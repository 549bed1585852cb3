//! GTP, the Go text protocol, version 2 (G. Farnebäck, draft 2), as texts: commands with numbers, responses to them, and points.
//! Of games on a square board in which black begins and sides alternate. Holds no state, asks nobody.

#[cfg(target_os = "linux")]
pub(super) mod talk;

/// The remark that ends a search, of GoGui's extension.
pub const INTERRUPT: &str = "# interrupt";
/// The command that a program knows if it heeds that remark. Others may answer to the remark as if it were a command.
pub const INTERRUPTS: &str = "gogui-interrupt";

/// The variants of reversi that it can tell.
pub const REVERSI: [&str; 1] = ["standard"];
/// The variants of gomoku that it can tell: those without a procedure.
pub const GOMOKU: [&str; 4] = ["freestyle", "standard", "caro", "renju"];

/// The first line of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// Whether the command succeeded.
    pub is_ok: bool,
    /// The number of the command, where it had one.
    pub id: Option<u32>,
    /// What is said, or the first line of it.
    pub text: &'a str,
}

impl<'a> Response<'a> {
    /// What it says to the command with this number; none: it answers another. Some leave a blank before the number.
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

/// Reads the first line of a response. None: it is none.
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

/// A command as it comes, without its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<'a> {
    /// Its number, where it has one.
    pub id: Option<u32>,
    /// Its name.
    pub name: &'a str,
    /// What follows it.
    pub arguments: Vec<&'a str>,
}

/// Reads a command. None: there is none in the line.
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

/// The letter of a column of the game as the protocol writes it, in small letters; anything else stays.
pub fn column(game: &str, letter: char) -> char {
    match letter {
        'i'..='y' if game == "gomoku" => char::from(letter as u8 + 1),
        other => other,
    }
}

/// A move of the game as the protocol writes it. Columns of gomoku leave out I there; those of reversi are told as they are.
pub fn vertex(game: &str, mv: &str) -> String {
    let mut letters = mv.chars();
    match letters.next() {
        Some(letter) if is_point(mv) => {
            format!("{}{}", column(game, letter), letters.as_str()).to_ascii_uppercase()
        }
        _ => mv.to_owned(),
    }
}

/// A move of the protocol as the game writes it; what it means is the rules' to say. None: it is none.
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
