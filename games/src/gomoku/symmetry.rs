//! The symmetries of the square, and which of them map the stones of a position onto themselves and
//! so make two points equivalent. Contains no procedures.

use super::board::Board;
use super::point::{Color, Point};
use super::zobrist;

/// The vector from one point to another.
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

    fn add_to(self, point: Point) -> Option<Point> {
        let column = u8::try_from(point.column() as i8 + self.right).ok()?;
        let row = u8::try_from(point.row() as i8 + self.up).ok()?;
        Point::new(column, row)
    }
}

/// A rotation or reflection: the images of one step to the right and one step up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symmetry {
    right: (i8, i8),
    up: (i8, i8),
}

/// All eight symmetries; the first is the identity.
pub(super) const SYMMETRIES: [Symmetry; 8] = [
    Symmetry { right: (1, 0), up: (0, 1) },
    Symmetry { right: (0, 1), up: (-1, 0) },
    Symmetry { right: (-1, 0), up: (0, -1) },
    Symmetry { right: (0, -1), up: (1, 0) },
    Symmetry { right: (-1, 0), up: (0, 1) },
    Symmetry { right: (1, 0), up: (0, -1) },
    Symmetry { right: (0, 1), up: (1, 0) },
    Symmetry { right: (0, -1), up: (-1, 0) },
];

impl Symmetry {
    pub(super) fn apply(&self, offset: Offset) -> Offset {
        Offset {
            right: offset.right * self.right.0 + offset.up * self.up.0,
            up: offset.right * self.right.1 + offset.up * self.up.1,
        }
    }
}

/// The combined keys of all stones of a transformed board.
pub(super) fn stones_key(board: &Board, symmetry: Symmetry) -> u64 {
    let last = Point::at(board.size() - 1, board.size() - 1);
    // The image of the corner from which all offsets are counted.
    let far = symmetry.apply(Offset::between(Point::at(0, 0), last));
    let corner = Point::at(
        if far.right < 0 { last.column() } else { 0 },
        if far.up < 0 { last.row() } else { 0 },
    );
    let turned = |point| symmetry.apply(Offset::between(Point::at(0, 0), point)).add_to(corner);
    let keys = Color::ALL.into_iter().flat_map(|color| {
        board.stones(color).filter_map(turned).map(move |point| zobrist::stone(color, point))
    });
    keys.fold(0, |all, key| all ^ key)
}

/// Which symmetries make two points equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SymmetryKind {
    /// Symmetries of the board that map the stones onto themselves.
    Board,
    /// Symmetries that map the stones onto themselves, wherever they are on the board.
    Stones,
}

/// A map of points: a symmetry, and the image of one point.
struct PointMap {
    symmetry: Symmetry,
    from: Point,
    to: Point,
}

impl PointMap {
    /// The image of a point; `None` outside the largest board.
    fn image(&self, point: Point) -> Option<Point> {
        self.symmetry.apply(Offset::between(self.from, point)).add_to(self.to)
    }

    fn preserves_stones(&self, board: &Board) -> bool {
        Color::ALL.into_iter().all(|color| {
            let stays = |point| self.image(point).is_some_and(|to| is_stone(board, to, color));
            board.stones(color).all(stays)
        })
    }

    /// Whether the board is mapped onto itself: corners to corners.
    fn preserves_board(&self, board: &Board) -> bool {
        let last = board.size() - 1;
        let stays = |point| self.image(point).is_some_and(|to| board.contains(to));
        stays(Point::at(0, 0)) && stays(Point::at(last, last)) && stays(Point::at(0, last))
    }
}

fn is_stone(board: &Board, point: Point, color: Color) -> bool {
    board.contains(point) && board.stone_at(point) == Some(color)
}

/// The points equivalent to this one, including itself.
pub(super) fn same_points(board: &Board, kind: SymmetryKind, point: Point) -> Vec<Point> {
    let Some(anchor) = board.stones(Color::Black).next() else { return vec![point] };
    let mut same = Vec::new();
    for symmetry in SYMMETRIES {
        for to in board.stones(Color::Black) {
            let map = PointMap { symmetry, from: anchor, to };
            let is_symmetry = map.preserves_stones(board)
                && (kind == SymmetryKind::Stones || map.preserves_board(board));
            same.extend(
                is_symmetry.then(|| map.image(point)).flatten().filter(|&p| board.contains(p)),
            );
        }
    }
    same
}
