//! The named openings of xiangqi: the first moves and the main systems, with their usual Chinese
//! names, which are those of the classes of ECCO 2004 where it has one
//! (<https://xqbase.com/ecco/ecco_faq.htm>). The English names are translations.

use std::sync::OnceLock;

use super::Xiangqi;
use crate::Rules;
use crate::opening_names::{Book, NamedLine, OpeningName, named};

static LINES: &[NamedLine] = &[
    named("h2e2", "Central Cannon", "中炮"),
    named("g0e2", "Elephant Opening", "飞相局"),
    named("h0g2", "Horse Opening", "起马局"),
    named("h0i2", "Edge Horse Opening", "边马局"),
    named("c3c4", "Pawn Opening", "仙人指路"),
    named("i3i4", "Edge Pawn Opening", "九尾龟"),
    named("h2f2", "Palcorner Cannon", "仕角炮"),
    named("h2d2", "Cross-Palace Cannon", "过宫炮"),
    named("h2c2", "Golden Hook Cannon", "金钩炮"),
    named("h2i2", "Edge Cannon", "边炮局"),
    named("h2h4", "River Cannon", "巡河炮"),
    named("f0e1", "Advisor Opening", "上仕局"),
    named("h2e2 h7e7", "Same Direction Cannons", "顺炮"),
    named(
        "h2e2 h7e7 h0g2 h9g7 i0h0 i9i8",
        "Same Direction Cannons, Filed Chariot v Ranked Chariot",
        "顺炮直车对横车",
    ),
    named(
        "h2e2 h7e7 h0g2 h9g7 i0i1 i9h9",
        "Same Direction Cannons, Ranked Chariot v Filed Chariot",
        "顺炮横车对直车",
    ),
    named(
        "h2e2 h7e7 h0g2 h9g7 i0h0 g6g5",
        "Same Direction Cannons, Filed Chariot v Delayed Chariot",
        "顺炮直车对缓开车",
    ),
    named("h2e2 b7e7", "Opposite Direction Cannons", "列炮"),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 h7h3",
        "Central Cannon v Left Cannon Blockade",
        "中炮对左炮封车",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 h7h3 g3g4 b7e7",
        "Delayed Opposite Direction Cannons",
        "半途列炮",
    ),
    named("h2e2 h9g7 h0g2 b9c7", "Central Cannon v Screen Horses", "中炮对屏风马"),
    named("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7", "Central Cannon v Screen Horses", "中炮对屏风马"),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 g3g4",
        "Central Cannon and Third Pawn v Screen Horses",
        "中炮进三兵对屏风马",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4",
        "Central Cannon and Seventh Pawn v Screen Horses",
        "中炮进七兵对屏风马",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5 h0h6",
        "Cross-River Chariot v Screen Horses",
        "中炮过河车对屏风马",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5 h0h6 g7f5",
        "Cross-River Chariot v Screen Horses, Horse to the River",
        "中炮过河车对屏风马左马盘河",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5 h0h6 h7i7",
        "Cross-River Chariot v Screen Horses, Exchange of Chariots",
        "中炮过河车对屏风马平炮兑车",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5 h0h6 h7i7 h6g6 i7i8 b0c2 d9e8 b2a2",
        "Cross-River Chariot with 5-9 Cannons v Screen Horses",
        "五九炮过河车对屏风马平炮兑车",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 b0a2 g6g5 b2d2",
        "5-6 Cannons v Screen Horses",
        "五六炮对屏风马",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 b0a2 g6g5 b2c2",
        "5-7 Cannons v Screen Horses",
        "五七炮对屏风马进7卒",
    ),
    named(
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 b0a2 c6c5 b2c2",
        "5-7 Cannons v Screen Horses, Third Pawn",
        "五七炮对屏风马进3卒",
    ),
    named("h2e2 b9c7 h0g2 h7f7", "Central Cannon v Sandwiched Horses", "中炮对反宫马"),
    named("h2e2 h9g7 h0g2 b9a7", "Central Cannon v Single Horse", "中炮对单提马"),
    named("h2e2 h9g7 h0g2 i9h9 i0h0 b9a7", "Central Cannon v Single Horse", "中炮对单提马"),
    named("h2e2 h9g7 h0g2 h7i7 i0h0 i9h9", "Central Cannon v Three-Step Tiger", "中炮对三步虎"),
    named("h2e2 h9g7 h0g2 i9i8 i0h0 h7h8", "Central Cannon v Turtle-Back Cannons", "中炮对龟背炮"),
    named("g0e2 h7e7", "Elephant Opening v Left Central Cannon", "飞相局对左中炮"),
    named("g0e2 b7e7", "Elephant Opening v Right Central Cannon", "飞相局对右中炮"),
    named("g0e2 b7d7", "Elephant Opening v Right Palcorner Cannon", "飞相局对右士角炮"),
    named("g0e2 h7f7", "Elephant Opening v Left Palcorner Cannon", "飞相局对左士角炮"),
    named("g0e2 b7f7", "Elephant Opening v Right Cross-Palace Cannon", "飞相局对右过宫炮"),
    named("g0e2 h7d7", "Elephant Opening v Left Cross-Palace Cannon", "飞相局对左过宫炮"),
    named("c3c4 b7c7", "Pawn Opening v Cannon behind the Pawn", "仙人指路对卒底炮"),
    named(
        "c3c4 b7c7 h2e2",
        "Pawn Opening, Right Central Cannon v Cannon behind the Pawn",
        "仙人指路转右中炮对卒底炮",
    ),
    named(
        "c3c4 b7c7 b2e2",
        "Pawn Opening, Left Central Cannon v Cannon behind the Pawn",
        "仙人指路转左中炮对卒底炮",
    ),
    named("c3c4 g6g5", "Opposing Pawns", "对兵局"),
    named("c3c4 c9e7", "Pawn Opening v Right Elephant", "仙人指路对飞右象"),
    named("c3c4 g9e7", "Pawn Opening v Left Elephant", "仙人指路对飞左象"),
    named("c3c4 h7e7", "Pawn Opening v Left Central Cannon", "仙人指路对左中炮"),
    named("c3c4 b7e7", "Pawn Opening v Right Central Cannon", "仙人指路对右中炮"),
    named("h0g2 g6g5", "Horse Opening v Seventh Pawn", "起马局对进7卒"),
    named("h2d2 h7e7", "Cross-Palace Cannon v Left Central Cannon", "过宫炮对左中炮"),
    named("h2d2 b7e7", "Cross-Palace Cannon v Right Central Cannon", "过宫炮对右中炮"),
    named("h2f2 h7e7", "Palcorner Cannon v Left Central Cannon", "仕角炮对左中炮"),
    named("h2f2 b7e7", "Palcorner Cannon v Right Central Cannon", "仕角炮对右中炮"),
];

/// No named line takes a piece.
const PIECES: usize = 32;

/// The name of exactly this position.
pub(super) fn find(position: &Xiangqi) -> Option<OpeningName> {
    static BOOK: OnceLock<Book> = OnceLock::new();
    if position.pieces().count() != PIECES {
        return None;
    }
    let book = BOOK.get_or_init(|| Book::new::<Xiangqi>(&Xiangqi::INFO.default_variant(), LINES));
    book.find(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening_names::testing::{check_lines, game_after};

    #[test]
    fn every_line_is_legal_takes_nothing_and_has_a_position_of_its_own() {
        check_lines::<Xiangqi>(LINES);
    }

    #[test]
    fn the_last_name_on_the_way_counts_on_mirrored_boards_as_well() {
        let check = |moves: &str, expected: Option<&str>| {
            let name = game_after::<Xiangqi>("computer", moves).opening();
            assert_eq!(name.and_then(|name| name.chinese), expected, "{moves}");
        };
        check("", None);
        check("a3a4", Some("九尾龟"));
        check("a0a1", None);
        check("h2e2", Some("中炮"));
        check("b2e2", Some("中炮"));
        check("h2e2 h7e7", Some("顺炮"));
        check("b2e2 b7e7", Some("顺炮"));
        check("h2e2 b7e7", Some("列炮"));
        check("h2e2 b9c7 h0g2 h9g7", Some("中炮对屏风马"));
        check("b2e2 h9g7 b0c2 b9c7", Some("中炮对屏风马"));
        check("h2e2 a9a8", Some("中炮"));
        // A capture: the name before it stays.
        check("h2e2 a9a8 e2e6", Some("中炮"));
    }
}
