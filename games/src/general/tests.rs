//! Tests of the general model with a small game that has what the built-in games lack: chance,
//! hidden information and bids at the same time.

mod goofspiel;

use super::{
    Actor, GeneralGame, GeneralRules, LegalMoves, Next, Observer, SeatSet, Transcripts, TwoSided,
    draw, step,
};
use crate::rules::{Rules, Seat};
use crate::splitmix::SplitMix64;
use crate::{Game, PlayoutPlan, Variant, playouts_by_text};

/// In random games: the legal moves of a seat stay the same while others of its step move, texts
/// of moves differ, and seats without a decision have no moves.
fn check_model<G: GeneralRules>(start: &G) {
    for seed in 0..200 {
        let (mut position, mut random) = (start.clone(), SplitMix64::new(seed));
        for _ in 0..500 {
            let actors = step(&position);
            let moving: SeatSet = actors.iter().filter_map(|(actor, _)| seat_of(*actor)).collect();
            for seat in SeatSet::first(position.seats()).iter() {
                let mut moves = Vec::new();
                position.generate(seat, &mut moves);
                assert_eq!(moves.is_empty(), !moving.contains(seat), "{seat:?} in {position:?}");
            }
            let mut outcomes = Vec::new();
            position.chance(&mut outcomes);
            assert_eq!(outcomes.is_empty(), position.next() != Next::Chance);
            assert_eq!(position.ending().is_some(), position.next() == Next::Over);
            if let Some(ending) = position.ending() {
                assert_eq!(ending.scores.len(), usize::from(position.seats()));
                break;
            }
            for (actor, moves) in &actors {
                if let Some(seat) = seat_of(*actor) {
                    let mut now = Vec::new();
                    position.generate(seat, &mut now);
                    assert!(now.iter().eq(moves.iter().map(|(mv, _)| mv)), "{position:?}");
                }
                let text = |mv: &G::Move| {
                    let mut text = String::new();
                    position.write_move(*actor, mv, &mut text);
                    text
                };
                let mut texts: Vec<String> = moves.iter().map(|(mv, _)| text(mv)).collect();
                assert!(texts.iter().all(|text| !text.contains(char::is_whitespace)));
                texts.sort();
                texts.dedup();
                assert_eq!(texts.len(), moves.len(), "{texts:?}");
                let mv = draw(moves, &mut random).expect("a move").clone();
                position.play(*actor, &mv);
            }
        }
    }
}

fn seat_of(actor: Actor) -> Option<Seat> {
    match actor {
        Actor::Seat(seat) => Some(seat),
        Actor::Chance => None,
    }
}

/// Plays random games by texts and by values at once: the same texts, views and endings, and moves
/// that are taken back leave no trace.
fn check_texts<G: GeneralRules + PartialEq>(variant: &str) {
    let variant = G::INFO.variant(variant).expect("a variant");
    for seed in 0..50 {
        let mut game = GeneralGame::<G>::set_up(&variant, None).expect("the start");
        let (mut position, mut random) = (G::start(&variant), SplitMix64::new(seed));
        let mut played = Vec::new();
        while let Some(actor) = position.next().first() {
            assert_eq!((game.next(), game.ending()), (position.next(), None));
            assert_eq!((game.variant(), game.seats()), (variant.clone(), position.seats()));
            let actors = step(&position);
            let moves = &actors[0].1;
            let text = |mv: &G::Move| {
                let mut text = String::new();
                position.write_move(actor, mv, &mut text);
                text
            };
            let texts: Vec<String> = moves.iter().map(|(mv, _)| text(mv)).collect();
            let mut legal = String::new();
            game.write_legal(&mut legal);
            assert_eq!(legal, texts.join(" "));
            let weights: Vec<u32> = game.chance().iter().map(|outcome| outcome.1).collect();
            let expected = moves.iter().map(|outcome| outcome.1);
            assert!(actor != Actor::Chance || expected.eq(weights), "{position:?}");
            let chosen = random.below(moves.len());
            let seats = (0..position.seats()).map(|seat| Observer::Seat(Seat(seat)));
            for observer in seats.chain([Observer::Spectator]) {
                let (mut view, mut seen) = (String::new(), String::new());
                position.write_view(observer, &mut view);
                position.write_seen(observer, actor, &moves[chosen].0, &mut seen);
                assert_eq!(game.view(observer), view);
                let expected = (!seen.is_empty()).then_some(seen);
                assert_eq!(game.seen(observer, actor, &texts[chosen]), expected);
            }
            let before = game.position();
            assert!(game.play("nothing").is_err());
            for text in &texts {
                assert_eq!(game.canonical(text).as_ref(), Ok(text));
                assert_eq!(game.play(text).as_ref(), Ok(text));
                assert_eq!((game.take_back(1), game.position()), (1, before.clone()));
            }
            position.play(actor, &moves[chosen].0);
            game.play(&texts[chosen]).expect("a legal move");
            played.push(texts[chosen].clone());
            let mut last = String::new();
            game.write_last_move(&mut last);
            assert_eq!(
                (game.moves(), game.plies(), &last),
                (played.clone(), played.len(), &texts[chosen])
            );
        }
        assert_eq!((game.ending(), game.is_over()), (position.ending(), true));
        assert_eq!(game.play("nothing").expect_err("over").reason, "the game is over");
        let again = G::parse_position(&variant, &game.position()).expect("a position");
        assert_eq!(again, position);
        assert_eq!(game.take_back(1000), played.len());
        let plan = PlayoutPlan { seed, games: 3, plies_max: 7 };
        assert_eq!(game.playouts(&plan), playouts_by_text(&*game, &plan));
        assert_eq!(game.position(), GeneralGame::<G>::set_up(&variant, None).unwrap().position());
    }
}

#[test]
fn games_of_any_kind_are_played_by_texts() {
    check_texts::<goofspiel::Goofspiel<2>>("");
    check_texts::<goofspiel::Goofspiel<3>>("");
    check_texts::<goofspiel::Goofspiel<4>>("three");
    let game = GeneralGame::<goofspiel::Goofspiel<2>>::set_up(
        &goofspiel::Goofspiel::<2>::INFO.default_variant(),
        None,
    );
    let game = game.expect("the start");
    // Three prizes, three bids of each seat, two of what is left, and so on.
    let perft = |depth| game.perft(depth);
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(perft), [1, 3, 9, 27, 54, 108, 216]);
    assert_eq!((perft(9), perft(20)), (216, 216));
}

#[test]
fn legal_moves_that_leak_are_found() {
    let game = |moves: &[u8]| {
        let mut game = goofspiel::Goofspiel::<2>::new();
        let mut known = Transcripts::new(&game);
        for mv in moves {
            let actor = game.next().first().expect("it is not over");
            // Every move is a step of its own, so that bids are seen before the step is complete.
            known.play(&mut game, &[(actor, *mv)]);
        }
        (game, known)
    };
    let (one, known) = game(&[1, 1, 2, 2]);
    let mut legal = LegalMoves::default();
    legal.add(&one, &known).expect("the first position");
    legal.add(&one, &known).expect("the same position");
    // With the same knowledge, seat 0 has another card left.
    let (other, _) = game(&[1, 2, 2, 2]);
    let error = legal.add(&other, &known).expect_err("a leak");
    assert!(error.ends_with("and has the legal moves 2 3, or 1 3"), "{error}");
}

#[test]
fn the_games_of_the_tests_fit_the_model() {
    check_model(&goofspiel::Goofspiel::<2>::new());
    for info in goofspiel::Goofspiel::<4>::INFO.variants {
        let variant = Variant { id: info.id, size: None, setting: None };
        check_model(&goofspiel::Goofspiel::<4>::start(&variant));
    }
}

#[test]
fn outcomes_are_drawn_by_their_weights() {
    let check = |weights: &[u32], expected: &[u32]| {
        let outcomes: Vec<(usize, u32)> = weights.iter().copied().enumerate().collect();
        let mut random = SplitMix64::new(1);
        let mut counts = vec![0_u32; weights.len()];
        for _ in 0..6_000 {
            counts[*draw(&outcomes, &mut random).expect("an outcome")] += 1;
        }
        for (count, expected) in counts.iter().zip(expected) {
            // Five standard deviations are below 200.
            assert!(count.abs_diff(*expected) < 200, "{counts:?} for {weights:?}");
            assert_eq!(*count == 0, *expected == 0, "{counts:?} for {weights:?}");
        }
    };
    check(&[1], &[6_000]);
    check(&[1, 2, 3], &[1_000, 2_000, 3_000]);
    check(&[0, 5, 0, 5], &[0, 3_000, 0, 3_000]);
    check(&[u32::MAX; 3], &[2_000; 3]);
    assert_eq!(draw::<u8>(&[], &mut SplitMix64::new(1)), None);
    assert_eq!(draw(&[(7_u8, 0)], &mut SplitMix64::new(1)), None);
}

/// Plays random games by both interfaces at once.
fn check_two_sided<R: Rules>() {
    for info in R::INFO.variants {
        let variant = Variant { id: info.id, size: None, setting: None };
        let position = R::INFO.deal.map_or_else(
            || R::start(&variant),
            |deal| R::parse_position(&variant, &deal(&variant, 7)).expect("a deal"),
        );
        let mut text = String::new();
        position.write_position(&mut text);
        let mut game = Game::<R>::set_up(&variant, Some(&text)).expect("a position");
        let mut other = GeneralGame::<TwoSided<R>>::set_up(&variant, Some(&text)).expect("it too");
        let (mut general, mut random) = (TwoSided(position), SplitMix64::new(3));
        for _ in 0..100 {
            assert_eq!(general.ending(), game.ending());
            assert_eq!((other.next(), other.ending()), (game.next(), game.ending()));
            assert_eq!(other.winner(), game.winner());
            assert_eq!(other.diagram(Observer::Spectator), game.diagram(Observer::Spectator));
            let actors = step(&general);
            let (mut line, mut written) = (String::new(), Vec::new());
            game.write_legal(&mut line);
            let Some((actor, moves)) = actors.first() else {
                assert!(game.ending().is_some());
                break;
            };
            assert_eq!((*actor, actors.len()), (Actor::Seat(game.to_move()), 1));
            for (mv, _) in moves {
                let mut text = String::new();
                general.write_move(*actor, mv, &mut text);
                written.push(text);
            }
            assert_eq!(written.join(" "), line);
            let chosen = random.below(moves.len());
            let (mut whole, mut view) = (String::new(), String::new());
            general.write_position(&mut whole);
            general.write_view(Observer::Spectator, &mut view);
            assert_eq!((&whole, &view), (&game.position(), &game.position()));
            game.play(&written[chosen]).expect("a legal move");
            other.play(&written[chosen]).expect("a legal move");
            general.play(*actor, &moves[chosen].0);
        }
    }
}

#[test]
fn two_sided_games_are_general_ones() {
    check_two_sided::<crate::gomoku::Gomoku>();
    check_two_sided::<crate::reversi::Reversi>();
    check_two_sided::<crate::xiangqi::Xiangqi>();
    check_two_sided::<crate::bridge::Bridge>();
}
