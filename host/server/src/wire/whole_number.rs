//! Reads whole numbers of requests. In JSON, `3.0` is the same number as `3`, and the OpenAPI
//! document says `integer` for both.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A whole number, read from any spelling of it.
struct WholeNumber<T>(T);

impl<'de, T: TryFrom<i128>> Deserialize<'de> for WholeNumber<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeNumberVisitor(PhantomData)).map(Self)
    }
}

struct WholeNumberVisitor<T>(PhantomData<T>);

impl<T: TryFrom<i128>> WholeNumberVisitor<T> {
    fn in_range<E: Error>(number: i128) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::custom(format!("{number} is out of range")))
    }
}

impl<T: TryFrom<i128>> Visitor<'_> for WholeNumberVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        Self::in_range(number.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        Self::in_range(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        match number.fract() == 0.0 {
            // Saturates far beyond the range of every type.
            true => Self::in_range(number as i128),
            false => Err(E::custom(format!("{number} is not a whole number"))),
        }
    }
}

/// Reads a field that must be there.
pub(crate) fn one<'de, T: TryFrom<i128>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    WholeNumber::deserialize(from).map(|WholeNumber(number)| number)
}

/// Reads a field that may be null.
pub(crate) fn optional<'de, T: TryFrom<i128>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<WholeNumber<T>>::deserialize(from)?.map(|WholeNumber(number)| number))
}

/// Reads a list.
pub(crate) fn list<'de, T: TryFrom<i128>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let numbers = Vec::<WholeNumber<T>>::deserialize(from)?;
    Ok(numbers.into_iter().map(|WholeNumber(number)| number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_several_spellings() {
        let check = |text: &str, expected: Option<u8>| {
            let found = serde_json::from_str::<WholeNumber<u8>>(text);
            assert_eq!(found.ok().map(|WholeNumber(number)| number), expected, "{text}");
        };
        check("7", Some(7));
        check("7.0", Some(7));
        check("70e-1", Some(7));
        check("2.55e2", Some(255));
        check("256", None);
        check("256.0", None);
        check("1e300", None);
        check("-1", None);
        check("-0.0", Some(0));
        check("0.5", None);
        check("\"7\"", None);
        check("null", None);
        let largest = serde_json::from_str::<WholeNumber<i64>>("9223372036854775807");
        assert_eq!(largest.ok().map(|WholeNumber(number)| number), Some(i64::MAX));
    }
}
