//! Formats that are not bound to a game: a plugged-in game whose positions are FEN, and whose rules
//! read the moves, names them in its manifest.

use super::pgn::{self, Dialect, MoveNames, result_text};
use super::{Encoding, Features, Format, FormatError, GameTree, Location, fen};
use crate::info::Variant;

/// The formats, in the order of listings.
pub static SHARED_FORMATS: [Format; 3] = [
    Format {
        id: "pgn",
        extensions: &["pgn"],
        about: "PGN, moves in SAN: variations, comments, results, start positions",
        features: Features {
            several: true,
            variations: true,
            comments: true,
            names: true,
            results: true,
            starts: true,
            variants: true,
            sizes: true,
            ..Features::NONE
        },
        encoding: Encoding::Latin1,
        read: Some(read_pgn),
        write: Some(write_pgn),
        join: None,
        notation: true,
    },
    Format {
        id: "fen",
        extensions: &["fen"],
        about: "one position per line, optionally with `moves` and moves; read only",
        features: Features { several: true, starts: true, sizes: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(read_fen),
        write: None,
        join: None,
        notation: false,
    },
    Format {
        id: "epd",
        extensions: &["epd"],
        about: "one position per line with operations, which become comments; read only",
        features: Features {
            several: true,
            comments: true,
            starts: true,
            sizes: true,
            ..Features::NONE
        },
        encoding: Encoding::Latin1,
        read: Some(read_epd),
        write: None,
        join: None,
        notation: false,
    },
];

/// The name of a variant in files without a tag that names one.
const STANDARD: &str = "standard";

const DIALECT: Dialect = Dialect { game: None, has_variants: true, start_of };

fn start_of(text: &str) -> Option<String> {
    Some(text.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
}

fn read_pgn(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    pgn::read(bytes, &DIALECT)
}

/// Writes a game with all its variations. The moves of the tree are in the notation of the file.
fn write_pgn(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    let name = |seat: usize| tree.names.get(seat).and_then(Option::as_deref).unwrap_or("?");
    let known = |tag: &str, unknown: &'static str| {
        let own = tree.tags.iter().find(|(name, _)| *name == tag);
        own.map_or(unknown.to_owned(), |(_, text)| text.clone())
    };
    let [event, site, round] = ["Event", "Site", "Round"].map(|tag| known(tag, "?"));
    let date = known("Date", "????.??.??");
    let plies = tree.main_line().count().to_string();
    let mut tags = vec![
        ("Event", &*event),
        ("Site", &site),
        ("Date", &date),
        ("Round", &round),
        ("White", name(0)),
        ("Black", name(1)),
        ("Result", result_text(tree.result)),
    ];
    // With a capital letter, as other programs write it.
    let (first, rest) = variant.id.split_at(variant.id.len().min(1));
    let capitalised = first.to_ascii_uppercase() + rest;
    if variant.id != STANDARD {
        tags.push(("Variant", &capitalised));
    }
    // Games of people have no facts beside these seven tags.
    if let Some((_, termination)) = tree.tags.iter().find(|(name, _)| *name == "Termination") {
        tags.extend([("PlyCount", plies.as_str()), ("Termination", termination)]);
    }
    let mut names = MoveNames::new(1, false);
    if let Some(start) = &tree.start {
        if start.split(' ').any(|word| word == "moves") {
            let reason = "the start position has moves before it, which PGN cannot store";
            return Err(FormatError::new(Location::Whole, reason));
        }
        tags.extend([("SetUp", "1"), ("FEN", start)]);
        let fields: Vec<&str> = start.split(' ').collect();
        let number = fields.get(5).and_then(|number| number.parse().ok()).unwrap_or(1);
        names = MoveNames::new(number, fields.get(1) == Some(&"b"));
    }
    for node in tree.nodes() {
        names.push(|out| out.push_str(node.mv));
    }
    Ok(pgn::write(tree, &tags, &names))
}

fn read_fen(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    fen::read(bytes, start_of)
}

fn read_epd(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    fen::read_epd(bytes)
}

#[cfg(test)]
mod tests;
