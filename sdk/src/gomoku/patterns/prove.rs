//! Which proof is tried with which effort, and its line afterwards.

use sandboard_games::gomoku::{Gomoku, Move, Point};
use sandboard_games::{Phase, Rules};

use super::Patterns;
use super::fours::{Ending, Means};
use super::kinds::Kind;
use crate::analyzer::{Effort, Forced};

/// Where the search would end: so many fours, and nodes for them; and only if
/// there is a point that makes a four and an open three. Without that condition
/// depth 6 of 22 positions took 1.7 million nodes instead of 0.7.
const GLANCE: (u8, u64) = (6, 30);
/// Where it goes on.
const LOOK: (u8, u64) = (10, 120);
/// At the root, fours come first and get this share of the nodes, one in so many.
const FOURS_SHARE: u64 = 4;

impl Patterns {
    pub(super) fn prove(
        &mut self,
        position: &Gomoku,
        effort: Effort,
        spend: &mut dyn FnMut() -> bool,
    ) -> Option<Forced<Move>> {
        let forced = |(point, plies): (Point, u32), proved| {
            Some(Forced { first: Move::Stone(point), plies, proved })
        };
        if position.outcome().is_some() || position.phase() != Phase::Play {
            return None;
        }
        if let Some(seen) =
            self.seen_win(position).filter(|seen| seen.1 == 1 || self.skill.foresight)
        {
            return forced(seen, true);
        }
        let mover = position.color_to_move();
        let glances = effort == Effort::Glance;
        if !self.skill.fours || glances && self.cells.count(mover, Kind::FourThree) == 0 {
            return None;
        }
        let (fours, nodes) = match effort {
            Effort::Glance => GLANCE,
            Effort::Look => LOOK,
            Effort::Study(nodes) => (u8::MAX, nodes / FOURS_SHARE),
        };
        let studies = matches!(effort, Effort::Study(_)) && self.skill.threes;
        if !studies && self.cells.fours(mover).is_empty() {
            return None;
        }
        let mut board = match self.board.take() {
            Some(mut board) => {
                (*board).clone_from(position);
                board
            }
            None => Box::new(position.clone()),
        };
        let mut means = Means { nodes, spend };
        let mut found = match self.win_by_fours(&mut board, fours, &mut means) {
            Ending::Win(point, plies) => forced((point, plies), true),
            Ending::None | Ending::Spent => None,
        };
        if let (None, Effort::Study(all), true) = (&found, effort, studies) {
            means.nodes = all - nodes;
            let won = self.win_by_threes(&mut board, &mut means);
            let sure = !position.rule().forbids(mover);
            found = won.and_then(|won| forced(won, sure));
        }
        self.board = Some(board);
        found
    }

    /// The expected moves of the win that was found last.
    pub(super) fn line_of_win(&mut self, position: &Gomoku, out: &mut Vec<Move>) {
        let mut board = position.clone();
        self.line_of_threes(&mut board, out);
    }
}
