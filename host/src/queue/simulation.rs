//! What an arena with many workers would do: a model of its parts by discrete events, with what each costs. Of a thousand
//! workers nobody has the machines at hand; what one game costs broker, arena and store can be measured. Pure: the same
//! costs and the same fleet give the same figures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the way of one game costs, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// The arena makes a job and hands it to the broker.
    pub offer_us: f64,
    /// The broker takes a job and its result, and hands out both.
    pub broker_us: f64,
    /// The arena takes in a result: reads, checks and hands it to the store.
    pub take_us: f64,
    /// The store commits a group, whatever is in it.
    pub group_us: f64,
    /// And for each game of it.
    pub game_us: f64,
    /// A worker waits for its next game after it has finished one, with a broker that has nothing else to do.
    pub between_us: f64,
}

/// Who plays what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fleet {
    /// Games that all workers play at once.
    pub workers: u32,
    /// How long a game takes, in the mean; single ones take from half of it to one and a half.
    pub game_us: f64,
    /// How many games are on offer or in play at most, for each that is played at once.
    pub offered: f64,
    /// How many games are on offer or in play at most and at least.
    pub offered_range: (u32, u32),
}

/// A part that does one thing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The thread of the arena that offers games and takes results in.
    Arena,
    /// The broker.
    Broker,
    /// The thread of the arena that stores.
    Store,
    /// None of them is at its limit: the workers are.
    Workers,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Games a second, from the first tenth of the games to the last.
    pub games_per_s: f64,
    /// Of what as many workers would play if nothing cost anything.
    pub efficiency: f64,
    /// What is at its limit.
    pub limit: Part,
}

/// A part is at its limit when it is busy for this share of the time.
const BUSY: f64 = 0.95;
/// The store waits so long for more games before it commits a group, and takes at most so many.
const GROUP_US: f64 = 40_000.0;
const GROUP_MAX: usize = 512;
/// So many games are looked at for each worker, and at least so many.
const GAMES: (u32, u32) = (24, 2000);

/// Something that happens, in microseconds since the beginning.
#[derive(Clone, Copy, PartialEq)]
struct Event {
    at_us: f64,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The arena is free.
    ArenaFree,
    /// A job lies at the broker.
    JobThere,
    /// A worker asks for its next game.
    WorkerFree,
    /// A worker has finished a game.
    Played,
    /// A result has passed the broker.
    ResultThere,
    /// The store has waited for more games.
    Gathered,
    /// A group is committed.
    Committed,
}

impl Eq for Event {}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at_us.total_cmp(&other.at_us).then(self.what.cmp(&other.what))
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
    dice: u64,
    window: u32,
    /// Offered and not yet handed in.
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
    /// How long each part was busy.
    busy_us: [f64; 3],
}

/// Looks at a fleet.
pub fn look_ahead(costs: Costs, fleet: Fleet) -> Outlook {
    let games = GAMES.0.saturating_mul(fleet.workers).max(GAMES.1);
    let (low, high) = fleet.offered_range;
    let mut model = Model {
        costs,
        fleet,
        events: BinaryHeap::new(),
        now_us: 0.0,
        dice: 1,
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
        model.after(0.0, What::WorkerFree);
    }
    model.arena();
    let mut from = None;
    while model.stored < games {
        let Some(Reverse(event)) = model.events.pop() else { break };
        model.now_us = event.at_us;
        model.happen(event.what);
        if from.is_none() && model.stored >= games / 10 {
            from = Some((model.now_us, model.stored, model.busy_us));
        }
    }
    let (at_us, stored, busy_us) = from.unwrap_or_default();
    let took_us = (model.now_us - at_us).max(1.0);
    let games_per_s = f64::from(model.stored - stored) * 1e6 / took_us;
    let parts = [Part::Arena, Part::Broker, Part::Store];
    let busy = |index: usize| (model.busy_us[index] - busy_us[index]) / took_us;
    let limit = (0..3).max_by(|one, other| busy(*one).total_cmp(&busy(*other)));
    let limit = limit.filter(|index| busy(*index) >= BUSY).map_or(Part::Workers, |it| parts[it]);
    let ideal = f64::from(fleet.workers) * 1e6 / fleet.game_us;
    Outlook { games_per_s, efficiency: games_per_s / ideal, limit }
}

impl Model {
    fn after(&mut self, us: f64, what: What) {
        self.events.push(Reverse(Event { at_us: self.now_us + us, what }));
    }

    /// From half to one and a half, the same in each run.
    fn spread(&mut self) -> f64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        0.5 + (self.dice >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The broker does something when it has done all before it; after how long that is done.
    fn broker(&mut self, us: f64) -> f64 {
        self.broker_until_us = self.broker_until_us.max(self.now_us) + us;
        self.busy_us[1] += us;
        self.broker_until_us - self.now_us
    }

    /// The arena offers while it may, and takes in results then: so it never leaves workers without games.
    fn arena(&mut self) {
        if self.arena_busy {
            return;
        }
        let Costs { offer_us, take_us, broker_us, .. } = self.costs;
        let us = if self.out < self.window {
            self.out += 1;
            let there = self.broker(broker_us / 2.0);
            self.after(offer_us.max(there), What::JobThere);
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
        self.after(us, What::ArenaFree);
    }

    fn store(&mut self) {
        if self.store_busy || self.unstored == 0 {
            return;
        }
        self.store_busy = true;
        // A group that is full does not wait for more.
        let waits = if self.unstored >= GROUP_MAX { 0.0 } else { GROUP_US };
        self.after(waits, What::Gathered);
    }

    fn commit(&mut self) {
        let games = self.unstored.min(GROUP_MAX);
        let us = self.costs.group_us + self.costs.game_us * games as f64;
        self.committing = games;
        self.busy_us[2] += us;
        self.after(us, What::Committed);
    }

    fn play(&mut self) {
        while self.jobs > 0 && self.idle > 0 {
            self.jobs -= 1;
            self.idle -= 1;
            let us = self.fleet.game_us * self.spread();
            self.after(us, What::Played);
        }
    }

    fn happen(&mut self, what: What) {
        match what {
            What::ArenaFree => {
                self.arena_busy = false;
                self.store();
            }
            What::JobThere => self.jobs += 1,
            What::WorkerFree => self.idle += 1,
            What::Played => {
                let there = self.broker(self.costs.broker_us / 2.0);
                self.after(there, What::ResultThere);
                self.after(there.max(self.costs.between_us), What::WorkerFree);
            }
            What::ResultThere => self.results += 1,
            What::Gathered => self.commit(),
            What::Committed => {
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

    /// Games a second, to a hundredth of what is expected, and what is at its limit.
    fn check(costs: Costs, fleet: Fleet, games_per_s: f64, limit: Part) {
        let found = look_ahead(costs, fleet);
        let off = (found.games_per_s - games_per_s).abs() / games_per_s;
        assert!(off < 0.05 && found.limit == limit, "{fleet:?}: {found:?}");
        assert_eq!(look_ahead(costs, fleet), found);
    }

    #[test]
    fn the_slowest_part_is_the_limit() {
        check(CHEAP, fleet(1, 100_000.0), 10.0, Part::Workers);
        check(CHEAP, fleet(100, 1e6), 100.0, Part::Workers);
        check(CHEAP, fleet(1000, 1e6), 1000.0, Part::Workers);
        check(Costs { broker_us: 2000.0, ..CHEAP }, fleet(1000, 1e6), 500.0, Part::Broker);
        check(Costs { take_us: 1999.0, ..CHEAP }, fleet(1000, 1e6), 500.0, Part::Arena);
        check(Costs { between_us: 1e6, ..CHEAP }, fleet(100, 1e6), 50.0, Part::Workers);
        // As many workers as the broker bears: more do not help.
        check(Costs { broker_us: 10_000.0, ..CHEAP }, fleet(99, 1e6), 99.0, Part::Broker);
        check(Costs { broker_us: 10_000.0, ..CHEAP }, fleet(400, 1e6), 100.0, Part::Broker);
    }
}
