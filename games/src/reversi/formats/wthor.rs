//! WTHOR, the database of the French Othello federation: a 16-byte header, then 68 bytes per game,
//! little-endian (Sylvain Quin and Stéphane Nicolet, "Format de la base WTHOR", www.ffothello.org).
//! A game has the numbers of its tournament and players (names are in other files), black's final
//! discs including the winner's empty squares, black's discs under perfect play from some ply on,
//! and the squares without passes.

use super::{GameReader, squares, start, start_and_end, unsupported_start};
use crate::formats::{
    FormatError, GAMES_MAX, GameTree, Location, LocationUnit, RecordedResult, ResultCause,
};
use crate::info::Variant;
use crate::reversi::Reversi;
use crate::rules::{Rules, Side};

const HEADER_BYTES: usize = 16;
const GAME_BYTES: usize = 68;
/// Offset of the squares in the bytes of a game.
const SQUARES_OFFSET: usize = 8;
const SIZE: u8 = 8;
/// Black's discs in a draw.
const DRAW_DISCS: u8 = 32;

/// Reads the games of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let header = Header::read(bytes)?;
    let games = bytes[HEADER_BYTES..].chunks(GAME_BYTES).enumerate();
    let games =
        games.map(|(number, game)| read_game(&header, HEADER_BYTES + number * GAME_BYTES, game));
    games.collect()
}

/// The header's data that applies to games.
struct Header {
    /// Number of empty squares at the start of perfect play; 0 if not stored.
    depth: u8,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Header, FormatError> {
        let Some(&[.., a, b, c, d, _, _, _, _, size, kind, depth, _]) =
            bytes.first_chunk::<HEADER_BYTES>()
        else {
            return Err(wrong(bytes.len(), "the file ends inside its 16-byte header"));
        };
        match size {
            0 | SIZE => (),
            size => {
                return Err(wrong(12, format!("board size {size} is not supported; only 8 is")));
            }
        }
        if kind != 0 {
            return Err(wrong(13, "the file contains endgame problems, not games"));
        }
        let count = u32::from_le_bytes([a, b, c, d]) as usize;
        let found = (bytes.len() - HEADER_BYTES) / GAME_BYTES;
        if count == 0 {
            return Err(wrong(
                4,
                "the file has no games; player and tournament files are not supported",
            ));
        }
        if count > GAMES_MAX {
            return Err(wrong(4, format!("the file has {count} games; the limit is {GAMES_MAX}")));
        }
        if found < count {
            return Err(wrong(
                bytes.len(),
                format!("the file ends inside game {} of {count}", found + 1),
            ));
        }
        let end = HEADER_BYTES + count * GAME_BYTES;
        match bytes.len() - end {
            0 => Ok(Header { depth }),
            left => Err(wrong(end, format!("{left} bytes follow the {count} games"))),
        }
    }
}

fn wrong(at: usize, reason: impl Into<String>) -> FormatError {
    FormatError::new(Location::Byte(at), reason)
}

fn read_game(header: &Header, at: usize, bytes: &[u8]) -> Result<GameTree, FormatError> {
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let (real, theoretical) = (bytes[6], bytes[7]);
    for (offset, score) in [(6, real), (7, theoretical)] {
        if score > 2 * DRAW_DISCS {
            return Err(wrong(at + offset, format!("black has {score} discs of 64")));
        }
    }
    let mut game = GameReader::new(LocationUnit::Bytes, start(Some(SIZE), None));
    let mut moves = bytes[SQUARES_OFFSET..].iter().zip(at + SQUARES_OFFSET..);
    for (&byte, at) in moves.by_ref().take_while(|(byte, _)| **byte != 0) {
        let (row, column) = (byte / 10, byte % 10);
        if !(1..=SIZE).contains(&row) || !(1..=SIZE).contains(&column) {
            return Err(wrong(
                at,
                format!("{byte} is not a square: expected 10 × row + column, each 1 to 8"),
            ));
        }
        let mv = format!("{}{row}", char::from(b'a' + column - 1));
        game.add(&mv, at, Location::Byte(at))?;
    }
    if let Some((_, at)) = moves.find(|(byte, _)| **byte != 0) {
        return Err(wrong(at, "a move after the end of the moves"));
    }
    let mut tree = game.tree;
    tree.size = Some(SIZE);
    tree.names = [number(2), number(4)].map(|player| Some(format!("#{player}"))).into();
    let winner = match real.cmp(&DRAW_DISCS) {
        std::cmp::Ordering::Less => Some(Side(1)),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Side(0)),
    };
    tree.result = Some(RecordedResult { winner, cause: ResultCause::Unspecified });
    tree.comment = Some(comment(header, number(0), real, theoretical));
    Ok(tree)
}

/// The other data of a game, as a comment.
fn comment(header: &Header, tournament: u16, real: u8, theoretical: u8) -> String {
    let white = 2 * DRAW_DISCS - real;
    let perfect = match header.depth {
        0 => String::new(),
        depth => {
            let other = 2 * DRAW_DISCS - theoretical;
            format!(", {theoretical}-{other} by perfect play of the last {depth} squares")
        }
    };
    format!("tournament #{tournament}: {real}-{white}{perfect}")
}

/// Writes the main line of a finished game on 8×8.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(unsupported_start("wthor"));
    }
    let refuse = |reason: &str| Err(FormatError::new(Location::Whole, reason));
    if variant.size.is_some_and(|size| size != SIZE) {
        return refuse("wthor can only store boards of 8");
    }
    let squares = squares(tree, SIZE, "wthor")?;
    let (_, end) = start_and_end(tree, variant)?;
    let Some(score) = black_discs(tree, &end) else {
        return refuse("wthor can only store finished games; this one has no result");
    };
    let mut bytes = header(1);
    bytes.extend([0, 0]);
    for seat in 0..2 {
        let name = tree.names.get(seat).and_then(Option::as_deref);
        let number = name.and_then(|name| name.strip_prefix('#')?.parse().ok());
        bytes.extend(number.unwrap_or(0u16).to_le_bytes());
    }
    // The score under perfect play is not known.
    bytes.extend([score, score]);
    bytes.extend(squares.iter().map(|square| (square.row() + 1) * 10 + square.column() + 1));
    bytes.resize(HEADER_BYTES + GAME_BYTES, 0);
    Ok(bytes)
}

/// Black's discs at the end; all or none if the game ended early.
fn black_discs(tree: &GameTree, end: &Reversi) -> Option<u8> {
    let lead = match end.outcome() {
        Some(outcome) => outcome.score,
        None => match tree.result?.winner {
            Some(Side(0)) => 64,
            Some(_) => -64,
            None => 0,
        },
    };
    u8::try_from((64 + lead) / 2).ok()
}

/// A header without a date, which is not known.
fn header(games: u32) -> Vec<u8> {
    let mut header = vec![0; HEADER_BYTES];
    header[4..8].copy_from_slice(&games.to_le_bytes());
    header[12] = SIZE;
    header
}

/// Joins files to one.
pub(super) fn join(files: &[&[u8]]) -> Result<Vec<u8>, FormatError> {
    let games: Vec<&[u8]> = files.iter().filter_map(|file| file.get(HEADER_BYTES..)).collect();
    let games = games.concat();
    let count = u32::try_from(games.len() / GAME_BYTES);
    let count = count
        .map_err(|_| FormatError::new(Location::Whole, "too many games for one wthor file"))?;
    Ok([header(count), games].concat())
}
