//! Counts of move sequences, from the fixture.

use sandboard_game_sdk::games::perft;
use serde_json::Value;

use super::*;

const FIXTURE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/chess/perft.json"));
/// Larger counts are left out; with `SLOW=1` more are compared.
const COUNT_MAX: u64 = 1_000_000;
const SLOW_COUNT_MAX: u64 = 300_000_000;

#[test]
fn published_counts_match() {
    let slow = std::env::var_os("SLOW").is_some();
    let most = if slow { SLOW_COUNT_MAX } else { COUNT_MAX };
    let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
    let records = fixture["records"].as_array().unwrap();
    assert_eq!(records.len(), 16);
    for record in records {
        assert!(record["source"].is_string(), "no source: {record}");
        let [id, text] = ["variant", "position"].map(|key| record[key].as_str().unwrap());
        let mut position = position(id, text);
        let mut compared = 0;
        for (depth, count) in record["perft"].as_object().unwrap() {
            let (depth, count) = (depth.parse().unwrap(), count.as_u64().unwrap());
            if count <= most {
                assert_eq!(perft(&mut position, depth), count, "depth {depth}: {record}");
                compared += 1;
            }
        }
        assert!(compared >= 3, "{compared} depths are compared: {record}");
    }
}
