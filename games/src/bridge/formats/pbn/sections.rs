//! The sections of a PBN game: calls, cards in columns by seat, and tables of tricks.

use super::draft::Word;
use crate::bridge::notation::parse_seat;
use crate::bridge::{Bid, Call, Card, Compass, Strain, Table, TrickTable};
use crate::formats::{FormatError, excerpt};

/// Maximum number of calls in an auction.
const MAX_CALLS: usize = 319;

/// Whether a word is an annotation of the previous one: `$5`, `=1=`, `!?`.
fn is_remark(word: &str) -> bool {
    word.starts_with(['$', '=', '!', '?'])
}

/// A word without annotations at its end.
fn plain(word: &str) -> &str {
    word.trim_end_matches(['!', '?'])
}

/// The calls of an auction: `1NT`, `Pass`, `X`, `XX`, `AP` for the remaining passes; `-` before the
/// dealer's call, `*` or `+` at an early end.
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
                // Three after a bid, four without one.
                let passed = calls.iter().rev().take_while(|call| **call == Call::Pass).count();
                let needed = if passed == calls.len() { 4 } else { 3 };
                calls.extend((passed..needed).map(|_| Call::Pass));
                break;
            }
            bid => {
                let wrong = || {
                    let reason = format!("Auction: {} is not a call", excerpt(word.as_bytes()));
                    FormatError::line(*line, reason)
                };
                Call::Bid(Bid::from_text(bid).ok_or_else(wrong)?)
            }
        };
        calls.push(call);
        if calls.len() > MAX_CALLS {
            let reason = format!("Auction: more than {MAX_CALLS} calls");
            return Err(FormatError::line(*line, reason));
        }
    }
    Ok(calls)
}

/// A card of a trick and its line; `None` for a missing card.
type PlayedCard = (usize, Option<Card>);

/// The tricks of a play in rows of four columns, up to `*` or `+`.
pub(super) fn rows(words: &[Word]) -> Result<Vec<Vec<PlayedCard>>, FormatError> {
    let mut cards = Vec::new();
    for (line, word) in words.iter().filter(|(_, word)| !is_remark(word)) {
        let card = match plain(word) {
            "*" | "+" => break,
            "-" => None,
            word => {
                let wrong = || {
                    let reason = format!("Play: {} is not a card", excerpt(word.as_bytes()));
                    FormatError::line(*line, reason)
                };
                Some(Card::from_text(word).ok_or_else(wrong)?)
            }
        };
        if cards.len() == 52 {
            return Err(FormatError::line(*line, "Play: more than thirteen tricks of four cards"));
        }
        cards.push((*line, card));
    }
    Ok(cards.chunks(4).map(<[PlayedCard]>::to_vec).collect())
}

/// The cards in order of play, up to the first missing one. `first` is the seat of the first
/// column.
pub(super) fn play(
    rows: &[Vec<PlayedCard>],
    strain: Strain,
    leader: Compass,
    first: Compass,
) -> Result<Vec<(usize, Card)>, FormatError> {
    let mut table = Table::empty(strain, leader);
    let mut played = Vec::new();
    for row in rows {
        let leader = table.leader();
        for place in 0..4 {
            let column = (leader.after(place).index() + 4 - first.index()) % 4;
            let Some((line, Some(card))) = row.get(column).copied() else { return Ok(played) };
            if played.iter().any(|(_, other)| *other == card) {
                return Err(FormatError::line(line, format!("Play: {card} is played twice")));
            }
            table.play(card);
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
        format!("{} is not twenty hexadecimal digits up to d", excerpt(value.as_bytes()))
    })?;
    let mut table = TrickTable::default();
    for ((declarer, strain), tricks) in pbn_order().zip(tricks) {
        table.set(declarer, strain, tricks);
    }
    Ok(table)
}

/// Declarers and strains in the order of PBN.
pub(super) fn pbn_order() -> impl Iterator<Item = (Compass, Strain)> {
    let [spades, hearts, diamonds, clubs, none] = Strain::ALL;
    let strains = [none, spades, hearts, diamonds, clubs];
    let [north, east, south, west] = Compass::ALL;
    [north, south, east, west]
        .into_iter()
        .flat_map(move |declarer| strains.map(|strain| (declarer, strain)))
}

/// A table of tricks with these columns: `Declarer;Denomination\2R;Result\2R` in any order,
/// possibly with others.
pub(super) fn table(columns: &str, line: usize, words: &[Word]) -> Result<TrickTable, FormatError> {
    let wrong = |line: usize, reason: String| {
        FormatError::line(line, format!("OptimumResultTable: {reason}"))
    };
    // A column name has its sort order before it and its width after it.
    let names: Vec<&str> = columns
        .split(';')
        .map(|name| name.split('\\').next().unwrap_or_default().trim_start_matches(['+', '-']))
        .collect();
    let column = |wanted: &str| {
        let found = names.iter().position(|name| name.trim().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| wrong(line, format!("column {wanted} is missing")))
    };
    let [by, strain, tricks] = [column("Declarer")?, column("Denomination")?, column("Result")?];
    let mut table = TrickTable::default();
    let mut seen = 0u32;
    for row in words.chunks(names.len()) {
        let line = row[0].0;
        let text = |column: usize| row.get(column).map_or("", |(_, word)| *word);
        let none = |column: usize, what: &str| {
            wrong(line, format!("{} is {what}", excerpt(text(column).as_bytes())))
        };
        let by = parse_seat(text(by)).ok_or_else(|| none(by, "not a declarer"))?;
        let strain =
            Strain::from_text(text(strain)).ok_or_else(|| none(strain, "not a denomination"))?;
        let number = text(tricks).parse().ok().filter(|tricks| *tricks <= 13);
        let number = number.ok_or_else(|| none(tricks, "not a number of tricks"))?;
        let bit = 1 << (by.index() * 5 + strain.index());
        if seen & bit != 0 {
            return Err(wrong(line, format!("{} {strain} occurs twice", by.letter())));
        }
        seen |= bit;
        table.set(by, strain, number);
    }
    match seen.count_ones() {
        20 => Ok(table),
        rows => Err(wrong(line, format!("{rows} rows instead of twenty"))),
    }
}
