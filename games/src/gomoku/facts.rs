//! Additional facts about a position: forbidden points, the phase and its data, the
//! opening. Writes them as JSON and as marks on the board diagram.

use super::openings;
use super::point::{Color, Point};
use super::procedure::Procedure;
use super::{Gomoku, Opening};
use crate::rules::Rules;

impl Gomoku {
    /// The renju opening that the three stones on the board form; `None` with any other number of
    /// stones.
    pub fn renju_opening(&self) -> Option<&'static Opening> {
        openings::find(&self.board).filter(|_| self.rule().forbids(Color::Black))
    }

    /// How many fifth stones are to be offered, from the announcement until one is picked.
    pub fn fifths(&self) -> Option<u8> {
        Some(self.stage.fifths).filter(|&count| count > 0)
    }

    /// The points offered so far for the fifth stone, from a1 upwards.
    pub fn offers(&self) -> impl Iterator<Item = Point> + '_ {
        self.stage.offers.iter()
    }

    pub(super) fn all_facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if self.rule().forbids(Color::Black) {
            let text = |(point, foul): (Point, super::Foul)| {
                format!(r#"{{"point":"{point}","kind":"{}"}}"#, foul.name())
            };
            facts.push(("forbidden", list(self.forbidden_points().map(text))));
        }
        if self.procedure() != Procedure::None {
            facts.push(("phase", format!(r#""{}""#, self.phase().name())));
        }
        if let Some(count) = self.fifths() {
            facts.push(("fifths", count.to_string()));
            facts.push(("offers", list(self.offers().map(|point| format!(r#""{point}""#)))));
        }
        facts
    }

    /// The mark of an empty point in the diagram: `?` on an offer, `*` where black to move is
    /// forbidden.
    pub(super) fn mark(&self, point: Point) -> Option<char> {
        let black_moves = self.color_to_move() == Color::Black && self.outcome().is_none();
        if self.stage.offers.contains(point) {
            Some('?')
        } else if black_moves && self.forbidden(point).is_some() {
            Some('*')
        } else {
            None
        }
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}
