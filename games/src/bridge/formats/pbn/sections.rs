//! The sections of a PBN game: calls, cards in the order of seats, tables of tricks.

use super::draft::Word;
use crate::bridge::notation::seat;
use crate::bridge::{Bid, Call, Card, Compass, Strain, Table, TrickTable};
use crate::formats::{FormatError, shown};

/// No auction has more calls.
const MOST_CALLS: usize = 319;

/// Whether a word is a remark on the one before: `$5`, `=1=`, `!?`.
fn is_remark(word: &str) -> bool {
    word.starts_with(['$', '=', '!', '?'])
}

/// A word without the remarks that stand right behind it.
fn plain(word: &str) -> &str {
    word.trim_end_matches(['!', '?'])
}

/// The calls of an auction: `1NT`, `Pass`, `X`, `XX`, `AP` for what is left to pass; `-`
/// stands before the dealer's, `*` and `+` at an end that came early.
pub(super) fn calls(words: &[Word]) -> Result<Vec<Call>, FormatError> {
    let mut calls = Vec::new();
    for (line, word) in words.iter().filter(|(_, word)| !is_remark(word)) {
        let call = match plain(word).to_ascii_uppercase().as_str() {
            "-" if calls.is_empty() => continue,
            "*" | "+" => break,
            "PASS" | "P" => Call::Pass,
            "X" => Call::Double,
            "XX" => Call::Redouble,
            "AP" => {
                // Three behind a bid, four where there is none.
                let passed = calls.iter().rev().take_while(|call| **call == Call::Pass).count();
                let needed = if passed == calls.len() { 4 } else { 3 };
                calls.extend((passed..needed).map(|_| Call::Pass));
                break;
            }
            bid => {
                let wrong = || {
                    let reason = format!("Auction: {} is no call", shown(word.as_bytes()));
                    FormatError::line(*line, reason)
                };
                Call::Bid(Bid::of_text(bid).ok_or_else(wrong)?)
            }
        };
        calls.push(call);
        if calls.len() > MOST_CALLS {
            let reason = format!("Auction: more than {MOST_CALLS} calls");
            return Err(FormatError::line(*line, reason));
        }
    }
    Ok(calls)
}

/// A card of a trick with its line; none: it is not told.
type Told = (usize, Option<Card>);

/// The tricks of a play, four columns each, up to `*` or `+`.
pub(super) fn rows(words: &[Word]) -> Result<Vec<Vec<Told>>, FormatError> {
    let mut cards = Vec::new();
    for (line, word) in words.iter().filter(|(_, word)| !is_remark(word)) {
        let card = match plain(word) {
            "*" | "+" => break,
            "-" => None,
            word => {
                let wrong = || {
                    let reason = format!("Play: {} is no card", shown(word.as_bytes()));
                    FormatError::line(*line, reason)
                };
                Some(Card::of_text(word).ok_or_else(wrong)?)
            }
        };
        if cards.len() == 52 {
            return Err(FormatError::line(*line, "Play: more than thirteen tricks of four cards"));
        }
        cards.push((*line, card));
    }
    Ok(cards.chunks(4).map(<[Told]>::to_vec).collect())
}

/// The cards in the order in which they were played, up to the first that is not told.
/// `first` is whose cards stand in the first column.
pub(super) fn play(
    rows: &[Vec<Told>],
    strain: Strain,
    leader: Compass,
    first: Compass,
) -> Result<Vec<(usize, Card)>, FormatError> {
    let mut judge = Table::empty(strain, leader);
    let mut played = Vec::new();
    for row in rows {
        let leader = judge.leader();
        for place in 0..4 {
            let column = (leader.after(place).index() + 4 - first.index()) % 4;
            let Some((line, Some(card))) = row.get(column).copied() else { return Ok(played) };
            if played.iter().any(|(_, other)| *other == card) {
                return Err(FormatError::line(line, format!("Play: {card} is played twice")));
            }
            judge.play(card);
            played.push((line, card));
        }
    }
    Ok(played)
}

/// Twenty hexadecimal digits: declarers N, S, E, W, for each NT, S, H, D, C.
pub(super) fn digits(value: &str) -> Result<TrickTable, String> {
    let tricks: Option<Vec<u8>> = value
        .chars()
        .map(|digit| digit.to_digit(16).filter(|tricks| *tricks <= 13).map(|it| it as u8))
        .collect();
    let tricks = tricks.filter(|tricks| tricks.len() == 20).ok_or_else(|| {
        format!("{} is not twenty hexadecimal digits up to d", shown(value.as_bytes()))
    })?;
    let mut table = TrickTable::default();
    for ((declarer, strain), tricks) in in_order().zip(tricks) {
        table.set(declarer, strain, tricks);
    }
    Ok(table)
}

/// Declarers and strains in the order of PBN.
pub(super) fn in_order() -> impl Iterator<Item = (Compass, Strain)> {
    let [spades, hearts, diamonds, clubs, none] = Strain::ALL;
    let strains = [none, spades, hearts, diamonds, clubs];
    let [north, east, south, west] = Compass::ALL;
    [north, south, east, west]
        .into_iter()
        .flat_map(move |declarer| strains.map(|strain| (declarer, strain)))
}

/// A table of tricks by its columns: `Declarer;Denomination\2R;Result\2R`, in any order,
/// others between them.
pub(super) fn table(columns: &str, line: usize, words: &[Word]) -> Result<TrickTable, FormatError> {
    let wrong = |line: usize, reason: String| {
        FormatError::line(line, format!("OptimumResultTable: {reason}"))
    };
    // A column's name has its order before it and its width behind.
    let names: Vec<&str> = columns
        .split(';')
        .map(|name| name.split('\\').next().unwrap_or_default().trim_start_matches(['+', '-']))
        .collect();
    let column = |wanted: &str| {
        let found = names.iter().position(|name| name.trim().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| wrong(line, format!("there is no column {wanted}")))
    };
    let [by, strain, tricks] = [column("Declarer")?, column("Denomination")?, column("Result")?];
    let mut table = TrickTable::default();
    let mut seen = 0u32;
    for row in words.chunks(names.len()) {
        let line = row[0].0;
        let text = |column: usize| row.get(column).map_or("", |(_, word)| *word);
        let none = |column: usize, what: &str| {
            wrong(line, format!("{} is {what}", shown(text(column).as_bytes())))
        };
        let by = seat(text(by)).ok_or_else(|| none(by, "no declarer"))?;
        let strain =
            Strain::of_text(text(strain)).ok_or_else(|| none(strain, "no denomination"))?;
        let number = text(tricks).parse().ok().filter(|tricks| *tricks <= 13);
        let number = number.ok_or_else(|| none(tricks, "no number of tricks"))?;
        let bit = 1 << (by.index() * 5 + strain.index());
        if seen & bit != 0 {
            return Err(wrong(line, format!("{} {strain} is there twice", by.letter())));
        }
        seen |= bit;
        table.set(by, strain, number);
    }
    match seen.count_ones() {
        20 => Ok(table),
        rows => Err(wrong(line, format!("{rows} rows instead of twenty"))),
    }
}
