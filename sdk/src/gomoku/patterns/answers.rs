//! Which moves are worth looking at: the answers to threats, and where there are
//! none, the points near stones by what they make and spoil.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Color, Gomoku, Move, Point};

use super::cells::Cells;
use super::kinds::Kind;
use super::{Patterns, may};
use crate::analyzer::Candidate;
use crate::gomoku::rows::Rows;
use crate::gomoku::{BLOCK_FIVE, BLOCK_FOUR, COUNTER_FOUR, MAKE_FIVE, STRAIGHT_FOUR};

/// A point within this distance of a stone is near.
const NEAR: usize = 2;

impl Patterns {
    /// The answers to threats, if there are any.
    pub(super) fn answers(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> bool {
        let mover = position.color_to_move();
        let other = mover.other();
        let cells = &self.cells;
        if let Some(point) = cells.first(mover, Kind::Five) {
            out.push(Candidate { mv: Move::Stone(point), score: MAKE_FIVE });
            return true;
        }
        if cells.count(other, Kind::Five) > 0 {
            if cells.law().blocks_from_outside() {
                return self.list_blocks(position, out);
            }
            let blocks = cells.fours(other).iter().filter(|&p| cells.kind(other, p) == Kind::Five);
            out.extend(blocks.map(|p| Candidate { mv: Move::Stone(p), score: BLOCK_FIVE }));
            return true;
        }
        if !self.skill.foresight {
            return false;
        }
        if let Some(point) = self.winning(position, mover).next() {
            out.push(Candidate { mv: Move::Stone(point), score: STRAIGHT_FOUR });
            // Where a stone beside it may stop it, it is only the best of many.
            return !cells.law().blocks_from_outside();
        }
        let mut threats = self.winning(position, other).peekable();
        if threats.peek().is_none() || cells.law().blocks_from_outside() {
            return false;
        }
        let stops = stops(cells, other, threats);
        let both = stops.or(cells.fours(mover));
        out.extend(both.iter().map(|point| {
            let first = if stops.contains(point) { BLOCK_FOUR } else { COUNTER_FOUR };
            Candidate { mv: Move::Stone(point), score: first + cells.urgency(mover, point) }
        }));
        true
    }

    /// The points where a colour gets two ways to a five at once, and may.
    pub(super) fn winning<'a>(
        &'a self,
        position: &'a Gomoku,
        color: Color,
    ) -> impl Iterator<Item = Point> + 'a {
        let cells = &self.cells;
        let any = cells.count(color, Kind::Winning) > 0;
        let points = any.then(|| cells.fours(color).iter()).into_iter().flatten();
        points.filter(move |&point| {
            cells.kind(color, point) == Kind::Winning && may(position, color, point)
        })
    }

    /// Where a five can be spoilt from outside: every point whose stone leaves the
    /// opponent no five, or the points of his fives if there is none.
    fn list_blocks(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> bool {
        let other = position.color_to_move().other();
        let mut after = position.clone();
        for point in position.empty_points() {
            let undo = after.make(Move::Stone(point));
            if after.winning_points(other).is_empty() {
                out.push(Candidate { mv: Move::Stone(point), score: BLOCK_FIVE });
            }
            after.unmake(undo);
        }
        if out.is_empty() {
            let fives = position.winning_points(other);
            out.extend(fives.iter().map(|p| Candidate { mv: Move::Stone(p), score: BLOCK_FIVE }));
        }
        true
    }

    /// The empty points near a stone, or the centre of an empty board.
    pub(super) fn quiet(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) {
        let (size, mover) = (position.size(), position.color_to_move());
        if self.cells.stones().is_empty() {
            let centre = Point::new(size / 2, size / 2);
            out.extend(centre.map(|point| Candidate { mv: Move::Stone(point), score: 0 }));
            return;
        }
        let near = near(self.cells.stones(), size);
        out.extend(near.iter().map(|point| Candidate {
            mv: Move::Stone(point),
            score: self.cells.urgency(mover, point) + self.mistake(position, point),
        }));
    }

    /// By how much the urgency of a point is mistaken.
    #[inline]
    fn mistake(&self, position: &Gomoku, point: Point) -> i32 {
        let noise = self.skill.noise;
        if noise.size == 0 { 0 } else { noise.of(position.hash() ^ (point.index() as u64) << 48) }
    }
}

/// What stops all of these points, on each of which `color` would get two ways
/// to a five at once: the point itself, or either way if there are but two. If
/// no stone stops all, what stops one.
pub(super) fn stops(cells: &Cells, color: Color, points: impl Iterator<Item = Point>) -> Rows {
    let mut all = Rows([!0; 22]);
    let mut any = Rows::default();
    for point in points {
        let mut stops = cells.fives_after(color, point);
        if stops.len() > 2 {
            stops = Rows::default();
        }
        stops.insert(point);
        all = all.and(&stops);
        any = any.or(&stops);
    }
    if all.is_empty() { any } else { all }
}

/// The empty points near a stone.
fn near(stones: &Rows, size: u8) -> Rows {
    let mut near = Rows::default();
    let on_board = (1u32 << size) - 1;
    let size = usize::from(size);
    for row in 0..size {
        let around = &stones.0[row.saturating_sub(NEAR)..(row + NEAR + 1).min(size)];
        let column = around.iter().fold(0, |all, row| all | row);
        let wide = column | column << 1 | column << 2 | column >> 1 | column >> 2;
        near.0[row] = wide & on_board & !stones.0[row];
    }
    near
}
