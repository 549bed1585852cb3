//! An engine that searches with several threads: a leader, which chooses moves, and its helpers,
//! which think during the leader's calls. With one thread there is only the leader. Takes no part
//! in the search: the instances communicate through their shared table.

use std::sync::Arc;

use sandboard_abi::{Barred, Level, Limits, Setup};
use sandboard_engine::meter::{Meter, STOP_GRACE_US};
use sandboard_engine::{ChooseResponse, Engine, Fault, Listener, SharedTable, StopHandle, Usage};

use super::InstanceTemplate;
use super::backend::Backend;
use super::fuel_pool::{FuelPool, FuelRole};
use super::helper::{Helper, Job, TeamState};
use super::instance::{Call, WasmInstance};

/// A leader and its helpers.
pub(crate) struct Team<B: Backend> {
    template: Arc<InstanceTemplate<B>>,
    listener: Arc<dyn Listener>,
    leader: WasmInstance<B>,
    helpers: Option<HelperGroup>,
}

/// The helpers of a team and what they have used.
struct HelperGroup {
    /// The helpers without a fault.
    helpers: Vec<Helper>,
    /// Meters of all helpers that have started: their CPU time is charged to the leader.
    meters: Vec<Arc<Meter>>,
    fuel_pool: FuelPool,
    /// Moves played and taken back since the helpers' last call. They are sent with the next
    /// `think` job, because waking a thread takes longer than a notification.
    pending: Vec<Job>,
    /// Resources of all helpers by number, including dropped ones.
    totals: Vec<HelperTotals>,
}

/// Peak memory and logs of a helper so far, in bytes.
#[derive(Clone, Copy, Default)]
struct HelperTotals {
    peak_memory: u64,
    logged: u64,
}

impl<B: Backend> Team<B> {
    /// A leader without helpers. `start` creates the helpers.
    pub(crate) fn new(
        template: &Arc<InstanceTemplate<B>>,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Fault> {
        let leader = WasmInstance::new(template, listener.clone(), STOP_GRACE_US)?;
        Ok(Self { template: template.clone(), listener, leader, helpers: None })
    }

    /// Starts the leader and `threads − 1` helpers at the same time.
    fn start_all(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        let helpers = setup.threads.saturating_sub(1);
        let table = Arc::new(SharedTable::new(self.template.caps.memory_bytes)?);
        let table_slots = table.slots();
        let setup_of = |helper| Setup { threads: 1, helper, helpers, table_slots, ..setup.clone() };
        let team = TeamState { table: table.clone(), fuel_pool: FuelPool::default() };
        let fuel_pool = team.fuel_pool.clone();
        self.leader.join(table, FuelRole::Leader { pool: fuel_pool.clone(), overdrawn: false });
        let mut group = HelperGroup {
            helpers: Vec::new(),
            meters: Vec::new(),
            fuel_pool,
            pending: Vec::new(),
            totals: Vec::new(),
        };
        for number in 1..=helpers {
            match Helper::spawn(&self.template, &self.listener, &team, setup_of(number)) {
                Ok(helper) => group.helpers.push(helper),
                Err(fault) => log_lost_helper(&*self.listener, number, &fault),
            }
        }
        let started = self.leader.start(&setup_of(0));
        group.wait_for_start(helpers, &*self.listener);
        self.leader.meter().add_helpers(group.meters.clone());
        let mut usage = started?;
        group.add_totals(&mut usage);
        self.helpers = Some(group);
        Ok(usage)
    }

    /// Makes a call of the leader while the helpers think, each with this limit of fuel in units.
    /// Returns when all instances have returned.
    fn call_all<T: HasUsage>(
        &mut self,
        fuel: Option<u64>,
        call: impl FnOnce(&mut WasmInstance<B>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(group) = &mut self.helpers else { return call(&mut self.leader) };
        let jobs = group.begin_call(fuel);
        let result = call(&mut self.leader);
        group.helpers.iter().for_each(Helper::stop);
        group.wait(jobs, &*self.listener);
        let leader = &mut self.leader;
        let settled = match result {
            Ok(mut value) => {
                let usage = value.usage();
                let overrun = leader.settle(usage);
                group.add_totals(usage);
                match overrun {
                    None => Ok(value),
                    Some(fault) => Err(leader.poison(Fault { spent: *usage, ..fault })),
                }
            }
            Err(mut fault) => {
                leader.settle(&mut fault.spent);
                group.add_totals(&mut fault.spent);
                Err(fault)
            }
        };
        if settled.is_err() {
            self.helpers = None;
        }
        settled
    }
}

impl HelperGroup {
    /// Waits until all of `count` helpers have started or failed.
    fn wait_for_start(&mut self, count: u16, listener: &dyn Listener) {
        self.totals = vec![HelperTotals::default(); usize::from(count)];
        let Self { helpers, meters, totals, .. } = self;
        helpers.retain_mut(|helper| match helper.wait_for_start() {
            Ok((meter, usage)) => {
                meters.push(meter);
                update_totals(totals, helper.number, &usage);
                true
            }
            Err(fault) => {
                log_lost_helper(listener, helper.number, &fault);
                false
            }
        });
    }

    /// Begins a call: sends pending notifications to each helper and lets it think. Returns the
    /// number of jobs of each.
    fn begin_call(&mut self, fuel: Option<u64>) -> usize {
        self.fuel_pool.reset();
        // CPU time of the last call does not count, nor does that of dropped helpers.
        self.meters.iter().for_each(|meter| meter.reset_cpu_time());
        let mut jobs = std::mem::take(&mut self.pending);
        jobs.push(Job::Think(fuel));
        self.helpers.iter().for_each(|helper| helper.begin(&jobs));
        jobs.len()
    }

    /// Waits until all helpers have finished their jobs. Drops those with a fault.
    fn wait(&mut self, jobs: usize, listener: &dyn Listener) {
        let Self { helpers, totals, .. } = self;
        helpers.retain(|helper| match helper.wait(jobs) {
            Ok(usage) => {
                update_totals(totals, helper.number, &usage);
                true
            }
            Err(fault) => {
                update_totals(totals, helper.number, &fault.spent);
                log_lost_helper(listener, helper.number, &fault);
                false
            }
        });
    }

    /// Adds memory and logs of the helpers to their leader's usage.
    fn add_totals(&self, usage: &mut Usage) {
        let memory: u64 = self.totals.iter().map(|totals| totals.peak_memory).sum();
        usage.peak_memory_bytes = usage.peak_memory_bytes.map(|bytes| bytes + memory);
        usage.logged_bytes += self.totals.iter().map(|totals| totals.logged).sum::<u64>();
    }
}

/// Updates the totals of a helper with the usage of its last call.
fn update_totals(totals: &mut [HelperTotals], number: u16, usage: &Usage) {
    if let Some(totals) = totals.get_mut(usize::from(number).wrapping_sub(1)) {
        totals.peak_memory = totals.peak_memory.max(usage.peak_memory_bytes.unwrap_or(0));
        totals.logged = totals.logged.max(usage.logged_bytes);
    }
}

fn log_lost_helper(listener: &dyn Listener, number: u16, fault: &Fault) {
    listener.log(Level::Warning, &format!("continues without helper {number}, which {fault}"));
}

/// The result of a call that contains its usage.
trait HasUsage {
    fn usage(&mut self) -> &mut Usage;
}

impl HasUsage for Usage {
    fn usage(&mut self) -> &mut Usage {
        self
    }
}

impl HasUsage for ChooseResponse {
    fn usage(&mut self) -> &mut Usage {
        &mut self.spent
    }
}

impl<B: Backend> Engine for Team<B> {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        // A setup that already names helpers comes from another host, which runs the team.
        match setup {
            Setup { threads: 2.., helpers: 0, .. } => self.start_all(setup),
            _ => self.leader.start(setup),
        }
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        if let Some(group) = &mut self.helpers {
            group.pending.push(Job::Played(mv.to_owned()));
        }
        self.leader.played(mv)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        if let Some(group) = &mut self.helpers {
            group.pending.push(Job::TakenBack(plies));
        }
        self.leader.taken_back(plies)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        self.call_all(Call::fuel_with_grace(limits), |leader| leader.choose(limits, barred))
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.call_all(None, |leader| leader.think())
    }

    fn stop_handle(&self) -> StopHandle {
        self.leader.stop_handle()
    }

    fn unbudgeted_fuel(&self) -> u64 {
        self.leader.unbudgeted_fuel()
    }

    fn lower_fuel_guard(&mut self, guard_us: u64) {
        self.leader.lower_fuel_guard(guard_us);
    }
}
