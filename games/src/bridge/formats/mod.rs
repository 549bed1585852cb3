//! The file formats of bridge: PBN, read and written, and LIN, read. Both give boards, with
//! everything that is told of a deal, one by one so that a wrong one does not hide the others;
//! and games, the play of a deal, for whoever converts them. No card is judged: it is played
//! by the rules of who wins a trick, which say where the next one comes from.

mod board;
mod lin;
mod pbn;

#[cfg(test)]
mod tests;

use super::{Bridge, Card, Cards};
pub use board::Board;
use board::Placed;

use crate::formats::{
    Encoding, Format, FormatError, GAMES_MAX, GameTree, Holds, Place, Unit, one_line,
};
use crate::info::Variant;
use crate::rules::Rules;

/// The formats, in the order in which they are listed.
pub(super) static FORMATS: [Format; 2] = [
    Format {
        id: "pbn",
        extensions: &["pbn"],
        about: "Portable Bridge Notation: deals with contract and play",
        holds: HOLDS,
        encoding: Encoding::Latin1,
        read: Some(read_pbn_games),
        write: Some(write_pbn_game),
        join: None,
    },
    Format {
        id: "lin",
        extensions: &["lin"],
        about: "LIN of Bridge Base Online: deals with auction and play",
        holds: HOLDS,
        encoding: Encoding::Latin1,
        read: Some(read_lin_games),
        write: None,
        join: None,
    },
];

const HOLDS: Holds = Holds {
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

/// Reads the boards of a PBN file (Portable Bridge Notation 2.1, T. van Staveren and
/// others) in their order: a game without a deal, or with something that cannot be read, is
/// an error, and the next one goes on.
///
/// Kept are the tags Event, Board, West, North, East, South, Dealer, Vulnerable, Deal,
/// Declarer, Contract, Result, Auction, Play, OptimumResultTable and DoubleDummyTricks; and
/// Denomination, of [`write_pbn`]. The play ends where a card is not told.
pub fn read_pbn(bytes: &[u8]) -> Vec<Result<Board, FormatError>> {
    boards(pbn::read(bytes))
}

/// Reads the boards of a LIN file (Bridge Base Online; never published as a standard), as
/// [`read_pbn`] does.
///
/// Kept are `vg`, `qx`, `ah`, `pn`, `md`, `sv`, `mb`, `pc` and `mc`; contract and declarer
/// follow from the auction.
pub fn read_lin(bytes: &[u8]) -> Vec<Result<Board, FormatError>> {
    boards(lin::read(bytes))
}

/// Writes boards as a PBN file in Latin-1; signs that it has not become `?`. A play is
/// written where strain and declarer are known. Where they are without a contract, the
/// strain stands in a tag `Denomination`, which is no tag of PBN's own. A table of tricks
/// is written as OptimumResultTable and DoubleDummyTricks, with OptimumScore where dealer and
/// vulnerability are known.
pub fn write_pbn(boards: &[Board]) -> Vec<u8> {
    pbn::write(boards)
}

type Found = Vec<Result<Placed, FormatError>>;

fn boards(found: Found) -> Vec<Result<Board, FormatError>> {
    found.into_iter().map(|found| found.map(|placed| placed.board)).collect()
}

/// What a reader gives that meets more boards than it may.
fn too_many(line: usize) -> FormatError {
    FormatError::line(line, format!("more than {GAMES_MAX} deals"))
}

fn read_pbn_games(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    games(pbn::read(bytes))
}

fn read_lin_games(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    games(lin::read(bytes))
}

/// The play of every deal that was played. Deals that everybody passed are passed over.
fn games(found: Found) -> Result<Vec<GameTree>, FormatError> {
    let mut games = Vec::new();
    for placed in found {
        let placed = placed?;
        if !placed.board.passed_out {
            games.push(game(placed)?);
        }
    }
    match games.is_empty() {
        true => Err(FormatError::new(Place::Whole, "it holds no deal that was played")),
        false => Ok(games),
    }
}

fn game(placed: Placed) -> Result<GameTree, FormatError> {
    let Placed { board, line, lines } = placed;
    let Some(table) = board.opening() else {
        let reason = "nothing says contract and declarer, so what is trump and who leads is \
                      not known";
        return Err(FormatError::line(line, reason));
    };
    let mut tree = GameTree::new(Unit::Lines);
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
    let whole = |reason: String| FormatError::new(Place::Whole, reason);
    let start = match &tree.start {
        None => Bridge::start(variant),
        Some(text) => Bridge::parse_position(variant, text)
            .map_err(|error| whole(format!("the start: {error}")))?,
    };
    let table = *start.table();
    if table.suit_led().is_some() || start.tricks_won() != [0, 0] || start.is_over() {
        return Err(whole(
            "pbn holds deals from their first card on only; records do others".into(),
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
        let wrong = |refusal| FormatError::new(Place::Move(node.depth), format!("{refusal}"));
        board.play.push(played.map_err(wrong)?.0);
    }
    if position.is_over() {
        board.result = board.declarer.map(|declarer| position.tricks_won()[declarer.side()]);
    }
    Ok(pbn::write(&[board]))
}

/// No name and no event has more characters: what a file says once may be every board's.
const LONGEST_NAME: usize = 80;

/// A name as a board has it; none: nothing is left of it.
fn name(text: &str) -> Option<String> {
    let cut: String = text.trim().chars().take(LONGEST_NAME).collect();
    one_line(&cut)
}

/// Cards of a suit after its letter, as LIN writes a hand: `S269H2568QADTQC2T`.
fn hand_by_suits(text: &str) -> Result<Cards, String> {
    let mut cards = Cards::NONE;
    let mut suit = None;
    for letter in text.chars() {
        if let Some(named) = super::Suit::of_letter(letter) {
            suit = Some(named);
            continue;
        }
        let rank = super::rank_of_letter(letter);
        let card = suit.zip(rank).and_then(|(suit, rank)| Card::new(suit, rank));
        let shown = || crate::formats::shown(letter.to_string().as_bytes());
        match card {
            Some(card) if cards.contains(card) => return Err(format!("{card} is there twice")),
            Some(card) => cards = cards.with(card),
            None if rank.is_some() => return Err(format!("no suit stands before {}", shown())),
            None => return Err(format!("{} is neither suit nor rank", shown())),
        }
    }
    Ok(cards)
}
