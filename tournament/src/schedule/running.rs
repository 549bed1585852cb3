//! A tournament while it runs: which pairs are planned, handed out, over. The planners of the formats are
//! asked for rounds as the results that these wait for come in; a change begins the plan anew, which
//! comes out the same up to the place of the change.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::error::{EventError, FinishError, SetupError};
use super::format::{
    Change, EVENTS_MAX, Entrant, Event, Format, Outcome, PAIRS_MAX, PLAYERS_MAX, Pair, Setup,
};
use super::knockout::Knockout;
use super::ladder::Ladder;
use super::meetings::Meetings;
use super::state::{Next, Slot, State};
use super::swiss::Swiss;

/// How many pairs are left to be played, those that are being played among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// At most.
    pub most: u64,
    /// If no meeting of a knockout needs a tie-break. A sequential test ends a match sooner:
    /// `Sprt::expected_left` says when.
    pub expected: u64,
}

#[derive(Clone, Debug)]
enum Planner {
    Meetings(Meetings),
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
    /// Who is there at the number that comes next.
    entrants: Vec<Entrant>,
    withdrawn: Vec<bool>,
    stopped: bool,
    ended: bool,
    /// How many events are in these.
    seen: usize,
    round: u32,
    slots: Vec<Slot>,
    outcomes: BTreeMap<u32, Outcome>,
    /// Pairs that are void: their numbers, who plays, and whose doing it is. A number may have been of several.
    void: BTreeMap<(u32, [u32; 2]), Option<u32>>,
    /// Where the last change counts that is of more than one pair.
    changed: Option<u32>,
    /// Below this, every pair is over.
    over: usize,
    /// Below this, every pair was handed out, was over or had fallen out.
    fresh: u32,
    returned: BTreeSet<u32>,
}

impl Schedule {
    /// A tournament of which nothing is played.
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
            seen: 0,
            round: 0,
            slots: Vec::new(),
            outcomes: BTreeMap::new(),
            void: BTreeMap::new(),
            changed: None,
            over: 0,
            fresh: 0,
            returned: BTreeSet::new(),
        };
        schedule.settle();
        Ok(schedule)
    }

    /// What it was asked to be.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What changed on the way.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many players there were, those who left among them: numbers go from 0 to there.
    pub fn players(&self) -> u32 {
        let joined = self.events.iter().filter(|event| matches!(event.change, Change::Join(_)));
        (self.setup.entrants.len() + joined.count()) as u32
    }

    /// The pairs that can be handed out now, as far as they are planned: one at least where there is any.
    pub fn ready(&self) -> impl Iterator<Item = Pair> + '_ {
        let returned = self.returned.iter().filter_map(|number| self.slots.get(*number as usize));
        let from = self.over.max(self.fresh as usize);
        let fresh = self.slots.iter().skip(from).filter(|slot| !slot.is_over());
        returned.chain(fresh).map(|slot| slot.pair)
    }

    /// Hands out the first pair that is ready.
    pub fn take(&mut self) -> Option<Pair> {
        let pair = self.ready().next()?;
        if !self.returned.remove(&pair.number) {
            self.fresh = pair.number + 1;
        }
        self.settle();
        Some(pair)
    }

    /// A pair that was handed out is to be played by whoever takes it next.
    pub fn give_back(&mut self, number: u32) {
        let open = self.slots.get(number as usize).is_some_and(|slot| !slot.is_over());
        if open && number < self.fresh {
            self.returned.insert(number);
        }
    }

    /// A pair is over, be it one that was never handed out here but by an earlier run.
    pub fn finish(&mut self, number: u32, outcome: Outcome) -> Result<(), FinishError> {
        self.foresee(number);
        let Some(slot) = self.slots.get_mut(number as usize) else {
            return Err(FinishError::NotPlanned { number });
        };
        match outcome {
            Outcome::HalfPoints(half_points) if half_points > 4 => {
                return Err(FinishError::Points { number, half_points });
            }
            _ if slot.out => return Err(FinishError::FellOut { number }),
            _ if slot.outcome.is_some() => return Err(FinishError::Twice { number }),
            _ => slot.outcome = Some(outcome),
        }
        self.outcomes.insert(number, outcome);
        self.returned.remove(&number);
        self.settle();
        Ok(())
    }

    /// The first number from which on a change can count: that of the first pair that nobody has begun.
    pub fn place(&self) -> u32 {
        let done = self.outcomes.last_key_value().map_or(0, |(number, _)| number + 1);
        self.fresh.max(done)
    }

    /// Changes the tournament. When it is run again, its events are to be told before its results.
    pub fn apply(&mut self, event: Event) -> Result<(), EventError> {
        if self.events.len() >= EVENTS_MAX {
            return Err(EventError::TooMany { most: EVENTS_MAX });
        }
        if let Change::Void { players, by } = event.change {
            return self.void(event, players, by);
        }
        let (at, place) = (event.at, self.place());
        if at < place {
            return Err(EventError::TooLate { at, place });
        }
        if let Some(last) = self.changed.filter(|last| at < *last) {
            return Err(EventError::Order { at, last });
        }
        match event.change {
            Change::Withdraw(player) if player >= self.players() => {
                return Err(EventError::NoPlayer { player });
            }
            Change::Withdraw(player)
                if self.events.iter().any(|it| it.change == Change::Withdraw(player)) =>
            {
                return Err(EventError::Gone { player });
            }
            Change::Join(_)
                if matches!(self.setup.format, Format::Match { .. } | Format::Knockout { .. }) =>
            {
                return Err(EventError::Closed);
            }
            Change::Join(_) if self.players() as usize >= PLAYERS_MAX => {
                return Err(EventError::Full);
            }
            _ => self.events.push(event),
        }
        self.changed = Some(at);
        self.planner = Planner::new(self.setup.format);
        self.entrants.clone_from(&self.setup.entrants);
        self.withdrawn = vec![false; self.entrants.len()];
        (self.stopped, self.ended, self.seen, self.round, self.over) = (false, false, 0, 0, 0);
        self.slots.clear();
        while self.slots.len() < place as usize && self.plan() {}
        self.settle();
        Ok(())
    }

    /// A pair is void. It may be planned later only, when the tournament is run again.
    fn void(&mut self, event: Event, players: [u32; 2], by: Option<u32>) -> Result<(), EventError> {
        let number = event.at;
        if u64::from(number) >= PAIRS_MAX {
            return Err(EventError::NoPair { number });
        }
        let slot = self.slots.get_mut(number as usize).filter(|slot| slot.pair.players == players);
        let is_over = slot.as_ref().is_some_and(|slot| slot.is_over());
        if is_over || self.void.contains_key(&(number, players)) {
            return Err(EventError::Over { number });
        }
        self.events.push(event);
        self.void.insert((number, players), by);
        if let Some(slot) = slot {
            (slot.outcome, slot.by) = (Some(Outcome::Void), by);
            self.returned.remove(&number);
        }
        self.settle();
        Ok(())
    }

    /// Plans up to a pair, as far as the results that are known admit.
    pub fn foresee(&mut self, number: u32) {
        while self.slots.len() <= number as usize && self.plan() {}
    }

    /// Whether a pair that is planned is void.
    pub fn is_void(&self, number: u32) -> bool {
        let slot = self.slots.get(number as usize);
        slot.is_some_and(|slot| slot.outcome == Some(Outcome::Void))
    }

    /// A pair that is planned.
    pub fn pair(&self, number: u32) -> Option<Pair> {
        self.slots.get(number as usize).map(|slot| slot.pair)
    }

    /// Whether nothing is left to be played.
    pub fn is_complete(&self) -> bool {
        self.ended && self.over == self.slots.len()
    }

    /// The results so far in the order of the schedule, up to the first pair that is not over: what
    /// statistics and tests that stop a match may see.
    pub fn counted(&self) -> impl Iterator<Item = (Pair, Outcome)> + '_ {
        self.counted_from(0)
    }

    /// [`Schedule::counted`] from the pair of this number on.
    pub fn counted_from(&self, number: u32) -> impl Iterator<Item = (Pair, Outcome)> + '_ {
        let over = self.slots.iter().take(self.over).skip(number as usize);
        over.filter_map(|slot| Some((slot.pair, slot.outcome?)))
    }

    /// Whether a pair is over: it has a result, or fell out.
    pub fn is_over(&self, number: u32) -> bool {
        self.slots.get(number as usize).is_some_and(Slot::is_over)
    }

    /// Half points that players of a Swiss system have without a game.
    pub fn byes(&self) -> BTreeMap<u32, u64> {
        match &self.planner {
            Planner::Swiss(swiss) => swiss.byes(&self.state()),
            _ => BTreeMap::new(),
        }
    }

    /// Of a knockout: how many stages each player has passed, byes among them; who passed none is not there.
    /// It decides places there, where points do not. None: it is no knockout.
    pub fn stages_passed(&self) -> Option<&BTreeMap<u32, u32>> {
        match &self.planner {
            Planner::Knockout(knockout) => Some(knockout.passed()),
            _ => None,
        }
    }

    /// Who has left, at the number that comes next.
    pub fn is_withdrawn(&self, player: u32) -> bool {
        self.events.iter().any(|event| event.change == Change::Withdraw(player))
    }

    /// How many pairs are left.
    pub fn forecast(&self) -> Forecast {
        let state = self.state();
        let active = state.active();
        let planned =
            self.slots.iter().skip(self.over).filter(|slot| !slot.is_over()).count() as u64;
        let [most, expected] = match &self.planner {
            _ if self.ended => [0, 0],
            Planner::Meetings(meetings) => [meetings.left(&active); 2],
            Planner::Ladder(ladder) => [ladder.left(self.slots.len()); 2],
            Planner::Knockout(knockout) => knockout.left(&state),
            Planner::Swiss(_) => {
                let Format::Swiss { rounds } = self.setup.format else {
                    return Forecast { most: planned, expected: planned };
                };
                [u64::from(rounds.saturating_sub(self.round)) * (active.len() as u64 / 2); 2]
            }
        };
        Forecast { most: planned + most, expected: planned + expected }
    }

    fn state(&self) -> State<'_> {
        State {
            seed: self.setup.seed,
            entrants: &self.entrants,
            withdrawn: &self.withdrawn,
            slots: &self.slots,
            round: self.round,
        }
    }

    /// Plans until a pair can be handed out, or none can be.
    fn settle(&mut self) {
        self.pass();
        while self.ready().next().is_none() && self.plan() {}
    }

    fn pass(&mut self) {
        while self.slots.get(self.over).is_some_and(Slot::is_over) {
            self.over += 1;
        }
    }

    /// Takes in the events that count at this number.
    fn see(&mut self, number: u32) {
        let counts =
            |event: &&Event| event.at <= number || matches!(event.change, Change::Void { .. });
        while let Some(event) = self.events.get(self.seen).filter(counts) {
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
                // It has an outcome.
                Change::Void { .. } => {}
            }
            self.seen += 1;
        }
    }

    /// Plans the next round; false where it waits for results, and at the end.
    fn plan(&mut self) -> bool {
        self.pass();
        let first = self.slots.len() as u32;
        self.see(first);
        if self.stopped {
            self.ended = true;
        }
        let needs = match &self.planner {
            Planner::Meetings(_) => 0,
            Planner::Ladder(ladder) => ladder.needs(),
            Planner::Swiss(_) | Planner::Knockout(_) => self.slots.len(),
        };
        if self.ended || self.over < needs {
            return false;
        }
        let state = State {
            seed: self.setup.seed,
            entrants: &self.entrants,
            withdrawn: &self.withdrawn,
            slots: &self.slots,
            round: self.round,
        };
        let next = match &mut self.planner {
            Planner::Meetings(meetings) => meetings.next(&state),
            Planner::Swiss(swiss) => swiss.next(&state),
            Planner::Knockout(knockout) => knockout.next(&state),
            Planner::Ladder(ladder) => ladder.next(&state),
        };
        let Next::Round(round, pairings) = next else {
            self.ended = true;
            return false;
        };
        for pairing in pairings {
            let number = self.slots.len() as u32;
            self.see(number);
            let gone = |player: &u32| self.withdrawn.get(*player as usize) == Some(&true);
            let out = self.stopped || pairing.players.iter().any(gone);
            let pair = Pair { number, round, players: pairing.players, opening: pairing.opening };
            let void = self.void.get(&(number, pair.players)).copied();
            let outcome = self.outcomes.get(&number).copied().or(void.map(|_| Outcome::Void));
            self.slots.push(Slot { pair, out, outcome, by: void.flatten() });
        }
        self.round += 1;
        self.pass();
        true
    }
}

impl Planner {
    fn new(format: Format) -> Self {
        match format {
            Format::Match { pairs } => Self::Meetings(Meetings::new(pairs, None)),
            Format::Gauntlet { heroes, folds } => {
                Self::Meetings(Meetings::new(folds, Some(heroes)))
            }
            Format::RoundRobin { folds } => Self::Meetings(Meetings::new(folds, None)),
            Format::Swiss { rounds } => Self::Swiss(Swiss::new(rounds)),
            Format::Knockout { pairs, tie_breaks } => {
                Self::Knockout(Knockout::new(pairs, tie_breaks))
            }
            Format::Ladder { pairs } => Self::Ladder(Ladder::new(pairs)),
        }
    }
}
