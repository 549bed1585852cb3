//! Arenas in a folder, and what is told of them while they grow.

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::live::board;
use super::*;
use crate::arena::fixture::{attempt, setup};
use crate::arena::store::{Query, Write};
use crate::arena::{ArenaFolder, ArenaSetup, Filter, GameKey, LiveGame, Status};
use crate::record::Start;

/// Far longer than anything takes: only what hangs fails by it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of arenas, and a server's eye on it.
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
    let note =
        Box::new(move |level: &str, text: String| lock(&noted).push(format!("{level}: {text}")));
    let (end, ends) = watch::channel(false);
    let place = Some(folder.path().to_owned());
    let arenas = Arenas::new(place, runtime.handle().clone(), note, ends);
    World { folder, arenas, notes, end, runtime }
}

impl World {
    fn dir(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An arena of two that is played for as long as what comes back is kept.
    fn played(&self, name: &str, change: impl Fn(&mut ArenaSetup)) -> (ArenaFolder, ArenaSetup) {
        let mut setup = setup(Format::Match { pairs: 2 }, &["a", "b"]);
        change(&mut setup);
        (ArenaFolder::create(&self.dir(name), None, &setup, None).unwrap(), setup)
    }

    /// One that nobody plays.
    fn left(&self, name: &str, change: impl Fn(&mut ArenaSetup)) {
        drop(self.played(name, change));
    }

    fn told(&self, exhibit: &Exhibit, filter: &Filter) -> Value {
        serde_json::from_slice(&exhibit.told(filter).unwrap()).unwrap()
    }

    /// What is told next of an arena that is at `since`.
    fn next(&self, exhibit: &Exhibit, part: Part, since: &Value) -> Value {
        let since = since["version"].as_str().unwrap();
        let changed = self.arenas.changed(exhibit, part, since, PATIENCE);
        assert!(self.runtime.block_on(changed), "nothing changes");
        match part {
            Part::View => self.told(exhibit, &Filter::default()),
            Part::Live => serde_json::from_slice(&exhibit.live().unwrap()).unwrap(),
        }
    }
}

fn keep(folder: &ArenaFolder, writes: &[Write]) {
    folder.wait(folder.store().commit(writes)).unwrap();
}

/// A status with one game of so many moves, as its owner tells it.
fn status(moves: &[&str], stopping: bool) -> Write {
    let status = Status { stopping, concurrency: 1, games: vec![live(moves)], ..Status::default() };
    Write::Status(serde_json::to_string(&status).unwrap())
}

fn live(moves: &[&str]) -> LiveGame {
    LiveGame {
        name: "pair-000001-1".into(),
        round: 0,
        players: [0, 1],
        start: None,
        moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
        scores: [Some(3), None],
        worker: None,
    }
}

#[cfg(feature = "postgres")]
#[test]
fn an_arena_in_a_database_is_shown_as_it_grows() {
    let world = world();
    let setup = setup(Format::Match { pairs: 2 }, &["a", "b"]);
    let url = crate::database::postgres::test::new_database();
    let played = ArenaFolder::create(&world.dir("m"), Some(&url), &setup, None).unwrap();
    // As another machine has it: the folder's lock is free there.
    std::fs::create_dir(world.dir("elsewhere")).unwrap();
    let copied = |name: &str| world.dir(name).join("store.url");
    std::fs::copy(copied("m"), copied("elsewhere")).unwrap();
    std::fs::remove_dir_all(world.dir("m")).unwrap();
    let cards = world.arenas.list();
    assert_eq!((cards.len(), cards[0].state, cards[0].running), (1, State::Running, true));
    let exhibit = world.arenas.exhibit(&setup.id).unwrap();
    let told = world.told(&exhibit, &Filter::default());
    assert_eq!(told["view"]["progress"]["pairs"], 0);
    keep(&played, &[0, 1].map(|game| attempt(&setup, 0, game, Some(2))));
    let told = world.next(&exhibit, Part::View, &told);
    assert_eq!(told["view"]["progress"]["pairs"], 1);
    exhibit.stop().unwrap().unwrap();
    assert_eq!(played.wait(played.store().requests()).unwrap().len(), 1);
    drop(played);
    let told = world.next(&exhibit, Part::View, &told);
    assert_eq!(told["view"]["state"], "open");
    assert!(exhibit.stop().unwrap().is_err());
}

#[test]
fn the_list() {
    let world = world();
    assert!(world.arenas.list().is_empty());
    let id = |digit: char| digit.to_string().repeat(16);
    world.left("old", |setup| {
        setup.id = id('1');
        setup.created_at = "2026-06-01T00:00:00Z".into();
    });
    let (played, of_played) = world.played("new", |setup| {
        setup.id = id('2');
        setup.created_at = "2026-07-02T00:00:00Z".into();
    });
    keep(&played, &[0, 1].map(|game| attempt(&of_played, 0, game, Some(2))));
    // A copy is shown once; what is no arena, or cannot be read, hides none.
    for name in ["copy", "wrong id", "other game"] {
        world.left(name, |setup| match name {
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
        let told = notes.lines().filter(|line| line.contains(name) && line.contains(reason));
        assert_eq!(told.count(), 1, "{name}: {notes}");
    }
    drop(played);
    keep(&ArenaFolder::open(&world.dir("new")).unwrap(), &[]);
    assert_eq!(world.arenas.list()[0].state, State::Open);
}

#[test]
fn arenas_are_found_by_id() {
    let world = world();
    world.left("one", |_| ());
    let check = |id: &str, expected: Result<&str, Kind>| {
        let found = world.arenas.exhibit(id).map(|it| it.card().name).map_err(|it| it.kind);
        assert_eq!(found.as_deref().map_err(|it| *it), expected, "{id}");
    };
    check("00000000000000a1", Ok("one"));
    check("00000000000000a2", Err(Kind::NotFound));
    check("", Err(Kind::NotFound));
    // Another one in its place is another one, and one that is gone is gone.
    std::fs::remove_dir_all(world.dir("one")).unwrap();
    check("00000000000000a1", Err(Kind::NotFound));
    world.left("one", |setup| setup.id = "00000000000000a2".into());
    check("00000000000000a1", Err(Kind::NotFound));
    check("00000000000000a2", Ok("one"));
}

#[test]
fn an_arena_is_told_as_it_grows() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    let exhibit = world.arenas.exhibit(&setup.id).unwrap();
    let first = world.told(&exhibit, &Filter::default());
    assert_eq!(
        (&first["view"]["state"], &first["view"]["progress"]["pairs"]),
        (&json!("running"), &json!(0))
    );
    keep(&folder, &[0, 1].map(|game| attempt(&setup, 0, game, Some(2))));
    let second = world.next(&exhibit, Part::View, &first);
    assert_ne!(second["version"], first["version"]);
    assert_eq!(second["view"]["progress"]["pairs"], 1);
    assert_eq!(second["view"]["players"][0]["half_points"], 4);
    let none = Filter { round: Some(9), ..Filter::default() };
    let filtered = world.told(&exhibit, &none);
    assert_eq!(filtered["version"], second["version"]);
    assert_eq!(filtered["view"]["players"][0]["half_points"], 0);
    assert_eq!(filtered["view"]["progress"], second["view"]["progress"]);
    let check = |players: &[u32], is_right: bool| {
        let filter = Filter { players: players.to_vec(), ..Filter::default() };
        assert_eq!(exhibit.check(&filter).is_ok(), is_right, "{players:?}");
    };
    check(&[0, 1], true);
    check(&[0, 2], false);
    // It is over while results come: both are told.
    keep(&folder, &[0, 1].map(|game| attempt(&setup, 1, game, Some(1))));
    drop(folder);
    let mut last = second;
    while last["view"]["state"] != "complete" {
        last = world.next(&exhibit, Part::View, &last);
    }
    assert_eq!(last["view"]["progress"]["pairs"], 2);
}

#[test]
fn games_are_listed_and_had() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    keep(&folder, &[attempt(&setup, 0, 0, Some(2)), attempt(&setup, 0, 1, None)]);
    let exhibit = world.arenas.exhibit(&setup.id).unwrap();
    let found = exhibit.games(&Query { limit: 9, ..Query::default() }).unwrap();
    assert_eq!(found.iter().map(|it| it.game.name()).collect::<Vec<_>>(), ["pair-000001-1"]);
    let record = |game| exhibit.record(GameKey { pair: 0, game }).unwrap();
    assert_eq!(record(0).unwrap(), b"{\"name\":\"game pair-000001-1\"}");
    assert_eq!(record(1), None);
}

#[test]
fn games_in_play_are_told_as_boards() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    let exhibit = world.arenas.exhibit(&setup.id).unwrap();
    let first: Value = serde_json::from_slice(&exhibit.live().unwrap()).unwrap();
    assert_eq!(first["games"], json!([]));
    keep(&folder, &[status(&["f5"], false)]);
    let second = world.next(&exhibit, Part::Live, &first);
    let game = &second["games"][0];
    assert_eq!(
        (&game["name"], &game["moves"], &game["scores"]),
        (&json!("pair-000001-1"), &json!(["f5"]), &json!([3, null]))
    );
    assert_eq!(game["position"]["to_move"], 1);
    // Moves alone do not change what is counted.
    let view = world.told(&exhibit, &Filter::default());
    keep(&folder, &[status(&["f5", "d6"], false)]);
    let third = world.next(&exhibit, Part::Live, &second);
    assert_eq!(third["games"][0]["moves"], json!(["f5", "d6"]));
    assert_eq!(world.told(&exhibit, &Filter::default())["version"], view["version"]);
    // What a process that is gone said last is not in play.
    drop(folder);
    let last = world.next(&exhibit, Part::Live, &third);
    assert_eq!(last["games"], json!([]));
}

#[test]
fn boards_are_what_the_rules_make_of_moves() {
    let game = sandboard_games::game("reversi").unwrap();
    let start = Start { game, variant: game.variant("").unwrap(), position: None };
    let check = |begins: Option<&str>, moves: &[&str], expected: Option<u64>| {
        let game = LiveGame { start: begins.map(str::to_owned), ..live(moves) };
        let told = board(&start, &game).map(|it| serde_json::to_value(&it).unwrap());
        let to_move = told.map(|it| it["position"]["to_move"].as_u64().unwrap());
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
fn who_waits_is_let_go_in_time_and_at_the_end() {
    let world = world();
    world.left("one", |_| ());
    let exhibit = world.arenas.exhibit("00000000000000a1").unwrap();
    let told = world.told(&exhibit, &Filter::default());
    let version = told["version"].as_str().unwrap();
    let changed = |since: &str, patience: Duration| {
        world.runtime.block_on(world.arenas.changed(&exhibit, Part::View, since, patience))
    };
    assert!(!changed(version, Duration::ZERO));
    assert!(changed("another", PATIENCE));
    world.end.send(true).unwrap();
    assert!(!changed(version, Duration::MAX));
}

#[test]
fn whoever_plays_is_asked_to_stop_once() {
    let world = world();
    let (folder, setup) = world.played("one", |_| ());
    let exhibit = world.arenas.exhibit(&setup.id).unwrap();
    for _ in 0..2 {
        assert_eq!(exhibit.stop().unwrap(), Ok(()));
    }
    let asked = folder.wait(folder.store().requests()).unwrap();
    let what: Vec<_> = asked.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(what, [r#"{"request":"stop"}"#]);
    let told = world.told(&exhibit, &Filter::default());
    keep(&folder, &[status(&[], true)]);
    assert_eq!(world.next(&exhibit, Part::View, &told)["view"]["state"], "stopping");
    drop(folder);
    assert_eq!(exhibit.stop().unwrap().unwrap_err().kind, Kind::Conflict);
}
