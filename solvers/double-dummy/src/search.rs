//! The search: can North-South take so many tricks? Alpha-beta over single cards with a window
//! of nothing, so that each answer is yes or no, together with the cards whose ranks it rests
//! on. These marks are what makes an answer good for more positions than the one searched
//! (partition search).

use crate::cutoffs::Cutoffs;
use crate::deal::Holders;
use crate::entry::Lesson;
use crate::lanes::{LANE, count, from_lowest, heads, lane, lane_of, nth, open_ranks, run_end};
use crate::memory::{LEFT, Memory};
use crate::order::{Moves, View};
use crate::sure::{later, own_trumps, quick};

/// The bit of an answer that says yes; the others are the marked cards.
const YES: u64 = 1 << 63;

/// Which techniques a search uses: all, but in tests and measurements. None of them changes
/// a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// Positions seen before are looked up.
    pub table: bool,
    /// Tricks that the side on lead can take at once are counted.
    pub quick_tricks: bool,
    /// Tricks that a side cannot be kept from are counted.
    pub later_tricks: bool,
    /// Cards that touch are searched once.
    pub equals: bool,
    /// Cards that were shown not to matter by their rank are searched once.
    pub skip_low: bool,
    /// Cards are tried in the order of promise.
    pub order: bool,
    /// The card that settled a like situation is tried first.
    pub cutoffs: bool,
}

impl Techniques {
    /// All of them.
    pub const ALL: Techniques = Techniques {
        table: true,
        quick_tricks: true,
        later_tricks: true,
        equals: true,
        skip_low: true,
        order: true,
        cutoffs: true,
    };
    /// Alpha-beta alone.
    pub const NONE: Techniques = Techniques {
        table: false,
        quick_tricks: false,
        later_tricks: false,
        equals: false,
        skip_low: false,
        order: false,
        cutoffs: false,
    };
}

/// A trick that is being played.
#[derive(Clone, Copy)]
pub(crate) struct Trick {
    pub(crate) leader: usize,
    /// How many cards have been played to it.
    pub(crate) at: usize,
    /// The lane that was led.
    pub(crate) led: u64,
    /// The card that wins so far, and whose it is.
    pub(crate) best: u64,
    pub(crate) by: usize,
    /// The cards of the trick.
    pub(crate) seen: u64,
    /// Tricks that North-South need, this one included; at least one and not more than are left.
    pub(crate) need: u32,
    /// Tricks that are left, this one included.
    pub(crate) left: u32,
    /// All cards that were there when the trick began.
    pub(crate) all: u64,
    /// The lengths of suits, the cards of the trick taken off.
    pub(crate) lengths: u64,
}

impl Trick {
    /// The start of a trick.
    pub(crate) fn start(leader: usize, need: u32, left: u32, all: u64, lengths: u64) -> Trick {
        Trick { leader, at: 0, led: 0, best: 0, by: 0, seen: 0, need, left, all, lengths }
    }

    /// The trick with one card more.
    #[inline(always)]
    pub(crate) fn with(&self, card: u64, hand: usize, trump: bool) -> Trick {
        let mut next = *self;
        next.at += 1;
        next.seen |= card;
        next.lengths -= 1 << ((card.trailing_zeros() & 48) + 4 * hand as u32);
        if self.at == 0 {
            (next.led, next.best, next.by) = (lane_of(card), card, hand);
        } else if card & lane_of(self.best) != 0 {
            if card > self.best {
                (next.best, next.by) = (card, hand);
            }
        } else if trump && card & LANE != 0 {
            (next.best, next.by) = (card, hand);
        }
        next
    }
}

/// One search over one deal.
pub(crate) struct Search<'a> {
    pub(crate) hands: [u64; 4],
    pub(crate) trump: bool,
    pub(crate) holders: &'a Holders,
    pub(crate) memory: &'a mut Memory,
    pub(crate) cutoffs: &'a mut Cutoffs,
    pub(crate) techniques: Techniques,
    /// With so many tricks left a position is estimated; 0: never.
    pub(crate) horizon: u32,
    pub(crate) go_on: &'a dyn Fn() -> bool,
    pub(crate) nodes: u64,
    pub(crate) stopped: bool,
}

/// So many positions are looked at between two questions whether to go on.
pub const POSITIONS_PER_QUESTION: u64 = 2048;

impl Search<'_> {
    /// Whether North-South take `need` of the tricks that are left. Means nothing when the
    /// search was stopped.
    pub(crate) fn reaches(&mut self, trick: &Trick) -> bool {
        let answer = match trick.at {
            0 => self.start(trick),
            4 => self.finish(trick),
            _ => self.card(trick),
        };
        answer & YES != 0
    }

    /// The start of a trick.
    fn start(&mut self, trick: &Trick) -> u64 {
        let Trick { leader, need, left, all, lengths, .. } = *trick;
        if need == 0 {
            return YES;
        }
        if need > left || self.stopped {
            return 0;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(POSITIONS_PER_QUESTION) && !(self.go_on)() {
            self.stopped = true;
            return 0;
        }
        if left == 1 {
            return self.last(leader);
        }
        let (yes, no) = if leader & 1 == 0 { (YES, 0) } else { (0, YES) };
        // What the side on lead wants to settle the matter.
        let want = if leader & 1 == 0 { need } else { left + 1 - need };
        if self.techniques.quick_tricks {
            let sure = quick(&self.hands, leader, self.trump, want);
            if sure.tricks >= want {
                return sure.marked | yes;
            }
        }
        if self.techniques.later_tricks {
            if self.trump {
                let sure = own_trumps(&self.hands, leader, want);
                if sure.tricks >= want {
                    return sure.marked | yes;
                }
            }
            let want = left + 1 - want;
            let sure = later(&self.hands, leader, self.trump, want, left);
            if sure.tricks >= want {
                return sure.marked | no;
            }
        }
        if left <= self.horizon {
            let answer = if self.estimate(leader, left) >= need { YES } else { 0 };
            return answer | all;
        }
        if !self.techniques.table {
            return self.card(trick);
        }
        let owners = self.holders.of(all);
        let shape = lengths & 0xffff_ffff_ffff
            | u64::from(left) << LEFT
            | (leader as u64) << 52
            | u64::from(!self.trump) << 54;
        if let Some(known) = self.memory.look(shape, &owners, need) {
            let mut marked = 0;
            for (suit, fixed) in known.fixed.into_iter().enumerate() {
                if fixed > 0 {
                    marked |= u64::from(nth(lane(all, suit), fixed - 1)) << (16 * suit);
                }
            }
            return marked | if known.bounds.0 >= need { YES } else { 0 };
        }
        let answer = self.card(trick);
        if self.stopped {
            return 0;
        }
        let bounds = if answer & YES != 0 { (need, left) } else { (0, need - 1) };
        let fixed = from_lowest(answer & !YES, all);
        let fixed = std::array::from_fn(|suit| count(lane(fixed, suit)));
        self.memory.keep(shape, &owners, &Lesson { fixed, bounds });
        answer
    }

    /// One card of the trick.
    fn card(&mut self, trick: &Trick) -> u64 {
        let hand = (trick.leader + trick.at) & 3;
        let held = self.hands[hand];
        let following = held & trick.led;
        let mut cards = if following != 0 { following } else { held };
        if self.techniques.equals {
            cards = heads(cards, trick.all & !held);
        }
        let (yes, no) = if hand & 1 == 0 { (YES, 0) } else { (0, YES) };
        let choice = cards & (cards - 1) != 0;
        let place = (choice && self.techniques.cutoffs)
            .then(|| self.cutoffs.place(&self.hands, self.trump, trick, hand, following != 0));
        let known = place.map_or(0, |place| self.cutoffs.card(place)) & cards;
        let view = View { hands: &self.hands, trump: self.trump, trick, hand, cards, known };
        let mut moves =
            if self.techniques.order { view.moves() } else { Moves::as_they_lie(cards) };
        let mut marked = 0;
        while let Some(card) = moves.next() {
            self.hands[hand] = held ^ card;
            let next = trick.with(card, hand, self.trump);
            let answer = if next.at == 4 { self.finish(&next) } else { self.card(&next) };
            self.hands[hand] = held;
            if answer & YES == yes {
                if let Some(place) = place.filter(|_| card != known && !self.stopped) {
                    self.cutoffs.keep(place, card);
                }
                return answer;
            }
            let marks = answer & !YES;
            marked |= marks;
            let open = open_ranks(card, marks);
            if card & open == 0 {
                // Cards that touch it were taken for equal: what makes them touch is a reason.
                if self.techniques.equals {
                    marked |= run_end(card, held, trick.all);
                }
            } else if self.techniques.skip_low {
                moves.drop(open);
            }
        }
        marked | no
    }

    /// A trick of four cards is over.
    #[inline(always)]
    fn finish(&mut self, trick: &Trick) -> u64 {
        let beaten = trick.seen & lane_of(trick.best) & !trick.best;
        let need = trick.need - u32::from(trick.by & 1 == 0);
        let all = trick.all & !trick.seen;
        let next = Trick::start(trick.by, need, trick.left - 1, all, trick.lengths);
        let answer = self.start(&next);
        if beaten != 0 { answer | trick.best } else { answer }
    }

    /// The last trick, which North-South need.
    fn last(&self, leader: usize) -> u64 {
        let mut trick = Trick::start(leader, 1, 1, 0, u64::MAX);
        for place in 0..4 {
            let hand = (leader + place) & 3;
            trick = trick.with(self.hands[hand], hand, self.trump);
        }
        let beaten = trick.seen & lane_of(trick.best) & !trick.best;
        let marked = if beaten != 0 { trick.best } else { 0 };
        marked | if trick.by & 1 == 0 { YES } else { 0 }
    }

    /// Tricks that North-South may take, where the horizon cuts.
    fn estimate(&self, leader: usize, left: u32) -> u32 {
        let now = quick(&self.hands, leader, self.trump, left).tricks.min(left);
        let mut then = 0;
        for want in 1..=left - now {
            let sure = later(&self.hands, leader, self.trump, want, left).tricks;
            if sure < want {
                break;
            }
            then = want;
        }
        // What is open is shared out, the odd trick to who is on lead.
        let lead = now + (left - now - then).div_ceil(2);
        if leader & 1 == 0 { lead } else { left - lead }
    }
}
