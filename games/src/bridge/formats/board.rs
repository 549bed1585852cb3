//! The data of a board in a file, shared by all readers and writers. Does not check cards.

use super::super::cards::{Card, Cards, Compass, Strain};
use super::super::contract::{Call, Contract};
use super::super::table::Table;
use super::super::{TrickTable, Vulnerability};

/// A deal with its auction, play and result. Everything but the hands may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Number of the board.
    pub number: Option<u32>,
    /// Event or tournament.
    pub event: Option<String>,
    /// Player names, by [`Compass::index`].
    pub names: [Option<String>; 4],
    /// Dealer of the board.
    pub dealer: Option<Compass>,
    /// The vulnerable sides.
    pub vulnerability: Option<Vulnerability>,
    /// The hands, by [`Compass::index`]: equal in size and not empty.
    pub hands: [Cards; 4],
    /// The calls, from the dealer.
    pub auction: Vec<Call>,
    /// Whether all players passed, so that there is no play.
    pub passed_out: bool,
    /// The final contract.
    pub contract: Option<Contract>,
    /// The strain, if no contract is known.
    pub denomination: Option<Strain>,
    /// The declaring seat.
    pub declarer: Option<Compass>,
    /// The known cards in order of play.
    pub play: Vec<Card>,
    /// Tricks of the declarer as recorded.
    pub result: Option<u8>,
    /// Double-dummy tricks as recorded.
    pub table: Option<TrickTable>,
}

impl Board {
    /// The strain: that of the contract, or else the denomination.
    pub fn strain(&self) -> Option<Strain> {
        self.contract.map(|contract| contract.bid.strain()).or(self.denomination)
    }

    /// Number of cards per hand.
    pub(crate) fn cards_each(&self) -> u8 {
        self.hands[0].len() as u8
    }

    /// The table before the opening lead. `None` if strain or declarer is unknown.
    pub fn opening(&self) -> Option<Table> {
        Table::new(self.hands, self.strain()?, self.declarer?.after(1))
    }
}

/// Completes four hands: a missing one gets the remaining 13 cards of the pack. The error tells why
/// the hands are not a deal.
pub(super) fn complete_hands(hands: [Option<Cards>; 4]) -> Result<[Cards; 4], String> {
    let mut all = Cards::NONE;
    for (hand, of) in hands.into_iter().zip(Compass::ALL) {
        let Some(hand) = hand else { continue };
        let twice = Cards::from_bits(all.bits() & hand.bits()).iter().next();
        if let Some(card) = twice {
            return Err(format!("{card} is in {}'s hand and in another", of.name()));
        }
        all = all.union(hand);
    }
    let missing: Vec<Compass> =
        Compass::ALL.into_iter().filter(|of| hands[of.index()].is_none()).collect();
    let rest = Cards::PACK.minus(all);
    let complete_hands = match missing[..] {
        [] => hands.map(Option::unwrap_or_default),
        [_] if rest.len() == 13 => hands.map(|hand| hand.unwrap_or(rest)),
        [of] => {
            let reason =
                format!("{}'s hand is missing, and the others do not have 39 cards", of.name());
            return Err(reason);
        }
        _ => return Err(format!("{} hands are missing", missing.len())),
    };
    let [north, east, south, west] = complete_hands.map(Cards::len);
    match [east, south, west].iter().all(|count| *count == north) {
        true if north == 0 => Err("the hands are empty".to_owned()),
        true => Ok(complete_hands),
        false => Err(format!(
            "the hands have {north}, {east}, {south} and {west} cards; all must have the same number"
        )),
    }
}

/// A board with its locations in the file.
#[derive(Debug)]
pub(super) struct LocatedBoard {
    pub board: Board,
    /// First line of the board.
    pub line: usize,
    /// The line of each card of the play.
    pub lines: Vec<usize>,
}
