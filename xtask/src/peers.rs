//! `cargo xtask bench peers`: compares our engines and solvers with external ones, one run for each
//! game. What these need is installed in `target/`, except system packages.

mod bridge;
mod fairy;
mod matches;
mod runner;
#[path = "../../tests/benches/shared/table.rs"]
#[allow(dead_code, reason = "this benchmark takes no medians")]
mod table;
mod xiangqi;

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// A game with an external program to compare with.
struct Peer {
    game: &'static str,
    run: fn(&Workspace, &[OsString]) -> Result<()>,
}

const PEERS: &[Peer] =
    &[Peer { game: "bridge", run: bridge::main }, Peer { game: "xiangqi", run: xiangqi::main }];

/// The comparison of runners of engines, which needs the path of another one.
const RUNNER: &str = "runner";

/// Runs the game that the first argument names, with the other arguments, or the comparison of
/// runners; without arguments, all games.
pub(crate) fn main(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else {
        return PEERS.iter().try_for_each(|peer| {
            eprintln!("== {}", peer.game);
            (peer.run)(workspace, &[])
        });
    };
    if name == RUNNER {
        return runner::main(workspace, rest);
    }
    match PEERS.iter().find(|peer| *name == *peer.game) {
        Some(peer) => (peer.run)(workspace, rest),
        None => {
            let games: Vec<&str> = PEERS.iter().map(|peer| peer.game).collect();
            bail!(
                "no comparison for the game `{}`; known ones: {}, {RUNNER}",
                name.display(),
                games.join(", ")
            )
        }
    }
}
