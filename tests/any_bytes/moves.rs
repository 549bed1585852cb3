//! Arbitrary texts as moves of every game: a refused move changes nothing; a played move is legal
//! or a losing foul, and can be taken back; a position text sets up the same position.

use sandboard_games::general::Observer;
use sandboard_games::{DynGame, GAMES, GameInfo, Seat};

/// Number of lines that are played; more would only take time.
const LINES: usize = 80;

/// The first line is a game and a variant, the second a position or empty, each other line a move;
/// `<` takes a move back.
pub fn moves(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let (id, variant) = lines.next().unwrap_or_default().split_once(' ').unwrap_or_default();
    let info = GAMES.iter().find(|info| info.id == id).unwrap_or(&GAMES[0]);
    let start = lines.next().filter(|start| !start.is_empty());
    let Some(mut game) = set_up(info, variant, start) else { return };
    for line in lines.take(LINES) {
        match line {
            "<" => check_taken_back(&mut *game),
            line => check_move(&mut *game, line),
        }
    }
    check_position(&*game);
}

fn set_up(info: &GameInfo, variant: &str, start: Option<&str>) -> Option<Box<dyn DynGame>> {
    let set_up = info.variant(variant).and_then(|variant| (info.new)(&variant, start));
    match set_up {
        Ok(game) => {
            check_position(&*game);
            Some(game)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// The observable state of a game.
#[derive(Debug, PartialEq)]
struct GameState {
    position: String,
    to_move: Seat,
    hash: u64,
    moves: Vec<String>,
    over: Option<String>,
    legal: Vec<String>,
    board: String,
}

fn state_of(game: &dyn DynGame) -> GameState {
    let mut line = String::new();
    game.write_legal(&mut line);
    let legal = line.split(' ').filter(|text| !text.is_empty()).map(String::from).collect();
    GameState {
        position: game.position(),
        to_move: game.to_move(),
        hash: game.hash(),
        moves: game.moves(),
        over: game.ending().map(|ending| format!("{ending:?}")),
        legal,
        board: game.diagram(Observer::Everything),
    }
}

fn check_move(game: &mut dyn DynGame, text: &str) {
    let before = state_of(game);
    let canonical = game.canonical(text);
    assert_eq!(state_of(game), before, "`canonical` changes nothing: {text:?}");
    match game.play(text) {
        Err(refusal) => {
            assert_eq!(canonical.unwrap_err(), refusal);
            assert_eq!(state_of(game), before, "a refused move changes nothing: {text:?}");
            // The refusal quotes the text; the host sanitizes it.
            assert_eq!(refusal.text, text);
            assert!(!refusal.reason.is_empty());
            assert!(!before.legal.iter().any(|legal| legal == text), "{text:?} is legal");
        }
        Ok(played) => {
            assert_eq!(canonical.as_ref(), Ok(&played));
            let winner = game.winner();
            let is_foul = winner == Some(game.side(before.to_move).other());
            assert!(before.legal.contains(&played) || is_foul, "{text:?}: {played}");
            assert_eq!(before.over, None, "a finished game has no legal move");
            let after = state_of(game);
            assert_eq!(after.moves.last(), Some(&played));
            assert_eq!(after.moves.len(), before.moves.len() + 1);
            let mut last = String::new();
            game.write_last_move(&mut last);
            assert_eq!(last, played);
            assert_eq!(game.take_back(1), 1);
            assert_eq!(state_of(game), before, "taken back: {text:?}");
            assert_eq!(game.play(&played).as_ref(), Ok(&played), "canonical texts are stable");
            assert_eq!(state_of(game), after);
        }
    }
}

fn check_taken_back(game: &mut dyn DynGame) {
    let plies = game.plies();
    let moves = game.moves();
    assert_eq!(moves.len(), plies);
    let taken = game.take_back(1);
    assert_eq!(taken, plies.min(1));
    assert_eq!(game.moves(), moves[..plies - taken]);
}

/// The position text sets up the same position, and exactly the listed moves are legal.
fn check_position(game: &dyn DynGame) {
    let now = state_of(game);
    assert_eq!(now.legal.is_empty(), now.over.is_some(), "{now:?}");
    let again = (game.info().new)(&game.variant(), Some(&now.position));
    let again = again.unwrap_or_else(|error| panic!("{error} in {:?}", now.position));
    assert_eq!(again.position(), now.position);
    assert_eq!(again.hash(), now.hash);
    assert_eq!(again.to_move(), now.to_move);
    for legal in &now.legal {
        assert_eq!(game.canonical(legal).as_ref(), Ok(legal));
    }
    let copy = game.boxed_clone();
    assert_eq!(state_of(&*copy), now);
}
