//! The file formats of bridge: PBN (read and write) and LIN (read). Boards with all their data are
//! returned one by one, so that an invalid one does not hide the others. Games contain only the
//! play of a deal, for conversion. Cards are not checked; the rules of tricks only determine the
//! order of play.

mod board;
mod lin;
mod pbn;

#[cfg(test)]
mod tests;

use super::{Bridge, Card, Cards};
pub use board::Board;
use board::LocatedBoard;

use crate::formats::{
    Encoding, Features, Format, FormatError, GAMES_MAX, GameTree, Location, LocationUnit, one_line,
};
use crate::info::Variant;
use crate::rules::Rules;

/// The formats, in the order of listings.
pub(super) static FORMATS: [Format; 2] = [
    Format {
        id: "pbn",
        extensions: &["pbn"],
        about: "Portable Bridge Notation: deals with contract and play",
        features: FEATURES,
        encoding: Encoding::Latin1,
        read: Some(read_pbn_games),
        write: Some(write_pbn_game),
        join: None,
        notation: false,
    },
    Format {
        id: "lin",
        extensions: &["lin"],
        about: "LIN of Bridge Base Online: deals with auction and play",
        features: FEATURES,
        encoding: Encoding::Latin1,
        read: Some(read_lin_games),
        write: None,
        join: None,
        notation: false,
    },
];

const FEATURES: Features = Features {
    several: true,
    variations: false,
    comments: false,
    labels: false,
    times: false,
    names: true,
    results: false,
    starts: true,
    variants: false,
    sizes: true,
};

/// Reads the boards of a PBN file (Portable Bridge Notation 2.1, T. van Staveren and others) in
/// order. A game without a deal or with an unreadable value is an error; reading continues with the
/// next game.
///
/// Reads the tags Event, Board, West, North, East, South, Dealer, Vulnerable, Deal, Declarer,
/// Contract, Result, Auction, Play, OptimumResultTable and DoubleDummyTricks, and also Denomination
/// as written by [`write_pbn`]. The play ends at the first missing card.
pub fn read_pbn(bytes: &[u8]) -> Vec<Result<Board, FormatError>> {
    boards(pbn::read(bytes))
}

/// Reads the boards of a LIN file (Bridge Base Online; the format has no published standard), like
/// [`read_pbn`].
///
/// Reads `vg`, `qx`, `ah`, `pn`, `md`, `sv`, `mb`, `pc` and `mc`. Contract and declarer follow from
/// the auction.
pub fn read_lin(bytes: &[u8]) -> Vec<Result<Board, FormatError>> {
    boards(lin::read(bytes))
}

/// Writes boards as a PBN file in Latin-1; other characters become `?`. The play is written if
/// strain and declarer are known. Without a contract, the strain is in a tag `Denomination`, which
/// is not part of PBN. A table of tricks is written as OptimumResultTable and DoubleDummyTricks,
/// with OptimumScore if dealer and vulnerability are known.
pub fn write_pbn(boards: &[Board]) -> Vec<u8> {
    pbn::write(boards)
}

type ReadBoards = Vec<Result<LocatedBoard, FormatError>>;

fn boards(found: ReadBoards) -> Vec<Result<Board, FormatError>> {
    found.into_iter().map(|found| found.map(|located| located.board)).collect()
}

/// The error for a file with too many boards.
fn too_many(line: usize) -> FormatError {
    FormatError::line(line, format!("more than {GAMES_MAX} deals"))
}

fn read_pbn_games(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    games(pbn::read(bytes))
}

fn read_lin_games(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    games(lin::read(bytes))
}

/// The play of every played deal. Passed-out deals are skipped.
fn games(found: ReadBoards) -> Result<Vec<GameTree>, FormatError> {
    let mut games = Vec::new();
    for located in found {
        let located = located?;
        if !located.board.passed_out {
            games.push(game(located)?);
        }
    }
    match games.is_empty() {
        true => Err(FormatError::new(Location::Whole, "the file has no played deal")),
        false => Ok(games),
    }
}

fn game(located: LocatedBoard) -> Result<GameTree, FormatError> {
    let LocatedBoard { board, line, lines } = located;
    let Some(table) = board.opening() else {
        let reason = "contract and declarer are missing, so trump and leader are unknown";
        return Err(FormatError::line(line, reason));
    };
    let mut tree = GameTree::new(LocationUnit::Lines);
    tree.size = Some(board.cards_each());
    let mut start = String::new();
    if let Some(position) = Bridge::from_table(table) {
        position.write_position(&mut start);
    }
    tree.start = Some(start);
    for (card, line) in board.play.iter().zip(lines) {
        let added = tree.add(tree.depth() + 1, &card.to_string(), line);
        added.map_err(|full| FormatError::line(line, full.to_string()))?;
    }
    tree.names = board.names.into();
    Ok(tree)
}

/// Writes the main line as a board without auction and contract.
fn write_pbn_game(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    let whole = |reason: String| FormatError::new(Location::Whole, reason);
    let start = match &tree.start {
        None => Bridge::start(variant),
        Some(text) => Bridge::parse_position(variant, text)
            .map_err(|error| whole(format!("start position: {error}")))?,
    };
    let table = *start.table();
    if table.suit_led().is_some() || start.tricks_won() != [0, 0] || start.is_over() {
        return Err(whole(
            "pbn can only store deals from the first card; records can store others".into(),
        ));
    }
    let mut board = Board {
        hands: table.hands(),
        denomination: Some(table.strain()),
        declarer: Some(table.leader().after(3)),
        ..Board::default()
    };
    for (name, kept) in tree.names.iter().zip(&mut board.names) {
        kept.clone_from(name);
    }
    let mut position = start;
    for node in tree.main_line() {
        let played = position.play(node.mv);
        let wrong = |refusal| FormatError::new(Location::Move(node.depth), format!("{refusal}"));
        board.play.push(played.map_err(wrong)?.0);
    }
    if position.is_over() {
        board.result = board.declarer.map(|declarer| position.tricks_won()[declarer.side()]);
    }
    Ok(pbn::write(&[board]))
}

/// Length limit of names and events, in characters: one value of a file may apply to every board.
const MAX_NAME_CHARS: usize = 80;

/// A name in a board, shortened; `None` if it is empty.
fn name(text: &str) -> Option<String> {
    let cut: String = text.trim().chars().take(MAX_NAME_CHARS).collect();
    one_line(&cut)
}

/// A hand in LIN, with cards after their suit letter: `S269H2568QADTQC2T`.
fn hand_by_suits(text: &str) -> Result<Cards, String> {
    let mut cards = Cards::NONE;
    let mut suit = None;
    for letter in text.chars() {
        if let Some(named) = super::Suit::from_letter(letter) {
            suit = Some(named);
            continue;
        }
        let rank = super::rank_from_letter(letter);
        let card = suit.zip(rank).and_then(|(suit, rank)| Card::new(suit, rank));
        let excerpt = || crate::formats::excerpt(letter.to_string().as_bytes());
        match card {
            Some(card) if cards.contains(card) => return Err(format!("{card} occurs twice")),
            Some(card) => cards = cards.with(card),
            None if rank.is_some() => return Err(format!("no suit before {}", excerpt())),
            None => return Err(format!("{} is neither a suit nor a rank", excerpt())),
        }
    }
    Ok(cards)
}
