//! A discrete-event simulation of an arena with many workers. The costs of one game for broker,
//! arena and store are measured; a thousand machines are not available, so they are simulated.
//! Pure: the same costs and fleet give the same figures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The costs of one game on its way, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// The arena makes a job and sends it to the broker.
    pub offer_us: f64,
    /// The broker receives and delivers a job and its result.
    pub broker_us: f64,
    /// The arena reads and checks a result and passes it to the store.
    pub take_us: f64,
    /// The store commits a group of any size.
    pub group_us: f64,
    /// Each game of a group, in addition.
    pub game_us: f64,
    /// A worker's wait for its next game, with an idle broker.
    pub between_us: f64,
}

/// The workers and their games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fleet {
    /// The number of games that all workers play at once.
    pub workers: u32,
    /// The mean length of a game. Lengths vary from half to one and a half of it.
    pub game_us: f64,
    /// The maximum of offered and running games, as a multiple of `workers`.
    pub offered: f64,
    /// The minimum and maximum number of offered and running games.
    pub offered_range: (u32, u32),
}

/// What limits the throughput. Each part does one thing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// The arena's thread that offers games and takes results.
    Arena,
    Broker,
    /// The arena's thread that stores.
    Store,
    /// The number of workers.
    Workers,
}

/// The result of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationResult {
    /// Games per second, without the first tenth of the games.
    pub games_per_s: f64,
    /// The share of the throughput without any costs, from 0 to 1.
    pub efficiency: f64,
    /// The part at its limit.
    pub limit: Bottleneck,
}

/// A part that is busy for this share of the time is at its limit.
const BUSY_SHARE: f64 = 0.95;
/// How long the store waits for more games before it commits a group, and the size of a full group.
const GROUP_WAIT_US: f64 = 40_000.0;
const GROUP_MAX: usize = 512;
/// Simulated games for each worker, and the minimum in all.
const SIMULATED_GAMES: (u32, u32) = (24, 2000);

/// An event and its time, in microseconds since the start.
#[derive(Clone, Copy, PartialEq)]
struct Event {
    at_us: f64,
    kind: EventKind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EventKind {
    /// The arena is free.
    ArenaFree,
    /// A job has arrived at the broker.
    JobArrived,
    /// A worker requests its next game.
    WorkerFree,
    /// A worker has finished a game.
    Played,
    /// A result has arrived at the arena.
    ResultArrived,
    /// The store's wait for more games is over.
    GroupReady,
    /// A group is committed.
    Committed,
}

impl Eq for Event {}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at_us.total_cmp(&other.at_us).then(self.kind.cmp(&other.kind))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Model {
    costs: Costs,
    fleet: Fleet,
    events: BinaryHeap<Reverse<Event>>,
    now_us: f64,
    random: u64,
    window: u32,
    /// The number of games that are offered and whose result the arena has not taken.
    out: u32,
    arena_busy: bool,
    broker_until_us: f64,
    store_busy: bool,
    jobs: u32,
    idle: u32,
    results: u32,
    unstored: usize,
    committing: usize,
    stored: u32,
    /// The busy time of arena, broker and store.
    busy_us: [f64; 3],
}

/// Simulates `fleet` until enough games are stored. The first tenth of them is not measured.
pub fn simulate(costs: Costs, fleet: Fleet) -> SimulationResult {
    let games = SIMULATED_GAMES.0.saturating_mul(fleet.workers).max(SIMULATED_GAMES.1);
    let (low, high) = fleet.offered_range;
    let mut model = Model {
        costs,
        fleet,
        events: BinaryHeap::new(),
        now_us: 0.0,
        random: 1,
        window: ((fleet.offered * f64::from(fleet.workers)) as u32).clamp(low, high),
        out: 0,
        arena_busy: false,
        broker_until_us: 0.0,
        store_busy: false,
        jobs: 0,
        idle: 0,
        results: 0,
        unstored: 0,
        committing: 0,
        stored: 0,
        busy_us: [0.0; 3],
    };
    for _ in 0..fleet.workers {
        model.after(0.0, EventKind::WorkerFree);
    }
    model.arena();
    let mut warm_up = None;
    while model.stored < games {
        let Some(Reverse(event)) = model.events.pop() else { break };
        model.now_us = event.at_us;
        model.handle(event.kind);
        if warm_up.is_none() && model.stored >= games / 10 {
            warm_up = Some((model.now_us, model.stored, model.busy_us));
        }
    }
    let (at_us, stored, busy_us) = warm_up.unwrap_or_default();
    let duration_us = (model.now_us - at_us).max(1.0);
    let games_per_s = f64::from(model.stored - stored) * 1e6 / duration_us;
    let parts = [Bottleneck::Arena, Bottleneck::Broker, Bottleneck::Store];
    let busy = |index: usize| (model.busy_us[index] - busy_us[index]) / duration_us;
    let limit = (0..3).max_by(|one, other| busy(*one).total_cmp(&busy(*other)));
    let limit = limit
        .filter(|index| busy(*index) >= BUSY_SHARE)
        .map_or(Bottleneck::Workers, |it| parts[it]);
    let ideal = f64::from(fleet.workers) * 1e6 / fleet.game_us;
    SimulationResult { games_per_s, efficiency: games_per_s / ideal, limit }
}

impl Model {
    fn after(&mut self, us: f64, kind: EventKind) {
        self.events.push(Reverse(Event { at_us: self.now_us + us, kind }));
    }

    /// A factor from 0.5 to 1.5, the same in each run.
    fn spread(&mut self) -> f64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        0.5 + (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Queues work at the broker. Returns the time until it is done, in microseconds.
    fn broker(&mut self, us: f64) -> f64 {
        self.broker_until_us = self.broker_until_us.max(self.now_us) + us;
        self.busy_us[1] += us;
        self.broker_until_us - self.now_us
    }

    /// The arena first offers games, then takes results, so that workers never run out of games.
    fn arena(&mut self) {
        if self.arena_busy {
            return;
        }
        let Costs { offer_us, take_us, broker_us, .. } = self.costs;
        let us = if self.out < self.window {
            self.out += 1;
            let delay_us = self.broker(broker_us / 2.0);
            self.after(offer_us.max(delay_us), EventKind::JobArrived);
            offer_us
        } else if self.results > 0 {
            self.results -= 1;
            self.unstored += 1;
            self.out -= 1;
            take_us
        } else {
            return;
        };
        self.arena_busy = true;
        self.busy_us[0] += us;
        self.after(us, EventKind::ArenaFree);
    }

    fn store(&mut self) {
        if self.store_busy || self.unstored == 0 {
            return;
        }
        self.store_busy = true;
        // A full group does not wait for more.
        let wait_us = if self.unstored >= GROUP_MAX { 0.0 } else { GROUP_WAIT_US };
        self.after(wait_us, EventKind::GroupReady);
    }

    fn commit(&mut self) {
        let games = self.unstored.min(GROUP_MAX);
        let us = self.costs.group_us + self.costs.game_us * games as f64;
        self.committing = games;
        self.busy_us[2] += us;
        self.after(us, EventKind::Committed);
    }

    fn play(&mut self) {
        while self.jobs > 0 && self.idle > 0 {
            self.jobs -= 1;
            self.idle -= 1;
            let us = self.fleet.game_us * self.spread();
            self.after(us, EventKind::Played);
        }
    }

    fn handle(&mut self, kind: EventKind) {
        match kind {
            EventKind::ArenaFree => {
                self.arena_busy = false;
                self.store();
            }
            EventKind::JobArrived => self.jobs += 1,
            EventKind::WorkerFree => self.idle += 1,
            EventKind::Played => {
                let delay_us = self.broker(self.costs.broker_us / 2.0);
                self.after(delay_us, EventKind::ResultArrived);
                self.after(delay_us.max(self.costs.between_us), EventKind::WorkerFree);
            }
            EventKind::ResultArrived => self.results += 1,
            EventKind::GroupReady => self.commit(),
            EventKind::Committed => {
                self.store_busy = false;
                self.unstored -= self.committing;
                self.stored += self.committing as u32;
                self.store();
            }
        }
        self.play();
        self.arena();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP: Costs = Costs {
        offer_us: 1.0,
        broker_us: 1.0,
        take_us: 1.0,
        group_us: 1.0,
        game_us: 1.0,
        between_us: 1.0,
    };

    fn fleet(workers: u32, game_us: f64) -> Fleet {
        Fleet { workers, game_us, offered: 2.0, offered_range: (16, 8192) }
    }

    /// Checks the games per second, within 5 %, and the bottleneck.
    fn check(costs: Costs, fleet: Fleet, games_per_s: f64, limit: Bottleneck) {
        let found = simulate(costs, fleet);
        let error = (found.games_per_s - games_per_s).abs() / games_per_s;
        assert!(error < 0.05 && found.limit == limit, "{fleet:?}: {found:?}");
        assert_eq!(simulate(costs, fleet), found);
    }

    #[test]
    fn the_slowest_part_is_the_limit() {
        check(CHEAP, fleet(1, 100_000.0), 10.0, Bottleneck::Workers);
        check(CHEAP, fleet(100, 1e6), 100.0, Bottleneck::Workers);
        check(CHEAP, fleet(1000, 1e6), 1000.0, Bottleneck::Workers);
        check(Costs { broker_us: 2000.0, ..CHEAP }, fleet(1000, 1e6), 500.0, Bottleneck::Broker);
        check(Costs { take_us: 1999.0, ..CHEAP }, fleet(1000, 1e6), 500.0, Bottleneck::Arena);
        check(Costs { between_us: 1e6, ..CHEAP }, fleet(100, 1e6), 50.0, Bottleneck::Workers);
        // The broker is saturated, so more workers do not help.
        check(Costs { broker_us: 10_000.0, ..CHEAP }, fleet(99, 1e6), 99.0, Bottleneck::Broker);
        check(Costs { broker_us: 10_000.0, ..CHEAP }, fleet(400, 1e6), 100.0, Bottleneck::Broker);
    }
}
