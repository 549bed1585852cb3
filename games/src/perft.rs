//! Counts move sequences to a depth, to verify a move generator.

use crate::rules::{MoveSet, Rules};

/// The number of move sequences of exactly `depth` plies. A game that ends earlier counts 1, or 0
/// in games that adjudicate ([`GameInfo::adjudicates`](crate::GameInfo::adjudicates)). The position
/// is unchanged afterwards.
///
/// Moves of the last ply are counted, not played: each ends one sequence, whether or not it also
/// ends the game.
pub fn perft<R: Rules>(position: &mut R, depth: u32) -> u64 {
    count(position, depth, &mut Vec::new())
}

/// `moves` is a stack: each ply appends its moves and removes them again.
fn count<R: Rules>(position: &mut R, depth: u32, moves: &mut Vec<R::Move>) -> u64 {
    if depth == 0 || !R::INFO.adjudicates && position.outcome().is_some() {
        return 1;
    }
    if let (1, Some(moves)) = (depth, position.count_moves()) {
        return moves;
    }
    let begin = moves.len();
    position.generate(MoveSet::All, moves);
    let games = match depth {
        1 => count_legal(position, &moves[begin..]),
        _ => count_deeper(position, depth, begin, moves),
    };
    moves.truncate(begin);
    games
}

fn count_legal<R: Rules>(position: &R, moves: &[R::Move]) -> u64 {
    moves.iter().filter(|&&mv| position.is_legal(mv)).count() as u64
}

fn count_deeper<R: Rules>(
    position: &mut R,
    depth: u32,
    begin: usize,
    moves: &mut Vec<R::Move>,
) -> u64 {
    let mut games = 0;
    for index in begin..moves.len() {
        let mv = moves[index];
        if position.is_legal(mv) {
            let undo = position.make(mv);
            games += count(position, depth - 1, moves);
            position.unmake(undo);
        }
    }
    games
}
