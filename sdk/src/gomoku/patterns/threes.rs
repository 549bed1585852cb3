//! Wins by continuous threats (VCT): each own move makes a four or an open three,
//! so that the opponent has few answers. Best first by proof numbers, depth first
//! in its use of memory (A. Nagai, "Df-pn Algorithm for Searching AND/OR Trees
//! and Its Applications", 2002), with a search for fours before each new position.
//!
//! Against an open three every answer is looked at that can help: stones that
//! stop all straight fours, and fours. That is proof, but for one thing: where
//! black attacks by renju's rules, a white stone elsewhere might make the point
//! of his straight four forbidden; such wins are not called proved.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Color, Gomoku, Move, Point};

use super::answers::stops;
use super::fours::{Ending, Means};
use super::kinds::Kind;
use super::proofs::{NEVER, Numbers};
use super::{Patterns, may};
use crate::gomoku::rows::Rows;

/// Fours looked for before a position is opened, and nodes for that.
const FOURS: u8 = 10;
const FOUR_NODES: u64 = 300;

/// No proof goes deeper, in plies.
const PLIES_MAX: u32 = 60;

/// A position that nobody has looked at.
const UNKNOWN: Numbers = Numbers { proof: 1, disproof: 1 };

/// The position in the table: what one colour has to prove, the other may not take for his.
#[inline]
fn key(board: &Gomoku, attacker: Color) -> u64 {
    const OF_WHITE: u64 = 0x9E37_79B9_7F4A_7C15;
    board.hash() ^ if attacker == Color::White { OF_WHITE } else { 0 }
}

/// What may be spent on one position before others come first.
#[derive(Clone, Copy)]
struct Thresholds {
    proof: u32,
    disproof: u32,
}

#[derive(Clone, Copy)]
struct Child {
    point: Point,
    key: u64,
    numbers: Numbers,
}

impl Patterns {
    /// Whether the side to move wins by threats, as far as the means go: the
    /// first move and the plies.
    pub(super) fn win_by_threes(
        &mut self,
        board: &mut Gomoku,
        means: &mut Means<'_>,
    ) -> Option<(Point, u32)> {
        if self.cells.law().blocks_from_outside() {
            return None;
        }
        let attacker = board.color_to_move();
        let all = Thresholds { proof: NEVER, disproof: NEVER };
        let numbers = self.attack(board, attacker, all, 0, means);
        if !numbers.is_won() {
            return None;
        }
        let (first, _) = self.won_move(board, attacker)?;
        Some((first, numbers.disproof))
    }

    /// The attacker is to move.
    fn attack(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        thresholds: Thresholds,
        ply: u32,
        means: &mut Means<'_>,
    ) -> Numbers {
        if let Some((_, plies)) = self.seen_win(board) {
            return Numbers::won(plies);
        }
        let known = self.proofs.threes(key(board, attacker));
        if let Some(settled) = known.filter(|known| known.is_won() || known.disproof == 0) {
            return settled;
        }
        if ply >= PLIES_MAX {
            return Numbers::LOST;
        }
        if known.is_none() {
            let mut few = Means { nodes: FOUR_NODES.min(means.nodes), spend: means.spend };
            let before = few.nodes;
            let ending = self.win_by_fours(board, FOURS, &mut few);
            means.nodes -= before - few.nodes.min(before);
            if let Ending::Win(_, plies) = ending {
                self.proofs.keep_threes(key(board, attacker), Numbers::won(plies));
                return Numbers::won(plies);
            }
        }
        let mut children = Vec::new();
        self.list_attacks(board, attacker, &mut children);
        self.settle(board, attacker, &mut children, thresholds, ply, means)
    }

    fn list_attacks(&self, board: &mut Gomoku, attacker: Color, children: &mut Vec<Child>) {
        let other = attacker.other();
        let must = self.cells.first(other, Kind::Five);
        if must.is_some() && self.cells.count(other, Kind::Five) > 1 {
            return;
        }
        let attacks = match must {
            // Whether there is still a threat after it, is seen then.
            Some(must) => Rows::of(must),
            None => self.cells.fours(attacker).or(self.cells.threes(attacker)),
        };
        for point in attacks.iter() {
            if may(board, attacker, point) {
                // Of single threes each answer has to be refuted.
                let single = self.cells.kind(attacker, point) == Kind::Three;
                let unknown = Numbers { proof: 1 + u32::from(single), disproof: 1 };
                children.push(self.child(board, attacker, point, unknown));
            }
        }
        children.sort_by_key(|child| -self.cells.urgency(attacker, child.point));
    }

    /// The opponent is to move, after a threat.
    fn defend(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        thresholds: Thresholds,
        ply: u32,
        means: &mut Means<'_>,
    ) -> Numbers {
        let mover = attacker.other();
        if board.outcome().is_some() || self.cells.count(mover, Kind::Five) > 0 {
            return Numbers::LOST;
        }
        let mut children = Vec::new();
        if let Some(five) = self.cells.first(attacker, Kind::Five) {
            if self.cells.count(attacker, Kind::Five) > 1 || !may(board, mover, five) {
                return Numbers::won(2);
            }
            children.push(self.child(board, attacker, five, UNKNOWN));
        } else {
            let mut threats = self.winning(board, attacker).peekable();
            if threats.peek().is_none() {
                return Numbers::LOST;
            }
            let stops = stops(&self.cells, attacker, threats);
            let answers = stops.or(self.cells.fours(mover));
            for point in answers.iter() {
                if may(board, mover, point) {
                    let unknown = self.at_first_sight(board, attacker, point, means);
                    children.push(self.child(board, attacker, point, unknown));
                }
            }
            if children.is_empty() {
                return Numbers::won(4);
            }
            children.sort_by_key(|child| -self.cells.urgency(mover, child.point));
        }
        self.settle(board, attacker, &mut children, thresholds, ply, means)
    }

    /// What is seen of the position after an answer without opening it.
    fn at_first_sight(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        answer: Point,
        means: &mut Means<'_>,
    ) -> Numbers {
        if !means.take() {
            return UNKNOWN;
        }
        let undo = self.try_stone(board, answer);
        let seen = self.seen_win(board);
        let answers_four = self.cells.count(attacker.other(), Kind::Five) > 0;
        let attacks = self.cells.fours(attacker).or(self.cells.threes(attacker)).len();
        self.untry(board, undo);
        match seen {
            Some((_, plies)) => Numbers::won(plies),
            None if attacks == 0 && !answers_four => Numbers::LOST,
            None => Numbers { proof: 1, disproof: 1 + attacks / 4 },
        }
    }

    fn child(&self, board: &mut Gomoku, attacker: Color, point: Point, unknown: Numbers) -> Child {
        let undo = board.make(Move::Stone(point));
        let key = key(board, attacker);
        board.unmake(undo);
        let numbers = self.proofs.threes(key).unwrap_or(unknown);
        Child { point, key, numbers }
    }

    /// Opens the most promising child again and again, until the position is
    /// settled or has taken more than its thresholds.
    fn settle(
        &mut self,
        board: &mut Gomoku,
        attacker: Color,
        children: &mut [Child],
        thresholds: Thresholds,
        ply: u32,
        means: &mut Means<'_>,
    ) -> Numbers {
        let attacks = board.color_to_move() == attacker;
        loop {
            let numbers = if attacks { best_of(children) } else { worst_of(children) };
            let settled = numbers.is_won() || numbers.disproof == 0;
            if settled
                || numbers.proof >= thresholds.proof
                || numbers.disproof >= thresholds.disproof
                || !means.take()
            {
                self.proofs.keep_threes(key(board, attacker), numbers);
                return numbers;
            }
            let (chosen, second) = two_best(children, attacks);
            let child = children[chosen];
            let below = thresholds_below(numbers, child.numbers, second, thresholds, attacks);
            let undo = self.try_stone(board, child.point);
            let found = match attacks {
                true => self.defend(board, attacker, below, ply + 1, means),
                false if board.outcome().is_some() => Numbers::LOST,
                false => self.attack(board, attacker, below, ply + 1, means),
            };
            self.untry(board, undo);
            if found.is_won() || found.disproof == 0 {
                self.proofs.keep_threes(child.key, found);
            }
            children[chosen].numbers = found;
        }
    }

    /// The move that is known to win by threats, and the position's numbers after it.
    pub(super) fn won_move(&self, board: &mut Gomoku, attacker: Color) -> Option<(Point, u32)> {
        if let Some(seen) = self.seen_win(board) {
            return Some(seen);
        }
        let fours = self.proofs.fours(board.hash());
        let by_fours = match fours {
            Some(super::proofs::Fours::Win(point, plies)) => Some((point, u32::from(plies))),
            _ => None,
        };
        let mut children = Vec::new();
        self.list_attacks(board, attacker, &mut children);
        let won = children.iter().filter(|child| child.numbers.is_won());
        let by_threes = won.map(|child| (child.point, child.numbers.disproof + 1));
        by_threes.chain(by_fours).min_by_key(|(_, plies)| *plies)
    }

    /// Appends the expected moves of a win by threats, as far as they are known.
    pub(super) fn line_of_threes(&mut self, board: &mut Gomoku, out: &mut Vec<Move>) {
        let attacker = board.color_to_move();
        let mut undos = Vec::new();
        while undos.len() < PLIES_MAX as usize {
            let before = out.len();
            self.line_of_fours(board, out);
            if out.len() > before {
                break;
            }
            let Some((point, _)) = self.won_move(board, attacker) else { break };
            undos.push(self.try_stone(board, point));
            out.push(Move::Stone(point));
            let Some(answer) = self.longest_answer(board, attacker) else { break };
            undos.push(self.try_stone(board, answer));
            out.push(Move::Stone(answer));
        }
        while let Some(undo) = undos.pop() {
            self.untry(board, undo);
        }
    }

    /// The answer that holds out longest, of those that are known.
    fn longest_answer(&self, board: &mut Gomoku, attacker: Color) -> Option<Point> {
        if board.outcome().is_some() {
            return None;
        }
        let mover = attacker.other();
        let answers = match self.cells.first(attacker, Kind::Five) {
            Some(five) => Rows::of(five),
            None => stops(&self.cells, attacker, self.winning(board, attacker))
                .or(self.cells.fours(mover)),
        };
        let mut longest: Option<Child> = None;
        for point in answers.iter() {
            if may(board, mover, point) {
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

/// The attacker chooses: the proof of one is enough.
fn best_of(children: &[Child]) -> Numbers {
    let won = children.iter().filter(|child| child.numbers.is_won());
    if let Some(plies) = won.map(|child| child.numbers.disproof).min() {
        return Numbers::won(plies + 1);
    }
    let proof = children.iter().map(|child| child.numbers.proof).min().unwrap_or(NEVER);
    let disproof = children.iter().map(|child| child.numbers.disproof).sum::<u32>().min(NEVER);
    Numbers { proof, disproof }
}

/// The opponent chooses: all of them have to be proved.
fn worst_of(children: &[Child]) -> Numbers {
    if children.iter().all(|child| child.numbers.is_won()) {
        let longest = children.iter().map(|child| child.numbers.disproof).max().unwrap_or(0);
        return Numbers::won(longest + 1);
    }
    let proof = children.iter().map(|c| c.numbers.proof).fold(0, u32::saturating_add).min(NEVER);
    let disproof = children.iter().map(|c| c.numbers.against()).min().unwrap_or(0);
    Numbers { proof, disproof }
}

/// The most promising child, and the number of the next.
fn two_best(children: &[Child], attacks: bool) -> (usize, u32) {
    let number = |child: &Child| {
        if attacks { child.numbers.proof } else { child.numbers.against() }
    };
    let (mut best, mut second) = (0, NEVER);
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

/// A child may take until its sibling is more promising by a quarter, or the
/// position's own thresholds are reached.
fn thresholds_below(
    numbers: Numbers,
    child: Numbers,
    second: u32,
    own: Thresholds,
    attacks: bool,
) -> Thresholds {
    let next = second.saturating_add(1 + second / 4).min(NEVER);
    if attacks {
        let disproof =
            own.disproof.saturating_sub(numbers.disproof).saturating_add(child.against());
        Thresholds { proof: own.proof.min(next), disproof: disproof.min(NEVER) }
    } else {
        let proof = own.proof.saturating_sub(numbers.proof).saturating_add(child.proof);
        Thresholds { proof: proof.min(NEVER), disproof: own.disproof.min(next) }
    }
}
