//! Goofspiel with three cards and any number of seats: all bid for the prizes 3, 2, 1 with cards of
//! these values, at the same time. The highest bid alone wins a prize.

use super::{Actor, GeneralRules, Next, Observer, SeatSet, Transcripts, play_out};
use crate::ending::Ending;
use crate::rules::Seat;

const CARDS: u8 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goofspiel {
    /// For each seat, its bids of the finished rounds, and of the current one if it has bid.
    bids: Vec<Vec<u8>>,
}

impl Goofspiel {
    pub(super) fn new(seats: usize) -> Self {
        Self { bids: vec![Vec::new(); seats] }
    }

    /// The number of rounds in which all seats have bid.
    fn rounds(&self) -> usize {
        self.bids.iter().map(Vec::len).min().unwrap_or(0)
    }

    fn scores(&self) -> Vec<i32> {
        let mut scores = vec![0; self.bids.len()];
        for round in 0..self.rounds() {
            let bids: Vec<u8> = self.bids.iter().map(|bids| bids[round]).collect();
            let highest = bids.iter().copied().max().unwrap_or(0);
            if bids.iter().filter(|bid| **bid == highest).count() == 1 {
                let winner = bids.iter().position(|bid| *bid == highest).unwrap_or(0);
                scores[winner] += i32::from(CARDS) - round as i32;
            }
        }
        scores
    }

    fn write_rounds(&self, rounds: usize, out: &mut String) {
        let text = |bids: &Vec<u8>| {
            bids.iter().take(rounds).map(|bid| char::from(b'0' + bid)).collect::<String>()
        };
        out.push_str(&self.bids.iter().map(text).collect::<Vec<_>>().join("/"));
    }
}

impl GeneralRules for Goofspiel {
    type Move = u8;

    fn seats(&self) -> u8 {
        self.bids.len() as u8
    }

    fn next(&self) -> Next {
        let rounds = self.rounds();
        if rounds == usize::from(CARDS) {
            return Next::Over;
        }
        let waiting = self.bids.iter().enumerate().filter(|(_, bids)| bids.len() == rounds);
        Next::Seats(waiting.map(|(seat, _)| Seat(seat as u8)).collect())
    }

    fn generate(&self, seat: Seat, out: &mut Vec<u8>) {
        if let Next::Seats(seats) = self.next()
            && seats.contains(seat)
        {
            let bids = &self.bids[usize::from(seat.0)];
            out.extend((1..=CARDS).filter(|card| !bids.contains(card)));
        }
    }

    fn play(&mut self, actor: Actor, mv: &u8) {
        if let Actor::Seat(seat) = actor {
            self.bids[usize::from(seat.0)].push(*mv);
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
}

#[test]
fn all_seats_bid_at_once_and_see_the_bids_together() {
    let mut game = Goofspiel::new(3);
    let mut transcripts = Transcripts::new(&game);
    assert_eq!(game.next(), Next::Seats(SeatSet::first(3)));
    let bids = |bids: [u8; 3]| {
        let bid = |(seat, bid)| (Actor::Seat(Seat(seat)), bid);
        (0..).zip(bids).map(bid).collect::<Vec<_>>()
    };
    transcripts.play(&mut game, &bids([3, 1, 3]));
    let all_see = " [//] 3 1 3 [3/1/3]";
    assert!(transcripts.0.iter().all(|text| text == all_see), "{transcripts:?}");
    transcripts.play(&mut game, &bids([1, 3, 2]));
    transcripts.play(&mut game, &bids([2, 2, 1]));
    // Two seats bid 3 for the first prize, and 2 for the last: no seat wins these.
    assert_eq!(game.ending().expect("over").scores, [0, 2, 0]);
}

#[test]
fn a_seat_that_has_bid_leaves_the_step() {
    let mut game = Goofspiel::new(3);
    game.play(Actor::Seat(Seat(1)), &2);
    assert_eq!(game.next(), Next::Seats(SeatSet::first(3).without(Seat(1))));
    // Until all have bid, no observer sees the bid.
    let mut other = Goofspiel::new(3);
    other.play(Actor::Seat(Seat(1)), &3);
    assert_eq!(Transcripts::new(&game), Transcripts::new(&other));
    assert_ne!(game, other);
}

#[test]
fn the_first_legal_bids_of_all_seats_win_nothing() {
    let (game, transcripts) = play_out(Goofspiel::new(4), |_, _| 0);
    assert_eq!(game.ending().expect("over").scores, [0, 0, 0, 0]);
    assert_eq!(transcripts.len(), 3);
}
