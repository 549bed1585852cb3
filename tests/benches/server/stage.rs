//! The run: opens rooms, joins players and spectators, plays at a set rate, then as fast as
//! possible.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::person::{self, Run};
use crate::processes::descriptors;
use crate::served::Served;
use crate::table::{Bar, Table};
use crate::tally::{Phase, Tally, share};
use crate::{descriptors as limit, http, parts, progress, script, socket};

/// Linux's clock ticks per second.
const TICKS: f64 = 100.0;
/// Number of connections that join concurrently.
const AT_ONCE: usize = 50;
const WARM_UP: Duration = Duration::from_secs(2);

/// Settings of the command line.
struct Size {
    rooms: usize,
    /// Spectators per room.
    spectators: usize,
    /// Moves per second in all rooms together.
    rate: usize,
    seconds: u64,
}

/// A room and its two tickets.
struct Room {
    id: String,
    tickets: Vec<String>,
}

pub(crate) fn measure(table: &mut Table) {
    let number = |name, usual| {
        let text = parts::setting(name, usual);
        text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number"))
    };
    let size = Size {
        rooms: number("rooms", "1000"),
        spectators: number("spectators", "2"),
        rate: number("rate", "500"),
        seconds: number("seconds", "20") as u64,
    };
    let sockets = size.rooms * (2 + size.spectators);
    limit::raise(sockets as u64 + 1000);
    let served = Served::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(run(table, &size, &served));
}

async fn run(table: &mut Table, size: &Size, served: &Served) {
    let script = script::moves();
    let run = Arc::new(Run {
        tally: Tally::new(size.rooms, script.len()),
        permissions: (0..size.rooms).map(|_| Semaphore::new(0)).collect(),
        script,
    });
    // One-time allocations of the first room do not count for the others.
    open(served.address, 0).await;
    let empty = served.memory_bytes();
    let rooms = open_all(size, served).await;
    let waiting = served.memory_bytes();
    let mut people = JoinSet::new();
    let began = Instant::now();
    join_all(&run, size, served, &rooms, &mut people).await;
    let joined = began.elapsed().as_secs_f64();
    let sockets = size.rooms * (2 + size.spectators);
    table.add(format!("{sockets} sockets joined"), sockets as f64 / joined, "per s", None);

    pace(&run, size, WARM_UP).await;
    run.tally.begin(Phase::Paced);
    let ticks = served.cpu_ticks();
    let began = Instant::now();
    pace(&run, size, Duration::from_secs(size.seconds)).await;
    let took = began.elapsed().as_secs_f64();
    let busy = (served.cpu_ticks() - ticks) as f64 / TICKS / took;
    let playing = served.memory_bytes();
    add_memory(table, size, [empty, waiting, playing]);
    table.add("threads of the server", served.threads() as f64, "", None);
    let at_pace = |what: &str| format!("{what} at {} moves/s", size.rate);
    let latencies = run.tally.latencies(Phase::Paced);
    let made = latencies.len() as f64 / size.spectators.max(1) as f64;
    table.add("moves seen at the set pace", made / took, "per s", None);
    table.add(at_pace("move to spectator, median"), share(&latencies, 0.5), "ms", None);
    let bar = Some(Bar::AtMost(100.0));
    table.add(at_pace("move to spectator, 99 of 100"), share(&latencies, 0.99), "ms", bar);
    table.add(at_pace("move to spectator, slowest"), share(&latencies, 1.0), "ms", None);
    table.add(at_pace("processors busy with the server"), busy, "", None);

    run.tally.begin(Phase::Free);
    let began = Instant::now();
    run.permissions.iter().for_each(|permissions| permissions.add_permits(run.script.len()));
    // Until the time is up or all games are over.
    let end = async { while people.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(Duration::from_secs(size.seconds / 2), end).await;
    let latencies = run.tally.latencies(Phase::Free);
    let moves = latencies.len() as f64 / size.spectators.max(1) as f64;
    table.add("moves as fast as possible", moves / began.elapsed().as_secs_f64(), "per s", None);
    table.add("  move to spectator then, 99 of 100", share(&latencies, 0.99), "ms", None);

    let (wrong, first) = run.tally.errors();
    table.add("refusals, errors and lost connections", wrong as f64, "", Some(Bar::AtMost(0.0)));
    if let Some(first) = first {
        println!("first error: {first}");
    }
    println!("descriptors here: {}", descriptors(std::process::id()));
    people.shutdown().await;
}

fn add_memory(table: &mut Table, size: &Size, [empty, waiting, playing]: [u64; 3]) {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let each = |bytes: u64| bytes.saturating_sub(empty) as f64 / 1000.0 / size.rooms as f64;
    table.add("memory of the server without rooms", mib(empty), "MiB", None);
    table.add(format!("  with {} unconnected rooms", size.rooms), mib(waiting), "MiB", None);
    table.add("  with all players and spectators, playing", mib(playing), "MiB", None);
    table.add("memory of an unconnected room", each(waiting), "kB", None);
    let what = format!("memory of a room with 2 players and {} spectators", size.spectators);
    table.add(what, each(playing), "kB", Some(Bar::AtMost(100.0)));
}

async fn open_all(size: &Size, served: &Served) -> Vec<Room> {
    let bar = progress::bar("rooms", size.rooms as u64);
    let mut rooms = Vec::new();
    for number in 0..size.rooms {
        rooms.push(open(served.address, number).await);
        bar.inc(1);
    }
    bar.finish_and_clear();
    rooms
}

async fn open(server: SocketAddr, number: usize) -> Room {
    let player = |seat: usize, name: &str| {
        json!({
            "name": format!("{name} {number}"), "seats": [seat], "budget": "none",
            "person": {}, "engine": null,
        })
    };
    let room = json!({
        "game": "gomoku", "variant": "freestyle-19",
        "players": [player(0, "Black"), player(1, "White")],
    });
    let answer = http::post(server, number, "/api/v1/rooms", &room).await;
    let answer = answer.unwrap_or_else(|error| panic!("no room {number}: {error}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut tickets: Vec<&Value> = answer["tickets"].as_array().into_iter().flatten().collect();
    tickets.sort_by_key(|ticket| ticket["player"].as_u64());
    Room {
        id: text(&answer["room"]),
        tickets: tickets.iter().map(|ticket| text(&ticket["ticket"])).collect(),
    }
}

async fn join_all(
    run: &Arc<Run>,
    size: &Size,
    served: &Served,
    rooms: &[Room],
    people: &mut JoinSet<()>,
) {
    let each = 2 + size.spectators;
    let bar = progress::bar("people", (rooms.len() * each) as u64);
    let places: Vec<(usize, usize)> =
        (0..rooms.len()).flat_map(|room| (0..each).map(move |place| (room, place))).collect();
    for some in places.chunks(AT_ONCE) {
        let joining = some.iter().map(|&(room, place)| {
            let ticket = rooms[room].tickets.get(place).map(String::as_str);
            let from = room * each + place;
            socket::join(served.address, from, &rooms[room].id, ticket)
        });
        let joined = futures_util::future::join_all(joining).await;
        for (&(room, place), sides) in some.iter().zip(joined) {
            bar.inc(1);
            match sides {
                Ok((sink, source)) if place < 2 => {
                    people.spawn(person::plays(run.clone(), room, place, sink, source));
                }
                Ok((sink, source)) => {
                    people.spawn(person::watches(run.clone(), room, sink, source));
                }
                Err(error) => run.tally.wrong(error),
            }
        }
    }
    bar.finish_and_clear();
}

/// Permits moves at this rate, evenly, one room after another.
async fn pace(run: &Run, size: &Size, time: Duration) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / size.rate.max(1) as u32);
    let all = size.rate * time.as_secs() as usize;
    for turn in 0..all {
        ticks.tick().await;
        run.permissions[turn % size.rooms].add_permits(1);
    }
}
