//! Conformance tests of the store trait, run against every database.

use std::sync::Arc;

use super::{BoutQuery, FinishedBout, Sqlite, Store, Write};
#[cfg(feature = "postgres")]
use sandboard_arena::Url;

fn room(id: &str, about: &str) -> Write {
    Write::Room { id: id.into(), about: about.into() }
}

fn record(id: &str, record: &str) -> Write {
    Write::Record { id: id.into(), record: record.into() }
}

fn remove(id: &str) -> Write {
    Write::Remove { id: id.into() }
}

fn bout(id: &str, ended_ms: i64) -> FinishedBout {
    FinishedBout {
        id: id.into(),
        game: "gomoku".into(),
        variant: "freestyle-15".into(),
        names: vec!["Anna".into(), "100% gomoku_alpha".into()],
        engines: vec!["gomoku-alpha".into()],
        sentence: "Anna (black) wins: five in a row".into(),
        result: "0".into(),
        plies: 31,
        ended_ms,
        record: format!("record of {id}"),
    }
}

async fn commit(store: &dyn Store, writes: impl IntoIterator<Item = Write>) {
    let writes: Vec<Write> = writes.into_iter().collect();
    store.commit(&writes).await.unwrap();
}

/// Returns all rooms, as `id state record`.
async fn rooms(store: &dyn Store) -> String {
    let rooms = store.rooms().await.unwrap().into_iter();
    let text = |it: super::StoredRoom| {
        format!("{} {} {}", it.id, it.about, it.record.unwrap_or("-".into()))
    };
    rooms.map(text).collect::<Vec<_>>().join(", ")
}

async fn rooms_are_stored(store: &dyn Store) {
    assert_eq!(rooms(store).await, "");
    commit(store, [room("b", "1"), room("a", "2")]).await;
    assert_eq!(rooms(store).await, "a 2 -, b 1 -");
    commit(store, [record("a", "r1"), record("a", "r2"), room("b", "3")]).await;
    assert_eq!(rooms(store).await, "a 2 r2, b 3 -");
    commit(store, [room("a", "4")]).await;
    assert_eq!(rooms(store).await, "a 4 r2, b 3 -", "the record stays");
    assert_eq!(store.record("a").await.unwrap().as_deref(), Some("r2"));
    assert_eq!(store.record("b").await.unwrap(), None);
    assert_eq!(store.record("c").await.unwrap(), None);
    commit(store, [record("c", "r"), remove("a"), remove("a"), remove("unknown")]).await;
    assert_eq!(rooms(store).await, "b 3 -", "a record does not create a room");
    commit(store, [remove("b"), room("b", "5")]).await;
    assert_eq!(rooms(store).await, "b 5 -", "writes are applied in order");
    commit(store, []).await;
}

async fn bouts_are_stored(store: &dyn Store) {
    assert_eq!(store.bout("a").await.unwrap(), None);
    commit(store, [Write::Bout(Box::new(bout("a", 5)))]).await;
    assert_eq!(store.bout("a").await.unwrap(), Some(bout("a", 5)));
    let again = FinishedBout { sentence: "another".into(), ..bout("a", 6) };
    commit(store, [Write::Bout(Box::new(again.clone()))]).await;
    assert_eq!(store.bout("a").await.unwrap(), Some(again));
    assert_eq!(store.count().await.unwrap(), 1);
    let text = "'; DROP TABLE bouts; -- \u{4e94}\u{5b50}\u{68cb} \u{1f3b2} \"";
    let odd = FinishedBout { names: vec![text.into()], record: text.into(), ..bout(text, 7) };
    commit(store, [Write::Bout(Box::new(odd.clone()))]).await;
    assert_eq!(store.bout(text).await.unwrap(), Some(odd));
}

async fn bouts_are_found(store: &dyn Store) {
    let xiangqi = FinishedBout {
        game: "xiangqi".into(),
        names: vec!["Bob".into(), "Cid".into()],
        engines: Vec::new(),
        result: "draw".into(),
        ..bout("x", 30)
    };
    let bouts = [bout("a", 10), bout("c", 20), bout("b", 20), xiangqi];
    commit(store, bouts.map(|bout| Write::Bout(Box::new(bout)))).await;
    let check = async |query: BoutQuery, expected: &str| {
        let limit = if query.limit == 0 { 100 } else { query.limit };
        let found = store.bouts(&BoutQuery { limit, ..query.clone() }).await.unwrap();
        assert!(found.iter().all(|bout| bout.record.is_empty()), "lists have no records");
        let ids: Vec<&str> = found.iter().map(|bout| bout.id.as_str()).collect();
        assert_eq!(ids.join(" "), expected, "{query:?}");
    };
    let query = BoutQuery::default;
    check(query(), "x c b a").await;
    check(BoutQuery { limit: 2, ..query() }, "x c").await;
    check(BoutQuery { before: Some((20, "c".into())), ..query() }, "b a").await;
    check(BoutQuery { before: Some((20, "b".into())), ..query() }, "a").await;
    check(BoutQuery { before: Some((10, "a".into())), ..query() }, "").await;
    check(BoutQuery { game: "xiangqi".into(), ..query() }, "x").await;
    check(BoutQuery { game: "xiang".into(), ..query() }, "").await;
    check(BoutQuery { name: "anna".into(), ..query() }, "c b a").await;
    check(BoutQuery { name: "0%".into(), ..query() }, "c b a").await;
    check(BoutQuery { name: "1%0".into(), ..query() }, "").await;
    check(BoutQuery { name: "gomoku_alpha".into(), ..query() }, "c b a").await;
    check(BoutQuery { name: "gomoku-alpha".into(), ..query() }, "").await;
    let of = |engine: &str| BoutQuery { engine: engine.into(), ..query() };
    check(of("gomoku-alpha"), "c b a").await;
    check(of("gomoku"), "").await;
    check(of("gomoku_alpha"), "").await;
    check(of("GOMOKU-ALPHA"), "").await;
    check(BoutQuery { limit: 1, ..of("gomoku-alpha") }, "c").await;
    check(BoutQuery { before: Some((20, "c".into())), ..of("gomoku-alpha") }, "b a").await;
    check(BoutQuery { name: "anna".into(), game: "xiangqi".into(), ..of("gomoku-alpha") }, "")
        .await;
    check(BoutQuery { result: "draw".into(), ..query() }, "x").await;
    check(BoutQuery { name: "o".into(), game: "gomoku".into(), limit: 1, ..query() }, "c").await;

    // A replaced bout is no longer found by its previous engines.
    let two = FinishedBout { engines: vec!["p%".into(), "q".into()], ..bout("b", 40) };
    commit(store, [Write::Bout(Box::new(two))]).await;
    check(of("gomoku-alpha"), "c a").await;
    check(of("p%"), "b").await;
    check(of("q"), "b").await;
    check(of("p"), "").await;
    check(query(), "b x c a").await;
}

/// Runs every case on a new, empty store.
async fn check(make: impl AsyncFn() -> Arc<dyn Store>) {
    rooms_are_stored(make().await.as_ref()).await;
    bouts_are_stored(make().await.as_ref()).await;
    bouts_are_found(make().await.as_ref()).await;
}

#[tokio::test]
async fn sqlite_in_memory() {
    check(async || Arc::new(Sqlite::in_memory().await.unwrap()) as Arc<dyn Store>).await;
}

#[tokio::test]
async fn sqlite_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    check(async || {
        number.set(number.get() + 1);
        let file = folder.path().join(format!("{}.db", number.get()));
        Arc::new(Sqlite::open(&file).await.unwrap()) as Arc<dyn Store>
    })
    .await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn postgres() {
    check(async || {
        Arc::new(
            super::Postgres::open(
                &Url::parse(&sandboard_builder::postgres::create_database().unwrap()).unwrap(),
            )
            .await
            .unwrap(),
        ) as _
    })
    .await;
}

/// Checks that a reopened store has what was written before.
async fn check_reopened(make: impl AsyncFn() -> Arc<dyn Store>) {
    let first = make().await;
    let bout = || bout("b", 1);
    commit(&*first, [room("a", "1"), record("a", "r"), Write::Bout(Box::new(bout()))]).await;
    drop(first);
    let second = make().await;
    assert_eq!(rooms(&*second).await, "a 1 r");
    assert_eq!(second.bout("b").await.unwrap(), Some(bout()));
}

#[tokio::test]
async fn a_reopened_file_keeps_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    check_reopened(async || Arc::new(Sqlite::open(&file).await.unwrap()) as _).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_reopened_database_keeps_its_data() {
    let url = Url::parse(&sandboard_builder::postgres::create_database().unwrap()).unwrap();
    check_reopened(async || Arc::new(super::Postgres::open(&url).await.unwrap()) as _).await;
}

#[tokio::test]
async fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    std::fs::write(&file, "this is no database, but it is long enough to look like one").unwrap();
    let error = Sqlite::open(&file).await.unwrap_err().to_string();
    assert!(error.contains("store.db"), "{error}");
    let error = Sqlite::open(folder.path()).await.unwrap_err().to_string();
    assert!(error.starts_with("cannot open the store"), "{error}");
}
