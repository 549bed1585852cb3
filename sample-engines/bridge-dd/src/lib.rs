//! The engine of double-dummy bridge. It solves the deal, or as many tricks as its budget allows,
//! and plays a card that gives no trick away. Among several, it plays the one after which most of
//! the next opponent's cards give a trick away. How the solver works: `docs/bridge.md`. It plays at
//! full strength or at one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod budget;
mod player;

#[cfg(test)]
mod tests;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::bridge::Bridge;
use sandboard_sdk::{
    Chooser, Host, LEVELS, NewGame, Noise, Reply, SearchTask, Turn, export_engine, level_option,
    whole_option,
};

use player::{Player, TRICK};

/// The levels of strength: tricks searched ahead, and noise, whose unit is one [`TRICK`]th of a
/// trick.
const LEVEL_TABLE: [(u32, i32); LEVELS] = [
    (1, 3 * TRICK),
    (1, 2 * TRICK),
    (1, TRICK),
    (2, TRICK),
    (2, TRICK / 2),
    (3, TRICK / 2),
    (4, TRICK / 2),
    (5, TRICK / 4),
    (6, TRICK / 4),
    (8, 0),
];

/// The engine; its player is made when a game begins.
#[derive(Default)]
struct BridgeDd {
    player: Option<Player>,
    has_level: bool,
}

impl Chooser for BridgeDd {
    type Rules = Bridge;

    fn next_move(&mut self, turn: &mut Turn<'_, Bridge>) -> Reply<Bridge> {
        let task = SearchTask { limits: turn.limits, barred: turn.barred, host: turn.host };
        let chosen = self.player.as_mut().and_then(|player| player.choose(turn.position, task));
        chosen.map_or_else(Reply::resign, |(card, line)| Reply::play(card).with_line(line))
    }

    fn describe(description: &mut Description) {
        description.name = "Bridge Double Dummy".into();
        description.abilities.ponders = true;
        description.abilities.proves = true;
        description.options = vec![
            level_option(),
            whole_option(
                "tricks",
                0..=13,
                0,
                "maximum number of tricks ahead; 0: limited by the budget only",
            ),
            whole_option("table-mib", 1..=1024, 24, "memory of the transposition tables"),
        ];
    }

    fn started(&mut self, game: &NewGame<'_, Bridge>) -> Result<(), String> {
        let level = usize::try_from(game.whole("level")).ok();
        let level = level.and_then(|level| LEVEL_TABLE.get(level.checked_sub(1)?)).copied();
        self.has_level = level.is_some();
        let tricks = u32::try_from(game.whole("tricks")).ok().filter(|tricks| *tricks > 0);
        let (tricks_ahead, noise) = level.unwrap_or((u32::MAX, 0));
        let tricks_ahead = tricks.map_or(tricks_ahead, |tricks| tricks.min(tricks_ahead));
        let noise = Noise { size: noise, seed: game.setup.seed };
        self.player = Some(Player::new(game.table_bytes("table-mib"), tricks_ahead, noise));
        Ok(())
    }

    fn ponders(&self) -> bool {
        !self.has_level
    }

    fn ponder(&mut self, position: &Bridge, host: &Host) {
        if let Some(player) = &mut self.player {
            player.ponder(position, host);
        }
    }
}

export_engine!(BridgeDd);
