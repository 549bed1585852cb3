//! Boards as JSON. Reading is strict: it accepts what `docs/board.schema.json` describes.

use serde_json::Value;

use super::Board;

/// The longest JSON text of a board that is read, in bytes.
pub const MAX_JSON_BYTES: usize = 64 << 10;

impl Board {
    /// The board as JSON, in one line. Fields with their default values are left out.
    pub fn to_json(&self) -> String {
        // No map has a key that is not a text.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a board. Err: why the text is not a board, one clause without a full stop. The limits
    /// and the places are checked by [`check`](Board::check).
    pub fn from_json(text: &str) -> Result<Self, String> {
        if text.len() > MAX_JSON_BYTES {
            return Err(format!("has {} bytes; at most {MAX_JSON_BYTES}", text.len()));
        }
        let board: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        // Serde reads structures from arrays and variants from objects, too.
        let [given, written] = [serde_json::from_str(text), serde_json::to_value(&board)];
        match given.and_then(|given: Value| written.map(|written| same_kinds(&given, &written))) {
            Ok(true) => Ok(board),
            Ok(false) => Err("a value has another type than the schema says".into()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Whether both values have the same types in the same places. The second one may lack members that
/// have their default values.
fn same_kinds(given: &Value, written: &Value) -> bool {
    match (given, written) {
        (Value::Object(given), Value::Object(written)) => {
            given.iter().all(|(name, value)| match written.get(name) {
                Some(other) => same_kinds(value, other),
                None => !value.is_null() && !value.is_object(),
            })
        }
        (Value::Array(given), Value::Array(written)) => {
            given.len() == written.len()
                && given.iter().zip(written).all(|(one, other)| same_kinds(one, other))
        }
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Null, Value::Null) => true,
        _ => false,
    }
}
