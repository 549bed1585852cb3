//! Search depths of a match's players, from the lines in its records.

use std::path::Path;

use sandboard_arena::OpenFolder;
use serde_json::Value;

/// The mean depth of each player's moves, in plies, over all games of a match, without moves that
/// had no search.
pub(crate) fn means(folder: &Path) -> [f64; 2] {
    let mut sums = [(0.0, 0.0); 2];
    let folder = OpenFolder::open_to_read(folder).expect("a match keeps its games");
    let games = folder.wait(folder.reader().accepted()).expect("its games can be listed");
    for game in games {
        let text = folder.record(&game.game.name()).expect("a record can be read");
        let record: Value = serde_json::from_slice(&text).expect("a record is JSON");
        for ply in record["plies"].as_array().expect("a record has plies") {
            let depth = ply["line"]["depth"].as_f64().filter(|depth| *depth > 0.0);
            if let Some((depth, player)) = depth.zip(owner(&record, &ply["seat"])) {
                sums[player].0 += depth;
                sums[player].1 += 1.0;
            }
        }
    }
    sums.map(|(sum, count)| sum / f64::max(count, 1.0))
}

/// The player that has a seat: 0 is the match's first in all its games.
fn owner(record: &Value, seat: &Value) -> Option<usize> {
    let players = record["players"].as_array()?;
    let owns =
        |player: &Value| player["seats"].as_array().is_some_and(|seats| seats.contains(seat));
    players.iter().position(owns).filter(|player| *player < 2)
}
