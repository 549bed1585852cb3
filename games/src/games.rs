//! The games that a host knows, as a value that it passes to the code that looks them up.

use std::sync::Arc;

use crate::{GAMES, GameInfo};

/// The games that a host knows: those of this crate ([`GAMES`]), and those that were plugged in.
/// The default has none plugged in. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct Games {
    plugged_in: Arc<[&'static GameInfo]>,
}

impl Games {
    /// The game with this id.
    pub fn find(&self, id: &str) -> Option<&'static GameInfo> {
        self.iter().find(|info| info.id == id)
    }

    /// The built-in games in the order of listings, then those that were plugged in.
    pub fn iter(&self) -> impl Iterator<Item = &'static GameInfo> {
        GAMES.iter().chain(self.plugged_in.iter()).copied()
    }

    /// Whether these are the same rows, in the same order.
    pub fn has_same_rows(&self, other: &Games) -> bool {
        let same = |(one, other): (&&GameInfo, &&GameInfo)| std::ptr::eq(*one, *other);
        self.plugged_in.len() == other.plugged_in.len()
            && self.plugged_in.iter().zip(other.plugged_in.iter()).all(same)
    }

    /// These games and more. A row replaces an earlier plugged-in row with its id. A row with the
    /// id of a built-in game is ignored.
    pub fn with(&self, plugged_in: impl IntoIterator<Item = &'static GameInfo>) -> Games {
        let mut rows = self.plugged_in.to_vec();
        for info in plugged_in {
            if GAMES.iter().any(|built_in| built_in.id == info.id) {
                continue;
            }
            match rows.iter_mut().find(|row| row.id == info.id) {
                Some(row) => *row = info,
                None => rows.push(info),
            }
        }
        Games { plugged_in: rows.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reversi;

    /// A game with this id and name.
    const fn row(id: &'static str, name: &'static str) -> GameInfo {
        GameInfo { id, name, ..reversi::INFO }
    }

    static ROWS: [GameInfo; 4] = [
        row("go", "Go"),
        row("hex", "Hex"),
        row("go", "Another Go"),
        row("reversi", "Another Reversi"),
    ];

    #[test]
    fn plugged_in_games_follow_the_built_in_ones() {
        let check = |plugged_in: &[&'static GameInfo], expected: &[&str]| {
            let games = Games::default().with(plugged_in.iter().copied());
            let names: Vec<&str> = games.iter().map(|info| info.name).collect();
            let built_in = GAMES.iter().map(|info| info.name);
            assert_eq!(names, built_in.chain(expected.iter().copied()).collect::<Vec<_>>());
            // One after the other gives the same games.
            let add = |games: Games, info: &&'static GameInfo| games.with([*info]);
            let again = plugged_in.iter().fold(Games::default(), add);
            assert!(again.iter().map(|info| info.name).eq(names));
        };
        let [go, hex, another_go, another_reversi] = &ROWS;
        check(&[], &[]);
        check(&[hex, go], &["Hex", "Go"]);
        check(&[go, hex, another_go], &["Another Go", "Hex"]);
        check(&[another_reversi], &[]);
        check(&[another_reversi, go], &["Go"]);
    }

    #[test]
    fn rows_are_compared_by_identity() {
        let check = |one: &[&'static GameInfo], other: &[&'static GameInfo], expected: bool| {
            let games = |rows: &[&'static GameInfo]| Games::default().with(rows.iter().copied());
            assert_eq!(games(one).has_same_rows(&games(other)), expected);
        };
        let [go, hex, another_go, _] = &ROWS;
        check(&[], &[], true);
        check(&[go, hex], &[go, hex], true);
        check(&[go, hex], &[hex, go], false);
        check(&[go], &[go, hex], false);
        check(&[go], &[another_go], false);
    }

    #[test]
    fn games_are_found_by_id() {
        let check = |plugged_in: &[&'static GameInfo], id: &str, expected: Option<&str>| {
            let games = Games::default().with(plugged_in.iter().copied());
            assert_eq!(games.find(id).map(|info| info.name), expected, "{id}");
        };
        let [go, hex, another_go, another_reversi] = &ROWS;
        check(&[], "reversi", Some(reversi::INFO.name));
        check(&[], "go", None);
        check(&[], "", None);
        check(&[go, hex], "hex", Some("Hex"));
        check(&[go, another_go], "go", Some("Another Go"));
        check(&[go, hex], "Go", None);
        check(&[another_reversi], "reversi", Some(reversi::INFO.name));
    }
}
