//! An engine for a game with hidden information: Kuhn poker by an equilibrium strategy. It knows
//! the game only through what its seat sees: `look` gives its view, such as `K?:pb`.
//!
//! Against this strategy no strategy of the first player loses less than 1/18 of a chip a game, and
//! none of the second player wins more (H. W. Kuhn, "A Simplified Two-Person Poker", 1950). Of the
//! equilibria of the first player it plays the one that never bets first with the jack.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::{Barred, Choice, Decision, Description, GameSpec, Limits, Setup};
use sandboard_sdk::games::splitmix::SplitMix64;
use sandboard_sdk::{CrateInfo, Engine, Host, export_engine};

/// The engine: the host, and random numbers from its seed.
struct KuhnEquilibrium {
    host: Host,
    random: SplitMix64,
}

/// The thirds of all games in which a player bets with this card, `J`, `Q` or `K`, after these
/// moves, `p` for pass and `b` for bet. A bet after a bet is a call.
fn betting_thirds(card: char, moves: &str) -> usize {
    match (card, moves) {
        // The first move: passing keeps the second player from knowing the card.
        (_, "") => 0,
        // After a pass, the second player bets with the king, and a third of the time with the
        // jack.
        ('J', "p") => 1,
        ('K', _) => 3,
        // After a bet, the queen calls a third of the time.
        ('Q', "b" | "pb") => 1,
        _ => 0,
    }
}

impl KuhnEquilibrium {
    /// The move in a position as the seat sees it: two cards, of which one is hidden, and moves.
    fn move_in(&mut self, view: &str) -> Result<&'static str, String> {
        let (cards, moves) = view.split_once(':').ok_or("the view is not one of Kuhn poker")?;
        let card = cards.chars().find(|card| *card != '?').ok_or("no card is dealt")?;
        let bets = self.random.below(3) < betting_thirds(card, moves);
        Ok(if bets { "bet" } else { "pass" })
    }
}

impl Engine for KuhnEquilibrium {
    fn describe(crate_info: CrateInfo) -> Description {
        Description {
            id: crate_info.name.to_owned(),
            name: "Kuhn Equilibrium".to_owned(),
            author: crate_info.authors.to_owned(),
            version: crate_info.version.to_owned(),
            games: vec![GameSpec { game: "kuhn-poker".to_owned(), variants: Vec::new() }],
            ..Description::default()
        }
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        Ok(Self { host, random: SplitMix64::new(setup.seed) })
    }

    fn played(&mut self, _mv: &str) -> Result<(), String> {
        Ok(())
    }

    fn taken_back(&mut self, _plies: u32) -> Result<(), String> {
        Ok(())
    }

    fn choose(&mut self, _limits: &Limits, _barred: &[Barred]) -> Result<Choice, String> {
        let view = self.host.look("")?;
        let mv = self.move_in(&view.position)?;
        Ok(Choice { decision: Decision::Play(mv.to_owned()), offers_draw: false, line: None })
    }
}

export_engine!(engine KuhnEquilibrium);

#[cfg(test)]
mod tests {
    use kuhn_poker::{INFO, KuhnPoker};
    use sandboard_sdk::games::general::{Actor, GeneralRules, Next};

    use super::*;

    /// The expected score of seat 0 if both seats play this strategy.
    fn value(game: &KuhnPoker) -> f64 {
        if let Some(ending) = game.ending() {
            return f64::from(ending.scores[0]);
        }
        let after = |actor: Actor, text: &str| {
            let mut after = game.clone();
            after.play(actor, &game.parse_move(actor, text).unwrap());
            value(&after)
        };
        match game.next().first().unwrap() {
            Actor::Chance => {
                let mut outcomes = Vec::new();
                game.chance(&mut outcomes);
                let texts = outcomes.iter().map(|(mv, _)| {
                    let mut text = String::new();
                    game.write_move(Actor::Chance, mv, &mut text);
                    text
                });
                let values: Vec<f64> = texts.map(|text| after(Actor::Chance, &text)).collect();
                values.iter().sum::<f64>() / values.len() as f64
            }
            actor @ Actor::Seat(seat) => {
                let mut text = String::new();
                game.write_position(&mut text);
                let (cards, moves) = text.split_once(':').unwrap();
                let card = cards.chars().nth(seat.0.into()).unwrap();
                let bets = betting_thirds(card, moves) as f64 / 3.0;
                bets * after(actor, "bet") + (1.0 - bets) * after(actor, "pass")
            }
        }
    }

    #[test]
    fn the_first_player_loses_an_eighteenth_of_a_chip() {
        let start = KuhnPoker::start(&INFO.default_variant());
        assert_eq!(start.next(), Next::Chance);
        assert!((value(&start) + 1.0 / 18.0).abs() < 1e-12, "{}", value(&start));
    }
}
