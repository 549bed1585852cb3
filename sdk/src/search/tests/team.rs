//! What a team proves is what one searcher proves, whatever its members do and however they
//! end: threads of one instance, and instances that share a table and cells.

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
use sandboard_games::{Generate, Outcome};

use super::equality::minimax;
use super::row::{Lead, Row};
use super::*;
use crate::analyzer::AllMoves;
use crate::host::Team;
use crate::search::cells::{Status, Task as Shared};

const WAYS: [Way; 2] = [Way::SharedTable, Way::RootSplitting];
/// Deep enough for the end of every game here.
pub(super) const TO_THE_END: u32 = 60;
/// How a row is valued: by the lead, however far the end is.
pub(super) const LEAD: Lead = Lead { exact_end: true };

/// Discs, now and at the end.
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

fn searcher<R: Rules, E>(evaluator: &E, way: Way) -> Search<R, AllMoves, E>
where
    E: Evaluator<R> + Clone + Send,
{
    let mut search = Search::with(AllMoves, evaluator.clone(), Switches::CLASSIC, 1 << 14);
    search.way = way;
    search
}

/// Searches as one of a team.
fn find<R: Rules, E>(position: &R, evaluator: &E, way: Way, host: &Host) -> Found<R::Move>
where
    E: Evaluator<R> + Clone + Send,
{
    let task = Task { limits: &Limits::default(), barred: &[], host };
    searcher(evaluator, way).run(position, task)
}

/// Whether value and move of a game that is searched to its end are minimax's, and proved.
fn check_proved<R: Rules, E>(position: &R, evaluator: &E, found: &Found<R::Move>, what: &str)
where
    E: Evaluator<R> + Clone + Debug,
{
    let value_of = |position: &R| minimax(position, TO_THE_END, 0, &(AllMoves, evaluator.clone()));
    let expected = value_of(position);
    let score = found.line.score.expect("it was searched");
    assert_eq!((score.value, score.bound), (expected, Bound::Exact), "{what}");
    let mut after = position.clone();
    after.make(found.best.expect("there is a move"));
    let same = R::side(after.to_move()) == R::side(position.to_move());
    let value = value_of(&after);
    assert_eq!(if same { value } else { -value }, expected, "the move, {what}");
}

fn check_threads<R: Rules, E>(position: &R, evaluator: &E)
where
    E: Evaluator<R> + Clone + Send + Debug,
{
    for (way, threads) in WAYS.into_iter().flat_map(|way| [2, 3, 5].map(|threads| (way, threads))) {
        let host = Host::none().in_team(Team { threads, ..Team::ALONE });
        let found = find(position, evaluator, way, &host);
        check_proved(position, evaluator, &found, &format!("{way:?}, {threads} threads"));
    }
}

/// What a host keeps for the instances of a team.
struct Commons {
    /// Of few slots, so that much is lost.
    table: Mutex<HashMap<u64, u64>>,
    cells: Mutex<[i64; CELLS]>,
    over: AtomicBool,
    log: Mutex<Vec<String>>,
}

/// The border of one of them.
struct Member(Arc<Commons>);

impl HostCalls for Member {
    fn left(&self) -> u64 {
        if self.0.over.load(SeqCst) { 0 } else { u64::MAX }
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

impl Commons {
    fn new() -> Arc<Self> {
        let (table, log) = (Mutex::default(), Mutex::default());
        Arc::new(Self { table, cells: Mutex::new([0; CELLS]), over: AtomicBool::new(false), log })
    }

    fn host(self: &Arc<Self>, helper: u16, helpers: u16) -> Host {
        let team = Team { threads: 1, helper, helpers, shares_table: true };
        Host::new(Member(self.clone())).in_team(team)
    }
}

fn check_instances<R: Rules, E>(position: &R, evaluator: &E)
where
    E: Evaluator<R> + Clone + Send + Sync + Debug,
{
    for (way, helpers) in WAYS.into_iter().flat_map(|way| [1, 3].map(|helpers| (way, helpers))) {
        let commons = Commons::new();
        let found = thread::scope(|scope| {
            for helper in 1..=helpers {
                let host = commons.host(helper, helpers);
                scope.spawn(move || find(position, evaluator, way, &host));
            }
            let found = find(position, evaluator, way, &commons.host(0, helpers));
            commons.over.store(true, SeqCst);
            found
        });
        check_proved(position, evaluator, &found, &format!("{way:?}, {helpers} instances help"));
    }
}

/// A game on a board of 6×6 with so many squares left, of random moves.
pub(super) fn ending(choices: &[u8], empties: u32) -> Reversi {
    let variant = sandboard_games::reversi::INFO.variant("standard-6").unwrap();
    let mut position = Reversi::start(&variant);
    let left =
        |position: &Reversi| 36 - Color::ALL.map(|color| position.count(color)).iter().sum::<u32>();
    let mut moves = Vec::new();
    for &choice in choices {
        moves.clear();
        position.generate(Generate::All, &mut moves);
        if position.outcome().is_some() || left(&position) <= empties {
            break;
        }
        position.make(moves[usize::from(choice) * moves.len() / 256]);
    }
    position
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn a_row_has_one_value_for_any_team(numbers in prop::collection::vec(0u8..20, 1..12)) {
        check_threads(&Row::new(&numbers), &LEAD);
        check_instances(&Row::new(&numbers), &LEAD);
    }

    #[test]
    fn an_ending_has_one_value_for_any_team(choices in prop::collection::vec(any::<u8>(), 40)) {
        let position = ending(&choices, 7);
        if position.outcome().is_none() {
            check_threads(&position, &Discs);
            check_instances(&position, &Discs);
        }
    }
}

/// An ending with several moves.
fn short_ending() -> Reversi {
    ending(&[17; 60], 8)
}

/// The border of a leader whose helper takes the first move of each shared root as soon as it is
/// open, says where it is, if that, and is never heard of again.
struct Deserted {
    border: Member,
    helper: Host,
    says: Option<fn(usize) -> usize>,
}

impl HostCalls for Deserted {
    fn left(&self) -> u64 {
        self.border.left()
    }
    fn probe(&self, key: u64) -> u64 {
        self.border.probe(key)
    }
    fn store(&self, key: u64, value: u64) {
        self.border.store(key, value);
    }
    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        let before = self.border.cell(index, op, value);
        if (index, op) == (Shared::OPENED, CellOp::Put) {
            Shared::set_status(&self.helper, Status::About);
            let taken = Shared::take(&self.helper);
            if let (Some((task, place)), Some(says)) = (taken, self.says) {
                Shared::set_status(&self.helper, Status::At(task, says(place)));
            }
        }
        before
    }
}

#[track_caller]
fn check_lost(what: &str, says: Option<fn(usize) -> usize>) {
    let positions = (0..=255).step_by(13).map(|choice| ending(&[choice; 60], 6));
    for position in positions.filter(|position| position.outcome().is_none()) {
        let commons = Commons::new();
        let helper = commons.host(1, 1);
        let team = commons.host(0, 1).team();
        let host = Host::new(Deserted { border: Member(commons), helper, says }).in_team(team);
        let found = find(&position, &Discs, Way::RootSplitting, &host);
        check_proved(&position, &Discs, &found, what);
    }
}

#[test]
fn a_move_that_a_lost_helper_took_is_searched_all_the_same() {
    check_lost("it does not say where it is", None);
    check_lost("it says where it is", Some(|place| place));
    check_lost("it says that it is nowhere", Some(|_| 0x7fff_ffff));
}

/// Panics in every thread but the one it was made in.
#[derive(Clone, Debug)]
struct Homesick(ThreadId);

impl Evaluator<Reversi> for Homesick {
    fn value(&self, position: &Reversi) -> i32 {
        assert_eq!(thread::current().id(), self.0, "far from home");
        Discs.value(position)
    }
    fn final_value(&self, position: &Reversi, outcome: Outcome, plies: u32) -> i32 {
        Discs.final_value(position, outcome, plies)
    }
}

#[test]
fn threads_that_panic_are_told_of_and_left_out() {
    let (position, commons) = (short_ending(), Commons::new());
    let team = Team { threads: 3, ..Team::ALONE };
    let host = Host::new(Member(commons.clone())).in_team(team);
    let evaluator = Homesick(thread::current().id());
    let found = find(&position, &evaluator, Way::SharedTable, &host);
    check_proved(&position, &Discs, &found, "helpers panic");
    let log = commons.log.lock().unwrap();
    assert!(log.len() == 1 && log[0].ends_with("panicked: they are left out"), "{log:?}");
}

#[test]
fn nodes_of_all_members_are_counted_and_limited() {
    let position = ending(&[17; 60], 14);
    let nodes = |threads, nodes| {
        let host = Host::none().in_team(Team { threads, ..Team::ALONE });
        let limits = Limits { nodes, ..Limits::default() };
        let task = Task { limits: &limits, barred: &[], host: &host };
        searcher(&Discs, Way::SharedTable).run(&position, task).line.nodes
    };
    let most = TEAM_NODES + 1_000;
    let limited = nodes(4, Some(most));
    // Each may count some more before it hears of the others.
    assert!((most - 500..most + 500).contains(&limited), "{limited}");
    // A search that is no matter for a team is one's own, to the node.
    assert_eq!([nodes(4, Some(777)), nodes(1, Some(777))], [777; 2]);
}
