//! WTHOR, the database of the French federation of Othello: a header of 16 bytes, then
//! 68 bytes a game, numbers with the low byte first (Sylvain Quin and Stéphane Nicolet,
//! "Format de la base WTHOR", www.ffothello.org). Of a game it has the numbers of its
//! tournament and players, which other files give names, black's discs at the end with
//! empty squares for who has more, black's discs had both played perfectly from some
//! ply on, and the squares, without passes.

use super::{Line, ends, no_start, squares, start};
use crate::formats::{By, FormatError, GAMES_MAX, GameTree, Place, Told, Unit};
use crate::info::Variant;
use crate::reversi::Reversi;
use crate::rules::{Rules, Side};

const HEADER: usize = 16;
const GAME: usize = 68;
/// Where the squares begin in the bytes of a game.
const SQUARES: usize = 8;
const SIZE: u8 = 8;
/// Discs of black at a draw.
const HALF: u8 = 32;

/// Reads the games of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let header = Header::read(bytes)?;
    let games = bytes[HEADER..].chunks(GAME).enumerate();
    let games = games.map(|(number, game)| read_game(&header, HEADER + number * GAME, game));
    games.collect()
}

/// What the header says of the games.
struct Header {
    /// Empty squares when perfect play begins; 0: not said.
    depth: u8,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Header, FormatError> {
        let Some(&[.., a, b, c, d, _, _, _, _, size, kind, depth, _]) =
            bytes.first_chunk::<HEADER>()
        else {
            return Err(wrong(bytes.len(), "the file ends within its header of 16 bytes"));
        };
        match size {
            0 | SIZE => (),
            size => {
                return Err(wrong(12, format!("its boards are of {size}; 8 is all that is read")));
            }
        }
        if kind != 0 {
            return Err(wrong(13, "it holds endgames to be solved, not games"));
        }
        let count = u32::from_le_bytes([a, b, c, d]) as usize;
        let found = (bytes.len() - HEADER) / GAME;
        if count == 0 {
            return Err(wrong(
                4,
                "it holds no game; files of players and tournaments are not read",
            ));
        }
        if count > GAMES_MAX {
            return Err(wrong(4, format!("it holds {count} games; {GAMES_MAX} is the most")));
        }
        if found < count {
            return Err(wrong(
                bytes.len(),
                format!("the file ends within game {} of {count}", found + 1),
            ));
        }
        let end = HEADER + count * GAME;
        match bytes.len() - end {
            0 => Ok(Header { depth }),
            left => {
                Err(wrong(end, format!("the {count} games are whole, and {left} bytes follow")))
            }
        }
    }
}

fn wrong(at: usize, reason: impl Into<String>) -> FormatError {
    FormatError::new(Place::Byte(at), reason)
}

fn read_game(header: &Header, at: usize, bytes: &[u8]) -> Result<GameTree, FormatError> {
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let (real, theoretical) = (bytes[6], bytes[7]);
    for (offset, score) in [(6, real), (7, theoretical)] {
        if score > 2 * HALF {
            return Err(wrong(at + offset, format!("black has {score} discs of 64")));
        }
    }
    let mut game = Line::new(Unit::Bytes, start(Some(SIZE), None));
    let mut moves = bytes[SQUARES..].iter().zip(at + SQUARES..);
    for (&byte, at) in moves.by_ref().take_while(|(byte, _)| **byte != 0) {
        let (row, column) = (byte / 10, byte % 10);
        if !(1..=SIZE).contains(&row) || !(1..=SIZE).contains(&column) {
            return Err(wrong(at, format!("{byte} is no square: the tens are the row, 1 to 8")));
        }
        let mv = format!("{}{row}", char::from(b'a' + column - 1));
        game.add(&mv, at, Place::Byte(at))?;
    }
    if let Some((_, at)) = moves.find(|(byte, _)| **byte != 0) {
        return Err(wrong(at, "a move behind the end of the moves"));
    }
    let mut tree = game.tree;
    tree.size = Some(SIZE);
    tree.names = [number(2), number(4)].map(|player| Some(format!("#{player}"))).into();
    let winner = match real.cmp(&HALF) {
        std::cmp::Ordering::Less => Some(Side(1)),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Side(0)),
    };
    tree.result = Some(Told { winner, by: By::Unsaid });
    tree.comment = Some(comment(header, number(0), real, theoretical));
    Ok(tree)
}

/// What is told of a game beside its moves, in words.
fn comment(header: &Header, tournament: u16, real: u8, theoretical: u8) -> String {
    let white = 2 * HALF - real;
    let perfect = match header.depth {
        0 => String::new(),
        depth => {
            let other = 2 * HALF - theoretical;
            format!(", {theoretical}-{other} by perfect play of the last {depth} squares")
        }
    };
    format!("tournament #{tournament}: {real}-{white}{perfect}")
}

/// Writes the main line of a game on 8×8 whose result is known.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    if tree.start.is_some() {
        return Err(no_start("wthor"));
    }
    let refuse = |reason: &str| Err(FormatError::new(Place::Whole, reason));
    if variant.size.is_some_and(|size| size != SIZE) {
        return refuse("wthor holds boards of 8 only");
    }
    let squares = squares(tree, SIZE, "wthor")?;
    let (_, end) = ends(tree, variant)?;
    let Some(score) = black_discs(tree, &end) else {
        return refuse("wthor holds finished games only, and this one has no result");
    };
    let mut bytes = header(1);
    bytes.extend([0, 0]);
    for seat in 0..2 {
        let name = tree.names.get(seat).and_then(Option::as_deref);
        let number = name.and_then(|name| name.strip_prefix('#')?.parse().ok());
        bytes.extend(number.unwrap_or(0u16).to_le_bytes());
    }
    // What perfect play would have come to is not known.
    bytes.extend([score, score]);
    bytes.extend(squares.iter().map(|square| (square.row() + 1) * 10 + square.column() + 1));
    bytes.resize(HEADER + GAME, 0);
    Ok(bytes)
}

/// Black's discs at the end; all or none of them where a game was given up.
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

/// A header without a date, which nothing here knows.
fn header(games: u32) -> Vec<u8> {
    let mut header = vec![0; HEADER];
    header[4..8].copy_from_slice(&games.to_le_bytes());
    header[12] = SIZE;
    header
}

/// One file of several.
pub(super) fn join(files: &[&[u8]]) -> Result<Vec<u8>, FormatError> {
    let games: Vec<&[u8]> = files.iter().filter_map(|file| file.get(HEADER..)).collect();
    let games = games.concat();
    let count = u32::try_from(games.len() / GAME);
    let count =
        count.map_err(|_| FormatError::new(Place::Whole, "more games than wthor counts"))?;
    Ok([header(count), games].concat())
}
