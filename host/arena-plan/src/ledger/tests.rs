//! Tests of ledger and statistics: the order in which games are done and interruptions change
//! neither the games, nor the count, nor the view.

use proptest::prelude::*;
use sandboard_tournament::schedule::{Change, Entrant, Event, Format};
use sandboard_tournament::stats::{EloModel, SprtSetup, Totals, Verdict};

use crate::outcome::{GameFault, GameResult};
use crate::{
    ArenaSetup, ArenaStatistics, Contestant, CountedResults, FORMAT, Filter, GameKey, Job, Ledger,
    State, VERSION, View,
};
use sandboard_bout::referee::BoutSettings;

fn contestant(number: usize) -> Contestant {
    Contestant {
        name: format!("p{number}"),
        rating: 0,
        engine: "e".into(),
        version: String::new(),
        module_sha256: String::new(),
        assets: Default::default(),
        options: Default::default(),
        budget: "depth:1".parse().unwrap(),
        ponders: false,
        limits: Default::default(),
        threads: 1,
        fuel_meter: None,
        jail: None,
    }
}

fn setup(schedule: Format, players: usize) -> ArenaSetup {
    ArenaSetup {
        format: FORMAT.into(),
        version: VERSION,
        host: String::new(),
        id: "0011223344556677".into(),
        created_at: String::new(),
        game: "gomoku".into(),
        rules: None,
        variant: "freestyle-15".into(),
        seed: 3,
        seed_key: None,
        schedule,
        seats: 2,
        shares_chance: false,
        openings: None,
        settings: BoutSettings::default(),
        sprt: None,
        players: (0..players).map(contestant).collect(),
    }
}

/// The result of a game. It depends on the job only; the first of two players is better.
fn play(job: &Job) -> GameResult {
    let dice = (job.seed >> 20) % 100;
    let bonus = if job.pair.players[0] < job.pair.players[1] { 15 } else { 0 };
    let half_points = match dice {
        low if low < 35 + bonus => 2,
        middle if middle < 60 + bonus => 1,
        _ => 0,
    };
    let faulty = dice.is_multiple_of(7) && half_points != 1;
    let totals = |n: u64| Totals { games: 1, moves: 5, wall_us: n * dice, ..Totals::default() };
    let fault = faulty.then(|| GameFault {
        player: usize::from(half_points == 2),
        code: ["timeout", "crash"][(dice % 2) as usize].into(),
        at_ply: 3,
        in_start: false,
    });
    let mut spent = [totals(1), totals(2)];
    if let Some(fault) = &fault {
        spent[fault.player].faults.insert(fault.code.clone(), 1);
    }
    GameResult {
        half_points: [half_points, 2 - half_points].into(),
        scores: Vec::new(),
        plies: 10 + dice % 7,
        spent: spent.to_vec(),
        pondering: Vec::new(),
        fault,
        sentence: format!("game {}", job.name()),
    }
}

/// Plays all games one by one, in order and without interruption.
fn undisturbed(setup: &ArenaSetup) -> Ledger {
    let mut ledger = Ledger::new(setup).unwrap();
    while let Some(job) = ledger.take() {
        assert!(ledger.add(job.key(), play(&job)).unwrap());
    }
    assert!(ledger.is_complete());
    ledger
}

fn view(setup: &ArenaSetup, ledger: &Ledger, filter: &Filter) -> View {
    let statistics = ArenaStatistics {
        name: "test",
        game: sandboard_games::Games::default().find("gomoku").unwrap(),
        setup,
        players: &setup.players,
        openings: &[],
        ledger,
        is_running: false,
        status: None,
    };
    statistics.view(filter)
}

#[test]
fn games_are_taken_once_and_in_order() {
    let mut ledger = Ledger::new(&setup(Format::Match { pairs: 2 }, 2)).unwrap();
    let mut taken = [0; 5].map(|_| ledger.take().map(|job| job.name())).into_iter().flatten();
    let names = ["pair-000001-1", "pair-000001-2", "pair-000002-1", "pair-000002-2"];
    assert!(taken.by_ref().eq(names));
    assert_eq!(ledger.playing().count(), 4);
    let key = |pair, game| GameKey { pair, game };
    ledger.release(key(0, 1));
    ledger.release(key(1, 1));
    // Not in play.
    ledger.release(key(7, 0));
    let again = [0; 3].map(|_| ledger.take().map(|job| job.name()));
    assert_eq!(again, [Some(names[1].into()), Some(names[3].into()), None]);
}

#[test]
fn games_count_once_and_in_order() {
    let setup = setup(Format::Match { pairs: 2 }, 2);
    let mut ledger = Ledger::new(&setup).unwrap();
    let jobs: Vec<Job> = std::iter::from_fn(|| ledger.take()).collect();
    let mut add = |index: usize| ledger.add(jobs[index].key(), play(&jobs[index])).unwrap();
    assert_eq!([add(3), add(3), add(1)], [true, false, true]);
    assert_eq!((ledger.not_counted(), ledger.counted_results()), (2, &CountedResults::default()));
    let mut add = |index: usize| ledger.add(jobs[index].key(), play(&jobs[index])).unwrap();
    assert!(add(0));
    assert_eq!((ledger.not_counted(), ledger.counted_results().pairs.len()), (1, 1));
    assert!(!ledger.is_complete());
    let mut add = |index: usize| ledger.add(jobs[index].key(), play(&jobs[index])).unwrap();
    assert_eq!([add(2), add(0), add(2)], [true, false, false]);
    assert!(ledger.is_complete());
    assert_eq!(ledger.counted_results().pairs.len(), 2);
    // A pair that is not planned.
    let result = play(&jobs[0]);
    assert!(ledger.add(GameKey { pair: 9, game: 0 }, result.clone()).unwrap());
    assert!(ledger.add(GameKey { pair: 9, game: 1 }, result).is_err());
}

#[test]
fn a_decided_test_ends_the_counting() {
    let sprt =
        |elo1| SprtSetup { model: EloModel::Logistic, elo0: 0.0, elo1, alpha: 0.05, beta: 0.05 };
    let of = |elo1, players| ArenaSetup {
        sprt: Some(sprt(elo1)),
        ..setup(Format::Match { pairs: 5000 }, players)
    };
    let with = of(60.0, 2);
    // Four games at once, the last one done first.
    let mut ledger = Ledger::new(&with).unwrap();
    let mut playing = Vec::new();
    loop {
        while playing.len() < 4
            && let Some(job) = ledger.take()
        {
            playing.push(job);
        }
        let Some(job) = playing.pop() else { break };
        ledger.add(job.key(), play(&job)).unwrap();
    }
    let one_by_one = undisturbed(&with);
    let decided = one_by_one.counted_results().pairs.len();
    assert!((10..5000).contains(&decided), "{decided}");
    assert_eq!(ledger.counted_results(), one_by_one.counted_results());
    let statistics = view(&with, &ledger, &Filter::default()).match_statistics.unwrap();
    assert_eq!(statistics.sprt.map(|sprt| sprt.verdict), Some(Verdict::Upper));
    assert_eq!(ledger.forecast().pairs_max, 0);
    let error =
        Ledger::new(&ArenaSetup { schedule: Format::RoundRobin { cycles: 1 }, ..of(60.0, 3) });
    assert!(error.unwrap_err().to_string().contains("two players"));
    assert!(Ledger::new(&of(-1.0, 2)).is_err());
}

#[test]
fn the_ratings_of_a_match_are_its_elo_difference() {
    let setup = setup(Format::Match { pairs: 10 }, 2);
    let view = view(&setup, &undisturbed(&setup), &Filter::default());
    let stats = view.match_statistics.as_ref().unwrap();
    let [first, second] = [0, 1].map(|player| view.players[player].rating.unwrap());
    let check = |found: f64, expected: Option<f64>| {
        assert!((found - expected.unwrap()).abs() < 1e-9, "{found}, not {expected:?}");
    };
    // 26 of 40 half points: 400 · log10(13/7) = 107.5.
    check(first.value - second.value, stats.elo);
    assert_eq!(stats.elo.map(|elo| (10.0 * elo).round()), Some(1075.0));
    check(first.low.unwrap() - second.high.unwrap(), stats.elo_low);
    check(first.high.unwrap() - second.low.unwrap(), stats.elo_high);
    assert_eq!(view.head_to_head[0].superiority, stats.superiority);
}

/// Checks the places, as `place name half-points`.
fn check_places(setup: &ArenaSetup, expected: &str) {
    let view = view(setup, &undisturbed(setup), &Filter::default());
    let row = |number: &u32| {
        let player = &view.players[*number as usize];
        format!("{} {} {}", player.place, player.name, player.half_points)
    };
    let found = view.ranking.iter().map(row).collect::<Vec<_>>().join(", ");
    assert_eq!(found, expected);
    assert_eq!(view.state, State::Complete);
    let games: u64 = view.players.iter().flat_map(|it| &it.by_seat).map(|seat| seat.games()).sum();
    assert_eq!(games, 2 * view.progress.games);
    let last = view.history.last().map(|moment| moment.ratings.clone());
    assert_eq!(last, Some(view.players.iter().map(|player| player.rating).collect()));
    assert!(
        view.history.iter().map(|moment| moment.pairs).is_sorted() && view.history.len() <= 101
    );
}

#[test]
fn places_of_every_format() {
    check_places(&setup(Format::Match { pairs: 10 }, 2), "1 p0 26, 2 p1 14");
    check_places(&setup(Format::RoundRobin { cycles: 2 }, 4), "1 p0 12, 1 p3 12, 3 p1 12, 3 p2 12");
    check_places(
        &setup(Format::Gauntlet { challengers: 1, cycles: 4 }, 4),
        "1 p0 29, 2 p3 8, 3 p1 6, 4 p2 5",
    );
    check_places(&setup(Format::Swiss { rounds: 3 }, 5), "1 p0 10, 2 p2 8, 3 p4 7, 4 p3 7, 5 p1 4");
    // Players that were eliminated later are placed higher, whatever their points; players
    // eliminated at the same stage share a place.
    check_places(
        &setup(Format::Knockout { pairs: 2, tie_breaks: 1 }, 6),
        "1 p0 13, 2 p1 9, 3 p5 11, 3 p3 7, 5 p2 2, 5 p4 2",
    );
    check_places(&setup(Format::Ladder { pairs: 30 }, 4), "1 p2 36, 2 p3 31, 3 p0 27, 4 p1 26");
}

#[test]
fn a_filtered_view_equals_an_arena_of_those_games() {
    let setup = setup(Format::RoundRobin { cycles: 6 }, 4);
    let ledger = undisturbed(&setup);
    let all = view(&setup, &ledger, &Filter::default());
    let check = |filter: Filter, pairs: usize| {
        let wanted = ledger.counted_results().pairs.iter().filter(|pair| filter.matches(pair, 0));
        assert_eq!(wanted.count(), pairs, "{filter:?}");
        let view = view(&setup, &ledger, &filter);
        let counted: u64 = view.head_to_head.iter().map(|it| it.pairs.iter().sum::<u64>()).sum();
        assert_eq!(counted, pairs as u64, "{filter:?}");
        assert_eq!(view.progress, all.progress);
        view
    };
    check(Filter::default(), 36);
    let two = check(Filter { players: vec![1, 3], ..Filter::default() }, 6);
    assert_eq!(two.head_to_head.len(), 1);
    assert!(two.players[0].rating.is_none() && two.players[1].rating.is_some());
    check(Filter { players: vec![2], ..Filter::default() }, 0);
    check(Filter { round: Some(4), ..Filter::default() }, 2);
    check(Filter { opening: Some(4), ..Filter::default() }, 2);
    let faulty = ledger.counted_results().pairs.iter().filter(|pair| pair.faulty).count();
    assert!(faulty > 0);
    check(Filter { no_faults: true, ..Filter::default() }, 36 - faulty);
}

#[test]
fn faults_report_the_first_game_of_their_kind() {
    let setup = setup(Format::Match { pairs: 40 }, 2);
    let ledger = undisturbed(&setup);
    let view = view(&setup, &ledger, &Filter::default());
    let mut expected = 0;
    for pair in &ledger.counted_results().pairs {
        expected +=
            ledger.plan().jobs(pair.pair).iter().filter(|job| play(job).fault.is_some()).count()
                as u64;
    }
    assert!(expected > 3 && view.faults.len() > 1);
    assert_eq!(view.faults.iter().map(|fault| fault.games).sum::<u64>(), expected);
    for fault in &view.faults {
        let key = GameKey::from_name(&fault.first).unwrap();
        let pair = ledger.counted_results().pairs[key.pair as usize].pair;
        let job = ledger.plan().jobs(pair)[usize::from(key.game)];
        let found = play(&job);
        let key = found.fault.as_ref().map(|it| (pair.players[it.player], it.code.clone()));
        assert_eq!(key, Some((fault.player, fault.code.clone())));
        assert_eq!(fault.sentence, found.sentence);
        let of = view.players[fault.player as usize].totals.faults.get(&fault.code);
        assert_eq!(of, Some(&fault.games));
    }
}

/// Small tournaments of each format, by number.
fn format(number: u8, players: usize) -> (Format, usize) {
    match number {
        0 => (Format::Match { pairs: 9 }, 2),
        1 => (Format::Gauntlet { challengers: 1, cycles: 2 }, players),
        2 => (Format::RoundRobin { cycles: 2 }, players),
        3 => (Format::Swiss { rounds: 3 }, players),
        4 => (Format::Knockout { pairs: 1, tie_breaks: 2 }, players),
        _ => (Format::Ladder { pairs: 12 }, players),
    }
}

proptest! {
    #[test]
    fn any_order_and_any_interruption_end_the_same(
        number in 0..6_u8,
        players in 3..6_usize,
        sessions in prop::collection::vec((1..5_usize, 0..20_usize, any::<u64>()), 0..4),
        change in prop::option::of((0..8_u32, any::<bool>())),
    ) {
        let (format, players) = format(number, players);
        let setup = setup(format, players);
        // A change that the format allows, from the first pair that has not begun.
        let event = change.map(|(from_pair, joins)| Event {
            from_pair,
            change: if joins { Change::Join(Entrant::default()) } else { Change::Withdraw(1) },
        });
        let fresh = || {
            let mut ledger = Ledger::new(&setup).unwrap();
            let applied = event.is_some_and(|event| ledger.apply(event).is_ok());
            (ledger, applied)
        };
        let mut done: Vec<Job> = Vec::new();
        let last = (3, usize::MAX, 1);
        for (threads, kill_after, mut dice) in sessions.into_iter().chain([last]) {
            let (mut ledger, _) = fresh();
            // The order in which a store returns them.
            done.sort_by_key(Job::key);
            for job in &done {
                prop_assert!(ledger.add(job.key(), play(job)).unwrap());
            }
            let mut playing: Vec<Job> = Vec::new();
            for _ in 0..kill_after {
                while playing.len() < threads && let Some(job) = ledger.take() {
                    prop_assert!(!done.iter().chain(&playing).any(|it| it.key() == job.key()));
                    playing.push(job);
                }
                if playing.is_empty() {
                    break;
                }
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let job = playing.swap_remove((dice >> 33) as usize % playing.len());
                if dice >> 62 == 0 {
                    ledger.release(job.key());
                } else {
                    prop_assert!(ledger.add(job.key(), play(&job)).unwrap());
                    done.push(job);
                }
            }
        }
        let (mut resumed, _) = fresh();
        done.sort_by_key(Job::key);
        done.iter().for_each(|job| assert!(resumed.add(job.key(), play(job)).unwrap()));
        let (mut undisturbed, _) = fresh();
        while let Some(job) = undisturbed.take() {
            undisturbed.add(job.key(), play(&job)).unwrap();
        }
        prop_assert!(resumed.is_complete() && undisturbed.is_complete());
        prop_assert_eq!(resumed.counted_results(), undisturbed.counted_results());
        let view_of = |ledger: &Ledger| view(&setup, ledger, &Filter::default());
        prop_assert_eq!(view_of(&resumed), view_of(&undisturbed));
    }
}
