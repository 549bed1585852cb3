//! One connection in a room: a player who makes the script's moves on permission, or a spectator.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Semaphore;

use crate::socket::{Event, Sink, Source, next, send};
use crate::tally::Tally;

/// State shared by all connections.
pub(crate) struct Run {
    /// The moves of every game.
    pub script: Vec<String>,
    /// The measurements of the run.
    pub tally: Tally,
    /// For each room, the number of permitted moves.
    pub permissions: Vec<Semaphore>,
}

/// Plays one side: every second move of the script, from index `first`.
pub(crate) async fn plays(
    run: Arc<Run>,
    room: usize,
    first: usize,
    mut sink: Sink,
    mut source: Source,
) {
    let mut made = 0;
    while made < run.script.len() {
        if made % 2 == first && wait_for_permission(&run, room, &mut source).await {
            run.tally.sent(room, made);
            let message = json!({
                "v": 1, "id": format!("m{made}"), "type": "move",
                "move": run.script[made], "ply": made,
            });
            if let Err(error) = send(&mut sink, &message).await {
                return run.tally.wrong(error);
            }
        }
        if !one_more(&run, &mut source).await {
            return;
        }
        made += 1;
    }
}

/// Waits for the permission to move, and reads events meanwhile.
async fn wait_for_permission(run: &Run, room: usize, source: &mut Source) -> bool {
    loop {
        tokio::select! {
            permit = run.permissions[room].acquire() => {
                return permit.map(tokio::sync::SemaphorePermit::forget).is_ok();
            }
            event = next(source) => if let Event::Wrong(what) = event {
                run.tally.wrong(what);
                return false;
            }
        }
    }
}

/// A spectator: records when it sees each move.
pub(crate) async fn watches(run: Arc<Run>, room: usize, _sink: Sink, mut source: Source) {
    let mut seen = 0;
    while one_more(&run, &mut source).await {
        run.tally.seen(room, seen);
        seen += 1;
    }
}

/// Waits for the next move in the room, with a timeout.
async fn one_more(run: &Run, source: &mut Source) -> bool {
    loop {
        match next(source).await {
            Event::Moved => return true,
            Event::Other => {}
            Event::Wrong(what) => {
                run.tally.wrong(what);
                return false;
            }
        }
    }
}
