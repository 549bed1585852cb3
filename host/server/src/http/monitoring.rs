//! Routes for programs that watch the server: health, and metrics for Prometheus.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use axum::extract;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Admitted;
use super::session::memory_bytes;
use crate::App;
use crate::hub::STATUS_CLASSES;
use crate::wire::State;

/// The media type of the text format of Prometheus, version 0.0.4.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The states of rooms with their words in the metrics.
const ROOM_STATES: [(&str, State); 4] = [
    ("waiting", State::Waiting),
    ("playing", State::Playing),
    ("paused", State::Paused),
    ("over", State::Over),
];

/// Handles `GET /healthz`: 200 while the server can store changes, otherwise 503.
pub(crate) async fn healthz(extract::State(app): extract::State<Arc<App>>) -> Response {
    match app.hub.counts.store_fails.load(Ordering::Relaxed) {
        false => (StatusCode::OK, "ok\n").into_response(),
        true => (StatusCode::SERVICE_UNAVAILABLE, "the store cannot be written\n").into_response(),
    }
}

/// Handles `GET /metrics`.
pub(crate) async fn metrics(
    _: Admitted,
    extract::State(app): extract::State<Arc<App>>,
) -> Response {
    ([(header::CONTENT_TYPE, METRICS_TYPE)], metrics_text(&app)).into_response()
}

/// A metric without labels.
fn metric(text: &mut String, name: &str, kind: &str, about: &str, value: impl std::fmt::Display) {
    head(text, name, kind, about);
    // Writing to a string never fails.
    let _ = writeln!(text, "sandboard_{name} {value}");
}

fn head(text: &mut String, name: &str, kind: &str, about: &str) {
    let _ = writeln!(text, "# HELP sandboard_{name} {about}\n# TYPE sandboard_{name} {kind}");
}

fn metrics_text(app: &App) -> String {
    let (hub, counts) = (&app.hub, &app.hub.counts);
    let load = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let mut text = String::new();
    let started = hub.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let since = "When the server started, in seconds since 1970.";
    metric(&mut text, "start_time_seconds", "gauge", since, started.as_secs());
    let sockets = "Open sockets of rooms and of the lobby.";
    metric(&mut text, "sockets", "gauge", sockets, load(&counts.connections));
    metric(&mut text, "moves_total", "counter", "Moves played in rooms.", load(&counts.moves));
    let fails = "1 while the store cannot be written, otherwise 0.";
    let store_fails = u8::from(counts.store_fails.load(Ordering::Relaxed));
    metric(&mut text, "store_fails", "gauge", fails, store_fails);
    if let Some(bytes) = memory_bytes() {
        let about = "Resident memory of the server's process.";
        metric(&mut text, "resident_memory_bytes", "gauge", about, bytes);
    }
    let states: Vec<State> = hub.rooms().iter().map(|room| room.state()).collect();
    head(&mut text, "rooms", "gauge", "Rooms by their state.");
    for (word, state) in ROOM_STATES {
        let rooms = states.iter().filter(|it| **it == state).count();
        let _ = writeln!(text, "sandboard_rooms{{state=\"{word}\"}} {rooms}");
    }
    head(&mut text, "requests_total", "counter", "Requests by the class of their status.");
    for (class, count) in STATUS_CLASSES.iter().zip(&counts.requests) {
        let _ = writeln!(text, "sandboard_requests_total{{status=\"{class}\"}} {}", load(count));
    }
    let about = "Time from the head of a request to the head of its response, in seconds.";
    head(&mut text, "request_seconds", "summary", about);
    let (seconds, requests) =
        (load(&counts.request_us) as f64 / 1e6, counts.requests.iter().map(load).sum::<u64>());
    let _ = writeln!(text, "sandboard_request_seconds_sum {seconds}");
    let _ = writeln!(text, "sandboard_request_seconds_count {requests}");
    text
}
