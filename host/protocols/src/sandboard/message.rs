//! The lines of a program in the Sandboard protocol. Reading is strict, because such programs are
//! written for Sandboard: an invalid line is an error with the reason.

use std::str::FromStr;

use sandboard_abi::{Bound, Description, GameSpec, Level, Line, Score};

/// A line of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'a> {
    /// The game can start.
    Ready,
    /// The program is idle.
    Pong,
    /// Requests the legal moves after this line of moves.
    Legal(&'a str),
    /// Requests the position after this line of moves.
    Look(&'a str),
    /// Requests the rest of the time for the choice.
    Left,
    /// A report of the search. Its usage is zero; the host measures it.
    Report(Line),
    /// A text for the log.
    Log(Level, &'a str),
    /// The chosen move.
    Play {
        /// The text of the move.
        mv: &'a str,
        /// Whether the move comes with a draw offer.
        offers_draw: bool,
    },
    /// The program resigns.
    Resign,
    /// The program accepts the draw offer.
    AcceptDraw,
    /// The program cannot continue, for this reason.
    Error(&'a str),
}

impl<'a> Message<'a> {
    /// Reads a line. Err: why the line is invalid.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let (word, rest) = split(line);
        let without_arguments = |message: Self| match rest {
            "" => Ok(message),
            _ => Err(format!("unexpected arguments of `{word}`")),
        };
        match word {
            "ready" => without_arguments(Message::Ready),
            "pong" => without_arguments(Message::Pong),
            "left" => without_arguments(Message::Left),
            "resign" => without_arguments(Message::Resign),
            "accept-draw" => without_arguments(Message::AcceptDraw),
            "legal" => Ok(Message::Legal(rest)),
            "look" => Ok(Message::Look(rest)),
            "error" => Ok(Message::Error(rest)),
            "report" => report(rest).map(Message::Report),
            "log" => {
                let (level, text) = split(rest);
                let level = match level {
                    "warning" => Level::Warning,
                    "info" => Level::Info,
                    "debug" => Level::Debug,
                    _ => return Err("`log` needs warning, info or debug".into()),
                };
                Ok(Message::Log(level, text))
            }
            "play" => match split(rest) {
                ("", _) => Err("`play` needs a move".into()),
                (mv, "") => Ok(Message::Play { mv, offers_draw: false }),
                (mv, "offer-draw") => Ok(Message::Play { mv, offers_draw: true }),
                _ => Err("only `offer-draw` may follow the move".into()),
            },
            _ => Err("its first word is not part of the protocol".into()),
        }
    }
}

/// The first word, and the rest without surrounding blanks.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    let (word, rest) =
        text.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((text, ""));
    (word, rest.trim_ascii())
}

/// Reads the arguments of `report`: words with their numbers, in any order, and `moves` with the
/// rest.
fn report(text: &str) -> Result<Line, String> {
    let mut line = Line { rank: 1, ..Line::default() };
    let mut rest = text;
    while !rest.is_empty() {
        let (word, behind) = split(rest);
        if word == "moves" {
            behind.clone_into(&mut line.moves);
            break;
        }
        let (number, behind) = split(behind);
        rest = behind;
        match word {
            "rank" => line.rank = value(word, number)?,
            "depth" => line.depth = value(word, number)?,
            "nodes" => line.nodes = value(word, number)?,
            "score" => {
                let (next, behind) = split(rest);
                let bound = match next {
                    "estimate" => Some(Bound::Estimate),
                    "at-least" => Some(Bound::AtLeast),
                    "at-most" => Some(Bound::AtMost),
                    "exact" => Some(Bound::Exact),
                    _ => None,
                };
                if bound.is_some() {
                    rest = behind;
                }
                let bound = bound.unwrap_or_default();
                line.score = Some(Score { value: value(word, number)?, bound });
            }
            _ => return Err(format!("a report has no `{word}`")),
        }
    }
    Ok(line)
}

fn value<T: FromStr>(word: &str, number: &str) -> Result<T, String> {
    number.parse().map_err(|_| format!("`{word}` needs a number in its range, not `{number}`"))
}

/// Reads a program's description, line by line until `described`.
#[derive(Clone, Debug, Default)]
pub struct DescriptionParser(Description);

impl DescriptionParser {
    /// The most games that a description may name.
    const GAMES: usize = 64;

    /// Reads a line. Some: the description is complete. Err: why the line is invalid.
    pub fn add_line(&mut self, line: &str) -> Result<Option<Description>, String> {
        let (word, rest) = split(line);
        let about = &mut self.0;
        match word {
            "id" => rest.clone_into(&mut about.id),
            "name" => rest.clone_into(&mut about.name),
            "author" => rest.clone_into(&mut about.author),
            "version" => rest.clone_into(&mut about.version),
            "game" if rest.is_empty() => return Err("`game` needs a game's id".into()),
            "game" if about.games.len() == Self::GAMES => {
                return Err(format!("it names more than {} games", Self::GAMES));
            }
            "game" => {
                let (game, variants) = split(rest);
                let variants = variants.split_ascii_whitespace().map(str::to_owned).collect();
                about.games.push(GameSpec { game: game.to_owned(), variants });
            }
            "described" => return Ok(Some(std::mem::take(about))),
            _ => return Err("its first word is not part of a description".into()),
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_the_protocol() {
        let check = |line: &str, expected: Message| {
            assert_eq!(Message::parse(line), Ok(expected), "{line}")
        };
        check("ready", Message::Ready);
        check(" pong \r", Message::Pong);
        check("left", Message::Left);
        check("legal", Message::Legal(""));
        check("legal f5 d6", Message::Legal("f5 d6"));
        check("look  f5", Message::Look("f5"));
        check("log info a  b", Message::Log(Level::Info, "a  b"));
        check("log warning", Message::Log(Level::Warning, ""));
        check("play f5", Message::Play { mv: "f5", offers_draw: false });
        check("play f5 offer-draw", Message::Play { mv: "f5", offers_draw: true });
        check("resign", Message::Resign);
        check("accept-draw", Message::AcceptDraw);
        check("error out of ideas", Message::Error("out of ideas"));
        check("error", Message::Error(""));
    }

    #[test]
    fn invalid_lines() {
        let check = |line: &str, why: &str| {
            assert_eq!(Message::parse(line), Err(why.to_owned()), "{line}");
        };
        let none = "its first word is not part of the protocol";
        check("", none);
        check("f5", none);
        check("Ready", none);
        check("readyok", none);
        check("bestmove f5", none);
        check("ready now", "unexpected arguments of `ready`");
        check("left 3", "unexpected arguments of `left`");
        check("play", "`play` needs a move");
        check("play f5 d6", "only `offer-draw` may follow the move");
        check("play f5 offer-draw now", "only `offer-draw` may follow the move");
        check("log fatal x", "`log` needs warning, info or debug");
        check("log", "`log` needs warning, info or debug");
        check("report f5", "a report has no `f5`");
        check("report depth", "`depth` needs a number in its range, not ``");
        check("report rank 65536", "`rank` needs a number in its range, not `65536`");
        check("report score 1.5 moves a", "`score` needs a number in its range, not `1.5`");
    }

    #[test]
    fn reports() {
        let check = |text: &str, expected: Line| {
            assert_eq!(Message::parse(text), Ok(Message::Report(expected)), "{text}");
        };
        let line = Line { rank: 1, ..Line::default() };
        check("report", line.clone());
        check("report moves", line.clone());
        let score = |value, bound| Some(Score { value, bound });
        check(
            "report rank 2 score -5 at-most depth 3 nodes 18446744073709551615 moves f5 depth 9",
            Line {
                rank: 2,
                score: score(-5, Bound::AtMost),
                depth: 3,
                nodes: u64::MAX,
                spent: 0,
                moves: "f5 depth 9".into(),
            },
        );
        check("report score 7", Line { score: score(7, Bound::Estimate), ..line.clone() });
        let proved = Line { score: score(29_999, Bound::Exact), ..line.clone() };
        check("report score 29999 exact moves e1", Line { moves: "e1".into(), ..proved });
        let least = Line { score: score(1, Bound::AtLeast), ..line };
        check("report score 1 at-least depth 2", Line { depth: 2, ..least });
    }

    #[test]
    fn descriptions() {
        let check = |lines: &str, expected: Result<Option<&str>, &str>| {
            let mut parser = DescriptionParser::default();
            let mut found = Ok(None);
            for line in lines.lines() {
                found = parser.add_line(line);
            }
            let found = found.map(|it| it.map(|it| format!("{} {:?}", it.name, it.games)));
            let found = found.as_ref().map(Option::as_deref).map_err(String::as_str);
            assert_eq!(found, expected, "{lines}");
        };
        check("id mine\nname My  Engine\nversion 1", Ok(None));
        check("name My  Engine\ndescribed", Ok(Some("My  Engine []")));
        check(
            "game gomoku\ngame reversi standard-6 standard-8\ndescribed",
            Ok(Some(
                " [GameSpec { game: \"gomoku\", variants: [] }, \
                 GameSpec { game: \"reversi\", variants: [\"standard-6\", \"standard-8\"] }]",
            )),
        );
        check("game", Err("`game` needs a game's id"));
        check("ready", Err("its first word is not part of a description"));
        check(&"game x\n".repeat(65), Err("it names more than 64 games"));
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>()) {
            let _ = Message::parse(&line);
            let _ = Message::parse(&format!("report {line}"));
            let _ = DescriptionParser::default().add_line(&line);
        }
    }
}
