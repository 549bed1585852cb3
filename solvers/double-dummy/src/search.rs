//! The search: can North-South take a number of tricks? Alpha-beta over single cards with a null
//! window, so that each answer is yes or no. Each answer comes with the cards whose ranks it
//! depends on (marks), which make it valid for more positions than the one searched (partition
//! search).

use crate::certain_tricks::{later_tricks, leader_trump_tricks, quick_tricks};
use crate::cutoff_table::CutoffTable;
use crate::deal::OwnerLookup;
use crate::entry::PartitionBounds;
use crate::lanes::{
    LANE, count, from_lowest, lane, lane_of, nth_highest, ranks_below_marks, sequence_bottom,
    sequence_tops,
};
use crate::order::{OrderedCards, OrderingContext};
use crate::transposition::{LEFT, TranspositionTable};

/// The bit of an answer that means yes; the other bits are the marked cards.
const YES: u64 = 1 << 63;

/// The techniques that a search uses: all, except in tests and benchmarks. None of them changes a
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// Looks up positions in the transposition table.
    pub table: bool,
    /// Counts tricks that the side on lead can take at once (quick tricks).
    pub quick_tricks: bool,
    /// Counts tricks that a side takes sooner or later (later tricks).
    pub later_tricks: bool,
    /// Searches only one of equivalent cards.
    pub equals: bool,
    /// Searches only one of the low cards whose rank proved irrelevant.
    pub skip_low: bool,
    /// Orders the cards by a heuristic.
    pub order: bool,
    /// First tries the card that caused a cutoff in a similar situation.
    pub cutoffs: bool,
}

impl Techniques {
    /// Uses all techniques.
    pub const ALL: Techniques = Techniques {
        table: true,
        quick_tricks: true,
        later_tricks: true,
        equals: true,
        skip_low: true,
        order: true,
        cutoffs: true,
    };
    /// Plain alpha-beta search.
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

/// A trick in progress.
#[derive(Clone, Copy)]
pub(crate) struct Trick {
    pub(crate) leader: usize,
    /// The number of cards played to the trick.
    pub(crate) played: usize,
    /// The lane of the suit that was led.
    pub(crate) led: u64,
    /// The winning card so far, and the hand that played it.
    pub(crate) best: u64,
    pub(crate) winner: usize,
    /// The cards of the trick.
    pub(crate) cards: u64,
    /// The tricks that North-South need, including this one; at least 1, at most `left`.
    pub(crate) need: u32,
    /// The tricks left, including this one.
    pub(crate) left: u32,
    /// All cards at the start of the trick.
    pub(crate) all: u64,
    /// The suit lengths without the cards of the trick.
    pub(crate) lengths: u64,
}

impl Trick {
    /// A trick without cards.
    pub(crate) fn start(leader: usize, need: u32, left: u32, all: u64, lengths: u64) -> Trick {
        Trick { leader, played: 0, led: 0, best: 0, winner: 0, cards: 0, need, left, all, lengths }
    }

    /// The trick after one more card.
    #[inline(always)]
    pub(crate) fn with(&self, card: u64, hand: usize, trump: bool) -> Trick {
        let mut next = *self;
        next.played += 1;
        next.cards |= card;
        next.lengths -= 1 << ((card.trailing_zeros() & 48) + 4 * hand as u32);
        if self.played == 0 {
            (next.led, next.best, next.winner) = (lane_of(card), card, hand);
        } else if card & lane_of(self.best) != 0 {
            if card > self.best {
                (next.best, next.winner) = (card, hand);
            }
        } else if trump && card & LANE != 0 {
            (next.best, next.winner) = (card, hand);
        }
        next
    }
}

/// A search of one deal.
pub(crate) struct Search<'a> {
    pub(crate) hands: [u64; 4],
    pub(crate) trump: bool,
    pub(crate) owners: &'a OwnerLookup,
    pub(crate) transpositions: &'a mut TranspositionTable,
    pub(crate) cutoffs: &'a mut CutoffTable,
    pub(crate) techniques: Techniques,
    /// Positions with this number of tricks left are estimated; 0: none.
    pub(crate) horizon: u32,
    pub(crate) should_continue: &'a dyn Fn() -> bool,
    pub(crate) nodes: u64,
    pub(crate) stopped: bool,
}

/// The number of positions searched between two calls of the stop check.
pub const POSITIONS_PER_STOP_CHECK: u64 = 2048;

impl Search<'_> {
    /// Whether North-South take `need` of the tricks left. Meaningless if the search was stopped.
    pub(crate) fn can_reach(&mut self, trick: &Trick) -> bool {
        let answer = match trick.played {
            0 => self.search_trick(trick),
            4 => self.finish_trick(trick),
            _ => self.search_card(trick),
        };
        answer & YES != 0
    }

    /// Searches the start of a trick.
    fn search_trick(&mut self, trick: &Trick) -> u64 {
        let Trick { leader, need, left, all, lengths, .. } = *trick;
        if need == 0 {
            return YES;
        }
        if need > left || self.stopped {
            return 0;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(POSITIONS_PER_STOP_CHECK) && !(self.should_continue)() {
            self.stopped = true;
            return 0;
        }
        if left == 1 {
            return self.last_trick(leader);
        }
        let (yes, no) = if leader & 1 == 0 { (YES, 0) } else { (0, YES) };
        // The tricks that the side on lead needs to decide the search.
        let want = if leader & 1 == 0 { need } else { left + 1 - need };
        if self.techniques.quick_tricks {
            let certain = quick_tricks(&self.hands, leader, self.trump, want);
            if certain.tricks >= want {
                return certain.marked | yes;
            }
        }
        if self.techniques.later_tricks {
            if self.trump {
                let certain = leader_trump_tricks(&self.hands, leader, want);
                if certain.tricks >= want {
                    return certain.marked | yes;
                }
            }
            let want = left + 1 - want;
            let certain = later_tricks(&self.hands, leader, self.trump, want, left);
            if certain.tricks >= want {
                return certain.marked | no;
            }
        }
        if left <= self.horizon {
            let answer = if self.estimate(leader, left) >= need { YES } else { 0 };
            return answer | all;
        }
        if !self.techniques.table {
            return self.search_card(trick);
        }
        let owners = self.owners.of(all);
        let shape = lengths & 0xffff_ffff_ffff
            | u64::from(left) << LEFT
            | (leader as u64) << 52
            | u64::from(!self.trump) << 54;
        if let Some(known) = self.transpositions.lookup(shape, &owners, need) {
            let mut marked = 0;
            for (suit, fixed) in known.fixed_ranks.into_iter().enumerate() {
                if fixed > 0 {
                    marked |= u64::from(nth_highest(lane(all, suit), fixed - 1)) << (16 * suit);
                }
            }
            return marked | if known.tricks.0 >= need { YES } else { 0 };
        }
        let answer = self.search_card(trick);
        if self.stopped {
            return 0;
        }
        let tricks = if answer & YES != 0 { (need, left) } else { (0, need - 1) };
        let relevant = from_lowest(answer & !YES, all);
        let fixed_ranks = std::array::from_fn(|suit| count(lane(relevant, suit)));
        self.transpositions.store(shape, &owners, &PartitionBounds { fixed_ranks, tricks });
        answer
    }

    /// Searches the next card of a trick.
    fn search_card(&mut self, trick: &Trick) -> u64 {
        let hand = (trick.leader + trick.played) & 3;
        let held = self.hands[hand];
        let following = held & trick.led;
        let mut cards = if following != 0 { following } else { held };
        if self.techniques.equals {
            cards = sequence_tops(cards, trick.all & !held);
        }
        let (yes, no) = if hand & 1 == 0 { (YES, 0) } else { (0, YES) };
        let has_choice = cards & (cards - 1) != 0;
        let slot = (has_choice && self.techniques.cutoffs)
            .then(|| self.cutoffs.slot(&self.hands, self.trump, trick, hand, following != 0));
        let known = slot.map_or(0, |slot| self.cutoffs.card(slot)) & cards;
        let context = OrderingContext {
            hands: &self.hands,
            trump: self.trump,
            trick,
            hand,
            cards,
            first: known,
        };
        let mut ordered =
            if self.techniques.order { context.ordered() } else { OrderedCards::unordered(cards) };
        let mut marked = 0;
        while let Some(card) = ordered.next() {
            self.hands[hand] = held ^ card;
            let next = trick.with(card, hand, self.trump);
            let answer =
                if next.played == 4 { self.finish_trick(&next) } else { self.search_card(&next) };
            self.hands[hand] = held;
            if answer & YES == yes {
                if let Some(slot) = slot.filter(|_| card != known && !self.stopped) {
                    self.cutoffs.store(slot, card);
                }
                return answer;
            }
            let marks = answer & !YES;
            marked |= marks;
            let irrelevant = ranks_below_marks(card, marks);
            if card & irrelevant == 0 {
                // Equivalent cards were skipped: the card that ends their sequence is marked.
                if self.techniques.equals {
                    marked |= sequence_bottom(card, held, trick.all);
                }
            } else if self.techniques.skip_low {
                ordered.remove(irrelevant);
            }
        }
        marked | no
    }

    /// Finishes a trick of four cards.
    #[inline(always)]
    fn finish_trick(&mut self, trick: &Trick) -> u64 {
        let beaten = trick.cards & lane_of(trick.best) & !trick.best;
        let need = trick.need - u32::from(trick.winner & 1 == 0);
        let all = trick.all & !trick.cards;
        let next = Trick::start(trick.winner, need, trick.left - 1, all, trick.lengths);
        let answer = self.search_trick(&next);
        if beaten != 0 { answer | trick.best } else { answer }
    }

    /// Decides the last trick, which North-South need.
    fn last_trick(&self, leader: usize) -> u64 {
        let mut trick = Trick::start(leader, 1, 1, 0, u64::MAX);
        for played in 0..4 {
            let hand = (leader + played) & 3;
            trick = trick.with(self.hands[hand], hand, self.trump);
        }
        let beaten = trick.cards & lane_of(trick.best) & !trick.best;
        let marked = if beaten != 0 { trick.best } else { 0 };
        marked | if trick.winner & 1 == 0 { YES } else { 0 }
    }

    /// Estimates the tricks of North-South at the horizon.
    fn estimate(&self, leader: usize, left: u32) -> u32 {
        let now = quick_tricks(&self.hands, leader, self.trump, left).tricks.min(left);
        let mut then = 0;
        for want in 1..=left - now {
            let certain = later_tricks(&self.hands, leader, self.trump, want, left).tricks;
            if certain < want {
                break;
            }
            then = want;
        }
        // The undecided tricks are split evenly; an odd one goes to the side on lead.
        let lead = now + (left - now - then).div_ceil(2);
        if leader & 1 == 0 { lead } else { left - lead }
    }
}
