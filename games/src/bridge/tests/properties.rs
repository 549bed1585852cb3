//! Properties of random deals and random texts.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::reference::Reference;
use super::{generated, text_of, variant};
use crate::bridge::{Bridge, Card, Cards, key};
use crate::rules::{MoveSet, Rules};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn state_matches_the_reference(
        size in 1u8..=13, seed in any::<u64>(), choices in vec(any::<Index>(), 52),
    ) {
        let mut game = Bridge::from_seed(size, seed);
        let mut reference = Reference::read(&text_of(&game));
        let mut undos = Vec::new();
        for choice in &choices {
            check(&game, &reference)?;
            let legal = reference.legal();
            if legal.is_empty() {
                break;
            }
            let card = choice.get(&legal);
            let before = game.clone();
            let (_, undo) = game.play(card).expect("a legal card");
            reference.play(card);
            undos.push((before, undo));
        }
        prop_assert_eq!(undos.len(), 4 * usize::from(size));
        for (before, undo) in undos.into_iter().rev() {
            game.unmake(undo);
            prop_assert_eq!(&game, &before);
        }
    }

    #[test]
    fn cards_are_listed_from_the_highest(bits in any::<u64>()) {
        let cards = Cards::from_bits(bits);
        let listed: Vec<Card> = cards.iter().collect();
        prop_assert_eq!(listed.len() as u32, cards.len());
        prop_assert_eq!(listed.iter().copied().collect::<Cards>(), cards);
        let order = |card: &Card| (card.suit(), 15 - card.rank());
        prop_assert!(listed.is_sorted_by_key(order));
    }

    #[test]
    fn reading_any_text_does_not_panic(text in any::<String>()) {
        check_reading(&text);
    }

    #[test]
    fn reading_nearly_valid_text_does_not_panic(
        text in "N:[A2].3..( [KQ54]{0,2}[.]{3}){3} (S|NT) [NEé] (-|S[A2],?|H3,D2)( won=[01]-[01])?( dd=[0-9]{1,2})?"
    ) {
        check_reading(&text);
    }
}

fn check(game: &Bridge, reference: &Reference) -> Result<(), TestCaseError> {
    prop_assert_eq!(text_of(game), reference.text());
    prop_assert_eq!(generated(game, MoveSet::All), reference.legal());
    prop_assert_eq!(usize::from(game.to_move().0), reference.mover());
    prop_assert_eq!(game.tricks_won().map(usize::from), reference.won());
    prop_assert_eq!(game.hash(), key::hash(game.table()));
    let [ns, ew] = reference.won().map(|won| won as i32);
    let over = reference.legal().is_empty();
    prop_assert_eq!(game.outcome().map(|outcome| outcome.score), over.then_some(ns - ew));
    let again = Bridge::parse_position(&game.variant(), &text_of(game));
    prop_assert_eq!(again.as_ref(), Ok(game));
    for card in generated(game, MoveSet::All) {
        let read = game.parse_move(&card.to_lowercase()).expect("a legal card");
        let mut text = String::new();
        game.write_move(read, &mut text);
        prop_assert_eq!(text, card);
    }
    Ok(())
}

fn check_reading(text: &str) {
    let game = Bridge::from_seed(13, 0);
    if let Ok(card) = game.parse_move(text) {
        assert!(generated(&game, MoveSet::All).contains(&card.to_string()));
    }
    match Bridge::parse_position(&variant("double-dummy"), text) {
        Ok(game) => {
            let text = text_of(&game);
            assert_eq!(Bridge::parse_position(&game.variant(), &text), Ok(game));
        }
        Err(error) => {
            assert!(!error.0.is_empty() && error.0.is_sorted_by_key(|fault| fault.offset))
        }
    }
}
