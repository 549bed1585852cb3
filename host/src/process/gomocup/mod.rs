//! The protocol of Gomocup and Piskvork, version 2 (P. Laštovička, plastovicka.github.io/protocl2en.htm), as
//! texts: what a manager says to a brain, and what a brain's lines say. Of gomoku alone. Holds no state, asks nobody.

mod board;
mod info;
#[cfg(target_os = "linux")]
pub(super) mod talk;

pub use board::{Board, Stone, point_of, text_of};
pub use info::{Times, rule_number, variant_of};

/// The variants that it can tell.
pub const VARIANTS: [&str; 5] = ["freestyle", "standard", "caro", "renju", "swap2"];

/// The word by which programs of Yixin's extension end a search.
pub const STOP: &str = "YXSTOP";

/// A point as it writes them: column and row from 0, the row from the top.
pub type Point = (u8, u8);

/// What a line of a brain says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// It has done what it was told.
    Ok,
    /// It cannot do what it was told, and why.
    Error(&'a str),
    /// It does not know what it was told.
    Unknown(&'a str),
    /// A text for people; `true`: for its author.
    Text(&'a str, bool),
    /// Its choice: one point, or several stones of an opening.
    Points(Vec<Point>),
    /// It takes the colour that does not move next.
    Swap,
    /// It would like to play here, if it is told to.
    Suggest(Point),
    /// Nothing.
    Nothing,
    /// Who it is, or none of the protocol's words.
    Other(&'a str),
}

/// What the line says, without its line end. The case of letters means nothing.
pub fn read(line: &str) -> Said<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word.to_ascii_uppercase().as_str() {
        "" => Said::Nothing,
        "OK" => Said::Ok,
        "ERROR" => Said::Error(rest),
        "UNKNOWN" => Said::Unknown(rest),
        "MESSAGE" => Said::Text(rest, false),
        "DEBUG" => Said::Text(rest, true),
        "SWAP" if rest.is_empty() => Said::Swap,
        "SUGGEST" => match points(rest).as_deref() {
            Some([point]) => Said::Suggest(*point),
            _ => Said::Other(line),
        },
        _ => points(line).map_or(Said::Other(line), Said::Points),
    }
}

/// Points of a line, `7,7` or several with blanks between; blanks around a comma do not count. None:
/// something else stands there.
pub fn points(text: &str) -> Option<Vec<Point>> {
    let numbers: Vec<u8> = text
        .split(|letter: char| letter == ',' || letter.is_whitespace())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let commas = text.matches(',').count();
    if numbers.is_empty() || numbers.len() != commas * 2 || !alternate(text) {
        return None;
    }
    Some(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// Whether each comma stands between two numbers of its own.
fn alternate(text: &str) -> bool {
    let mut parts = text.split(',').map(|part| part.split_whitespace().count());
    let last = parts.next_back();
    parts.next() == Some(1) && parts.all(|count| count == 2) && last == Some(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: Said) {
        assert_eq!(read(line), expected, "{line:?}");
    }

    #[test]
    fn words_of_the_protocol() {
        check("OK", Said::Ok);
        check("ok - everything is good\r", Said::Ok);
        check("ERROR message - unsupported size", Said::Error("message - unsupported size"));
        check("Unknown command", Said::Unknown("command"));
        check("MESSAGE depth 7 ev 12", Said::Text("depth 7 ev 12", false));
        check("debug it is", Said::Text("it is", true));
        check("SUGGEST 3,4", Said::Suggest((3, 4)));
        check("swap ", Said::Swap);
        check(" \t", Said::Nothing);
        check("name=\"x\", version=\"1\"", Said::Other("name=\"x\", version=\"1\""));
        // Near misses.
        check("OKAY", Said::Other("OKAY"));
        check("SWAP 1,2", Said::Other("SWAP 1,2"));
        check("SUGGEST", Said::Other("SUGGEST"));
    }

    #[test]
    fn points_of_a_line() {
        for one in ["7,10", " 7,10\r", "7 , 10", "7, 10", "07,10"] {
            check(one, Said::Points(vec![(7, 10)]));
        }
        check("7,7 8,7 9,9", Said::Points(vec![(7, 7), (8, 7), (9, 9)]));
        check("7 ,7 8, 7", Said::Points(vec![(7, 7), (8, 7)]));
        for none in
            ["7", "7,", ",7", "7,7,7", "7,7 8", "-1,7", "7;7", "7 7", "a,7", "300,1", ",", "7,,7"]
        {
            check(none, Said::Other(none));
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>(), words in "[0-9, \t]{0,24}") {
            read(&line);
            read(&words);
        }
    }
}
