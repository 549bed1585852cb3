//! Wins by continuous fours (VCF): each own move makes a four, so that the
//! opponent has one answer at most, until a five. Depth first, after L. V. Allis,
//! H. J. van den Herik and M. P. H. Huntjens, "Go-Moku and Threat-Space Search"
//! (1993), where this is the search with the narrowest answers.
//! Where black has forbidden points he can neither make a four on one nor stop
//! one there. What is found is exact.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Gomoku, Move, Point};

use super::kinds::Kind;
use super::proofs::Fours;
use super::{Patterns, may};

/// What a search for fours ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// This four wins, after so many plies.
    Win(Point, u32),
    /// There is no win with so many fours.
    None,
    /// Nobody may spend more.
    Spent,
}

/// What one search for fours may spend.
pub(super) struct Means<'a> {
    /// Moves still to be made.
    pub(super) nodes: u64,
    /// Asks the search's budget before each.
    pub(super) spend: &'a mut dyn FnMut() -> bool,
}

impl Means<'_> {
    #[inline]
    pub(super) fn take(&mut self) -> bool {
        if self.nodes == 0 || !(self.spend)() {
            self.nodes = 0;
            return false;
        }
        self.nodes -= 1;
        true
    }
}

impl Patterns {
    /// Puts a stone of whoever is to move on the board of proofs.
    #[inline]
    pub(super) fn try_stone(
        &mut self,
        board: &mut Gomoku,
        point: Point,
    ) -> <Gomoku as Rules>::Undo {
        let color = board.color_to_move();
        self.cells.put(color, point);
        board.make(Move::Stone(point))
    }

    #[inline]
    pub(super) fn untry(&mut self, board: &mut Gomoku, undo: <Gomoku as Rules>::Undo) {
        board.unmake(undo);
        self.cells.take();
    }

    /// A win that is seen without a move: a five, or two ways to one that no
    /// five of the opponent comes before.
    #[inline]
    pub(super) fn seen_win(&self, board: &Gomoku) -> Option<(Point, u32)> {
        let mover = board.color_to_move();
        if let Some(point) = self.cells.first(mover, Kind::Five) {
            return Some((point, 1));
        }
        if self.cells.count(mover.other(), Kind::Five) > 0 || self.cells.law().blocks_from_outside()
        {
            return None;
        }
        self.winning(board, mover).next().map(|point| (point, 3))
    }

    /// Whether so many more fours win for the side to move.
    pub(super) fn win_by_fours(
        &mut self,
        board: &mut Gomoku,
        fours: u8,
        means: &mut Means<'_>,
    ) -> Ending {
        if let Some((point, plies)) = self.seen_win(board) {
            return Ending::Win(point, plies);
        }
        let mover = board.color_to_move();
        if fours == 0 || self.cells.fours(mover).is_empty() {
            return Ending::None;
        }
        match self.proofs.fours(board.hash()) {
            Some(Fours::Win(point, plies)) => return Ending::Win(point, plies.into()),
            Some(Fours::None(up_to)) if up_to >= fours => return Ending::None,
            _ => {}
        }
        let ending = self.try_fours(board, fours, means);
        match ending {
            Ending::Win(point, plies) => {
                self.proofs.keep_fours(board.hash(), Fours::Win(point, plies as u16));
            }
            Ending::None => self.proofs.keep_fours(board.hash(), Fours::None(fours)),
            Ending::Spent => {}
        }
        ending
    }

    fn try_fours(&mut self, board: &mut Gomoku, fours: u8, means: &mut Means<'_>) -> Ending {
        let mover = board.color_to_move();
        let other = mover.other();
        let mut points: [(i32, Option<Point>); 32] = [(0, None); 32];
        let mut count = 0;
        let must = self.cells.first(other, Kind::Five);
        for point in self.cells.fours(mover).iter() {
            if must.is_some_and(|must| must != point) || count == points.len() {
                continue;
            }
            points[count] = (-self.cells.urgency(mover, point), Some(point));
            count += 1;
        }
        if must.is_some() && self.cells.count(other, Kind::Five) > 1 {
            return Ending::None;
        }
        points[..count].sort_unstable();
        for (_, point) in points.into_iter().take(count) {
            let Some(point) = point.filter(|&point| may(board, mover, point)) else { continue };
            if !means.take() {
                return Ending::Spent;
            }
            let undo = self.try_stone(board, point);
            let ending = self.answer_four(board, fours - 1, means);
            self.untry(board, undo);
            match ending {
                Ending::Win(_, plies) => return Ending::Win(point, plies + 1),
                Ending::Spent => return Ending::Spent,
                Ending::None => {}
            }
        }
        Ending::None
    }

    /// After a four: whether its maker wins, whatever the side to move answers.
    fn answer_four(&mut self, board: &mut Gomoku, fours: u8, means: &mut Means<'_>) -> Ending {
        let mover = board.color_to_move();
        let other = mover.other();
        // The mover has no five: he had none before, or the four is on its point.
        let Some(five) = self.cells.first(other, Kind::Five) else { return Ending::None };
        if self.cells.law().blocks_from_outside() {
            return self.answer_from_anywhere(board, fours, means);
        }
        if self.cells.count(other, Kind::Five) > 1 || !may(board, mover, five) {
            return Ending::Win(five, 2);
        }
        self.after_answer(board, five, fours, means)
    }

    fn after_answer(
        &mut self,
        board: &mut Gomoku,
        answer: Point,
        fours: u8,
        means: &mut Means<'_>,
    ) -> Ending {
        if !means.take() {
            return Ending::Spent;
        }
        let undo = self.try_stone(board, answer);
        let ending = match board.outcome() {
            Some(_) => Ending::None,
            None => self.win_by_fours(board, fours, means),
        };
        self.untry(board, undo);
        match ending {
            Ending::Win(_, plies) => Ending::Win(answer, plies + 1),
            ending => ending,
        }
    }

    /// Where a five can be spoilt from outside, every point is an answer.
    fn answer_from_anywhere(
        &mut self,
        board: &mut Gomoku,
        fours: u8,
        means: &mut Means<'_>,
    ) -> Ending {
        let other = board.color_to_move().other();
        let mut worst = Ending::Win(Point::new(0, 0).unwrap_or_else(|| unreachable!()), 2);
        for point in board.empty_points().collect::<Vec<_>>() {
            if !means.take() {
                return Ending::Spent;
            }
            let undo = board.make(Move::Stone(point));
            let stopped = board.winning_points(other).is_empty();
            board.unmake(undo);
            if stopped {
                match (self.after_answer(board, point, fours, means), worst) {
                    (Ending::Win(_, plies), Ending::Win(_, most)) if plies <= most => {}
                    (Ending::Win(point, plies), _) => worst = Ending::Win(point, plies),
                    (ending, _) => return ending,
                }
            }
        }
        worst
    }

    /// Appends the moves of a win by fours that is in the table, or seen.
    pub(super) fn line_of_fours(&mut self, board: &mut Gomoku, out: &mut Vec<Move>) {
        let mut undos = Vec::new();
        while board.outcome().is_none() && undos.len() < 200 {
            let first = match (self.seen_win(board), self.proofs.fours(board.hash())) {
                (Some((point, _)), _) | (None, Some(Fours::Win(point, _))) => point,
                _ => break,
            };
            undos.push(self.try_stone(board, first));
            out.push(Move::Stone(first));
            let mover = board.color_to_move();
            let fives: Option<Point> = self.cells.first(mover.other(), Kind::Five);
            let Some(answer) =
                fives.filter(|&five| board.outcome().is_none() && may(board, mover, five))
            else {
                break;
            };
            undos.push(self.try_stone(board, answer));
            out.push(Move::Stone(answer));
        }
        while let Some(undo) = undos.pop() {
            self.untry(board, undo);
        }
    }
}
