//! A knockout with a seeded bracket: the first seeds meet last, and have the byes where the number of
//! players is no power of two. A meeting that is even goes on pair by pair; after so many, and
//! where an opponent has withdrawn, it is decided without games. A pair that is void by the doing of one is lost for him here.

use std::collections::BTreeMap;

use super::state::{Next, Pairing, State};

/// The planner.
#[derive(Clone, Debug)]
pub(super) struct Knockout {
    pairs: u32,
    tie_breaks: u32,
    /// The meetings of the stage: who is there, the better seed first.
    ties: Vec<[Option<u32>; 2]>,
    stage: u32,
    /// The number of the first pair of the stage.
    begun: Option<usize>,
    /// How many meetings each player won or was spared, so far.
    passed: BTreeMap<u32, u32>,
}

impl Knockout {
    pub fn new(pairs: u32, tie_breaks: u32) -> Self {
        let (ties, passed) = (Vec::new(), BTreeMap::new());
        Self { pairs, tie_breaks, ties, stage: 0, begun: None, passed }
    }

    pub fn next(&mut self, state: &State) -> Next {
        let order = seeds(state);
        if self.ties.is_empty() {
            self.ties = bracket(&order);
        }
        let better = |a: u32, b: u32| {
            let place = |player| order.iter().position(|it| *it == player);
            place(a) < place(b)
        };
        loop {
            let begun = *self.begun.get_or_insert(state.slots.len());
            let verdicts: Vec<Verdict> =
                self.ties.iter().map(|tie| self.verdict(*tie, begun, state)).collect();
            let mut pairs = Vec::new();
            for verdict in &verdicts {
                if let Verdict::Open { players, played } = verdict {
                    let until = self.pairs.max(played + 1);
                    let of_stage =
                        self.stage.saturating_mul(self.pairs.saturating_add(self.tie_breaks));
                    let opening = |index| of_stage.saturating_add(index);
                    pairs.extend(
                        (*played..until)
                            .map(|index| Pairing { players: *players, opening: opening(index) }),
                    );
                }
            }
            if !pairs.is_empty() {
                return Next::Round(self.stage, pairs);
            }
            let through: Vec<Option<u32>> = verdicts.into_iter().map(Verdict::through).collect();
            for player in through.iter().flatten() {
                self.passed.insert(*player, self.stage + 1);
            }
            if through.len() < 2 {
                return Next::End;
            }
            self.ties = through
                .chunks(2)
                .map(|two| match two {
                    [Some(a), Some(b)] if better(*b, *a) => [Some(*b), Some(*a)],
                    [a, b] => [*a, *b],
                    _ => [None, None],
                })
                .collect();
            (self.stage, self.begun) = (self.stage + 1, None);
        }
    }

    /// How many stages each player has passed; who passed none is not there.
    pub fn passed(&self) -> &BTreeMap<u32, u32> {
        &self.passed
    }

    fn verdict(&self, tie: [Option<u32>; 2], begun: usize, state: &State) -> Verdict {
        let stays = |player: Option<u32>| player.filter(|player| !state.is_withdrawn(*player));
        let [a, b] = match tie.map(stays) {
            [Some(a), Some(b)] => [a, b],
            [one, other] => return Verdict::Through(one.or(other)),
        };
        let slots = state.slots[begun.min(state.slots.len())..].iter();
        let (mut played, mut points) = (0, [0, 0]);
        for slot in slots.filter(|slot| slot.pair.players == [a, b]) {
            played += 1;
            for (sum, won) in points.iter_mut().zip(slot.points_or_forfeit().unwrap_or_default()) {
                *sum += won;
            }
        }
        match points {
            _ if played < self.pairs => Verdict::Open { players: [a, b], played },
            [first, second] if first > second => Verdict::Through(Some(a)),
            [first, second] if first < second => Verdict::Through(Some(b)),
            _ if played < self.pairs.saturating_add(self.tie_breaks) => {
                Verdict::Open { players: [a, b], played }
            }
            // The better seed stands first.
            _ => Verdict::Through(Some(a)),
        }
    }

    /// Pairs left beyond those planned: at most, and without any tie-break.
    pub fn left(&self, state: &State) -> [u64; 2] {
        let of_stage =
            |tie: &[Option<u32>; 2]| match self.begun.map(|begun| self.verdict(*tie, begun, state))
            {
                Some(Verdict::Open { played, .. }) => (
                    u64::from(self.pairs + self.tie_breaks) - u64::from(played),
                    u64::from(self.pairs.saturating_sub(played)),
                ),
                _ => (0, 0),
            };
        let (most, least) =
            self.ties.iter().map(of_stage).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let later = (self.ties.len() as u64).saturating_sub(1);
        let each = u64::from(self.pairs);
        [most + later * (each + u64::from(self.tie_breaks)), least + later * each]
    }
}

/// What is known of a meeting.
enum Verdict {
    Open { players: [u32; 2], played: u32 },
    Through(Option<u32>),
}

impl Verdict {
    fn through(self) -> Option<u32> {
        match self {
            Verdict::Through(player) => player,
            Verdict::Open { .. } => None,
        }
    }
}

/// The first seed first: by rating, of equal ones by number.
fn seeds(state: &State) -> Vec<u32> {
    let mut order: Vec<u32> = (0..state.entrants.len() as u32).collect();
    order.sort_by_key(|player| (std::cmp::Reverse(state.rating(*player)), *player));
    order
}

/// The meetings of the first stage: each doubling puts beside every seed the one that brings the sum of
/// both to the same number, so that 1 and 2 can meet in the last one only.
fn bracket(order: &[u32]) -> Vec<[Option<u32>; 2]> {
    let mut places = vec![0_usize];
    while places.len() < order.len() {
        let size = 2 * places.len();
        places = places.into_iter().flat_map(|place| [place, size - 1 - place]).collect();
    }
    let player = |place: usize| order.get(place).copied();
    places
        .chunks(2)
        .map(|two| [player(two[0]), two.get(1).and_then(|place| player(*place))])
        .collect()
}
