//! Double-dummy bridge: four open hands, one suit or none is trump, and both sides play for tricks.
//! Deals have 1 to 13 cards per hand. Contains the position and its rules; the table (which decides
//! who wins a trick), texts, scores and file formats are in the submodules.
//!
//! Seats are north, east, south, west. North and south are side 0, east and west are side 1; a side
//! plays both of its hands.
//!
//! # Move texts
//! A card such as `SJ`: suit, then rank.
//!
//! # Position texts
//! The four hands in PBN without the cards of the unfinished trick; the strain; the leader of the
//! trick; and the trick or `-`. Optionally `won=3-2`, the tricks won by NS and EW, and `dd=7`, the
//! number of tricks of the whole deal that NS take when both sides play perfectly. With `dd` the
//! result is relative to it. No position depends on how its tricks were won.
//!
//! ```
//! use sandboard_games::{Rules, bridge::{Bridge, INFO}};
//!
//! let variant = INFO.variant("double-dummy-2").unwrap();
//! let deal = "N:A2... K3... Q4... J5... NT W -";
//! let mut game = Bridge::parse_position(&variant, deal).unwrap();
//! for card in ["SJ", "SA", "S3", "S4"] {
//! game.play(card).unwrap();
//! }
//! let mut text = String::new();
//! game.write_position(&mut text);
//! assert_eq!(text, "N:2... K... Q... 5... NT N - won=1-0");
//! ```

mod board;
mod cards;
mod contract;
mod deal;
mod diagram;
mod formats;
mod key;
mod notation;
mod par;
mod score;
mod table;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{Features, GameInfo, Sizes, Variant, VariantInfo};
use crate::messages;
use crate::rules::{MoveSet, Outcome, PositionError, Rules, Seat, Side};
pub use board::{TrickTable, Vulnerability, dealer_of_board};
pub(crate) use cards::rank_letter;
pub use cards::{ACE, Card, Cards, Compass, Strain, Suit, TWO, rank_from_letter};
pub(crate) use contract::{AuctionResult, auction_result};
pub use contract::{Bid, Call, Contract, Doubling};
pub use formats::{Board, read_lin, read_pbn, write_pbn};
use notation::{MAX_CARDS, PositionData};
pub use par::{Par, ParContract, par};
pub use score::score;
pub use table::Table;

/// The row of bridge in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "bridge",
    name: "Bridge",
    seats: 4,
    sides: &["NS", "EW"],
    features: Features::NONE,
    variants: &[VariantInfo {
        id: DOUBLE_DUMMY,
        about: "double dummy: four open hands of 1 to 13 cards, played for tricks",
        sizes: Some(Sizes::every(1, MAX_CARDS)),
        default_size: MAX_CARDS,
        setting: None,
        seats: None,
    }],
    move_texts: "a card: its suit S, H, D or C, then its rank A, K, Q, J, T, 9 to 2: SJ",
    adjudicates: false,
    deal: Some(deal_text),
    formats: &formats::FORMATS,
    new: &Game::<Bridge>::set_up,
    plugged_in: None,
};

const DOUBLE_DUMMY: &str = "double-dummy";

/// A position of bridge with all hands open.
///
/// # Equality
/// Two positions are equal if cards, strain, leader, tricks won and double-dummy value are equal.
/// The hash excludes the last two, because they do not affect the remaining tricks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    table: Table,
    won: [u8; 2],
    dd: Option<u8>,
    key: u64,
}

/// Takes back one card of [`Bridge`]: the state before it.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    table: Table,
    won: [u8; 2],
    key: u64,
}

impl Bridge {
    fn new(PositionData { table, won, dd }: PositionData) -> Bridge {
        Bridge { key: key::hash(&table), table, won, dd }
    }

    /// A deal before the first card, or the rest of a deal without its tricks won so far. `None` if
    /// there are no cards.
    pub(crate) fn from_table(table: Table) -> Option<Bridge> {
        (table.tricks_left() > 0).then(|| Self::new(PositionData { table, won: [0, 0], dd: None }))
    }

    /// The deal of a seed with `cards_each` cards per hand, limited to 1 to 13.
    pub fn from_seed(cards_each: u8, seed: u64) -> Bridge {
        let table = deal::deal(cards_each.clamp(1, MAX_CARDS), seed);
        Self::new(PositionData { table, won: [0, 0], dd: None })
    }

    /// The same position with a double-dummy value: the number of all tricks of the deal that NS
    /// take with perfect play of both sides. `None` if the deal has fewer tricks.
    pub fn with_dd(mut self, dd: u8) -> Option<Bridge> {
        self.dd = Some(dd);
        (dd <= self.size()).then_some(self)
    }

    /// Hands, strain, leader and unfinished trick.
    #[inline]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Tricks won by NS and EW.
    #[inline]
    pub fn tricks_won(&self) -> [u8; 2] {
        self.won
    }

    /// The number of all tricks of the deal that NS take with perfect play of both sides, if known.
    #[inline]
    pub(crate) fn dd(&self) -> Option<u8> {
        self.dd
    }

    /// Number of tricks of the deal, including those already won.
    #[inline]
    pub fn size(&self) -> u8 {
        self.table.tricks_left() as u8 + self.won[0] + self.won[1]
    }

    /// Whether all tricks have been played.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.table.tricks_left() == 0
    }

    /// The outcome if NS take `ns` of all tricks of the deal. `None` if that is impossible given
    /// the tricks already won.
    pub fn outcome_with_tricks(&self, ns: u8) -> Option<Outcome> {
        let ew = self.size().checked_sub(ns)?;
        let can_be = ns >= self.won[0] && ew >= self.won[1];
        can_be.then(|| self.outcome_for([ns, ew]))
    }

    fn final_outcome(&self) -> Outcome {
        self.outcome_for(self.won)
    }

    /// The outcome for these numbers of tricks of NS and EW.
    fn outcome_for(&self, won: [u8; 2]) -> Outcome {
        let [ns, ew] = won.map(i32::from);
        let reasons = match self.dd {
            Some(_) => {
                [messages::NS_BELOW_PERFECT, messages::NS_AS_PERFECT, messages::NS_ABOVE_PERFECT]
            }
            None => [messages::EW_MORE_TRICKS, messages::EQUAL_TRICKS, messages::NS_MORE_TRICKS],
        };
        let (winner, reason) = match self.lead_of_ns([ns, ew]).signum() {
            1 => (Some(Side(0)), reasons[2]),
            -1 => (Some(Side(1)), reasons[0]),
            _ => (None, reasons[1]),
        };
        Outcome { winner, reason, score: ns - ew }
    }

    /// What decides about the winner: the tricks that NS took beyond those of perfect play, or
    /// beyond those of EW if perfect play is not known.
    fn lead_of_ns(&self, [ns, ew]: [i32; 2]) -> i32 {
        ns - self.dd.map_or(ew, i32::from)
    }

    /// Why a card cannot be played here.
    fn refusal_reason(&self, card: Card) -> String {
        let mover = self.table.to_move();
        if self.table.hand(mover).contains(card) {
            let led = self.table.suit_led().map_or("", Suit::name);
            return messages::must_follow_suit(mover.name(), led);
        }
        let holds = |of: &Compass| self.table.hand(*of).contains(card);
        match Compass::ALL.into_iter().find(holds) {
            Some(of) => messages::card_of_other(mover.name(), card, of.name()),
            None => messages::card_in_no_hand(card),
        }
    }
}

/// The position text of the deal with this seed.
fn deal_text(variant: &Variant, seed: u64) -> String {
    let mut text = String::new();
    Bridge::from_seed(variant.size.unwrap_or(MAX_CARDS), seed).write_position(&mut text);
    text
}

impl Rules for Bridge {
    type Move = Card;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    /// The deal of seed 0.
    fn start(variant: &Variant) -> Self {
        Self::from_seed(variant.size.unwrap_or(MAX_CARDS), 0)
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        notation::read_position(text, variant.size).map(Self::new)
    }

    fn write_position(&self, out: &mut String) {
        let data = PositionData { table: self.table, won: self.won, dd: self.dd };
        notation::write_position(&data, out);
    }

    fn variant(&self) -> Variant {
        Variant { id: DOUBLE_DUMMY, size: Some(self.size()), setting: None }
    }

    #[inline]
    fn to_move(&self) -> Seat {
        Seat(self.table.to_move() as u8)
    }

    /// Noisy moves are all cards of an unfinished trick: the tricks of a side can be estimated only
    /// between tricks.
    #[inline]
    fn generate(&self, set: MoveSet, out: &mut Vec<Card>) {
        if set == MoveSet::All || self.table.suit_led().is_some() {
            out.extend(self.table.legal().iter());
        }
    }

    fn parse_move(&self, text: &str) -> Result<Card, String> {
        if self.is_over() {
            return Err(messages::game_is_over(messages::ALL_TRICKS));
        }
        let card = notation::read_card(text)?;
        match self.table.legal().contains(card) {
            true => Ok(card),
            false => Err(self.refusal_reason(card)),
        }
    }

    fn write_move(&self, card: Card, out: &mut String) {
        // Avoids the formatter: engines write principal variations often.
        out.push(card.suit().letter());
        out.push(rank_letter(card.rank()));
    }

    #[inline]
    fn make(&mut self, card: Card) -> Undo {
        debug_assert!(self.table.legal().contains(card), "{card} in {self:?}");
        let undo = Undo { table: self.table, won: self.won, key: self.key };
        self.key ^= key::in_hand(self.table.to_move(), card);
        match self.table.play(card) {
            None => self.key ^= key::in_trick(self.table.trick().count() - 1, card),
            Some(winner) => {
                for (place, card) in undo.table.trick().enumerate() {
                    self.key ^= key::in_trick(place, card);
                }
                self.key ^= key::leader(undo.table.leader()) ^ key::leader(winner);
                self.won[winner.side()] += 1;
            }
        }
        undo
    }

    #[inline]
    fn unmake(&mut self, undo: Undo) {
        (self.table, self.won, self.key) = (undo.table, undo.won, undo.key);
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.is_over() { Some(self.final_outcome()) } else { None }
    }

    fn side_scores(&self, outcome: &Outcome) -> [i32; 2] {
        // All tricks, and how many more of them NS took: this gives the tricks of both sides.
        let (size, difference) = (i32::from(self.size()), outcome.score);
        let lead = self.lead_of_ns([(size + difference) / 2, (size - difference) / 2]);
        [lead, -lead]
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.key
    }

    fn write_diagram(&self, last: Option<Card>, out: &mut String) {
        diagram::write_diagram(self, last, out);
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        diagram::facts(self)
    }
}
