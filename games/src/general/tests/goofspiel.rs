//! Goofspiel with three cards and two to four seats: chance turns up the prizes 1, 2 and 3 in any
//! order, and all seats bid for each with cards of these values, at the same time. The highest bid
//! alone wins a prize. The game for four has variants for fewer.

use super::{Actor, GeneralRules, Next, Observer, SeatSet, Transcripts};
use crate::ending::Ending;
use crate::info::{Features, GameInfo, Variant, VariantInfo};
use crate::rules::{PositionError, PositionFault, Seat};

const CARDS: u8 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goofspiel<const SEATS: usize> {
    prizes: Vec<u8>,
    /// For each seat, its bids of the finished rounds, and of the current one if it has bid.
    bids: Vec<Vec<u8>>,
}

static VARIANTS: [VariantInfo; 1] = [VariantInfo::of_one_size("standard", "three cards")];
static VARIANTS_OF_FOUR: [VariantInfo; 3] = [
    VariantInfo::of_one_size("standard", "four seats"),
    VariantInfo::of_one_size("three", "three seats").with_seats(3),
    VariantInfo::of_one_size("two", "two seats").with_seats(2),
];

const fn row<const SEATS: usize>(
    sides: &'static [&'static str],
    variants: &'static [VariantInfo],
) -> GameInfo {
    GameInfo::of_general::<Goofspiel<SEATS>>(
        "goofspiel-test",
        "Goofspiel",
        sides,
        Features { chance: true, hidden_information: true, simultaneous: true },
        variants,
        "a card, 1 to 3",
    )
}

static TWO: GameInfo = row::<2>(&["a", "b"], &VARIANTS);
static THREE: GameInfo = row::<3>(&["a", "b", "c"], &VARIANTS);
static FOUR: GameInfo = row::<4>(&["a", "b", "c", "d"], &VARIANTS_OF_FOUR);

fn digits(cards: &[u8]) -> String {
    cards.iter().map(|card| char::from(b'0' + card)).collect()
}

impl<const SEATS: usize> Goofspiel<SEATS> {
    pub(super) fn new() -> Self {
        Self::start(&Self::INFO.default_variant())
    }

    /// The number of rounds in which all seats have bid.
    fn rounds(&self) -> usize {
        self.bids.iter().map(Vec::len).min().unwrap_or(0)
    }

    fn scores(&self) -> Vec<i32> {
        let mut scores = vec![0; self.bids.len()];
        for (round, prize) in self.prizes.iter().enumerate().take(self.rounds()) {
            let bids: Vec<u8> = self.bids.iter().map(|bids| bids[round]).collect();
            let highest = bids.iter().copied().max().unwrap_or(0);
            if bids.iter().filter(|bid| **bid == highest).count() == 1 {
                let winner = bids.iter().position(|bid| *bid == highest).unwrap_or(0);
                scores[winner] += i32::from(*prize);
            }
        }
        scores
    }

    fn write_rounds(&self, rounds: usize, out: &mut String) {
        let text = |bids: &Vec<u8>| digits(&bids[..rounds.min(bids.len())]);
        let bids = self.bids.iter().map(text).collect::<Vec<_>>().join("/");
        out.push_str(&format!("{}:{bids}", digits(&self.prizes)));
    }
}

impl<const SEATS: usize> GeneralRules for Goofspiel<SEATS> {
    type Move = u8;

    const INFO: &'static GameInfo = [&TWO, &THREE, &FOUR][SEATS - 2];

    fn start(variant: &Variant) -> Self {
        let seats = Self::INFO.seats_of(variant).into();
        Self { prizes: Vec::new(), bids: vec![Vec::new(); seats] }
    }

    fn parse_position(_variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let fault = PositionFault { offset: 0, reason: "expected prizes, a colon and bids".into() };
        let (prizes, bids) = text.split_once(':').ok_or(PositionError(vec![fault]))?;
        let cards = |text: &str| text.bytes().map(|card| card - b'0').collect::<Vec<u8>>();
        Ok(Self { prizes: cards(prizes), bids: bids.split('/').map(cards).collect() })
    }

    fn variant(&self) -> Variant {
        let text = match (self.bids.len(), SEATS) {
            (3, 4) => "three",
            (2, 4) => "two",
            _ => "standard",
        };
        Self::INFO.variant(text).expect("a variant")
    }

    fn next(&self) -> Next {
        let rounds = self.rounds();
        let waiting = self.bids.iter().enumerate().filter(|(_, bids)| bids.len() == rounds);
        match self.prizes.len() {
            _ if rounds == usize::from(CARDS) => Next::Over,
            prizes if prizes == rounds => Next::Chance,
            _ => Next::Seats(waiting.map(|(seat, _)| Seat(seat as u8)).collect()),
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<u8>) {
        if self.next().has_seat(seat) {
            let bids = &self.bids[usize::from(seat.0)];
            out.extend((1..=CARDS).filter(|card| !bids.contains(card)));
        }
    }

    fn chance(&self, out: &mut Vec<(u8, u32)>) {
        if self.next() == Next::Chance {
            let left = (1..=CARDS).filter(|card| !self.prizes.contains(card));
            out.extend(left.map(|card| (card, u32::from(card))));
        }
    }

    fn play(&mut self, actor: Actor, mv: &u8) {
        match actor {
            Actor::Seat(seat) => self.bids[usize::from(seat.0)].push(*mv),
            Actor::Chance => self.prizes.push(*mv),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let over = self.next() == Next::Over;
        over.then(|| Ending { scores: self.scores(), reason: "all prizes are won".into() })
    }

    fn write_position(&self, out: &mut String) {
        self.write_rounds(usize::from(CARDS), out);
    }

    fn write_view(&self, _observer: Observer, out: &mut String) {
        self.write_rounds(self.rounds(), out);
    }

    fn write_move(&self, _actor: Actor, mv: &u8, out: &mut String) {
        out.push(char::from(b'0' + mv));
    }

    /// A spectator sees bids in views only, and does not notice them as moves.
    fn write_seen(&self, observer: Observer, actor: Actor, mv: &u8, out: &mut String) {
        if observer != Observer::Spectator || actor == Actor::Chance {
            self.write_move(actor, mv, out);
        }
    }
}

fn bids(bids: [u8; 3]) -> Vec<(Actor, u8)> {
    (0..).zip(bids).map(|(seat, bid)| (Actor::Seat(Seat(seat)), bid)).collect()
}

#[test]
fn all_seats_bid_at_once_and_see_the_bids_together() {
    let mut game = Goofspiel::<3>::new();
    let mut known = Transcripts::new(&game);
    assert_eq!(game.next(), Next::Chance);
    known.play(&mut game, &[(Actor::Chance, 3)]);
    assert_eq!(game.next(), Next::Seats(SeatSet::first(3)));
    known.play(&mut game, &bids([3, 1, 3]));
    let seat = " [://] 3 [3://] 3 1 3 [3:3/1/3]";
    // A move that an observer does not notice leaves no trace.
    let spectator = " [://] 3 [3://] [3:3/1/3]";
    for (observer, text) in known.iter() {
        let expected = if observer == Observer::Spectator { spectator } else { seat };
        assert_eq!((text, known.of(observer)), (expected, expected));
    }
    assert_eq!(known.of(Observer::Everything), "");
    known.play(&mut game, &[(Actor::Chance, 2)]);
    known.play(&mut game, &bids([1, 3, 2]));
    known.play(&mut game, &[(Actor::Chance, 1)]);
    known.play(&mut game, &bids([2, 2, 1]));
    // Two seats bid 3 for the first prize, and 2 for the last: no seat wins these.
    assert_eq!(game.ending().expect("over").scores, [0, 2, 0]);
}

#[test]
fn a_variant_has_the_first_seats() {
    let check = |variant: &str, seats: usize, observers: &str| {
        let variant = Goofspiel::<4>::INFO.variant(variant).expect("a variant");
        let mut game = Goofspiel::<4>::start(&variant);
        let mut known = Transcripts::new(&game);
        let found: Vec<_> = known.iter().map(|(observer, _)| format!("{observer:?}")).collect();
        assert_eq!(found.join(" "), observers);
        for card in 1..=CARDS {
            known.play(&mut game, &[(Actor::Chance, card)]);
            assert_eq!(game.next(), Next::Seats(SeatSet::first(seats as u8)));
            let bid = |seat: usize| (Actor::Seat(Seat(seat as u8)), card);
            known.play(&mut game, &(0..seats).map(bid).collect::<Vec<_>>());
        }
        assert_eq!(game.ending().expect("over").scores, vec![0; seats]);
    };
    check("standard", 4, "Seat(Seat(0)) Seat(Seat(1)) Seat(Seat(2)) Seat(Seat(3)) Spectator");
    check("three", 3, "Seat(Seat(0)) Seat(Seat(1)) Seat(Seat(2)) Spectator");
    check("two", 2, "Seat(Seat(0)) Seat(Seat(1)) Spectator");
}

#[test]
fn a_seat_that_has_bid_leaves_the_step() {
    let mut game = Goofspiel::<3>::new();
    game.play(Actor::Chance, &1);
    let mut other = game.clone();
    game.play(Actor::Seat(Seat(1)), &2);
    assert_eq!(game.next(), Next::Seats(SeatSet::first(3).without(Seat(1))));
    // Until all have bid, no observer sees the bid.
    other.play(Actor::Seat(Seat(1)), &3);
    assert_eq!(Transcripts::new(&game), Transcripts::new(&other));
    assert_ne!(game, other);
}
