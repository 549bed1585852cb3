//! Tests of opening databases on the PostgreSQL server that the test process starts.

use sandboard_builder::postgres::{PASSWORD, PASSWORD_USER};

use super::test::new_database;
use super::*;

const SCHEMA: Schema = Schema {
    description: "a store of this test",
    kind: "test",
    migrations: &["CREATE TABLE a (b BIGINT)", "INSERT INTO a VALUES (5)"],
    durable: true,
    connections: 2,
    acquire_timeout: WAIT_MAX,
};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

async fn run(url: &Url, sql: &'static str) {
    let mut connection = PgConnection::connect(url.with_password()).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
}

/// The rows of the table that the migrations create.
async fn rows(database: &Database) -> Vec<i64> {
    sqlx::query_scalar("SELECT b FROM a").fetch_all(&database.pool).await.unwrap()
}

#[tokio::test]
async fn concurrent_opens_prepare_an_empty_database_once() {
    let url = new_database();
    let opened = (0..8).map(|_| Database::open(&url, &SCHEMA));
    for database in futures_util::future::join_all(opened).await {
        assert_eq!(rows(&database.unwrap()).await, [5]);
    }
}

#[tokio::test]
async fn a_database_of_an_earlier_host_is_migrated() {
    let url = new_database();
    let earlier = Schema { migrations: &SCHEMA.migrations[..1], ..SCHEMA };
    assert_eq!(rows(&Database::open(&url, &earlier).await.unwrap()).await, [0_i64; 0]);
    let refused = Database::open_to_read(&url, &SCHEMA).await.map(drop).unwrap_err().to_string();
    assert!(refused.ends_with("has version 1, and this host writes version 2"), "{refused}");
    assert_eq!(rows(&Database::open(&url, &SCHEMA).await.unwrap()).await, [5]);
    for database in
        [Database::open(&url, &SCHEMA).await, Database::open_to_read(&url, &SCHEMA).await]
    {
        assert_eq!(rows(&database.unwrap()).await, [5]);
    }
    let refused = Database::open(&url, &earlier).await.map(drop).unwrap_err();
    let location = url.to_string();
    assert_eq!(refused, StoreError::Version { location, found: 2, known: 1 });
}

#[tokio::test]
async fn a_failed_migration_changes_nothing() {
    let url = new_database();
    let broken = Schema {
        migrations: &["CREATE TABLE a (b BIGINT)", "CREATE TABLE a (b BIGINT)"],
        ..SCHEMA
    };
    let refused = Database::open(&url, &broken).await.map(drop).unwrap_err().to_string();
    assert!(
        refused.starts_with("cannot prepare the store: relation \"a\" already exists"),
        "{refused}"
    );
    assert_eq!(rows(&Database::open(&url, &SCHEMA).await.unwrap()).await, [5]);
}

#[tokio::test]
async fn other_databases_are_refused() {
    let check = async |sql: &'static str| {
        let url = new_database();
        run(&url, sql).await;
        let foreign =
            StoreError::Foreign { location: url.to_string(), description: SCHEMA.description };
        assert_eq!(Database::open(&url, &SCHEMA).await.map(drop), Err(foreign.clone()), "{sql}");
        assert_eq!(Database::open_to_read(&url, &SCHEMA).await.map(drop), Err(foreign), "{sql}");
    };
    check("CREATE TABLE customers (name TEXT)").await;
    check("CREATE TABLE sandboard_store (anything TEXT)").await;
    check("CREATE TABLE sandboard_store (kind TEXT, version BIGINT)").await;
    check("CREATE TABLE sandboard_store AS SELECT 'other' AS kind, 1::bigint AS version").await;
    check("CREATE TABLE sandboard_store AS SELECT 'test' AS kind, 0::bigint AS version").await;
    check("CREATE TABLE sandboard_store AS SELECT 1 AS kind, 'a' AS version").await;
    // In a schema of its own a store can share a database with other tables.
    let url = new_database();
    run(&url, "CREATE TABLE customers (name TEXT); CREATE SCHEMA apart").await;
    let apart = format!("{}?options=-c%20search_path%3Dapart", url.with_password());
    let apart = Url::parse(&apart).unwrap();
    assert_eq!(rows(&Database::open(&apart, &SCHEMA).await.unwrap()).await, [5]);
    assert_eq!(rows(&Database::open_to_read(&apart, &SCHEMA).await.unwrap()).await, [5]);
    // An empty database cannot be opened for reading.
    let url = new_database();
    let refused = Database::open_to_read(&url, &SCHEMA).await.map(drop).unwrap_err().to_string();
    assert_eq!(refused, format!("{url} is a database, but not a store of this test"));
}

#[tokio::test]
async fn errors_give_cause_and_advice() {
    let good = new_database().to_string();
    let (server, name) = good.rsplit_once('/').unwrap();
    let (_, dir) = server.split_once('@').unwrap();
    let check = async |text: String, expected: &[&str]| {
        let refused = Database::open(&url(&text), &SCHEMA).await.map(drop).unwrap_err();
        let texts = format!("{refused} {refused:?}");
        assert!(expected.iter().all(|part| texts.contains(part)), "{text}: {texts}");
        assert!(!texts.contains("secret") && !texts.contains(PASSWORD), "{texts}");
    };
    check(format!("{server}/nowhere"), &["\"nowhere\" does not exist", "createdb nowhere"]).await;
    let wrong = format!("postgres://{PASSWORD_USER}:secret@{dir}/{name}");
    check(wrong, &["password authentication failed", "check the user and the password"]).await;
    // The user can connect, but not create tables.
    let right = format!("postgres://{PASSWORD_USER}:{PASSWORD}@{dir}/{name}");
    check(right, &["permission denied", "lacks the privilege"]).await;
    check(format!("postgres://u:secret@{dir}nowhere/a"), &["is the server running"]).await;
    // Nothing listens on port 1.
    check(
        "postgres://u:secret@127.0.0.1:1/a".into(),
        &["onnection refused", "is the server running"],
    )
    .await;
    check("postgres://u:secret@h/a?port=x".into(), &["not the URL of a database"]).await;
}

#[test]
fn the_password_of_the_environment_is_for_one_host() {
    let check = |text: &str, password_host: Option<&str>, expected: Result<(), &str>| {
        let url = Url::parse_from_folder(text).unwrap();
        let options = PgConnectOptions::from_str(url.with_password()).unwrap();
        let checked = super::check_password_host(&url, &options, password_host);
        match (checked, expected) {
            (Ok(()), Ok(())) => (),
            (Err(StoreError::Open { reason, .. }), Err(part)) => {
                assert!(reason.contains(part), "{text}: {reason}");
            }
            (checked, _) => panic!("{text}: {checked:?}"),
        }
    };
    check("postgres://u@db.club/c", Some("db.club"), Ok(()));
    check("postgres://u@%2Frun%2Fsql/c", Some("/run/sql"), Ok(()));
    check("postgres://u@db.club/c", None, Err("PGHOST is `db.club`"));
    check("postgres://u@evil/c", Some("db.club"), Err("PGHOST is `evil`"));
    // Parameters override the host before the path.
    check("postgres://u@db.club/c?host=evil", Some("db.club"), Err("PGHOST is `evil`"));
    check("postgres://u@db.club/c?hostaddr=6.6.6.6", Some("db.club"), Err("PGHOST is `6.6.6.6`"));
    check("postgres://u@%2Ftmp%2Fevil/c", Some("/run/sql"), Err("PGHOST is `/tmp/evil`"));
}
