//! Bids, calls and contracts. Does not know scores, and does not check whether a call is legal.

use std::fmt;

use super::cards::{Compass, Strain};

/// A bid: a number of tricks above six, and a strain.
///
/// # Order
/// As in an auction: by level, then clubs, diamonds, hearts, spades, no trump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bid {
    level: u8,
    strain: Strain,
}

impl Bid {
    /// Number of bids.
    pub const COUNT: usize = 35;

    /// A bid at a level from 1 to 7; `None` for other levels.
    pub fn new(level: u8, strain: Strain) -> Option<Bid> {
        (1..=7).contains(&level).then_some(Bid { level, strain })
    }

    /// Tricks above six: 1 to 7.
    pub const fn level(self) -> u8 {
        self.level
    }

    /// The strain of the bid.
    pub const fn strain(self) -> Strain {
        self.strain
    }

    /// Number of tricks that make the bid.
    pub const fn tricks(self) -> u8 {
        6 + self.level
    }

    /// Rank among all bids, 0 for one club to 34 for seven no trump.
    pub const fn index(self) -> usize {
        let strain = match self.strain {
            Strain::Trump(suit) => 3 - suit.index(),
            Strain::NoTrump => 4,
        };
        (self.level as usize - 1) * 5 + strain
    }

    /// All bids, from the lowest.
    pub fn all() -> impl Iterator<Item = Bid> {
        let [spades, hearts, diamonds, clubs, none] = Strain::ALL;
        let strains = [clubs, diamonds, hearts, spades, none];
        (1..=7).flat_map(move |level| strains.map(|strain| Bid { level, strain }))
    }

    /// The bid of a text such as `4H`, `3NT`, `1N`, letters in either case.
    pub fn from_text(text: &str) -> Option<Bid> {
        let mut rest = text.chars();
        let level = rest.next()?.to_digit(10)?;
        Bid::new(level as u8, Strain::from_text(rest.as_str())?)
    }
}

impl PartialOrd for Bid {
    fn partial_cmp(&self, other: &Bid) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bid {
    fn cmp(&self, other: &Bid) -> std::cmp::Ordering {
        self.index().cmp(&other.index())
    }
}

impl fmt::Display for Bid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.level, self.strain)
    }
}

/// Whether a contract is doubled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doubling {
    /// Neither doubled nor redoubled.
    #[default]
    Undoubled,
    /// Doubled by the defenders.
    Doubled,
    /// Doubled and redoubled.
    Redoubled,
}

impl Doubling {
    /// The text: empty, `X` or `XX`.
    pub const fn text(self) -> &'static str {
        match self {
            Doubling::Undoubled => "",
            Doubling::Doubled => "X",
            Doubling::Redoubled => "XX",
        }
    }
}

/// The contract of an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// The last bid.
    pub bid: Bid,
    /// Whether it is doubled.
    pub doubling: Doubling,
}

impl Contract {
    /// The contract of a text such as `4HX`, `3NT`, `1NXX`, letters in either case.
    pub fn from_text(text: &str) -> Option<Contract> {
        let bid = text.trim_end_matches(['x', 'X']);
        let doubling = match text.len() - bid.len() {
            0 => Doubling::Undoubled,
            1 => Doubling::Doubled,
            2 => Doubling::Redoubled,
            _ => return None,
        };
        Some(Contract { bid: Bid::from_text(bid)?, doubling })
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.bid, self.doubling.text())
    }
}

/// A call in an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// A pass: no bid.
    Pass,
    /// Doubles the opponents' bid.
    Double,
    /// Redoubles a doubled bid.
    Redouble,
    /// A higher bid.
    Bid(Bid),
}

impl fmt::Display for Call {
    /// The call in PBN: `Pass`, `X`, `XX`, `4H`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Pass => f.write_str("Pass"),
            Call::Double => f.write_str("X"),
            Call::Redouble => f.write_str("XX"),
            Call::Bid(bid) => bid.fmt(f),
        }
    }
}

/// The result of a finished auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AuctionResult {
    /// All players passed.
    PassedOut,
    /// A contract and its declarer.
    Contract(Contract, Compass),
}

/// The result of an auction opened by this dealer, or `None` if it is not finished. Calls are not
/// checked: doubles apply to the last bid. The declarer is the player of the bidding side who named
/// the strain first.
pub(crate) fn auction_result(dealer: Compass, calls: &[Call]) -> Option<AuctionResult> {
    let passes = calls.iter().rev().take_while(|call| **call == Call::Pass).count();
    match current_contract(dealer, calls) {
        Some((contract, declarer)) if passes >= 3 => {
            Some(AuctionResult::Contract(contract, declarer))
        }
        None if passes >= 4 => Some(AuctionResult::PassedOut),
        _ => None,
    }
}

/// The current contract of an unfinished auction, and its declarer.
pub(crate) fn current_contract(dealer: Compass, calls: &[Call]) -> Option<(Contract, Compass)> {
    let bids = || {
        calls.iter().enumerate().filter_map(|(at, call)| match call {
            Call::Bid(bid) => Some((at, *bid)),
            _ => None,
        })
    };
    let (at, bid) = bids().next_back()?;
    let doubling = calls[at..].iter().fold(Doubling::Undoubled, |doubling, call| match call {
        Call::Double => Doubling::Doubled,
        Call::Redouble => Doubling::Redoubled,
        _ => doubling,
    });
    let same = |(other, first): &(usize, Bid)| other % 2 == at % 2 && first.strain == bid.strain;
    let first = bids().find(same).map_or(at, |(first, _)| first);
    Some((Contract { bid, doubling }, dealer.after(first % 4)))
}
