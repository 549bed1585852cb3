//! Tests of the general model with small games that have what the built-in games lack: chance and
//! hidden cards (Kuhn poker), and bids at the same time (Goofspiel).

mod goofspiel;
mod kuhn;

use super::{Actor, GeneralRules, Next, Observer, SeatSet, TwoSided, draw};
use crate::rules::{Rules, Seat};
use crate::splitmix::SplitMix64;
use crate::{Game, Variant};

/// What each observer knows: how moves looked, and the views between them. The seats come first,
/// then the spectator.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Transcripts(Vec<String>);

impl Transcripts {
    fn new<G: GeneralRules>(position: &G) -> Self {
        let mut transcripts = Self(vec![String::new(); usize::from(position.seats()) + 1]);
        transcripts.add_views(position);
        transcripts
    }

    fn observers<G: GeneralRules>(position: &G) -> impl Iterator<Item = Observer> + use<G> {
        (0..position.seats()).map(|seat| Observer::Seat(Seat(seat))).chain([Observer::Spectator])
    }

    fn add_views<G: GeneralRules>(&mut self, position: &G) {
        for (text, observer) in self.0.iter_mut().zip(Self::observers(position)) {
            text.push_str(" [");
            position.write_view(observer, text);
            text.push(']');
        }
    }

    /// Plays the moves of one step.
    fn play<G: GeneralRules>(&mut self, position: &mut G, moves: &[(Actor, G::Move)]) {
        for (text, observer) in self.0.iter_mut().zip(Self::observers(position)) {
            for (actor, mv) in moves {
                text.push(' ');
                position.write_seen(observer, *actor, mv, text);
            }
        }
        moves.iter().for_each(|(actor, mv)| position.play(*actor, mv));
        self.add_views(position);
    }
}

/// An actor with its moves and their weights.
type Choices<M> = (Actor, Vec<(M, u32)>);

/// The actors of the next step, each with its moves.
fn step<G: GeneralRules>(position: &G) -> Vec<Choices<G::Move>> {
    match position.next() {
        Next::Over => Vec::new(),
        Next::Chance => {
            let mut outcomes = Vec::new();
            position.chance(&mut outcomes);
            vec![(Actor::Chance, outcomes)]
        }
        Next::Seats(seats) => {
            let of = |seat| {
                let mut moves = Vec::new();
                position.generate(seat, &mut moves);
                (Actor::Seat(seat), moves.into_iter().map(|mv| (mv, 1)).collect())
            };
            seats.iter().map(of).collect()
        }
    }
}

/// Plays to the end; `choose` gives an index into the moves of an actor. Returns the last position,
/// and the transcripts before each step.
fn play_out<G: GeneralRules>(
    mut position: G,
    mut choose: impl FnMut(Actor, &[(G::Move, u32)]) -> usize,
) -> (G, Vec<Transcripts>) {
    let mut transcripts = Transcripts::new(&position);
    let mut all = Vec::new();
    while position.next() != Next::Over {
        all.push(transcripts.clone());
        let moves: Vec<_> = step(&position)
            .into_iter()
            .map(|(actor, moves)| (actor, moves[choose(actor, &moves)].0.clone()))
            .collect();
        transcripts.play(&mut position, &moves);
    }
    (position, all)
}

/// In random games: the legal moves of a seat stay the same while others of its step move, texts
/// of moves differ, and seats without a decision have no moves.
fn check_model<G: GeneralRules>(start: &G) {
    for seed in 0..200 {
        let (mut position, mut random) = (start.clone(), SplitMix64::new(seed));
        for _ in 0..500 {
            let actors = step(&position);
            let moving: SeatSet = actors.iter().filter_map(|(actor, _)| seat_of(*actor)).collect();
            for seat in SeatSet::first(position.seats()).iter() {
                let mut moves = Vec::new();
                position.generate(seat, &mut moves);
                assert_eq!(moves.is_empty(), !moving.contains(seat), "{seat:?} in {position:?}");
            }
            let mut outcomes = Vec::new();
            position.chance(&mut outcomes);
            assert_eq!(outcomes.is_empty(), position.next() != Next::Chance);
            assert_eq!(position.ending().is_some(), position.next() == Next::Over);
            if let Some(ending) = position.ending() {
                assert_eq!(ending.scores.len(), usize::from(position.seats()));
                break;
            }
            for (actor, moves) in &actors {
                if let Some(seat) = seat_of(*actor) {
                    let mut now = Vec::new();
                    position.generate(seat, &mut now);
                    assert!(now.iter().eq(moves.iter().map(|(mv, _)| mv)), "{position:?}");
                }
                let text = |mv: &G::Move| {
                    let mut text = String::new();
                    position.write_move(*actor, mv, &mut text);
                    text
                };
                let mut texts: Vec<String> = moves.iter().map(|(mv, _)| text(mv)).collect();
                assert!(texts.iter().all(|text| !text.contains(char::is_whitespace)));
                texts.sort();
                texts.dedup();
                assert_eq!(texts.len(), moves.len(), "{texts:?}");
                let mv = draw(moves, &mut random).expect("a move").clone();
                position.play(*actor, &mv);
            }
        }
    }
}

fn seat_of(actor: Actor) -> Option<Seat> {
    match actor {
        Actor::Seat(seat) => Some(seat),
        Actor::Chance => None,
    }
}

#[test]
fn the_games_of_the_tests_fit_the_model() {
    check_model(&kuhn::Kuhn::default());
    check_model(&goofspiel::Goofspiel::new(2));
    check_model(&goofspiel::Goofspiel::new(4));
}

#[test]
fn outcomes_are_drawn_by_their_weights() {
    let check = |weights: &[u32], expected: &[u32]| {
        let outcomes: Vec<(usize, u32)> = weights.iter().copied().enumerate().collect();
        let mut random = SplitMix64::new(1);
        let mut counts = vec![0_u32; weights.len()];
        for _ in 0..6_000 {
            counts[*draw(&outcomes, &mut random).expect("an outcome")] += 1;
        }
        for (count, expected) in counts.iter().zip(expected) {
            // Five standard deviations are below 200.
            assert!(count.abs_diff(*expected) < 200, "{counts:?} for {weights:?}");
            assert_eq!(*count == 0, *expected == 0, "{counts:?} for {weights:?}");
        }
    };
    check(&[1], &[6_000]);
    check(&[1, 2, 3], &[1_000, 2_000, 3_000]);
    check(&[0, 5, 0, 5], &[0, 3_000, 0, 3_000]);
    check(&[u32::MAX; 3], &[2_000; 3]);
    assert_eq!(draw::<u8>(&[], &mut SplitMix64::new(1)), None);
    assert_eq!(draw(&[(7_u8, 0)], &mut SplitMix64::new(1)), None);
}

/// Plays random games by both interfaces at once.
fn check_two_sided<R: Rules>() {
    for info in R::INFO.variants {
        let variant = Variant { id: info.id, size: None, setting: None };
        let position = R::INFO.deal.map_or_else(
            || R::start(&variant),
            |deal| R::parse_position(&variant, &deal(&variant, 7)).expect("a deal"),
        );
        let mut text = String::new();
        position.write_position(&mut text);
        let mut game = Game::<R>::set_up(&variant, Some(&text)).expect("a position");
        let (mut general, mut random) = (TwoSided(position), SplitMix64::new(3));
        for _ in 0..100 {
            assert_eq!(general.ending(), game.ending());
            let actors = step(&general);
            let (mut line, mut written) = (String::new(), Vec::new());
            game.write_legal(&mut line);
            let Some((actor, moves)) = actors.first() else {
                assert!(game.ending().is_some());
                break;
            };
            assert_eq!((*actor, actors.len()), (Actor::Seat(game.to_move()), 1));
            for (mv, _) in moves {
                let mut text = String::new();
                general.write_move(*actor, mv, &mut text);
                written.push(text);
            }
            assert_eq!(written.join(" "), line);
            let chosen = random.below(moves.len());
            let (mut whole, mut view) = (String::new(), String::new());
            general.write_position(&mut whole);
            general.write_view(Observer::Spectator, &mut view);
            assert_eq!((&whole, &view), (&game.position(), &game.position()));
            game.play(&written[chosen]).expect("a legal move");
            general.play(*actor, &moves[chosen].0);
        }
    }
}

#[test]
fn two_sided_games_are_general_ones() {
    check_two_sided::<crate::gomoku::Gomoku>();
    check_two_sided::<crate::reversi::Reversi>();
    check_two_sided::<crate::xiangqi::Xiangqi>();
    check_two_sided::<crate::bridge::Bridge>();
}
