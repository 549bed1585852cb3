//! An engine that searches with several threads: the instance that chooses and its helpers,
//! which think along while it does. With one thread it is that instance and nothing more.
//! Takes part in no search: what they tell each other goes through what they share.

use std::sync::Arc;

use sandboard_abi::{Barred, Level, Limits, Setup};

use super::Recipe;
use super::helper::{Helper, Job, Shared};
use super::instance::{Call, WasmInstance};
use super::purse::{Purse, Share};
use crate::engine::commons::Commons;
use crate::engine::meter::{Meter, STOP_GRACE_US};
use crate::engine::{Answer, Control, Engine, Fault, Listener, Spent};

/// A leader and its helpers.
pub struct Team {
    recipe: Arc<Recipe>,
    listener: Arc<dyn Listener>,
    leader: WasmInstance,
    crew: Option<Crew>,
}

/// The helpers, and what was found of them.
struct Crew {
    /// Those who are still there.
    helpers: Vec<Helper>,
    /// Of all who have started: their calls are on the leader's account.
    meters: Vec<Arc<Meter>>,
    purse: Purse,
    /// What they are not told yet, for it is of use only to who thinks: the moves played and
    /// taken back. Waking a thread takes longer than telling it.
    untold: Vec<Job>,
    /// What those who are gone have held and logged, and the others when they were last asked.
    held: Vec<Held>,
}

/// What a helper has held of memory and logged, in bytes.
#[derive(Clone, Copy, Default)]
struct Held {
    memory: u64,
    logged: u64,
}

impl Team {
    /// A leader without helpers: they are hired when it is started.
    pub fn new(recipe: &Arc<Recipe>, listener: Arc<dyn Listener>) -> Result<Self, Fault> {
        let leader = WasmInstance::new(recipe, listener.clone(), STOP_GRACE_US)?;
        Ok(Self { recipe: recipe.clone(), listener, leader, crew: None })
    }

    /// Starts the leader, and `threads − 1` helpers at the same time.
    fn start_all(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        let helpers = setup.threads.saturating_sub(1);
        let commons = Arc::new(Commons::new(self.recipe.caps.memory_bytes)?);
        let table_slots = commons.slots();
        let told = |helper| Setup { threads: 1, helper, helpers, table_slots, ..setup.clone() };
        let shared = Shared { commons: commons.clone(), purse: Purse::default() };
        let purse = shared.purse.clone();
        self.leader.join(commons, Share::Leads { purse: purse.clone(), overdrawn: false });
        let mut crew = Crew {
            helpers: Vec::new(),
            meters: Vec::new(),
            purse,
            untold: Vec::new(),
            held: Vec::new(),
        };
        for number in 1..=helpers {
            match Helper::hire(&self.recipe, &self.listener, &shared, told(number)) {
                Ok(helper) => crew.helpers.push(helper),
                Err(fault) => tell(&*self.listener, number, &fault),
            }
        }
        let started = self.leader.start(&told(0));
        crew.muster(helpers, &*self.listener);
        self.leader.meter().work_beside(crew.meters.clone());
        let mut spent = started?;
        crew.add_held(&mut spent);
        self.crew = Some(crew);
        Ok(spent)
    }

    /// A call of the leader in which helpers think, with so much fuel at most, in units; all
    /// are back when it is.
    fn together<T: Receipt>(
        &mut self,
        fuel: Option<u64>,
        call: impl FnOnce(&mut WasmInstance) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(crew) = &mut self.crew else { return call(&mut self.leader) };
        let jobs = crew.begin(fuel);
        let made = call(&mut self.leader);
        crew.helpers.iter().for_each(Helper::stop);
        crew.wait(jobs, &*self.listener);
        let leader = &mut self.leader;
        let settled = match made {
            Ok(mut value) => {
                let spent = value.spent();
                let overrun = leader.settle(spent);
                crew.add_held(spent);
                match overrun {
                    None => Ok(value),
                    Some(fault) => Err(leader.poison(Fault { spent: *spent, ..fault })),
                }
            }
            Err(mut fault) => {
                leader.settle(&mut fault.spent);
                crew.add_held(&mut fault.spent);
                Err(fault)
            }
        };
        if settled.is_err() {
            self.crew = None;
        }
        settled
    }
}

impl Crew {
    /// Waits until all have started who do. `count`: so many were wanted.
    fn muster(&mut self, count: u16, listener: &dyn Listener) {
        self.held = vec![Held::default(); usize::from(count)];
        let Self { helpers, meters, held, .. } = self;
        helpers.retain_mut(|helper| match helper.started() {
            Ok((meter, spent)) => {
                meters.push(meter);
                note(held, helper.number, &spent);
                true
            }
            Err(fault) => {
                tell(listener, helper.number, &fault);
                false
            }
        });
    }

    /// A call begins, for all of them: each is told what it was not told yet, and thinks. So
    /// many things each will have done.
    fn begin(&mut self, fuel: Option<u64>) -> usize {
        self.purse.empty();
        // What the last call took is no part of this one, and who is gone takes nothing.
        self.meters.iter().for_each(|meter| meter.call_follows());
        let mut jobs = std::mem::take(&mut self.untold);
        jobs.push(Job::Think(fuel));
        self.helpers.iter().for_each(|helper| helper.begin(&jobs));
        jobs.len()
    }

    /// Waits until all have done so many things; who did something wrong is dropped.
    fn wait(&mut self, jobs: usize, listener: &dyn Listener) {
        let Self { helpers, held, .. } = self;
        helpers.retain(|helper| match helper.wait(jobs) {
            Ok(spent) => {
                note(held, helper.number, &spent);
                true
            }
            Err(fault) => {
                note(held, helper.number, &fault.spent);
                tell(listener, helper.number, &fault);
                false
            }
        });
    }

    /// Adds what they hold and have logged to their leader's receipt.
    fn add_held(&self, spent: &mut Spent) {
        let memory: u64 = self.held.iter().map(|held| held.memory).sum();
        spent.peak_memory_bytes = spent.peak_memory_bytes.map(|bytes| bytes + memory);
        spent.logged_bytes += self.held.iter().map(|held| held.logged).sum::<u64>();
    }
}

/// Keeps the most that a helper has told of.
fn note(held: &mut [Held], number: u16, spent: &Spent) {
    if let Some(held) = held.get_mut(usize::from(number).wrapping_sub(1)) {
        held.memory = held.memory.max(spent.peak_memory_bytes.unwrap_or(0));
        held.logged = held.logged.max(spent.logged_bytes);
    }
}

/// Says why the others go on without a helper.
fn tell(listener: &dyn Listener, number: u16, fault: &Fault) {
    listener.log(Level::Warning, &format!("goes on without helper {number}, which {fault}"));
}

/// What has a receipt in it.
trait Receipt {
    fn spent(&mut self) -> &mut Spent;
}

impl Receipt for Spent {
    fn spent(&mut self) -> &mut Spent {
        self
    }
}

impl Receipt for Answer {
    fn spent(&mut self) -> &mut Spent {
        &mut self.spent
    }
}

impl Engine for Team {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        // Whoever names helpers has made a team of its own.
        match setup {
            Setup { threads: 2.., helpers: 0, .. } => self.start_all(setup),
            _ => self.leader.start(setup),
        }
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        if let Some(crew) = &mut self.crew {
            crew.untold.push(Job::Played(mv.to_owned()));
        }
        self.leader.played(mv)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        if let Some(crew) = &mut self.crew {
            crew.untold.push(Job::TakenBack(plies));
        }
        self.leader.taken_back(plies)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        self.together(Call::fuel_of(limits), |leader| leader.choose(limits, barred))
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.together(None, |leader| leader.think())
    }

    fn control(&self) -> Control {
        self.leader.control()
    }

    fn own_fuel(&self) -> u64 {
        self.leader.own_fuel()
    }
}
