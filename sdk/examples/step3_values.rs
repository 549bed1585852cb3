//! Step 3 of the tutorial in docs/authoring.md: evaluates the position after each move and plays
//! the move with the best value. Looks no further ahead.
#![forbid(unsafe_code)]

use sandboard_sdk::games::Rules;
use sandboard_sdk::games::gomoku::Gomoku;
use sandboard_sdk::{Chooser, Evaluator, Reply, SearchBoard, Turn, export_engine};

/// The value of five points in a row with stones of one colour only, by the number of stones: for
/// the side to move, and for the opponent.
const MOVING: [i32; 6] = [0, 2, 10, 70, 2_000, 0];
const WAITING: [i32; 6] = [0, 1, 7, 40, 300, 0];

#[derive(Clone, Copy, Default)]
struct Fives;

impl Evaluator<Gomoku> for Fives {
    fn value(&self, position: &Gomoku) -> i32 {
        let mover = position.color_to_move();
        let of_line = |(direction, point)| {
            let own = position.line(mover, direction, point);
            let other = position.line(mover.other(), direction, point);
            value_of_line(own.bits, other.bits, own.length)
        };
        position.lines().map(of_line).sum()
    }
}

/// The value of all windows of five on one line; points are bits.
fn value_of_line(own: u32, other: u32, length: u32) -> i32 {
    let window = |from: u32| {
        let [own, other] = [own, other].map(|bits| (bits >> from & 0b11111).count_ones() as usize);
        match (own, other) {
            (stones, 0) => MOVING[stones],
            (0, stones) => -WAITING[stones],
            _ => 0,
        }
    };
    (0..(length + 1).saturating_sub(5)).map(window).sum()
}

#[derive(Default)]
struct Mine;

impl Chooser for Mine {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let mut board = SearchBoard::new(turn.position.clone(), Fives);
        let mut value_after = |&mv: &_| {
            board.make(mv);
            let value = match board.position().outcome() {
                Some(outcome) => board.final_value(outcome, 1),
                None => board.value(),
            };
            board.unmake();
            // The value is for the side to move, which is the opponent.
            -value
        };
        match turn.legal_moves().iter().max_by_key(|mv| value_after(mv)) {
            Some(&mv) => Reply::play(mv),
            None => Reply::resign(),
        }
    }
}

export_engine!(Mine);
