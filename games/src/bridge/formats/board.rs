//! A board as files tell of it: a value that any reader of bridge files makes and any
//! writer takes. Judges no card.

use super::super::cards::{Card, Cards, Compass, Strain};
use super::super::contract::{Call, Contract};
use super::super::table::Table;
use super::super::{TrickTable, Vulnerability};

/// A deal and what was made of it. Everything but the hands may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: Option<u32>,
    /// What it was part of.
    pub event: Option<String>,
    /// Who sat where, by [`Compass::index`].
    pub names: [Option<String>; 4],
    /// Who dealt.
    pub dealer: Option<Compass>,
    /// Who was vulnerable.
    pub vulnerability: Option<Vulnerability>,
    /// The hands, by [`Compass::index`]: of as many cards each, and at least one.
    pub hands: [Cards; 4],
    /// The calls from the dealer on.
    pub auction: Vec<Call>,
    /// Everybody passed, and there is nothing to play.
    pub passed_out: bool,
    /// The contract.
    pub contract: Option<Contract>,
    /// What it was played in, where no contract is known.
    pub denomination: Option<Strain>,
    /// Who declared.
    pub declarer: Option<Compass>,
    /// The cards in the order in which they were played, as far as that is told.
    pub play: Vec<Card>,
    /// How many tricks the declarer took or was given, as it is told.
    pub result: Option<u8>,
    /// What each declarer takes double dummy, as it is told.
    pub table: Option<TrickTable>,
}

impl Board {
    /// What was trump: that of the contract, or else the denomination.
    pub fn strain(&self) -> Option<Strain> {
        self.contract.map(|contract| contract.bid.strain()).or(self.denomination)
    }

    /// How many cards a hand has.
    pub fn cards_each(&self) -> u8 {
        self.hands[0].len() as u8
    }

    /// The table before the opening lead. None: strain or declarer is not known.
    pub fn opening(&self) -> Option<Table> {
        Table::new(self.hands, self.strain()?, self.declarer?.after(1))
    }
}

/// Four hands made whole: one that is not told is what the other three of thirteen cards
/// leave. Err: these are no hands of a deal, and why.
pub(super) fn whole(hands: [Option<Cards>; 4]) -> Result<[Cards; 4], String> {
    let mut all = Cards::NONE;
    for (hand, of) in hands.into_iter().zip(Compass::ALL) {
        let Some(hand) = hand else { continue };
        let twice = Cards::of_bits(all.bits() & hand.bits()).iter().next();
        if let Some(card) = twice {
            return Err(format!("{card} is {}'s and another hand's, too", of.name()));
        }
        all = all.union(hand);
    }
    let untold: Vec<Compass> =
        Compass::ALL.into_iter().filter(|of| hands[of.index()].is_none()).collect();
    let rest = Cards::PACK.minus(all);
    let whole = match untold[..] {
        [] => hands.map(Option::unwrap_or_default),
        [_] if rest.len() == 13 => hands.map(|hand| hand.unwrap_or(rest)),
        [of] => {
            let reason =
                format!("{}'s hand is not told, and the others have not 39 cards", of.name());
            return Err(reason);
        }
        _ => return Err(format!("{} hands are not told", untold.len())),
    };
    let [north, east, south, west] = whole.map(Cards::len);
    match [east, south, west].iter().all(|count| *count == north) {
        true if north == 0 => Err("nobody has a card".to_owned()),
        true => Ok(whole),
        false => Err(format!(
            "the hands have {north}, {east}, {south} and {west} cards, and not all as many"
        )),
    }
}

/// A board with the places in its file.
#[derive(Debug)]
pub(super) struct Placed {
    pub board: Board,
    /// The line where it begins.
    pub line: usize,
    /// The line of each card of the play.
    pub lines: Vec<usize>,
}
