//! Tests of the rules: moves, endings, position texts.

use sandboard_game_sdk::games::{DynGame, general::Observer, perft, splitmix::SplitMix64};

use super::*;

fn game(position: Option<&str>) -> Box<dyn DynGame> {
    (INFO.new)(&INFO.default_variant(), position).unwrap()
}

#[test]
fn games_end_with_four_in_a_row_or_a_full_board() {
    let check = |moves: &str, expected: Option<(Option<u8>, &str)>| {
        let mut game = game(None);
        for mv in moves.split(' ') {
            game.play(mv).unwrap();
        }
        let ending = game.ending();
        let found = ending.as_ref().map(|it| (game.winner().map(|side| side.0), &*it.reason));
        assert_eq!(found, expected, "{moves}\n{}", game.diagram(Observer::Everything));
    };
    check("a b a b a b", None);
    check("a b a b a b a", Some((Some(0), "four in a row")));
    check("a a b b c c d", Some((Some(0), "four in a row")));
    check("a g b g c f f g e g", Some((Some(1), "four in a row")));
    check("a b b c c d c d d f d", Some((Some(0), "four in a row")));
    check("g f f e e d e d d b d", Some((Some(0), "four in a row")));
    // Three in row 1 at the right, one in row 2 at the left: the bit set must not join them.
    check("e a f b g a a b", None);
    let columns = "a b a b a b b a b a b a c d c d c d d c d c d c e f e f e f f e f e f e";
    check(&format!("{columns} g g g g g g"), Some((None, "full board")));
}

#[test]
fn illegal_moves_are_refused_with_the_reason() {
    let check = |moves: &str, mv: &str, expected: &str| {
        let mut game = game(None);
        moves.split_whitespace().for_each(|mv| drop(game.play(mv).unwrap()));
        let refusal = game.play(mv).unwrap_err();
        assert_eq!(refusal.reason, expected);
    };
    let form = "a move is the letter of a column, a to g";
    check("", "h", form);
    check("", "A", form);
    check("", "", form);
    check("", "ab", form);
    check("a a a a a a", "a", "column a is full");
    check("a b a b a b a", "c", "the game is over");
}

#[test]
fn position_texts_are_read_back_and_faults_have_their_place() {
    let check = |text: &str, expected: Option<(usize, &str)>| {
        let error = ConnectFour::parse_position(&INFO.default_variant(), text).err();
        let error = error.map(|it| (it.0[0].offset, it.0[0].reason.clone()));
        let expected = expected.map(|(offset, reason)| (offset, reason.to_owned()));
        assert_eq!(error, expected, "{text}");
        if expected.is_none() {
            assert_eq!(game(Some(text)).position(), text);
        }
    };
    check("//////", None);
    check("//xo/x///", None);
    check("xoxoxo/xoxoxo/xoxoxo/oxoxox/xoxoxo/xoxoxo/xoxoxo", None);
    check(
        "xoxoxo/xoxoxo/xoxoxo/oxoxox/xoxoxo/xoxoxo/xoxoxox",
        Some((48, "a column has six places")),
    );
    let form = "expected seven columns of x and o, with / between";
    check("//y////", Some((2, form)));
    check("//////x/", Some((7, form)));
    check("//////é", Some((6, form)));
    check("/////x", Some((6, "there are fewer than seven columns")));
    let count = "red has as many discs as yellow, or one more";
    check("o//////", Some((0, count)));
    check("x/x/////", Some((0, count)));
    check("xo/xo/xo/xo///", Some((0, "both sides have won")));
    check("xo/xo/xo/x///", None);
}

#[test]
fn move_sequences_are_counted() {
    let mut start = ConnectFour::start(&INFO.default_variant());
    let count = |depth| perft(&mut start, depth);
    // The first six plies are free. The seventh cannot fill a column with a seventh disc.
    let counts: Vec<u64> = (0..8).map(count).collect();
    assert_eq!(counts, [1, 7, 49, 343, 2401, 16_807, 117_649, 823_543 - 7]);
}

/// Looks at every line of four places.
fn has_four_slowly(discs: u64) -> bool {
    let has = |column: i32, row: i32| {
        (0..7).contains(&column) && (0..6).contains(&row) && discs >> (column * 7 + row) & 1 == 1
    };
    let steps = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let starts = (0..7).flat_map(|column| (0..6).map(move |row| (column, row)));
    starts.into_iter().any(|(column, row)| {
        steps.iter().any(|(x, y)| (0..4).all(|index| has(column + x * index, row + y * index)))
    })
}

#[test]
fn random_games_agree_with_a_slow_search_for_lines() {
    let mut random = SplitMix64::new(4);
    for _ in 0..2000 {
        let mut position = ConnectFour::start(&INFO.default_variant());
        loop {
            let slow = position.discs.map(has_four_slowly);
            assert_eq!(position.discs.map(has_four), slow, "{position:?}");
            let mut moves = Vec::new();
            position.generate(MoveSet::All, &mut moves);
            let full = position.count() == 42;
            assert_eq!(moves.is_empty(), full || slow.contains(&true));
            let Some(mv) = moves.get(random.below(moves.len())) else { break };
            let before = position;
            let undo = position.make(*mv);
            let mut back = position;
            back.unmake(undo);
            assert_eq!(back, before);
        }
    }
}

#[test]
fn the_board_shows_the_discs_and_takes_clicks_on_columns() {
    let mut game = game(None);
    for mv in "d d d d d d e c".split(' ') {
        game.play(mv).unwrap();
    }
    let expected = concat!(
        "6 . . . y . . .\n",
        "5 . . . r . . .\n",
        "4 . . . y . . .\n",
        "3 . . . r . . .\n",
        "2 . . . y . . .\n",
        "1 . .*y r r . .\n",
        "  a b c d e f g\n",
    );
    assert_eq!(game.diagram(Observer::Spectator), expected);
    let board = game.board(Observer::Spectator).unwrap();
    assert_eq!(board.check("a b c e f g"), Ok(()));
    assert_eq!(board.moves.len(), 36, "column d is full");
    assert!(board.moves.iter().all(|entry| entry.places[0].starts_with(&entry.mv)));
}
