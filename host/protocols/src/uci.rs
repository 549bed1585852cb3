//! UCI, the universal chess interface, in the description of 2006 (S. Meyer-Kahlen): the lines of
//! the host and of the engine. Positions and moves are texts, for any game.

mod go;
mod info;
mod option;

use crate::{GameSupport, ProtocolInfo};

pub use go::{Clocks, go};
pub use info::Info;
pub use info::score_of;
pub use option::parse as parse_option;
pub use option::word_of;
pub use option::{OfferedOption, OptionType};

/// The row of UCI in the table of protocols.
pub(crate) const INFO: ProtocolInfo = ProtocolInfo {
    word: "uci",
    games: GameSupport::Any,
    stop_command: Some("stop"),
    has_dialects: true,
    allows_option_names: true,
    accepts_carriage_return: false,
};

/// The option that a program must be given for games of [`CHESS960`]: then castling is written by
/// the squares of the king and of its rook.
pub const CHESS960_OPTION: &str = "UCI_Chess960";
/// The variant for which [`CHESS960_OPTION`] is set, whatever the game is called.
pub const CHESS960: &str = "chess960";

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// An offered option. None: the line is not a valid option.
    Option(Option<OfferedOption>),
    /// The engine has sent its name and its options.
    UciOk,
    /// The engine has processed all commands.
    ReadyOk,
    /// A text for the user.
    Text(&'a str),
    /// A report of the search.
    Info(Info),
    /// The choice; None: the line names no move.
    BestMove(Option<&'a str>),
    /// An empty line, or one that the host ignores, such as the name.
    Nothing,
    /// A line that is not part of the protocol.
    Unknown(&'a str),
}

/// Reads a line, without its line end.
pub fn parse(line: &str) -> Message<'_> {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_ascii_start();
    match word {
        "uciok" => Message::UciOk,
        "readyok" => Message::ReadyOk,
        "option" => Message::Option(option::parse(rest)),
        "info" => match rest.strip_prefix("string") {
            Some(text) if text.is_empty() || text.starts_with([' ', '\t']) => {
                Message::Text(text.trim_ascii())
            }
            _ => Message::Info(info::parse(rest)),
        },
        "bestmove" => {
            let mv = rest.split_ascii_whitespace().next();
            Message::BestMove(mv.filter(|mv| !["(none)", "none", "0000", "NULL"].contains(mv)))
        }
        "" | "id" | "registration" | "copyprotection" => Message::Nothing,
        _ => Message::Unknown(line),
    }
}

/// What an engine says about itself before its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id<'a> {
    /// `id name …`: its name, usually with its version.
    Name(&'a str),
    /// `id author …`: who wrote it.
    Author(&'a str),
}

/// Reads a line `id name …` or `id author …`, which UCCI has, too. None: it is another line.
pub fn parse_id(line: &str) -> Option<Id<'_>> {
    let (word, rest) = line.trim_ascii().split_once([' ', '\t'])?;
    let (field, text) = rest.trim_ascii_start().split_once([' ', '\t'])?;
    let text = text.trim_ascii();
    match (word, field) {
        ("id", "name") => Some(Id::Name(text)),
        ("id", "author") => Some(Id::Author(text)),
        _ => None,
    }
}

/// The command that sets an option.
pub fn set_option(name: &str, value: &str) -> String {
    match value {
        "" => format!("setoption name {name} value <empty>"),
        value => format!("setoption name {name} value {value}"),
    }
}

/// The command that sends a position, in the program's dialect.
pub fn position(text: &str) -> String {
    format!("position fen {text}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: Message) {
        assert_eq!(parse(line), expected, "{line}");
    }

    #[test]
    fn words_of_the_protocol() {
        check("uciok", Message::UciOk);
        check(" uciok\r", Message::UciOk);
        check("readyok", Message::ReadyOk);
        check("id name Fairy-Stockfish 14", Message::Nothing);
        check("", Message::Nothing);
        check("info string NNUE off", Message::Text("NNUE off"));
        check("info string", Message::Text(""));
        check("Fairy-Stockfish 14 by others", Message::Unknown("Fairy-Stockfish 14 by others"));
        // Words that resemble those of the protocol.
        check("uciok2", Message::Unknown("uciok2"));
        check("UCIOK", Message::Unknown("UCIOK"));
        check("info stringy", Message::Info(Info::default()));
    }

    #[test]
    fn best_moves() {
        check("bestmove h3e3", Message::BestMove(Some("h3e3")));
        check("bestmove h3e3 ponder h10g8", Message::BestMove(Some("h3e3")));
        check("bestmove  h3e3 ", Message::BestMove(Some("h3e3")));
        for none in ["bestmove", "bestmove (none)", "bestmove 0000", "bestmove (none) ponder a"] {
            check(none, Message::BestMove(None));
        }
    }

    #[test]
    fn names_and_authors() {
        let check =
            |line: &str, expected: Option<Id>| assert_eq!(parse_id(line), expected, "{line}");
        check("id name Stockfish 17.1", Some(Id::Name("Stockfish 17.1")));
        check(" id  author\tA. Author \r", Some(Id::Author("A. Author")));
        check("id name", None);
        check("id copyright 2006", None);
        check("identity name x", None);
        check("option name x", None);
    }

    #[test]
    fn commands() {
        assert_eq!(set_option("Skill Level", "3"), "setoption name Skill Level value 3");
        assert_eq!(set_option("EvalFile", ""), "setoption name EvalFile value <empty>");
        assert_eq!(position("9/9 w"), "position fen 9/9 w");
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>()) {
            parse(&line);
        }

        #[test]
        fn no_words_of_the_protocol_panic(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "info", "option", "name", "type", "spin", "min", "max", "var", "combo", "default",
                    "depth", "score", "cp", "mate", "nodes", "pv", "multipv", "-1", "999999999999",
                    "lowerbound", "a1a2", "", "é",
                ]),
                0..16,
            )
        ) {
            parse(&words.join(" "));
        }
    }
}
