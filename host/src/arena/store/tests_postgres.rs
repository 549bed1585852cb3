//! What stores in a database of PostgreSQL do beyond what all do: many arenas in one, and one player of each.

use super::conformance::conforms;
use super::*;
use crate::database::postgres::test::new_database;

#[tokio::test]
async fn arenas_of_one_database_conform_and_are_read_by_others() {
    let url = new_database();
    // One is played by who writes to it, the other is not; each finds its own.
    for (arena, is_played) in [("0123456789abcdef", false), ("another", true)] {
        let store = Postgres::open(&url, arena).await.unwrap();
        assert_eq!(store.setup().await.unwrap(), None);
        assert!(!is_played || store.hold().await.unwrap());
        conforms(&store).await;
        let reader = Postgres::open_to_read(&url, arena).await.unwrap();
        assert_eq!(reader.accepted().await.unwrap(), store.accepted().await.unwrap());
        assert_eq!(reader.extent().await.unwrap(), store.extent().await.unwrap());
        assert_eq!(reader.is_held().await.unwrap(), is_played);
        assert!(reader.ask("anything").await.is_err());
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn who_plays_an_arena_holds_it_until_the_end() {
    let url = new_database();
    let one = Postgres::open(&url, "a").await.unwrap();
    let two = Postgres::open(&url, "a").await.unwrap();
    let other = Postgres::open(&url, "b").await.unwrap();
    assert!(!two.is_held().await.unwrap());
    assert!(one.hold().await.unwrap());
    assert!(two.is_held().await.unwrap() && !two.hold().await.unwrap());
    assert!(!other.is_held().await.unwrap() && other.hold().await.unwrap());
    one.close().await.unwrap();
    assert!(!two.is_held().await.unwrap() && two.hold().await.unwrap());
    // Whoever loses its connection has lost the arena with it, and writes no more.
    let ended =
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks JOIN pg_database ON oid = database
                 WHERE locktype = 'advisory' AND datname = current_database()";
    sqlx::raw_sql(ended).execute(other.pool()).await.unwrap();
    assert!(!other.is_held().await.unwrap());
    for _ in 0..2 {
        let lost = two.commit(&[Write::Status("lost".into())]).await.unwrap_err().to_string();
        assert!(lost.starts_with("cannot write to the store of the arena: "), "{lost}");
    }
    assert_eq!(other.status().await.unwrap(), None);
}

#[tokio::test]
async fn attempts_stay_as_they_are_as_long_as_their_arena() {
    let url = new_database();
    let store = Postgres::open(&url, "a").await.unwrap();
    conforms(&store).await;
    for (sql, expected) in [
        ("UPDATE attempts SET half_points = 0", "an attempt is never changed"),
        ("DELETE FROM attempts", "an attempt is never removed"),
        ("UPDATE records SET record = ''", "a record is never changed"),
        ("DELETE FROM records", "a record is never removed"),
        ("UPDATE accepted SET attempt = 1", "which attempt counts is said once"),
        ("DELETE FROM accepted", "which attempt counts is said once"),
    ] {
        let refused = sqlx::raw_sql(sql).execute(store.pool()).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{sql}: {refused}");
    }
    sqlx::raw_sql("DELETE FROM arenas WHERE arena = 'a'").execute(store.pool()).await.unwrap();
    conforms(&store).await;
}

#[tokio::test]
async fn texts_with_a_zero_are_kept_without() {
    let store = Postgres::open(&new_database(), "a").await.unwrap();
    store.commit(&[Write::Status("a\0b".into())]).await.unwrap();
    assert_eq!(store.status().await.unwrap().as_deref(), Some("a\u{fffd}b"));
}
