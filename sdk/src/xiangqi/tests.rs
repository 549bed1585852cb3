//! The parts compared with slow implementations along random games, and tests of single terms.

use proptest::prelude::*;
use sandboard_games::xiangqi::{INFO, Move, MoveList, Xiangqi};
use sandboard_games::{MoveSet, Rules};

use super::*;
use crate::analyzer::{Analyzer, URGENT};
use crate::evaluator::Evaluator;
use crate::random::Random;
use crate::search_board::SearchBoard;
use crate::weights::Weights;

fn position(text: &str) -> Xiangqi {
    let variant = INFO.variant("computer").unwrap();
    if text.is_empty() {
        Xiangqi::start(&variant)
    } else {
        Xiangqi::parse_position(&variant, text).unwrap()
    }
}

/// The legal move that a random number selects; `None` if the game is over.
fn picked(position: &Xiangqi, number: u16) -> Option<Move> {
    let mut moves = MoveList::new();
    position.moves(MoveSet::All, &mut moves);
    let over = position.outcome().is_some();
    (!over).then(|| moves[usize::from(number) % moves.len()])
}

proptest! {
    /// Updated sums equal recomputed ones, as moves are made and unmade.
    #[test]
    fn updated_sums_equal_recomputed_ones(
        numbers in prop::collection::vec(any::<u16>(), 0..80),
        back in 0usize..80,
    ) {
        let mut board = SearchBoard::new(position(""), XiangqiEvaluator::default());
        for number in numbers {
            let Some(mv) = picked(board.position(), number) else { break };
            board.make(mv);
            let evaluator = board.evaluator();
            prop_assert_eq!(evaluator.sums(), evaluator.compute_sums(board.position()));
        }
        for _ in 0..back {
            board.unmake();
            let evaluator = board.evaluator();
            prop_assert_eq!(evaluator.sums(), evaluator.compute_sums(board.position()));
        }
    }

    /// A position and the same one with exchanged colours have the same value.
    #[test]
    fn evaluation_is_the_same_for_both_colours(
        numbers in prop::collection::vec(any::<u16>(), 0..60),
    ) {
        let mut game = position("");
        for number in numbers {
            let Some(mv) = picked(&game, number) else { break };
            game.make(mv);
        }
        let turned = turned(&game);
        let value = |game: &Xiangqi| {
            let mut evaluator = XiangqiEvaluator::default();
            evaluator.reset(game);
            evaluator.value(game)
        };
        prop_assert_eq!(value(&game), value(&turned));
    }

    /// `can_be_recaptured` is true exactly if a move to the same point follows. Neither considers
    /// pins.
    #[test]
    fn recaptures_are_found(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
        let mut game = position("");
        for number in numbers {
            let Some(mv) = picked(&game, number) else { break };
            let answered = game.can_be_recaptured(mv);
            game.make(mv);
            let recaptures = game.pieces().any(|(piece, from)| {
                piece.color == game.color_to_move() && game.can_reach(Move { from, to: mv.to })
            });
            prop_assert_eq!(answered, recaptures, "{} in {:?}", mv, game);
        }
    }
}

/// The same position with exchanged colours and the board turned.
fn turned(game: &Xiangqi) -> Xiangqi {
    let mut text = String::new();
    game.write_position(&mut text);
    let fen = text.split(" moves").next().unwrap();
    let mut first = position(fen);
    let rest = text.split_once(" moves ").map_or("", |(_, moves)| moves);
    for mv in rest.split_ascii_whitespace() {
        first.play(mv).unwrap();
    }
    // Pieces and the count of plies; the evaluation does not use the history of repetitions.
    let mut rows: Vec<Vec<char>> = vec![vec!['.'; 9]; 10];
    for (piece, square) in first.pieces() {
        let letter = piece.letter();
        let other = if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        };
        let at = square.rotated();
        rows[9 - usize::from(at.rank())][usize::from(at.file())] = other;
    }
    let rows: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
    let mut placement = rows.join("/");
    for run in (1..=9).rev() {
        placement = placement.replace(&".".repeat(run), &run.to_string());
    }
    let red = game.to_move().0 == 0;
    position(&format!(
        "{placement} {} - - {} 1",
        if red { "b" } else { "w" },
        game.plies_since_capture()
    ))
}

#[track_caller]
fn check_repetition(text: &str, plies: u32, expected: Option<i32>) {
    let analyzer = XiangqiAnalyzer::default();
    assert_eq!(
        analyzer.repetition_value(&position(text), plies).map(i32::signum),
        expected,
        "{text}"
    );
}

#[test]
fn repetitions_since_the_root_are_judged_at_once() {
    // A rook gives perpetual check.
    let checks = "4k4/9/9/9/9/9/9/9/4p4/3K4R w - - 0 1 moves i0i9 e9e8 i9i8 e8e9 i8i9";
    check_repetition(checks, 5, Some(1));
    check_repetition(checks, 3, None);
    // The same shuffle without a check is a draw.
    let shuffle = "4k4/9/9/9/9/9/9/9/4p4/3K4R w - - 0 1 moves i0h0 e9e8 h0i0 e8e9";
    check_repetition(shuffle, 4, Some(0));
    check_repetition(shuffle, 3, None);
    check_repetition("", 0, None);
}

#[test]
fn losing_captures_come_after_quiet_moves() {
    let mut list = Vec::new();
    let mut analyzer = XiangqiAnalyzer::default();
    // The rook on e5 can take a pawn that a horse guards, and an unguarded one.
    let game = position("3k5/9/3n5/9/2p1R3p/9/9/9/9/4K4 w - - 0 1");
    analyzer.candidates(&game, &mut list);
    let score = |text: &str| {
        let mv = game.parse_move(text).unwrap();
        list.iter().find(|candidate| candidate.mv == mv).unwrap().score
    };
    assert!(score("e5c5") < score("e5e6"));
    assert!(score("e5i5") >= URGENT);
    let mut noisy = Vec::new();
    analyzer.noisy_moves(&game, 0, &mut noisy);
    assert_eq!(noisy.iter().map(|it| it.mv.to_string()).collect::<Vec<_>>(), ["e5i5"]);
    noisy.clear();
    analyzer.noisy_moves(&game, 400, &mut noisy);
    assert!(noisy.is_empty(), "a pawn gains less than 400");
}

#[test]
fn weights_are_in_the_order_of_their_indices() {
    let mut weights = Weights::new(&WEIGHTS);
    weights.set("rook", 1_500).unwrap();
    weights.set("rook-late", 1_500).unwrap();
    let game = position("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1");
    let value = |weights: &Weights| {
        let mut evaluator = XiangqiEvaluator::new(weights);
        evaluator.reset(&game);
        evaluator.value(&game)
    };
    assert!(value(&weights) - value(&Weights::new(&WEIGHTS)) > 400);
    assert_eq!(WEIGHTS[super::weights::WeightIndex::Tempo as usize].name, "tempo");
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
        let mut evaluator = XiangqiEvaluator::new(weights);
        let mut value = |position: &Xiangqi| {
            evaluator.reset(position);
            evaluator.value(position)
        };
        positions.iter().map(&mut value).collect()
    };
    let initial = values(&Weights::new(&WEIGHTS));
    for weight in &WEIGHTS {
        let mut weights = Weights::new(&WEIGHTS);
        // A change of one may be lost in a division.
        weights.set(weight.name, weight.initial + 9).unwrap();
        assert_ne!(values(&weights), initial, "`{}` has no effect", weight.name);
    }
}
