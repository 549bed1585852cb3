//! Tests of the rules.

use proptest::prelude::*;
use sandboard_game_sdk::games::general::{LegalMoves, Transcripts};

use super::*;

fn position(variant: &str, text: &str) -> Result<Goofspiel, PositionError> {
    Goofspiel::parse_position(&INFO.variant(variant).unwrap(), text)
}

#[test]
fn the_higher_bid_wins_the_prize() {
    let check = |text: &str, points: [i32; 2], over: bool| {
        let game = position("standard-3", text).unwrap();
        assert_eq!(game.points(), points, "{text}");
        assert_eq!(game.ending().map(|it| it.scores), over.then(|| points.to_vec()), "{text}");
        let mut written = String::new();
        game.write_position(&mut written);
        assert_eq!(written, text);
    };
    check("3:::", [0, 0], false);
    check("3:3:2:1", [3, 0], false);
    check("3:3,1:2,1:1,2", [3, 1], false);
    check("3:3,1,2:2,1,3:1,2,3", [3, 1], true);
    check("3:3,1,2:2,1,3:2,1,3", [0, 0], true);
    check("3:2,3:1:3", [0, 2], false);
    check("3:2,3:1,2:3", [0, 2], false);
}

#[test]
fn faults_of_position_texts_have_their_place() {
    let check = |text: &str, offset: usize, reason: &str| {
        let error = position("standard-3", text).unwrap_err();
        assert_eq!((error.0[0].offset, &*error.0[0].reason), (offset, reason), "{text}");
    };
    let form = "expected a number of cards, prizes, and the bids of both seats, with `:`";
    check("", 0, form);
    check("3:1:1", 0, form);
    check("4:::", 0, "it is not the number of cards of the variant");
    check("x:::", 0, "it is not the number of cards of the variant");
    check("3:4::", 2, "a card is a number from 1 to 3");
    check("3:1,0:1:1", 4, "a card is a number from 1 to 3");
    check("3:1:2,2:1", 6, "the card 2 is there already");
    check("3::x:", 3, "a card is a number from 1 to 3");
    let numbers = "the numbers of prizes and bids do not fit";
    check("3:1::2", 0, numbers);
    check("3:1:1,2:1", 0, numbers);
    check("3:1,2::", 0, numbers);
    check("3::1:1", 0, numbers);
}

#[test]
fn both_bid_at_the_same_time() {
    let mut game = position("standard-3", "3:3::").unwrap();
    let bids = |game: &Goofspiel, seat| {
        let mut bids = Vec::new();
        game.generate(Seat(seat), &mut bids);
        bids
    };
    assert_eq!((bids(&game, 0), bids(&game, 1)), (vec![1, 2, 3], vec![1, 2, 3]));
    game.play(Actor::Seat(Seat(0)), &2);
    assert_eq!((bids(&game, 0), bids(&game, 1)), (vec![], vec![1, 2, 3]));
}

#[test]
fn boards_show_complete_rounds() {
    let check = |text: &str, seat: u8, expected: [&str; 4], moves: &[[&str; 2]]| {
        let board = position("standard-3", text).unwrap();
        let board = board.board(Observer::Seat(Seat(seat)), None).unwrap();
        assert_eq!(board.check("1 2 3"), Ok(()), "{text}");
        assert_eq!(board.diagram().lines().collect::<Vec<_>>(), expected, "{text}");
        let found: Vec<[&str; 2]> =
            board.moves.iter().map(|it| [&*it.mv, &*it.places[0]]).collect();
        assert_eq!(found, moves, "{text}");
    };
    let [first, second] = ["First: 1 2 3", "Second: 1 2 3"];
    let points = "Points: first 0, second 0";
    check("3:::", 0, [second, "Prize: . ?(3)   Last round:", points, first], &[]);
    let all = [["1", "first-1"], ["2", "first-2"], ["3", "first-3"]];
    let prize = "Prize:+3 ?(2)   Last round:";
    check("3:3::", 0, [second, prize, points, first], &all);
    // Seat 1 does not see the bid of seat 0 before its own.
    let all = [["1", "second-1"], ["2", "second-2"], ["3", "second-3"]];
    check("3:3:2:", 1, [first, prize, points, second], &all);
    check("3:3:2:", 0, [second, prize, points, first], &[]);
    let round = "Prize:+1 ?   Last round: prize:3 first:2 second:1";
    let rest = [["1", "first-1"], ["3", "first-3"]];
    let points = "Points: first 3, second 0";
    check("3:3,1:2:1", 0, ["Second: 2 3", round, points, "First: 1 3"], &rest);
    let end = "Prize: . .   Last round: prize:2 first:3 second:2";
    let points = "Points: first 5, second 1";
    check("3:3,1,2:2,1,3:1,3,2", 0, ["Second:", end, points, "First:"], &[]);
}

/// Plays with these choices among the moves of each actor; calls `visit` before each step.
fn play(choices: &[[usize; 2]], mut visit: impl FnMut(&Goofspiel, &Transcripts)) -> Goofspiel {
    let mut game = Goofspiel::of_size(4);
    let mut known = Transcripts::new(&game);
    for choices in choices {
        let mut outcomes = Vec::new();
        game.chance(&mut outcomes);
        visit(&game, &known);
        known.play(&mut game, &[(Actor::Chance, outcomes[choices[0] % outcomes.len()].0)]);
        visit(&game, &known);
        let step: Vec<(Actor, u8)> = [0, 1]
            .into_iter()
            .map(|seat| {
                let mut moves = Vec::new();
                game.generate(Seat(seat), &mut moves);
                (Actor::Seat(Seat(seat)), moves[choices[usize::from(seat)] % moves.len()])
            })
            .collect();
        known.play(&mut game, &step);
    }
    game
}

proptest! {
    #[test]
    fn random_games_end(games in prop::collection::vec(any::<[[usize; 2]; 4]>(), 20)) {
        let mut legal = LegalMoves::default();
        for choices in games {
            let end = play(&choices, |game, known| legal.add(game, known).unwrap());
            let ending = end.ending().expect("over");
            prop_assert!(ending.scores.iter().all(|score| (0..=10).contains(score)));
            let mut text = String::new();
            end.write_position(&mut text);
            prop_assert_eq!(Goofspiel::parse_position(&end.variant(), &text).unwrap(), end);
        }
    }
}
