//! Reads and writes move texts and position texts, with hands in PBN. Reading reports all faults
//! and never panics.

use super::cards::{Card, Cards, Compass, Strain, Suit, rank_from_letter};
use super::table::Table;
use crate::fields::fields;
use crate::messages;
use crate::rules::{PositionError, PositionFault};

/// Longer position texts are rejected unread. A valid text has about 100 bytes; the rest leaves
/// room to report the faults of an invalid one.
const MAX_TEXT_BYTES: usize = 4096;
/// Maximum number of reported faults.
const MAX_REPORTED: usize = 16;
/// Maximum number of cards per hand.
pub(super) const MAX_CARDS: u8 = 13;

/// The content of a position text.
pub(super) struct PositionData {
    pub table: Table,
    pub won: [u8; 2],
    pub dd: Option<u8>,
}

/// Reads the text of a card. The error is a reason that fits after "`text` is refused: ".
pub(super) fn read_card(text: &str) -> Result<Card, String> {
    use messages::CARD_FORM as FORM;
    let mut letters = text.chars();
    let Some(suit) = letters.next() else { return Err(messages::move_is_empty(FORM)) };
    if Suit::from_letter(suit).is_none() {
        return Err(messages::no_suit_letter(FORM));
    }
    Card::from_text(text).ok_or_else(|| match letters.next() {
        None => messages::rank_missing(FORM),
        Some(rank) if rank_from_letter(rank).is_none() => messages::no_rank_letter(FORM),
        Some(_) => messages::text_after_card(FORM),
    })
}

/// Appends hands, strain, leader, trick and the optional fields: `N:… … … … NT W SJ,H3 won=3-2
/// dd=7`.
pub(super) fn write_position(data: &PositionData, out: &mut String) {
    let PositionData { table, won, dd } = data;
    out.push_str(&hands_text(table.hands()));
    out.push_str(&format!(" {} {} ", table.strain(), table.leader().letter()));
    let begin = out.len();
    for card in table.trick() {
        if out.len() > begin {
            out.push(',');
        }
        out.push_str(&card.to_string());
    }
    if out.len() == begin {
        out.push('-');
    }
    if *won != [0, 0] {
        out.push_str(&format!(" won={}-{}", won[0], won[1]));
    }
    if let Some(dd) = dd {
        out.push_str(&format!(" dd={dd}"));
    }
}

/// Four hands in PBN, north's first.
pub(super) fn hands_text(hands: [Cards; 4]) -> String {
    let [north, east, south, west] = hands;
    format!("N:{north} {east} {south} {west}")
}

/// A part of a text and its byte offset.
#[derive(Clone, Copy)]
struct TextPart<'a> {
    at: usize,
    text: &'a str,
}

/// The parts between white space.
fn parts(text: &str) -> impl Iterator<Item = TextPart<'_>> {
    fields(text).map(|(at, text)| TextPart { at, text })
}

/// The faults found so far.
struct Faults(Vec<PositionFault>);

impl Faults {
    fn add(&mut self, at: usize, reason: impl Into<String>) {
        if self.0.len() < MAX_REPORTED {
            self.0.push(PositionFault { offset: at, reason: reason.into() });
        }
    }
}

/// Reads a position of the requested size, or else of any size.
pub(super) fn read_position(text: &str, size: Option<u8>) -> Result<PositionData, PositionError> {
    if text.len() > MAX_TEXT_BYTES {
        let reason = format!("the text has {} bytes; the limit is {MAX_TEXT_BYTES}", text.len());
        return Err(PositionError(vec![PositionFault { offset: MAX_TEXT_BYTES, reason }]));
    }
    let mut faults = Faults(Vec::new());
    let mut parts = parts(text);
    let hands = read_hands(&mut parts, text.len(), &mut faults);
    if let Some(missing) = self::parts(text).take(4).find(|part| part.text.ends_with('-')) {
        faults.add(missing.at, "a hand is missing");
    }
    let hands = hands.map(|hands| hands.map(Option::unwrap_or_default));
    let mut next = |field: &str, faults: &mut Faults| {
        let part = parts.next();
        if part.is_none() {
            faults.add(text.len(), format!("{field} is missing"));
        }
        part
    };
    let strain = next("the strain (S, H, D, C or NT)", &mut faults).and_then(|part| {
        let strain = Strain::from_text(part.text);
        if strain.is_none() {
            faults.add(part.at, "the strain is not S, H, D, C or NT");
        }
        strain
    });
    let leader = next("the leader of the trick (N, E, S or W)", &mut faults).and_then(|part| {
        let leader = parse_seat(part.text);
        if leader.is_none() {
            faults.add(part.at, "the leader of the trick is not N, E, S or W");
        }
        leader
    });
    let trick = next("the trick (- or cards such as SJ,H3)", &mut faults);
    let trick = trick.map(|part| read_trick(part, &mut faults)).unwrap_or_default();
    let (won, dd) = read_rest(parts, &mut faults);
    let (Some(hands), Some(strain), Some(leader)) = (hands, strain, leader) else {
        faults.0.sort_by_key(|fault| fault.offset);
        return Err(PositionError(faults.0));
    };
    let rest = Totals { size, won: won.unwrap_or_default(), dd };
    let table = replay_trick(hands, Table::empty(strain, leader), &trick, &mut faults);
    rest.check(table.as_ref(), &mut faults);
    match table {
        Some(table) if faults.0.is_empty() => {
            Ok(PositionData { table, won: rest.won.value, dd: rest.dd.map(|dd| dd.value) })
        }
        _ => {
            faults.0.sort_by_key(|fault| fault.offset);
            Err(PositionError(faults.0))
        }
    }
}

/// Four hands in the order of [`Compass`]; `None` for a missing one, written `-`.
pub(super) type Hands = [Option<Cards>; 4];

/// Reads four hands in PBN, `N:AKQ.JT9.8765.432 … … …`. The error lists all faults.
pub(super) fn read_deal(text: &str) -> Result<Hands, PositionError> {
    let mut faults = Faults(Vec::new());
    let mut parts = parts(text);
    let hands = read_hands(&mut parts, text.len(), &mut faults);
    if let Some(more) = parts.next() {
        faults.add(more.at, "unexpected text after the fourth hand");
    }
    hands.filter(|_| faults.0.is_empty()).ok_or(PositionError(faults.0))
}

/// The seat of a letter.
pub(super) fn parse_seat(text: &str) -> Option<Compass> {
    let mut letters = text.chars();
    let seat = Compass::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(seat)
}

/// Reads the first four parts. `None` if there are fewer, or if no seat precedes the first.
fn read_hands<'a>(
    parts: &mut impl Iterator<Item = TextPart<'a>>,
    end: usize,
    faults: &mut Faults,
) -> Option<Hands> {
    let mut hands = [None; 4];
    let mut first = None;
    let mut seen = Cards::NONE;
    for place in 0..4 {
        let Some(mut part) = parts.next() else {
            let reason = format!("{place} hands instead of four");
            faults.add(
                end,
                if place == 0 { "the text is empty; hands are missing".into() } else { reason },
            );
            return None;
        };
        if place == 0 {
            let named =
                part.text.split_once(':').and_then(|(of, rest)| Some((parse_seat(of)?, rest)));
            match named {
                Some((of, rest)) => {
                    first = Some(of);
                    part = TextPart { at: part.at + part.text.len() - rest.len(), text: rest };
                }
                None => {
                    faults
                        .add(part.at, "the first hand does not start with its seat, such as `N:`");
                }
            }
        }
        let of = first.unwrap_or(Compass::North).after(place);
        hands[of.index()] = read_hand(part, of, &mut seen, faults);
    }
    first.map(|_| hands)
}

/// Reads a hand. Cards that another hand already has are faults.
fn read_hand(
    part: TextPart<'_>,
    of: Compass,
    seen: &mut Cards,
    faults: &mut Faults,
) -> Option<Cards> {
    if part.text == "-" {
        return None;
    }
    let mut hand = Cards::NONE;
    let mut suits = Suit::ALL.into_iter();
    let mut suit = suits.next();
    let dots = part.text.bytes().filter(|&byte| byte == b'.').count();
    if dots != 3 {
        let reason = format!("{}'s hand has {} suits instead of four", of.name(), dots + 1);
        faults.add(part.at, reason);
    }
    for (offset, letter) in part.text.char_indices() {
        let at = part.at + offset;
        if letter == '.' {
            suit = suits.next();
            continue;
        }
        let Some(rank) = rank_from_letter(letter) else {
            faults.add(at, format!("`{}` is not a rank", letter.escape_debug()));
            continue;
        };
        // Surplus suits are reported above.
        let Some(card) = suit.and_then(|suit| Card::new(suit, rank)) else { continue };
        if seen.contains(card) {
            faults.add(at, format!("{card} occurs twice"));
        }
        *seen = seen.with(card);
        hand = hand.with(card);
    }
    Some(hand)
}

/// The cards of a trick with their byte offsets.
#[derive(Default)]
struct LocatedTrick(Vec<(usize, Card)>);

fn read_trick(part: TextPart<'_>, faults: &mut Faults) -> LocatedTrick {
    let mut trick = LocatedTrick::default();
    if part.text == "-" {
        return trick;
    }
    let mut at = part.at;
    for (place, text) in part.text.split(',').enumerate() {
        match (place, Card::from_text(text)) {
            (3, _) => {
                faults.add(at, "an unfinished trick has at most three cards");
                break;
            }
            (_, Some(card)) => trick.0.push((at, card)),
            (_, None) => faults.add(at, "not a card; the trick is - or cards such as SJ,H3"),
        }
        at += text.len() + 1;
    }
    trick
}

/// A value that was read, and its byte offset.
#[derive(Clone, Copy, Default)]
struct Located<T> {
    at: usize,
    value: T,
}

/// Reads the optional fields after the trick.
fn read_rest<'a>(
    parts: impl Iterator<Item = TextPart<'a>>,
    faults: &mut Faults,
) -> (Option<Located<[u8; 2]>>, Option<Located<u8>>) {
    let mut parts = parts.peekable();
    let won = parts.next_if(|part| part.text.starts_with("won=")).and_then(|part| {
        let (ns, ew) = part.text["won=".len()..].split_once('-').unwrap_or_default();
        let won = parse_tricks(ns)
            .zip(parse_tricks(ew))
            .map(|(ns, ew)| Located { at: part.at, value: [ns, ew] });
        if won.is_none() {
            faults.add(part.at, "won= needs the tricks of NS and EW, such as won=3-2");
        }
        won
    });
    let dd = parts.next_if(|part| part.text.starts_with("dd=")).and_then(|part| {
        let dd =
            parse_tricks(&part.text["dd=".len()..]).map(|value| Located { at: part.at, value });
        if dd.is_none() {
            faults.add(part.at, "dd= needs a number of tricks from 0 to 13, such as dd=7");
        }
        dd
    });
    if let Some(more) = parts.next() {
        faults.add(more.at, "only won= and then dd= may follow the trick");
    }
    (won, dd)
}

/// A number of tricks without sign or leading 0.
fn parse_tricks(text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (number <= MAX_CARDS && number.to_string() == text).then_some(number)
}

/// The table after the trick is played from the hands. `None` if that is impossible.
fn replay_trick(
    hands: [Cards; 4],
    empty: Table,
    trick: &LocatedTrick,
    faults: &mut Faults,
) -> Option<Table> {
    let leader = empty.leader();
    let mut before = hands;
    let mut all = hands.into_iter().fold(Cards::NONE, Cards::union);
    for (place, (at, card)) in trick.0.iter().enumerate() {
        if all.contains(*card) {
            faults.add(*at, format!("{card} occurs twice"));
            return None;
        }
        all = all.with(*card);
        let hand = &mut before[leader.after(place).index()];
        *hand = hand.with(*card);
    }
    let Some(mut table) = Table::new(before, empty.strain(), leader) else {
        // Duplicate cards have already been reported.
        let [north, east, south, west] = before.map(Cards::len);
        if faults.0.is_empty() {
            let reason = format!(
                "including the trick, the hands have {north}, {east}, {south} and {west} \
                 cards; all must have the same number"
            );
            faults.add(0, reason);
        }
        return None;
    };
    for (at, card) in &trick.0 {
        let legal = table.legal();
        if !legal.contains(*card) {
            let (of, led) = (table.to_move().name(), table.suit_led().map_or("", Suit::name));
            faults.add(*at, format!("{of} played {card} but holds {led}, which were led"));
        }
        table.play(*card);
    }
    Some(table)
}

/// The fields beside the cards, which must be consistent with them.
struct Totals {
    size: Option<u8>,
    won: Located<[u8; 2]>,
    dd: Option<Located<u8>>,
}

impl Totals {
    fn check(&self, table: Option<&Table>, faults: &mut Faults) {
        let Some(left) = table.map(Table::tricks_left) else { return };
        let [ns, ew] = self.won.value.map(u32::from);
        let tricks = left + ns + ew;
        match self.size.map(u32::from) {
            Some(size) if size != tricks => {
                let reason = format!(
                    "{left} tricks left and {} won do not make a deal of {size} tricks",
                    ns + ew
                );
                faults.add(self.won.at, reason);
            }
            None if tricks == 0 => faults.add(0, "there are no cards and no tricks won"),
            None if tricks > MAX_CARDS.into() => {
                let reason =
                    format!("{left} tricks left and {} won; a deal has at most 13", ns + ew);
                faults.add(self.won.at, reason);
            }
            _ => (),
        }
        if let Some(dd) = self.dd
            && u32::from(dd.value) > tricks
        {
            faults.add(dd.at, format!("dd= exceeds the {tricks} tricks of the deal"));
        }
    }
}
