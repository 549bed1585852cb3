//! Converts boards of files to tasks, and results to boards.

use sandboard_games::bridge::{Board, Cards, Compass, Strain, TrickTable};

use super::solver::SolveResult;
use super::task::{Contract, Deal, TaskLabel};

/// The label of a board's result.
pub(super) fn label(board: &Board) -> TaskLabel {
    let number = board.number.map(|number| number.to_string());
    TaskLabel { id: None, board: number, deal: Some(hands_text(board.hands)) }
}

/// The task of a board.
pub(super) fn deal(board: &Board) -> Deal {
    let played = board.declarer.zip(board.strain());
    Deal {
        hands: board.hands,
        dealer: board.dealer,
        vulnerable: board.vulnerability,
        played: played.map(|(declarer, strain)| Contract { declarer, strain }),
        play: board.play.clone(),
    }
}

/// The board of a deal from a line, with its number.
pub(super) fn of_deal(number: usize, deal: &Deal) -> Board {
    Board {
        number: u32::try_from(number).ok(),
        dealer: deal.dealer,
        vulnerability: deal.vulnerable,
        hands: deal.hands,
        declarer: deal.played.map(|played| played.declarer),
        denomination: deal.played.map(|played| played.strain),
        play: deal.play.clone(),
        ..Board::default()
    }
}

/// Adds the values of a result to a board, if there are all twenty.
pub(super) fn solved(mut board: Board, answer: &SolveResult) -> Board {
    board.table = answer.table.as_ref().and_then(|rows| {
        let mut table = TrickTable::default();
        for declarer in Compass::ALL {
            let letter = declarer.letter().to_string();
            let (_, row) = rows.0.iter().find(|(name, _)| *name == letter)?;
            for strain in Strain::ALL {
                table.set(declarer, strain, row[strain.index()]?);
            }
        }
        Some(table)
    });
    board
}

/// Four hands in PBN, North first.
fn hands_text(hands: [Cards; 4]) -> String {
    let [north, east, south, west] = hands;
    format!("N:{north} {east} {south} {west}")
}
