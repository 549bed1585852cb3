//! Reads objects of requests. By itself, serde also reads a struct from an array of its fields'
//! values, which the OpenAPI document does not allow.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// A struct that is read from an object only.
pub(crate) struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(ObjectDeserializer(deserializer)).map(Self)
    }
}

/// Reads every value as an object.
struct ObjectDeserializer<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectDeserializer<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

/// Reads a field that must be there.
pub(crate) fn one<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Object::deserialize(from).map(|Object(value)| value)
}

/// Reads a field that may be null.
pub(crate) fn optional<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(from)?.map(|Object(value)| value))
}

/// Reads a list.
pub(crate) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Object<T>>::deserialize(from)?;
    Ok(objects.into_iter().map(|Object(value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::NewRoom;

    #[test]
    fn arrays_are_no_objects() {
        let check = |text: &str, expected: bool| {
            let found = serde_json::from_str::<Object<NewRoom>>(text);
            assert_eq!(found.is_ok(), expected, "{text}");
        };
        check(r#"{"game": "x", "players": []}"#, true);
        check(r#"["x", "", null, [], []]"#, false);
        check(r#"{"game": "x", "players": [], "settings": {}}"#, true);
        check(r#"{"game": "x", "players": [], "settings": []}"#, false);
        check(r#"{"game": "x", "players": [], "hint": null}"#, true);
        check(r#"{"game": "x", "players": [], "hint": {"id": "y"}}"#, true);
        check(r#"{"game": "x", "players": [], "hint": ["y"]}"#, false);
        check(r#"{"game": "x", "players": [{"seats": [0], "budget": "", "person": {}}]}"#, true);
        check(r#"{"game": "x", "players": [{"seats": [0], "budget": "", "person": []}]}"#, false);
        check(r#"{"game": "x", "players": [["Ann", [0], ""]]}"#, false);
    }
}
