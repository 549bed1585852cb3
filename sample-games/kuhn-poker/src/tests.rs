//! Tests of the rules, of what is hidden, and of the known value of the game.

use std::collections::HashMap;

use proptest::prelude::*;
use sandboard_game_sdk::games::general::{LegalMoves, Transcripts, step};

use super::*;

#[test]
fn games_end_by_a_fold_or_a_showdown() {
    let check = |position: &str, expected: Option<(i32, &str)>| {
        let game = KuhnPoker::parse_position(&INFO.default_variant(), position).unwrap();
        let ending = game.ending();
        let found = ending.as_ref().map(|it| (it.scores[0], &*it.reason));
        assert_eq!(found, expected, "{position}");
        assert!(ending.is_none_or(|it| it.scores[0] + it.scores[1] == 0));
        let mut text = String::new();
        game.write_position(&mut text);
        assert_eq!(text, position);
    };
    check(":", None);
    check("K:", None);
    check("KJ:", None);
    check("KJ:p", None);
    check("KJ:pp", Some((1, "showdown")));
    check("QK:pp", Some((-1, "showdown")));
    check("KJ:b", None);
    check("KJ:bb", Some((2, "showdown")));
    check("JQ:bb", Some((-2, "showdown")));
    check("JQ:bp", Some((1, "fold")));
    check("KQ:pb", None);
    check("KQ:pbp", Some((-1, "fold")));
    check("KQ:pbb", Some((2, "showdown")));
}

#[test]
fn faults_of_position_texts_have_their_place() {
    let check = |text: &str, offset: usize, reason: &str| {
        let error = KuhnPoker::parse_position(&INFO.default_variant(), text).unwrap_err();
        assert_eq!((error.0[0].offset, &*error.0[0].reason), (offset, reason), "{text}");
    };
    check("KJ", 0, "expected the cards, a colon and the moves, such as KJ:pb");
    check("A:", 0, "a card is J, Q or K");
    check("KK:", 1, "there is one card of each rank");
    check("KJQ:", 2, "there are two seats");
    check("K:p", 2, "the cards are not dealt");
    check("KJ:x", 3, "a move is p or b");
    check("KJ:bbp", 5, "the game is over before this move");
}

#[test]
fn boards_show_what_the_observer_sees() {
    let check = |position: &str, observer: Observer, expected: &[&str], buttons: &[[&str; 2]]| {
        let game = KuhnPoker::parse_position(&INFO.default_variant(), position).unwrap();
        let board = game.board(observer, None).unwrap();
        assert_eq!(board.check("pass bet"), Ok(()), "{position}");
        assert_eq!(board.diagram().lines().collect::<Vec<_>>(), expected, "{position}");
        let found: Vec<[&str; 2]> = board.moves.iter().map(|it| [&*it.mv, &*it.label]).collect();
        assert_eq!(found, buttons, "{position}");
    };
    let [first, second] = SEATS;
    let pot = ["Pot: 3 (1 by first, 2 by second)", "Moves: pass, bet"];
    let answer = [["pass", "Fold"], ["bet", "Call"]];
    check("KJ:pb", first, &["Second: ?", pot[0], pot[1], "First: K"], &answer);
    check("KJ:pb", second, &["First: ?", pot[0], pot[1], "Second: J"], &[]);
    check("KJ:pb", Observer::Spectator, &["Second: ?", pot[0], pot[1], "First: ?"], &[]);
    check("KJ:pb", Observer::Everything, &["Second: J", pot[0], pot[1], "First: K"], &[]);
    let pot = "Pot: 2 (1 by first, 1 by second)";
    check("K:", second, &["First: ?", pot, "Second: ."], &[]);
    let open = [["pass", "Pass"], ["bet", "Bet"]];
    check("KJ:p", second, &["First: ?", pot, "Moves: pass", "Second: J"], &open);
    // At a showdown both cards are shown, and that of the winner is marked; after a fold not.
    check("QK:pp", first, &["Second:=K", pot, "Moves: pass, pass", "First: Q"], &[]);
    let pot = "Pot: 3 (2 by first, 1 by second)";
    check("QK:bp", first, &["Second: ?", pot, "Moves: bet, pass", "First:=Q"], &[]);
}

/// A game with these cards and moves: the transcripts before each step.
fn transcripts(cards: [u8; 2], bets: &[bool]) -> Vec<Transcripts> {
    let mut game = KuhnPoker::default();
    let (mut known, mut all) = (Transcripts::new(&game), Vec::new());
    let mut moves = cards.map(Move::Deal).into_iter().chain(bets.iter().map(|bet| match bet {
        true => Move::Bet,
        false => Move::Pass,
    }));
    while let Some(actor) = game.next().first() {
        all.push(known.clone());
        known.play(&mut game, &[(actor, moves.next().expect("at most three moves"))]);
    }
    all
}

const SEATS: [Observer; 2] = [Observer::Seat(Seat(0)), Observer::Seat(Seat(1))];

#[test]
fn each_seat_sees_its_own_card() {
    let all = transcripts([2, 0], &[false, true, false]);
    let last = &all[all.len() - 1];
    assert_eq!(last.of(SEATS[0]), " [:] K [K:] ? [K?:] pass [K?:p] bet [K?:pb]");
    assert_eq!(last.of(SEATS[1]), " [:] ? [?:] J [?J:] pass [?J:p] bet [?J:pb]");
    assert_eq!(last.of(Observer::Spectator), " [:] ? [?:] ? [??:] pass [??:p] bet [??:pb]");
    let end = |position: &str| {
        let game = KuhnPoker::parse_position(&INFO.default_variant(), position).unwrap();
        let mut view = String::new();
        game.write_view(Observer::Spectator, &mut view);
        (view, game.ending().map(|ending| ending.scores))
    };
    assert_eq!(end("KJ:pbp"), ("??:pbp".into(), Some(vec![-1, 1])));
    assert_eq!(end("KJ:bb"), ("KJ:bb".into(), Some(vec![2, -2])));
    assert_eq!(end("KJ:b"), ("??:b".into(), None));
}

proptest! {
    /// While a game is in progress, nothing that an observer knows depends on a card that is hidden
    /// from it.
    #[test]
    fn hidden_cards_have_no_effect(first in 0..3_u8, offset in 1..3_u8, bets: [bool; 3]) {
        let second = (first + offset) % 3;
        let third = 3 - first - second;
        let of = |observer: Observer, cards| {
            let all = transcripts(cards, &bets);
            all.into_iter().map(|known| known.of(observer).to_owned()).collect::<Vec<_>>()
        };
        let [one, other] = SEATS;
        prop_assert_eq!(of(one, [first, second]), of(one, [first, third]));
        prop_assert_eq!(of(other, [first, second]), of(other, [third, second]));
        let spectator = Observer::Spectator;
        prop_assert_eq!(of(spectator, [first, second]), of(spectator, [second, third]));
        // The own card has one.
        prop_assert_ne!(of(one, [first, second]), of(one, [third, second]));
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
    fn value(
        &mut self,
        game: &KuhnPoker,
        known: &Transcripts,
        reach: [f64; 3],
        learn: bool,
    ) -> f64 {
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
        let entry = known.of(SEATS[seat.min(1)]).to_owned();
        let sums = self.known.get(&entry).copied().unwrap_or_default();
        let strategy = normalized(sums[usize::from(!learn)]);
        let share = |index: usize| match actor {
            Actor::Seat(_) => strategy[index],
            Actor::Chance => f64::from(moves[index].1) / f64::from(total),
        };
        let mut values = Vec::new();
        for (index, (mv, _)) in moves.iter().enumerate() {
            let (mut after, mut then, mut reach) = (*game, known.clone(), reach);
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
    let start = KuhnPoker::default();
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

#[test]
fn legal_moves_depend_on_what_a_seat_knows_only() {
    fn visit(game: &KuhnPoker, known: &Transcripts, legal: &mut LegalMoves) {
        legal.add(game, known).unwrap();
        for (actor, moves) in step(game) {
            for (mv, _) in moves {
                let (mut after, mut then) = (*game, known.clone());
                then.play(&mut after, &[(actor, mv)]);
                visit(&after, &then, legal);
            }
        }
    }
    let start = KuhnPoker::default();
    visit(&start, &Transcripts::new(&start), &mut LegalMoves::default());
}
