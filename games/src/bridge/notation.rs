//! Move texts and position texts, read and written; hands in PBN. Reading says everything
//! that is wrong, and never panics whatever the text.

use super::cards::{Card, Cards, Compass, Strain, Suit, rank_of_letter};
use super::table::Table;
use crate::rules::{PositionError, PositionFault};
use crate::words::fields;

/// Longer position texts are refused unread. The longest that can be right has some 100
/// bytes; the rest is room for telling a wrong one what is wrong.
const LONGEST_TEXT: usize = 4096;
/// So many letters that are none are told of; a text of nothing else is another text.
const MOST_TOLD: usize = 16;
/// The most cards in a hand.
pub(super) const MOST_CARDS: u8 = 13;

/// What a position text says.
pub(super) struct Told {
    pub table: Table,
    pub won: [u8; 2],
    pub dd: Option<u8>,
}

/// Reads the text of a card. Err: the reason, which fits behind "`text` is refused: ".
pub(super) fn read_card(text: &str) -> Result<Card, String> {
    const FORM: &str = "a move is a card: its suit S, H, D or C, then its rank A, K, Q, J, T or 9 \
                        to 2, like SJ";
    let mut letters = text.chars();
    let Some(suit) = letters.next() else { return Err(format!("it is empty; {FORM}")) };
    if Suit::of_letter(suit).is_none() {
        return Err(format!("it does not begin with the letter of a suit; {FORM}"));
    }
    Card::of_text(text).ok_or_else(|| match letters.next() {
        None => format!("no rank follows its suit; {FORM}"),
        Some(rank) if rank_of_letter(rank).is_none() => {
            format!("the letter of no rank follows its suit; {FORM}")
        }
        Some(_) => format!("nothing should follow its suit and rank; {FORM}"),
    })
}

/// Appends hands, strain, leader, trick, and what else there is: `N:… … … … NT W SJ,H3
/// won=3-2 dd=7`.
pub(super) fn write_position(told: &Told, out: &mut String) {
    let Told { table, won, dd } = told;
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

/// Four hands as PBN has them, north's first.
pub(super) fn hands_text(hands: [Cards; 4]) -> String {
    let [north, east, south, west] = hands;
    format!("N:{north} {east} {south} {west}")
}

/// A part of a text and where it begins.
#[derive(Clone, Copy)]
struct Part<'a> {
    at: usize,
    text: &'a str,
}

/// The parts between blanks.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    fields(text).map(|(at, text)| Part { at, text })
}

/// What was found wrong so far.
struct Faults(Vec<PositionFault>);

impl Faults {
    fn tell(&mut self, at: usize, reason: impl Into<String>) {
        if self.0.len() < MOST_TOLD {
            self.0.push(PositionFault { at, reason: reason.into() });
        }
    }
}

/// Reads a position of the size that is asked for, or else of any.
pub(super) fn read_position(text: &str, size: Option<u8>) -> Result<Told, PositionError> {
    if text.len() > LONGEST_TEXT {
        let reason = format!("a text of {} bytes; none has more than {LONGEST_TEXT}", text.len());
        return Err(PositionError(vec![PositionFault { at: LONGEST_TEXT, reason }]));
    }
    let mut faults = Faults(Vec::new());
    let mut parts = parts(text);
    let hands = read_hands(&mut parts, text.len(), &mut faults);
    if let Some(untold) = self::parts(text).take(4).find(|part| part.text.ends_with('-')) {
        faults.tell(untold.at, "a hand is not told");
    }
    let hands = hands.map(|hands| hands.map(Option::unwrap_or_default));
    let mut next = |what: &str, faults: &mut Faults| {
        let part = parts.next();
        if part.is_none() {
            faults.tell(text.len(), format!("{what} is missing"));
        }
        part
    };
    let strain = next("the strain, S, H, D, C or NT,", &mut faults).and_then(|part| {
        let strain = Strain::of_text(part.text);
        if strain.is_none() {
            faults.tell(part.at, "the strain is none of S, H, D, C and NT");
        }
        strain
    });
    let leader = next("who leads to the trick, N, E, S or W,", &mut faults).and_then(|part| {
        let leader = seat(part.text);
        if leader.is_none() {
            faults.tell(part.at, "who leads to the trick is none of N, E, S and W");
        }
        leader
    });
    let trick = next("the trick, - or cards like SJ,H3,", &mut faults);
    let trick = trick.map(|part| read_trick(part, &mut faults)).unwrap_or_default();
    let (won, dd) = read_rest(parts, &mut faults);
    let (Some(hands), Some(strain), Some(leader)) = (hands, strain, leader) else {
        faults.0.sort_by_key(|fault| fault.at);
        return Err(PositionError(faults.0));
    };
    let rest = Rest { size, won: won.unwrap_or_default(), dd };
    let table = lay(hands, Table::empty(strain, leader), &trick, &mut faults);
    rest.check(table.as_ref(), &mut faults);
    match table {
        Some(table) if faults.0.is_empty() => {
            Ok(Told { table, won: rest.won.is, dd: rest.dd.map(|dd| dd.is) })
        }
        _ => {
            faults.0.sort_by_key(|fault| fault.at);
            Err(PositionError(faults.0))
        }
    }
}

/// Four hands in the order of [`Compass`]; none: it is `-`, not told.
pub(super) type Hands = [Option<Cards>; 4];

/// Reads four hands in PBN, `N:AKQ.JT9.8765.432 … … …`. Err: everything that is wrong.
pub(super) fn read_deal(text: &str) -> Result<Hands, PositionError> {
    let mut faults = Faults(Vec::new());
    let mut parts = parts(text);
    let hands = read_hands(&mut parts, text.len(), &mut faults);
    if let Some(more) = parts.next() {
        faults.tell(more.at, "nothing should follow the fourth hand");
    }
    hands.filter(|_| faults.0.is_empty()).ok_or(PositionError(faults.0))
}

/// The seat of a letter.
pub(super) fn seat(text: &str) -> Option<Compass> {
    let mut letters = text.chars();
    let seat = Compass::of_letter(letters.next()?)?;
    letters.next().is_none().then_some(seat)
}

/// Reads the first four parts. None: there is no fourth, or no seat before the first.
fn read_hands<'a>(
    parts: &mut impl Iterator<Item = Part<'a>>,
    end: usize,
    faults: &mut Faults,
) -> Option<Hands> {
    let mut hands = [None; 4];
    let mut first = None;
    let mut seen = Cards::NONE;
    for place in 0..4 {
        let Some(mut part) = parts.next() else {
            let reason = format!("{place} hands instead of four");
            faults.tell(
                end,
                if place == 0 { "the text is empty; hands are missing".into() } else { reason },
            );
            return None;
        };
        if place == 0 {
            let named = part.text.split_once(':').and_then(|(of, rest)| Some((seat(of)?, rest)));
            match named {
                Some((of, rest)) => {
                    first = Some(of);
                    part = Part { at: part.at + part.text.len() - rest.len(), text: rest };
                }
                None => {
                    faults
                        .tell(part.at, "the first hand does not begin with whose it is, like `N:`");
                }
            }
        }
        let of = first.unwrap_or(Compass::North).after(place);
        hands[of.index()] = read_hand(part, of, &mut seen, faults);
    }
    first.map(|_| hands)
}

/// Reads a hand; cards that another one has, too, are told of.
fn read_hand(part: Part<'_>, of: Compass, seen: &mut Cards, faults: &mut Faults) -> Option<Cards> {
    if part.text == "-" {
        return None;
    }
    let mut hand = Cards::NONE;
    let mut suits = Suit::ALL.into_iter();
    let mut suit = suits.next();
    let dots = part.text.bytes().filter(|&byte| byte == b'.').count();
    if dots != 3 {
        let reason = format!("{}'s hand has {} suits instead of four", of.name(), dots + 1);
        faults.tell(part.at, reason);
    }
    for (offset, letter) in part.text.char_indices() {
        let at = part.at + offset;
        if letter == '.' {
            suit = suits.next();
            continue;
        }
        let Some(rank) = rank_of_letter(letter) else {
            faults.tell(at, format!("`{}` is no rank", letter.escape_debug()));
            continue;
        };
        // Suits behind the fourth are told of above.
        let Some(card) = suit.and_then(|suit| Card::new(suit, rank)) else { continue };
        if seen.contains(card) {
            faults.tell(at, format!("{card} is there twice"));
        }
        *seen = seen.with(card);
        hand = hand.with(card);
    }
    Some(hand)
}

/// Cards of a trick with their places in the text.
#[derive(Default)]
struct Trick(Vec<(usize, Card)>);

fn read_trick(part: Part<'_>, faults: &mut Faults) -> Trick {
    let mut trick = Trick::default();
    if part.text == "-" {
        return trick;
    }
    let mut at = part.at;
    for (place, text) in part.text.split(',').enumerate() {
        match (place, Card::of_text(text)) {
            (3, _) => {
                faults.tell(at, "an unfinished trick has three cards at most");
                break;
            }
            (_, Some(card)) => trick.0.push((at, card)),
            (_, None) => faults.tell(at, "no card of the trick: it is - or cards like SJ,H3"),
        }
        at += text.len() + 1;
    }
    trick
}

/// Something that was read, and where it stands.
#[derive(Clone, Copy, Default)]
struct At<T> {
    at: usize,
    is: T,
}

/// Reads what may follow the trick.
fn read_rest<'a>(
    parts: impl Iterator<Item = Part<'a>>,
    faults: &mut Faults,
) -> (Option<At<[u8; 2]>>, Option<At<u8>>) {
    let mut parts = parts.peekable();
    let won = parts.next_if(|part| part.text.starts_with("won=")).and_then(|part| {
        let (ns, ew) = part.text["won=".len()..].split_once('-').unwrap_or_default();
        let won = count(ns).zip(count(ew)).map(|(ns, ew)| At { at: part.at, is: [ns, ew] });
        if won.is_none() {
            faults.tell(part.at, "won= is followed by the tricks of NS and EW, like won=3-2");
        }
        won
    });
    let dd = parts.next_if(|part| part.text.starts_with("dd=")).and_then(|part| {
        let dd = count(&part.text["dd=".len()..]).map(|is| At { at: part.at, is });
        if dd.is_none() {
            faults.tell(part.at, "dd= is followed by a number of tricks from 0 to 13, like dd=7");
        }
        dd
    });
    if let Some(more) = parts.next() {
        faults.tell(more.at, "behind the trick stand won= and then dd=, each once, or nothing");
    }
    (won, dd)
}

/// A plain number of tricks: no sign, no 0 before it.
fn count(text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (number <= MOST_CARDS && number.to_string() == text).then_some(number)
}

/// The hands with the trick played out of them. None: that cannot be.
fn lay(hands: [Cards; 4], empty: Table, trick: &Trick, faults: &mut Faults) -> Option<Table> {
    let leader = empty.leader();
    let mut before = hands;
    let mut all = hands.into_iter().fold(Cards::NONE, Cards::union);
    for (place, (at, card)) in trick.0.iter().enumerate() {
        if all.contains(*card) {
            faults.tell(*at, format!("{card} is there twice"));
            return None;
        }
        all = all.with(*card);
        let hand = &mut before[leader.after(place).index()];
        *hand = hand.with(*card);
    }
    let Some(mut table) = Table::new(before, empty.strain(), leader) else {
        // A card that is there twice has been told of.
        let [north, east, south, west] = before.map(Cards::len);
        if faults.0.is_empty() {
            let reason = format!(
                "with the cards of the trick the hands have {north}, {east}, {south} and {west} \
                 cards, and not all as many"
            );
            faults.tell(0, reason);
        }
        return None;
    };
    for (at, card) in &trick.0 {
        let legal = table.legal();
        if !legal.contains(*card) {
            let (of, led) = (table.to_move().name(), table.suit_led().map_or("", Suit::name));
            faults.tell(*at, format!("{of} played {card} and holds {led}, which were led"));
        }
        table.play(*card);
    }
    Some(table)
}

/// What is said beside the cards, held against them.
struct Rest {
    size: Option<u8>,
    won: At<[u8; 2]>,
    dd: Option<At<u8>>,
}

impl Rest {
    fn check(&self, table: Option<&Table>, faults: &mut Faults) {
        let Some(left) = table.map(Table::tricks_left) else { return };
        let [ns, ew] = self.won.is.map(u32::from);
        let tricks = left + ns + ew;
        match self.size.map(u32::from) {
            Some(size) if size != tricks => {
                let reason = format!(
                    "{left} tricks are left and {} are won, which makes no deal of {size} tricks",
                    ns + ew
                );
                faults.tell(self.won.at, reason);
            }
            None if tricks == 0 => faults.tell(0, "there is no card, and no trick is won"),
            None if tricks > MOST_CARDS.into() => {
                let reason = format!(
                    "{left} tricks are left and {} are won; no deal has more than 13",
                    ns + ew
                );
                faults.tell(self.won.at, reason);
            }
            _ => (),
        }
        if let Some(dd) = self.dd
            && u32::from(dd.is) > tricks
        {
            faults.tell(dd.at, format!("dd= is more than the {tricks} tricks of the deal"));
        }
    }
}
