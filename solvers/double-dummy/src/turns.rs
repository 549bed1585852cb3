//! Deals that look the same from another seat: turned by some places and with its suits renamed, such a
//! deal is itself again. Values that are turned into each other are equal. No dealt deal is
//! like that; those that were made to be hard mostly are.

use sandboard_games::bridge::{Cards, Compass, Strain, Suit};

/// A turn of the seats by so many places clockwise, with the new name of each suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    places: usize,
    suits: [Suit; 4],
}

impl Turn {
    /// All that leave the deal as it is, but the one that turns nothing.
    pub(crate) fn of(hands: &[Cards; 4]) -> impl Iterator<Item = Turn> {
        (1..4).filter_map(|places| {
            let becomes = |from: Suit, to: &Suit| {
                Compass::ALL.into_iter().all(|of| {
                    let turned = hands[of.after(places).index()];
                    hands[of.index()].ranks(from) == turned.ranks(*to)
                })
            };
            let mut suits = Suit::ALL;
            let mut open = Suit::ALL.to_vec();
            for (name, suit) in suits.iter_mut().zip(Suit::ALL) {
                let at = open.iter().position(|to| becomes(suit, to))?;
                *name = open.remove(at);
            }
            Some(Turn { places, suits })
        })
    }

    /// What the turn makes of a declarer and a strain.
    pub(crate) fn apply(&self, declarer: Compass, strain: Strain) -> (Compass, Strain) {
        let strain = match strain.trump() {
            Some(trump) => Strain::Trump(self.suits[trump.index()]),
            None => Strain::NoTrump,
        };
        (declarer.after(self.places), strain)
    }
}
