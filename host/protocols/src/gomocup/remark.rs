//! Remarks about the search in `MESSAGE`, which the protocol does not define. Rapfi, and programs
//! that follow it, write `Depth 12-20 | Eval 35 | Time 1.2s | H8 I9`, and at the end `Bestline H8
//! I9`.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Score};

/// What a program says about its search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// The score from the program's side.
    pub score: Option<Score>,
    /// The depth in plies, without extensions.
    pub depth: Option<u32>,
    /// The number of nodes.
    pub nodes: Option<u64>,
    /// The moves: a letter for the column and the number of the row, in lower case.
    pub moves: Vec<String>,
}

/// Reads the text of a `MESSAGE`. None: it is no remark about the search.
pub fn parse_remark(text: &str) -> Option<Remark> {
    let mut remark = Remark::default();
    if let Some(line) = text.strip_prefix("Bestline ") {
        remark.moves = moves(line)?;
        return Some(remark);
    }
    for part in text.split('|').map(str::trim) {
        let (name, value) = part.split_once(' ').unwrap_or((part, ""));
        match name {
            "Depth" => remark.depth = value.split('-').next()?.trim().parse().ok(),
            "Eval" => remark.score = Some(score(value.trim())?),
            "Node" | "Visit" => remark.nodes = number(value.trim()),
            "Time" | "Speed" => (),
            _ => remark.moves = moves(part)?,
        }
    }
    remark.score.is_some().then_some(remark)
}

/// A score: a whole number, or `+M7` for a forced win in seven plies.
fn score(text: &str) -> Option<Score> {
    let mate =
        |rest: &str| rest.parse::<u32>().ok().map(|plies| i64::from(WIN_SCORE) - i64::from(plies));
    let value = match (text.strip_prefix("+M"), text.strip_prefix("-M")) {
        (Some(plies), _) => mate(plies)?,
        (_, Some(plies)) => -mate(plies)?,
        _ => text.parse::<i64>().ok()?,
    };
    let value = value.clamp(-i64::from(WIN_SCORE), i64::from(WIN_SCORE)) as i32;
    Some(Score { value, bound: Bound::Estimate })
}

/// A number with a unit: `950`, `12K`, `3M`, `2G`.
fn number(text: &str) -> Option<u64> {
    let (digits, factor) = match text.char_indices().last()? {
        (at, 'K') => (&text[..at], 1_000),
        (at, 'M') => (&text[..at], 1_000_000),
        (at, 'G') => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Moves separated by blanks: `H8 I9`.
fn moves(text: &str) -> Option<Vec<String>> {
    let one = |word: &str| {
        let word = word.to_ascii_lowercase();
        let (letter, row) = word.split_at_checked(1)?;
        let is_letter = letter.bytes().all(|byte| byte.is_ascii_lowercase());
        (is_letter && row.parse::<u8>().is_ok()).then_some(word)
    };
    let moves: Vec<String> = text.split_whitespace().map(one).collect::<Option<_>>()?;
    (!moves.is_empty()).then_some(moves)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = parse_remark(text).map(|remark| {
            let score = remark.score.map(|score| score.value);
            let moves = remark.moves.join(" ");
            format!("{score:?} {:?} {:?} {moves}", remark.depth, remark.nodes)
        });
        assert_eq!(shown.unwrap_or_default(), expected, "{text}");
    }

    #[test]
    fn remarks_of_rapfi() {
        check("Depth 12-20 | Eval 35 | Time 1.2s | H8 I9", "Some(35) Some(12) None h8 i9");
        check("Depth 9-31 | Eval -M12 | Time 85ms | H8", "Some(-29988) Some(9) None h8");
        check(
            "Speed 812K | Depth 20-31 | Eval +M7 | Node 3M | Time 2s",
            "Some(29993) Some(20) Some(3000000) ",
        );
        check("Bestline H8 I9 J10", "None None None h8 i9 j10");
        check("Eval 99999999", "Some(30000) None None ");
        // Near misses.
        check("OptiTime 1.2s | MaxTime 3s", "");
        check("Depth 12-20 | Time 1.2s | H8", "");
        check("Depth 12-20 | Eval good | H8", "");
        check("Depth 12-20 | Eval 3 | good move", "");
        check("Bestline", "");
        check("Bestline none", "");
        check("hello", "");
        check("", "");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(Depth |Eval |Node |Bestline |[|]| |[-+MKG0-9a-zé]){0,20}") {
            parse_remark(&text);
        }
    }
}
