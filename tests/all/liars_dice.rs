//! Liar's dice, the sample game in C: its position texts, and random games beside a second
//! implementation of its rules.

use std::sync::{Arc, OnceLock};

use sandboard_engine_wasm::JudgeModule;
use sandboard_games::general::{Actor, Next, Observer};
use sandboard_games::splitmix::SplitMix64;
use sandboard_games::{DynGame, Features, GameInfo, Seat, VariantInfo, reversi};
use sandboard_tests::{built, runtime};

/// The description of the game, as in its manifest.
static INFO: GameInfo = GameInfo {
    id: "liars-dice",
    sides: &["first", "second"],
    features: Features { chance: true, hidden_information: true, simultaneous: false },
    variants: &[
        VariantInfo::of_one_size("one", ""),
        VariantInfo::of_one_size("two", ""),
        VariantInfo::of_one_size("five", ""),
    ],
    adjudicates: false,
    formats: &[],
    ..reversi::INFO
};

fn begin(variant: &str, position: &str) -> Result<Box<dyn DynGame>, String> {
    static MODULE: OnceLock<Arc<JudgeModule>> = OnceLock::new();
    let module = MODULE.get_or_init(|| {
        let bytes = std::fs::read(built("liars-dice/liars-dice.wasm")).expect("it can be read");
        JudgeModule::load(runtime(), &bytes).expect("it loads")
    });
    let position = (!position.is_empty()).then_some(position);
    let game = module.set_up(&INFO, &INFO.variant(variant).unwrap(), position);
    game.map_err(|error| error.to_string())
}

fn legal(game: &dyn DynGame) -> String {
    let mut line = String::new();
    game.write_legal(&mut line);
    line
}

#[test]
fn positions_are_read_back_or_refused_with_their_place() {
    let check = |variant: &str, position: &str, expected: Result<&str, &str>| {
        let found = begin(variant, position).map(|game| {
            assert_eq!(game.position(), position);
            legal(&*game)
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{position}"),
            (Err(found), Err(expected)) => {
                assert!(found.contains(expected), "{position}: {found}")
            }
            (found, _) => panic!("{position}: {found:?}"),
        }
    };
    let rolls = Ok("1 2 3 4 5 6");
    check("one", "/ - 0", rolls);
    check("one", "3/ - 0", rolls);
    check("two", "34/1 - 0", rolls);
    check("one", "3/5 2x5 1", Ok("2x6 liar"));
    check("one", "3/5 2x6 0", Ok("liar"));
    check("one", "3/5 2x5 1 liar", Ok(""));
    check("five", "12345/66666 10x5 1", Ok("10x6 liar"));
    check("one", "7/5 - 0", Err("at byte 0: a die is 1 to 6"));
    check("one", "33/5 - 0", Err("at byte 1: the variant has fewer dice"));
    check("one", "35 - 0", Err("at byte 1: the variant has fewer dice"));
    check("two", "35 - 0", Err("at byte 2: expected / between the players' dice"));
    check("two", "3/5 - 0", Err("at byte 2: the first player's dice are rolled first"));
    check("one", "3/5", Err("at byte 3: expected a space and the last bid"));
    check("one", "3/5 3x1 0", Err("at byte 4: a bid is a number of dice, x and a face"));
    check("one", "3/5 0x1 0", Err("at byte 4: a bid is a number of dice, x and a face"));
    check("one", "3/5 2x7 0", Err("at byte 4: a bid is a number of dice, x and a face"));
    check("one", "3/ 2x1 0", Err("at byte 3: not all dice are rolled"));
    check("one", "3/5 2x1 2", Err("at byte 7: expected a space and the seat to move"));
    check("one", "3/5 - 1", Err("at byte 6: seat 0 makes the first bid"));
    check("one", "3/5 2x1 0 lies", Err("at byte 9: expected the end, or after a bid"));
    check("one", "3/5 - 0 liar", Err("at byte 7: expected the end, or after a bid"));
}

#[test]
fn the_last_bid_decides() {
    let check = |position: &str, scores: [i32; 2]| {
        let ending = begin(if position.len() > 12 { "two" } else { "one" }, position)
            .and_then(|mut game| {
                game.play("liar").map_err(|refusal| refusal.to_string())?;
                game.ending().ok_or_else(|| "it goes on".into())
            })
            .unwrap();
        assert_eq!(ending.scores, scores, "{position}");
    };
    // Seat 1 doubts the bid of seat 0.
    check("3/5 1x5 1", [1, -1]);
    check("3/5 1x4 1", [-1, 1]);
    check("3/5 2x5 1", [-1, 1]);
    check("5/5 2x5 1", [1, -1]);
    // A six counts as every face, but no other face counts as six.
    check("6/5 2x5 1", [1, -1]);
    check("6/5 2x6 1", [-1, 1]);
    check("6/6 2x1 0", [-1, 1]);
}

/// The rules once more: a list of dice and one of bids, from the start.
#[derive(Default)]
struct Twin {
    dice_of_each: usize,
    dice: Vec<u32>,
    bids: Vec<(u32, u32)>,
    over: bool,
}

impl Twin {
    fn all_bids(&self) -> Vec<(u32, u32)> {
        let most = 2 * self.dice_of_each as u32;
        (1..=most).flat_map(|count| (1..=6).map(move |face| (count, face))).collect()
    }

    fn legal(&self) -> String {
        if self.dice.len() < 2 * self.dice_of_each {
            return "1 2 3 4 5 6".into();
        }
        if self.over {
            return String::new();
        }
        let higher = self.all_bids().into_iter().filter(|bid| self.bids.last() < Some(bid));
        let bids = higher.map(|(count, face)| format!("{count}x{face}"));
        let liar = (!self.bids.is_empty()).then(|| "liar".to_owned());
        bids.chain(liar).collect::<Vec<_>>().join(" ")
    }

    fn play(&mut self, mv: &str) {
        match mv.split_once('x') {
            Some((count, face)) => self.bids.push((count.parse().unwrap(), face.parse().unwrap())),
            None if mv == "liar" => self.over = true,
            None => self.dice.push(mv.parse().unwrap()),
        }
    }

    fn winner(&self) -> usize {
        let (count, face) = *self.bids.last().unwrap();
        let shown = self.dice.iter().filter(|die| **die == face || **die == 6).count() as u32;
        let bidder = (self.bids.len() + 1) % 2;
        if shown >= count { bidder } else { 1 - bidder }
    }

    fn view(&self, observer: Observer) -> String {
        let known = |seat: usize| {
            let own = observer == Observer::Seat(Seat(seat as u8));
            own || self.over || observer == Observer::Everything
        };
        let dice = |seat: usize| {
            let dice = self.dice.iter().skip(seat * self.dice_of_each).take(self.dice_of_each);
            let text = |die: &u32| if known(seat) { die.to_string() } else { "?".into() };
            dice.map(text).collect::<String>()
        };
        let bid = self.bids.last().map_or("-".into(), |(count, face)| format!("{count}x{face}"));
        let end = if self.over { " liar" } else { "" };
        format!("{}/{} {bid} {}{end}", dice(0), dice(1), self.bids.len() % 2)
    }
}

#[test]
fn random_games_equal_those_of_a_second_implementation() {
    let observers = [
        Observer::Seat(Seat(0)),
        Observer::Seat(Seat(1)),
        Observer::Spectator,
        Observer::Everything,
    ];
    for (variant, dice_of_each) in [("one", 1), ("two", 2), ("five", 5)] {
        for seed in 0..60 {
            let mut random = SplitMix64::new(seed);
            let mut game = begin(variant, "").unwrap();
            let mut twin = Twin { dice_of_each, ..Twin::default() };
            loop {
                let what = format!("{variant}, seed {seed}: {}", game.moves().join(" "));
                assert_eq!(legal(&*game), twin.legal(), "{what}");
                for observer in observers {
                    assert_eq!(game.view(observer), twin.view(observer), "{what}, {observer:?}");
                }
                let line = twin.legal();
                if line.is_empty() {
                    break;
                }
                let moves: Vec<&str> = line.split(' ').collect();
                // The lowest bids are likelier, so that games are not short.
                let at = random.below(moves.len()).min(random.below(moves.len()));
                if game.next() == Next::Chance {
                    let seen = observers.map(|it| game.seen(it, Actor::Chance, moves[at]));
                    let roller = twin.dice.len() / dice_of_each;
                    let known = |seat| seat == roller;
                    let text = |known| Some(if known { moves[at].to_owned() } else { "?".into() });
                    assert_eq!(
                        seen,
                        [text(known(0)), text(known(1)), text(false), text(true)],
                        "{what}"
                    );
                }
                game.play(moves[at]).unwrap();
                twin.play(moves[at]);
            }
            let mut scores = [-1, -1];
            scores[twin.winner()] = 1;
            assert_eq!(game.ending().unwrap().scores, scores);
        }
    }
}
