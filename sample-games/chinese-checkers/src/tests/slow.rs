//! The moves found again in another way: by distances of holes in a plane, and by all chains of
//! jumps one after the other.

use std::collections::BTreeSet;

use super::*;

/// The place of a hole in the plane: neighbours in a row are two apart, rows are one apart.
fn point(hole: u8) -> (i32, i32) {
    let text = star::name(hole);
    let column = i32::from(text.as_bytes()[0] - b'a');
    let row: i32 = text[1..].parse().expect("a row");
    (2 * column + row, row)
}

fn hole_at(point: (i32, i32)) -> Option<u8> {
    (0..HOLES as u8).find(|hole| self::point(*hole) == point)
}

fn are_neighbours(one: u8, other: u8) -> bool {
    let ((x, y), (other_x, other_y)) = (point(one), point(other));
    matches!(((x - other_x).abs(), (y - other_y).abs()), (2, 0) | (1, 1))
}

/// The texts of the legal moves of the player to move, without a pass.
pub(super) fn legal_texts(game: &ChineseCheckers) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for from in (0..HOLES as u8).filter(|it| game.holes[usize::from(*it)] == Some(game.to_move)) {
        let mut without = game.clone();
        without.holes[usize::from(from)] = None;
        let target = Some(game.target_of(game.to_move));
        let stays = star::triangle_of(from) == target;
        let is_free = |hole: u8| {
            without.holes[usize::from(hole)].is_none()
                && (!stays || star::triangle_of(hole) == target)
        };
        let mut ends: BTreeSet<u8> =
            (0..HOLES as u8).filter(|to| are_neighbours(from, *to) && is_free(*to)).collect();
        let mut chain = vec![from];
        jump(&without, &is_free, &mut chain, &mut ends);
        ends.remove(&from);
        texts.extend(ends.into_iter().map(|to| Move::Piece { from, to }.to_string()));
    }
    texts
}

/// Adds the ends of all chains that begin with these holes.
fn jump(
    game: &ChineseCheckers,
    is_free: &dyn Fn(u8) -> bool,
    chain: &mut Vec<u8>,
    ends: &mut BTreeSet<u8>,
) {
    let from = *chain.last().expect("a hole");
    for over in (0..HOLES as u8).filter(|over| are_neighbours(from, *over)) {
        let ((x, y), (over_x, over_y)) = (point(from), point(over));
        let to = hole_at((2 * over_x - x, 2 * over_y - y));
        let to = to.filter(|to| is_free(*to) && !chain.contains(to) && !ends.contains(to));
        if let (Some(to), Some(_)) = (to, game.holes[usize::from(over)]) {
            ends.insert(to);
            chain.push(to);
            jump(game, is_free, chain, ends);
            chain.pop();
        }
    }
}
