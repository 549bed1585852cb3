//! The planner of a knockout with a seeded bracket: the top seeds meet last and get the byes if the
//! number of players is not a power of two. A level match continues pair by pair up to the
//! tie-break limit, after which the better seed advances. If an opponent withdraws, the other
//! player advances without games. A void pair is lost by the player at fault.

use std::collections::BTreeMap;

use super::planning::{NextRound, Pairing, PlannerInput};

/// Plans the rounds of a knockout.
#[derive(Clone, Debug)]
pub(super) struct Knockout {
    pairs: u32,
    tie_breaks: u32,
    /// The matches of the current round, the better seed first; `None` for a bye.
    matches: Vec<[Option<u32>; 2]>,
    round: u32,
    /// The number of the first pair of the current round.
    round_start: Option<usize>,
    /// The number of rounds that each player has won, including byes.
    rounds_won: BTreeMap<u32, u32>,
}

impl Knockout {
    pub(super) fn new(pairs: u32, tie_breaks: u32) -> Self {
        let (matches, rounds_won) = (Vec::new(), BTreeMap::new());
        Self { pairs, tie_breaks, matches, round: 0, round_start: None, rounds_won }
    }

    pub(super) fn next(&mut self, input: &PlannerInput) -> NextRound {
        let order = seeding(input);
        if self.matches.is_empty() {
            self.matches = first_round(&order);
        }
        let better = |a: u32, b: u32| {
            let place = |player| order.iter().position(|it| *it == player);
            place(a) < place(b)
        };
        loop {
            let round_start = *self.round_start.get_or_insert(input.pairs.len());
            let states: Vec<MatchState> = self
                .matches
                .iter()
                .map(|players| self.match_state(*players, round_start, input))
                .collect();
            let mut pairs = Vec::new();
            for state in &states {
                if let MatchState::Undecided { players, played } = state {
                    let until = self.pairs.max(played + 1);
                    let openings_before =
                        self.round.saturating_mul(self.pairs.saturating_add(self.tie_breaks));
                    let opening = |index| openings_before.saturating_add(index);
                    pairs.extend((*played..until).map(|index| Pairing {
                        players: (*players).into(),
                        opening: opening(index),
                    }));
                }
            }
            if !pairs.is_empty() {
                return NextRound::Pairings(self.round, pairs);
            }
            let winners: Vec<Option<u32>> = states.into_iter().map(MatchState::winner).collect();
            for player in winners.iter().flatten() {
                self.rounds_won.insert(*player, self.round + 1);
            }
            if winners.len() < 2 {
                return NextRound::Finished;
            }
            self.matches = winners
                .chunks(2)
                .map(|two| match two {
                    [Some(a), Some(b)] if better(*b, *a) => [Some(*b), Some(*a)],
                    [a, b] => [*a, *b],
                    _ => [None, None],
                })
                .collect();
            (self.round, self.round_start) = (self.round + 1, None);
        }
    }

    /// The number of rounds that each player has won; players without a win are missing.
    pub(super) fn rounds_won(&self) -> &BTreeMap<u32, u32> {
        &self.rounds_won
    }

    fn match_state(
        &self,
        players: [Option<u32>; 2],
        round_start: usize,
        input: &PlannerInput,
    ) -> MatchState {
        let active = |player: Option<u32>| player.filter(|player| !input.is_withdrawn(*player));
        let [a, b] = match players.map(active) {
            [Some(a), Some(b)] => [a, b],
            [one, other] => return MatchState::Decided(one.or(other)),
        };
        let planned = input.pairs[round_start.min(input.pairs.len())..].iter();
        let (mut played, mut points) = (0, [0_u32; 2]);
        for pair in planned.filter(|planned| planned.pair.players == [a, b]) {
            played += 1;
            let won = pair.points_or_forfeit();
            for (sum, won) in points.iter_mut().zip(won.iter().flat_map(|won| won.iter())) {
                *sum += u32::from(*won);
            }
        }
        match points {
            _ if played < self.pairs => MatchState::Undecided { players: [a, b], played },
            [first, second] if first > second => MatchState::Decided(Some(a)),
            [first, second] if first < second => MatchState::Decided(Some(b)),
            _ if played < self.pairs.saturating_add(self.tie_breaks) => {
                MatchState::Undecided { players: [a, b], played }
            }
            // The better seed is listed first.
            _ => MatchState::Decided(Some(a)),
        }
    }

    /// The pairs left beyond those planned: the largest number, and the number without tie-breaks.
    pub(super) fn pairs_left(&self, input: &PlannerInput) -> [u64; 2] {
        let in_match = |players: &[Option<u32>; 2]| match self
            .round_start
            .map(|start| self.match_state(*players, start, input))
        {
            Some(MatchState::Undecided { played, .. }) => (
                u64::from(self.pairs + self.tie_breaks) - u64::from(played),
                u64::from(self.pairs.saturating_sub(played)),
            ),
            _ => (0, 0),
        };
        let (most, least) =
            self.matches.iter().map(in_match).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let later = (self.matches.len() as u64).saturating_sub(1);
        let each = u64::from(self.pairs);
        [most + later * (each + u64::from(self.tie_breaks)), least + later * each]
    }
}

/// The state of a match.
enum MatchState {
    Undecided { players: [u32; 2], played: u32 },
    Decided(Option<u32>),
}

impl MatchState {
    fn winner(self) -> Option<u32> {
        match self {
            MatchState::Decided(player) => player,
            MatchState::Undecided { .. } => None,
        }
    }
}

/// The players by seed: by rating, then by number.
fn seeding(input: &PlannerInput) -> Vec<u32> {
    let mut order: Vec<u32> = (0..input.entrants.len() as u32).collect();
    order.sort_by_key(|player| (std::cmp::Reverse(input.rating(*player)), *player));
    order
}

/// The matches of the first round. Each doubling pairs every seed with the seed that makes the sum
/// of both constant, so that seeds 1 and 2 can only meet in the final.
fn first_round(order: &[u32]) -> Vec<[Option<u32>; 2]> {
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
