//! The notations of moves that programs use instead of the game's own. Knows no game: a move is
//! letters and numbers.

use serde::Serialize;

/// The notation in which a program writes moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// The notation of the game.
    #[default]
    Same,
    /// Ranks count from 1 instead of 0: `h3e3` for `h2e2`, `a10` for `a9`.
    RanksFromOne,
}

/// The words of the dialects in manifests.
pub const WORDS: &[&str] = &["same", "ranks-from-1"];

impl Dialect {
    /// The dialect with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "same" => Some(Self::Same),
            "ranks-from-1" => Some(Self::RanksFromOne),
            _ => None,
        }
    }

    /// Its word in manifests.
    pub fn word(self) -> &'static str {
        WORDS[self as usize]
    }

    /// Converts a move of the game to the program's notation.
    pub fn to_program(self, mv: &str) -> String {
        match self {
            Self::Same => mv.to_owned(),
            Self::RanksFromOne => {
                map_numbers(mv, |rank| rank.checked_add(1)).unwrap_or_else(|| mv.to_owned())
            }
        }
    }

    /// Converts a move of the program to the game's notation. None: no move has this text.
    pub fn to_game(self, mv: &str) -> Option<String> {
        match self {
            Self::Same => Some(mv.to_owned()),
            Self::RanksFromOne => map_numbers(mv, |rank| rank.checked_sub(1)),
        }
    }

    /// Converts a position text, which may contain moves after the word `moves`, to the program's
    /// notation.
    pub fn position(self, text: &str) -> String {
        let Some((position, moves)) = text.split_once(" moves ") else { return text.to_owned() };
        let moves: Vec<String> =
            moves.split_ascii_whitespace().map(|mv| self.to_program(mv)).collect();
        format!("{position} moves {}", moves.join(" "))
    }
}

/// Changes all numbers in a text. A text without numbers, such as `pass`, stays the same.
fn map_numbers(text: &str, change: impl Fn(u32) -> Option<u32>) -> Option<String> {
    let (mut out, mut rest) = (String::with_capacity(text.len() + 2), text);
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (letters, from) = rest.split_at(at);
        let end = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let (number, more) = from.split_at(end);
        out.push_str(letters);
        out.push_str(&change(number.parse().ok()?)?.to_string());
        rest = more;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_is_a_dialect_and_no_other_is() {
        let round = |word: &&&str| Dialect::from_word(word).map(Dialect::word) == Some(**word);
        assert!(WORDS.iter().all(|word| round(&word)));
        assert_eq!(Dialect::from_word("ranks-from-2"), None);
    }

    #[test]
    fn moves_both_ways() {
        let check = |dialect: Dialect, ours: &str, theirs: &str| {
            assert_eq!(dialect.to_program(ours), theirs);
            assert_eq!(dialect.to_game(theirs).as_deref(), Some(ours));
        };
        check(Dialect::Same, "h2e2", "h2e2");
        check(Dialect::RanksFromOne, "h2e2", "h3e3");
        check(Dialect::RanksFromOne, "a9i9", "a10i10");
        check(Dialect::RanksFromOne, "a0a9", "a1a10");
        check(Dialect::RanksFromOne, "pass", "pass");
    }

    #[test]
    fn texts_that_are_not_moves() {
        let check = |theirs: &str, ours: Option<&str>| {
            assert_eq!(Dialect::RanksFromOne.to_game(theirs).as_deref(), ours, "{theirs}");
        };
        check("a0b1", None);
        check("a1b1", Some("a0b0"));
        check("a99999999999999999999", None);
        check("", Some(""));
    }

    #[test]
    fn positions_with_moves_after_them() {
        let check = |dialect: Dialect, text: &str, expected: &str| {
            assert_eq!(dialect.position(text), expected);
        };
        let fen = "9/9/9/9/9/9/9/9/4k4/4K4 w - - 0 1";
        check(Dialect::RanksFromOne, fen, fen);
        check(
            Dialect::RanksFromOne,
            &format!("{fen} moves e0e1 a9b9"),
            &format!("{fen} moves e1e2 a10b10"),
        );
        check(Dialect::Same, &format!("{fen} moves e0e1"), &format!("{fen} moves e0e1"));
    }

    proptest! {
        #[test]
        fn conversion_is_reversible(from in "[a-i][0-9]", to in "[a-i][0-9]") {
            let mv = format!("{from}{to}");
            for dialect in [Dialect::Same, Dialect::RanksFromOne] {
                prop_assert_eq!(dialect.to_game(&dialect.to_program(&mv)), Some(mv.clone()));
            }
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = Dialect::RanksFromOne.to_game(&text);
            let _ = Dialect::RanksFromOne.position(&text);
        }
    }
}
