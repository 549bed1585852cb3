//! The words of an auction: bids, calls, contracts. Knows neither scores nor who may call.

use std::fmt;

use super::cards::{Compass, Strain};

/// A bid: so many tricks above six, and what is to be trump.
///
/// # Order
/// As in an auction: by level, then clubs, diamonds, hearts, spades, no trump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bid {
    level: u8,
    strain: Strain,
}

impl Bid {
    /// How many there are.
    pub const COUNT: usize = 35;

    /// A bid on a level from 1 to 7.
    pub fn new(level: u8, strain: Strain) -> Option<Bid> {
        (1..=7).contains(&level).then_some(Bid { level, strain })
    }

    /// Tricks above six: 1 to 7.
    pub const fn level(self) -> u8 {
        self.level
    }

    /// What is to be trump.
    pub const fn strain(self) -> Strain {
        self.strain
    }

    /// How many tricks make it.
    pub const fn tricks(self) -> u8 {
        6 + self.level
    }

    /// Its place among all bids, 0 for one club to 34 for seven no trump.
    pub const fn index(self) -> usize {
        let strain = match self.strain {
            Strain::Trump(suit) => 3 - suit.index(),
            Strain::NoTrump => 4,
        };
        (self.level as usize - 1) * 5 + strain
    }

    /// Every bid, from the lowest.
    pub fn all() -> impl Iterator<Item = Bid> {
        let [spades, hearts, diamonds, clubs, none] = Strain::ALL;
        let strains = [clubs, diamonds, hearts, spades, none];
        (1..=7).flat_map(move |level| strains.map(|strain| Bid { level, strain }))
    }

    /// The bid of a text such as `4H`, `3NT`, `1N`, letters of either case.
    pub fn of_text(text: &str) -> Option<Bid> {
        let mut rest = text.chars();
        let level = rest.next()?.to_digit(10)?;
        Bid::new(level as u8, Strain::of_text(rest.as_str())?)
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
    /// It is not.
    #[default]
    Undoubled,
    /// It is.
    Doubled,
    /// And redoubled.
    Redoubled,
}

impl Doubling {
    /// Nothing, `X` or `XX`.
    pub const fn text(self) -> &'static str {
        match self {
            Doubling::Undoubled => "",
            Doubling::Doubled => "X",
            Doubling::Redoubled => "XX",
        }
    }
}

/// What an auction came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// The last bid.
    pub bid: Bid,
    /// Whether it is doubled.
    pub doubling: Doubling,
}

impl Contract {
    /// The contract of a text such as `4HX`, `3NT`, `1NXX`, letters of either case.
    pub fn of_text(text: &str) -> Option<Contract> {
        let bid = text.trim_end_matches(['x', 'X']);
        let doubling = match text.len() - bid.len() {
            0 => Doubling::Undoubled,
            1 => Doubling::Doubled,
            2 => Doubling::Redoubled,
            _ => return None,
        };
        Some(Contract { bid: Bid::of_text(bid)?, doubling })
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.bid, self.doubling.text())
    }
}

/// What somebody says in an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// Pass.
    Pass,
    /// Double.
    Double,
    /// Redouble.
    Redouble,
    /// A bid.
    Bid(Bid),
}

impl fmt::Display for Call {
    /// As in PBN: `Pass`, `X`, `XX`, `4H`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Pass => f.write_str("Pass"),
            Call::Double => f.write_str("X"),
            Call::Redouble => f.write_str("XX"),
            Call::Bid(bid) => bid.fmt(f),
        }
    }
}

/// How an auction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Nobody bid.
    PassedOut,
    /// With a contract and its declarer.
    Contract(Contract, Compass),
}

/// How an auction that this dealer began has ended, judged by its calls alone: doubles count
/// for the last bid, and of the side that made it, who named the strain first declares. None:
/// it goes on, or there was none.
pub fn ending(dealer: Compass, calls: &[Call]) -> Option<Ending> {
    let passes = calls.iter().rev().take_while(|call| **call == Call::Pass).count();
    match last_bid(dealer, calls) {
        Some((contract, declarer)) if passes >= 3 => Some(Ending::Contract(contract, declarer)),
        None if passes >= 4 => Some(Ending::PassedOut),
        _ => None,
    }
}

/// The contract that the auction has come to so far, and who would declare it.
pub fn last_bid(dealer: Compass, calls: &[Call]) -> Option<(Contract, Compass)> {
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
