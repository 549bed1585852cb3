//! How a game is opened: the procedures as tables of who decides what, in the
//! words of their rules. They hold no position; `stage` walks through them.

use super::moves::Move;
use super::symmetry::Alike;
use crate::phase::Phase;

/// A way to open a game that makes it fair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Procedure {
    /// None: black begins, anywhere.
    None,
    /// Swap of gomoku.
    Swap,
    /// Swap2 of gomoku.
    Swap2,
    /// The designated opening of the Chinese computer-game contests, with the
    /// swap after three stones and N offers for the fifth.
    RenjuContest,
    /// The classic rules of the Renju International Federation, 1996.
    RenjuRif,
    /// Yamaguchi, of the world championships from 2009 on.
    Yamaguchi,
    /// Soosorv-8, of the world championships from 2017 on.
    Soosorv8,
    /// Taraguchi-10.
    Taraguchi10,
}

/// Whose decision a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// Who laid the first stone: seat 0.
    Opener,
    /// Seat 1.
    Other,
    /// Who holds black now.
    Black,
    /// Who holds white now.
    White,
}

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A stone of the colour that is due, at most so far from the centre.
    Stone(u8),
    /// `swap` or `keep`; where there is a third answer, it leads to the steps of
    /// [`Script::instead`].
    Swap(Option<Move>),
    /// How many fifth stones black is to offer.
    Announce,
    /// Black's offers, one by one; how many, if that is not announced.
    Offer(Option<u8>),
    /// White picks one of them.
    Pick,
}

impl What {
    pub(super) const fn phase(self) -> Phase {
        match self {
            What::Stone(_) => Phase::Opening,
            What::Swap(_) => Phase::Swap,
            What::Announce => Phase::Announce,
            What::Offer(_) => Phase::Offer,
            What::Pick => Phase::Pick,
        }
    }
}

/// A step: who decides what.
pub(super) type Step = (Who, What);

/// A procedure's steps. When they are through, ordinary play goes on.
#[derive(Debug)]
pub(super) struct Script {
    steps: &'static [Step],
    /// What comes instead of the rest after the third answer of a step.
    instead: &'static [Step],
}

use What::{Announce, Offer, Pick, Stone, Swap};
use Who::{Black, Opener, Other, White};

/// A distance that no board reaches.
pub(super) const ANYWHERE: u8 = u8::MAX;
const CENTRE: What = Stone(0);

static NONE: Script = Script { steps: &[], instead: &[] };

static SWAP: Script = Script {
    steps: &[
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Other, Swap(None)),
    ],
    instead: &[],
};

static SWAP2: Script = Script {
    steps: &[
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Other, Swap(Some(Move::PutTwo))),
    ],
    instead: &[(Other, Stone(ANYWHERE)), (Other, Stone(ANYWHERE)), (Opener, Swap(None))],
};

/// Also Yamaguchi: the contests took it over.
static RENJU_CONTEST: Script = Script {
    steps: &[
        (Opener, CENTRE),
        (Opener, Stone(1)),
        (Opener, Stone(2)),
        (Opener, Announce),
        (Other, Swap(None)),
        (White, Stone(ANYWHERE)),
        (Black, Offer(None)),
        (White, Pick),
    ],
    instead: &[],
};

static RENJU_RIF: Script = Script {
    steps: &[
        (Opener, CENTRE),
        (Opener, Stone(1)),
        (Opener, Stone(2)),
        (Other, Swap(None)),
        (White, Stone(ANYWHERE)),
        (Black, Offer(Some(2))),
        (White, Pick),
    ],
    instead: &[],
};

static SOOSORV_8: Script = Script {
    steps: &[
        (Opener, CENTRE),
        (Opener, Stone(1)),
        (Opener, Stone(2)),
        (Other, Swap(None)),
        (White, Stone(ANYWHERE)),
        (White, Announce),
        (Black, Swap(None)),
        (Black, Offer(None)),
        (White, Pick),
    ],
    instead: &[],
};

/// Who holds the colour of the next stone may swap before it is put.
static TARAGUCHI_10: Script = Script {
    steps: &[
        (Black, CENTRE),
        (White, Swap(None)),
        (White, Stone(1)),
        (Black, Swap(None)),
        (Black, Stone(2)),
        (White, Swap(None)),
        (White, Stone(3)),
        (Black, Swap(Some(Move::Fifths(10)))),
        (Black, Stone(4)),
        (White, Swap(None)),
    ],
    instead: &[(Black, Offer(Some(10))), (White, Pick)],
};

/// The largest number of offers that any procedure knows.
pub(super) const MOST_FIFTHS: u8 = 12;

impl Procedure {
    pub(super) fn script(self) -> &'static Script {
        match self {
            Procedure::None => &NONE,
            Procedure::Swap => &SWAP,
            Procedure::Swap2 => &SWAP2,
            Procedure::RenjuContest | Procedure::Yamaguchi => &RENJU_CONTEST,
            Procedure::RenjuRif => &RENJU_RIF,
            Procedure::Soosorv8 => &SOOSORV_8,
            Procedure::Taraguchi10 => &TARAGUCHI_10,
        }
    }

    /// The most fifth stones that may be announced, unless a setting says otherwise.
    pub(super) const fn most_fifths(self) -> u8 {
        match self {
            Procedure::Soosorv8 => 8,
            _ => MOST_FIFTHS,
        }
    }

    /// Which offers are the same and so not both allowed.
    pub(super) const fn alike(self) -> Alike {
        match self {
            Procedure::RenjuRif => Alike::ByStones,
            _ => Alike::ByBoard,
        }
    }
}

impl Script {
    /// The step with this number, those of `instead` counted on; none when the
    /// procedure is through.
    #[inline]
    pub(super) fn step(&self, number: u8) -> Option<Step> {
        let number = usize::from(number);
        let own = self.steps.get(number);
        own.or_else(|| self.instead.get(number.checked_sub(self.steps.len())?)).copied()
    }

    /// The number of the step after this one.
    pub(super) fn after(&self, number: u8) -> Option<u8> {
        let next = number + 1;
        (usize::from(next) != self.steps.len() && self.step(next).is_some()).then_some(next)
    }

    /// The number of the first step that a third answer leads to.
    pub(super) fn after_third_answer(&self) -> u8 {
        self.steps.len() as u8
    }

    /// The steps that lead to this one.
    fn before(&self, number: u8) -> impl Iterator<Item = Step> {
        let number = usize::from(number);
        let (own, instead) = match number.checked_sub(self.steps.len()) {
            None => (number, 0),
            Some(instead) => (self.branching(), instead),
        };
        self.steps[..own].iter().chain(&self.instead[..instead]).copied()
    }

    /// How many steps there are up to the one with a third answer.
    fn branching(&self) -> usize {
        let third = |(_, what): &Step| matches!(what, Swap(Some(_)));
        self.steps.iter().position(third).map_or(0, |at| at + 1)
    }

    /// How many stones are on the board at a step.
    pub(super) fn stones(&self, number: u8) -> u8 {
        self.distances(number).count() as u8
    }

    /// How far from the centre the stones are at most that were put before a
    /// step, in the order of their putting.
    pub(super) fn distances(&self, number: u8) -> impl Iterator<Item = u8> {
        self.before(number).filter_map(|(_, what)| match what {
            Stone(distance) => Some(distance),
            _ => None,
        })
    }

    /// Whether the number of offers has been announced before a step, and is
    /// still of use.
    pub(super) fn is_announced(&self, number: u8) -> bool {
        self.before(number).any(|(_, what)| what == Announce)
    }

    /// How many offers the procedure itself wants, from the step of the offers on.
    pub(super) fn fixed_fifths(&self, number: u8) -> Option<u8> {
        self.before(number).chain(self.step(number)).find_map(|(_, what)| match what {
            Offer(fixed) => fixed,
            _ => None,
        })
    }

    /// Whether colours can have been exchanged before a step.
    pub(super) fn may_be_swapped(&self, number: u8) -> bool {
        self.before(number).any(|(_, what)| matches!(what, Swap(_)))
    }

    /// Whether colours can still be exchanged after a step.
    pub(super) fn may_swap_after(&self, number: u8) -> bool {
        let number = usize::from(number);
        let later = self.steps.iter().chain(self.instead).skip(number + 1);
        later.into_iter().any(|(_, what)| matches!(what, Swap(_)))
    }

    /// The step of a phase with so many stones on the board: there is but one.
    pub(super) fn find(&self, phase: Phase, stones: u8) -> Option<u8> {
        let all = 0..(self.steps.len() + self.instead.len()) as u8;
        let is_it = |&number: &u8| {
            self.step(number).is_some_and(|(_, what)| what.phase() == phase)
                && self.stones(number) == stones
        };
        all.into_iter().find(is_it)
    }
}
