//! The protocol of NBoard, version 2 (C. Welty), for reversi on 8×8: the lines of the GUI and of
//! the engine.

use crate::{GameSupport, ProtocolInfo};

/// The variants of reversi that the protocol can express.
const VARIANTS: [&str; 1] = ["standard-8"];

/// The row of NBoard in the table of protocols.
pub(crate) const INFO: ProtocolInfo = ProtocolInfo {
    word: "nboard",
    games: GameSupport::Only(&[("reversi", &VARIANTS)]),
    stop_command: None,
    has_dialects: false,
    allows_option_names: true,
    accepts_carriage_return: false,
};

/// A line of an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'a> {
    /// The engine has processed all commands before the ping with this number.
    Pong(u64),
    /// The choice, and its evaluation in discs.
    Move(String, Option<f64>),
    /// A report of the search: moves, evaluation in discs, depth in plies.
    Search(Vec<String>, Option<f64>, Option<u32>),
    /// The number of nodes searched.
    Nodes(u64),
    /// A text for the user.
    Text(&'a str),
    /// An empty line, or one that the host ignores, such as the name.
    Nothing,
    /// A line that is not part of the protocol.
    Unknown(&'a str),
}

/// Reads a line, without its line end.
pub fn parse(line: &str) -> Message<'_> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("===") {
        // A move, its evaluation and its time, separated by slashes or, from some programs, blanks.
        let mut parts = rest.split(['/', ' ']).map(str::trim).filter(|part| !part.is_empty());
        let mv = parts.next().unwrap_or_default();
        return Message::Move(move_of(mv), parts.next().and_then(discs));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let mut words = rest.split_whitespace();
    match word.to_ascii_lowercase().as_str() {
        "pong" => match words.next().and_then(|word| word.parse().ok()) {
            Some(number) => Message::Pong(number),
            None => Message::Unknown(line),
        },
        "search" => {
            let moves = moves_of(words.next().unwrap_or_default());
            let value = words.next().and_then(discs);
            let depth = words.last().and_then(|word| word.parse().ok());
            Message::Search(moves, value, depth)
        }
        "nodestats" => {
            let nodes = words.next().and_then(|word| word.parse().ok());
            nodes.map_or(Message::Nothing, Message::Nodes)
        }
        "status" => Message::Text(rest.trim()),
        "" | "set" | "book" | "learn" | "learned" => Message::Nothing,
        _ => Message::Unknown(line),
    }
}

/// Reads a line `set myname …`, with which an engine tells its name. None: it is another line.
pub fn parse_name(line: &str) -> Option<&str> {
    let (word, rest) = line.trim().split_once(char::is_whitespace)?;
    let (field, name) = rest.trim_start().split_once(char::is_whitespace)?;
    let is_name = word.eq_ignore_ascii_case("set") && field.eq_ignore_ascii_case("myname");
    is_name.then(|| name.trim())
}

/// A number of discs; None: the text is not a number.
fn discs(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Converts a move of the protocol, `F5` or `PA`, to the game's text.
pub fn move_of(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    if ["pa", "pass", "--"].contains(&text.as_str()) { "pass".to_owned() } else { text }
}

/// Converts a move of the game to the protocol's text.
pub fn protocol_move(mv: &str) -> String {
    if mv == "pass" { "PA".to_owned() } else { mv.to_ascii_uppercase() }
}

/// Reads moves without separators: `F5D6PA`.
fn moves_of(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().filter(|letter| *letter != '-').collect();
    letters.chunks(2).map(|pair| move_of(&pair.iter().collect::<String>())).collect()
}

/// The argument of `set game`: a game in GGF that starts at this position of 8×8. None: the
/// position text is invalid.
pub fn game_of(position: &str) -> Option<String> {
    let (discs, side) = position.split_once(' ')?;
    let disc = |letter| match letter {
        'X' => Some('*'),
        'O' => Some('O'),
        '-' => Some('-'),
        _ => None,
    };
    let board: String = discs.chars().map(disc).collect::<Option<_>>()?;
    let side = side.chars().next().and_then(disc).filter(|side| *side != '-')?;
    (board.len() == 64).then(|| {
        format!("(;GM[Othello]PC[sandboard]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {board} {side}];)")
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn names() {
        let check =
            |line: &str, expected: Option<&str>| assert_eq!(super::parse_name(line), expected);
        check("set myname Ntest 1.2", Some("Ntest 1.2"));
        check(" SET  MyName x ", Some("x"));
        check("set myname", None);
        check("set contempt 0", None);
        check("myname x y", None);
    }

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_the_protocol() {
        let check = |line: &str, expected: Message| assert_eq!(parse(line), expected, "{line}");
        check("pong 12", Message::Pong(12));
        check("pong", Message::Unknown("pong"));
        check("=== F5/1.50/0.25\r", Message::Move("f5".into(), Some(1.5)));
        check("=== d6 -1.00 0.0", Message::Move("d6".into(), Some(-1.0)));
        check("===PA", Message::Move("pass".into(), None));
        check("===", Message::Move(String::new(), None));
        check("=== F5/NaN", Message::Move("f5".into(), None));
        let moves = vec!["f5".to_owned(), "pass".to_owned()];
        check("search F5PA 3 0 14", Message::Search(moves, Some(3.0), Some(14)));
        check("search", Message::Search(vec![], None, None));
        check("nodestats 35805 0.00", Message::Nodes(35805));
        check("nodestats", Message::Nothing);
        check("status Edax is thinking", Message::Text("Edax is thinking"));
        check("set myname Edax6", Message::Nothing);
        check("hello", Message::Unknown("hello"));
    }

    #[test]
    fn games_are_read_back() {
        let info = sandboard_games::Games::default().find("reversi").unwrap();
        let ggf = info.formats.iter().find(|format| format.id == "ggf").unwrap();
        let variant = info.variant("standard-8").unwrap();
        let mut game = (info.new)(&variant, None).unwrap();
        for mv in ["f5", "d6", "c3"] {
            game.play(mv).unwrap();
            let text = game_of(&game.position()).unwrap();
            let trees = ggf.read.unwrap()(text.as_bytes(), None).unwrap();
            let start = trees[0].start.clone().unwrap();
            assert_eq!((info.new)(&variant, Some(&start)).unwrap().position(), game.position());
        }
        for none in ["", "X X", &"x".repeat(64), &format!("{} -", "-".repeat(64))] {
            assert_eq!(game_of(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>(), more in "(===|search|pong) [A-Z0-9/. -]{0,20}") {
            parse(&line);
            parse(&more);
            game_of(&line);
        }
    }
}
