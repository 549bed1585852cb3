//! Tests of stores in PostgreSQL beyond those of all stores: several arenas in a database, and the
//! lock of each.

use super::*;
use crate::database::postgres::test::new_database;
use crate::store::conformance::conforms;

#[tokio::test]
async fn arenas_of_one_database_conform_and_can_be_read_by_others() {
    let url = new_database();
    // The second arena is locked by its writer. Each store finds its own rows.
    for (arena, is_running) in [("0123456789abcdef", false), ("another", true)] {
        let store = Postgres::open(&url, arena).await.unwrap();
        assert_eq!(store.setup().await.unwrap(), None);
        assert!(!is_running || store.lock().await.unwrap());
        conforms(&store).await;
        let reader = Postgres::open_to_read(&url, arena).await.unwrap();
        assert_eq!(reader.accepted().await.unwrap(), store.accepted().await.unwrap());
        assert_eq!(reader.extent().await.unwrap(), store.extent().await.unwrap());
        assert_eq!(reader.is_locked().await.unwrap(), is_running);
        assert!(reader.add_request("{}").await.is_err());
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn the_lock_is_held_until_the_store_is_closed() {
    let url = new_database();
    let one = Postgres::open(&url, "a").await.unwrap();
    let two = Postgres::open(&url, "a").await.unwrap();
    let other = Postgres::open(&url, "b").await.unwrap();
    assert!(!two.is_locked().await.unwrap());
    assert!(one.lock().await.unwrap());
    assert!(two.is_locked().await.unwrap() && !two.lock().await.unwrap());
    assert!(!other.is_locked().await.unwrap() && other.lock().await.unwrap());
    one.close().await.unwrap();
    assert!(!two.is_locked().await.unwrap() && two.lock().await.unwrap());
    // A store that loses its connection has lost the lock, and can write no more.
    let ended =
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks JOIN pg_database ON oid = database
                 WHERE locktype = 'advisory' AND datname = current_database()";
    sqlx::raw_sql(ended).execute(other.pool()).await.unwrap();
    assert!(!other.is_locked().await.unwrap());
    for _ in 0..2 {
        let lost = two.commit(&[Write::Status("lost".into())]).await.unwrap_err().to_string();
        assert!(lost.starts_with("cannot write to the store of the arena: "), "{lost}");
    }
    assert_eq!(other.status().await.unwrap(), None);
}

#[tokio::test]
async fn attempts_are_never_changed_while_their_arena_exists() {
    let url = new_database();
    let store = Postgres::open(&url, "a").await.unwrap();
    conforms(&store).await;
    for (sql, expected) in [
        ("UPDATE attempts SET half_points = 0", "an attempt is never changed"),
        ("DELETE FROM attempts", "an attempt is never deleted"),
        ("UPDATE records SET record = ''", "a record is never changed"),
        ("DELETE FROM records", "a record is never deleted"),
        ("UPDATE accepted SET attempt = 1", "an accepted attempt is never replaced"),
        ("DELETE FROM accepted", "an accepted attempt is never replaced"),
    ] {
        let refused = sqlx::raw_sql(sql).execute(store.pool()).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{sql}: {refused}");
    }
    sqlx::raw_sql("DELETE FROM arenas WHERE arena = 'a'").execute(store.pool()).await.unwrap();
    conforms(&store).await;
}

#[tokio::test]
async fn zero_characters_are_replaced() {
    let store = Postgres::open(&new_database(), "a").await.unwrap();
    store.commit(&[Write::Status("a\0b".into())]).await.unwrap();
    assert_eq!(store.status().await.unwrap().as_deref(), Some("a\u{fffd}b"));
}
