//! Proofs of forced wins: which searches run with which effort, and the line of the win found.

use sandboard_games::gomoku::{Gomoku, Move, Point};
use sandboard_games::{Phase, Rules};

use super::PatternAnalyzer;
use super::point_kinds::PointKind;
use super::vcf::{NodeBudget, VcfOutcome};
use crate::analyzer::{ForcedWin, ProofEffort};

/// The most fours and nodes of VCF at a leaf. It runs only if some point makes a four and an open
/// three. Without that condition depth 6 of 22 positions took 1.7 million nodes instead of 0.7.
const LEAF_VCF: (u8, u64) = (6, 30);
/// The most fours and nodes of VCF at an inner node.
const INNER_VCF: (u8, u64) = (10, 120);
/// At the root, VCF comes first and gets one of this many nodes.
const ROOT_VCF_SHARE: u64 = 4;

impl PatternAnalyzer {
    pub(super) fn prove_win(
        &mut self,
        position: &Gomoku,
        effort: ProofEffort,
        take_node: &mut dyn FnMut() -> bool,
    ) -> Option<ForcedWin<Move>> {
        let forced = |(point, plies): (Point, u32), proved| {
            Some(ForcedWin { first: Move::Stone(point), plies, proved })
        };
        if position.outcome().is_some() || position.phase() != Phase::Play {
            return None;
        }
        if let Some(win) =
            self.immediate_win(position).filter(|win| win.1 == 1 || self.skill.sees_open_threes)
        {
            return forced(win, true);
        }
        let mover = position.color_to_move();
        let is_leaf = effort == ProofEffort::Leaf;
        if !self.skill.vcf || is_leaf && self.threat_map.count(mover, PointKind::FourThree) == 0 {
            return None;
        }
        let (fours, nodes) = match effort {
            ProofEffort::Leaf => LEAF_VCF,
            ProofEffort::Inner => INNER_VCF,
            ProofEffort::Root(nodes) => (u8::MAX, nodes / ROOT_VCF_SHARE),
        };
        let runs_vct = matches!(effort, ProofEffort::Root(_)) && self.skill.vct;
        if !runs_vct && self.threat_map.fours(mover).is_empty() {
            return None;
        }
        let mut board = match self.proof_board.take() {
            Some(mut board) => {
                (*board).clone_from(position);
                board
            }
            None => Box::new(position.clone()),
        };
        let mut budget = NodeBudget { nodes, take_node };
        let mut found = match self.search_vcf(&mut board, fours, &mut budget) {
            VcfOutcome::Win(point, plies) => forced((point, plies), true),
            VcfOutcome::NoWin | VcfOutcome::BudgetSpent => None,
        };
        if let (None, ProofEffort::Root(all), true) = (&found, effort, runs_vct) {
            budget.nodes = all - nodes;
            let win = self.search_vct(&mut board, &mut budget);
            let proved = !position.rule().forbids(mover);
            found = win.and_then(|win| forced(win, proved));
        }
        self.proof_board = Some(board);
        found
    }

    /// Appends the expected moves of the win found last.
    pub(super) fn append_win_line(&mut self, position: &Gomoku, out: &mut Vec<Move>) {
        let mut board = position.clone();
        self.append_vct_line(&mut board, out);
    }
}
