//! Reports of a search. Numbers that are invalid or too large are ignored, because nothing depends
//! on a report.

use std::iter::Peekable;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

/// The arguments of `info` that the host uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The depth in plies.
    pub depth: Option<u32>,
    /// The number of nodes searched.
    pub nodes: Option<u64>,
    /// The rank among several lines; 1 is the best.
    pub rank: Option<u16>,
    /// The score in hundredths, from the side to move.
    pub score: Option<Score>,
    /// The moves of the line, in the program's dialect.
    pub moves: Vec<String>,
}

/// Reads the arguments of `info`.
pub(crate) fn parse(text: &str) -> Info {
    let mut info = Info::default();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = number(words.next()),
            "nodes" => info.nodes = number(words.next()),
            "multipv" => info.rank = number(words.next()),
            "score" => info.score = score_of(&mut words),
            // The moves are the rest of the line.
            "pv" => info.moves = words.by_ref().map(str::to_owned).collect(),
            "string" => break,
            _ => (),
        }
    }
    info
}

/// Reads the arguments of `score`: unit, value and bound. None: they are invalid.
pub fn score_of<'t>(words: &mut Peekable<impl Iterator<Item = &'t str>>) -> Option<Score> {
    let (unit, value) = (words.next()?, number::<i32>(words.next())?);
    let bound = match words.peek() {
        Some(&"lowerbound") => Bound::AtLeast,
        Some(&"upperbound") => Bound::AtMost,
        _ => Bound::Estimate,
    };
    let value = match unit {
        "cp" => value.clamp(-WIN_SCORE, WIN_SCORE),
        "mate" => mate(value),
        _ => return None,
    };
    Some(Score { value, bound })
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// The score of a mate in this number of moves of the side to move; zero or less: that side is
/// mated.
fn mate(moves: i32) -> i32 {
    let plies = moves.saturating_abs().saturating_mul(2).min(WIN_SCORE);
    match moves > 0 {
        true => WIN_SCORE - (plies - 1),
        false => -(WIN_SCORE - plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(value: i32, bound: Bound) -> Option<Score> {
        Some(Score { value, bound })
    }

    #[test]
    fn a_whole_line() {
        let info = parse(
            "depth 8 seldepth 11 multipv 1 score cp 34 nodes 10001 nps 909181 tbhits 0 time 11 pv \
             h3e3 h10g8",
        );
        let moves = ["h3e3", "h10g8"].map(str::to_owned).to_vec();
        let score = score(34, Bound::Estimate);
        assert_eq!(info, Info { depth: Some(8), nodes: Some(10_001), rank: Some(1), score, moves });
    }

    #[test]
    fn scores() {
        let check = |text: &str, expected: Option<Score>| {
            assert_eq!(parse(text).score, expected, "{text}");
        };
        check("score cp -12", score(-12, Bound::Estimate));
        check("score cp 12 lowerbound nodes 3", score(12, Bound::AtLeast));
        check("score cp 12 upperbound", score(12, Bound::AtMost));
        check("score cp 999999", score(30_000, Bound::Estimate));
        // Mate in one move is one ply. Minus one: the opponent mates after one move.
        check("score mate 1", score(29_999, Bound::Estimate));
        check("score mate 2", score(29_997, Bound::Estimate));
        check("score mate -1", score(-29_998, Bound::Estimate));
        check("score mate 0", score(-30_000, Bound::Estimate));
        check("score mate -2147483648", score(0, Bound::Estimate));
        check("score cp", None);
        check("score cp twelve", None);
        check("score wdl 1 2 3", None);
        check("currmove a1a2 currmovenumber 1", None);
    }

    #[test]
    fn invalid_numbers() {
        assert_eq!(parse("depth -1 nodes 1e6 multipv 70000"), Info::default());
        // Words of a text are not keywords.
        assert_eq!(parse("string depth 3"), Info::default());
        assert_eq!(parse("depth 3 string nodes 9").nodes, None);
    }
}
