//! Properties of random games and random texts.

use proptest::collection::vec;
use proptest::prelude::*;

use super::reference::Reference;
use super::{generated, text_of, variant};
use crate::reversi::wide::{self, Squares};
use crate::reversi::{Color, Move, Reversi, Square, bits};
use crate::rules::{MoveSet, Rules, Side};

fn reversi(reference: &Reference) -> Reversi {
    Reversi::parse_position(&variant("standard"), &reference.text()).expect("a position")
}

/// Boards of all sizes, filled at random.
fn boards() -> impl Strategy<Value = Reference> {
    (2usize..=8, any::<bool>(), 1u32..8).prop_flat_map(|(half, black_moves, empty)| {
        let cell = prop_oneof![3 => Just(0u8), 3 => Just(1u8), empty => Just(2u8)];
        let size = 2 * half;
        vec(cell, size * size).prop_map(move |cells| Reference::filled(size, &cells, black_moves))
    })
}

/// Two words without a common bit, crowded or sparse.
fn words() -> impl Strategy<Value = (u64, u64)> {
    let word = || (any::<u64>(), any::<u64>(), 0..3);
    (word(), any::<u64>()).prop_map(|((a, b, how), split)| {
        let discs = [a, a | b, a & b][how as usize];
        (discs & split, discs & !split)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_state_equals_the_state_read_from_text(
        half in 2usize..=5, choices in vec(any::<prop::sample::Index>(), 0..100),
    ) {
        check_game(2 * half, &choices)?;
    }

    #[test]
    fn incremental_state_equals_the_state_read_from_text_on_large_boards(
        half in 6usize..=8, choices in vec(any::<prop::sample::Index>(), 0..30),
    ) {
        check_game(2 * half, &choices)?;
    }

    #[test]
    fn random_boards_match_the_reference(reference in boards()) {
        check_board(&reversi(&reference), &reference)?;
        for mv in reference.legal() {
            let mut game = reversi(&reference);
            prop_assert!(game.play(&mv).is_ok(), "{} in {}", mv, reference.text());
            prop_assert_eq!(text_of(&game), reference.after(&mv).text());
        }
    }

    #[test]
    fn symmetric_boards_share_a_hash(reference in boards()) {
        let game = reversi(&reference);
        let mut turned = reference.clone();
        for _ in 0..4 {
            turned = turned.turned();
            for same in [&turned, &turned.mirrored()] {
                prop_assert_eq!(reversi(same).symmetric_hash(), game.symmetric_hash());
                let (is_it, hash) = (*same == reference, reversi(same).hash());
                prop_assert_eq!(hash == game.hash(), is_it);
            }
        }
        prop_assert_eq!(&turned, &reference);
        if let Some(mv) = reference.legal().first() {
            prop_assert_ne!(reversi(&reference.after(mv)).symmetric_hash(), game.symmetric_hash());
        }
    }

    #[test]
    fn bits_and_wide_boards_agree_on_size_8((own, opponent) in words()) {
        let board = Squares::board(8);
        let set = |word: u64| {
            let bits = (0..64).filter(|bit| word >> bit & 1 != 0);
            bits.fold(Squares::default(), |all, bit| all | Squares::from_square(Square::from_bit(bit)))
        };
        let (wide_own, wide_opponent) = (set(own), set(opponent));
        prop_assert_eq!(
            set(bits::moves(own, opponent)),
            wide::moves(wide_own, wide_opponent, board)
        );
        for bit in (0..64).filter(|bit| (own | opponent) >> bit & 1 == 0) {
            let flipped = wide::flips(Square::from_bit(bit), wide_own, wide_opponent, board);
            prop_assert_eq!(set(bits::flips(bit, own, opponent)), flipped);
        }
    }

    #[test]
    fn reading_any_text_does_not_panic(text in any::<String>()) {
        check_reading(&text);
    }

    #[test]
    fn reading_nearly_valid_text_does_not_panic(text in "[XO-]{15,17}[ \t]?[XOx]{0,2}[ a-p0-9é]{0,4}") {
        check_reading(&text);
    }

    #[test]
    fn move_texts_round_trip(reference in boards()) {
        let game = reversi(&reference);
        for mv in generated(&game, MoveSet::All) {
            let read = game.parse_move(&mv);
            let mut text = String::new();
            game.write_move(read.clone().unwrap(), &mut text);
            prop_assert_eq!(&text, &mv);
            if mv != "pass" {
                prop_assert_eq!(game.parse_move(&mv.to_uppercase()), read);
            }
        }
    }
}

/// Plays the chosen moves, then takes all of them back.
fn check_game(size: usize, choices: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let mut reference = Reference::start(size);
    let mut game = Reversi::start(&variant(&format!("standard-{size}")));
    let mut undos = Vec::new();
    for choice in choices {
        check_board(&game, &reference)?;
        let legal = reference.legal();
        if legal.is_empty() {
            break;
        }
        let text = choice.get(&legal);
        let before = game.clone();
        let (_, undo) = game.play(text).expect("a legal move");
        undos.push((before, undo));
        reference = reference.after(text);
        prop_assert_eq!(&game, &reversi(&reference));
        prop_assert_eq!(game.hash(), reversi(&reference).hash());
    }
    for (before, undo) in undos.into_iter().rev() {
        game.unmake(undo);
        prop_assert_eq!(&game, &before);
    }
    Ok(())
}

fn check_board(game: &Reversi, reference: &Reference) -> Result<(), TestCaseError> {
    prop_assert_eq!(text_of(game), reference.text());
    prop_assert_eq!(generated(game, MoveSet::All), reference.legal());
    for (color, disc) in [(Color::Black, 'X'), (Color::White, 'O')] {
        prop_assert_eq!(game.count(color), reference.count(disc));
        prop_assert_eq!(game.mobility(color) as usize, reference.placeable(disc).len());
    }
    prop_assert_eq!(game.empties(), reference.count('-'));
    let outcome = game.outcome();
    prop_assert_eq!(outcome.map(|outcome| outcome.score), reference.score());
    let winner = reference.score().and_then(|score| match score {
        0 => None,
        lead => Some(Side(u8::from(lead < 0))),
    });
    prop_assert_eq!(outcome.and_then(|outcome| outcome.winner), winner);
    check_words(game)
}

/// Compares the words of an 8×8 board with its squares.
fn check_words(game: &Reversi) -> Result<(), TestCaseError> {
    let Some((own, opponent)) = game.discs() else { return Ok(()) };
    for bit in 0..64 {
        let mover = game.color_to_move();
        let (own, opponent) = (own >> bit & 1 != 0, opponent >> bit & 1 != 0);
        let disc = if own { Some(mover) } else { opponent.then(|| mover.other()) };
        prop_assert_eq!(game.disc_at(Square::from_bit(bit)), disc);
        let legal = game.parse_move(&Square::from_bit(bit).to_string()) == Ok(Move::from_bit(bit));
        prop_assert_eq!(game.moves().unwrap() >> bit & 1 != 0, legal);
    }
    Ok(())
}

fn check_reading(text: &str) {
    let start = Reversi::start(&variant("standard"));
    if let Ok(mv) = start.parse_move(text) {
        assert!(generated(&start, MoveSet::All).contains(&mv.to_string()));
    }
    match Reversi::parse_position(&variant("standard"), text) {
        Ok(game) => assert_eq!(text_of(&game).split(' ').next(), text.split_whitespace().next()),
        Err(error) => assert!(!error.0.is_empty()),
    }
}
