//! An engine for a game with hidden information: Kuhn poker by an equilibrium strategy. It decides
//! by what its seat sees: its view, such as `K?:pb`.
//!
//! Against this strategy no strategy of the first player loses less than 1/18 of a chip a game, and
//! none of the second player wins more (H. W. Kuhn, "A Simplified Two-Person Poker", 1950). Of the
//! equilibria of the first player it plays the one that never bets first with the jack.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use kuhn_poker::{KuhnPoker, Move};
use sandboard_sdk::abi::Description;
use sandboard_sdk::{
    GeneralChooser, GeneralEngine, GeneralReply, GeneralTurn, ReplaySampler, export_engine,
};

/// The engine, without a state of its own.
#[derive(Default)]
struct KuhnEquilibrium;

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

/// The own card in a view, and the moves after the deal; `None`: no card is dealt.
fn card_and_moves(view: &str) -> Option<(char, &str)> {
    let (cards, moves) = view.split_once(':')?;
    Some((cards.chars().find(|card| *card != '?')?, moves))
}

impl GeneralChooser for KuhnEquilibrium {
    type Rules = KuhnPoker;
    type Worlds = ReplaySampler<KuhnPoker>;

    fn next_move(&mut self, turn: &mut GeneralTurn<'_, KuhnPoker>) -> GeneralReply<KuhnPoker> {
        let known = card_and_moves(&turn.knowledge.view);
        let thirds = known.map_or(0, |(card, moves)| betting_thirds(card, moves));
        let bets = turn.random.below(3) < thirds;
        GeneralReply::play(if bets { Move::Bet } else { Move::Pass })
    }

    fn describe(description: &mut Description) {
        description.name = "Kuhn Equilibrium".to_owned();
    }
}

export_engine!(engine GeneralEngine<KuhnEquilibrium>);

#[cfg(test)]
mod tests {
    use kuhn_poker::INFO;
    use sandboard_sdk::games::general::{Actor, GeneralRules, Next};

    use super::*;

    /// The expected score of seat 0 if both seats play this strategy.
    fn value(game: &KuhnPoker) -> f64 {
        if let Some(ending) = game.ending() {
            return f64::from(ending.scores[0]);
        }
        let after = |actor: Actor, text: &str| {
            let mut after = *game;
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
