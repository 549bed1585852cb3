//! A running tournament: which pairs are planned, handed out and finished. It asks the planner of
//! its format for rounds as soon as the results that they wait for are known. An event plans the
//! tournament again from the start; the pairs below the event's number stay the same.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::error::{EventError, FinishError, SetupError};
use super::knockout::Knockout;
use super::ladder::Ladder;
use super::planning::{NextRound, PlannedPair, PlannerInput, half_points_of_pair};
use super::players::Players;
use super::round_robin::RoundRobin;
use super::setup::{
    Change, EVENTS_MAX, Entrant, Event, Format, Outcome, PAIRS_MAX, PLAYERS_MAX, Pair, Setup,
    has_too_many_sets,
};
use super::swiss::Swiss;

/// The number of pairs that are left, including those being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// The largest possible number.
    pub pairs_max: u64,
    /// The expected number, if no match of a knockout needs a tie-break. For a sequential test,
    /// which can end a match earlier, see `Sprt::expected_left`.
    pub pairs_expected: u64,
}

#[derive(Clone, Debug)]
enum Planner {
    RoundRobin(RoundRobin),
    Swiss(Swiss),
    Knockout(Knockout),
    Ladder(Ladder),
}

/// A running tournament.
#[derive(Clone, Debug)]
pub struct Schedule {
    setup: Setup,
    events: Vec<Event>,
    planner: Planner,
    /// The players at the next pair number.
    entrants: Vec<Entrant>,
    withdrawn: Vec<bool>,
    stopped: bool,
    ended: bool,
    /// The number of events already applied to the fields above.
    applied_events: usize,
    round: u32,
    planned: Vec<PlannedPair>,
    outcomes: BTreeMap<u32, Outcome>,
    /// Void pairs: number and players, with the player at fault. A number may have belonged to
    /// several pairs.
    void_pairs: BTreeMap<(u32, Players), Option<u32>>,
    /// The pair number of the last event that applies to more than one pair.
    last_change: Option<u32>,
    /// All pairs below this number are finished.
    settled: usize,
    /// All pairs below this number were handed out, or finished without being handed out.
    handed_out_up_to: u32,
    released: BTreeSet<u32>,
}

impl Schedule {
    /// Starts a tournament.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        setup.check()?;
        let mut schedule = Self {
            planner: Planner::new(setup.format),
            entrants: setup.entrants.clone(),
            withdrawn: vec![false; setup.entrants.len()],
            setup,
            events: Vec::new(),
            stopped: false,
            ended: false,
            applied_events: 0,
            round: 0,
            planned: Vec::new(),
            outcomes: BTreeMap::new(),
            void_pairs: BTreeMap::new(),
            last_change: None,
            settled: 0,
            handed_out_up_to: 0,
            released: BTreeSet::new(),
        };
        schedule.plan_until_ready();
        Ok(schedule)
    }

    /// The setup of the tournament.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The format with the events so far: an extension changes its length.
    pub fn format(&self) -> Format {
        let extended = self.events.iter().rev().find_map(|event| match event.change {
            Change::Extend(count) => Some(count),
            _ => None,
        });
        extended.map_or(self.setup.format, |count| self.setup.format.with_length(count))
    }

    /// The events so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The number of players so far, including those who withdrew. Their numbers start at 0.
    pub fn player_count(&self) -> u32 {
        let joined = self.events.iter().filter(|event| matches!(event.change, Change::Join(_)));
        (self.setup.entrants.len() + joined.count()) as u32
    }

    /// The pairs that can be handed out now; at least one if there is any.
    pub fn ready(&self) -> impl Iterator<Item = Pair> + '_ {
        let released = self.released.iter().filter_map(|number| self.planned.get(*number as usize));
        let from = self.settled.max(self.handed_out_up_to as usize);
        let fresh = self.planned.iter().skip(from).filter(|planned| !planned.is_settled());
        released.chain(fresh).map(|planned| planned.pair)
    }

    /// Hands out the first pair that is ready.
    pub fn take(&mut self) -> Option<Pair> {
        let pair = self.ready().next()?;
        if !self.released.remove(&pair.number) {
            self.handed_out_up_to = pair.number + 1;
        }
        self.plan_until_ready();
        Some(pair)
    }

    /// Returns a pair that was handed out but not played, so that it is handed out again.
    pub fn release(&mut self, number: u32) {
        let is_open =
            self.planned.get(number as usize).is_some_and(|planned| !planned.is_settled());
        if is_open && number < self.handed_out_up_to {
            self.released.insert(number);
        }
    }

    /// Records the outcome of a pair, which may have been handed out by an earlier run.
    pub fn finish(&mut self, number: u32, outcome: Outcome) -> Result<(), FinishError> {
        self.plan_through(number);
        let expected = half_points_of_pair(self.setup.seats);
        let Some(planned) = self.planned.get_mut(number as usize) else {
            return Err(FinishError::NotPlanned { number });
        };
        match outcome {
            Outcome::HalfPoints(points)
                if points.len() != planned.pair.players.len() || sum_of(&points) != expected =>
            {
                return Err(FinishError::WrongPoints { number, expected, found: sum_of(&points) });
            }
            _ if planned.cancelled => return Err(FinishError::Cancelled { number }),
            _ if planned.outcome.is_some() => return Err(FinishError::AlreadyFinished { number }),
            _ => planned.outcome = Some(outcome),
        }
        self.outcomes.insert(number, outcome);
        self.released.remove(&number);
        self.plan_until_ready();
        Ok(())
    }

    /// The number of the first pair that was not started. An event can apply from here on.
    pub fn first_unstarted(&self) -> u32 {
        let done = self.outcomes.last_key_value().map_or(0, |(number, _)| number + 1);
        self.handed_out_up_to.max(done)
    }

    /// Applies an event. When a tournament is restored, its events must be applied before its
    /// results are recorded.
    pub fn apply(&mut self, event: Event) -> Result<(), EventError> {
        if self.events.len() >= EVENTS_MAX {
            return Err(EventError::TooManyEvents);
        }
        if let Change::Void { players, at_fault } = event.change {
            return self.apply_void(event, players, at_fault);
        }
        let (from_pair, first_unstarted) = (event.from_pair, self.first_unstarted());
        if from_pair < first_unstarted {
            return Err(EventError::TooLate { from_pair, first_unstarted });
        }
        if let Some(last) = self.last_change.filter(|last| from_pair < *last) {
            return Err(EventError::OutOfOrder { from_pair, last });
        }
        match event.change {
            Change::Withdraw(player) if player >= self.player_count() => {
                return Err(EventError::UnknownPlayer { player });
            }
            Change::Withdraw(player)
                if self.events.iter().any(|it| it.change == Change::Withdraw(player)) =>
            {
                return Err(EventError::AlreadyWithdrawn { player });
            }
            Change::Join(_)
                if matches!(self.setup.format, Format::Match { .. } | Format::Knockout { .. }) =>
            {
                return Err(EventError::NoLateEntry);
            }
            Change::Extend(count) => {
                self.check_extension(count)?;
                self.events.push(event);
            }
            Change::Join(_) if self.player_count() as usize >= PLAYERS_MAX => {
                return Err(EventError::TooManyPlayers);
            }
            Change::Join(_)
                if matches!(self.setup.format, Format::RoundRobin { .. })
                    && has_too_many_sets(self.player_count() as usize + 1, self.setup.seats) =>
            {
                return Err(EventError::TooManySets);
            }
            _ => self.events.push(event),
        }
        self.last_change = Some(from_pair);
        self.planner = Planner::new(self.setup.format);
        self.entrants.clone_from(&self.setup.entrants);
        self.withdrawn = vec![false; self.entrants.len()];
        (self.stopped, self.ended, self.applied_events, self.round, self.settled) =
            (false, false, 0, 0, 0);
        self.planned.clear();
        while self.planned.len() < first_unstarted as usize && self.plan() {}
        self.plan_until_ready();
        Ok(())
    }

    fn check_extension(&self, count: u32) -> Result<(), EventError> {
        let (unit, now) = self.format().length().ok_or(EventError::NotExtensible)?;
        if count <= now {
            return Err(EventError::NotLonger { unit, now, count });
        }
        if self.events.iter().any(|event| event.change == Change::Stop) {
            return Err(EventError::Finished);
        }
        let longer = Setup {
            format: self.setup.format.with_length(count),
            entrants: vec![Entrant::default(); self.player_count() as usize],
            ..self.setup.clone()
        };
        longer.check().map_err(|_| EventError::TooManyPairs)
    }

    /// Marks a pair as void. When a tournament is restored, the pair may not be planned yet.
    fn apply_void(
        &mut self,
        event: Event,
        players: Players,
        at_fault: Option<u32>,
    ) -> Result<(), EventError> {
        let number = event.from_pair;
        if u64::from(number) >= PAIRS_MAX {
            return Err(EventError::UnknownPair { number });
        }
        let planned =
            self.planned.get_mut(number as usize).filter(|planned| planned.pair.players == players);
        let is_settled = planned.as_ref().is_some_and(|planned| planned.is_settled());
        if is_settled || self.void_pairs.contains_key(&(number, players)) {
            return Err(EventError::PairFinished { number });
        }
        self.events.push(event);
        self.void_pairs.insert((number, players), at_fault);
        if let Some(planned) = planned {
            (planned.outcome, planned.at_fault) = (Some(Outcome::Void), at_fault);
            self.released.remove(&number);
        }
        self.plan_until_ready();
        Ok(())
    }

    /// Plans up to a pair, as far as the known results allow.
    pub fn plan_through(&mut self, number: u32) {
        while self.planned.len() <= number as usize && self.plan() {}
    }

    /// Whether a planned pair is void.
    pub fn is_void(&self, number: u32) -> bool {
        let planned = self.planned.get(number as usize);
        planned.is_some_and(|planned| planned.outcome == Some(Outcome::Void))
    }

    /// A planned pair.
    pub fn pair(&self, number: u32) -> Option<Pair> {
        self.planned.get(number as usize).map(|planned| planned.pair)
    }

    /// Whether all pairs are finished.
    pub fn is_complete(&self) -> bool {
        self.ended && self.settled == self.planned.len()
    }

    /// The results in the order of the schedule, up to the first unfinished pair. Statistics and
    /// stopping rules must use only these.
    pub fn results(&self) -> impl Iterator<Item = (Pair, Outcome)> + '_ {
        self.results_from(0)
    }

    /// Like [`Schedule::results`], from the pair with this number on.
    pub fn results_from(&self, number: u32) -> impl Iterator<Item = (Pair, Outcome)> + '_ {
        let settled = self.planned.iter().take(self.settled).skip(number as usize);
        settled.filter_map(|planned| Some((planned.pair, planned.outcome?)))
    }

    /// Whether a pair has a result or was cancelled.
    pub fn is_settled(&self, number: u32) -> bool {
        self.planned.get(number as usize).is_some_and(PlannedPair::is_settled)
    }

    /// The half points that players of a Swiss system received without a game.
    pub fn byes(&self) -> BTreeMap<u32, u64> {
        match &self.planner {
            Planner::Swiss(swiss) => swiss.byes(&self.planner_input()),
            _ => BTreeMap::new(),
        }
    }

    /// For a knockout: the number of rounds that each player has won, including byes. Players
    /// without a win are missing. This decides the final ranking, not points. `None` for other
    /// formats.
    pub fn knockout_rounds_won(&self) -> Option<&BTreeMap<u32, u32>> {
        match &self.planner {
            Planner::Knockout(knockout) => Some(knockout.rounds_won()),
            _ => None,
        }
    }

    /// Whether the player has withdrawn, by the events so far.
    pub fn is_withdrawn(&self, player: u32) -> bool {
        self.events.iter().any(|event| event.change == Change::Withdraw(player))
    }

    /// The number of pairs that are left.
    pub fn forecast(&self) -> Forecast {
        let input = self.planner_input();
        let active = input.active();
        let planned =
            self.planned.iter().skip(self.settled).filter(|planned| !planned.is_settled()).count()
                as u64;
        let [max, expected] = match &self.planner {
            _ if self.ended => [0, 0],
            Planner::RoundRobin(round_robin) => [round_robin.pairs_left(&input); 2],
            Planner::Ladder(ladder) => [ladder.pairs_left(self.planned.len()); 2],
            Planner::Knockout(knockout) => knockout.pairs_left(&input),
            Planner::Swiss(swiss) => {
                let tables = active.len() as u64 / u64::from(self.setup.seats);
                [u64::from(swiss.rounds_left(self.round)) * tables; 2]
            }
        };
        Forecast { pairs_max: planned + max, pairs_expected: planned + expected }
    }

    fn planner_input(&self) -> PlannerInput<'_> {
        PlannerInput {
            seed: self.setup.seed,
            seats: self.setup.seats,
            entrants: &self.entrants,
            withdrawn: &self.withdrawn,
            pairs: &self.planned,
            round: self.round,
        }
    }

    /// Plans rounds until a pair can be handed out or no more can be planned.
    fn plan_until_ready(&mut self) {
        self.advance_settled();
        while self.ready().next().is_none() && self.plan() {}
    }

    fn advance_settled(&mut self) {
        while self.planned.get(self.settled).is_some_and(PlannedPair::is_settled) {
            self.settled += 1;
        }
    }

    /// Applies the events that are due at this pair number.
    fn apply_due_events(&mut self, number: u32) {
        let is_due = |event: &&Event| {
            event.from_pair <= number || matches!(event.change, Change::Void { .. })
        };
        while let Some(event) = self.events.get(self.applied_events).filter(is_due) {
            match event.change {
                Change::Join(entrant) => {
                    self.entrants.push(entrant);
                    self.withdrawn.push(false);
                }
                Change::Withdraw(player) => {
                    if let Some(withdrawn) = self.withdrawn.get_mut(player as usize) {
                        *withdrawn = true;
                    }
                }
                Change::Stop => self.stopped = true,
                Change::Extend(count) => self.planner.extend(count),
                // `void_pairs` sets the outcome of the pair.
                Change::Void { .. } => {}
            }
            self.applied_events += 1;
        }
    }

    /// Plans the next round. Returns false if it waits for results or the tournament has ended.
    fn plan(&mut self) -> bool {
        self.advance_settled();
        let first = self.planned.len() as u32;
        self.apply_due_events(first);
        if self.stopped {
            self.ended = true;
        }
        let required_results = match &self.planner {
            Planner::RoundRobin(_) => 0,
            Planner::Ladder(ladder) => ladder.required_results(),
            Planner::Swiss(_) | Planner::Knockout(_) => self.planned.len(),
        };
        if self.ended || self.settled < required_results {
            return false;
        }
        let input = PlannerInput {
            seed: self.setup.seed,
            seats: self.setup.seats,
            entrants: &self.entrants,
            withdrawn: &self.withdrawn,
            pairs: &self.planned,
            round: self.round,
        };
        let next = match &mut self.planner {
            Planner::RoundRobin(round_robin) => round_robin.next(&input),
            Planner::Swiss(swiss) => swiss.next(&input),
            Planner::Knockout(knockout) => knockout.next(&input),
            Planner::Ladder(ladder) => ladder.next(&input),
        };
        let NextRound::Pairings(round, pairings) = next else {
            self.ended = true;
            return false;
        };
        for pairing in pairings {
            let number = self.planned.len() as u32;
            self.apply_due_events(number);
            let is_withdrawn = |player: &u32| self.withdrawn.get(*player as usize) == Some(&true);
            let cancelled = self.stopped || pairing.players.iter().any(is_withdrawn);
            let pair = Pair { number, round, players: pairing.players, opening: pairing.opening };
            let void = self.void_pairs.get(&(number, pair.players)).copied();
            let outcome = self.outcomes.get(&number).copied().or(void.map(|_| Outcome::Void));
            self.planned.push(PlannedPair { pair, cancelled, outcome, at_fault: void.flatten() });
        }
        self.round += 1;
        self.advance_settled();
        true
    }
}

fn sum_of(half_points: &[u16]) -> u32 {
    half_points.iter().map(|won| u32::from(*won)).sum()
}

impl Planner {
    fn new(format: Format) -> Self {
        match format {
            Format::Match { pairs } => Self::RoundRobin(RoundRobin::new(pairs, None)),
            Format::Gauntlet { challengers, cycles } => {
                Self::RoundRobin(RoundRobin::new(cycles, Some(challengers)))
            }
            Format::RoundRobin { cycles } => Self::RoundRobin(RoundRobin::new(cycles, None)),
            Format::Swiss { rounds } => Self::Swiss(Swiss::new(rounds)),
            Format::Knockout { pairs, tie_breaks } => {
                Self::Knockout(Knockout::new(pairs, tie_breaks))
            }
            Format::Ladder { pairs } => Self::Ladder(Ladder::new(pairs)),
        }
    }

    /// Makes the tournament longer. A knockout has no length.
    fn extend(&mut self, count: u32) {
        match self {
            Self::RoundRobin(round_robin) => round_robin.extend(count),
            Self::Swiss(swiss) => swiss.extend(count),
            Self::Ladder(ladder) => ladder.extend(count),
            Self::Knockout(_) => {}
        }
    }
}
