//! Positions solved by another program: the cards it scored must be the legal ones.

use serde_json::Value;

use super::{generated, read, text_of};
use crate::rules::{MoveSet, Rules};

#[test]
fn scored_cards_are_the_legal_ones() {
    const FIXTURE: &str = include_str!("../../../../tests/fixtures/bridge/endplay.json");
    let fixture: Value = serde_json::from_str(FIXTURE).expect("the fixture is JSON");
    let positions = fixture["positions"].as_array().expect("a list");
    let mut tricks = [0; 4];
    for position in positions {
        let text = |field: &str| position[field].as_str().expect("a text").to_owned();
        let cards: Vec<&str> =
            position["trick"].as_array().expect("a list").iter().flat_map(Value::as_str).collect();
        tricks[cards.len()] += 1;
        let trick = if cards.is_empty() { "-".to_owned() } else { cards.join(",") };
        let full = format!("{} {} {} {trick}", text("hands"), text("trump"), text("leader"));
        let game = read(&full);
        assert_eq!(text_of(&game), full);
        assert_eq!(u64::from(game.size()), position["cards_each_at_trick_start"]);
        assert_eq!(game.table().to_move().letter().to_string(), text("to_move"), "{full}");
        let mut legal = generated(&game, MoveSet::All);
        legal.sort();
        let mut scored: Vec<&String> =
            position["scores"].as_object().expect("scores").keys().collect();
        scored.sort();
        assert_eq!(legal.iter().collect::<Vec<_>>(), scored, "{full}");
        assert!(game.outcome().is_none());
    }
    assert!(positions.len() == 300 && tricks.iter().all(|count| *count > 20), "{tricks:?}");
}
