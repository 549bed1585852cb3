//! UCCI 3.0, the universal Chinese chess protocol, as texts: what is said to a program, and what its lines say. Positions and
//! moves are texts here, whatever the game. Holds no state, asks nobody.

mod go;
#[cfg(target_os = "linux")]
pub(super) mod talk;

pub use go::{Going, go};

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

use super::uci::{Info, Offered, offer_of, score_of};

/// What a line of a program says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// It offers an option. None: the line says so and is no offer.
    Option(Option<Offered>),
    /// It has said who it is and what can be set.
    UcciOk,
    /// It has done all that it was told before.
    ReadyOk,
    /// A text for people.
    Text(&'a str),
    /// What its search has found so far.
    Info(Info),
    /// It has chosen.
    BestMove(Best<'a>),
    /// It has no move.
    NoBestMove,
    /// Who it is, or what this host has no use for.
    Nothing,
    /// None of the protocol's words.
    Unknown(&'a str),
}

/// A choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Best<'a> {
    /// The move; empty: there is none.
    pub mv: &'a str,
    /// It offers a draw, or takes the one that is offered.
    pub draws: bool,
    /// It gives up.
    pub resigns: bool,
}

/// What the line says, without its line end.
pub fn read(line: &str) -> Said<'_> {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim_ascii_start();
    match word {
        "ucciok" => Said::UcciOk,
        "readyok" => Said::ReadyOk,
        // The same words as in UCI, but for `name` before them.
        "option" => Said::Option(offer_of(&format!("name {rest}"))),
        "info" => match rest.strip_prefix("message") {
            Some(text) if text.is_empty() || text.starts_with([' ', '\t']) => {
                Said::Text(text.trim_ascii())
            }
            _ => Said::Info(info(rest)),
        },
        "bestmove" => {
            let mut words = rest.split_ascii_whitespace();
            let mut best = Best { mv: words.next().unwrap_or_default(), ..Best::default() };
            while let Some(word) = words.next() {
                match word {
                    "ponder" => drop(words.next()),
                    "draw" => best.draws = true,
                    "resign" => best.resigns = true,
                    _ => (),
                }
            }
            Said::BestMove(best)
        }
        "nobestmove" => Said::NoBestMove,
        "" | "id" | "bye" | "pophash" => Said::Nothing,
        _ => Said::Unknown(line),
    }
}

/// What stands behind `info`; what is no number is left out.
fn info(text: &str) -> Info {
    let mut info = Info::default();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next().and_then(|word| word.parse().ok()),
            "nodes" => info.nodes = words.next().and_then(|word| word.parse().ok()),
            // Some say it as in UCI.
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

/// The command that sets an option; one that is pressed has no value.
pub fn set_option(name: &str, value: &str) -> String {
    format!("setoption {name} {value}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::process::uci::Takes;

    fn check(line: &str, expected: Said) {
        assert_eq!(read(line), expected, "{line}");
    }

    #[test]
    fn words_of_the_protocol() {
        check("ucciok", Said::UcciOk);
        check("readyok\r", Said::ReadyOk);
        check("nobestmove", Said::NoBestMove);
        check("bye", Said::Nothing);
        check("id name ElephantEye", Said::Nothing);
        check("info message it is late", Said::Text("it is late"));
        let spin = Offered { name: "hashsize".into(), takes: Takes::Spin(0, 1024) };
        check("option hashsize type spin min 0 max 1024 default 0", Said::Option(Some(spin)));
        let press = Offered { name: "newgame".into(), takes: Takes::Button };
        check("option newgame type button", Said::Option(Some(press)));
        check("option promotion type label", Said::Option(None));
        check("UCCIOK", Said::Unknown("UCCIOK"));
    }

    #[test]
    fn best_moves() {
        let best = |mv, draws, resigns| Said::BestMove(Best { mv, draws, resigns });
        check("bestmove h2e2", best("h2e2", false, false));
        check("bestmove h2e2 ponder h9g7 draw", best("h2e2", true, false));
        check("bestmove h2e2 resign", best("h2e2", false, true));
        // A word that is to be pondered is no word of its own.
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
            read(&line);
            read(&word);
        }
    }
}
