//! The candidates: answers to threats or, without threats, the points near stones, scored by what
//! they make and spoil.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Color, Gomoku, Move, Point};

use super::point_kinds::PointKind;
use super::threat_map::ThreatMap;
use super::{PatternAnalyzer, may_play};
use crate::analyzer::Candidate;
use crate::gomoku::point_set::PointSet;
use crate::gomoku::{BLOCK_FIVE, BLOCK_FOUR, COUNTER_FOUR, MAKE_FIVE, STRAIGHT_FOUR};

/// The largest distance of a listed point from a stone.
const NEAR_DISTANCE: usize = 2;

impl PatternAnalyzer {
    /// Lists the answers to threats; returns whether there are any.
    pub(super) fn list_answers(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> bool {
        let mover = position.color_to_move();
        let other = mover.other();
        let map = &self.threat_map;
        if let Some(point) = map.first_point(mover, PointKind::Five) {
            out.push(Candidate { mv: Move::Stone(point), score: MAKE_FIVE });
            return true;
        }
        if map.count(other, PointKind::Five) > 0 {
            if map.rule_masks().fives_can_be_spoiled() {
                return self.list_blocks(position, out);
            }
            let blocks = map.fours(other).iter().filter(|&p| map.kind(other, p) == PointKind::Five);
            out.extend(blocks.map(|p| Candidate { mv: Move::Stone(p), score: BLOCK_FIVE }));
            return true;
        }
        if !self.skill.sees_open_threes {
            return false;
        }
        if let Some(point) = self.winning_points(position, mover).next() {
            out.push(Candidate { mv: Move::Stone(point), score: STRAIGHT_FOUR });
            // If a stone next to a five can spoil it, this move may not win: list others, too.
            return !map.rule_masks().fives_can_be_spoiled();
        }
        let mut threats = self.winning_points(position, other).peekable();
        if threats.peek().is_none() || map.rule_masks().fives_can_be_spoiled() {
            return false;
        }
        let stops = stopping_points(map, other, threats);
        let both = stops.or(map.fours(mover));
        out.extend(both.iter().map(|point| {
            let first = if stops.contains(point) { BLOCK_FOUR } else { COUNTER_FOUR };
            Candidate { mv: Move::Stone(point), score: first + map.move_score(mover, point) }
        }));
        true
    }

    /// The points on which a colour may play and makes two fives possible at once.
    pub(super) fn winning_points<'a>(
        &'a self,
        position: &'a Gomoku,
        color: Color,
    ) -> impl Iterator<Item = Point> + 'a {
        let map = &self.threat_map;
        let any = map.count(color, PointKind::Winning) > 0;
        let points = any.then(|| map.fours(color).iter()).into_iter().flatten();
        points.filter(move |&point| {
            map.kind(color, point) == PointKind::Winning && may_play(position, color, point)
        })
    }

    /// Lists blocks if fives can be spoiled from outside: every point whose stone leaves the
    /// opponent no five, or the points of the fives if there is none.
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
    pub(super) fn list_quiet(&self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) {
        let (size, mover) = (position.size(), position.color_to_move());
        if self.threat_map.stones().is_empty() {
            let centre = Point::new(size / 2, size / 2);
            out.extend(centre.map(|point| Candidate { mv: Move::Stone(point), score: 0 }));
            return;
        }
        let near = near(self.threat_map.stones(), size);
        out.extend(near.iter().map(|point| Candidate {
            mv: Move::Stone(point),
            score: self.threat_map.move_score(mover, point) + self.noise(position, point),
        }));
    }

    /// The noise added to the score of a point.
    #[inline]
    fn noise(&self, position: &Gomoku, point: Point) -> i32 {
        let noise = self.skill.noise;
        if noise.size == 0 {
            0
        } else {
            noise.for_hash(position.hash() ^ (point.index() as u64) << 48)
        }
    }
}

/// The points that stop all of `points`, on each of which `color` would make two fives possible:
/// the point itself, or the points of the two fives if there are only two. If no point stops all,
/// those that stop one.
pub(super) fn stopping_points(
    map: &ThreatMap,
    color: Color,
    points: impl Iterator<Item = Point>,
) -> PointSet {
    let mut all = PointSet([!0; 22]);
    let mut any = PointSet::default();
    for point in points {
        let mut stops = map.fives_after(color, point);
        if stops.len() > 2 {
            stops = PointSet::default();
        }
        stops.insert(point);
        all = all.and(&stops);
        any = any.or(&stops);
    }
    if all.is_empty() { any } else { all }
}

/// The empty points near a stone.
fn near(stones: &PointSet, size: u8) -> PointSet {
    let mut near = PointSet::default();
    let on_board = (1u32 << size) - 1;
    let size = usize::from(size);
    for row in 0..size {
        let around =
            &stones.0[row.saturating_sub(NEAR_DISTANCE)..(row + NEAR_DISTANCE + 1).min(size)];
        let column = around.iter().fold(0, |all, row| all | row);
        let wide = column | column << 1 | column << 2 | column >> 1 | column >> 2;
        near.0[row] = wide & on_board & !stones.0[row];
    }
    near
}
