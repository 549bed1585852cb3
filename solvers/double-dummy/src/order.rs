//! The move ordering: which card to try first. It affects only the time of a search. The features
//! are those of the description of DDS (who has the highest cards of a suit, who can ruff, how many
//! replies there are); the weights were tuned by counting positions. The card of the
//! [`CutoffTable`](crate::cutoff_table::CutoffTable) comes before all others.

use crate::lanes::{LANE, count, lane, suit_of, top};
use crate::search::Trick;

/// The cards to try, taken in the order of their points.
pub(crate) struct OrderedCards {
    /// The points, with the bit number of the card in the lowest six bits.
    list: [i32; 13],
    count: usize,
}

impl OrderedCards {
    /// The cards without points.
    pub(crate) fn unordered(mut cards: u64) -> OrderedCards {
        let mut ordered = OrderedCards { list: [0; 13], count: 0 };
        while cards != 0 {
            ordered.push(0, cards & cards.wrapping_neg());
            cards &= cards - 1;
        }
        ordered
    }

    /// Removes and returns the next card.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<u64> {
        let list = self.list.get_mut(..self.count)?;
        let (mut best_index, mut best) = (0, *list.first()?);
        for (index, points) in list.iter().enumerate().skip(1) {
            if *points > best {
                (best_index, best) = (index, *points);
            }
        }
        self.count -= 1;
        list.swap(best_index, self.count);
        Some(1 << (best & 63))
    }

    /// Removes a set of cards.
    #[inline(always)]
    pub(crate) fn remove(&mut self, cards: u64) {
        let mut kept = 0;
        for index in 0..self.count.min(13) {
            let points = self.list[index];
            self.list[kept] = points;
            kept += usize::from(cards >> (points & 63) & 1 == 0);
        }
        self.count = kept;
    }

    /// Moves a card to the front, if it is in the list.
    #[inline(always)]
    fn move_to_front(&mut self, card: u64) {
        let list = self.list.get_mut(..self.count).unwrap_or_default();
        if let Some(found) = list.iter_mut().find(|points| 1 << (**points & 63) == card) {
            *found = i32::MAX & !63 | *found & 63;
        }
    }

    #[inline(always)]
    fn push(&mut self, points: i32, card: u64) {
        if let Some(slot) = self.list.get_mut(self.count) {
            *slot = points << 6 | card.trailing_zeros() as i32;
            self.count += 1;
        }
    }
}

/// The situation in which cards are ordered.
pub(crate) struct OrderingContext<'a> {
    pub(crate) hands: &'a [u64; 4],
    pub(crate) trump: bool,
    pub(crate) trick: &'a Trick,
    /// The hand to play, and its candidate cards.
    pub(crate) hand: usize,
    pub(crate) cards: u64,
    /// The card to try first; 0 if there is none.
    pub(crate) first: u64,
}

impl OrderingContext<'_> {
    pub(crate) fn ordered(&self) -> OrderedCards {
        let mut ordered = OrderedCards { list: [0; 13], count: 0 };
        if self.cards & (self.cards - 1) == 0 {
            ordered.push(0, self.cards);
        } else if self.trick.played == 0 {
            self.order_leads(&mut ordered);
        } else if self.cards & self.trick.led != 0 {
            self.order_followers(&mut ordered);
        } else {
            self.order_discards_and_ruffs(&mut ordered);
        }
        if self.first != 0 {
            ordered.move_to_front(self.first);
        }
        ordered
    }

    fn holding(&self, offset: usize, suit: usize) -> u32 {
        lane(self.hands[(self.hand + offset) & 3], suit)
    }

    fn order_leads(&self, ordered: &mut OrderedCards) {
        for suit in 0..4 {
            let mut cards = self.cards & LANE << (16 * suit);
            if cards == 0 {
                continue;
            }
            let (own, left, partner, right) = (
                self.holding(0, suit),
                self.holding(1, suit),
                self.holding(2, suit),
                self.holding(3, suit),
            );
            let all = own | left | partner | right;
            let highest = top(all);
            let second = top(all ^ highest);
            let third = top(all ^ highest ^ second);
            let side = self.trump && suit != 0;
            let ruffed = side
                && (left == 0 && self.holding(1, 0) != 0 || right == 0 && self.holding(3, 0) != 0);
            let ruffs = side && partner == 0 && self.holding(2, 0) != 0;
            let weight = |held: u32| match count(held) {
                0 => self.trick.left as i32 + 1,
                some => some as i32,
            };
            let mut base = -(weight(left) + weight(right)) * 8;
            let ours = own | partner;
            if ruffed {
                base -= 12;
            }
            if ruffs && right != 0 {
                base += 17;
            }
            if (highest | second) & right != 0 {
                if count(right) != 1 {
                    base -= 11;
                }
            } else if highest & left != 0 && second & partner != 0 && count(partner) != 1 {
                base += 28;
            }
            if side
                && count(own) == 1
                && self.holding(0, 0) != 0
                && highest & partner != 0
                && count(partner) > 1
            {
                base += 19;
            }
            let partner_wins = !ruffed && (ruffs || partner > (left | right));
            let shifted = 16 * suit;
            while cards != 0 {
                let card = cards & cards.wrapping_neg();
                cards ^= card;
                let rank = (card >> shifted) as u32;
                let higher = count(all & !(rank | (rank - 1))) as i32;
                // Among equivalent plays, low cards first.
                let small = higher;
                let mut points = base;
                if partner_wins || rank == highest && !ruffed {
                    points += if highest & own != 0 {
                        if second & partner != 0 {
                            48 + small
                        } else if rank == highest {
                            if second & ours != 0 { 44 } else { 31 }
                        } else {
                            small - 3
                        }
                    } else if highest & partner != 0 {
                        if second & own != 0 { 42 + small } else { 28 + small }
                    } else {
                        22 + small
                    };
                } else {
                    if second & partner != 0 && third & partner != 0 {
                        points += 20;
                    } else if second & ours != 0 && third & ours != 0 && count(partner) > 1 {
                        points += 13;
                    }
                    let alone = highest & left != 0 && count(left) == 1
                        || highest & right != 0 && count(right) == 1;
                    points += if alone {
                        small + 8
                    } else if highest & own != 0 {
                        if rank == highest { 30 } else { small - 14 }
                    } else if highest & partner != 0 {
                        30 + small
                    } else if rank == second && third & own != 0 {
                        35
                    } else {
                        10 + small
                    };
                }
                ordered.push(points, card);
            }
        }
    }

    /// The highest card of the opponents still to play, and whether one of them can ruff.
    fn opponents_to_play(&self, suit: usize) -> (u32, bool) {
        let mut highest = 0;
        let mut ruffs = false;
        let mut offset = 1;
        while self.trick.played + offset < 4 {
            if offset != 2 {
                let held = self.holding(offset, suit);
                highest |= held;
                ruffs |= self.trump && suit != 0 && held == 0 && self.holding(offset, 0) != 0;
            }
            offset += 2;
        }
        (top(highest), ruffs)
    }

    fn order_followers(&self, ordered: &mut OrderedCards) {
        let trick = self.trick;
        let suit = suit_of(trick.led);
        let shift = 16 * suit;
        // The winning card so far; no card of the suit beats a ruff.
        let ruffed = trick.best & trick.led == 0;
        let best = if ruffed { u32::MAX } else { (trick.best >> shift) as u32 };
        let ours = trick.winner & 1 == self.hand & 1;
        let (danger, ruffs) = self.opponents_to_play(suit);
        // The cards of the partner, if it still has to play.
        let partner = if trick.played == 1 { self.holding(2, suit) } else { 0 };
        let partner_ruffs =
            trick.played == 1 && self.trump && suit != 0 && partner == 0 && self.holding(2, 0) != 0;
        let partner_wins =
            partner_ruffs && !ruffs || !ruffs && top(partner) > danger && (top(partner) > best);
        let held = ours && danger < best && !ruffs;
        let mut cards = self.cards;
        while cards != 0 {
            let card = cards & cards.wrapping_neg();
            cards ^= card;
            let rank = (card >> shift) as u32;
            let low = -(rank.trailing_zeros() as i32);
            let points = if rank > best && rank > danger && !ruffs {
                // Certain to win the trick.
                if held {
                    low
                } else if partner_wins {
                    10 + low
                } else {
                    60 + low
                }
            } else if held || partner_wins {
                30 + low
            } else if rank > best {
                // Beats the current winner but can be beaten.
                if trick.played == 2 { 25 - low } else { 5 + low }
            } else {
                20 + low
            };
            ordered.push(points, card);
        }
    }

    fn order_discards_and_ruffs(&self, ordered: &mut OrderedCards) {
        let trick = self.trick;
        let led = suit_of(trick.led);
        let ours = trick.winner & 1 == self.hand & 1;
        let (danger, ruffs) = self.opponents_to_play(led);
        let best_suit = suit_of(trick.best);
        let best = (trick.best >> (16 * best_suit)) as u32;
        let held = ours && !ruffs && (best_suit != led || danger < best);
        let mut cards = self.cards;
        while cards != 0 {
            let card = cards & cards.wrapping_neg();
            cards ^= card;
            let suit = suit_of(card);
            let rank = (card >> (16 * suit)) as u32;
            let low = -(rank.trailing_zeros() as i32);
            let points = if self.trump && suit == 0 {
                let wins = trick.best & LANE == 0 || card > trick.best;
                match (wins, held) {
                    (true, false) => 60 + low,
                    (true, true) => -10 + low,
                    (false, _) => -30 + low,
                }
            } else {
                self.discard_points(suit, rank)
            };
            ordered.push(points, card);
        }
    }

    /// The points of a discard.
    fn discard_points(&self, suit: usize, rank: u32) -> i32 {
        let own = self.holding(0, suit);
        let others = self.holding(1, suit) | self.holding(2, suit) | self.holding(3, suit);
        let length = count(own) as i32;
        let highest = top(own | others);
        let second = top((own | others) ^ highest);
        let mut points = 2 * length - 2 * (rank.trailing_zeros() as i32);
        if own & highest != 0 && length == 1 || own & second != 0 && length == 2 {
            points -= 8;
        }
        if rank == highest {
            points -= 10;
        }
        points
    }
}
