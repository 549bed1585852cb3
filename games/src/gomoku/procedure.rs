//! Opening procedures as tables: who decides what, in which order. Holds no position; `stage`
//! stores the progress.

use super::moves::Move;
use super::symmetry::SymmetryKind;
use crate::phase::Phase;

/// An opening procedure that makes the game fair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Procedure {
    /// None: black starts on any point.
    None,
    /// Swap, of gomoku.
    Swap,
    /// Swap2, of gomoku.
    Swap2,
    /// The opening of the Chinese computer-game contests: swap after three stones and N offers for
    /// the fifth.
    RenjuContest,
    /// The classic rules of the Renju International Federation, 1996.
    RenjuRif,
    /// Yamaguchi, of the world championships from 2009.
    Yamaguchi,
    /// Soosorv-8, of the world championships from 2017.
    Soosorv8,
    /// Taraguchi-10: swap after each of the first five stones.
    Taraguchi10,
}

/// The player who decides at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decider {
    /// Seat 0, which places the first stone.
    Opener,
    /// The player of seat 1.
    Responder,
    /// The current holder of black.
    Black,
    /// The current holder of white.
    White,
}

/// The kind of decision at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    /// A stone of the colour to move, at most this far from the centre (king's steps).
    Stone(u8),
    /// `swap` or `keep`, or a third answer that continues with [`Script::branch`].
    Swap(Option<Move>),
    /// How many fifth stones black will offer.
    Announce,
    /// Black's offers, one by one. `Some`: the number that the procedure itself fixes.
    Offer(Option<u8>),
    /// White's choice of one offered point.
    Pick,
}

impl StepKind {
    pub(super) const fn phase(self) -> Phase {
        match self {
            StepKind::Stone(_) => Phase::Opening,
            StepKind::Swap(_) => Phase::Swap,
            StepKind::Announce => Phase::Announce,
            StepKind::Offer(_) => Phase::Offer,
            StepKind::Pick => Phase::Pick,
        }
    }
}

/// A step: who decides, and what.
pub(super) type Step = (Decider, StepKind);

/// The steps of a procedure. Ordinary play follows.
#[derive(Debug)]
pub(super) struct Script {
    steps: &'static [Step],
    /// Replaces the remaining steps after a third answer.
    branch: &'static [Step],
}

use Decider::{Black, Opener, Responder, White};
use StepKind::{Announce, Offer, Pick, Stone, Swap};

/// A distance larger than any board.
pub(super) const ANYWHERE: u8 = u8::MAX;
const CENTRE: StepKind = Stone(0);

static NONE: Script = Script { steps: &[], branch: &[] };

static SWAP: Script = Script {
    steps: &[
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Responder, Swap(None)),
    ],
    branch: &[],
};

static SWAP2: Script = Script {
    steps: &[
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Opener, Stone(ANYWHERE)),
        (Responder, Swap(Some(Move::PutTwo))),
    ],
    branch: &[(Responder, Stone(ANYWHERE)), (Responder, Stone(ANYWHERE)), (Opener, Swap(None))],
};

/// Also used for Yamaguchi, from which the contests adopted it.
static RENJU_CONTEST: Script = Script {
    steps: &[
        (Opener, CENTRE),
        (Opener, Stone(1)),
        (Opener, Stone(2)),
        (Opener, Announce),
        (Responder, Swap(None)),
        (White, Stone(ANYWHERE)),
        (Black, Offer(None)),
        (White, Pick),
    ],
    branch: &[],
};

static RENJU_RIF: Script = Script {
    steps: &[
        (Opener, CENTRE),
        (Opener, Stone(1)),
        (Opener, Stone(2)),
        (Responder, Swap(None)),
        (White, Stone(ANYWHERE)),
        (Black, Offer(Some(2))),
        (White, Pick),
    ],
    branch: &[],
};

static SOOSORV_8: Script = Script {
    steps: &[
        (Opener, CENTRE),
        (Opener, Stone(1)),
        (Opener, Stone(2)),
        (Responder, Swap(None)),
        (White, Stone(ANYWHERE)),
        (White, Announce),
        (Black, Swap(None)),
        (Black, Offer(None)),
        (White, Pick),
    ],
    branch: &[],
};

/// Before each stone, the holder of its colour may swap.
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
    branch: &[(Black, Offer(Some(10))), (White, Pick)],
};

/// Maximum number of offers in any procedure.
pub(super) const MAX_FIFTHS: u8 = 12;

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

    /// The most fifth stones that may be announced, unless a setting overrides it.
    pub(super) const fn max_fifths(self) -> u8 {
        match self {
            Procedure::Soosorv8 => 8,
            _ => MAX_FIFTHS,
        }
    }

    /// The symmetry by which two offers count as equal, so that only one is allowed.
    pub(super) const fn offer_symmetry(self) -> SymmetryKind {
        match self {
            Procedure::RenjuRif => SymmetryKind::Stones,
            _ => SymmetryKind::Board,
        }
    }
}

impl Script {
    /// The step with this number; steps of `branch` are numbered after `steps`. `None` once the
    /// procedure is finished.
    #[inline]
    pub(super) fn step(&self, number: u8) -> Option<Step> {
        let number = usize::from(number);
        let own = self.steps.get(number);
        own.or_else(|| self.branch.get(number.checked_sub(self.steps.len())?)).copied()
    }

    /// The number of the step after this one.
    pub(super) fn after(&self, number: u8) -> Option<u8> {
        let next = number + 1;
        (usize::from(next) != self.steps.len() && self.step(next).is_some()).then_some(next)
    }

    /// The number of the first step after a third answer.
    pub(super) fn branch_start(&self) -> u8 {
        self.steps.len() as u8
    }

    /// The steps that lead to this one.
    fn steps_before(&self, number: u8) -> impl Iterator<Item = Step> {
        let number = usize::from(number);
        let (own, branch) = match number.checked_sub(self.steps.len()) {
            None => (number, 0),
            Some(branch) => (self.steps_to_branch(), branch),
        };
        self.steps[..own].iter().chain(&self.branch[..branch]).copied()
    }

    /// The number of steps up to and including the one with a third answer.
    fn steps_to_branch(&self) -> usize {
        let third = |(_, kind): &Step| matches!(kind, Swap(Some(_)));
        self.steps.iter().position(third).map_or(0, |at| at + 1)
    }

    /// The number of stones on the board at a step.
    pub(super) fn stones_at(&self, number: u8) -> u8 {
        self.distances(number).count() as u8
    }

    /// The maximum distance from the centre of each stone placed before a step, in the order of
    /// placement.
    pub(super) fn distances(&self, number: u8) -> impl Iterator<Item = u8> {
        self.steps_before(number).filter_map(|(_, kind)| match kind {
            Stone(distance) => Some(distance),
            _ => None,
        })
    }

    /// Whether the number of offers was announced before a step.
    pub(super) fn is_announced(&self, number: u8) -> bool {
        self.steps_before(number).any(|(_, kind)| kind == Announce)
    }

    /// The number of offers that the procedure fixes, from the step of the offers on.
    pub(super) fn fixed_fifths(&self, number: u8) -> Option<u8> {
        self.steps_before(number).chain(self.step(number)).find_map(|(_, kind)| match kind {
            Offer(fixed) => fixed,
            _ => None,
        })
    }

    /// Whether colours may have been exchanged before a step.
    pub(super) fn may_be_swapped(&self, number: u8) -> bool {
        self.steps_before(number).any(|(_, kind)| matches!(kind, Swap(_)))
    }

    /// Whether colours can still be exchanged after a step.
    pub(super) fn may_swap_after(&self, number: u8) -> bool {
        let number = usize::from(number);
        let later = self.steps.iter().chain(self.branch).skip(number + 1);
        later.into_iter().any(|(_, kind)| matches!(kind, Swap(_)))
    }

    /// The step of a phase with this number of stones on the board. At most one matches.
    pub(super) fn find(&self, phase: Phase, stones: u8) -> Option<u8> {
        let all = 0..(self.steps.len() + self.branch.len()) as u8;
        let matches = |&number: &u8| {
            self.step(number).is_some_and(|(_, kind)| kind.phase() == phase)
                && self.stones_at(number) == stones
        };
        all.into_iter().find(matches)
    }
}
