//! Random hands to their end: what holds in each position, and that legal moves tell nothing.

use proptest::prelude::*;
use sandboard_game_sdk::games::general::{LegalMoves, Transcripts, step};

use super::*;

/// Checks what holds in every position.
fn check_position(game: &Hearts) {
    let text = written(game, Observer::Everything);
    let read = Hearts::parse_position(&game.variant(), &text);
    assert_eq!(read.as_ref(), Ok(game), "{text}");
    let Some(table) = game.table() else { return };
    let held = table.hands.iter().chain(&table.won).fold(Cards::NONE, |all, cards| {
        assert!(!all.intersects(*cards), "{text}");
        all.union(*cards)
    });
    let in_trick = if table.trick.cards.len() < SEATS { table.trick.cards.len() } else { 0 };
    assert_eq!(held.len() as usize + in_trick, PACK, "{text}");
    let points: i32 = table.points().iter().sum();
    assert!(points <= table::ALL_POINTS);
}

/// Plays a hand with these choices; calls `visit` before each step.
fn play_hand(
    variant: &str,
    choices: &[usize],
    mut visit: impl FnMut(&Hearts, &Transcripts),
) -> (Hearts, usize) {
    let mut game = Hearts::start(&INFO.variant(variant).unwrap());
    let mut known = Transcripts::new(&game);
    let mut choices = choices.iter().cycle();
    let mut plies = 0;
    while game.next() != Next::Over {
        visit(&game, &known);
        let moves: Vec<(Actor, Card)> = step(&game)
            .into_iter()
            .map(|(actor, moves)| (actor, moves[choices.next().unwrap() % moves.len()].0))
            .collect();
        plies += moves.len();
        known.play(&mut game, &moves);
    }
    (game, plies)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_hand_ends_after_thirteen_tricks(
        choices in prop::collection::vec(any::<usize>(), 120),
        variant in 0..4_usize,
    ) {
        let id = INFO.variants[variant].id;
        let (end, plies) = play_hand(id, &choices, |game, _| check_position(game));
        check_position(&end);
        prop_assert_eq!(plies, 52 + 4 * end.passes() + 52);
        let scores = end.ending().expect("over").scores;
        let sum: i32 = scores.iter().sum();
        prop_assert!([-26, -78].contains(&sum), "{:?}", scores);
        prop_assert!((sum == -78) == (end.table().unwrap().moon().is_some()));
    }

    /// Two deals that differ only in the cards of two other seats look the same to a seat, and it
    /// has the same legal moves.
    #[test]
    fn cards_of_others_have_no_effect(
        choices in prop::collection::vec(any::<usize>(), 120),
        observer in 0..4_usize,
    ) {
        let (end, _) = play_hand("pass-left", &choices, |_, _| ());
        let [one, other] = [(observer + 1) % SEATS, (observer + 2) % SEATS];
        let exchanged = |card: Card| {
            let index = |seat: usize| end.dealt[seat].iter().position(|it| it == card);
            let swapped = |seat: usize, at| end.dealt[seat].iter().nth(at).unwrap();
            match (index(one), index(other)) {
                (Some(at), _) => swapped(other, at),
                (_, Some(at)) => swapped(one, at),
                _ => card,
            }
        };
        let (mut game, mut twin) = (Hearts::start(&end.variant()), Hearts::start(&end.variant()));
        let (mut known, mut of_twin) = (Transcripts::new(&game), Transcripts::new(&twin));
        let mut legal = LegalMoves::default();
        let seat = Observer::Seat(Seat(observer as u8));
        for turn in 0..PACK {
            let card = end.dealt[turn % SEATS].iter().nth(turn / SEATS).unwrap();
            known.play(&mut game, &[(Actor::Chance, card)]);
            of_twin.play(&mut twin, &[(Actor::Chance, exchanged(card))]);
        }
        for round in 0..PASSED {
            prop_assert_eq!(known.of(seat), of_twin.of(seat));
            prop_assert!(known.of(Observer::Spectator) == of_twin.of(Observer::Spectator));
            prop_assert!(game.board(seat, None) == twin.board(seat, None));
            legal.add(&game, &known).unwrap();
            let moves: Vec<(Actor, Card)> = (0..SEATS)
                .map(|seat| (Actor::Seat(Seat(seat as u8)), end.passed[seat][round]))
                .collect();
            let of_twin_moves: Vec<(Actor, Card)> =
                moves.iter().map(|(actor, card)| (*actor, exchanged(*card))).collect();
            known.play(&mut game, &moves);
            of_twin.play(&mut twin, &of_twin_moves);
        }
        // All see who has the two of clubs, because that seat leads.
        if game.first_leader() == twin.first_leader() {
            prop_assert_eq!(known.of(seat), of_twin.of(seat));
        }
        // The own hand has an effect.
        let shown = Observer::Seat(Seat(one as u8));
        prop_assert_ne!(known.of(shown), of_twin.of(shown));
    }
}

#[test]
fn equal_knowledge_has_equal_moves() {
    let mut legal = LegalMoves::default();
    for first in 0..20 {
        let choices: Vec<usize> = (0..120).map(|at| at * 7 + first).collect();
        play_hand("pass-across", &choices, |game, known| legal.add(game, known).unwrap());
    }
}
