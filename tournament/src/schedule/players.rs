//! The players of a table, and what each of them won there: short lists that are copied.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The most players of a table.
pub const SEATS_MAX: usize = 16;

/// A list of at most [`SEATS_MAX`] values that is copied like a number. It is serialized as an
/// array.
#[derive(Clone, Copy)]
pub struct SeatList<T> {
    values: [T; SEATS_MAX],
    count: u8,
}

/// The numbers of the players of a table.
pub type Players = SeatList<u32>;
/// The half points of each player of a table, in the order of the players.
pub type HalfPoints = SeatList<u16>;

impl<T: Copy + Default> SeatList<T> {
    /// A list of these values; only the first [`SEATS_MAX`] are kept.
    pub fn new(values: impl IntoIterator<Item = T>) -> Self {
        let mut list = Self { values: [T::default(); SEATS_MAX], count: 0 };
        for (place, value) in list.values.iter_mut().zip(values) {
            *place = value;
            list.count += 1;
        }
        list
    }

    /// The two values of a list of two.
    pub fn both(&self) -> Option<[T; 2]> {
        self[..].try_into().ok()
    }
}

impl<T> Deref for SeatList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[..usize::from(self.count)]
    }
}

impl<T: Copy + Default, const N: usize> From<[T; N]> for SeatList<T> {
    /// The same values.
    fn from(values: [T; N]) -> Self {
        const { assert!(N <= SEATS_MAX) };
        Self::new(values)
    }
}

impl<T: Copy + Default> FromIterator<T> for SeatList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::new(values)
    }
}

impl<T: PartialEq> PartialEq for SeatList<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for SeatList<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T: Eq> Eq for SeatList<T> {}

impl<T: PartialOrd> PartialOrd for SeatList<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord> Ord for SeatList<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: fmt::Debug> fmt::Debug for SeatList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Serialize> Serialize for SeatList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Copy + Default + Deserialize<'de>> Deserialize<'de> for SeatList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<T>::deserialize(deserializer)?;
        match values.len() {
            ..=SEATS_MAX => Ok(Self::new(values)),
            more => Err(de::Error::custom(format!("{more} players are more than {SEATS_MAX}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Result<&[u32], &str>) {
        let found = serde_json::from_str::<Players>(json).map_err(|error| error.to_string());
        match (&found, expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!(&found[..], expected);
                assert_eq!(serde_json::to_string(found).unwrap(), json);
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            _ => panic!("{json}: {found:?}"),
        }
    }

    #[test]
    fn lists_are_read_and_written_as_arrays() {
        check("[]", Ok(&[]));
        check("[7,3]", Ok(&[7, 3]));
        check("[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", Ok(&(0..16).collect::<Vec<_>>()));
        let long = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]";
        check(long, Err("17 players are more than 16"));
        check("[-1]", Err("invalid value"));
    }

    #[test]
    fn lists_compare_like_slices() {
        assert_eq!(Players::from([1, 2]), [1, 2]);
        assert_ne!(Players::from([1, 2]), Players::from([1, 2, 0]));
        assert!(Players::from([1, 9]) < Players::from([2]));
        assert_eq!(Players::from([4, 5]).both(), Some([4, 5]));
        assert_eq!(Players::from([4, 5, 6]).both(), None);
    }
}
