//! The values that fields of a board have in JSON if they are left out.
#![cfg_attr(not(feature = "json"), allow(dead_code))]

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn one() -> u16 {
    1
}

pub(super) fn is_one(count: &u16) -> bool {
    *count == 1
}
