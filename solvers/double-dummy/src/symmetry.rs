//! Symmetries of a deal: a rotation of the seats with renamed suits that maps the deal to itself.
//! Values mapped to each other are equal. Random deals have no symmetries; constructed hard deals
//! often do.

use sandboard_games::bridge::{Cards, Compass, Strain, Suit};

/// A rotation of the seats by `places` clockwise, with the new name of each suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetry {
    places: usize,
    suits: [Suit; 4],
}

impl Symmetry {
    /// All symmetries of a deal except the identity.
    pub(crate) fn of(hands: &[Cards; 4]) -> impl Iterator<Item = Symmetry> {
        (1..4).filter_map(|places| {
            let becomes = |from: Suit, to: &Suit| {
                Compass::ALL.into_iter().all(|seat| {
                    let rotated = hands[seat.after(places).index()];
                    hands[seat.index()].ranks(from) == rotated.ranks(*to)
                })
            };
            let mut suits = Suit::ALL;
            let mut open = Suit::ALL.to_vec();
            for (name, suit) in suits.iter_mut().zip(Suit::ALL) {
                let index = open.iter().position(|to| becomes(suit, to))?;
                *name = open.remove(index);
            }
            Some(Symmetry { places, suits })
        })
    }

    /// Maps a declarer and a strain.
    pub(crate) fn apply(&self, declarer: Compass, strain: Strain) -> (Compass, Strain) {
        let strain = match strain.trump() {
            Some(trump) => Strain::Trump(self.suits[trump.index()]),
            None => Strain::NoTrump,
        };
        (declarer.after(self.places), strain)
    }
}
