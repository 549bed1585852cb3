//! Which card is tried first. Wrong guesses cost time and nothing else. The points that are
//! looked at are those of DDS's account (who has the highest cards of a suit, who can ruff,
//! how few replies there are); the weights were found by counting positions. Before all comes the
//! card that settled a like situation ([`Cutoffs`](crate::cutoffs::Cutoffs)).

use crate::lanes::{LANE, count, lane, suit_of, top};
use crate::search::Trick;

/// Cards to be tried, the most promising taken first.
pub(crate) struct Moves {
    /// Points above, the number of the card's bit in the lowest six.
    list: [i32; 13],
    count: usize,
}

impl Moves {
    /// Without any judgement.
    pub(crate) fn as_they_lie(mut cards: u64) -> Moves {
        let mut moves = Moves { list: [0; 13], count: 0 };
        while cards != 0 {
            moves.push(0, cards & cards.wrapping_neg());
            cards &= cards - 1;
        }
        moves
    }

    /// The next card, and takes it away.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<u64> {
        let list = self.list.get_mut(..self.count)?;
        let (mut at, mut best) = (0, *list.first()?);
        for (place, points) in list.iter().enumerate().skip(1) {
            if *points > best {
                (at, best) = (place, *points);
            }
        }
        self.count -= 1;
        list.swap(at, self.count);
        Some(1 << (best & 63))
    }

    /// Takes away all cards of a set.
    #[inline(always)]
    pub(crate) fn drop(&mut self, cards: u64) {
        let mut kept = 0;
        for place in 0..self.count.min(13) {
            let points = self.list[place];
            self.list[kept] = points;
            kept += usize::from(cards >> (points & 63) & 1 == 0);
        }
        self.count = kept;
    }

    /// Puts a card before all others, if it is there.
    #[inline(always)]
    fn first(&mut self, card: u64) {
        let list = self.list.get_mut(..self.count).unwrap_or_default();
        if let Some(found) = list.iter_mut().find(|points| 1 << (**points & 63) == card) {
            *found = i32::MAX & !63 | *found & 63;
        }
    }

    #[inline(always)]
    fn push(&mut self, points: i32, card: u64) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = points << 6 | card.trailing_zeros() as i32;
            self.count += 1;
        }
    }
}

/// What the order of cards depends on.
pub(crate) struct View<'a> {
    pub(crate) hands: &'a [u64; 4],
    pub(crate) trump: bool,
    pub(crate) trick: &'a Trick,
    /// Who plays, and what can be played.
    pub(crate) hand: usize,
    pub(crate) cards: u64,
    /// The card to try first, 0 if unknown.
    pub(crate) known: u64,
}

impl View<'_> {
    pub(crate) fn moves(&self) -> Moves {
        let mut moves = Moves { list: [0; 13], count: 0 };
        if self.cards & (self.cards - 1) == 0 {
            moves.push(0, self.cards);
        } else if self.trick.at == 0 {
            self.leads(&mut moves);
        } else if self.cards & self.trick.led != 0 {
            self.following(&mut moves);
        } else {
            self.others(&mut moves);
        }
        if self.known != 0 {
            moves.first(self.known);
        }
        moves
    }

    fn of(&self, place: usize, suit: usize) -> u32 {
        lane(self.hands[(self.hand + place) & 3], suit)
    }

    fn leads(&self, moves: &mut Moves) {
        for suit in 0..4 {
            let mut cards = self.cards & LANE << (16 * suit);
            if cards == 0 {
                continue;
            }
            let (own, left, partner, right) =
                (self.of(0, suit), self.of(1, suit), self.of(2, suit), self.of(3, suit));
            let all = own | left | partner | right;
            let highest = top(all);
            let second = top(all ^ highest);
            let third = top(all ^ highest ^ second);
            let side = self.trump && suit != 0;
            let ruffed =
                side && (left == 0 && self.of(1, 0) != 0 || right == 0 && self.of(3, 0) != 0);
            let ruffs = side && partner == 0 && self.of(2, 0) != 0;
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
                && self.of(0, 0) != 0
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
                // Small cards first among those that do the same.
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
                moves.push(points, card);
            }
        }
    }

    /// The cards that the others have still to play, as far as they can beat a card of this lane.
    fn to_come(&self, suit: usize) -> (u32, bool) {
        let mut highest = 0;
        let mut ruffs = false;
        let mut place = 1;
        while self.trick.at + place < 4 {
            if place != 2 {
                let held = self.of(place, suit);
                highest |= held;
                ruffs |= self.trump && suit != 0 && held == 0 && self.of(place, 0) != 0;
            }
            place += 2;
        }
        (top(highest), ruffs)
    }

    fn following(&self, moves: &mut Moves) {
        let trick = self.trick;
        let suit = suit_of(trick.led);
        let shift = 16 * suit;
        // What wins so far: nothing of the suit helps against a ruff.
        let ruffed = trick.best & trick.led == 0;
        let best = if ruffed { u32::MAX } else { (trick.best >> shift) as u32 };
        let ours = trick.by & 1 == self.hand & 1;
        let (danger, ruffs) = self.to_come(suit);
        // The partner, if it plays after this.
        let partner = if trick.at == 1 { self.of(2, suit) } else { 0 };
        let partner_ruffs =
            trick.at == 1 && self.trump && suit != 0 && partner == 0 && self.of(2, 0) != 0;
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
                // Wins for certain.
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
                // Beats what is there and can be beaten.
                if trick.at == 2 { 25 - low } else { 5 + low }
            } else {
                20 + low
            };
            moves.push(points, card);
        }
    }

    fn others(&self, moves: &mut Moves) {
        let trick = self.trick;
        let led = suit_of(trick.led);
        let ours = trick.by & 1 == self.hand & 1;
        let (danger, ruffs) = self.to_come(led);
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
                self.discard(suit, rank)
            };
            moves.push(points, card);
        }
    }

    /// Throwing a card away.
    fn discard(&self, suit: usize, rank: u32) -> i32 {
        let own = self.of(0, suit);
        let others = self.of(1, suit) | self.of(2, suit) | self.of(3, suit);
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
