//! The protocol of NBoard, version 2 (C. Welty), for reversi on 8×8, as texts: what a GUI says to an engine, and what its
//! lines say. Holds no state, asks nobody.

#[cfg(target_os = "linux")]
pub(super) mod talk;

/// The variants that it can tell.
pub const VARIANTS: [&str; 1] = ["standard-8"];

/// What a line of an engine says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// It has done what it was told before the ping with this number.
    Pong(u64),
    /// Its choice, and what it thinks of it, in discs.
    Move(String, Option<f64>),
    /// What its search has found so far: moves, discs, depth.
    Search(Vec<String>, Option<f64>, Option<u32>),
    /// Nodes searched.
    Nodes(u64),
    /// A text for people.
    Text(&'a str),
    /// Nothing, or who it is.
    Nothing,
    /// None of the protocol's words.
    Unknown(&'a str),
}

/// What the line says, without its line end.
pub fn read(line: &str) -> Said<'_> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("===") {
        // A move with its evaluation and time, between slashes or, as some write it, blanks.
        let mut parts = rest.split(['/', ' ']).map(str::trim).filter(|part| !part.is_empty());
        let mv = parts.next().unwrap_or_default();
        return Said::Move(move_of(mv), parts.next().and_then(discs));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let mut words = rest.split_whitespace();
    match word.to_ascii_lowercase().as_str() {
        "pong" => match words.next().and_then(|word| word.parse().ok()) {
            Some(number) => Said::Pong(number),
            None => Said::Unknown(line),
        },
        "search" => {
            let moves = moves_of(words.next().unwrap_or_default());
            let value = words.next().and_then(discs);
            let depth = words.last().and_then(|word| word.parse().ok());
            Said::Search(moves, value, depth)
        }
        "nodestats" => {
            let nodes = words.next().and_then(|word| word.parse().ok());
            nodes.map_or(Said::Nothing, Said::Nodes)
        }
        "status" => Said::Text(rest.trim()),
        "" | "set" | "book" | "learn" | "learned" => Said::Nothing,
        _ => Said::Unknown(line),
    }
}

/// A number of discs; one that is no number is left out.
fn discs(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// A move of the protocol, `F5` or `PA`, as the game writes it.
pub fn move_of(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    if ["pa", "pass", "--"].contains(&text.as_str()) { "pass".to_owned() } else { text }
}

/// A move of the game as the protocol writes it.
pub fn spoken(mv: &str) -> String {
    if mv == "pass" { "PA".to_owned() } else { mv.to_ascii_uppercase() }
}

/// Moves that are written one after another: `F5D6PA`.
fn moves_of(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().filter(|letter| *letter != '-').collect();
    letters.chunks(2).map(|pair| move_of(&pair.iter().collect::<String>())).collect()
}

/// The game that begins with a position text of 8×8, as `set game` tells it. None: it is no such text.
pub fn game_of(position: &str) -> Option<String> {
    let (discs, side) = position.split_once(' ')?;
    let told = |letter| match letter {
        'X' => Some('*'),
        'O' => Some('O'),
        '-' => Some('-'),
        _ => None,
    };
    let board: String = discs.chars().map(told).collect::<Option<_>>()?;
    let side = side.chars().next().and_then(told).filter(|side| *side != '-')?;
    (board.len() == 64).then(|| {
        format!("(;GM[Othello]PC[sandboard]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {board} {side}];)")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_the_protocol() {
        let check = |line: &str, expected: Said| assert_eq!(read(line), expected, "{line}");
        check("pong 12", Said::Pong(12));
        check("pong", Said::Unknown("pong"));
        check("=== F5/1.50/0.25\r", Said::Move("f5".into(), Some(1.5)));
        check("=== d6 -1.00 0.0", Said::Move("d6".into(), Some(-1.0)));
        check("===PA", Said::Move("pass".into(), None));
        check("===", Said::Move(String::new(), None));
        check("=== F5/NaN", Said::Move("f5".into(), None));
        let moves = vec!["f5".to_owned(), "pass".to_owned()];
        check("search F5PA 3 0 14", Said::Search(moves, Some(3.0), Some(14)));
        check("search", Said::Search(vec![], None, None));
        check("nodestats 35805 0.00", Said::Nodes(35805));
        check("nodestats", Said::Nothing);
        check("status Edax is thinking", Said::Text("Edax is thinking"));
        check("set myname Edax6", Said::Nothing);
        check("hello", Said::Unknown("hello"));
    }

    #[test]
    fn games_are_read_back() {
        let info = sandboard_games::game("reversi").unwrap();
        let ggf = info.formats.iter().find(|format| format.id == "ggf").unwrap();
        let variant = info.variant("standard-8").unwrap();
        let mut game = (info.new)(&variant, None).unwrap();
        for mv in ["f5", "d6", "c3"] {
            game.play(mv).unwrap();
            let text = game_of(&game.position()).unwrap();
            let trees = ggf.read.unwrap()(text.as_bytes(), None).unwrap();
            let start = trees[0].start.clone().unwrap();
            assert_eq!((info.new)(&variant, Some(&start)).unwrap().position(), game.position());
        }
        for none in ["", "X X", &"x".repeat(64), &format!("{} -", "-".repeat(64))] {
            assert_eq!(game_of(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>(), more in "(===|search|pong) [A-Z0-9/. -]{0,20}") {
            read(&line);
            read(&more);
            game_of(&line);
        }
    }
}
