//! Suits, strains, cards, sets of cards, and seats. Contains no rules.

use std::{fmt, iter};

use crate::rules::MoveCode;

/// A suit, highest first, in the order in which hands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suit {
    /// Spades, the highest suit.
    Spades,
    /// Hearts, ranked second.
    Hearts,
    /// Diamonds, ranked third.
    Diamonds,
    /// Clubs, the lowest suit.
    Clubs,
}

impl Suit {
    /// All four suits, in the order of hands.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

    /// 0 for spades to 3 for clubs.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter: `S`, `H`, `D`, `C`.
    pub const fn letter(self) -> char {
        match self {
            Suit::Spades => 'S',
            Suit::Hearts => 'H',
            Suit::Diamonds => 'D',
            Suit::Clubs => 'C',
        }
    }

    /// The suit of a letter in either case.
    pub fn from_letter(letter: char) -> Option<Suit> {
        Suit::ALL.into_iter().find(|suit| suit.letter() == letter.to_ascii_uppercase())
    }

    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Suit::Spades => "spades",
            Suit::Hearts => "hearts",
            Suit::Diamonds => "diamonds",
            Suit::Clubs => "clubs",
        }
    }
}

/// The strain of a deal: a trump suit or no trump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strain {
    /// This suit is trump.
    Trump(Suit),
    /// No suit is trump.
    NoTrump,
}

impl Strain {
    /// All five, in the order of tables: S, H, D, C, NT.
    pub const ALL: [Strain; 5] = [
        Strain::Trump(Suit::Spades),
        Strain::Trump(Suit::Hearts),
        Strain::Trump(Suit::Diamonds),
        Strain::Trump(Suit::Clubs),
        Strain::NoTrump,
    ];

    /// 0 for spades to 3 for clubs, 4 for no trump.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Strain::Trump(suit) => suit.index(),
            Strain::NoTrump => 4,
        }
    }

    /// The trump suit; `None` for no trump.
    #[inline]
    pub const fn trump(self) -> Option<Suit> {
        match self {
            Strain::Trump(suit) => Some(suit),
            Strain::NoTrump => None,
        }
    }

    /// The text: `S`, `H`, `D`, `C` or `NT`.
    pub const fn text(self) -> &'static str {
        match self {
            Strain::Trump(Suit::Spades) => "S",
            Strain::Trump(Suit::Hearts) => "H",
            Strain::Trump(Suit::Diamonds) => "D",
            Strain::Trump(Suit::Clubs) => "C",
            Strain::NoTrump => "NT",
        }
    }

    /// The strain of a text as in [`text`](Self::text) in either case, or `N`.
    pub fn from_text(text: &str) -> Option<Strain> {
        let same = |strain: &Strain| text.eq_ignore_ascii_case(strain.text());
        let short = || text.eq_ignore_ascii_case("N").then_some(Strain::NoTrump);
        Strain::ALL.into_iter().find(same).or_else(short)
    }
}

impl fmt::Display for Strain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// The letters of ranks, from two to ace.
const RANKS: [char; 13] = ['2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A'];

/// The lowest rank, a two.
pub const TWO: u8 = 2;
/// The highest rank, an ace.
pub const ACE: u8 = 14;

/// The letter of a rank from [`TWO`] to [`ACE`].
pub(crate) fn rank_letter(rank: u8) -> char {
    usize::from(rank).checked_sub(2).and_then(|at| RANKS.get(at)).copied().unwrap_or('?')
}

/// The rank of a letter in either case, 2 to 14.
pub fn rank_from_letter(letter: char) -> Option<u8> {
    let at = RANKS.iter().position(|known| *known == letter.to_ascii_uppercase())?;
    Some(at as u8 + TWO)
}

/// A playing card.
///
/// # Order
/// By suit in the order of [`Suit`], then from two to ace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Card(u8);

impl Card {
    /// The card of a suit and a rank from [`TWO`] to [`ACE`]; `None` for other ranks.
    #[inline]
    pub const fn new(suit: Suit, rank: u8) -> Option<Card> {
        match rank {
            TWO..=ACE => Some(Card((suit as u8) << 4 | rank)),
            _ => None,
        }
    }

    /// The card's suit.
    #[inline]
    pub const fn suit(self) -> Suit {
        Suit::ALL[(self.0 >> 4 & 3) as usize]
    }

    /// The card's rank, 2 to 14.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 & 15
    }

    /// Bit number in [`Cards`].
    #[inline]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// The card of a text such as `SJ`, letters in either case.
    pub fn from_text(text: &str) -> Option<Card> {
        let mut letters = text.chars();
        let (suit, rank) =
            (Suit::from_letter(letters.next()?)?, rank_from_letter(letters.next()?)?);
        letters.next().is_none().then(|| Card::new(suit, rank)).flatten()
    }
}

impl MoveCode for Card {
    #[inline]
    fn code(self) -> u32 {
        self.0.into()
    }

    #[inline]
    fn from_code(code: u32) -> Option<Card> {
        let suit = Suit::ALL.get(code as usize >> 4)?;
        Card::new(*suit, code as u8 & 15)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.suit().letter(), rank_letter(self.rank()))
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cards: sixteen bits per suit, spades lowest; the bit number within a suit is the rank,
/// 2 to 14.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Cards(u64);

impl Cards {
    /// The empty set.
    pub const NONE: Cards = Cards(0);
    /// All 52 cards.
    pub const PACK: Cards = Cards(0x7ffc_7ffc_7ffc_7ffc);

    /// The set with these bits; bits that are not cards are ignored.
    #[inline]
    pub const fn from_bits(bits: u64) -> Cards {
        Cards(bits & Cards::PACK.0)
    }

    /// The bits of the set.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The ranks of a suit: bits 2 to 14.
    #[inline]
    pub const fn ranks(self, suit: Suit) -> u16 {
        (self.0 >> (16 * suit as u32)) as u16
    }

    /// The cards of a suit.
    #[inline]
    pub const fn of_suit(self, suit: Suit) -> Cards {
        Cards(self.0 & 0xffff << (16 * suit as u32))
    }

    /// Number of cards.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set contains a card.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.index() & 1 != 0
    }

    /// Whether the two sets have a card in common.
    #[inline]
    pub const fn intersects(self, other: Cards) -> bool {
        self.0 & other.0 != 0
    }

    /// The set with a card added.
    #[inline]
    #[must_use]
    pub const fn with(self, card: Card) -> Cards {
        Cards(self.0 | 1 << card.index())
    }

    /// The set with a card removed.
    #[inline]
    #[must_use]
    pub const fn without(self, card: Card) -> Cards {
        Cards(self.0 & !(1 << card.index()))
    }

    /// The union of two sets.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Cards) -> Cards {
        Cards(self.0 | other.0)
    }

    /// The set without the cards of another set.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Cards) -> Cards {
        Cards(self.0 & !other.0)
    }

    /// The cards suit by suit, from the highest: the order in which hands are written.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        Suit::ALL.into_iter().flat_map(move |suit| {
            let mut ranks = self.ranks(suit);
            iter::from_fn(move || {
                let rank = 15u8.checked_sub(ranks.leading_zeros() as u8)?;
                ranks ^= 1 << rank;
                Card::new(suit, rank)
            })
        })
    }
}

impl FromIterator<Card> for Cards {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Cards {
        cards.into_iter().fold(Cards::NONE, Cards::with)
    }
}

/// Formats a hand in PBN: `AKQ.JT9.8765.432`, suits separated by dots.
impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suit in Suit::ALL {
            if suit != Suit::Spades {
                f.write_str(".")?;
            }
            for card in self.of_suit(suit).iter() {
                write!(f, "{}", rank_letter(card.rank()))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A seat at the table, and its hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Compass {
    /// Seat 0, side North-South.
    North,
    /// Seat 1, side East-West.
    East,
    /// Seat 2, side North-South.
    South,
    /// Seat 3, side East-West.
    West,
}

impl Compass {
    /// All four, clockwise from north.
    pub const ALL: [Compass; 4] = [Compass::North, Compass::East, Compass::South, Compass::West];

    /// The seat number: 0 for north, clockwise to 3 for west.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The seat `places` further clockwise.
    #[inline]
    #[must_use]
    pub const fn after(self, places: usize) -> Compass {
        Compass::ALL[(self as usize + places) & 3]
    }

    /// The side: 0 for North-South, 1 for East-West.
    #[inline]
    pub const fn side(self) -> usize {
        self as usize & 1
    }

    /// The letter: `N`, `E`, `S` or `W`.
    pub const fn letter(self) -> char {
        match self {
            Compass::North => 'N',
            Compass::East => 'E',
            Compass::South => 'S',
            Compass::West => 'W',
        }
    }

    /// The seat of a letter in either case.
    pub fn from_letter(letter: char) -> Option<Compass> {
        Compass::ALL.into_iter().find(|it| it.letter() == letter.to_ascii_uppercase())
    }

    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Compass::North => "north",
            Compass::East => "east",
            Compass::South => "south",
            Compass::West => "west",
        }
    }
}
