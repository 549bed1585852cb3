//! `cargo xtask bench peers`: ours beside programs of others, in one run for each game. What the
//! others need is kept below `target/`, but for packages of the system.

mod bridge;
mod fairy;
mod matches;
#[path = "../../../tests/benches/shared/table.rs"]
#[allow(dead_code, reason = "no medians are taken here")]
mod table;
mod xiangqi;

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// A game in which ours is measured beside a peer.
struct Peer {
    game: &'static str,
    run: fn(&Workspace, &[OsString]) -> Result<()>,
}

const PEERS: &[Peer] =
    &[Peer { game: "bridge", run: bridge::main }, Peer { game: "xiangqi", run: xiangqi::main }];

/// The game that is named first, with what else is said; all of them where nothing is.
pub fn main(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else {
        return PEERS.iter().try_for_each(|peer| {
            eprintln!("== {}", peer.game);
            (peer.run)(workspace, &[])
        });
    };
    match PEERS.iter().find(|peer| *name == *peer.game) {
        Some(peer) => (peer.run)(workspace, rest),
        None => {
            let games: Vec<&str> = PEERS.iter().map(|peer| peer.game).collect();
            bail!("no game `{}` has a peer; name one of: {}", name.display(), games.join(", "))
        }
    }
}
