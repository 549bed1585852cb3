//! What a program says in the protocol `sandboard`, line by line: read strictly, for who writes it writes it for us.
//! A line that is none is an error with the reason.

use std::str::FromStr;

use sandboard_abi::{Bound, Description, GameSpec, Level, Line, Score};

/// A line of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// The game can begin.
    Ready,
    /// It is at rest.
    Pong,
    /// It asks for the legal moves after this line of moves.
    Legal(&'a str),
    /// It asks for the position after this line of moves.
    Look(&'a str),
    /// It asks what is left of the choice.
    Left,
    /// What it has found so far; what was spent is the host's to say.
    Report(Line),
    /// Words for people.
    Log(Level, &'a str),
    /// The move that it chooses.
    Play {
        /// Its text.
        mv: &'a str,
        /// Whether it offers a draw with it.
        offers_draw: bool,
    },
    /// It gives up.
    Resign,
    /// It takes the draw that is offered.
    AcceptDraw,
    /// It cannot go on, for this reason.
    Error(&'a str),
}

impl<'a> Said<'a> {
    /// Reads a line. Err: why it is none of the protocol's.
    pub fn read(line: &'a str) -> Result<Self, String> {
        let (word, rest) = split(line);
        let alone = |said: Self| match rest {
            "" => Ok(said),
            _ => Err(format!("nothing is to stand behind `{word}`")),
        };
        match word {
            "ready" => alone(Said::Ready),
            "pong" => alone(Said::Pong),
            "left" => alone(Said::Left),
            "resign" => alone(Said::Resign),
            "accept-draw" => alone(Said::AcceptDraw),
            "legal" => Ok(Said::Legal(rest)),
            "look" => Ok(Said::Look(rest)),
            "error" => Ok(Said::Error(rest)),
            "report" => report(rest).map(Said::Report),
            "log" => {
                let (level, text) = split(rest);
                let level = match level {
                    "warning" => Level::Warning,
                    "info" => Level::Info,
                    "debug" => Level::Debug,
                    _ => return Err("behind `log` is to be warning, info or debug".into()),
                };
                Ok(Said::Log(level, text))
            }
            "play" => match split(rest) {
                ("", _) => Err("behind `play` is to be a move".into()),
                (mv, "") => Ok(Said::Play { mv, offers_draw: false }),
                (mv, "offer-draw") => Ok(Said::Play { mv, offers_draw: true }),
                _ => Err("behind the move may be `offer-draw` and nothing else".into()),
            },
            _ => Err("it begins with no word of the protocol".into()),
        }
    }
}

/// The first word, and what follows it without blanks around.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    let (word, rest) =
        text.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((text, ""));
    (word, rest.trim_ascii())
}

/// What stands behind `report`: words with their numbers, in any order, and `moves` with the rest.
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
    number
        .parse()
        .map_err(|_| format!("behind `{word}` is to be a number of its range, not `{number}`"))
}

/// What a program says that it is, line by line until `described`.
#[derive(Clone, Debug, Default)]
pub struct About(Description);

impl About {
    /// Most games that it may name.
    const GAMES: usize = 64;

    /// Hears a line. Some: that was all. Err: why it is none.
    pub fn hear(&mut self, line: &str) -> Result<Option<Description>, String> {
        let (word, rest) = split(line);
        let about = &mut self.0;
        match word {
            "id" => rest.clone_into(&mut about.id),
            "name" => rest.clone_into(&mut about.name),
            "author" => rest.clone_into(&mut about.author),
            "version" => rest.clone_into(&mut about.version),
            "game" if rest.is_empty() => return Err("behind `game` is to be a game's id".into()),
            "game" if about.games.len() == Self::GAMES => {
                return Err(format!("it names more than {} games", Self::GAMES));
            }
            "game" => {
                let (game, variants) = split(rest);
                let variants = variants.split_ascii_whitespace().map(str::to_owned).collect();
                about.games.push(GameSpec { game: game.to_owned(), variants });
            }
            "described" => return Ok(Some(std::mem::take(about))),
            _ => return Err("it begins with no word of a description".into()),
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
        let check =
            |line: &str, expected: Said| assert_eq!(Said::read(line), Ok(expected), "{line}");
        check("ready", Said::Ready);
        check(" pong \r", Said::Pong);
        check("left", Said::Left);
        check("legal", Said::Legal(""));
        check("legal f5 d6", Said::Legal("f5 d6"));
        check("look  f5", Said::Look("f5"));
        check("log info a  b", Said::Log(Level::Info, "a  b"));
        check("log warning", Said::Log(Level::Warning, ""));
        check("play f5", Said::Play { mv: "f5", offers_draw: false });
        check("play f5 offer-draw", Said::Play { mv: "f5", offers_draw: true });
        check("resign", Said::Resign);
        check("accept-draw", Said::AcceptDraw);
        check("error out of ideas", Said::Error("out of ideas"));
        check("error", Said::Error(""));
    }

    #[test]
    fn what_is_no_line() {
        let check = |line: &str, why: &str| {
            assert_eq!(Said::read(line), Err(why.to_owned()), "{line}");
        };
        let none = "it begins with no word of the protocol";
        check("", none);
        check("f5", none);
        check("Ready", none);
        check("readyok", none);
        check("bestmove f5", none);
        check("ready now", "nothing is to stand behind `ready`");
        check("left 3", "nothing is to stand behind `left`");
        check("play", "behind `play` is to be a move");
        check("play f5 d6", "behind the move may be `offer-draw` and nothing else");
        check("play f5 offer-draw now", "behind the move may be `offer-draw` and nothing else");
        check("log fatal x", "behind `log` is to be warning, info or debug");
        check("log", "behind `log` is to be warning, info or debug");
        check("report f5", "a report has no `f5`");
        check("report depth", "behind `depth` is to be a number of its range, not ``");
        check("report rank 65536", "behind `rank` is to be a number of its range, not `65536`");
        check(
            "report score 1.5 moves a",
            "behind `score` is to be a number of its range, not `1.5`",
        );
    }

    #[test]
    fn reports() {
        let check = |text: &str, expected: Line| {
            assert_eq!(Said::read(text), Ok(Said::Report(expected)), "{text}");
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
            let mut about = About::default();
            let mut found = Ok(None);
            for line in lines.lines() {
                found = about.hear(line);
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
        check("game", Err("behind `game` is to be a game's id"));
        check("ready", Err("it begins with no word of a description"));
        check(&"game x\n".repeat(65), Err("it names more than 64 games"));
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>()) {
            let _ = Said::read(&line);
            let _ = Said::read(&format!("report {line}"));
            let _ = About::default().hear(&line);
        }
    }
}
