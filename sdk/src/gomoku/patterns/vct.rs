//! Wins by continuous threats (VCT): each attacking move makes a four or an open three, so that the
//! opponent has few answers. A depth-first proof number search (A. Nagai, "Df-pn Algorithm for
//! Searching AND/OR Trees and Its Applications", 2002), with VCF before each new position.
//!
//! Against an open three, all useful answers are searched: stones that stop all straight fours, and
//! fours. The result is a proof, with one exception: in renju, a white stone elsewhere might make
//! the point of black's straight four forbidden. Wins of black in renju are therefore not called
//! proved.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Color, Gomoku, Move, Point};

use super::candidates::stopping_points;
use super::point_kinds::PointKind;
use super::proof_tables::{INFINITE, ProofNumbers, VcfResult};
use super::vcf::{NodeBudget, VcfOutcome};
use super::{PatternAnalyzer, may_play};
use crate::gomoku::point_set::PointSet;

/// The most fours and nodes of VCF before a position is expanded.
const VCF_FOURS: u8 = 10;
const VCF_NODES: u64 = 300;

/// The largest depth of a proof, in plies.
const PLIES_MAX: u32 = 60;

/// The proof numbers of a new position.
const UNKNOWN: ProofNumbers = ProofNumbers { proof: 1, disproof: 1 };

/// The table's key of a position, different for the two attacking colours.
#[inline]
fn key(board: &Gomoku, attacker: Color) -> u64 {
    const WHITE_ATTACKS: u64 = 0x9E37_79B9_7F4A_7C15;
    board.hash() ^ if attacker == Color::White { WHITE_ATTACKS } else { 0 }
}

/// The proof numbers at which the search of a position stops and turns to others.
#[derive(Clone, Copy)]
struct Thresholds {
    proof: u32,
    disproof: u32,
}

#[derive(Clone, Copy)]
struct Child {
    point: Point,
    key: u64,
    numbers: ProofNumbers,
}

impl PatternAnalyzer {
    /// A win of the side to move by continuous threats, if the budget suffices to prove it: the
    /// first move and the plies.
    pub(super) fn search_vct(
        &mut self,
        board: &mut Gomoku,
        budget: &mut NodeBudget<'_>,
    ) -> Option<(Point, u32)> {
        if self.threat_map.rule_masks().fives_can_be_spoiled() {
            return None;
        }
        let attacker = board.color_to_move();
        let all = Thresholds { proof: INFINITE, disproof: INFINITE };
        let numbers = self.attack(board, attacker, all, 0, budget);
        if !numbers.is_won() {
            return None;
        }
        let (first, _) = self.winning_move(board, attacker)?;
        Some((first, numbers.disproof))
    }

    /// Searches a position in which the attacker is to move.
    fn attack(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        thresholds: Thresholds,
        ply: u32,
        budget: &mut NodeBudget<'_>,
    ) -> ProofNumbers {
        if let Some((_, plies)) = self.immediate_win(board) {
            return ProofNumbers::won(plies);
        }
        let known = self.proofs.vct_numbers(key(board, attacker));
        if let Some(settled) = known.filter(|known| known.is_won() || known.disproof == 0) {
            return settled;
        }
        if ply >= PLIES_MAX {
            return ProofNumbers::LOST;
        }
        if known.is_none() {
            let mut vcf_budget =
                NodeBudget { nodes: VCF_NODES.min(budget.nodes), take_node: budget.take_node };
            let before = vcf_budget.nodes;
            let outcome = self.search_vcf(board, VCF_FOURS, &mut vcf_budget);
            budget.nodes -= before - vcf_budget.nodes.min(before);
            if let VcfOutcome::Win(_, plies) = outcome {
                self.proofs.store_vct(key(board, attacker), ProofNumbers::won(plies));
                return ProofNumbers::won(plies);
            }
        }
        let mut children = Vec::new();
        self.list_attacks(board, attacker, &mut children);
        self.settle(board, attacker, &mut children, thresholds, ply, budget)
    }

    fn list_attacks(&self, board: &mut Gomoku, attacker: Color, children: &mut Vec<Child>) {
        let other = attacker.other();
        let forced = self.threat_map.first_point(other, PointKind::Five);
        if forced.is_some() && self.threat_map.count(other, PointKind::Five) > 1 {
            return;
        }
        let attacks = match forced {
            // The next step checks whether this answer makes a threat.
            Some(point) => PointSet::of(point),
            None => self.threat_map.fours(attacker).or(self.threat_map.threes(attacker)),
        };
        for point in attacks.iter() {
            if may_play(board, attacker, point) {
                // After a single three, each of several answers has to be refuted.
                let single = self.threat_map.kind(attacker, point) == PointKind::Three;
                let unknown = ProofNumbers { proof: 1 + u32::from(single), disproof: 1 };
                children.push(self.child(board, attacker, point, unknown));
            }
        }
        children.sort_by_key(|child| -self.threat_map.move_score(attacker, child.point));
    }

    /// Searches a position after a threat, in which the opponent is to move.
    fn defend(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        thresholds: Thresholds,
        ply: u32,
        budget: &mut NodeBudget<'_>,
    ) -> ProofNumbers {
        let mover = attacker.other();
        if board.outcome().is_some() || self.threat_map.count(mover, PointKind::Five) > 0 {
            return ProofNumbers::LOST;
        }
        let mut children = Vec::new();
        if let Some(five) = self.threat_map.first_point(attacker, PointKind::Five) {
            if self.threat_map.count(attacker, PointKind::Five) > 1 || !may_play(board, mover, five)
            {
                return ProofNumbers::won(2);
            }
            children.push(self.child(board, attacker, five, UNKNOWN));
        } else {
            let mut threats = self.winning_points(board, attacker).peekable();
            if threats.peek().is_none() {
                return ProofNumbers::LOST;
            }
            let stops = stopping_points(&self.threat_map, attacker, threats);
            let answers = stops.or(self.threat_map.fours(mover));
            for point in answers.iter() {
                if may_play(board, mover, point) {
                    let unknown = self.first_estimate(board, attacker, point, budget);
                    children.push(self.child(board, attacker, point, unknown));
                }
            }
            if children.is_empty() {
                return ProofNumbers::won(4);
            }
            children.sort_by_key(|child| -self.threat_map.move_score(mover, child.point));
        }
        self.settle(board, attacker, &mut children, thresholds, ply, budget)
    }

    /// The proof numbers of the position after an answer, without expanding it.
    fn first_estimate(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        answer: Point,
        budget: &mut NodeBudget<'_>,
    ) -> ProofNumbers {
        if !budget.take() {
            return UNKNOWN;
        }
        let undo = self.make_stone(board, answer);
        let win = self.immediate_win(board);
        let answers_four = self.threat_map.count(attacker.other(), PointKind::Five) > 0;
        let attacks = self.threat_map.fours(attacker).or(self.threat_map.threes(attacker)).len();
        self.unmake_stone(board, undo);
        match win {
            Some((_, plies)) => ProofNumbers::won(plies),
            None if attacks == 0 && !answers_four => ProofNumbers::LOST,
            None => ProofNumbers { proof: 1, disproof: 1 + attacks / 4 },
        }
    }

    fn child(
        &self,
        board: &mut Gomoku,
        attacker: Color,
        point: Point,
        unknown: ProofNumbers,
    ) -> Child {
        let undo = board.make(Move::Stone(point));
        let key = key(board, attacker);
        board.unmake(undo);
        let numbers = self.proofs.vct_numbers(key).unwrap_or(unknown);
        Child { point, key, numbers }
    }

    /// Expands the most promising child repeatedly, until the position is settled or reaches its
    /// thresholds.
    fn settle(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        children: &mut [Child],
        thresholds: Thresholds,
        ply: u32,
        budget: &mut NodeBudget<'_>,
    ) -> ProofNumbers {
        let attacks = board.color_to_move() == attacker;
        loop {
            let numbers =
                if attacks { attacker_numbers(children) } else { defender_numbers(children) };
            let settled = numbers.is_won() || numbers.disproof == 0;
            if settled
                || numbers.proof >= thresholds.proof
                || numbers.disproof >= thresholds.disproof
                || !budget.take()
            {
                self.proofs.store_vct(key(board, attacker), numbers);
                return numbers;
            }
            let (chosen, second) = most_promising(children, attacks);
            let child = children[chosen];
            let below = thresholds_below(numbers, child.numbers, second, thresholds, attacks);
            let undo = self.make_stone(board, child.point);
            let found = match attacks {
                true => self.defend(board, attacker, below, ply + 1, budget),
                false if board.outcome().is_some() => ProofNumbers::LOST,
                false => self.attack(board, attacker, below, ply + 1, budget),
            };
            self.unmake_stone(board, undo);
            if found.is_won() || found.disproof == 0 {
                self.proofs.store_vct(child.key, found);
            }
            children[chosen].numbers = found;
        }
    }

    /// The move that is known to win, and its plies to the win.
    pub(super) fn winning_move(&self, board: &mut Gomoku, attacker: Color) -> Option<(Point, u32)> {
        if let Some(win) = self.immediate_win(board) {
            return Some(win);
        }
        let vcf = self.proofs.vcf_result(board.hash());
        let by_fours = match vcf {
            Some(VcfResult::Win(point, plies)) => Some((point, u32::from(plies))),
            _ => None,
        };
        let mut children = Vec::new();
        self.list_attacks(board, attacker, &mut children);
        let won = children.iter().filter(|child| child.numbers.is_won());
        let by_threats = won.map(|child| (child.point, child.numbers.disproof + 1));
        by_threats.chain(by_fours).min_by_key(|(_, plies)| *plies)
    }

    /// Appends the expected moves of a win by threats, as far as they are known.
    pub(super) fn append_vct_line(&mut self, board: &mut Gomoku, out: &mut Vec<Move>) {
        let attacker = board.color_to_move();
        let mut undos = Vec::new();
        while undos.len() < PLIES_MAX as usize {
            let before = out.len();
            self.append_vcf_line(board, out);
            if out.len() > before {
                break;
            }
            let Some((point, _)) = self.winning_move(board, attacker) else { break };
            undos.push(self.make_stone(board, point));
            out.push(Move::Stone(point));
            let Some(answer) = self.longest_answer(board, attacker) else { break };
            undos.push(self.make_stone(board, answer));
            out.push(Move::Stone(answer));
        }
        while let Some(undo) = undos.pop() {
            self.unmake_stone(board, undo);
        }
    }

    /// The known answer with the longest resistance.
    fn longest_answer(&self, board: &mut Gomoku, attacker: Color) -> Option<Point> {
        if board.outcome().is_some() {
            return None;
        }
        let mover = attacker.other();
        let answers = match self.threat_map.first_point(attacker, PointKind::Five) {
            Some(five) => PointSet::of(five),
            None => {
                stopping_points(&self.threat_map, attacker, self.winning_points(board, attacker))
                    .or(self.threat_map.fours(mover))
            }
        };
        let mut longest: Option<Child> = None;
        for point in answers.iter() {
            if may_play(board, mover, point) {
                let child = self.child(board, attacker, point, UNKNOWN);
                let plies = |child: Child| child.numbers.disproof;
                if child.numbers.is_won() && longest.is_none_or(|other| plies(child) > plies(other))
                {
                    longest = Some(child);
                }
            }
        }
        longest.map(|child| child.point)
    }
}

/// The proof numbers if the attacker chooses: one proved child is enough.
fn attacker_numbers(children: &[Child]) -> ProofNumbers {
    let won = children.iter().filter(|child| child.numbers.is_won());
    if let Some(plies) = won.map(|child| child.numbers.disproof).min() {
        return ProofNumbers::won(plies + 1);
    }
    let proof = children.iter().map(|child| child.numbers.proof).min().unwrap_or(INFINITE);
    let disproof = children.iter().map(|child| child.numbers.disproof).sum::<u32>().min(INFINITE);
    ProofNumbers { proof, disproof }
}

/// The proof numbers if the opponent chooses: all children must be proved.
fn defender_numbers(children: &[Child]) -> ProofNumbers {
    if children.iter().all(|child| child.numbers.is_won()) {
        let longest = children.iter().map(|child| child.numbers.disproof).max().unwrap_or(0);
        return ProofNumbers::won(longest + 1);
    }
    let proof = children.iter().map(|c| c.numbers.proof).fold(0, u32::saturating_add).min(INFINITE);
    let disproof = children.iter().map(|c| c.numbers.disproof_number()).min().unwrap_or(0);
    ProofNumbers { proof, disproof }
}

/// The index of the most promising child, and the proof number of the second one.
fn most_promising(children: &[Child], attacks: bool) -> (usize, u32) {
    let number = |child: &Child| {
        if attacks { child.numbers.proof } else { child.numbers.disproof_number() }
    };
    let (mut best, mut second) = (0, INFINITE);
    for index in 1..children.len() {
        let this = number(&children[index]);
        if this < number(&children[best]) {
            second = number(&children[best]);
            best = index;
        } else {
            second = second.min(this);
        }
    }
    (best, second)
}

/// The thresholds of a child: until the second child is more promising by a quarter, or the
/// position's own thresholds are reached.
fn thresholds_below(
    numbers: ProofNumbers,
    child: ProofNumbers,
    second: u32,
    own: Thresholds,
    attacks: bool,
) -> Thresholds {
    let next = second.saturating_add(1 + second / 4).min(INFINITE);
    if attacks {
        let disproof =
            own.disproof.saturating_sub(numbers.disproof).saturating_add(child.disproof_number());
        Thresholds { proof: own.proof.min(next), disproof: disproof.min(INFINITE) }
    } else {
        let proof = own.proof.saturating_sub(numbers.proof).saturating_add(child.proof);
        Thresholds { proof: proof.min(INFINITE), disproof: own.disproof.min(next) }
    }
}
