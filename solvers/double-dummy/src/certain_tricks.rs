//! Counts tricks that are certain at the start of a trick, without search: quick tricks, which the
//! side on lead takes at once, and later tricks, which the other side cannot be prevented from
//! taking. After Haglund and Hein's description of DDS. The counts are lower bounds. Each count
//! comes with the cards whose ranks it depends on.

use crate::lanes::{LANE, above, count, lane, nth_highest, top};

/// Certain tricks, with the lowest cards of each suit whose ranks make them certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CertainTricks {
    pub(crate) tricks: u32,
    pub(crate) marked: u64,
}

/// The holdings of the hand on lead and its partner in one suit.
#[derive(Clone, Copy, Default)]
struct Holding {
    own: u32,
    partner: u32,
    /// The cards of each that are above all cards of the opponents.
    own_top: u32,
    partner_top: u32,
    own_len: u32,
    partner_len: u32,
    /// The length of the longer holding of the opponents.
    theirs: u32,
    /// The number of rounds before an opponent could ruff.
    rounds: u32,
    /// The tricks that the hand on lead takes while staying on lead.
    cash: u32,
}

/// More rounds than a suit can have.
const NO_LIMIT: u32 = 14;

impl Holding {
    fn new(hands: &[u64; 4], leader: usize, suit: usize) -> Holding {
        let of = |place: usize| lane(hands[(leader + place) & 3], suit);
        let (own, left, partner, right) = (of(0), of(1), of(2), of(3));
        let (own_top, partner_top) = (above(own, left | right), above(partner, left | right));
        let mut holding = Holding { own, partner, own_top, partner_top, ..Holding::default() };
        if own_top | partner_top != 0 {
            holding.own_len = count(own);
            holding.partner_len = count(partner);
            holding.theirs = count(left).max(count(right));
        }
        holding.rounds = NO_LIMIT;
        holding
    }

    /// Whether the side on lead has the highest card.
    fn has_tops(&self) -> bool {
        self.own_top | self.partner_top != 0
    }

    /// The number of cards of the partner that an opponent can beat.
    fn partner_low(&self) -> u32 {
        self.partner_len - count(self.partner_top)
    }

    /// The number of rounds that the hand on lead wins from the top without losing the lead to its
    /// partner.
    fn cashable(&self) -> u32 {
        let tops = count(self.own_top);
        let safe = count(above(self.own_top, self.partner));
        let mut cash = tops.min(self.partner_low()).max(safe);
        if cash >= self.theirs && cash >= self.partner_len {
            cash = self.own_len;
        }
        cash.min(self.rounds)
    }

    /// The lowest own card that the cashed tricks depend on; 0 if no other hand can follow.
    fn cash_mark(&self) -> u32 {
        match self.cash.min(self.theirs.max(self.partner_len)) {
            0 => 0,
            ranked => nth_highest(self.own, ranked - 1),
        }
    }

    /// The winners that the partner still has when the hand on lead has cashed this number of
    /// tricks.
    fn partner_left(&self, cashed: u32) -> u32 {
        let spent = cashed.saturating_sub(self.partner_low());
        count(self.partner_top).saturating_sub(spent)
    }

    /// The tricks that the partner cashes later, when it gets the lead in another suit.
    fn partner_cash(&self) -> u32 {
        let mut left = self.partner_left(self.cash);
        let own_left = self.own_len.saturating_sub(self.cash);
        if count(self.own_top) > self.cash {
            // Uncashed winners must not take the lead back.
            left = left.min(self.own_len - count(self.own_top));
        }
        if self.cash + left >= self.theirs && own_left <= left {
            left = self.partner_len.saturating_sub(self.cash);
        }
        left.min(self.rounds - self.cash)
    }

    /// A transfer of the lead to the partner in this suit: the tricks of the hand on lead before
    /// it, and the tricks of the partner after it. `None` if there is no such transfer.
    fn transfer(&self) -> Option<(u32, u32)> {
        if self.partner_top == 0 || self.own_len == 0 || self.rounds == 0 {
            return None;
        }
        let lowest = self.own & self.own.wrapping_neg();
        if lowest > top(self.partner_top) {
            return None;
        }
        let own_tops = count(self.own_top);
        let first = self.cash.min(self.own_len - 1).min(self.rounds - 1);
        let mut then = self.partner_left(first);
        if then == 0 {
            return None;
        }
        if own_tops > first {
            then = then.min((self.own_len - own_tops).max(1));
        }
        if first + then >= self.theirs && self.own_len <= first + then {
            then = self.partner_len.saturating_sub(first).max(then);
        }
        Some((first, then.min(self.rounds - first)))
    }

    /// The lowest card that this number of tricks of the partner depends on.
    fn partner_mark(&self, tricks: u32) -> u32 {
        if tricks == 0 || self.theirs == 0 && self.own_len == 0 {
            return 0;
        }
        nth_highest(self.partner_top, tricks.min(count(self.partner_top)) - 1)
    }
}

/// The tricks that the side on lead takes at once; may stop counting at `want`.
pub(crate) fn quick_tricks(
    hands: &[u64; 4],
    leader: usize,
    trump: bool,
    want: u32,
) -> CertainTricks {
    let mut suits: [Holding; 4] = std::array::from_fn(|suit| Holding::new(hands, leader, suit));
    let mut certain = CertainTricks::default();
    let most: u32 = suits.iter().map(|suit| suit.own_len.max(suit.partner_len)).sum();
    if most + u32::from(trump) < want {
        return certain;
    }
    let partner = hands[(leader + 2) & 3];
    let opponents = [hands[(leader + 1) & 3], hands[(leader + 3) & 3]];
    // The number of side tricks before one of our hands has only trumps left.
    let mut own_side = NO_LIMIT;
    let mut partner_side = NO_LIMIT;
    if trump {
        suits[0].cash = suits[0].cashable().min(want);
        let drawn = suits[0].has_tops() && suits[0].cash >= suits[0].theirs;
        for hand in opponents.into_iter().filter(|hand| !drawn && hand & LANE != 0) {
            for (suit, holding) in suits.iter_mut().enumerate().skip(1) {
                holding.rounds = holding.rounds.min(count(lane(hand, suit)));
            }
        }
        if count(lane(partner, 0)) > suits[0].cash {
            partner_side = side_cards(partner);
        }
        if count(lane(hands[leader], 0)) > suits[0].cash {
            own_side = side_cards(hands[leader]);
        }
        certain = CertainTricks { tricks: suits[0].cash, marked: u64::from(suits[0].cash_mark()) };
        if certain.tricks >= want {
            return certain;
        }
    }
    // The tricks that the hand on lead takes itself.
    let mut side = 0;
    for (suit, holding) in suits.iter_mut().enumerate().skip(usize::from(trump)) {
        if holding.own_top == 0 {
            continue;
        }
        holding.cash = holding.cashable().min(partner_side - side);
        if holding.cash == 0 {
            continue;
        }
        let needed = want - certain.tricks;
        if holding.cash >= needed {
            holding.cash = needed;
            certain.tricks = want;
            certain.marked |= u64::from(holding.cash_mark()) << (16 * suit);
            return certain;
        }
        certain.tricks += holding.cash;
        side += holding.cash;
        certain.marked |= u64::from(holding.cash_mark()) << (16 * suit);
    }
    let cashed = Cashed { suits: &suits, certain, side, side_limit: own_side.min(partner_side) };
    with_transfer(hands, leader, trump, want, &cashed)
}

/// The number of side-suit cards of a hand.
fn side_cards(hand: u64) -> u32 {
    count(lane(hand, 1)) + count(lane(hand, 2)) + count(lane(hand, 3))
}

/// A transfer of the lead to the partner.
#[derive(Clone, Copy)]
struct Transfer {
    suit: usize,
    /// The tricks of the hand on lead in the suit before it, and those of the partner.
    first: u32,
    then: u32,
    /// The total number of tricks with it.
    total: u32,
    /// Whether the partner ruffs.
    ruff: bool,
}

/// The tricks cashed by the hand on lead.
struct Cashed<'a> {
    suits: &'a [Holding; 4],
    certain: CertainTricks,
    /// The tricks in side suits, and their limit.
    side: u32,
    side_limit: u32,
}

/// Adds the tricks gained by transferring the lead to the partner once, after everything was
/// cashed.
fn with_transfer(
    hands: &[u64; 4],
    leader: usize,
    trump: bool,
    want: u32,
    before: &Cashed,
) -> CertainTricks {
    let Cashed { suits, certain: cashed, side, side_limit } = *before;
    let mut best: Option<Transfer> = None;
    let mut later = [0; 4];
    let mut all_later = 0;
    for (suit, holding) in suits.iter().enumerate() {
        if holding.partner_top != 0 {
            later[suit] = holding.partner_cash();
            all_later += later[suit];
        }
    }
    let partner = hands[(leader + 2) & 3];
    for (suit, holding) in suits.iter().enumerate() {
        let Some((first, then)) = holding.transfer() else { continue };
        let total = cashed.tricks + all_later + first + then - holding.cash - later[suit];
        if best.is_none_or(|known| total > known.total) {
            best = Some(Transfer { suit, first, then, total, ruff: false });
        }
    }
    let ruffs = if trump { count(lane(partner, 0)).saturating_sub(suits[0].cash) } else { 0 };
    if ruffs > 0 {
        // A ruff uses up a trump that could be cashed, unless it was not a winner.
        let lost = u32::from(later[0] == ruffs);
        let total = cashed.tricks + all_later + 1 - lost;
        let open = |suit: &usize| {
            lane(partner, *suit) == 0
                && count(lane(hands[leader], *suit)) > suits[*suit].cash
                && suits[*suit].rounds > suits[*suit].cash
        };
        if best.is_none_or(|known| total > known.total)
            && let Some(suit) = (1..4).find(open)
        {
            later[0] -= lost;
            best = Some(Transfer { suit, first: suits[suit].cash, then: 1, total, ruff: true });
        }
    }
    let Some(by) = best else { return cashed };
    if by.total < want {
        return CertainTricks { tricks: cashed.tricks.max(by.total), ..cashed };
    }
    let holding = &suits[by.suit];
    let mut marked = cashed.marked;
    let mut needed = want + holding.cash - cashed.tricks - by.first;
    let then = by.then.min(needed).max(1);
    needed = needed.saturating_sub(then);
    let mut sides = side;
    if !(trump && by.suit == 0) {
        sides = sides + by.first + then - holding.cash;
    }
    if !by.ruff {
        marked |= u64::from(holding.partner_mark(then)) << (16 * by.suit);
    }
    for suit in 0..4 {
        let tricks = later[suit].min(needed);
        if suit != by.suit && tricks > 0 {
            needed -= tricks;
            marked |= u64::from(suits[suit].partner_mark(tricks)) << (16 * suit);
            if !(trump && suit == 0) {
                sides += tricks;
            }
        }
    }
    if sides > side_limit {
        // One of our hands would have to ruff our own winner.
        return cashed;
    }
    CertainTricks { tricks: want, marked }
}

/// The tricks that the side not on lead takes sooner or later; at most `want`, which is at least 1.
pub(crate) fn later_tricks(
    hands: &[u64; 4],
    leader: usize,
    trump: bool,
    want: u32,
    left: u32,
) -> CertainTricks {
    if trump {
        later_trump_tricks(hands, leader, want)
    } else {
        later_no_trump_tricks(hands, leader, want, left)
    }
}

/// Later tricks without trumps. The side on lead keeps the lead only in suits in which it has the
/// highest card. When these are exhausted, the hand with the highest card of the next suit led
/// takes all its winners, of which it has kept as many as there are tricks. A winner is a card
/// above all of the other three hands, so that not even the partner can overtake it.
fn later_no_trump_tricks(hands: &[u64; 4], leader: usize, want: u32, left: u32) -> CertainTricks {
    let of = |place: usize, suit| lane(hands[(leader + place) & 3], suit);
    let mut rounds = 0;
    // By suit: the hand not on lead with the highest card, and its winners; none in suits in which
    // the side on lead is higher.
    let mut winners = [(0, 0); 4];
    let mut tricks = [0; 2];
    // The number of suits in which the hand can gain the lead.
    let mut open = [0; 2];
    for (suit, held) in winners.iter_mut().enumerate() {
        let (theirs, ours) = (of(0, suit) | of(2, suit), [of(1, suit), of(3, suit)]);
        if theirs > ours[0] | ours[1] {
            rounds += count(of(0, suit)).max(count(of(2, suit)));
            continue;
        }
        let hand = usize::from(ours[1] > ours[0]);
        *held = (hand, above(ours[hand], theirs | ours[1 - hand]));
        tricks[hand] += count(held.1);
        open[hand] += u32::from(theirs != 0);
    }
    // After the last round a hand has this number of cards left: a winner of each of its suits, and
    // as many winners as wanted.
    let kept = left.saturating_sub(rounds);
    let fails = |hand: usize| open[hand] != 0 && (tricks[hand] < want || open[hand] > kept);
    if kept < want || open == [0; 2] || fails(0) || fails(1) {
        return CertainTricks::default();
    }
    let mut marked = 0;
    let mut needed = [want; 2];
    for (suit, (hand, cards)) in winners.into_iter().enumerate() {
        if open[hand] == 0 {
            continue;
        }
        let taken = count(cards).min(needed[hand]);
        needed[hand] -= taken;
        let entry = u32::from((of(0, suit) | of(2, suit)) != 0).min(count(cards));
        let ranked = taken.max(entry);
        // If no other hand has the suit, any card wins.
        let others = (0..4).any(|place| place != 1 + 2 * hand && of(place, suit) != 0);
        if ranked > 0 && others {
            marked |= u64::from(nth_highest(cards, ranked - 1)) << (16 * suit);
        }
    }
    CertainTricks { tricks: want, marked }
}

/// Later tricks by trumps: unbeatable trumps, long trumps, or the second highest behind the
/// highest.
fn later_trump_tricks(hands: &[u64; 4], leader: usize, want: u32) -> CertainTricks {
    let of = |place: usize| lane(hands[(leader + place) & 3], 0);
    let (ours, theirs) = ([of(1), of(3)], of(0) | of(2));
    let both = ours[0] | ours[1];
    let longer = count(ours[0]).max(count(ours[1]));
    if longer < want {
        return CertainTricks::default();
    }
    if count(above(both, theirs)) >= want {
        let marked = if theirs == 0 { 0 } else { u64::from(nth_highest(both, want - 1)) };
        return CertainTricks { tricks: want, marked };
    }
    let long = long_trump_tricks(ours, theirs, want);
    if long.tricks >= want {
        return long;
    }
    if want == 1 {
        let all = both | theirs;
        let highest = top(all);
        let second = top(all ^ highest);
        for place in [0, 2] {
            let behind = of(place + 1);
            if of(place) & highest != 0 && behind & second != 0 && behind != second {
                return CertainTricks { tricks: 1, marked: u64::from(second) };
            }
        }
    }
    CertainTricks::default()
}

/// The tricks that trumps of the side on lead take sooner or later; `want` or none.
pub(crate) fn leader_trump_tricks(hands: &[u64; 4], leader: usize, want: u32) -> CertainTricks {
    let of = |place: usize| lane(hands[(leader + place) & 3], 0);
    long_trump_tricks([of(0), of(2)], of(1) | of(3), want)
}

/// Every trump of a hand is played to a separate trick, and each trump of the opponents beats at
/// most one lower trump. So of the trumps down to a rank at least as many win as exceed the
/// opponents' trumps down to that rank. `want` tricks or none.
fn long_trump_tricks(ours: [u32; 2], theirs: u32, want: u32) -> CertainTricks {
    for held in ours {
        if count(held) >= want + count(theirs) {
            return CertainTricks { tricks: want, marked: 0 };
        }
        let mut cards = held;
        let mut played = 0;
        while played + count(cards) >= want && cards != 0 {
            let card = top(cards);
            cards ^= card;
            played += 1;
            if played >= want + count(theirs & !(card | (card - 1))) {
                return CertainTricks { tricks: want, marked: u64::from(card) };
            }
        }
    }
    CertainTricks::default()
}
