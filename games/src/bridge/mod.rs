//! Bridge, double dummy: four hands lie open, a suit or none is trump, and both sides play
//! for tricks. Deals of 1 to 13 cards a hand. Here are the position and its rules; the table
//! that decides who wins a trick, texts, scores and file formats are in the files beside.
//!
//! Seats are north, east, south, west; north and south are side 0, east and west side 1,
//! and a side plays both of its hands. Move texts are cards, `SJ`: suit, then rank.
//!
//! Position texts are the four hands in PBN, the cards of the unfinished trick gone from
//! them, then the strain, who led to the trick or is to, and the trick or `-`; and as far as
//! there is something to say, `won=3-2`, the tricks that NS and EW have won, and `dd=7`, the
//! number of tricks of the whole deal that NS take when both sides play perfectly, against
//! which the game is then judged. No position depends on how its tricks were won.
//!
//! ```
//! use sandboard_games::{Rules, bridge::{Bridge, INFO}};
//!
//! let variant = INFO.variant("double-dummy-2").unwrap();
//! let deal = "N:A2... K3... Q4... J5... NT W -";
//! let mut game = Bridge::parse_position(&variant, deal).unwrap();
//! for card in ["SJ", "SA", "S3", "S4"] {
//!     game.play(card).unwrap();
//! }
//! let mut text = String::new();
//! game.write_position(&mut text);
//! assert_eq!(text, "N:2... K... Q... 5... NT N - won=1-0");
//! ```

mod board;
mod cards;
mod contract;
mod deal;
mod formats;
mod key;
mod notation;
mod par;
mod picture;
mod score;
mod table;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{GameInfo, Sizes, Variant, VariantInfo};
use crate::rules::{Generate, Outcome, PositionError, Rules, Seat, Side};
pub use board::{TrickTable, Vulnerability, dealer_of_board};
pub use cards::{ACE, Card, Cards, Compass, Strain, Suit, TWO, rank_letter, rank_of_letter};
pub use contract::{Bid, Call, Contract, Doubling, Ending, ending, last_bid};
pub use formats::{Board, read_lin, read_pbn, write_pbn};
use notation::{MOST_CARDS, Told};
pub use par::{Par, ParContract, par};
pub use score::score;
pub use table::Table;

/// The row of bridge in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "bridge",
    name: "Bridge",
    seats: 4,
    sides: ["NS", "EW"],
    variants: &[VariantInfo {
        id: DOUBLE_DUMMY,
        about: "double dummy: four open hands of 1 to 13 cards are played for tricks",
        sizes: Some(Sizes::every(1, MOST_CARDS)),
        usual_size: MOST_CARDS,
        setting: None,
    }],
    move_texts: "a card: its suit S, H, D or C, then its rank A, K, Q, J, T, 9 to 2: SJ",
    adjudicates: false,
    deal: Some(deal_text),
    formats: &formats::FORMATS,
    new: Game::<Bridge>::set_up,
};

const DOUBLE_DUMMY: &str = "double-dummy";

/// A position of bridge with all hands open.
///
/// # Equality
/// Equal are positions with the same cards in the same places, the same strain and leader,
/// as many tricks won by each side and the same double-dummy value. The hash leaves the last
/// two out: they change nothing of what is still to be won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    table: Table,
    won: [u8; 2],
    dd: Option<u8>,
    key: u64,
}

/// What takes back a card of [`Bridge`]: the table before it.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    table: Table,
    won: [u8; 2],
    key: u64,
}

impl Bridge {
    fn new(Told { table, won, dd }: Told) -> Bridge {
        Bridge { key: key::of(&table), table, won, dd }
    }

    /// A deal of which no card has been played, or from the middle of which nothing counts
    /// that was won. None: there is no card.
    pub fn from_table(table: Table) -> Option<Bridge> {
        (table.tricks_left() > 0).then(|| Self::new(Told { table, won: [0, 0], dd: None }))
    }

    /// The deal of a seed with so many cards in a hand, 1 to 13.
    pub fn dealt(cards_each: u8, seed: u64) -> Bridge {
        let table = deal::deal(cards_each.clamp(1, MOST_CARDS), seed);
        Self::new(Told { table, won: [0, 0], dd: None })
    }

    /// The same with this double-dummy value: how many of all tricks of the deal NS take when
    /// both sides play perfectly. None: the deal has not so many.
    pub fn with_dd(mut self, dd: u8) -> Option<Bridge> {
        self.dd = Some(dd);
        (dd <= self.size()).then_some(self)
    }

    /// Hands, strain, leader and unfinished trick.
    #[inline]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How many tricks NS and EW have won.
    #[inline]
    pub fn tricks_won(&self) -> [u8; 2] {
        self.won
    }

    /// How many of all tricks of the deal NS take when both sides play perfectly, where it
    /// was said.
    #[inline]
    pub fn dd(&self) -> Option<u8> {
        self.dd
    }

    /// How many tricks the deal has, those that are over included.
    #[inline]
    pub fn size(&self) -> u8 {
        self.table.tricks_left() as u8 + self.won[0] + self.won[1]
    }

    /// Whether all tricks are over.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.table.tricks_left() == 0
    }

    /// How it ends when NS take so many of all tricks of the deal. None: they cannot, for it
    /// has not so many, or too many are over.
    pub fn ended_with(&self, ns: u8) -> Option<Outcome> {
        let ew = self.size().checked_sub(ns)?;
        let can_be = ns >= self.won[0] && ew >= self.won[1];
        can_be.then(|| self.ended([ns, ew]))
    }

    fn finished(&self) -> Outcome {
        self.ended(self.won)
    }

    /// How it ends when the sides have won so many tricks.
    fn ended(&self, won: [u8; 2]) -> Outcome {
        let [ns, ew] = won.map(i32::from);
        let (lead, reasons) = match self.dd {
            Some(dd) => (
                ns - i32::from(dd),
                [
                    "EW kept NS below what perfect play gives them",
                    "both sides took what perfect play gives them",
                    "NS took more than perfect play gives them",
                ],
            ),
            None => (
                ns - ew,
                ["EW took more tricks", "both sides took as many tricks", "NS took more tricks"],
            ),
        };
        let (winner, reason) = match lead.signum() {
            1 => (Some(Side(0)), reasons[2]),
            -1 => (Some(Side(1)), reasons[0]),
            _ => (None, reasons[1]),
        };
        Outcome { winner, reason, score: ns - ew }
    }

    /// Why a card cannot be played here.
    fn why_not(&self, card: Card) -> String {
        let mover = self.table.to_move();
        if self.table.hand(mover).contains(card) {
            let led = self.table.suit_led().map_or("", Suit::name);
            return format!("{} has {led} and must follow suit", mover.name());
        }
        let holds = |of: &Compass| self.table.hand(*of).contains(card);
        match Compass::ALL.into_iter().find(holds) {
            Some(of) => format!("{} plays, and {card} is {}'s", mover.name(), of.name()),
            None => format!("{} plays and has no {card}, nor has anybody", mover.name()),
        }
    }
}

/// The position text of the deal with this seed.
fn deal_text(variant: &Variant, seed: u64) -> String {
    let mut text = String::new();
    Bridge::dealt(variant.size.unwrap_or(MOST_CARDS), seed).write_position(&mut text);
    text
}

impl Rules for Bridge {
    type Move = Card;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    /// The deal of seed 0.
    fn start(variant: &Variant) -> Self {
        Self::dealt(variant.size.unwrap_or(MOST_CARDS), 0)
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        notation::read_position(text, variant.size).map(Self::new)
    }

    fn write_position(&self, out: &mut String) {
        let told = Told { table: self.table, won: self.won, dd: self.dd };
        notation::write_position(&told, out);
    }

    fn variant(&self) -> Variant {
        Variant { id: DOUBLE_DUMMY, size: Some(self.size()), setting: None }
    }

    #[inline]
    fn to_move(&self) -> Seat {
        Seat(self.table.to_move() as u8)
    }

    /// Noisy are all cards while a trick is unfinished: how many tricks a side will have can
    /// be estimated only between tricks.
    #[inline]
    fn generate(&self, what: Generate, out: &mut Vec<Card>) {
        if what == Generate::All || self.table.suit_led().is_some() {
            out.extend(self.table.legal().iter());
        }
    }

    fn parse_move(&self, text: &str) -> Result<Card, String> {
        if self.is_over() {
            return Err("the game is over: all tricks are played".to_owned());
        }
        let card = notation::read_card(text)?;
        match self.table.legal().contains(card) {
            true => Ok(card),
            false => Err(self.why_not(card)),
        }
    }

    fn write_move(&self, card: Card, out: &mut String) {
        // Formatting costs; engines write principal variations often.
        out.push(card.suit().letter());
        out.push(rank_letter(card.rank()));
    }

    #[inline]
    fn make(&mut self, card: Card) -> Undo {
        debug_assert!(self.table.legal().contains(card), "{card} in {self:?}");
        let undo = Undo { table: self.table, won: self.won, key: self.key };
        self.key ^= key::held(self.table.to_move(), card);
        match self.table.play(card) {
            None => self.key ^= key::laid(self.table.trick().count() - 1, card),
            Some(winner) => {
                for (place, card) in undo.table.trick().enumerate() {
                    self.key ^= key::laid(place, card);
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
        if self.is_over() { Some(self.finished()) } else { None }
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.key
    }

    fn write_board(&self, last: Option<Card>, out: &mut String) {
        picture::write_board(self, last, out);
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        picture::facts(self)
    }
}
