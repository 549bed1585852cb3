//! The parts against slow twins, along random games; and what evaluation and order know.

use proptest::prelude::*;
use sandboard_games::xiangqi::{INFO, Move, MoveList, Xiangqi};
use sandboard_games::{Generate, Rules};

use super::*;
use crate::analyzer::{Analyzer, URGENT};
use crate::evaluator::Evaluator;
use crate::predicted::PredictedBoard;
use crate::random::Random;
use crate::weights::Weights;

fn position(text: &str) -> Xiangqi {
    let variant = INFO.variant("computer").unwrap();
    if text.is_empty() {
        Xiangqi::start(&variant)
    } else {
        Xiangqi::parse_position(&variant, text).unwrap()
    }
}

/// The legal move that a random number picks; none if the game is over.
fn picked(position: &Xiangqi, number: u16) -> Option<Move> {
    let mut moves = MoveList::new();
    position.moves(Generate::All, &mut moves);
    let over = position.outcome().is_some();
    (!over).then(|| moves[usize::from(number) % moves.len()])
}

proptest! {
    /// What is kept up to date along a game, back and forth, is what is summed up anew.
    #[test]
    fn sums_are_those_of_the_board(numbers in prop::collection::vec(any::<u16>(), 0..80), back in 0usize..80) {
        let mut board = PredictedBoard::new(position(""), Worth::default());
        for number in numbers {
            let Some(mv) = picked(board.position(), number) else { break };
            board.make(mv);
            prop_assert_eq!(board.evaluator().kept(), board.evaluator().sums(board.position()));
        }
        for _ in 0..back {
            board.unmake();
            prop_assert_eq!(board.evaluator().kept(), board.evaluator().sums(board.position()));
        }
    }

    /// What is good for red is as good for black in the same place.
    #[test]
    fn colours_are_valued_alike(numbers in prop::collection::vec(any::<u16>(), 0..60)) {
        let mut game = position("");
        for number in numbers {
            let Some(mv) = picked(&game, number) else { break };
            game.make(mv);
        }
        let turned = turned(&game);
        let value = |game: &Xiangqi| {
            let mut worth = Worth::default();
            worth.reset(game);
            worth.value(game)
        };
        prop_assert_eq!(value(&game), value(&turned));
    }

    /// Captures that can be taken back are those after which a capture on the point is among
    /// the moves; pins, which the quick answer does not see, and the king's own way aside.
    #[test]
    fn answers_to_captures_are_seen(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
        let mut game = position("");
        for number in numbers {
            let Some(mv) = picked(&game, number) else { break };
            let answered = game.is_answered(mv);
            game.make(mv);
            let takes_back = game.pieces().any(|(piece, from)| {
                piece.color == game.color_to_move() && game.goes(Move { from, to: mv.to })
            });
            prop_assert_eq!(answered, takes_back, "{} in {:?}", mv, game);
        }
    }
}

/// The same position with the colours changed and the board turned.
fn turned(game: &Xiangqi) -> Xiangqi {
    let mut text = String::new();
    game.write_position(&mut text);
    let fen = text.split(" moves").next().unwrap();
    let mut first = position(fen);
    let rest = text.split_once(" moves ").map_or("", |(_, moves)| moves);
    for mv in rest.split_ascii_whitespace() {
        first.play(mv).unwrap();
    }
    // The pieces alone: what repetition asks is not valued, the count of plies is.
    let mut rows: Vec<Vec<char>> = vec![vec!['.'; 9]; 10];
    for (piece, square) in first.pieces() {
        let letter = piece.letter();
        let other = if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        };
        let at = square.turned();
        rows[9 - usize::from(at.rank())][usize::from(at.file())] = other;
    }
    let rows: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
    let mut placement = rows.join("/");
    for run in (1..=9).rev() {
        placement = placement.replace(&".".repeat(run), &run.to_string());
    }
    let red = game.to_move().0 == 0;
    position(&format!("{placement} {} - - {} 1", if red { "b" } else { "w" }, game.plies_counted()))
}

#[track_caller]
fn check_foreseen(text: &str, plies: u32, expected: Option<i32>) {
    let order = Order::default();
    assert_eq!(order.foreseen(&position(text), plies).map(i32::signum), expected, "{text}");
}

#[test]
fn repetitions_behind_the_root_are_judged_at_once() {
    // A rook checks a king that goes to and fro.
    let checks = "4k4/9/9/9/9/9/9/9/4p4/3K4R w - - 0 1 moves i0i9 e9e8 i9i8 e8e9 i8i9";
    check_foreseen(checks, 5, Some(1));
    check_foreseen(checks, 3, None);
    // The same shuffle without a check is a draw.
    let shuffle = "4k4/9/9/9/9/9/9/9/4p4/3K4R w - - 0 1 moves i0h0 e9e8 h0i0 e8e9";
    check_foreseen(shuffle, 4, Some(0));
    check_foreseen(shuffle, 3, None);
    check_foreseen("", 0, None);
}

#[test]
fn captures_that_lose_come_after_quiet_moves() {
    let mut list = Vec::new();
    let mut order = Order::default();
    // The rook on e5 can take a pawn that a horse guards, and one that nobody does.
    let game = position("3k5/9/3n5/9/2p1R3p/9/9/9/9/4K4 w - - 0 1");
    order.candidates(&game, &mut list);
    let score = |text: &str| {
        let mv = game.parse_move(text).unwrap();
        list.iter().find(|candidate| candidate.mv == mv).unwrap().score
    };
    assert!(score("e5c5") < score("e5e6"));
    assert!(score("e5i5") >= URGENT);
    let mut noisy = Vec::new();
    order.noisy(&game, 0, &mut noisy);
    assert_eq!(noisy.iter().map(|it| it.mv.to_string()).collect::<Vec<_>>(), ["e5i5"]);
    noisy.clear();
    order.noisy(&game, 400, &mut noisy);
    assert!(noisy.is_empty(), "a pawn brings no 400");
}

#[test]
fn weights_stand_in_the_order_of_their_names() {
    let mut weights = Weights::new(&WEIGHTS);
    weights.set("rook", 1_500).unwrap();
    weights.set("rook-late", 1_500).unwrap();
    let game = position("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1");
    let value = |weights: &Weights| {
        let mut worth = Worth::new(weights);
        worth.reset(&game);
        worth.value(&game)
    };
    assert!(value(&weights) - value(&Weights::new(&WEIGHTS)) > 400);
    assert_eq!(WEIGHTS[super::weights::Name::Tempo as usize].name, "tempo");
}

#[test]
fn every_weight_changes_values() {
    let mut random = Random::seeded(1);
    let mut game = |_| {
        let mut game = position("");
        for _ in 0..random.below(120) {
            let Some(mv) = picked(&game, random.bits() as u16) else { break };
            game.make(mv);
        }
        game
    };
    let positions: Vec<Xiangqi> = (0..400).map(&mut game).collect();
    let values = |weights: &Weights| -> Vec<i32> {
        let mut worth = Worth::new(weights);
        let mut value = |position: &Xiangqi| {
            worth.reset(position);
            worth.value(position)
        };
        positions.iter().map(&mut value).collect()
    };
    let usual = values(&Weights::new(&WEIGHTS));
    for weight in &WEIGHTS {
        let mut weights = Weights::new(&WEIGHTS);
        // More than one, since much is divided.
        weights.set(weight.name, weight.initial + 9).unwrap();
        assert_ne!(
            values(&weights),
            usual,
            "`{}` is dead: a tuner would vary nothing",
            weight.name
        );
    }
}
