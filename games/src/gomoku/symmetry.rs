//! The symmetries of a square, and which of them keep the stones of a position:
//! by these, two points are the same. Knows no procedure.

use super::board::Board;
use super::point::{Color, Point};

/// How far one point is from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    pub(super) right: i8,
    pub(super) up: i8,
}

impl Offset {
    pub(super) fn between(from: Point, to: Point) -> Offset {
        Offset {
            right: to.column() as i8 - from.column() as i8,
            up: to.row() as i8 - from.row() as i8,
        }
    }

    fn from(self, point: Point) -> Option<Point> {
        let column = u8::try_from(point.column() as i8 + self.right).ok()?;
        let row = u8::try_from(point.row() as i8 + self.up).ok()?;
        Point::new(column, row)
    }
}

/// A turn or a reflection: what becomes of one step to the right and one up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    right: (i8, i8),
    up: (i8, i8),
}

/// All eight; the first leaves everything where it is.
pub(super) const TURNS: [Turn; 8] = [
    Turn { right: (1, 0), up: (0, 1) },
    Turn { right: (0, 1), up: (-1, 0) },
    Turn { right: (-1, 0), up: (0, -1) },
    Turn { right: (0, -1), up: (1, 0) },
    Turn { right: (-1, 0), up: (0, 1) },
    Turn { right: (1, 0), up: (0, -1) },
    Turn { right: (0, 1), up: (1, 0) },
    Turn { right: (0, -1), up: (-1, 0) },
];

impl Turn {
    pub(super) fn of(&self, offset: Offset) -> Offset {
        Offset {
            right: offset.right * self.right.0 + offset.up * self.up.0,
            up: offset.right * self.right.1 + offset.up * self.up.1,
        }
    }
}

/// Which symmetries make two points the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alike {
    /// Those of the board that keep the stones.
    ByBoard,
    /// Those that keep the stones, wherever on the board these stand.
    ByStones,
}

/// A map of points: a turn, and where it moves one of them.
struct Map {
    turn: Turn,
    from: Point,
    to: Point,
}

impl Map {
    /// Where a point goes; none if that is off the largest board.
    fn of(&self, point: Point) -> Option<Point> {
        self.turn.of(Offset::between(self.from, point)).from(self.to)
    }

    fn keeps(&self, board: &Board) -> bool {
        Color::ALL.into_iter().all(|color| {
            let stays = |point| self.of(point).is_some_and(|to| is_stone(board, to, color));
            board.stones(color).all(stays)
        })
    }

    /// Whether the map keeps the board: its corners go to corners.
    fn keeps_edges(&self, board: &Board) -> bool {
        let last = board.size() - 1;
        let stays = |point| self.of(point).is_some_and(|to| board.contains(to));
        stays(Point::at(0, 0)) && stays(Point::at(last, last)) && stays(Point::at(0, last))
    }
}

fn is_stone(board: &Board, point: Point, color: Color) -> bool {
    board.contains(point) && board.stone_at(point) == Some(color)
}

/// The points that are the same as this one, itself included.
pub(super) fn same_points(board: &Board, alike: Alike, point: Point) -> Vec<Point> {
    let Some(anchor) = board.stones(Color::Black).next() else { return vec![point] };
    let mut same = Vec::new();
    for turn in TURNS {
        for to in board.stones(Color::Black) {
            let map = Map { turn, from: anchor, to };
            let counts = map.keeps(board) && (alike == Alike::ByStones || map.keeps_edges(board));
            same.extend(counts.then(|| map.of(point)).flatten().filter(|&p| board.contains(p)));
        }
    }
    same
}
