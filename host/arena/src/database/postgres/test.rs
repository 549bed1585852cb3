//! Databases for tests, on the one PostgreSQL server that a test process starts.

use crate::database::Url;

/// Creates an empty database and returns its URL.
///
/// # Panics
///
/// If PostgreSQL is not installed or cannot be started.
pub fn new_database() -> Url {
    let url = sandboard_builder::postgres::create_database().expect("PostgreSQL starts");
    Url::parse(&url).expect("the URL of the test server is valid")
}
