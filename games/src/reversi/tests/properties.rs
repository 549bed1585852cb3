//! What holds along any game and for any text, tried on random ones.

use proptest::collection::vec;
use proptest::prelude::*;

use super::twin::Twin;
use super::{generated, text_of, variant};
use crate::reversi::wide::{self, Squares};
use crate::reversi::{Color, Move, Reversi, Square, bits};
use crate::rules::{Generate, Rules, Side};

fn reversi(twin: &Twin) -> Reversi {
    Reversi::parse_position(&variant("standard"), &twin.text()).expect("a position")
}

/// Boards of all sizes, filled at random.
fn boards() -> impl Strategy<Value = Twin> {
    (2usize..=8, any::<bool>(), 1u32..8).prop_flat_map(|(half, black_moves, empty)| {
        let cell = prop_oneof![3 => Just(0u8), 3 => Just(1u8), empty => Just(2u8)];
        let size = 2 * half;
        vec(cell, size * size).prop_map(move |cells| Twin::filled(size, &cells, black_moves))
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
    fn state_along_a_game_is_the_state_from_its_text(
        half in 2usize..=5, choices in vec(any::<prop::sample::Index>(), 0..100),
    ) {
        check_game(2 * half, &choices)?;
    }

    #[test]
    fn state_along_a_game_is_the_state_from_its_text_on_large_boards(
        half in 6usize..=8, choices in vec(any::<prop::sample::Index>(), 0..30),
    ) {
        check_game(2 * half, &choices)?;
    }

    #[test]
    fn any_board_is_as_its_twin(twin in boards()) {
        check_board(&reversi(&twin), &twin)?;
        for mv in twin.legal() {
            let mut game = reversi(&twin);
            prop_assert!(game.play(&mv).is_ok(), "{} in {}", mv, twin.text());
            prop_assert_eq!(text_of(&game), twin.after(&mv).text());
        }
    }

    #[test]
    fn turned_boards_share_a_hash(twin in boards()) {
        let game = reversi(&twin);
        let mut turned = twin.clone();
        for _ in 0..4 {
            turned = turned.turned();
            for same in [&turned, &turned.mirrored()] {
                prop_assert_eq!(reversi(same).symmetric_hash(), game.symmetric_hash());
                let (is_it, hash) = (*same == twin, reversi(same).hash());
                prop_assert_eq!(hash == game.hash(), is_it);
            }
        }
        prop_assert_eq!(&turned, &twin);
        if let Some(mv) = twin.legal().first() {
            prop_assert_ne!(reversi(&twin.after(mv)).symmetric_hash(), game.symmetric_hash());
        }
    }

    #[test]
    fn two_words_are_the_wide_board_of_eight((own, opponent) in words()) {
        let board = Squares::board(8);
        let set = |word: u64| {
            let bits = (0..64).filter(|bit| word >> bit & 1 != 0);
            bits.fold(Squares::default(), |all, bit| all | Squares::of(Square::of_bit(bit)))
        };
        let (wide_own, wide_opponent) = (set(own), set(opponent));
        prop_assert_eq!(
            set(bits::moves(own, opponent)),
            wide::moves(wide_own, wide_opponent, board)
        );
        for bit in (0..64).filter(|bit| (own | opponent) >> bit & 1 == 0) {
            let flipped = wide::flips(Square::of_bit(bit), wide_own, wide_opponent, board);
            prop_assert_eq!(set(bits::flips(bit, own, opponent)), flipped);
        }
    }

    #[test]
    fn reading_any_text_does_not_panic(text in any::<String>()) {
        check_reading(&text);
    }

    #[test]
    fn reading_nearly_right_text_does_not_panic(text in "[XO-]{15,17}[ \t]?[XOx]{0,2}[ a-p0-9é]{0,4}") {
        check_reading(&text);
    }

    #[test]
    fn move_texts_round_trip(twin in boards()) {
        let game = reversi(&twin);
        for mv in generated(&game, Generate::All) {
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
    let mut twin = Twin::start(size);
    let mut game = Reversi::start(&variant(&format!("standard-{size}")));
    let mut undos = Vec::new();
    for choice in choices {
        check_board(&game, &twin)?;
        let legal = twin.legal();
        if legal.is_empty() {
            break;
        }
        let text = choice.get(&legal);
        let before = game.clone();
        let (_, undo) = game.play(text).expect("a legal move");
        undos.push((before, undo));
        twin = twin.after(text);
        prop_assert_eq!(&game, &reversi(&twin));
        prop_assert_eq!(game.hash(), reversi(&twin).hash());
    }
    for (before, undo) in undos.into_iter().rev() {
        game.unmake(undo);
        prop_assert_eq!(&game, &before);
    }
    Ok(())
}

fn check_board(game: &Reversi, twin: &Twin) -> Result<(), TestCaseError> {
    prop_assert_eq!(text_of(game), twin.text());
    prop_assert_eq!(generated(game, Generate::All), twin.legal());
    for (color, disc) in [(Color::Black, 'X'), (Color::White, 'O')] {
        prop_assert_eq!(game.count(color), twin.count(disc));
        prop_assert_eq!(game.mobility(color) as usize, twin.discs_of(disc).len());
    }
    prop_assert_eq!(game.empties(), twin.count('-'));
    let outcome = game.outcome();
    prop_assert_eq!(outcome.map(|outcome| outcome.score), twin.score());
    let winner = twin.score().and_then(|score| match score {
        0 => None,
        lead => Some(Side(u8::from(lead < 0))),
    });
    prop_assert_eq!(outcome.and_then(|outcome| outcome.winner), winner);
    check_words(game)
}

/// The words of 8×8 say what the squares do.
fn check_words(game: &Reversi) -> Result<(), TestCaseError> {
    let Some((own, opponent)) = game.discs() else { return Ok(()) };
    for bit in 0..64 {
        let mover = game.color_to_move();
        let (own, opponent) = (own >> bit & 1 != 0, opponent >> bit & 1 != 0);
        let disc = if own { Some(mover) } else { opponent.then(|| mover.other()) };
        prop_assert_eq!(game.disc_at(Square::of_bit(bit)), disc);
        let legal = game.parse_move(&Square::of_bit(bit).to_string()) == Ok(Move::of_bit(bit));
        prop_assert_eq!(game.moves().unwrap() >> bit & 1 != 0, legal);
    }
    Ok(())
}

fn check_reading(text: &str) {
    let start = Reversi::start(&variant("standard"));
    if let Ok(mv) = start.parse_move(text) {
        assert!(generated(&start, Generate::All).contains(&mv.to_string()));
    }
    match Reversi::parse_position(&variant("standard"), text) {
        Ok(game) => assert_eq!(text_of(&game).split(' ').next(), text.split_whitespace().next()),
        Err(error) => assert!(!error.0.is_empty()),
    }
}
