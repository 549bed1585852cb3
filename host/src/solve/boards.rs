//! Boards of files as what is asked, and answers as boards.

use sandboard_games::bridge::{Board, Cards, Compass, Strain, TrickTable};

use super::answer::Answer;
use super::task::{Deal, Named, Played};

/// How a board is named in its answer.
pub(super) fn named(board: &Board) -> Named {
    let number = board.number.map(|number| number.to_string());
    Named { id: None, board: number, deal: Some(hands_text(board.hands)) }
}

/// What a board asks.
pub(super) fn deal(board: &Board) -> Deal {
    let played = board.declarer.zip(board.strain());
    Deal {
        hands: board.hands,
        dealer: board.dealer,
        vulnerable: board.vulnerability,
        played: played.map(|(declarer, strain)| Played { declarer, strain }),
        play: board.play.clone(),
    }
}

/// A deal of a line as a board, with its number.
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

/// A board with the values of its answer, if these are all twenty.
pub(super) fn solved(mut board: Board, answer: &Answer) -> Board {
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

/// Four hands as PBN has them, north's first.
fn hands_text(hands: [Cards; 4]) -> String {
    let [north, east, south, west] = hands;
    format!("N:{north} {east} {south} {west}")
}
