//! Smart Game Format, FF[4] (Arno Hollosi, red-bean.com/sgf), for gomoku: GM[4]. A point is two
//! letters, the column from the left and the row from the top, as in Go and in RenLib (Sgf.cpp).
//! `RU` stores the variant; an unknown variant name is reported, not guessed.

mod game;
mod node;
mod write;

use crate::formats::scan::Scanner;
use crate::formats::{FormatError, GAMES_MAX, GameTree};
use crate::info::Variant;
use game::Game;
pub(super) use write::write;

/// Reads the games of a file. Text between games is skipped.
pub(super) fn read(bytes: &[u8], asked: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut scanner = Scanner::new(bytes);
    let mut games = Vec::new();
    while scanner.find_game() {
        if games.len() == GAMES_MAX {
            return Err(scanner.error(format!("more than {GAMES_MAX} games")));
        }
        games.push(Game::read(&mut scanner, asked.and_then(|variant| variant.size))?);
    }
    match games.is_empty() {
        true => Err(scanner.error("the file has no game: `(;` is missing")),
        false => Ok(games),
    }
}
