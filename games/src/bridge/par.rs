//! Par: the result when both sides see all hands, in the auction too.
//!
//! The auction is a game of perfect information over the 35 bids. A side declares each bid by its
//! better declarer. The other side doubles a bid that fails, and does not double one that makes. A
//! side that holds a bid scores it, unless the other side does better with a higher bid, for which
//! the same holds. Before the first bid each player in turn, from the dealer, may open or pass; if
//! all pass, the score is 0. The value follows by backward induction from seven no trump.
//!
//! # Which contracts are listed
//! A contract is listed if it scores par and the other side has no higher bid that would score more
//! as the last one. Of one side's contracts in one strain only the lowest is listed, with the
//! highest level that does as well. So one spade is not listed where two spades score the same and
//! the opponents could be pushed out of one no trump in between. Contracts that fail (sacrifices)
//! are doubled. If both partners take the same number of tricks, the contract belongs to the side
//! (`NS`, `EW`), otherwise to the better declarer (`N`). A deal that all players pass lists none.
//! DDS lists the same contracts in a different notation (B. Haglund and S. Hein, dds-bridge).

use std::fmt;

use super::board::{TrickTable, Vulnerability};
use super::cards::{Compass, Strain};
use super::contract::{Bid, Contract, Doubling};
use super::score::score;
use crate::rules::Side;

/// The par of a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Par {
    /// Par score of North-South.
    pub score_ns: i32,
    /// The contracts that score par, first those of NS, each side from the lowest.
    pub contracts: Vec<ParContract>,
}

/// A contract that scores par.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParContract {
    /// The contract at the lowest sufficient level.
    pub contract: Contract,
    /// The highest level that scores the same, with fewer overtricks.
    pub highest_level: u8,
    /// The declaring side.
    pub side: Side,
    /// The only possible declarer; `None` if either partner can declare.
    pub declarer: Option<Compass>,
    /// Number of tricks that the declarer takes.
    pub tricks: u8,
}

impl ParContract {
    /// Tricks above the contract; negative if it fails.
    pub fn overtricks(&self) -> i8 {
        self.tricks as i8 - self.contract.bid.tricks() as i8
    }

    /// `NS`, `EW`, or the letter of the only declarer.
    pub fn declarers(&self) -> &'static str {
        match (self.declarer, self.side) {
            (Some(Compass::North), _) => "N",
            (Some(Compass::East), _) => "E",
            (Some(Compass::South), _) => "S",
            (Some(Compass::West), _) => "W",
            (None, Side(0)) => "NS",
            (None, _) => "EW",
        }
    }
}

/// Formats as `4S-NS=`, `2S-EW+1`, `2NTx-E-1`.
impl fmt::Display for ParContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doubled = self.contract.doubling.text().to_lowercase();
        write!(f, "{}{doubled}-{}", self.contract.bid, self.declarers())?;
        match self.overtricks() {
            0 => f.write_str("="),
            tricks => write!(f, "{tricks:+}"),
        }
    }
}

/// The par of a deal with this table of tricks.
///
/// The dealer matters only if both sides can make the same last bid. Par with one side opening the
/// auction equals par with a dealer of that side.
pub fn par(table: &TrickTable, vulnerability: Vulnerability, dealer: Compass) -> Par {
    let auction = Auction::new(table, vulnerability);
    let score_ns = auction.value(dealer);
    Par { score_ns, contracts: auction.contracts(score_ns) }
}

/// A side's better declarer in a strain.
#[derive(Clone, Copy)]
struct BestDeclarer {
    declarer: Option<Compass>,
    tricks: u8,
}

/// The value of every bid of either side, from North-South's view.
struct Auction {
    best: [[BestDeclarer; 5]; 2],
    /// Value as the last bid.
    scores: [[i32; Bid::COUNT]; 2],
    /// Value if the other side may bid on.
    values: [[i32; Bid::COUNT]; 2],
}

/// The better of two scores for a side.
fn better(side: usize, one: i32, other: i32) -> i32 {
    if side == 0 { one.max(other) } else { one.min(other) }
}

fn best(table: &TrickTable, side: usize, strain: Strain) -> BestDeclarer {
    let [one, other] = [side, side + 2].map(|seat| Compass::ALL[seat]);
    let [first, second] = [one, other].map(|declarer| table.get(declarer, strain));
    let declarer = match first.cmp(&second) {
        std::cmp::Ordering::Greater => Some(one),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some(other),
    };
    BestDeclarer { declarer, tricks: first.max(second) }
}

fn contract(bid: Bid, tricks: u8) -> Contract {
    let made = tricks >= bid.tricks();
    Contract { bid, doubling: if made { Doubling::Undoubled } else { Doubling::Doubled } }
}

impl Auction {
    fn new(table: &TrickTable, vulnerability: Vulnerability) -> Auction {
        let best = [0, 1].map(|side| Strain::ALL.map(|strain| best(table, side, strain)));
        let mut scores = [[0; Bid::COUNT]; 2];
        for (side, scores) in scores.iter_mut().enumerate() {
            for bid in Bid::all() {
                let tricks = best[side][bid.strain().index()].tricks;
                let own = score(contract(bid, tricks), tricks, vulnerability.of_side(side));
                scores[bid.index()] = if side == 0 { own } else { -own };
            }
        }
        let mut values = scores;
        for at in (0..Bid::COUNT).rev() {
            for side in [0, 1] {
                let other = 1 - side;
                let higher = values[other][at + 1..].iter();
                values[side][at] =
                    higher.fold(scores[side][at], |value, over| better(other, value, *over));
            }
        }
        Auction { best, scores, values }
    }

    /// The value of the auction.
    fn value(&self, dealer: Compass) -> i32 {
        let turns = (0..4).rev().map(|place| dealer.after(place).side());
        turns.fold(0, |value, side| {
            self.values[side].iter().fold(value, |value, opening| better(side, value, *opening))
        })
    }

    /// Whether the other side has a higher bid that scores better for it than par as the last bid.
    fn can_be_outbid(&self, side: usize, at: usize, par: i32) -> bool {
        let other = 1 - side;
        self.scores[other][at + 1..].iter().any(|score| better(other, *score, par) != par)
    }

    fn contracts(&self, par: i32) -> Vec<ParContract> {
        let mut contracts: Vec<ParContract> = Vec::new();
        for side in [0, 1] {
            for bid in Bid::all() {
                let at = bid.index();
                if self.scores[side][at] != par || self.can_be_outbid(side, at, par) {
                    continue;
                }
                let is_same = |it: &&mut ParContract| {
                    usize::from(it.side.0) == side && it.contract.bid.strain() == bid.strain()
                };
                if let Some(lower) = contracts.iter_mut().find(is_same) {
                    lower.highest_level = bid.level();
                    continue;
                }
                let BestDeclarer { declarer, tricks } = self.best[side][bid.strain().index()];
                contracts.push(ParContract {
                    contract: contract(bid, tricks),
                    highest_level: bid.level(),
                    side: Side(side as u8),
                    declarer,
                    tricks,
                });
            }
        }
        contracts
    }
}
