//! A team proves the same results as a single thread, even if members fail. Teams are threads of
//! one instance, or instances that share a table and cells.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use proptest::prelude::*;
use sandboard_abi::limits::CELLS;
use sandboard_abi::{Bound, CellOp, Level};
use sandboard_games::reversi::{Color, Reversi};
use sandboard_games::{MoveSet, Outcome};

use super::equality::minimax;
use super::row_game::{Lead, Row};
use super::*;
use crate::analyzer::AllMoves;
use crate::host::Team;
use crate::search::shared_root::{HelperStatus, SharedIteration};

const MODES: [ParallelMode; 2] = [ParallelMode::SharedTable, ParallelMode::RootSplitting];
/// A depth beyond the end of every game in these tests.
pub(super) const TO_THE_END: u32 = 60;
/// The evaluator of the row game: the lead, at any distance from the end.
pub(super) const LEAD: Lead = Lead { exact_end: true };

/// The difference of discs, now and at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discs;

impl Evaluator<Reversi> for Discs {
    fn value(&self, position: &Reversi) -> i32 {
        let own = position.color_to_move();
        position.count(own) as i32 - position.count(own.other()) as i32
    }
    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        if position.color_to_move() == Color::Black { outcome.score } else { -outcome.score }
    }
}

fn new_search<R: Rules, E>(evaluator: &E, mode: ParallelMode) -> Search<R, AllMoves, E>
where
    E: Evaluator<R> + Clone + Send,
{
    let mut search = Search::with_parts(AllMoves, evaluator.clone(), Switches::CLASSIC, 1 << 14);
    search.parallel_mode = mode;
    search
}

/// Searches as a member of a team.
fn search_as_member<R: Rules, E>(
    position: &R,
    evaluator: &E,
    mode: ParallelMode,
    host: &Host,
) -> SearchResult<R::Move>
where
    E: Evaluator<R> + Clone + Send,
{
    let task = SearchTask { limits: &Limits::default(), barred: &[], host };
    new_search(evaluator, mode).run(position, task)
}

/// Checks that value and move of a game searched to its end are proved and equal to minimax.
fn check_proved<R: Rules, E>(
    position: &R,
    evaluator: &E,
    result: &SearchResult<R::Move>,
    context: &str,
) where
    E: Evaluator<R> + Clone + Debug,
{
    let value_of = |position: &R| minimax(position, TO_THE_END, 0, &(AllMoves, evaluator.clone()));
    let expected = value_of(position);
    let score = result.line.score.expect("a searched move has a score");
    assert_eq!((score.value, score.bound), (expected, Bound::Exact), "{context}");
    let mut after = position.clone();
    after.make(result.best.expect("there is a move"));
    let same = R::side(after.to_move()) == R::side(position.to_move());
    let value = value_of(&after);
    assert_eq!(if same { value } else { -value }, expected, "value of the move, {context}");
}

fn check_threads<R: Rules, E>(position: &R, evaluator: &E)
where
    E: Evaluator<R> + Clone + Send + Debug,
{
    for (mode, threads) in
        MODES.into_iter().flat_map(|mode| [2, 3, 5].map(|threads| (mode, threads)))
    {
        let host = Host::null().in_team(Team { threads, ..Team::ALONE });
        let result = search_as_member(position, evaluator, mode, &host);
        check_proved(position, evaluator, &result, &format!("{mode:?}, {threads} threads"));
    }
}

/// The state that a host keeps for the instances of a team.
struct SharedState {
    /// Takes few entries, so that many are lost.
    table: Mutex<HashMap<u64, u64>>,
    cells: Mutex<[i64; CELLS]>,
    is_over: AtomicBool,
    log: Mutex<Vec<String>>,
}

/// The host of one instance.
struct MemberHost(Arc<SharedState>);

impl HostCalls for MemberHost {
    fn left(&self) -> u64 {
        if self.0.is_over.load(SeqCst) { 0 } else { u64::MAX }
    }
    fn log(&self, _: Level, text: &str) {
        self.0.log.lock().unwrap().push(text.into());
    }
    fn probe(&self, key: u64) -> u64 {
        self.0.table.lock().unwrap().get(&key).copied().unwrap_or(0)
    }
    fn store(&self, key: u64, value: u64) {
        let mut table = self.0.table.lock().unwrap();
        if table.len() < 500 || table.contains_key(&key) {
            table.insert(key, value);
        }
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        let cell = &mut self.0.cells.lock().unwrap()[usize::from(index)];
        let new = match op {
            CellOp::Get => *cell,
            CellOp::Put => value,
            CellOp::Add => *cell + value,
            CellOp::Max => value.max(*cell),
        };
        std::mem::replace(cell, new)
    }
}

impl SharedState {
    fn new() -> Arc<Self> {
        let (table, log) = (Mutex::default(), Mutex::default());
        Arc::new(Self {
            table,
            cells: Mutex::new([0; CELLS]),
            is_over: AtomicBool::new(false),
            log,
        })
    }

    fn host(self: &Arc<Self>, helper: u16, helpers: u16) -> Host {
        let team = Team { threads: 1, helper, helpers, shares_table: true };
        Host::new(MemberHost(self.clone())).in_team(team)
    }
}

fn check_instances<R: Rules, E>(position: &R, evaluator: &E)
where
    E: Evaluator<R> + Clone + Send + Sync + Debug,
{
    for (mode, helpers) in MODES.into_iter().flat_map(|mode| [1, 3].map(|helpers| (mode, helpers)))
    {
        let shared = SharedState::new();
        let result = thread::scope(|scope| {
            for helper in 1..=helpers {
                let host = shared.host(helper, helpers);
                scope.spawn(move || search_as_member(position, evaluator, mode, &host));
            }
            let result = search_as_member(position, evaluator, mode, &shared.host(0, helpers));
            shared.is_over.store(true, SeqCst);
            result
        });
        check_proved(position, evaluator, &result, &format!("{mode:?}, {helpers} instances help"));
    }
}

/// A position after random moves on a 6×6 board, with this number of empty squares.
pub(super) fn ending(choices: &[u8], empties: u32) -> Reversi {
    let variant = sandboard_games::reversi::INFO.variant("standard-6").unwrap();
    let mut position = Reversi::start(&variant);
    let left =
        |position: &Reversi| 36 - Color::ALL.map(|color| position.count(color)).iter().sum::<u32>();
    let mut moves = Vec::new();
    for &choice in choices {
        moves.clear();
        position.generate(MoveSet::All, &mut moves);
        if position.outcome().is_some() || left(&position) <= empties {
            break;
        }
        position.make(moves[usize::from(choice) * moves.len() / 256]);
    }
    position
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 16,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_team_proves_the_value_of_a_row(numbers in prop::collection::vec(0u8..20, 1..12)) {
        check_threads(&Row::new(&numbers), &LEAD);
        check_instances(&Row::new(&numbers), &LEAD);
    }

    #[test]
    fn every_team_proves_the_value_of_an_endgame(
        choices in prop::collection::vec(any::<u8>(), 40),
    ) {
        let position = ending(&choices, 7);
        if position.outcome().is_none() {
            check_threads(&position, &Discs);
            check_instances(&position, &Discs);
        }
    }
}

/// An endgame with several moves.
fn short_ending() -> Reversi {
    ending(&[17; 60], 8)
}

/// The host of a leader whose helper takes the first move of each shared root as soon as it is
/// open, and then dies. `status_index` changes the index in the helper's status; `None`: it sets no
/// status.
struct LostHelperHost {
    host: MemberHost,
    helper: Host,
    status_index: Option<fn(usize) -> usize>,
}

impl HostCalls for LostHelperHost {
    fn left(&self) -> u64 {
        self.host.left()
    }
    fn probe(&self, key: u64) -> u64 {
        self.host.probe(key)
    }
    fn store(&self, key: u64, value: u64) {
        self.host.store(key, value);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        let before = self.host.cell(index, op, value);
        if (index, op) == (SharedIteration::OPENED, CellOp::Put) {
            SharedIteration::set_status(&self.helper, HelperStatus::Taking);
            let taken = SharedIteration::take(&self.helper);
            if let (Some((iteration, index)), Some(status_index)) = (taken, self.status_index) {
                let status = HelperStatus::Searching(iteration, status_index(index));
                SharedIteration::set_status(&self.helper, status);
            }
        }
        before
    }
}

#[track_caller]
fn check_lost_helper(context: &str, status_index: Option<fn(usize) -> usize>) {
    let positions = (0..=255).step_by(13).map(|choice| ending(&[choice; 60], 6));
    for position in positions.filter(|position| position.outcome().is_none()) {
        let shared = SharedState::new();
        let helper = shared.host(1, 1);
        let team = shared.host(0, 1).team();
        let host = Host::new(LostHelperHost { host: MemberHost(shared), helper, status_index })
            .in_team(team);
        let result = search_as_member(&position, &Discs, ParallelMode::RootSplitting, &host);
        check_proved(&position, &Discs, &result, context);
    }
}

#[test]
fn the_move_of_a_lost_helper_is_searched_by_the_leader() {
    check_lost_helper("the helper sets no index", None);
    check_lost_helper("the helper sets its index", Some(|index| index));
    check_lost_helper("the helper sets an index out of range", Some(|_| 0x7fff_ffff));
}

/// An evaluator that panics in every thread but the one that made it.
#[derive(Clone, Debug)]
struct SingleThreadEvaluator(ThreadId);

impl Evaluator<Reversi> for SingleThreadEvaluator {
    fn value(&self, position: &Reversi) -> i32 {
        assert_eq!(thread::current().id(), self.0, "evaluated in another thread");
        Discs.value(position)
    }
    fn final_value(&self, position: &Reversi, outcome: Outcome, plies: u32) -> i32 {
        Discs.final_value(position, outcome, plies)
    }
}

#[test]
fn helper_threads_that_panic_are_logged_and_dropped() {
    let (position, shared) = (short_ending(), SharedState::new());
    let team = Team { threads: 3, ..Team::ALONE };
    let host = Host::new(MemberHost(shared.clone())).in_team(team);
    let evaluator = SingleThreadEvaluator(thread::current().id());
    let result = search_as_member(&position, &evaluator, ParallelMode::SharedTable, &host);
    check_proved(&position, &Discs, &result, "helpers panic");
    let log = shared.log.lock().unwrap();
    assert!(log.len() == 1 && log[0].ends_with("panicked and were dropped"), "{log:?}");
}

#[test]
fn nodes_of_all_members_are_counted_and_limited() {
    let position = ending(&[17; 60], 14);
    let nodes = |threads, nodes| {
        let host = Host::null().in_team(Team { threads, ..Team::ALONE });
        let limits = Limits { nodes, ..Limits::default() };
        let task = SearchTask { limits: &limits, barred: &[], host: &host };
        new_search(&Discs, ParallelMode::SharedTable).run(&position, task).line.nodes
    };
    let limit = TEAM_NODES_MIN + 1_000;
    let limited = nodes(4, Some(limit));
    // Each member may count some more nodes before it reads the others' counts.
    assert!((limit - 500..limit + 500).contains(&limited), "{limited}");
    // A search too small for a team counts exactly.
    assert_eq!([nodes(4, Some(777)), nodes(1, Some(777))], [777; 2]);
}
