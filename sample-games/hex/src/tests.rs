//! Tests of the rules: connections, the swap, position texts.

use sandboard_game_sdk::games::{DynGame, general::Observer, perft, splitmix::SplitMix64};

use super::*;

fn game(variant: &str, position: Option<&str>) -> Box<dyn DynGame> {
    (INFO.new)(&INFO.variant(variant).unwrap(), position).unwrap()
}

#[test]
fn edges_are_connected_by_neighbours_only() {
    let check = |variant: &str, moves: &str, expected: Option<&str>| {
        let mut game = game(variant, None);
        moves.split_whitespace().for_each(|mv| drop(game.play(mv).unwrap()));
        let winner = game.winner().map(|side| game.side_name(side));
        assert_eq!(winner, expected, "{moves}\n{}", game.diagram(Observer::Everything));
        assert_eq!(game.is_over(), expected.is_some());
    };
    check("plain-3", "b1 a1 b2 a2 b3", Some("red"));
    check("plain-3", "c1 a1 b2 b1 a3", Some("red"));
    // The other diagonal is no neighbour.
    check("plain-3", "a1 b1 b2 c1 c3", None);
    check("plain-3", "a1 a2 b1 b2 a3 c2", Some("blue"));
    check("plain-3", "a1 a3 b1 b2 c2 c1", Some("blue"));
    check("pie-3", "b2 swap a1", None);
    // Seat 1 has taken over red, and wins with it.
    check("pie-3", "b2 swap a1 b1 a2 b3", Some("red"));
}

#[test]
fn the_second_player_may_swap_once() {
    let mut game = game("pie-4", None);
    assert!(game.play("swap").is_err());
    game.play("b2").unwrap();
    assert_eq!(
        (game.phase(), game.to_move(), game.prompt().is_some()),
        (Phase::Swap, Seat(1), true)
    );
    game.play("swap").unwrap();
    assert_eq!((game.phase(), game.to_move()), (Phase::Play, Seat(0)));
    assert_eq!([game.side_name(Side(0)), game.side_name(Side(1))], ["blue", "red"]);
    assert_eq!(game.position(), "----/-r--/----/---- bs");
    assert!(game.play("swap").is_err());
    let refusal = game.play("b2").unwrap_err();
    assert_eq!(refusal.reason, "b2 is occupied");
    let mut plain = self::game("plain-4", None);
    plain.play("b2").unwrap();
    assert!(plain.play("swap").is_err() && plain.prompt().is_none());
}

#[test]
fn faults_of_texts_have_their_place() {
    let check = |variant: &str, text: &str, expected: Option<(usize, &str)>| {
        let error = Hex::parse_position(&INFO.variant(variant).unwrap(), text).err();
        let error = error.map(|it| (it.0[0].offset, it.0[0].reason.clone()));
        let expected = expected.map(|(offset, reason)| (offset, reason.to_owned()));
        assert_eq!(error, expected, "{text}");
        if expected.is_none() {
            assert_eq!(game(variant, Some(text)).position(), text);
        }
    };
    check("pie", "---/---/--- r", None);
    check("pie", "---/-r-/--- b", None);
    check("pie", "---/-r-/--- bs", None);
    check("plain", "r--/rb-/r-b b", None);
    let shape = "a position has 3 to 19 rows, each with as many cells";
    check("pie", "--/-- r", Some((0, shape)));
    check("pie", "---/--/--- r", Some((0, shape)));
    check("pie", "---/---/---", Some((11, "the colour to move is missing")));
    check("pie-4", "---/---/--- r", Some((0, "the variant has another size")));
    check("pie", "---/-x-/--- r", Some((5, "expected r, b or -")));
    let count = "red has as many stones as blue, or one more";
    check("pie", "---/-b-/--- r", Some((0, count)));
    check("pie", "r--/-r-/--- r", Some((0, count)));
    let other = "after these stones the other colour moves";
    check("pie", "---/-r-/--- r", Some((12, other)));
    check("pie", "---/-r-/--- ss", Some((12, other)));
    let none = "there was no swap in this game";
    check("plain", "---/-r-/--- bs", Some((13, none)));
    check("pie", "---/---/--- rs", Some((13, none)));
}

#[test]
fn illegal_moves_have_a_reason() {
    let form = "a move is a column a to c and a row 1 to 3";
    for text in ["", "a", "a0", "a01", "a4", "d1", "A1", "1a", "a1 ", "é1", "a+1"] {
        assert_eq!(game("plain-3", None).play(text).unwrap_err().reason, form, "{text}");
    }
}

/// The colour that connects its edges, by a search over all stones from one edge.
fn winner_from_scratch(position: &Hex) -> Option<u8> {
    let size = position.size();
    let color_at =
        |row: usize, column: usize| position.stones.color(position.stones.place(row, column));
    let connects = |color: u8| {
        // Blue connects columns as red connects rows: the board is its own mirror image.
        let is_own = |line: usize, along: usize| {
            let (row, column) = if color == 0 { (line, along) } else { (along, line) };
            color_at(row, column) == Some(color)
        };
        let mut open: Vec<_> = (0..size).map(|along| (0, along)).collect();
        open.retain(|(line, along)| is_own(*line, *along));
        let mut seen = open.clone();
        while let Some((line, along)) = open.pop() {
            for (down, right) in [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)] {
                let next = (line.wrapping_add_signed(down), along.wrapping_add_signed(right));
                let inside = next.0 < size && next.1 < size;
                if inside && is_own(next.0, next.1) && !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        seen.iter().any(|(line, _)| *line == size - 1)
    };
    (0..2).find(|color| connects(*color))
}

#[test]
fn moves_by_number_are_those_of_the_list() {
    let check = |variant: &str, moves: &str| {
        let mut position = Hex::start(&INFO.variant(variant).unwrap());
        for mv in moves.split_whitespace() {
            position.play(mv).unwrap();
        }
        let mut list = Vec::new();
        position.generate(MoveSet::All, &mut list);
        assert_eq!(position.count_moves(), Some(list.len() as u64), "{moves}");
        let nth: Vec<_> = (0..list.len() as u64).map(|it| position.nth_move(it)).collect();
        assert_eq!(nth, list.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(position.nth_move(list.len() as u64), None);
    };
    check("pie-19", "");
    check("pie-3", "b2");
    check("pie-3", "b2 swap");
    check("plain-11", "a1 k11 f6");
    check("plain-3", "b1 a1 b2 a2 b3");
}

#[test]
fn random_games_have_exactly_one_winner() {
    let mut random = SplitMix64::new(6);
    for index in 0..600u32 {
        let text = format!("{}-{}", ["pie", "plain"][index as usize % 2], 3 + index % 6);
        let mut position = Hex::start(&INFO.variant(&text).unwrap());
        let mut moves = Vec::new();
        loop {
            moves.clear();
            position.generate(MoveSet::All, &mut moves);
            let Some(mv) = moves.get(random.below(moves.len())).copied() else { break };
            assert_eq!(Move::from_code(mv.code()), Some(mv));
            let before = position;
            let undo = position.make(mv);
            assert_eq!(position.stones.winner(), winner_from_scratch(&position), "{position:?}");
            assert_eq!(position.stones.free().count(), position.size().pow(2) - position.count);
            let mut text = String::new();
            position.write_position(&mut text);
            // The text has no history: everything is computed again from the stones.
            assert_eq!(Hex::parse_position(&position.variant(), &text).unwrap(), position);
            let mut back = position;
            back.unmake(undo);
            assert_eq!(back, before);
        }
        assert!(position.outcome().is_some(), "a full board has a winner: {position:?}");
    }
}

#[test]
fn move_sequences_are_counted() {
    let count =
        |variant: &str, depth| perft(&mut Hex::start(&INFO.variant(variant).unwrap()), depth);
    assert_eq!(
        [count("plain-3", 1), count("plain-3", 2), count("plain-3", 4)],
        [9, 72, 9 * 8 * 7 * 6]
    );
    // The second ply has the swap in addition, after which seat 0 has the same moves as seat 1 had.
    assert_eq!([count("pie-3", 2), count("pie-3", 3)], [9 * 9, 9 * (8 * 7 + 8)]);
}

#[test]
fn the_board_is_a_rhombus_with_a_button_for_the_swap() {
    let mut game = game("pie-3", None);
    game.play("b1").unwrap();
    assert_eq!(game.diagram(Observer::Spectator), "  a b c\n1 .*r .\n 2 . . .\n  3 . . .\n");
    let board = game.board(Observer::Spectator).unwrap();
    let mut legal = String::new();
    game.write_legal(&mut legal);
    assert_eq!(board.check(&legal), Ok(()));
    let buttons: Vec<&str> =
        board.moves.iter().filter(|it| it.places.is_empty()).map(|it| it.mv.as_str()).collect();
    assert_eq!((board.moves.len(), buttons), (9, vec!["swap"]));
    game.play("swap").unwrap();
    let board = game.board(Observer::Spectator).unwrap();
    assert_eq!((board.moves.len(), board.highlights.len()), (8, 0));
    for mv in ["a1", "b2", "a2", "b3"] {
        game.play(mv).unwrap();
    }
    assert!(game.is_over());
    assert_eq!(game.board(Observer::Spectator).unwrap().check(""), Ok(()));
}
