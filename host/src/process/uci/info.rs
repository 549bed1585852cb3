//! What a program says of its search. Numbers that are none, or too large, are left out: a
//! report is no answer.

use std::iter::Peekable;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

/// A line of `info`, as far as it says something that a host shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// In plies.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// 1: the best of several lines.
    pub rank: Option<u16>,
    /// In hundredths, from the mover's side.
    pub score: Option<Score>,
    /// The moves of its line, in the program's dialect.
    pub moves: Vec<String>,
}

/// What stands behind `info`.
pub(super) fn read(text: &str) -> Info {
    let mut info = Info::default();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = number(words.next()),
            "nodes" => info.nodes = number(words.next()),
            "multipv" => info.rank = number(words.next()),
            "score" => info.score = score_of(&mut words),
            // All that is left of the line.
            "pv" => info.moves = words.by_ref().map(str::to_owned).collect(),
            "string" => break,
            _ => (),
        }
    }
    info
}

/// The score behind the word for one: its unit, its value and what bounds it. None: it is none.
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

/// The score of a mate in so many moves of the mover; below one he is mated.
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
        let info = read(
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
            assert_eq!(read(text).score, expected, "{text}");
        };
        check("score cp -12", score(-12, Bound::Estimate));
        check("score cp 12 lowerbound nodes 3", score(12, Bound::AtLeast));
        check("score cp 12 upperbound", score(12, Bound::AtMost));
        check("score cp 999999", score(30_000, Bound::Estimate));
        // In one move of mine: one ply. In one of mine he then makes: two.
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
    fn numbers_that_are_none() {
        assert_eq!(read("depth -1 nodes 1e6 multipv 70000"), Info::default());
        // The words of a text are none of the search's.
        assert_eq!(read("string depth 3"), Info::default());
        assert_eq!(read("depth 3 string nodes 9").nodes, None);
    }
}
