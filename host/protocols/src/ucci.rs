//! UCCI 3.0, the universal Chinese chess protocol: the lines of the host and of the engine.
//! Positions and moves are texts, for any game.

mod go;

use crate::{GameSupport, ProtocolInfo};

pub use go::{Clocks, go};

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

use crate::uci::{Info, OfferedOption, parse_option, score_of};

/// The row of UCCI in the table of protocols.
pub(crate) const INFO: ProtocolInfo = ProtocolInfo {
    word: "ucci",
    games: GameSupport::Any,
    stop_command: Some("stop"),
    has_dialects: true,
    allows_option_names: true,
    accepts_carriage_return: false,
};

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// An offered option. None: the line is not a valid option.
    Option(Option<OfferedOption>),
    /// The engine has sent its name and its options.
    UcciOk,
    /// The engine has processed all commands.
    ReadyOk,
    /// A text for the user.
    Text(&'a str),
    /// A report of the search.
    Info(Info),
    /// The engine's choice.
    BestMove(ChosenMove<'a>),
    /// The engine has no move.
    NoBestMove,
    /// An empty line, or one that the host ignores, such as the name.
    Nothing,
    /// A line that is not part of the protocol.
    Unknown(&'a str),
}

/// The arguments of `bestmove`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChosenMove<'a> {
    /// The move; empty if there is none.
    pub mv: &'a str,
    /// Whether it offers a draw, or accepts the offered one.
    pub draws: bool,
    /// Whether it resigns.
    pub resigns: bool,
}

/// Reads a line, without its line end.
pub fn parse(line: &str) -> Message<'_> {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_ascii_start();
    match word {
        "ucciok" => Message::UcciOk,
        "readyok" => Message::ReadyOk,
        // The same words as in UCI, without `name` before them.
        "option" => Message::Option(parse_option(&format!("name {rest}"))),
        "info" => match rest.strip_prefix("message") {
            Some(text) if text.is_empty() || text.starts_with([' ', '\t']) => {
                Message::Text(text.trim_ascii())
            }
            _ => Message::Info(info(rest)),
        },
        "bestmove" => {
            let mut words = rest.split_ascii_whitespace();
            let mut best =
                ChosenMove { mv: words.next().unwrap_or_default(), ..ChosenMove::default() };
            while let Some(word) = words.next() {
                match word {
                    "ponder" => drop(words.next()),
                    "draw" => best.draws = true,
                    "resign" => best.resigns = true,
                    _ => (),
                }
            }
            Message::BestMove(best)
        }
        "nobestmove" => Message::NoBestMove,
        "" | "id" | "bye" | "pophash" => Message::Nothing,
        _ => Message::Unknown(line),
    }
}

/// Reads the arguments of `info`. Invalid numbers are ignored.
fn info(text: &str) -> Info {
    let mut info = Info::default();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next().and_then(|word| word.parse().ok()),
            "nodes" => info.nodes = words.next().and_then(|word| word.parse().ok()),
            // Some programs write the score as in UCI.
            "score" if matches!(words.peek(), Some(&("cp" | "mate"))) => {
                info.score = score_of(&mut words);
            }
            "score" => {
                let value = words.next().and_then(|word| word.parse::<i32>().ok());
                let clamped = value.map(|value| value.clamp(-WIN_SCORE, WIN_SCORE));
                info.score = clamped.map(|value| Score { value, bound: Bound::Estimate });
            }
            "pv" => info.moves = words.by_ref().map(str::to_owned).collect(),
            "message" => break,
            _ => (),
        }
    }
    info
}

/// The command that sets an option. A button has no value.
pub fn set_option(name: &str, value: &str) -> String {
    format!("setoption {name} {value}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::uci::OptionType;

    fn check(line: &str, expected: Message) {
        assert_eq!(parse(line), expected, "{line}");
    }

    #[test]
    fn words_of_the_protocol() {
        check("ucciok", Message::UcciOk);
        check("readyok\r", Message::ReadyOk);
        check("nobestmove", Message::NoBestMove);
        check("bye", Message::Nothing);
        check("id name ElephantEye", Message::Nothing);
        check("info message it is late", Message::Text("it is late"));
        let spin = OfferedOption {
            name: "hashsize".into(),
            accepts: OptionType::Spin(0, 1024),
            initial: Some("0".into()),
        };
        check("option hashsize type spin min 0 max 1024 default 0", Message::Option(Some(spin)));
        let press =
            OfferedOption { name: "newgame".into(), accepts: OptionType::Button, initial: None };
        check("option newgame type button", Message::Option(Some(press)));
        check("option promotion type label", Message::Option(None));
        check("UCCIOK", Message::Unknown("UCCIOK"));
    }

    #[test]
    fn best_moves() {
        let best = |mv, draws, resigns| Message::BestMove(ChosenMove { mv, draws, resigns });
        check("bestmove h2e2", best("h2e2", false, false));
        check("bestmove h2e2 ponder h9g7 draw", best("h2e2", true, false));
        check("bestmove h2e2 resign", best("h2e2", false, true));
        // The word after `ponder` is a move, not a keyword.
        check("bestmove h2e2 ponder draw", best("h2e2", false, false));
        check("bestmove", best("", false, false));
    }

    #[test]
    fn reports() {
        let found = info("depth 6 score -24 pv h2e2 h9g7");
        assert_eq!((found.depth, found.score.map(|it| it.value)), (Some(6), Some(-24)));
        assert_eq!(found.moves, ["h2e2", "h9g7"]);
        assert_eq!(info("time 12 nodes x"), Info::default());
        let check = |text: &str, expected: Option<i32>| {
            assert_eq!(info(text).score.map(|it| it.value), expected, "{text}");
        };
        check("score 999999", Some(WIN_SCORE));
        check("score cp -7 nodes 9", Some(-7));
        check("score mate 1 pv h2e2", Some(WIN_SCORE - 1));
        check("score cp", None);
        check("score good 3", None);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>(), word in "(info|option|bestmove) [a-z0-9 -]{0,30}") {
            parse(&line);
            parse(&word);
        }
    }
}
