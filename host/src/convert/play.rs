//! A tree of moves played through the checked rules, every line of it: texts become
//! canonical, and what is illegal is told with its number and its place. Without
//! recursion; one game goes forth and back.

use sandboard_games::formats::{By, Full, GameTree, Place, Told};
use sandboard_games::{DynGame, SetupError};

use crate::record::Start;
use crate::referee::tidy;

/// What is shown of a refusal, in bytes: it may quote the file.
const TOLD_BYTES: usize = 512;

/// What happens to a move that the rules refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// It is an error.
    Refused,
    /// It is left out, and all that follows on it.
    LeftOut,
}

/// A game that the rules refuse.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WrongMove {
    /// A move is illegal.
    #[error("{place}: move {number}: {reason}")]
    Illegal {
        /// Where in the file.
        place: Place,
        /// Its number in its line, from 1.
        number: usize,
        /// Why, with the move's text.
        reason: String,
    },
    /// The tree takes no more texts.
    #[error(transparent)]
    Full(#[from] Full),
    /// The game cannot begin.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// What was found on the way.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many moves were refused, each with all that followed on it.
    pub left_out: usize,
    /// The file's result, where the rules come to another.
    pub contradicted: Option<Told>,
}

/// Plays every line. The result of the main line is that of the rules, where they end it.
pub fn play_through(
    tree: &mut GameTree,
    start: &Start,
    illegal: Illegal,
) -> Result<Found, WrongMove> {
    let mut game = start.set_up()?;
    // In rising order.
    let mut barred: Vec<usize> = Vec::new();
    let mut below = usize::MAX;
    for index in 0..tree.len() {
        let Some(node) = tree.node(index) else { continue };
        if node.depth > below {
            continue;
        }
        below = usize::MAX;
        game.take_back((game.plies() + 1).saturating_sub(node.depth));
        match game.play(node.mv) {
            Ok(canonical) if canonical == node.mv => (),
            Ok(canonical) => tree.rename(index, &canonical)?,
            Err(_) if illegal == Illegal::LeftOut => {
                barred.push(index);
                below = node.depth;
            }
            Err(refusal) => {
                let reason = tidy(&refusal.to_string(), TOLD_BYTES);
                return Err(WrongMove::Illegal { place: node.place, number: node.depth, reason });
            }
        }
    }
    let left_out = barred.len();
    if left_out > 0 {
        *tree = tree.without(|index| barred.binary_search(&index).is_ok());
    }
    let contradicted = judge(tree, start)?;
    Ok(Found { left_out, contradicted })
}

/// Sets the result to that of the rules where they end the main line; gives back
/// the file's where that is another.
fn judge(tree: &mut GameTree, start: &Start) -> Result<Option<Told>, WrongMove> {
    let game = main_line(tree, start)?;
    let Some(outcome) = game.outcome() else { return Ok(None) };
    let told = tree.result;
    tree.result = Some(Told { winner: outcome.winner, by: By::Unsaid });
    Ok(told.filter(|told| told.winner != outcome.winner))
}

/// The game at the end of the main line.
fn main_line(tree: &GameTree, start: &Start) -> Result<Box<dyn DynGame>, WrongMove> {
    let mut game = start.set_up()?;
    for node in tree.main_line() {
        if let Err(refusal) = game.play(node.mv) {
            let reason = tidy(&refusal.to_string(), TOLD_BYTES);
            return Err(WrongMove::Illegal { place: node.place, number: node.depth, reason });
        }
    }
    Ok(game)
}
