//! The 26 named openings of renju: three stones around the centre of the board. Names as used by
//! the Renju International Federation.

use super::board::Board;
use super::point::{Color, Point};
use super::symmetry::{Offset, SYMMETRIES};

/// An opening, in one of its eight orientations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// `D1` to `D13` (white's stone adjacent to the first) or `I1` to `I13` (diagonal to it).
    pub id: &'static str,
    /// Name in Chinese.
    pub chinese: &'static str,
    /// Japanese name in Latin letters.
    pub romaji: &'static str,
    /// White's stone and black's second stone, as (columns to the right, rows up) from the first
    /// stone.
    pub stones: [(i8, i8); 2],
}

/// All 26 openings.
pub static OPENINGS: [Opening; 26] = [
    opening("D1", "寒星", "Kansei", [(0, 1), (0, 2)]),
    opening("D2", "溪月", "Keigetsu", [(0, 1), (1, 2)]),
    opening("D3", "疏星", "Sosei", [(0, 1), (2, 2)]),
    opening("D4", "花月", "Kagetsu", [(0, 1), (1, 1)]),
    opening("D5", "残月", "Zangetsu", [(0, 1), (2, 1)]),
    opening("D6", "雨月", "Ugetsu", [(0, 1), (1, 0)]),
    opening("D7", "金星", "Kinsei", [(0, 1), (2, 0)]),
    opening("D8", "松月", "Shogetsu", [(0, 1), (0, -1)]),
    opening("D9", "丘月", "Kyugetsu", [(0, 1), (1, -1)]),
    opening("D10", "新月", "Shingetsu", [(0, 1), (2, -1)]),
    opening("D11", "瑞星", "Zuisei", [(0, 1), (0, -2)]),
    opening("D12", "山月", "Sangetsu", [(0, 1), (1, -2)]),
    opening("D13", "游星", "Yusei", [(0, 1), (2, -2)]),
    opening("I1", "长星", "Chosei", [(1, 1), (2, 2)]),
    opening("I2", "峡月", "Kyogetsu", [(1, 1), (2, 1)]),
    opening("I3", "恒星", "Kosei", [(1, 1), (2, 0)]),
    opening("I4", "水月", "Suigetsu", [(1, 1), (2, -1)]),
    opening("I5", "流星", "Ryusei", [(1, 1), (2, -2)]),
    opening("I6", "云月", "Ungetsu", [(1, 1), (1, 0)]),
    opening("I7", "浦月", "Hogetsu", [(1, 1), (1, -1)]),
    opening("I8", "岚月", "Rangetsu", [(1, 1), (1, -2)]),
    opening("I9", "银月", "Gingetsu", [(1, 1), (0, -1)]),
    opening("I10", "明星", "Myojo", [(1, 1), (0, -2)]),
    opening("I11", "斜月", "Shagetsu", [(1, 1), (-1, -1)]),
    opening("I12", "名月", "Meigetsu", [(1, 1), (-1, -2)]),
    opening("I13", "彗星", "Suisei", [(1, 1), (-2, -2)]),
];

const fn opening(
    id: &'static str,
    chinese: &'static str,
    romaji: &'static str,
    stones: [(i8, i8); 2],
) -> Opening {
    Opening { id, chinese, romaji, stones }
}

/// The opening on the board, if exactly its three stones are there.
pub(super) fn find(board: &Board) -> Option<&'static Opening> {
    let middle = board.size() / 2;
    let centre = Point::at(middle, middle);
    if board.size().is_multiple_of(2) || board.stone_at(centre) != Some(Color::Black) {
        return None;
    }
    let others = |color| board.stones(color).filter(move |&point| point != centre);
    let mut whites = others(Color::White);
    let mut blacks = others(Color::Black);
    let (white, black) = (whites.next()?, blacks.next()?);
    if whites.next().is_some() || blacks.next().is_some() {
        return None;
    }
    let stones = [white, black].map(|point| Offset::between(centre, point));
    let matches = |opening: &&Opening| {
        let named = opening.stones.map(|(right, up)| Offset { right, up });
        SYMMETRIES.iter().any(|symmetry| named.map(|offset| symmetry.apply(offset)) == stones)
    };
    OPENINGS.iter().find(matches)
}
