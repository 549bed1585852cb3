//! Databases of the one server that this process starts, opened rightly and wrongly.

use sandboard_forge::postgres::{GUARDED, PASSWORD};

use super::*;

const SCHEMA: Schema = Schema {
    what: "a store of this test",
    kind: "test",
    migrations: &["CREATE TABLE a (b BIGINT)", "INSERT INTO a VALUES (5)"],
    durable: true,
    connections: 2,
    patience: PATIENCE,
};

/// A new database.
pub fn new_database() -> Url {
    url(&sandboard_forge::postgres::database().unwrap())
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

async fn run(url: &Url, sql: &'static str) {
    let mut connection = PgConnection::connect(url.with_password()).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
}

/// What is in the table that the steps make.
async fn rows(database: &Database) -> Vec<i64> {
    sqlx::query_scalar("SELECT b FROM a").fetch_all(&database.pool).await.unwrap()
}

#[tokio::test]
async fn of_many_who_open_an_empty_database_one_prepares_it() {
    let url = new_database();
    let opened = (0..8).map(|_| Database::open(&url, &SCHEMA));
    for database in futures_util::future::join_all(opened).await {
        assert_eq!(rows(&database.unwrap()).await, [5]);
    }
}

#[tokio::test]
async fn a_database_of_an_earlier_host_is_brought_up() {
    let url = new_database();
    let earlier = Schema { migrations: &SCHEMA.migrations[..1], ..SCHEMA };
    assert_eq!(rows(&Database::open(&url, &earlier).await.unwrap()).await, [0_i64; 0]);
    let refused = Database::open_to_read(&url, &SCHEMA).await.map(drop).unwrap_err().to_string();
    assert!(refused.ends_with("is of version 1, and this host writes version 2"), "{refused}");
    assert_eq!(rows(&Database::open(&url, &SCHEMA).await.unwrap()).await, [5]);
    for database in
        [Database::open(&url, &SCHEMA).await, Database::open_to_read(&url, &SCHEMA).await]
    {
        assert_eq!(rows(&database.unwrap()).await, [5]);
    }
    let refused = Database::open(&url, &earlier).await.map(drop).unwrap_err();
    let place = url.to_string();
    assert_eq!(refused, StoreError::Version { place, found: 2, known: 1 });
}

#[tokio::test]
async fn a_step_that_fails_leaves_nothing() {
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
async fn databases_of_something_else_are_refused() {
    let check = async |sql: &'static str| {
        let url = new_database();
        run(&url, sql).await;
        let foreign = StoreError::Foreign { place: url.to_string(), what: SCHEMA.what };
        assert_eq!(Database::open(&url, &SCHEMA).await.map(drop), Err(foreign.clone()), "{sql}");
        assert_eq!(Database::open_to_read(&url, &SCHEMA).await.map(drop), Err(foreign), "{sql}");
    };
    check("CREATE TABLE customers (name TEXT)").await;
    check("CREATE TABLE sandboard_store (anything TEXT)").await;
    check("CREATE TABLE sandboard_store (kind TEXT, version BIGINT)").await;
    check("CREATE TABLE sandboard_store AS SELECT 'other' AS kind, 1::bigint AS version").await;
    check("CREATE TABLE sandboard_store AS SELECT 'test' AS kind, 0::bigint AS version").await;
    check("CREATE TABLE sandboard_store AS SELECT 1 AS kind, 'a' AS version").await;
    // In a schema of its own it is beside others, and nobody is in its way.
    let url = new_database();
    run(&url, "CREATE TABLE customers (name TEXT); CREATE SCHEMA apart").await;
    let apart = format!("{}?options=-c%20search_path%3Dapart", url.with_password());
    let apart = Url::parse(&apart).unwrap();
    assert_eq!(rows(&Database::open(&apart, &SCHEMA).await.unwrap()).await, [5]);
    assert_eq!(rows(&Database::open_to_read(&apart, &SCHEMA).await.unwrap()).await, [5]);
    // To read from it, there must be something in it.
    let url = new_database();
    let refused = Database::open_to_read(&url, &SCHEMA).await.map(drop).unwrap_err().to_string();
    assert_eq!(refused, format!("{url} is a database, but not a store of this test"));
}

#[tokio::test]
async fn what_is_wrong_is_said_and_what_to_do() {
    let good = new_database().to_string();
    let (server, name) = good.rsplit_once('/').unwrap();
    let (_, dir) = server.split_once('@').unwrap();
    let check = async |text: String, expected: &[&str]| {
        let refused = Database::open(&url(&text), &SCHEMA).await.map(drop).unwrap_err();
        let told = format!("{refused} {refused:?}");
        assert!(expected.iter().all(|part| told.contains(part)), "{text}: {told}");
        assert!(!told.contains("secret") && !told.contains(PASSWORD), "{told}");
    };
    check(format!("{server}/nowhere"), &["\"nowhere\" does not exist", "createdb nowhere"]).await;
    let wrong = format!("postgres://{GUARDED}:secret@{dir}/{name}");
    check(wrong, &["password authentication failed", "look at the user and at the password"]).await;
    // It may come in, and may make no table.
    let right = format!("postgres://{GUARDED}:{PASSWORD}@{dir}/{name}");
    check(right, &["permission denied", "needs the right"]).await;
    check(format!("postgres://u:secret@{dir}nowhere/a"), &["is the server running"]).await;
    // Nobody listens where the system gives out no ports.
    check(
        "postgres://u:secret@127.0.0.1:1/a".into(),
        &["onnection refused", "is the server running"],
    )
    .await;
    check("postgres://u:secret@h/a?port=x".into(), &["no URL of a database"]).await;
}
