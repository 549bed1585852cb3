//! Random games: every position is compared with one that is set up from its text, and every text
//! of a move is read back.

use std::collections::HashMap;

use proptest::prelude::*;
use sandboard_game_sdk::games::splitmix::SplitMix64;

use super::*;

const PLIES_MAX: usize = 160;

/// A start position for random games: the usual one, one of Chess960, or one with few pieces.
fn random_start(number: u32) -> Chess {
    match number % 4 {
        0 => position("standard", ""),
        1 => position("standard", "r3k2r/p2p2p1/8/1P6/6p1/8/P3P2P/R3K2R w KQkq - 0 1"),
        2 => position("standard", "4k3/8/8/2n5/8/8/3R4/4K3 w - - 0 1"),
        _ => Chess::start_position(number / 4 % 960).unwrap(),
    }
}

/// Checks everything that can be said of a position without another implementation.
fn check_position(position: &Chess) {
    let moves = legal(position);
    assert_eq!(position.count_moves(), Some(moves.len() as u64));
    for (index, mv) in moves.iter().enumerate() {
        assert_eq!(position.nth_move(index as u64), Some(*mv));
    }
    assert_eq!(position.nth_move(moves.len() as u64), None);
    // A text is enough to set up everything, history included.
    let text = position_text(position);
    let again = Chess::parse_position(&position.variant(), &text).unwrap();
    assert_eq!(&again, position, "{text}");
    assert_eq!((again.hash(), again.outcome()), (position.hash(), position.outcome()), "{text}");
    assert_eq!((legal(&again), position_text(&again)), (moves.clone(), text));
    if position.outcome().is_some() {
        return;
    }
    let mut noisy = Vec::new();
    position.generate(MoveSet::Noisy, &mut noisy);
    for mv in moves {
        for text in [move_text(position, mv), position.san(mv)] {
            assert_eq!(position.parse_move(&text), Ok(mv), "{text} in {position:?}");
        }
        let pieces = |position: &Chess| position.board().occupied().len();
        let mut after = position.clone();
        let undo = after.make(mv);
        let captures = pieces(&after) < pieces(position);
        let is_noisy = captures || mv.promotion() == Some(Piece::Queen) || position.in_check();
        assert_eq!(noisy.contains(&mv), is_noisy, "{mv:?}");
        assert_eq!(position.san(mv).contains('x'), captures, "{mv:?}");
        after.unmake(undo);
        assert_eq!((&after, after.hash()), (position, position.hash()));
        assert_eq!(position_text(&after), position_text(position));
    }
}

/// What article 9.2.3 compares: pieces, side to move, castling rights, captures en passant.
fn compared(position: &Chess) -> String {
    position.fen().rsplitn(3, ' ').nth(2).unwrap().to_owned()
}

/// Plays at random, and counts occurrences by texts.
fn play(number: u32, seed: u64) {
    let mut random = SplitMix64::new(seed);
    let mut position = random_start(number);
    let mut seen = HashMap::from([(compared(&position), 1)]);
    for _ in 0..PLIES_MAX {
        check_position(&position);
        let moves = legal(&position);
        if position.outcome().is_some() {
            break;
        }
        position.make(moves[random.below(moves.len())]);
        let occurrences = seen.entry(compared(&position)).or_insert(0);
        *occurrences += 1;
        assert_eq!(position.occurrences(), *occurrences, "{}", position_text(&position));
    }
}

#[test]
fn random_games_agree_with_their_texts() {
    let mut reasons = HashMap::new();
    for seed in 0..60 {
        play(seed, seed.into());
        let mut position = random_start(2);
        let mut random = SplitMix64::new(seed.into());
        while position.outcome().is_none() {
            let moves = legal(&position);
            position.make(moves[random.below(moves.len())]);
        }
        *reasons.entry(position.outcome().unwrap().reason).or_insert(0) += 1;
    }
    // The games with few pieces end in different ways.
    assert!(reasons.len() >= 3, "{reasons:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn games_agree_with_their_texts(number in any::<u32>(), seed in any::<u64>()) {
        play(number, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in any::<String>(), number in any::<u32>()) {
        for id in ["standard", "chess960"] {
            let _ = Chess::parse_position(&variant(id), &text);
        }
        let position = random_start(number);
        let _ = position.parse_move(&text);
        let _ = position.parse_san(&text);
    }

    #[test]
    fn nothing_like_a_move_panics(text in "[KQRBNOa-i0-9x=+#-]{0,8}", number in any::<u32>()) {
        let position = random_start(number);
        let moves = legal(&position);
        match position.parse_move(&text) {
            Ok(mv) => prop_assert!(moves.contains(&mv), "{}", text),
            Err(reason) => prop_assert!(!reason.is_empty() && !reason.ends_with('.')),
        }
    }

    #[test]
    fn squares_are_refused_unless_legal(from in 0usize..64, to in 0usize..64, number in any::<u32>()) {
        let position = random_start(number);
        let text = format!("{}{}", Square::index(from), Square::index(to));
        let read = position.parse_move(&text);
        let legal = legal(&position);
        prop_assert_eq!(read.is_ok(), legal.iter().any(|mv| {
            [move_text(&position, *mv), format!("{mv:?}")].contains(&text)
        }), "{}: {:?}", text, read);
    }

    #[test]
    fn nothing_like_a_position_panics(
        pieces in "[1-8KQRBNPkqrbnp/]{0,40}",
        rest in "( [wb]( [KQkqA-Ha-h-]{1,4}( (-|[a-h][36])( [0-9]{1,3}( [0-9]{1,3})?)?)?)?)?",
    ) {
        for id in ["standard", "chess960"] {
            if let Ok(position) = Chess::parse_position(&variant(id), &format!("{pieces}{rest}")) {
                check_position(&position);
            }
        }
    }
}
