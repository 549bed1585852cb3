//! What the host tells of an arena of two players, read from its JSON.

use serde_json::Value;

/// Points of the first player in a hundred.
pub fn percent(view: &Value) -> f64 {
    view["duel"]["score"]["value"].as_f64().unwrap_or(0.0) * 100.0
}

/// Games that a player lost by doing something wrong.
pub fn faults(view: &Value, player: usize) -> f64 {
    let kinds = view["players"][player]["totals"]["faults"].as_object().expect("faults have kinds");
    kinds.values().filter_map(Value::as_f64).sum()
}
