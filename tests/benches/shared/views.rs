//! Reads the JSON view of an arena of two players.

use serde_json::Value;

/// Score of the first player in percent.
pub(crate) fn percent(view: &Value) -> f64 {
    view["match_statistics"]["score"]["value"].as_f64().unwrap_or(0.0) * 100.0
}

/// Games that a player lost by a fault.
pub(crate) fn faults(view: &Value, player: usize) -> f64 {
    let kinds = view["players"][player]["totals"]["faults"].as_object().expect("faults have kinds");
    kinds.values().filter_map(Value::as_f64).sum()
}
