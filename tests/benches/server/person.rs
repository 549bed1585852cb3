//! One connection's part in a room: a player who makes the script's moves when he is let, or a
//! spectator who looks on.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Semaphore;

use crate::socket::{Event, Sink, Source, next, send};
use crate::tally::Tally;

/// What everybody in the rooms knows.
pub struct Run {
    /// The moves of every game.
    pub script: Vec<String>,
    /// What is measured.
    pub tally: Tally,
    /// For each room, how many moves may still be made.
    pub leave: Vec<Semaphore>,
}

/// Makes every second move of the script, from the first or the second on.
pub async fn plays(run: Arc<Run>, room: usize, first: usize, mut sink: Sink, mut source: Source) {
    let mut made = 0;
    while made < run.script.len() {
        if made % 2 == first && leave(&run, room, &mut source).await {
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

/// Waits for leave to make a move, and hears meanwhile what else there is to hear.
async fn leave(run: &Run, room: usize, source: &mut Source) -> bool {
    loop {
        tokio::select! {
            permit = run.leave[room].acquire() => {
                return permit.map(tokio::sync::SemaphorePermit::forget).is_ok();
            }
            event = next(source) => if let Event::Wrong(what) = event {
                run.tally.wrong(what);
                return false;
            }
        }
    }
}

/// Looks on, and says when it saw each move.
pub async fn watches(run: Arc<Run>, room: usize, _sink: Sink, mut source: Source) {
    let mut seen = 0;
    while one_more(&run, &mut source).await {
        run.tally.seen(room, seen);
        seen += 1;
    }
}

/// Waits for the next move in the room; not for ever, where something goes wrong.
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
