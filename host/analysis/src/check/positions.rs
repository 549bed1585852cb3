//! Test positions from random games by the real rules. The seed determines all of them. Independent
//! of any game.

use sandboard_games::{DynGame, GameInfo, Variant};

use sandboard_bout::driver::player_seed;

/// The longest random game, in plies.
const PLIES_MAX: usize = 600;
/// The most random games that are searched for a position with one legal move.
const GAMES_MAX: u64 = 100;

/// A game with a variant, and its size if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    pub info: &'static GameInfo,
    pub variant: Variant,
}

impl Board {
    /// The start position; none if the rules reject the variant.
    pub(crate) fn new_game(&self) -> Option<Box<dyn DynGame>> {
        (self.info.new)(&self.variant, None).ok()
    }

    /// The number of seats.
    pub(crate) fn seats(&self) -> u8 {
        self.info.seats_of(&self.variant)
    }

    /// The names of the sides at the start of a game.
    pub(crate) fn sides(&self) -> &'static [&'static str] {
        self.info.sides_of(&self.variant)
    }

    /// Its name for people, such as `gomoku freestyle-7`.
    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.info.id, self.variant.text())
    }

    /// The moves of a random game.
    pub(crate) fn random_game(&self, seed: u64) -> Vec<String> {
        self.play_at_random(seed, |_| false)
    }

    /// The moves to a position with only one legal move, if random games reach one.
    pub(crate) fn forced(&self, seed: u64) -> Option<Vec<String>> {
        let forced = |game: &dyn DynGame| legal(game).len() == 1;
        (0..GAMES_MAX).find_map(|index| {
            let moves = self.play_at_random(seed.wrapping_add(index << 32), forced);
            let mut game = self.new_game()?;
            moves.iter().try_for_each(|mv| game.play(mv).map(drop)).ok()?;
            forced(&*game).then_some(moves)
        })
    }

    fn play_at_random(&self, seed: u64, ends: impl Fn(&dyn DynGame) -> bool) -> Vec<String> {
        let Some(mut game) = self.new_game() else { return Vec::new() };
        let mut moves = Vec::new();
        while moves.len() < PLIES_MAX && !game.is_over() && !ends(&*game) {
            let mut line = legal(&*game);
            if line.is_empty() {
                break;
            }
            let drawn = player_seed(seed, moves.len()) % line.len() as u64;
            let mv = line.swap_remove(drawn as usize);
            if game.play(&mv).is_err() {
                break;
            }
            moves.push(mv);
        }
        moves
    }
}

/// The legal moves, in the game's own order.
pub(crate) fn legal(game: &dyn DynGame) -> Vec<String> {
    let mut line = String::new();
    game.write_legal(&mut line);
    line.split_ascii_whitespace().map(str::to_owned).collect()
}

/// The boards of a variant text: all sizes, in ascending order, if the text names no size.
pub(crate) fn boards_of(info: &'static GameInfo, text: &str) -> Vec<Board> {
    let Ok(variant) = info.variant(text) else { return Vec::new() };
    let known = info.variants.iter().find(|known| known.id == variant.id);
    let sizes = known.and_then(|known| known.sizes);
    let board = |size| Board { info, variant: Variant { size, ..variant.clone() } };
    match (variant.size, sizes) {
        (None, Some(sizes)) => sizes.all().map(|size| board(Some(size))).collect(),
        (size, _) => vec![board(size)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, count: usize, first: &str) {
        let info = sandboard_games::Games::default().find("gomoku").unwrap();
        let boards = boards_of(info, text);
        let found = boards.first().map_or(String::new(), Board::text);
        assert_eq!((boards.len(), found.as_str()), (count, first), "{text}");
    }

    #[test]
    fn a_variant_without_size_means_all_sizes() {
        check("freestyle", 18, "gomoku freestyle-5");
        check("standard-7", 1, "gomoku standard-7");
        check("nonsense", 0, "");
    }

    #[test]
    fn positions_depend_on_the_seed_alone() {
        let info = sandboard_games::Games::default().find("gomoku").unwrap();
        let board = &boards_of(info, "freestyle-5")[0];
        assert_eq!(board.random_game(1), board.random_game(1));
        assert_ne!(board.random_game(1), board.random_game(2));
        let mut game = board.new_game().unwrap();
        board.forced(1).unwrap().iter().for_each(|mv| drop(game.play(mv).unwrap()));
        assert_eq!(legal(&*game).len(), 1);
    }
}
