//! The engine of double-dummy bridge: it solves the deal, within its budget as far ahead
//! as that allows, and plays a card that gives no trick away; of those, the one after which
//! the opponents have most chances to. How the solver works: `docs/bridge.md`. Plays at full
//! strength or at one of ten levels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod budget;
mod player;

#[cfg(test)]
mod tests;

use sandboard_sdk::abi::Description;
use sandboard_sdk::games::bridge::Bridge;
use sandboard_sdk::{
    Chooser, Host, LEVELS, NewGame, Noise, Reply, Task, Turn, export_engine, level_option, whole,
};

use player::{Player, TRICK};

/// How many tricks the levels look ahead, and by how much they are mistaken, in
/// [`TRICK`]ths.
const SKILLS: [(u32, i32); LEVELS] = [
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

/// The engine: its player is made when the game begins.
#[derive(Default)]
struct BridgeDd {
    player: Option<Player>,
    leveled: bool,
}

impl Chooser for BridgeDd {
    type Rules = Bridge;

    fn next_move(&mut self, turn: &mut Turn<'_, Bridge>) -> Reply<Bridge> {
        let task = Task { limits: turn.limits, barred: turn.barred, host: turn.host };
        let chosen = self.player.as_mut().and_then(|player| player.choose(turn.position, task));
        chosen.map_or_else(Reply::resign, |(card, line)| Reply::play(card).with_line(line))
    }

    fn describe(description: &mut Description) {
        description.name = "Bridge Double Dummy".into();
        description.abilities.ponders = true;
        description.abilities.proves = true;
        description.options = vec![
            level_option(),
            whole("tricks", 0..=13, 0, "look no more tricks ahead; 0: as the budget has it"),
            whole("table-mib", 1..=1024, 24, "memory of the table of positions"),
        ];
    }

    fn started(&mut self, game: &NewGame<'_, Bridge>) -> Result<(), String> {
        let skill = usize::try_from(game.whole("level")).ok();
        let skill = skill.and_then(|level| SKILLS.get(level.checked_sub(1)?)).copied();
        self.leveled = skill.is_some();
        let tricks = u32::try_from(game.whole("tricks")).ok().filter(|tricks| *tricks > 0);
        let (ahead, noise) = skill.unwrap_or((u32::MAX, 0));
        let ahead = tricks.map_or(ahead, |tricks| tricks.min(ahead));
        let noise = Noise { size: noise, seed: game.setup.seed };
        self.player = Some(Player::new(game.table_bytes("table-mib"), ahead, noise));
        Ok(())
    }

    fn ponders(&self) -> bool {
        !self.leveled
    }

    fn ponder(&mut self, position: &Bridge, host: &Host) {
        if let Some(player) = &mut self.player {
            player.ponder(position, host);
        }
    }
}

export_engine!(BridgeDd);
