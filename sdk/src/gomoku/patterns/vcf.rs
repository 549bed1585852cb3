//! Wins by continuous fours (VCF): each attacking move makes a four, so that the opponent has at
//! most one answer, until a five. A depth-first search after L. V. Allis, H. J. van den Herik and
//! M. P. H. Huntjens, "Go-Moku and Threat-Space Search" (1993), where it is the search with the
//! fewest answers. Black neither makes nor stops a four on a forbidden point. Results are exact.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Gomoku, Move, Point};

use super::point_kinds::PointKind;
use super::proof_tables::VcfResult;
use super::{PatternAnalyzer, may_play};

/// The outcome of a VCF search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VcfOutcome {
    /// This move wins, in this number of plies.
    Win(Point, u32),
    /// There is no win with the allowed number of fours.
    NoWin,
    /// The node budget is spent.
    BudgetSpent,
}

/// The nodes that a proof may spend.
pub(super) struct NodeBudget<'a> {
    /// Moves that may still be made.
    pub(super) nodes: u64,
    /// Takes a node from the search's budget; false if that is spent.
    pub(super) take_node: &'a mut dyn FnMut() -> bool,
}

impl NodeBudget<'_> {
    #[inline]
    pub(super) fn take(&mut self) -> bool {
        if self.nodes == 0 || !(self.take_node)() {
            self.nodes = 0;
            return false;
        }
        self.nodes -= 1;
        true
    }
}

impl PatternAnalyzer {
    /// Makes a stone of the side to move on the proof board.
    #[inline]
    pub(super) fn make_stone(
        &mut self,
        board: &mut Gomoku,
        point: Point,
    ) -> <Gomoku as Rules>::Undo {
        let color = board.color_to_move();
        self.threat_map.add_stone(color, point);
        board.make(Move::Stone(point))
    }

    #[inline]
    pub(super) fn unmake_stone(&mut self, board: &mut Gomoku, undo: <Gomoku as Rules>::Undo) {
        board.unmake(undo);
        self.threat_map.remove_last_stone();
    }

    /// A win that is visible without search: a five, or two possible fives if the opponent has
    /// none. Returns the move and the plies to the win.
    #[inline]
    pub(super) fn immediate_win(&self, board: &Gomoku) -> Option<(Point, u32)> {
        let mover = board.color_to_move();
        if let Some(point) = self.threat_map.first_point(mover, PointKind::Five) {
            return Some((point, 1));
        }
        if self.threat_map.count(mover.other(), PointKind::Five) > 0
            || self.threat_map.rule_masks().fives_can_be_spoiled()
        {
            return None;
        }
        self.winning_points(board, mover).next().map(|point| (point, 3))
    }

    /// Whether the side to move wins with at most this many more fours.
    pub(super) fn search_vcf(
        &mut self,
        board: &mut Gomoku,
        fours: u8,
        budget: &mut NodeBudget<'_>,
    ) -> VcfOutcome {
        if let Some((point, plies)) = self.immediate_win(board) {
            return VcfOutcome::Win(point, plies);
        }
        let mover = board.color_to_move();
        if fours == 0 || self.threat_map.fours(mover).is_empty() {
            return VcfOutcome::NoWin;
        }
        match self.proofs.vcf_result(board.hash()) {
            Some(VcfResult::Win(point, plies)) => return VcfOutcome::Win(point, plies.into()),
            Some(VcfResult::NoWin(up_to)) if up_to >= fours => return VcfOutcome::NoWin,
            _ => {}
        }
        let outcome = self.search_fours(board, fours, budget);
        match outcome {
            VcfOutcome::Win(point, plies) => {
                self.proofs.store_vcf(board.hash(), VcfResult::Win(point, plies as u16));
            }
            VcfOutcome::NoWin => self.proofs.store_vcf(board.hash(), VcfResult::NoWin(fours)),
            VcfOutcome::BudgetSpent => {}
        }
        outcome
    }

    fn search_fours(
        &mut self,
        board: &mut Gomoku,
        fours: u8,
        budget: &mut NodeBudget<'_>,
    ) -> VcfOutcome {
        let mover = board.color_to_move();
        let other = mover.other();
        let mut points: [(i32, Option<Point>); 32] = [(0, None); 32];
        let mut count = 0;
        let forced = self.threat_map.first_point(other, PointKind::Five);
        for point in self.threat_map.fours(mover).iter() {
            if forced.is_some_and(|forced| forced != point) || count == points.len() {
                continue;
            }
            points[count] = (-self.threat_map.move_score(mover, point), Some(point));
            count += 1;
        }
        if forced.is_some() && self.threat_map.count(other, PointKind::Five) > 1 {
            return VcfOutcome::NoWin;
        }
        points[..count].sort_unstable();
        for (_, point) in points.into_iter().take(count) {
            let Some(point) = point.filter(|&point| may_play(board, mover, point)) else {
                continue;
            };
            if !budget.take() {
                return VcfOutcome::BudgetSpent;
            }
            let undo = self.make_stone(board, point);
            let outcome = self.answer_four(board, fours - 1, budget);
            self.unmake_stone(board, undo);
            match outcome {
                VcfOutcome::Win(_, plies) => return VcfOutcome::Win(point, plies + 1),
                VcfOutcome::BudgetSpent => return VcfOutcome::BudgetSpent,
                VcfOutcome::NoWin => {}
            }
        }
        VcfOutcome::NoWin
    }

    /// Whether the attacker wins after a four, against every answer of the side to move.
    fn answer_four(
        &mut self,
        board: &mut Gomoku,
        fours: u8,
        budget: &mut NodeBudget<'_>,
    ) -> VcfOutcome {
        let mover = board.color_to_move();
        let other = mover.other();
        // The mover has no five: there was none before, or the four has blocked it.
        let Some(five) = self.threat_map.first_point(other, PointKind::Five) else {
            return VcfOutcome::NoWin;
        };
        if self.threat_map.rule_masks().fives_can_be_spoiled() {
            return self.answer_from_anywhere(board, fours, budget);
        }
        if self.threat_map.count(other, PointKind::Five) > 1 || !may_play(board, mover, five) {
            return VcfOutcome::Win(five, 2);
        }
        self.after_answer(board, five, fours, budget)
    }

    fn after_answer(
        &mut self,
        board: &mut Gomoku,
        answer: Point,
        fours: u8,
        budget: &mut NodeBudget<'_>,
    ) -> VcfOutcome {
        if !budget.take() {
            return VcfOutcome::BudgetSpent;
        }
        let undo = self.make_stone(board, answer);
        let outcome = match board.outcome() {
            Some(_) => VcfOutcome::NoWin,
            None => self.search_vcf(board, fours, budget),
        };
        self.unmake_stone(board, undo);
        match outcome {
            VcfOutcome::Win(_, plies) => VcfOutcome::Win(answer, plies + 1),
            outcome => outcome,
        }
    }

    /// The same if fives can be spoiled from outside: every point may be an answer.
    fn answer_from_anywhere(
        &mut self,
        board: &mut Gomoku,
        fours: u8,
        budget: &mut NodeBudget<'_>,
    ) -> VcfOutcome {
        let other = board.color_to_move().other();
        let mut worst = VcfOutcome::Win(Point::new(0, 0).unwrap_or_else(|| unreachable!()), 2);
        for point in board.empty_points().collect::<Vec<_>>() {
            if !budget.take() {
                return VcfOutcome::BudgetSpent;
            }
            let undo = board.make(Move::Stone(point));
            let stopped = board.winning_points(other).is_empty();
            board.unmake(undo);
            if stopped {
                match (self.after_answer(board, point, fours, budget), worst) {
                    (VcfOutcome::Win(_, plies), VcfOutcome::Win(_, most)) if plies <= most => {}
                    (VcfOutcome::Win(point, plies), _) => worst = VcfOutcome::Win(point, plies),
                    (outcome, _) => return outcome,
                }
            }
        }
        worst
    }

    /// Appends the moves of a win by fours that is stored or immediate.
    pub(super) fn append_vcf_line(&mut self, board: &mut Gomoku, out: &mut Vec<Move>) {
        let mut undos = Vec::new();
        while board.outcome().is_none() && undos.len() < 200 {
            let first = match (self.immediate_win(board), self.proofs.vcf_result(board.hash())) {
                (Some((point, _)), _) | (None, Some(VcfResult::Win(point, _))) => point,
                _ => break,
            };
            undos.push(self.make_stone(board, first));
            out.push(Move::Stone(first));
            let mover = board.color_to_move();
            let fives: Option<Point> = self.threat_map.first_point(mover.other(), PointKind::Five);
            let Some(answer) =
                fives.filter(|&five| board.outcome().is_none() && may_play(board, mover, five))
            else {
                break;
            };
            undos.push(self.make_stone(board, answer));
            out.push(Move::Stone(answer));
        }
        while let Some(undo) = undos.pop() {
            self.unmake_stone(board, undo);
        }
    }
}
