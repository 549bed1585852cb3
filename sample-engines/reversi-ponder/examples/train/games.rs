//! Self-play games: a random opening, then the best moves of a shallow search, then exact play.
//! Every position after the opening becomes a sample with the game's result.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use reversi_ponder::eval::{DISC, Discs, Weights};
use sandboard_sdk::Random;

use super::board::{Board, squares};
use super::progress::Progress;
use super::search;

/// A position with the result of its game, in discs for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub discs: Discs,
    pub result: i8,
    /// Whether its game is held out from the fit, to measure the fit's quality.
    pub held_out: bool,
}

/// How games are played.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub games: usize,
    pub depth: u32,
    /// The most empty squares of positions that are played exactly.
    pub exact_empties: u32,
    pub seed: u64,
}

/// The range of plies of an opening.
const OPENING: (usize, usize) = (4, 30);
/// The largest value after the opening: games that are almost decided teach little about others.
const OPENING_VALUE_MAX: i32 = 16 * DISC;
/// One of this many games is held out.
const HELD_OUT: usize = 20;

/// Plays the games with two threads. The results do not depend on which thread plays which game.
pub(crate) fn play(weights: &Weights, plan: Plan, name: &str) -> Vec<Sample> {
    let next = AtomicUsize::new(0);
    let progress = Progress::new(name, plan.games);
    let work = || {
        let mut games = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= plan.games {
                return games;
            }
            let mut samples = Vec::new();
            play_game(weights, plan, number, &mut samples);
            games.push((number, samples));
            progress.step();
        }
    };
    let mut games = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut games = work();
        games.extend(other.join().expect("a thread that plays does not panic"));
        games
    });
    games.sort_unstable_by_key(|(number, _)| *number);
    progress.end();
    games.into_iter().flat_map(|(_, samples)| samples).collect()
}

fn play_game(weights: &Weights, plan: Plan, number: usize, out: &mut Vec<Sample>) {
    let mut random =
        Random::seeded(plan.seed ^ (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let board = loop {
        let board = opening(&mut random);
        if search::value(weights, &board, 1, -OPENING_VALUE_MAX, OPENING_VALUE_MAX).abs()
            < OPENING_VALUE_MAX
        {
            break board;
        }
    };
    let first = out.len();
    let result = play_out(weights, plan, board, out);
    for sample in &mut out[first..] {
        // So far the result is 1 or -1: whether the mover is that of the first position.
        sample.result *= result as i8;
        sample.held_out = number.is_multiple_of(HELD_OUT);
    }
}

/// A position after random moves.
fn opening(random: &mut Random) -> Board {
    let plies = OPENING.0 + random.below(OPENING.1 - OPENING.0 + 1);
    let mut board = Board::start();
    for _ in 0..plies {
        let moves = board.moves();
        if moves == 0 {
            board = board.passed();
            continue;
        }
        let chosen = random.below(moves.count_ones() as usize);
        board = squares(moves).nth(chosen).map_or(board, |square| board.after(square));
    }
    board
}

/// Plays to the end and returns the result for the first mover. Records positions with 1 if that
/// side is to move, otherwise with -1.
fn play_out(weights: &Weights, plan: Plan, mut board: Board, out: &mut Vec<Sample>) -> i32 {
    let (mut sign, mut exact) = (1, None);
    loop {
        if board.moves() == 0 {
            if board.is_over() {
                return sign * board.result();
            }
            board = board.passed();
            sign = -sign;
            exact = exact.map(|value: i32| -value);
            continue;
        }
        out.push(Sample { discs: board.discs, result: sign as i8, held_out: false });
        let square = if board.empties() <= plan.exact_empties {
            let value = exact.unwrap_or_else(|| search::exact(&board, -64, 64));
            exact = Some(-value);
            search::move_keeping_result(&board, value)
        } else {
            search::best_move(weights, &board, plan.depth).map(|(square, _)| square)
        };
        let Some(square) = square else { return sign * board.result() };
        board = board.after(square);
        sign = -sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_repeatable_and_results_are_correct() {
        let plan = Plan { games: 30, depth: 1, exact_empties: 8, seed: 5 };
        let samples = play(Weights::built_in(), plan, "test");
        assert_eq!(samples, play(Weights::built_in(), plan, "test"));
        assert_ne!(samples, play(Weights::built_in(), Plan { seed: 6, ..plan }, "test"));
        let late = |sample: &&Sample| Board::of(sample.discs).empties() <= plan.exact_empties;
        for sample in samples.iter().filter(late) {
            let exact = search::exact(&Board::of(sample.discs), -64, 64);
            assert_eq!(i32::from(sample.result), exact, "{sample:?}");
        }
        let held_out = |sample: &&Sample| sample.held_out;
        let unseen = samples.iter().filter(held_out).count();
        assert!(unseen > 0 && unseen * 5 < samples.len());
    }
}
