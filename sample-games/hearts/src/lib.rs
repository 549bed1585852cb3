//! Hearts: four players take tricks and avoid points. Each heart taken is one point, the queen of
//! spades 13. The rules are those of the standard American game (Pagat, "Hearts",
//! <https://www.pagat.com/reverse/hearts.html>), for one hand:
//!
//! - Each seat passes three cards, at the same time as the others: to the left, to the right or
//!   across, by the variant. It chooses them one after the other and gets its new cards after the
//!   third.
//! - The two of clubs leads the first trick. A seat that can must follow the suit led; the highest
//!   card of this suit wins the trick and leads the next one.
//! - In the first trick no heart and no queen of spades is played, and no heart is led before one
//!   has been played, unless the seat has no other card. The queen of spades breaks no hearts.
//! - A seat that takes all 26 points has none, and each other seat has 26.
//!
//! A score is minus the points of a seat, 0 to -26.
//!
//! The seats are south, west, north and east; the seat to the left is the next one. Chance deals
//! one card at a time, to the seats in turn, so that all deals are equally likely. A move, and a
//! deal, is a card: suit and rank, as `SQ` or `HT`. A position text has six parts with `:` between:
//! the dealt hands of the four seats in PBN (spades, hearts, diamonds, clubs, as `AQ.T52.K.J93`),
//! the passed cards of the four seats with `,` between, and the play. The play begins, once the
//! pass is complete, with the seat that leads the first trick, as `w` for west; all cards played
//! follow. A seat sees `?13` for 13 cards of another, and `?` for a passed card that it does not
//! know.
#![forbid(unsafe_code)]

mod board;
mod direction;
mod table;
mod text;

use sandboard_game_sdk::games::board::Board;
use sandboard_game_sdk::games::bridge::{Card, Cards};
use sandboard_game_sdk::games::general::{Actor, GeneralRules, Next, Observer, SeatSet};
use sandboard_game_sdk::games::{
    Ending, Features, GameInfo, Phase, PositionError, Seat, Variant, VariantInfo,
};

use direction::Direction;
use table::{HAND, SEATS, Table};

/// The number of cards that each seat passes.
const PASSED: usize = 3;
/// The number of cards in the pack.
const PACK: usize = SEATS * HAND;

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo::of_general::<Hearts>(
    "hearts",
    "Hearts",
    &["south", "west", "north", "east"],
    Features { chance: true, hidden_information: true, simultaneous: true },
    &[
        VariantInfo::of_one_size("pass-left", "one hand; each seat passes three cards to the left"),
        VariantInfo::of_one_size(
            "pass-right",
            "one hand; each seat passes three cards to the right",
        ),
        VariantInfo::of_one_size(
            "pass-across",
            "one hand; each seat passes three cards across the table",
        ),
        VariantInfo::of_one_size("no-pass", "one hand; no cards are passed"),
    ],
    "a card: suit and rank, such as SQ or HT",
);

/// A position: what was dealt, passed and played. Everything else follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hearts {
    direction: Direction,
    dealt: [Cards; SEATS],
    /// The cards that each seat has chosen to pass, in the order of its choices.
    passed: [Vec<Card>; SEATS],
    played: Vec<Card>,
}

impl Hearts {
    fn of_direction(direction: Direction) -> Self {
        let (dealt, passed) = ([Cards::NONE; SEATS], Default::default());
        Self { direction, dealt, passed, played: Vec::new() }
    }

    /// The number of cards dealt so far.
    fn count_dealt(&self) -> usize {
        self.dealt.iter().map(|hand| hand.len() as usize).sum()
    }

    /// The number of cards that every seat has chosen to pass. What is chosen in a step that is not
    /// complete does not count, and no observer sees it.
    fn rounds(&self) -> usize {
        self.passed.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The number of cards that each seat passes in this variant.
    fn passes(&self) -> usize {
        if self.direction == Direction::Nowhere { 0 } else { PASSED }
    }

    fn passing_is_over(&self) -> bool {
        self.rounds() == self.passes()
    }

    /// The cards that a seat has given away, as far as the steps are complete.
    fn given(&self, seat: usize) -> Cards {
        self.passed[seat].iter().take(self.rounds()).copied().collect()
    }

    /// The cards of each seat before the first trick. What a seat has chosen to pass is not among
    /// them, and what it gets is, once all have passed.
    fn hands(&self) -> [Cards; SEATS] {
        let mut hands: [Cards; SEATS] =
            std::array::from_fn(|seat| self.dealt[seat].minus(self.given(seat)));
        if self.passing_is_over() {
            for seat in 0..SEATS {
                let receiver = self.direction.receiver(seat);
                hands[receiver] = hands[receiver].union(self.given(seat));
            }
        }
        hands
    }

    /// The play so far; before the end of the pass there is none.
    fn table(&self) -> Option<Table> {
        let dealt = self.count_dealt() == PACK;
        (dealt && self.passing_is_over()).then(|| {
            let mut table = Table::new(self.hands());
            self.played.iter().for_each(|card| table.play(*card));
            table
        })
    }

    /// The seat that has the two of clubs and leads the first trick, once the pass is complete. All
    /// see it, because it is to move.
    fn first_leader(&self) -> Option<usize> {
        self.table().map(|_| Table::new(self.hands()).trick.leader)
    }

    /// The legal cards of a seat.
    fn legal(&self, seat: usize) -> Cards {
        match self.table() {
            _ if !self.next().has_seat(Seat(seat as u8)) => Cards::NONE,
            Some(table) => table.legal(),
            None => self.hands()[seat],
        }
    }

    /// The seat that gets the next card of the deal.
    fn next_dealt(&self) -> usize {
        self.count_dealt() % SEATS
    }

    /// Whether an observer sees the cards that a seat was dealt.
    fn sees_hand(observer: Observer, seat: usize) -> bool {
        match observer {
            Observer::Everything => true,
            Observer::Seat(own) => usize::from(own.0) == seat,
            Observer::Spectator => false,
        }
    }

    /// Whether an observer sees the cards that a seat has passed: its own, and those it has got.
    fn sees_passed(&self, observer: Observer, seat: usize) -> bool {
        let got =
            || self.passing_is_over() && Self::sees_hand(observer, self.direction.receiver(seat));
        Self::sees_hand(observer, seat) || got()
    }

    /// Why a card is not legal for a seat; none: it is.
    fn refusal(&self, seat: usize, card: Card) -> Option<&'static str> {
        match self.table() {
            _ if !self.next().has_seat(Seat(seat as u8)) => Some("the seat is not to move"),
            Some(table) => table.refusal(card),
            None => (!self.hands()[seat].contains(card)).then_some("the seat does not have it"),
        }
    }
}

impl GeneralRules for Hearts {
    type Move = Card;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        Self::of_direction(Direction::of(variant))
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        text::read(Direction::of(variant), text)
    }

    fn variant(&self) -> Variant {
        let id = INFO.variants[self.direction as usize].id;
        Variant { id, size: None, setting: None }
    }

    fn next(&self) -> Next {
        if self.count_dealt() < PACK {
            return Next::Chance;
        }
        match self.table() {
            Some(table) if table.is_over() => Next::Over,
            Some(table) => Next::Seats(SeatSet::one(Seat(table.seat() as u8))),
            None => {
                let rounds = self.rounds();
                let waiting = (0..SEATS).filter(|seat| self.passed[*seat].len() == rounds);
                Next::Seats(waiting.map(|seat| Seat(seat as u8)).collect())
            }
        }
    }

    /// The pass is an opening procedure.
    fn phase(&self) -> Phase {
        let passes = self.count_dealt() == PACK && !self.passing_is_over();
        if passes { Phase::Opening } else { Phase::Play }
    }

    fn prompt(&self) -> Option<String> {
        let (number, to) = (self.rounds() + 1, self.direction.words());
        (self.phase() == Phase::Opening)
            .then(|| format!("choose card {number} of {PASSED} to pass {to}"))
    }

    fn generate(&self, seat: Seat, out: &mut Vec<Card>) {
        out.extend(self.legal(seat.0.into()).iter());
    }

    fn chance(&self, out: &mut Vec<(Card, u32)>) {
        let dealt = self.dealt.iter().fold(Cards::NONE, |all, hand| all.union(*hand));
        out.extend(Cards::PACK.minus(dealt).iter().map(|card| (card, 1)));
    }

    fn play(&mut self, actor: Actor, card: &Card) {
        match actor {
            Actor::Chance => {
                let seat = self.next_dealt();
                self.dealt[seat] = self.dealt[seat].with(*card);
            }
            Actor::Seat(seat) if !self.passing_is_over() => {
                self.passed[usize::from(seat.0)].push(*card);
            }
            Actor::Seat(_) => self.played.push(*card),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let table = self.table().filter(Table::is_over)?;
        let scores = table.final_points().map(|points| -points).to_vec();
        let reason = if table.moon().is_some() {
            "a seat has taken all points"
        } else {
            "all tricks are played"
        };
        Some(Ending { scores, reason: reason.into() })
    }

    fn write_position(&self, out: &mut String) {
        text::write(self, Observer::Everything, out);
    }

    fn write_view(&self, observer: Observer, out: &mut String) {
        text::write(self, observer, out);
    }

    fn board(&self, observer: Observer, _last: Option<&Card>) -> Option<Board> {
        Some(board::of(self, observer))
    }

    fn write_move(&self, _actor: Actor, card: &Card, out: &mut String) {
        out.push_str(&card.to_string());
    }

    fn write_seen(&self, observer: Observer, actor: Actor, card: &Card, out: &mut String) {
        let visible = match actor {
            Actor::Chance => Self::sees_hand(observer, self.next_dealt()),
            Actor::Seat(seat) if !self.passing_is_over() => {
                Self::sees_hand(observer, seat.0.into())
            }
            Actor::Seat(_) => true,
        };
        match visible {
            true => self.write_move(actor, card, out),
            false => out.push('?'),
        }
    }

    fn parse_move(&self, actor: Actor, text: &str) -> Result<Card, String> {
        let card = Card::from_text(text).ok_or("a card is a suit and a rank, such as SQ or HT")?;
        let refusal = match (actor, self.next()) {
            (_, Next::Over) => Some("the game is over"),
            (Actor::Seat(seat), _) => self.refusal(seat.0.into(), card),
            (Actor::Chance, Next::Chance) => {
                let is_dealt = self.dealt.iter().any(|hand| hand.contains(card));
                is_dealt.then_some("the card is dealt already")
            }
            (Actor::Chance, Next::Seats(_)) => Some("the deal is complete"),
        };
        refusal.map_or(Ok(card), |reason| Err(reason.into()))
    }
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_general_game!(Hearts);

#[cfg(test)]
mod tests;
