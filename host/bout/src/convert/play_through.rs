//! Plays every line of a tree of moves by the rules: move texts become canonical, and an error
//! names the number and the location of an illegal move. Not recursive: one game plays and takes
//! back moves.

use sandboard_games::formats::{GameTree, Location, Node, RecordedResult, ResultCause, TreeFull};
use sandboard_games::{DynGame, SetupError};

use crate::start::StartPosition;
use crate::text::sanitize;

/// Longest reason of an error, in bytes: it can quote the file.
const REASON_BYTES: usize = 512;

/// What happens to illegal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMovePolicy {
    /// An illegal move is an error.
    Fail,
    /// An illegal move is dropped, with all moves that follow it.
    Drop,
}

/// Why a game cannot be played by the rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayThroughError {
    /// A move is illegal.
    #[error("{location}: move {number}: {reason}")]
    Illegal {
        /// Its location in the file.
        location: Location,
        /// Its number in its line, from 1.
        number: usize,
        /// Contains the move's text.
        reason: String,
    },
    /// The tree has no room for more texts.
    #[error(transparent)]
    Full(#[from] TreeFull),
    /// The start position is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// What [`play_through`] changed or found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PlayThroughReport {
    /// The number of illegal moves that were dropped, each with all moves that follow it.
    pub dropped: usize,
    /// The file's result, if the result by the rules is another.
    pub contradicted: Option<RecordedResult>,
}

/// Plays every line. If the rules end the main line, their result replaces the file's.
pub fn play_through(
    tree: &mut GameTree,
    start: &StartPosition,
    illegal: IllegalMovePolicy,
) -> Result<PlayThroughReport, PlayThroughError> {
    let mut game = start.set_up()?;
    // The indices of illegal moves, in ascending order.
    let mut dropped: Vec<usize> = Vec::new();
    // Deeper moves follow an illegal move.
    let mut dropped_depth = usize::MAX;
    for index in 0..tree.len() {
        let Some(node) = tree.node(index) else { continue };
        if node.depth > dropped_depth {
            continue;
        }
        dropped_depth = usize::MAX;
        game.take_back((game.plies() + 1).saturating_sub(node.depth));
        match game.play(node.mv) {
            Ok(canonical) if canonical == node.mv => (),
            Ok(canonical) => tree.set_move(index, &canonical)?,
            Err(_) if illegal == IllegalMovePolicy::Drop => {
                dropped.push(index);
                dropped_depth = node.depth;
            }
            Err(refusal) => return Err(illegal_move(node, &refusal)),
        }
    }
    if !dropped.is_empty() {
        *tree = tree.without_moves(|index| dropped.binary_search(&index).is_ok());
    }
    let contradicted = apply_result(tree, start)?;
    Ok(PlayThroughReport { dropped: dropped.len(), contradicted })
}

/// The same tree with the moves in the notation that people write in files.
pub(super) fn in_notation(
    tree: &GameTree,
    start: &StartPosition,
) -> Result<GameTree, PlayThroughError> {
    let (mut game, mut written) = (start.set_up()?, tree.clone());
    for node in tree.nodes() {
        game.take_back((game.plies() + 1).saturating_sub(node.depth));
        if let Some(notation) = game.notation(node.mv) {
            written.set_move(node.index, &notation)?;
        }
        game.play(node.mv).map_err(|refusal| illegal_move(node, &refusal))?;
    }
    Ok(written)
}

/// Sets the result to that of the rules, if they end the main line. Returns the file's result if it
/// is another.
fn apply_result(
    tree: &mut GameTree,
    start: &StartPosition,
) -> Result<Option<RecordedResult>, PlayThroughError> {
    let game = main_line(tree, start)?;
    if !game.is_over() {
        return Ok(None);
    }
    let (recorded, winner) = (tree.result, game.winner());
    tree.result = Some(RecordedResult { winner, cause: ResultCause::Unspecified });
    Ok(recorded.filter(|recorded| recorded.winner != winner))
}

/// The game at the end of the main line.
fn main_line(tree: &GameTree, start: &StartPosition) -> Result<Box<dyn DynGame>, PlayThroughError> {
    let mut game = start.set_up()?;
    for node in tree.main_line() {
        game.play(node.mv).map_err(|refusal| illegal_move(node, &refusal))?;
    }
    Ok(game)
}

fn illegal_move(node: Node<'_>, refusal: &dyn std::fmt::Display) -> PlayThroughError {
    let reason = sanitize(&refusal.to_string(), REASON_BYTES);
    PlayThroughError::Illegal { location: node.location, number: node.depth, reason }
}
