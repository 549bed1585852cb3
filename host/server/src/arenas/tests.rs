//! Tests the list of arenas, and how views and live games follow a growing arena.

use super::live_board::board;
use super::*;
use sandboard_arena::ArenaFolder;
use sandboard_arena::fixture::attempt;
use sandboard_arena::store::{GameQuery, Write};
use sandboard_arena_plan::fixture::setup;
use sandboard_arena_plan::{ArenaSetup, Filter, GameKey, LiveGame, Status};
use sandboard_bout::start::StartPosition;
use sandboard_games::Games;
use sandboard_tournament::schedule::{Change, Event};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Far longer than anything takes, so that only a hang fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of arenas, and the server's view of it.
struct World {
    folder: TempDir,
    arenas: Arc<Arenas>,
    notes: Arc<Mutex<Vec<String>>>,
    end: watch::Sender<bool>,
    runtime: Runtime,
}

fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let notes = Arc::<Mutex<Vec<String>>>::default();
    let noted = notes.clone();
    let operator_log =
        Box::new(move |level: &str, text: String| lock(&noted).push(format!("{level}: {text}")));
    let (end, shutdown) = watch::channel(false);
    let root = Some(folder.path().to_owned());
    let games = KnownGames::default();
    let arenas = Arenas::new(root, games, runtime.handle().clone(), operator_log, shutdown);
    World { folder, arenas, notes, end, runtime }
}

impl World {
    fn dir(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Creates an arena of two players that is running until the returned folder is dropped.
    fn played(&self, name: &str, change: impl Fn(&mut ArenaSetup)) -> (ArenaFolder, ArenaSetup) {
        let mut setup = setup(Format::Match { pairs: 2 }, &["a", "b"]);
        change(&mut setup);
        (ArenaFolder::create(&self.dir(name), None, &setup, None).unwrap(), setup)
    }

    /// Creates an arena that is not running.
    fn ended(&self, name: &str, change: impl Fn(&mut ArenaSetup)) {
        drop(self.played(name, change));
    }

    fn view_json(&self, arena_cache: &ArenaCache, filter: &Filter) -> Value {
        serde_json::from_slice(&arena_cache.view_json(filter).unwrap()).unwrap()
    }

    /// Waits for the next version of an arena.
    fn next(&self, arena_cache: &ArenaCache, part: Part, since: &Value) -> Value {
        let since = since["version"].as_str().unwrap();
        let changed = self.arenas.wait_for_change(arena_cache, part, since, PATIENCE);
        assert!(self.runtime.block_on(changed), "nothing changes");
        match part {
            Part::View => self.view_json(arena_cache, &Filter::default()),
            Part::Live => serde_json::from_slice(&arena_cache.live_json().unwrap()).unwrap(),
        }
    }
}

fn keep(folder: &ArenaFolder, writes: &[Write]) {
    folder.wait(folder.store().commit(writes)).unwrap();
}

/// A status with one live game of these moves, as the arena's process writes it.
fn status(moves: &[&str], stopping: bool) -> Write {
    let status = Status { stopping, concurrency: 1, games: vec![live(moves)], ..Status::default() };
    Write::Status(serde_json::to_string(&status).unwrap())
}

fn live(moves: &[&str]) -> LiveGame {
    LiveGame {
        name: "pair-000001-1".into(),
        round: 0,
        players: vec![0, 1],
        start: None,
        moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
        scores: vec![Some(3), None],
        worker: None,
    }
}

#[cfg(feature = "postgres")]
#[test]
fn an_arena_in_a_database_is_shown_as_it_grows() {
    let world = world();
    let setup = setup(Format::Match { pairs: 2 }, &["a", "b"]);
    let url = sandboard_arena::Url::parse(&sandboard_builder::postgres::create_database().unwrap())
        .unwrap();
    let played = ArenaFolder::create(&world.dir("m"), Some(&url), &setup, None).unwrap();
    // As on another machine: the folder's lock is free there.
    std::fs::create_dir(world.dir("elsewhere")).unwrap();
    let copied = |name: &str| world.dir(name).join("store.url");
    std::fs::copy(copied("m"), copied("elsewhere")).unwrap();
    std::fs::remove_dir_all(world.dir("m")).unwrap();
    let cards = world.arenas.list();
    assert_eq!((cards.len(), cards[0].state, cards[0].running), (1, State::Running, true));
    let arena_cache = world.arenas.find(&setup.id).unwrap();
    let view = world.view_json(&arena_cache, &Filter::default());
    assert_eq!(view["view"]["progress"]["pairs"], 0);
    keep(&played, &[0, 1].map(|game| attempt(&setup, 0, game, Some(2))));
    let view = world.next(&arena_cache, Part::View, &view);
    assert_eq!(view["view"]["progress"]["pairs"], 1);
    arena_cache.stop().unwrap().unwrap();
    assert_eq!(played.wait(played.store().requests()).unwrap().len(), 1);
    drop(played);
    let view = world.next(&arena_cache, Part::View, &view);
    assert_eq!(view["view"]["state"], "open");
    assert!(arena_cache.stop().unwrap().is_err());
}

#[test]
fn arenas_are_listed() {
    let world = world();
    assert!(world.arenas.list().is_empty());
    let id = |digit: char| digit.to_string().repeat(16);
    world.ended("old", |setup| {
        setup.id = id('1');
        setup.created_at = "2026-06-01T00:00:00Z".into();
    });
    let (played, of_played) = world.played("new", |setup| {
        setup.id = id('2');
        setup.created_at = "2026-07-02T00:00:00Z".into();
    });
    keep(&played, &[0, 1].map(|game| attempt(&of_played, 0, game, Some(2))));
    // A copy is listed once; an unreadable folder does not hide the others.
    for name in ["copy", "wrong id", "other game"] {
        world.ended(name, |setup| match name {
            "wrong id" => setup.id = "../../../../etc".into(),
            "other game" => setup.game = "ludo".into(),
            _ => {
                setup.id = id('2');
                setup.created_at = "2026-07-02T00:00:00Z".into();
            }
        });
    }
    std::fs::create_dir(world.dir("empty")).unwrap();
    std::fs::create_dir(world.dir("broken")).unwrap();
    std::fs::write(world.dir("broken").join(FILE), "no database, but long enough").unwrap();
    for _ in 0..2 {
        let cards = serde_json::to_value(world.arenas.list()).unwrap();
        let one = |id: String, name: &str, state: &str, at: &str, pairs: [u32; 2]| {
            json!({
                "id": id, "name": name, "game": "reversi", "variant": "standard-8",
                "format": {"format": "match", "pairs": 2}, "state": state, "created_at": at,
                "players": ["a", "b"], "pairs": pairs[0], "pairs_left": pairs[1],
                "running": state == "running",
            })
        };
        let expected = [
            one(id('2'), "new", "running", "2026-07-02T00:00:00Z", [1, 1]),
            one(id('1'), "old", "open", "2026-06-01T00:00:00Z", [0, 2]),
        ];
        assert_eq!(cards, json!(expected));
    }
    let notes = lock(&world.notes).join("\n");
    for (name, reason) in [
        ("broken", "warning: an arena is not shown"),
        ("wrong id", "`id` is not 16 digits"),
        ("other game", "there is no game `ludo`"),
    ] {
        let found = notes.lines().filter(|line| line.contains(name) && line.contains(reason));
        assert_eq!(found.count(), 1, "{name}: {notes}");
    }
    drop(played);
    keep(&ArenaFolder::open(&world.dir("new")).unwrap(), &[]);
    assert_eq!(world.arenas.list()[0].state, State::Open);
}

#[test]
fn a_player_that_joined_has_a_name_before_the_tables_are_read_again() {
    let world = world();
    let setup = setup(Format::RoundRobin { cycles: 2 }, &["a", "b"]);
    let played = ArenaFolder::create(&world.dir("m"), None, &setup, None).unwrap();
    let arena_cache = world.arenas.find(&setup.id).unwrap();
    let mut joined = setup.players[0].clone();
    for (number, name) in (0..).zip(["c", "d"]) {
        name.clone_into(&mut joined.name);
        let event = Event { from_pair: number, change: Change::Join(joined.entrant()) };
        let json = serde_json::to_string(&joined).unwrap();
        let event = serde_json::to_string(&event).unwrap();
        let admitted = Write::Event { number, json: event };
        keep(&played, &[Write::Player { number, json }, admitted]);
        assert_eq!(arena_cache.player_names().unwrap().last().map(String::as_str), Some(name));
    }
    assert_eq!(arena_cache.player_names().unwrap(), ["a", "b", "c", "d"]);
}

#[test]
fn arenas_are_found_by_id() {
    let world = world();
    world.ended("one", |_| ());
    let check = |id: &str, expected: Result<&str, ProblemKind>| {
        let found = world.arenas.find(id).map(|it| it.card().name).map_err(|it| it.kind);
        assert_eq!(found.as_deref().map_err(|it| *it), expected, "{id}");
    };
    check("00000000000000a1", Ok("one"));
    check("00000000000000a2", Err(ProblemKind::NotFound));
    check("", Err(ProblemKind::NotFound));
    // A replaced arena has a new id, and a removed one is not found.
    std::fs::remove_dir_all(world.dir("one")).unwrap();
    check("00000000000000a1", Err(ProblemKind::NotFound));
    world.ended("one", |setup| setup.id = "00000000000000a2".into());
    check("00000000000000a1", Err(ProblemKind::NotFound));
    check("00000000000000a2", Ok("one"));
}

#[test]
fn a_growing_arena_is_shown() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    let arena_cache = world.arenas.find(&setup.id).unwrap();
    let first = world.view_json(&arena_cache, &Filter::default());
    assert_eq!(
        (&first["view"]["state"], &first["view"]["progress"]["pairs"]),
        (&json!("running"), &json!(0))
    );
    keep(&folder, &[0, 1].map(|game| attempt(&setup, 0, game, Some(2))));
    let second = world.next(&arena_cache, Part::View, &first);
    assert_ne!(second["version"], first["version"]);
    assert_eq!(second["view"]["progress"]["pairs"], 1);
    assert_eq!(second["view"]["players"][0]["half_points"], 4);
    let none = Filter { round: Some(9), ..Filter::default() };
    let filtered = world.view_json(&arena_cache, &none);
    assert_eq!(filtered["version"], second["version"]);
    assert_eq!(filtered["view"]["players"][0]["half_points"], 0);
    assert_eq!(filtered["view"]["progress"], second["view"]["progress"]);
    let check = |players: &[u32], is_right: bool| {
        let filter = Filter { players: players.to_vec(), ..Filter::default() };
        assert_eq!(arena_cache.check(&filter).is_ok(), is_right, "{players:?}");
    };
    check(&[0, 1], true);
    check(&[0, 2], false);
    // The run ends while results arrive: both are published.
    keep(&folder, &[0, 1].map(|game| attempt(&setup, 1, game, Some(1))));
    drop(folder);
    let mut last = second;
    while last["view"]["state"] != "complete" {
        last = world.next(&arena_cache, Part::View, &last);
    }
    assert_eq!(last["view"]["progress"]["pairs"], 2);
}

#[test]
fn games_are_listed_and_read() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    keep(&folder, &[attempt(&setup, 0, 0, Some(2)), attempt(&setup, 0, 1, None)]);
    let arena_cache = world.arenas.find(&setup.id).unwrap();
    let found = arena_cache.games(&GameQuery { limit: 9, ..GameQuery::default() }).unwrap();
    assert_eq!(found.iter().map(|it| it.game.name()).collect::<Vec<_>>(), ["pair-000001-1"]);
    let record = |game| arena_cache.record(GameKey { pair: 0, game }).unwrap();
    assert_eq!(record(0).unwrap(), b"{\"name\":\"game pair-000001-1\"}");
    assert_eq!(record(1), None);
}

#[test]
fn live_games_are_shown_as_boards() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    let arena_cache = world.arenas.find(&setup.id).unwrap();
    let first: Value = serde_json::from_slice(&arena_cache.live_json().unwrap()).unwrap();
    assert_eq!(first["games"], json!([]));
    keep(&folder, &[status(&["f5"], false)]);
    let second = world.next(&arena_cache, Part::Live, &first);
    let game = &second["games"][0];
    assert_eq!(
        (&game["name"], &game["moves"], &game["scores"]),
        (&json!("pair-000001-1"), &json!(["f5"]), &json!([3, null]))
    );
    assert_eq!(game["position"]["to_move"], 1);
    // Moves alone do not change the results.
    let view = world.view_json(&arena_cache, &Filter::default());
    keep(&folder, &[status(&["f5", "d6"], false)]);
    let third = world.next(&arena_cache, Part::Live, &second);
    assert_eq!(third["games"][0]["moves"], json!(["f5", "d6"]));
    assert_eq!(world.view_json(&arena_cache, &Filter::default())["version"], view["version"]);
    // After the process has ended, its last status has no live games.
    drop(folder);
    let last = world.next(&arena_cache, Part::Live, &third);
    assert_eq!(last["games"], json!([]));
}

#[test]
fn boards_follow_the_rules() {
    let game = Games::default().find("reversi").unwrap();
    let start = StartPosition::new(game, game.variant("").unwrap(), None);
    let check = |begins: Option<&str>, moves: &[&str], expected: Option<u64>| {
        let game = LiveGame { start: begins.map(str::to_owned), ..live(moves) };
        let view = board(&start, &game).map(|it| serde_json::to_value(&it).unwrap());
        let to_move = view.map(|it| it["position"]["to_move"].as_u64().unwrap());
        assert_eq!(to_move, expected, "{begins:?} {moves:?}");
    };
    check(None, &[], Some(0));
    check(None, &["f5"], Some(1));
    check(None, &["f5", "f6"], Some(0));
    check(None, &["a1"], None);
    check(None, &["f5", "f5"], None);
    let mut other = start.set_up().unwrap();
    other.play("f5").unwrap();
    check(Some(&other.position()), &["f6"], Some(0));
    check(Some(&other.position()), &["f5"], None);
    check(Some("nothing"), &[], None);
}

#[test]
fn waiting_requests_end_in_time_and_at_shutdown() {
    let world = world();
    world.ended("one", |_| ());
    let arena_cache = world.arenas.find("00000000000000a1").unwrap();
    let view = world.view_json(&arena_cache, &Filter::default());
    let version = view["version"].as_str().unwrap();
    let changed = |since: &str, patience: Duration| {
        world.runtime.block_on(world.arenas.wait_for_change(
            &arena_cache,
            Part::View,
            since,
            patience,
        ))
    };
    assert!(!changed(version, Duration::ZERO));
    assert!(changed("another", PATIENCE));
    world.end.send(true).unwrap();
    assert!(!changed(version, Duration::MAX));
}

#[test]
fn a_repeated_stop_request_is_stored_once() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    let arena_cache = world.arenas.find(&setup.id).unwrap();
    for _ in 0..2 {
        assert_eq!(arena_cache.stop().unwrap(), Ok(()));
    }
    let asked = folder.wait(folder.store().requests()).unwrap();
    let json: Vec<_> = asked.iter().map(|it| it.json.as_str()).collect();
    assert_eq!(json, [r#"{"request":"stop"}"#]);
    let view = world.view_json(&arena_cache, &Filter::default());
    keep(&folder, &[status(&[], true)]);
    assert_eq!(world.next(&arena_cache, Part::View, &view)["view"]["state"], "stopping");
    drop(folder);
    assert_eq!(arena_cache.stop().unwrap().unwrap_err().kind, ProblemKind::Conflict);
}
