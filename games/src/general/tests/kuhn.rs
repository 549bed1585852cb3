//! Kuhn poker (H. W. Kuhn, "A Simplified Two-Person Poker", 1950): each of two players puts in one
//! chip and gets one of three cards. One bet of one chip is possible. With best play by both, the
//! first player loses 1/18 of a chip on average.

use std::collections::HashMap;

use proptest::prelude::*;

use super::{Actor, GeneralRules, Next, Observer, SeatSet, Transcripts, play_out, step};
use crate::ending::Ending;
use crate::rules::Seat;

const CARDS: [char; 3] = ['J', 'Q', 'K'];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Move {
    Deal(u8),
    Pass,
    Bet,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kuhn {
    /// The cards of the seats, as far as they are dealt.
    cards: Vec<u8>,
    /// Passes and bets.
    moves: Vec<Move>,
}

impl Kuhn {
    /// What seat 0 wins; none: the game is not over.
    fn result(&self) -> Option<i32> {
        use Move::{Bet, Pass};
        let higher = |chips: i32| if self.cards[0] > self.cards[1] { chips } else { -chips };
        match *self.moves {
            [Pass, Pass] => Some(higher(1)),
            [Bet, Bet] | [Pass, Bet, Bet] => Some(higher(2)),
            [Bet, Pass] => Some(1),
            [Pass, Bet, Pass] => Some(-1),
            _ => None,
        }
    }

    fn is_showdown(&self) -> bool {
        self.result().is_some() && !self.moves.ends_with(&[Move::Bet, Move::Pass])
    }

    fn write(&self, sees: impl Fn(usize) -> bool, out: &mut String) {
        for (seat, card) in self.cards.iter().enumerate() {
            out.push(if sees(seat) { CARDS[usize::from(*card)] } else { '?' });
        }
        out.push(':');
        out.extend(self.moves.iter().map(|mv| if *mv == Move::Bet { 'b' } else { 'p' }));
    }
}

impl GeneralRules for Kuhn {
    type Move = Move;

    fn seats(&self) -> u8 {
        2
    }

    fn next(&self) -> Next {
        match (self.cards.len(), self.result()) {
            (0 | 1, _) => Next::Chance,
            (_, None) => Next::Seats(SeatSet::one(Seat(self.moves.len() as u8 % 2))),
            (_, Some(_)) => Next::Over,
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<Move>) {
        if self.next() == Next::Seats(SeatSet::one(seat)) {
            out.extend([Move::Pass, Move::Bet]);
        }
    }

    fn chance(&self, out: &mut Vec<(Move, u32)>) {
        if self.next() == Next::Chance {
            let left = (0..3).filter(|card| !self.cards.contains(card));
            out.extend(left.map(|card| (Move::Deal(card), 1)));
        }
    }

    fn play(&mut self, _actor: Actor, mv: &Move) {
        match *mv {
            Move::Deal(card) => self.cards.push(card),
            mv => self.moves.push(mv),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let result = self.result()?;
        let reason = if self.is_showdown() { "showdown" } else { "fold" };
        Some(Ending { scores: vec![result, -result], reason: reason.into() })
    }

    fn write_position(&self, out: &mut String) {
        self.write(|_| true, out);
    }

    fn write_view(&self, observer: Observer, out: &mut String) {
        let own = |seat: usize| observer == Observer::Seat(Seat(seat as u8));
        self.write(|seat| self.is_showdown() || own(seat), out);
    }

    fn write_move(&self, _actor: Actor, mv: &Move, out: &mut String) {
        match mv {
            Move::Deal(card) => out.push(CARDS[usize::from(*card)]),
            Move::Pass => out.push_str("pass"),
            Move::Bet => out.push_str("bet"),
        }
    }

    fn write_seen(&self, observer: Observer, actor: Actor, mv: &Move, out: &mut String) {
        let receiver = Observer::Seat(Seat(self.cards.len() as u8));
        match mv {
            Move::Deal(_) if observer != receiver => out.push('?'),
            mv => self.write_move(actor, mv, out),
        }
    }
}

/// A game with these cards and moves: the transcripts before each step.
fn transcripts(cards: [u8; 2], bets: &[bool]) -> Vec<Transcripts> {
    let (mut cards, mut bets) = (cards.into_iter(), bets.iter());
    play_out(Kuhn::default(), |actor, moves| match actor {
        Actor::Chance => {
            let card = Move::Deal(cards.next().expect("two cards are dealt"));
            moves.iter().position(|(mv, _)| *mv == card).expect("the card is left")
        }
        Actor::Seat(_) => usize::from(*bets.next().expect("at most three moves")),
    })
    .1
}

#[test]
fn each_seat_sees_its_own_card() {
    let all = transcripts([2, 0], &[false, true, false]);
    let last = &all[all.len() - 1].0;
    assert_eq!(last[0], " [:] K [K:] ? [K?:] pass [K?:p] bet [K?:pb]");
    assert_eq!(last[1], " [:] ? [?:] J [?J:] pass [?J:p] bet [?J:pb]");
    assert_eq!(last[2], " [:] ? [?:] ? [??:] pass [??:p] bet [??:pb]");
    let end = |moves: &[Move]| {
        let game = Kuhn { cards: vec![2, 0], moves: moves.to_vec() };
        let mut view = String::new();
        game.write_view(Observer::Spectator, &mut view);
        (view, game.ending().map(|ending| ending.scores))
    };
    assert_eq!(end(&[Move::Pass, Move::Bet, Move::Pass]), ("??:pbp".into(), Some(vec![-1, 1])));
    assert_eq!(end(&[Move::Bet, Move::Bet]), ("KJ:bb".into(), Some(vec![2, -2])));
    assert_eq!(end(&[Move::Bet]), ("??:b".into(), None));
}

proptest! {
    /// While a game is in progress, nothing that an observer knows depends on a card that is hidden
    /// from it.
    #[test]
    fn hidden_cards_have_no_effect(first in 0..3_u8, offset in 1..3_u8, bets: [bool; 3]) {
        let second = (first + offset) % 3;
        let third = 3 - first - second;
        let of = |observer: usize, cards| {
            let all = transcripts(cards, &bets);
            all.into_iter().map(|known| known.0[observer].clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(of(0, [first, second]), of(0, [first, third]));
        prop_assert_eq!(of(1, [first, second]), of(1, [third, second]));
        prop_assert_eq!(of(2, [first, second]), of(2, [second, third]));
        // The own card has one.
        prop_assert_ne!(of(0, [first, second]), of(0, [third, second]));
    }
}

/// Regrets and strategies by what the seat to move knows: counterfactual regret minimisation (M.
/// Zinkevich et al., "Regret Minimization in Games with Incomplete Information", 2007).
#[derive(Default)]
struct Learner {
    /// Sums of regrets and of strategies, for passing and betting.
    known: HashMap<String, [[f64; 2]; 2]>,
}

fn normalized(weights: [f64; 2]) -> [f64; 2] {
    let positive = weights.map(|weight| weight.max(0.0));
    let sum: f64 = positive.iter().sum();
    if sum > 0.0 { positive.map(|weight| weight / sum) } else { [0.5; 2] }
}

impl Learner {
    /// The value for seat 0. `reach`: the probabilities with which each seat, and chance, play to
    /// this position. With `learn`, both seats improve; without, they play their mean strategies.
    fn value(&mut self, game: &Kuhn, known: &Transcripts, reach: [f64; 3], learn: bool) -> f64 {
        if let Some(ending) = game.ending() {
            return f64::from(ending.scores[0]);
        }
        let steps = step(game);
        let (actor, moves) = &steps[0];
        let total: u32 = moves.iter().map(|(_, weight)| weight).sum();
        let seat = match actor {
            Actor::Seat(seat) => usize::from(seat.0),
            Actor::Chance => 2,
        };
        let entry = known.0[seat.min(1)].clone();
        let sums = self.known.get(&entry).copied().unwrap_or_default();
        let strategy = normalized(sums[usize::from(!learn)]);
        let share = |index: usize| match actor {
            Actor::Seat(_) => strategy[index],
            Actor::Chance => f64::from(moves[index].1) / f64::from(total),
        };
        let mut values = Vec::new();
        for (index, (mv, _)) in moves.iter().enumerate() {
            let (mut after, mut then, mut reach) = (game.clone(), known.clone(), reach);
            then.play(&mut after, &[(*actor, *mv)]);
            reach[seat] *= share(index);
            values.push(self.value(&after, &then, reach, learn));
        }
        let mean: f64 = values.iter().enumerate().map(|(index, value)| share(index) * value).sum();
        if learn && seat < 2 {
            let sign = if seat == 0 { 1.0 } else { -1.0 };
            let sums = self.known.entry(entry).or_default();
            for index in 0..2 {
                sums[0][index] += sign * reach[1 - seat] * reach[2] * (values[index] - mean);
                sums[1][index] += reach[seat] * strategy[index];
            }
        }
        mean
    }
}

#[test]
fn the_value_of_the_game_is_minus_one_eighteenth() {
    let start = Kuhn::default();
    let known = Transcripts::new(&start);
    let mut learner = Learner::default();
    for _ in 0..3_000 {
        learner.value(&start, &known, [1.0; 3], true);
    }
    // Twelve situations: three cards, before and after two sequences of moves for each seat.
    assert_eq!(learner.known.len(), 12);
    let value = learner.value(&start, &known, [1.0; 3], false);
    assert!((value + 1.0 / 18.0).abs() < 0.003, "{value}");
}
