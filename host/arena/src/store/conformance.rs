//! Tests that every store of an arena must pass, with SQLite and with PostgreSQL.

use super::*;

fn attempt(pair: u32, game: u8, half_points: Option<u8>) -> Attempt {
    let result = half_points.map(|half_points| ResultSummary {
        half_points: [half_points, 2 - half_points].into(),
        plies: 10 + u64::from(pair),
        fault: (pair == 2).then(|| "crash".into()),
        result: format!("{{\"of\":{pair}}}"),
    });
    Attempt {
        game: GameKey { pair, game },
        job: [pair as u8; 16],
        round: pair / 2,
        opening: (pair != 0).then_some(pair % 2),
        players: [pair % 3, 3].into(),
        result,
        sentence: format!("game {pair}-{game}"),
        record: PackedRecord::pack(format!("record of {pair}-{game}").repeat(9).as_bytes()),
        worker: None,
        stored_ms: 1000 + i64::from(pair),
    }
}

fn write(pair: u32, game: u8, half_points: Option<u8>) -> Write {
    Write::Attempt(Box::new(attempt(pair, game, half_points)))
}

/// Checks the games that a query finds, as `pair-game`.
async fn check(store: &dyn Store, query: GameQuery, expected: &str) {
    let found = store.games(&query).await.unwrap();
    let keys: Vec<String> =
        found.iter().map(|it| format!("{}-{}", it.game.pair, it.game.game)).collect();
    assert_eq!(keys.join(" "), expected, "{query:?}");
}

/// Checks a store, which must be empty.
pub(super) async fn conforms(store: &dyn Store) {
    is_created_once(store).await;
    keeps_the_first_result(store).await;
    finds_games(store).await;
    stores_changes_and_requests(store).await;
    excludes_workers(store).await;
    voids_pairs(store).await;
}

async fn is_created_once(store: &dyn Store) {
    assert_eq!(store.setup().await.unwrap(), None);
    store.create("{}", Some(b"h8")).await.unwrap();
    assert!(store.create("{}", None).await.is_err());
    assert_eq!(store.setup().await.unwrap(), Some(("{}".into(), Some(b"h8".to_vec()))));
    assert!(store.accepted().await.unwrap().is_empty());
}

async fn keeps_the_first_result(store: &dyn Store) {
    assert_eq!(store.extent().await.unwrap(), StoreExtent::default());
    let key = GameKey { pair: 1, game: 1 };
    // Only attempts with a result count; of two results the first does.
    store.commit(&[write(1, 1, None)]).await.unwrap();
    assert!(store.accepted().await.unwrap().is_empty());
    assert_eq!(store.record(key).await.unwrap(), None);
    let mut second = attempt(1, 1, Some(0));
    second.record = PackedRecord::pack(b"another");
    store.commit(&[write(1, 1, Some(2)), Write::Attempt(Box::new(second))]).await.unwrap();
    let accepted = store.accepted().await.unwrap();
    assert_eq!(accepted, [AcceptedResult { game: key, job: [1; 16], result: "{\"of\":1}".into() }]);
    let record = store.record(key).await.unwrap().unwrap().unpack().unwrap();
    assert_eq!(record, b"record of 1-1".repeat(9));
    let found = store.games(&GameQuery { limit: 9, ..GameQuery::default() }).await.unwrap();
    assert_eq!(found.iter().map(|it| it.half_points).collect::<Vec<_>>(), [[2, 0]]);
    assert_eq!(
        store.extent().await.unwrap(),
        StoreExtent { attempts: 3, ..StoreExtent::default() }
    );
    // A commit stores all of its writes, or none.
    let player = || Write::Player { number: 0, json: "a".into() };
    assert!(store.commit(&[write(7, 0, Some(1)), player(), player()]).await.is_err());
    assert_eq!(store.accepted().await.unwrap().len(), 1);
    assert!(store.players().await.unwrap().is_empty());
}

async fn finds_games(store: &dyn Store) {
    store
        .commit(&[write(2, 0, Some(1)), write(0, 0, Some(2)), write(0, 1, Some(0))])
        .await
        .unwrap();
    let keys: Vec<_> = store.accepted().await.unwrap().iter().map(|it| it.game).collect();
    assert!(keys.is_sorted() && keys.len() == 4, "{keys:?}");
    // In the order in which they were stored, without second results.
    let after = async |attempt: i64| {
        let found = store.accepted_after(attempt).await.unwrap();
        let keys = found.iter().map(|it| format!("{}-{}", it.game.pair, it.game.game));
        keys.collect::<Vec<_>>().join(" ")
    };
    let latest = store.extent().await.unwrap().attempts;
    assert_eq!(after(0).await, "1-1 2-0 0-0 0-1");
    assert_eq!(after(1).await, "1-1 2-0 0-0 0-1");
    assert_eq!(after(2).await, "2-0 0-0 0-1");
    assert_eq!(after(latest - 1).await, "0-1");
    assert_eq!(after(latest).await, "");
    let all = || GameQuery { limit: 9, ..GameQuery::default() };
    check(store, all(), "2-0 1-1 0-1 0-0").await;
    check(store, GameQuery { limit: 2, ..all() }, "2-0 1-1").await;
    let before = Some(GameKey { pair: 1, game: 1 });
    check(store, GameQuery { before, ..all() }, "0-1 0-0").await;
    let after = async |game: Option<(u32, u8)>, limit: u32| {
        let game = game.map(|(pair, game)| GameKey { pair, game });
        let found = store.games_after(game, limit).await.unwrap();
        let keys = found.iter().map(|it| format!("{}-{}", it.game.pair, it.game.game));
        keys.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(after(None, 9).await, "0-0 0-1 1-1 2-0");
    assert_eq!(after(None, 1).await, "0-0");
    assert_eq!(after(Some((0, 0)), 2).await, "0-1 1-1");
    assert_eq!(after(Some((1, 0)), 9).await, "1-1 2-0");
    assert_eq!(after(Some((2, 0)), 9).await, "");
    check(store, GameQuery { player: Some(1), ..all() }, "1-1").await;
    check(store, GameQuery { player: Some(3), opponent: Some(2), ..all() }, "2-0").await;
    check(store, GameQuery { player: Some(1), opponent: Some(2), ..all() }, "").await;
    check(store, GameQuery { opening: Some(0), ..all() }, "2-0").await;
    check(store, GameQuery { round: Some(0), ..all() }, "1-1 0-1 0-0").await;
    check(store, GameQuery { fault: Some(true), ..all() }, "2-0").await;
    check(store, GameQuery { fault: Some(false), ..all() }, "1-1 0-1 0-0").await;
    let first = store.games(&GameQuery { opening: Some(1), ..all() }).await.unwrap().remove(0);
    let expected = StoredGame {
        game: GameKey { pair: 1, game: 1 },
        round: 0,
        opening: Some(1),
        players: [1, 3].into(),
        half_points: [2, 0].into(),
        plies: 11,
        fault: None,
        sentence: "game 1-1".into(),
        stored_ms: 1001,
    };
    assert_eq!(first, expected);
}

async fn stores_changes_and_requests(store: &dyn Store) {
    let event = |number: u32| Write::Event { number, json: format!("event {number}") };
    let player = |number: u32| Write::Player { number, json: format!("player {number}") };
    store.commit(&[player(0), event(0), event(1), player(1)]).await.unwrap();
    assert_eq!(store.events().await.unwrap(), ["event 0", "event 1"]);
    assert_eq!(store.players().await.unwrap(), ["player 0", "player 1"]);
    let (one, two) =
        (store.add_request("one").await.unwrap(), store.add_request("two").await.unwrap());
    let requests = store.requests().await.unwrap();
    let text: Vec<_> = requests.iter().map(|it| (it.number, it.json.as_str())).collect();
    assert_eq!(text, [(one, "one"), (two, "two")]);
    let answer = |text: &str| RequestAnswer { done: false, text: text.into() };
    let reply = |text: &str| Write::Answer { request: one, answer: answer(text) };
    store.commit(&[reply("no"), reply("too late")]).await.unwrap();
    assert_eq!(store.answer(one).await.unwrap(), Some(answer("no")));
    assert_eq!(store.answer(two).await.unwrap(), None);
    assert_eq!(store.requests().await.unwrap().len(), 1);
    assert_eq!(store.status().await.unwrap(), None);
    let before = store.extent().await.unwrap();
    assert_eq!((before.events, before.players, before.statuses), (2, 2, 0));
    store.commit(&[Write::Status("a".into()), Write::Status("b".into())]).await.unwrap();
    assert_eq!(store.status().await.unwrap(), Some("b".into()));
    assert_eq!(store.extent().await.unwrap(), StoreExtent { statuses: 2, ..before });
}

/// Games of one round, from pair 10 on, played in turns by this host, `b` and `a`.
async fn excludes_workers(store: &dyn Store) {
    let counting = async || {
        let games = store.accepted().await.unwrap().into_iter().map(|it| it.game);
        let games = games.filter(|game| game.pair >= 10).map(|it| it.pair.to_string());
        games.collect::<Vec<_>>().join(" ")
    };
    let by = |pair: u32, worker: Option<&str>| {
        let worker = worker.map(str::to_owned);
        Write::Attempt(Box::new(Attempt { worker, round: 5, ..attempt(pair, 0, Some(1)) }))
    };
    let exclude = |worker: &str, later_pairs: bool| {
        let (worker, reason) = (worker.to_owned(), format!("{worker} cheats"));
        Write::Exclude(Exclusion { worker, reason, later_pairs })
    };
    let games: Vec<Write> =
        (10..18).map(|pair| by(pair, [Some("a"), None, Some("b")][pair as usize % 3])).collect();
    store.commit(&games).await.unwrap();
    assert_eq!(counting().await, "10 11 12 13 14 15 16 17");
    let before = store.extent().await.unwrap();
    // Excluding a worker without games withdraws none.
    store.commit(&[exclude("idle", true)]).await.unwrap();
    assert_eq!(counting().await, "10 11 12 13 14 15 16 17");
    // Pairs 12 and 15 were played by `a`, and so is 18 later: it does not count.
    store.commit(&[exclude("a", false), by(18, Some("a")), by(12, Some("b"))]).await.unwrap();
    assert_eq!(counting().await, "10 11 12 13 14 16 17");
    let record = store.record(GameKey { pair: 15, game: 0 }).await.unwrap();
    assert_eq!(record, None);
    // The first pair of `b` is 11: all later pairs are withdrawn, though their round is the same.
    store.commit(&[exclude("b", true), exclude("b", true)]).await.unwrap();
    assert_eq!(counting().await, "10");
    store.commit(&[by(11, None), by(15, Some("c"))]).await.unwrap();
    assert_eq!(counting().await, "10 11 15");
    let entry = |worker: &str| (worker.to_owned(), format!("{worker} cheats"));
    assert_eq!(store.excluded().await.unwrap(), [entry("a"), entry("b"), entry("idle")]);
    let after = store.extent().await.unwrap();
    assert_eq!((after.excluded, after.attempts), (before.excluded + 3, before.attempts + 4));
}

/// The games of a void pair no longer count.
async fn voids_pairs(store: &dyn Store) {
    let counting = async || {
        let games = store.accepted().await.unwrap().into_iter().map(|it| it.game);
        let games = games.filter(|game| game.pair >= 30);
        let games = games.map(|it| format!("{}-{}", it.pair, it.game));
        games.collect::<Vec<_>>().join(" ")
    };
    let game = |pair: u32, game: u8, half_points: Option<u8>| {
        Write::Attempt(Box::new(attempt(pair, game, half_points)))
    };
    let games = [(30, 0), (30, 1), (31, 1), (32, 0)].map(|(pair, of)| game(pair, of, Some(1)));
    store.commit(&games).await.unwrap();
    assert_eq!(counting().await, "30-0 30-1 31-1 32-0");
    store.commit(&[Write::Void(31), Write::Void(33)]).await.unwrap();
    assert_eq!(counting().await, "30-0 30-1 32-0");
    store.commit(&[Write::Void(30), game(30, 0, None)]).await.unwrap();
    assert_eq!(counting().await, "32-0");
    store.commit(&[Write::Void(30)]).await.unwrap();
    assert_eq!(counting().await, "32-0");
}

#[test]
fn records_are_packed_and_unpacked() {
    let check = |bytes: &[u8], expected: Result<&[u8], &str>| {
        let found = PackedRecord(bytes.to_vec()).unpack().map_err(|error| error.to_string());
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    };
    for record in [&b""[..], b"a", &b"{\"seat\": 0}".repeat(1000)] {
        check(&PackedRecord::pack(record).0, Ok(record));
    }
    check(b"", Err("end of file"));
    check(b"\x01\x00", Err("end of file"));
    // A size over the limit, and a size larger than the data.
    check(b"\xff\xff\xff\xff\x00", Err("it has more than"));
    check(b"\x09\x00\x00\x00\x10a", Err("it has 1 of 9 bytes"));
}
