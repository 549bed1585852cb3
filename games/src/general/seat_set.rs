//! Sets of seats.

use std::fmt;

use crate::rules::Seat;

/// A set of the seats 0 to 15.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SeatSet(u16);

impl SeatSet {
    /// The set without a seat.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// The set of one seat; empty for a seat above 15.
    pub const fn one(seat: Seat) -> SeatSet {
        if seat.0 < 16 { SeatSet(1 << seat.0) } else { SeatSet::EMPTY }
    }

    /// The seats from 0 to `count - 1`.
    pub const fn first(count: u8) -> SeatSet {
        if count < 16 { SeatSet((1 << count) - 1) } else { SeatSet(u16::MAX) }
    }

    /// The set with this seat.
    pub const fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | SeatSet::one(seat).0)
    }

    /// The set without this seat.
    pub const fn without(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 & !SeatSet::one(seat).0)
    }

    /// Whether the set has this seat.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & SeatSet::one(seat).0 != 0
    }

    /// Whether the set has no seat.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of seats.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The lowest seat; `None` if there is none.
    pub fn lowest(self) -> Option<Seat> {
        (!self.is_empty()).then(|| Seat(self.0.trailing_zeros() as u8))
    }

    /// The seats in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..16).map(Seat).filter(move |seat| self.contains(*seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}

impl fmt::Debug for SeatSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|seat| seat.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_the_seats_0_to_15() {
        let check = |set: SeatSet, expected: &[u8]| {
            assert_eq!(set.iter().map(|seat| seat.0).collect::<Vec<_>>(), expected);
            assert_eq!(set.lowest(), expected.first().copied().map(Seat));
            assert_eq!((set.len(), set.is_empty()), (expected.len(), expected.is_empty()));
            assert!((0..=255).all(|seat| set.contains(Seat(seat)) == expected.contains(&seat)));
        };
        let all: Vec<u8> = (0..16).collect();
        check(SeatSet::EMPTY, &[]);
        check(SeatSet::one(Seat(3)), &[3]);
        check(SeatSet::one(Seat(16)), &[]);
        check(SeatSet::first(0), &[]);
        check(SeatSet::first(3), &[0, 1, 2]);
        check(SeatSet::first(16), &all);
        check(SeatSet::first(255), &all);
        check([Seat(7), Seat(0), Seat(7), Seat(200)].into_iter().collect(), &[0, 7]);
        check(SeatSet::first(3).without(Seat(1)).with(Seat(15)), &[0, 2, 15]);
        assert_eq!(format!("{:?}", SeatSet::first(2)), "{0, 1}");
    }
}
