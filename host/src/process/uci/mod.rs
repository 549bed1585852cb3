//! The universal chess interface as texts: what is said to a program, and what its lines say.
//! Of the protocol's description of 2006 (S. Meyer-Kahlen), whatever the game: positions and
//! moves are texts here. Holds no state, asks nobody.

mod go;
mod info;
mod option;
#[cfg(target_os = "linux")]
pub(super) mod talk;

pub use go::{Clocks, go};
pub use info::Info;
pub(in crate::process) use info::score_of;
pub(in crate::process) use option::read as offer_of;
pub use option::{Offered, Takes};

/// What a line of a program says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// It offers an option. None: the line says so and is no offer.
    Option(Option<Offered>),
    /// It has said who it is and what can be set.
    UciOk,
    /// It has done all that it was told before.
    ReadyOk,
    /// A text for people.
    Text(&'a str),
    /// What its search has found so far.
    Info(Info),
    /// It has chosen; none: it names no move.
    BestMove(Option<&'a str>),
    /// Who it is, or what this host has no use for.
    Nothing,
    /// None of the protocol's words.
    Unknown(&'a str),
}

/// What the line says, without its line end.
pub fn read(line: &str) -> Said<'_> {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_ascii_start();
    match word {
        "uciok" => Said::UciOk,
        "readyok" => Said::ReadyOk,
        "option" => Said::Option(option::read(rest)),
        "info" => match rest.strip_prefix("string") {
            Some(text) if text.is_empty() || text.starts_with([' ', '\t']) => {
                Said::Text(text.trim_ascii())
            }
            _ => Said::Info(info::read(rest)),
        },
        "bestmove" => {
            let mv = rest.split_ascii_whitespace().next();
            Said::BestMove(mv.filter(|mv| !["(none)", "none", "0000", "NULL"].contains(mv)))
        }
        "" | "id" | "registration" | "copyprotection" => Said::Nothing,
        _ => Said::Unknown(line),
    }
}

/// The command that sets an option.
pub fn set_option(name: &str, value: &str) -> String {
    match value {
        "" => format!("setoption name {name} value <empty>"),
        value => format!("setoption name {name} value {value}"),
    }
}

/// The command that tells a position, in the program's own dialect.
pub fn position(text: &str) -> String {
    format!("position fen {text}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: Said) {
        assert_eq!(read(line), expected, "{line}");
    }

    #[test]
    fn words_of_the_protocol() {
        check("uciok", Said::UciOk);
        check(" uciok\r", Said::UciOk);
        check("readyok", Said::ReadyOk);
        check("id name Fairy-Stockfish 14", Said::Nothing);
        check("", Said::Nothing);
        check("info string NNUE off", Said::Text("NNUE off"));
        check("info string", Said::Text(""));
        check("Fairy-Stockfish 14 by others", Said::Unknown("Fairy-Stockfish 14 by others"));
        // Near misses.
        check("uciok2", Said::Unknown("uciok2"));
        check("UCIOK", Said::Unknown("UCIOK"));
        check("info stringy", Said::Info(Info::default()));
    }

    #[test]
    fn best_moves() {
        check("bestmove h3e3", Said::BestMove(Some("h3e3")));
        check("bestmove h3e3 ponder h10g8", Said::BestMove(Some("h3e3")));
        check("bestmove  h3e3 ", Said::BestMove(Some("h3e3")));
        for none in ["bestmove", "bestmove (none)", "bestmove 0000", "bestmove (none) ponder a"] {
            check(none, Said::BestMove(None));
        }
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
            read(&line);
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
            read(&words.join(" "));
        }
    }
}
