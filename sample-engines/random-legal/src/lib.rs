//! An engine for the plugged-in games that knows no rules: it asks the host for the legal moves of
//! its seat, and plays one of them at random. To add a game, add a row to `GAMES` and to the
//! manifest.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use sandboard_sdk::abi::{Barred, Choice, Decision, Description, GameSpec, Limits, Setup};
use sandboard_sdk::games::splitmix::SplitMix64;
use sandboard_sdk::{CrateInfo, Engine, Host, export_engine};

/// The games that the engine plays.
const GAMES: [&str; 8] = [
    "chess",
    "chinese-checkers",
    "connect-four",
    "goofspiel",
    "hearts",
    "hex",
    "kuhn-poker",
    "liars-dice",
];

/// The engine: the host, and random numbers from its seed.
struct RandomLegal {
    host: Host,
    random: SplitMix64,
}

/// One of the moves of a list with blanks that are not barred, each with the same probability.
fn random_move<'a>(legal: &'a str, barred: &[Barred], random: &mut SplitMix64) -> Option<&'a str> {
    let is_barred = |mv: &&str| barred.iter().any(|barred| barred.r#move == **mv);
    let moves: Vec<&str> = legal.split_whitespace().filter(|mv| !is_barred(mv)).collect();
    (!moves.is_empty()).then(|| moves[random.below(moves.len())])
}

impl Engine for RandomLegal {
    fn describe(crate_info: CrateInfo) -> Description {
        let game = |game: &str| GameSpec { game: game.to_owned(), variants: Vec::new() };
        Description {
            id: crate_info.name.to_owned(),
            name: "Random Legal".to_owned(),
            author: crate_info.authors.to_owned(),
            version: crate_info.version.to_owned(),
            games: GAMES.map(game).to_vec(),
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

    fn choose(&mut self, _limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        let legal = self.host.legal("")?;
        let mv = random_move(&legal, barred, &mut self.random);
        let decision = mv.map_or(Decision::Resign, |mv| Decision::Play(mv.to_owned()));
        Ok(Choice { decision, offers_draw: false, line: None })
    }
}

export_engine!(engine RandomLegal);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_move_that_is_not_barred_is_chosen() {
        let check = |legal: &str, barred: &[&str], expected: &[&str]| {
            let barred: Vec<Barred> = barred
                .iter()
                .map(|mv| Barred { r#move: (*mv).into(), reason: String::new() })
                .collect();
            let mut random = SplitMix64::new(1);
            let chosen = (0..100).filter_map(|_| random_move(legal, &barred, &mut random));
            let chosen: std::collections::BTreeSet<&str> = chosen.collect();
            assert!(chosen.iter().eq(expected), "{legal} {barred:?} {chosen:?}");
        };
        check("a b c", &[], &["a", "b", "c"]);
        check("a b c", &["b"], &["a", "c"]);
        check("a", &["a"], &[]);
        check("", &[], &[]);
    }
}
