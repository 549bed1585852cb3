//! The named openings of reversi on the standard board, from Robert Gatliff's catalogue of Othello
//! openings (samsoft.org.uk/reversi/openings.htm). Of several names it has the first.

use std::sync::OnceLock;

use super::Reversi;
use crate::Rules;
use crate::opening_names::{Book, NamedLine, OpeningName, named};

static LINES: &[NamedLine] = &[
    named("c4 c3", "Diagonal Opening", "对角开局"),
    named("c4 c3 d3 c5 b2", "X-Square Opening", ""),
    named("c4 c3 d3 c5 b3", "Snake", "蛇开局"),
    named("c4 c3 d3 c5 b3 f3", "Lysons", ""),
    named("c4 c3 d3 c5 b3 f4 b5 b4 c6 d6 f5", "Pyramid", "金字塔开局"),
    named("c4 c3 d3 c5 b4", "Heath", ""),
    named("c4 c3 d3 c5 b4 d2 c2 f4 d6 c6 f5 e6 f7", "Mimura Variation II", ""),
    named("c4 c3 d3 c5 b4 d2 d6", "Heath-Bat", ""),
    named("c4 c3 d3 c5 b4 d2 e2", "Iwasaki Variation", ""),
    named("c4 c3 d3 c5 b4 e3", "Heath-Chimney", ""),
    named("c4 c3 d3 c5 b5", "Raccoon Dog", "狸开局"),
    named("c4 c3 d3 c5 b6", "Rocket", "火箭开局"),
    named("c4 c3 d3 c5 b6 c6 b5", "Hamilton", ""),
    named("c4 c3 d3 c5 b6 e3", "Lollipop", "棒糖开局"),
    named("c4 c3 d3 c5 d6", "Cow", "牛开局"),
    named("c4 c3 d3 c5 d6 e3", "Chimney", "烟囱开局"),
    named("c4 c3 d3 c5 d6 f4 b4", "Bat", "蝙蝠开局"),
    named("c4 c3 d3 c5 d6 f4 b4 b6 b5 c6 b3", "Bat, Piau Continuation 2", ""),
    named("c4 c3 d3 c5 d6 f4 b4 b6 b5 c6 f5", "Melnikov", ""),
    named("c4 c3 d3 c5 d6 f4 b4 c6 b5 b3 b6 e3 c2 a4 a5 a6 d2", "Bat, Kling Continuation", ""),
    named("c4 c3 d3 c5 d6 f4 b4 e3 b3", "Bat, Kling Alternative", ""),
    named("c4 c3 d3 c5 d6 f4 f5", "Rose v Toth", ""),
    named("c4 c3 d3 c5 d6 f4 f5 d2", "Tanida", ""),
    named("c4 c3 d3 c5 d6 f4 f5 d2 b5", "Aircraft", "飞机开局"),
    named("c4 c3 d3 c5 d6 f4 f5 d2 g4 d7", "Sailboat", "帆船开局"),
    named("c4 c3 d3 c5 d6 f4 f5 e6 c6 d7", "Maruoka", ""),
    named("c4 c3 d3 c5 d6 f4 f5 e6 f6", "Landau", ""),
    named("c4 c3 d3 c5 f6", "Buffalo", "水牛开局"),
    named("c4 c3 d3 c5 f6 e2 c6", "Maruoka Buffalo", ""),
    named("c4 c3 d3 c5 f6 e3 c6 f5 f4 g5", "Tanida Buffalo", ""),
    named("c4 c3 d3 c5 f6 f5", "Hokuriku Buffalo", ""),
    named("c4 c3 e6 c5", "Wing Variation", ""),
    named("c4 c3 f5 c5", "Semi-Wing Variation", ""),
    named("c4 c5", "Parallel Opening", "平行开局"),
    named("c4 e3", "Perpendicular Opening", "垂直开局"),
    named("c4 e3 f4 c5 d6 e6", "Mimura", ""),
    named("c4 e3 f4 c5 d6 f3 c6", "Shaman", ""),
    named("c4 e3 f4 c5 d6 f3 d3", "Inoue", ""),
    named("c4 e3 f4 c5 d6 f3 d3 c3", "Iago", ""),
    named("c4 e3 f4 c5 d6 f3 e2", "Bhagat", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2", "Rose", "玫瑰开局"),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b5", "Flat", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b5 f5", "Rotating Flat", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b5 f5 b3", "Murakami Variation", ""),
    named(
        "c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b5 f5 b4 f6 c2 e7 d2 c7",
        "Rotating Flat, Kling Continuation",
        "",
    ),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b6 f5", "Rose-Birth", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b6 f5 b4 f6 g5 d7", "Brightstein", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b6 f5 g5", "Rose-Birdie", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 b6 f5 g5 f6", "Rose-Tamenori-Kling", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c3 d3 e2 d2", "Greenberg", ""),
    named("c4 e3 f4 c5 d6 f3 e6 c6", "Ralle", ""),
    named("c4 e3 f4 c5 e6", "Horse", "马开局"),
    named("c4 e3 f5 b4", "Ganglion", ""),
    named("c4 e3 f5 b4 f3", "Swallow", "燕开局"),
    named("c4 e3 f5 b4 f3 f4 e2 e6 g5 f6 d6 c6", "No-Cat, Continuation", ""),
    named("c4 e3 f5 e6 d3", "Italian", "意大利开局"),
    named("c4 e3 f5 e6 f4", "Cat", "猫开局"),
    named("c4 e3 f5 e6 f4 c5 d6 c6 f7 f3", "Sakaguchi", ""),
    named("c4 e3 f5 e6 f4 c5 d6 c6 f7 g5 g6", "Berner", ""),
    named("c4 e3 f6 b4", "Bent Ganglion", ""),
    named("c4 e3 f6 e6 f5", "Tiger", "虎开局"),
    named("c4 e3 f6 e6 f5 c5 c3", "Stephenson", ""),
    named("c4 e3 f6 e6 f5 c5 c3 b4", "No-Kung", ""),
    named("c4 e3 f6 e6 f5 c5 c3 b4 d6 c6 b5 a6 b6 c7", "No-Kung, Continuation", ""),
    named("c4 e3 f6 e6 f5 c5 c3 c6", "Comp'Oth", ""),
    named("c4 e3 f6 e6 f5 c5 c3 c6 d3 d2 e2 b3 c1 c2 b4 a3 a5 b5 a6 a4 a2", "F.A.T. Draw", ""),
    named("c4 e3 f6 e6 f5 c5 c3 c6 d6", "Lightning Bolt", "闪电开局"),
    named("c4 e3 f6 e6 f5 c5 c3 g5", "Kung", ""),
    named("c4 e3 f6 e6 f5 c5 d3", "Leader's Tiger", ""),
    named("c4 e3 f6 e6 f5 c5 d6", "Brightwell", ""),
    named("c4 e3 f6 e6 f5 c5 f4 g5 g4 f3 c6 d3 d6", "Ishii", ""),
    named("c4 e3 f6 e6 f5 c5 f4 g5 g4 f3 c6 d3 d6 b3 c3 b4 e2 b6", "Mainline Tiger", ""),
    named("c4 e3 f6 e6 f5 c5 f4 g6 f7", "Rose-Bill", ""),
    named("c4 e3 f6 e6 f5 c5 f4 g6 f7 d3", "Tamenori", ""),
    named("c4 e3 f6 e6 f5 c5 f4 g6 f7 g5", "Central Rose-Bill", ""),
    named("c4 e3 f6 e6 f5 g6", "Aubrey", ""),
    named("c4 e3 f6 e6 f5 g6 e7 c5", "Aubrey, Feldborg Continuation", ""),
];

/// No named line has more discs on the board.
const MAX_DISCS: u32 = 4 + 25;

/// The name of exactly this position; none on boards of other sizes.
pub(super) fn find(position: &Reversi) -> Option<OpeningName> {
    static BOOK: OnceLock<Book> = OnceLock::new();
    let discs = u32::from(position.size()).pow(2) - position.empties();
    if position.size() != 8 || discs > MAX_DISCS {
        return None;
    }
    let book = BOOK.get_or_init(|| Book::new::<Reversi>(&Reversi::INFO.default_variant(), LINES));
    book.find(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening_names::testing::{check_lines, game_after};

    #[test]
    fn every_line_is_legal_and_has_a_position_of_its_own() {
        check_lines::<Reversi>(LINES);
    }

    #[test]
    fn the_last_name_on_the_way_counts_on_turned_boards_as_well() {
        let check = |variant: &str, moves: &str, expected: Option<&str>| {
            let name = game_after::<Reversi>(variant, moves).opening().map(|name| name.latin);
            assert_eq!(name, expected, "{variant}: {moves}");
        };
        check("standard", "", None);
        check("standard", "c4", None);
        check("standard", "c4 c3", Some("Diagonal Opening"));
        check("standard", "f5 f6", Some("Diagonal Opening"));
        check("standard", "d3 c3", Some("Diagonal Opening"));
        check("standard", "c4 e3 f6 e6 f5", Some("Tiger"));
        check("standard", "f5 d6 c3 d3 c4", Some("Tiger"));
        check("standard", "f5 d6 c3 d3 c4 b3", Some("Aubrey"));
        // A position without a name keeps the name before it.
        check("standard", "f5 d6 c3 d3 c4 f3", Some("Tiger"));
        check("standard", "f5 d6 c4", Some("Perpendicular Opening"));
        // The same moves from the middle of a larger board.
        check("standard-10", "d5 d4", None);
    }

    #[test]
    fn moves_that_are_taken_back_do_not_count() {
        let mut game = game_after::<Reversi>("standard", "f5 d6 c3 d3 c4");
        game.take_back(1);
        assert_eq!(game.opening().map(|name| name.latin), Some("Perpendicular Opening"));
        game.take_back(4);
        assert_eq!(game.opening(), None);
    }
}
