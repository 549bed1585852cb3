//! PGN for xiangqi, as defined by the ElephantEye project: moves are in Chinese, WXF or ICCS. The
//! reader detects the notation, because no text is valid in two of them.

use super::{fen_of, start, start_of};
use crate::formats::pgn::{self, Dialect, MoveNames, result_text};
use crate::formats::{FormatError, GameTree, Location};
use crate::info::Variant;
use crate::rules::Rules;
use crate::xiangqi::{Color, Style, Undo, Xiangqi};

const DIALECT: Dialect = Dialect {
    game: Some(("xiangqi", &["chinese chess", "xiangqi", "xiang qi", "中国象棋", "象棋"])),
    has_variants: false,
    start_of,
};

/// Reads all games of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    pgn::read(bytes, &DIALECT)
}

/// Writes a game with all its variations, moves in Chinese.
pub(super) fn write_chinese(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Chinese)
}

/// Writes a game with all its variations, moves in WXF.
pub(super) fn write_wxf(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Wxf)
}

/// Writes a game with all its variations, moves in ICCS.
pub(super) fn write_iccs(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Iccs)
}

fn write(tree: &GameTree, variant: &Variant, style: Style) -> Result<Vec<u8>, FormatError> {
    let start = start(tree, variant)?;
    let fen = fen_of(&start);
    let name = |seat: usize| tree.names.get(seat).and_then(Option::as_deref).unwrap_or("?");
    let mut tags = vec![
        ("Game", "Chinese Chess"),
        ("Event", "?"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("RedTeam", "?"),
        ("Red", name(0)),
        ("BlackTeam", "?"),
        ("Black", name(1)),
        ("Result", result_text(tree.result)),
    ];
    tags.extend(tree.start.is_some().then_some(("FEN", &*fen)));
    let format = match style {
        Style::Chinese => "Chinese",
        Style::Wxf => "WXF",
        Style::Iccs => "ICCS",
    };
    tags.push(("Format", format));
    Ok(pgn::write(tree, &tags, &names(tree, start, style)?))
}

/// The moves of a tree in a notation for people, which depends on the positions before them.
fn names(tree: &GameTree, mut game: Xiangqi, style: Style) -> Result<MoveNames, FormatError> {
    let mut names = MoveNames::new(game.number, game.color_to_move() == Color::Black);
    let mut undos: Vec<Undo> = Vec::new();
    for node in tree.nodes() {
        while undos.len() >= node.depth {
            undos.pop().into_iter().for_each(|undo| game.unmake(undo));
        }
        let wrong = |reason: String| FormatError::new(Location::Move(node.depth), reason);
        let mv = game.parse_move(node.mv).map_err(wrong)?;
        names.push(|out| game.write_styled(mv, style, out));
        undos.push(game.make(mv));
    }
    Ok(names)
}
