//! Arenas that workers play, over a real broker: as they would be played by one machine, whoever is killed meanwhile, and
//! whoever lies.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy};
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt;
use sandboard_forge::nats::{Broker, PASSWORD, USER};
use sandboard_host::arena::Slot;
use sandboard_host::arena::store::Packed;
use sandboard_host::loader::{Loader, Native};
use sandboard_host::queue::blobs::{BlobStore, Folder};
use sandboard_host::queue::hand::Hand;
use sandboard_host::queue::message::{Done, Outcome, Presence, Task, VERSION, kind_of_host};
use sandboard_host::queue::nats::ACK_WAIT;
use sandboard_tests::{built, root, workers};
use serde_json::{Value, json};

use super::Home;

const MATCH: &str = "match random-mover random-mover --pairs 30 --seed 2 --budget fuel:1e6/move";
/// Games of some seconds, so that one can be killed in the middle of one.
const SLOW: &str = "match gomoku-simple gomoku-simple --pairs 2 --seed 2 --budget fuel:1e8/move \
                    --variant freestyle-9 --plies-max 40";

/// A worker that is ended with the test.
struct Worker(Child);

impl Worker {
    fn start(home: &Home, broker: &Broker, name: &str) -> Self {
        let mut command = Command::new(sandboard_tests::binary());
        command.env("SANDBOARD_HOME", home.path(name)).env_remove("RUST_LOG");
        command.args(["worker", "--concurrency", "1", "--name", name, "--nats", &broker.url()]);
        Self(command.stderr(Stdio::piped()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// What it says at its end, and its exit code.
    fn end(&mut self) -> (String, Option<i32>) {
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (said, self.0.wait().unwrap().code())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

async fn connected(broker: &Broker) -> Client {
    let options = ConnectOptions::with_user_and_password(USER.into(), PASSWORD.into());
    options.connect(broker.url_for("nobody").replace("nobody@", "")).await.unwrap()
}

/// Waits until a worker tells of itself what is wanted.
fn until(broker: &Broker, wanted: impl Fn(&Presence) -> bool) {
    runtime().block_on(async {
        let mut told = connected(broker).await.subscribe("sandboard.workers").await.unwrap();
        while let Some(message) = told.next().await {
            if wanted(&serde_json::from_slice(&message.payload).unwrap()) {
                return;
            }
        }
        panic!("the broker is gone");
    });
}

#[test]
fn workers_play_what_one_machine_plays() {
    let home = Home::new();
    let broker = Broker::start().unwrap();
    let _workers = ["a", "b"].map(|name| Worker::start(&home, &broker, name));
    let url = broker.url();
    for (number, words) in [
        MATCH,
        "swiss random-mover random-mover gomoku-simple random-mover --rounds 3 --seed 5 --budget fuel:1e6/move",
        "match random-mover faulty:fault=panic:at=2 --pairs 3 --seed 1 --budget fuel:1e7/move",
    ]
    .into_iter()
    .enumerate()
    {
        let alone = home.play(&format!("{words} --dir alone{number}"));
        let shared =
            home.play(&format!("{words} --dir shared{number} --replays 50 --nats {url}"));
        assert_eq!(shared, alone, "{words}");
        let (one, other) = (format!("alone{number}"), format!("shared{number}"));
        assert_eq!(home.games(&other), home.games(&one));
        let moves = |dir: &str| {
            let record = home.record(dir, "pair-000002-1");
            let plies = record["plies"].as_array().unwrap();
            plies.iter().map(|ply| ply["move"].clone()).collect::<Value>()
        };
        assert_eq!(moves(&other), moves(&one));
    }
}

#[test]
fn a_killed_worker_and_a_broker_that_begins_again_change_nothing() {
    let home = Home::new();
    let mut broker = Broker::start().unwrap();
    let alone = home.play(&format!("{SLOW} --dir alone"));
    let mut first = Worker::start(&home, &broker, "first");
    let words = format!("{SLOW} --dir shared --json --nats {}", broker.url());
    let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let arena = arena.unwrap();
    until(&broker, |it| it.games.iter().any(|(_, game)| game.moves.len() > 3));
    first.kill();
    let _second = Worker::start(&home, &broker, "second");
    until(&broker, |it| it.worker == "second" && !it.games.is_empty());
    broker.kill().unwrap();
    broker.begin().unwrap();
    let output = arena.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("is away") && errors.contains("is back"), "{errors}");
    assert!(!errors.contains(PASSWORD), "{errors}");
    let told = String::from_utf8(output.stdout).unwrap();
    let mut last: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!(super::same(last["view"].take()), alone);
    assert_eq!(home.games("shared"), home.games("alone"));
}

#[test]
fn a_killed_arena_goes_on_with_what_lies_at_the_broker_or_without() {
    let home = Home::new();
    let mut broker = Broker::start().unwrap();
    let alone = home.play(&format!("{MATCH} --dir alone"));
    let _worker = Worker::start(&home, &broker, "a");
    let url = broker.url();
    let mut words = format!("{MATCH} --dir shared --json --nats {url}");
    for empties in [false, true] {
        let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut arena = arena.unwrap();
        let told = BufReader::new(arena.stdout.take().unwrap()).lines();
        assert_eq!(told.take(5).filter(Result::is_ok).count(), 5);
        arena.kill().unwrap();
        arena.wait().unwrap();
        if empties {
            broker.kill().unwrap();
            broker.empty().unwrap();
            broker.begin().unwrap();
        }
        words = format!("--resume shared --json --nats {url}");
    }
    assert_eq!(home.play(&format!("--resume shared --nats {url}")), alone);
    assert_eq!(home.games("shared"), home.games("alone"));
}

/// A worker that plays as others do, and writes another record.
struct Liar {
    hand: Hand,
    files: Folder,
    forge: fn(&mut Value),
}

impl Liar {
    fn new(home: &Home, forge: fn(&mut Value)) -> Self {
        let files = Folder::new(home.path("liar"));
        files.put(&std::fs::read(built("random-mover.wasm")).unwrap()).unwrap();
        let loader = |_| Ok(Loader::new(Native::Refuse, workers().clone()));
        Self { hand: Hand::new(files.clone(), Box::new(loader)), files, forge }
    }

    fn played(&self, task: &Task, forged: bool) -> Packed {
        let record = self.hand.play(task, &self.files, &Slot::default()).unwrap();
        if !forged {
            return record;
        }
        let mut record: Value = serde_json::from_slice(&record.unpack().unwrap()).unwrap();
        (self.forge)(&mut record);
        Packed::of(&serde_json::to_vec(&record).unwrap())
    }

    /// Plays until it is told that nothing of it counts; why. The first of its games is an honest one.
    async fn play(&self, client: Client) -> String {
        let mut dismissed = client.subscribe("sandboard.dismissed.liar").await.unwrap();
        let broker = jetstream::new(client.clone());
        let kind = kind_of_host();
        let stream = Config {
            name: "SANDBOARD_JOBS".into(),
            subjects: vec!["sandboard.jobs.>".into()],
            retention: RetentionPolicy::WorkQueue,
            ..Config::default()
        };
        let consumer = pull::Config {
            durable_name: Some(format!("workers-{kind}")),
            filter_subject: format!("sandboard.jobs.{kind}.*"),
            ack_wait: ACK_WAIT,
            max_ack_pending: 100_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        // As workers and arenas make them.
        let stream = broker.get_or_create_stream(stream).await.unwrap();
        let consumer: PullConsumer = stream.create_consumer(consumer).await.unwrap();
        let mut games = 0;
        loop {
            let presence = Presence {
                version: VERSION,
                worker: "liar".into(),
                kind: kind_of_host(),
                host: "0".into(),
                slots: 1,
                games: Vec::new(),
            };
            let presence = serde_json::to_vec(&presence).unwrap();
            client.publish("sandboard.workers", presence.into()).await.unwrap();
            let told = tokio::time::timeout(Duration::from_millis(1), dismissed.next()).await;
            if let Ok(Some(told)) = told {
                let told: Value = serde_json::from_slice(&told.payload).unwrap();
                return told["reason"].as_str().unwrap().to_owned();
            }
            let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(200));
            let Some(message) = batch.messages().await.unwrap().next().await else { continue };
            let message = message.unwrap();
            let task = Task::decode(&message.payload).unwrap();
            if serde_json::to_value(&task.purpose).unwrap()["not_by"] == "liar" {
                message.ack_with(AckKind::Nak(None)).await.unwrap();
                continue;
            }
            let record = tokio::task::block_in_place(|| self.played(&task, games > 0));
            games += 1;
            let done = Done {
                version: VERSION,
                arena: task.arena.clone(),
                pair: task.pair.number,
                game: task.game,
                attempt: task.attempt,
                purpose: task.purpose.clone(),
                terms: task.terms.digest(),
                worker: "liar".into(),
                outcome: Outcome::Played,
            };
            let bytes = done.encode(Some(&record));
            let subject = format!("sandboard.results.{}", task.arena);
            broker.publish(subject, bytes.into()).await.unwrap().await.unwrap();
            message.ack().await.unwrap();
        }
    }
}

#[test]
fn who_writes_another_record_is_excluded_and_its_games_are_played_again() {
    let home = Home::new();
    let broker = Broker::start().unwrap();
    let alone = home.play(&format!("{MATCH} --dir alone"));
    let check = |dir: &str, replays: u32, forge: fn(&mut Value), expected: &str| {
        let words =
            format!("{MATCH} --dir {dir} --json --replays {replays} --nats {}", broker.url());
        let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let arena = arena.unwrap();
        let liar = Liar::new(&home, forge);
        let reason = runtime().block_on(async { liar.play(connected(&broker).await).await });
        assert!(reason.contains(expected), "{reason}");
        let _worker = Worker::start(&home, &broker, "honest");
        let output = arena.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.contains("worker liar is excluded"), "{errors}");
        let told = String::from_utf8(output.stdout).unwrap();
        let mut last: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        assert_eq!(super::same(last["view"].take()), alone, "{expected}");
        assert_eq!(home.games(dir), home.games("alone"), "{expected}");
    };
    // What only another game can show.
    check("fuel", 100, |it| it["plies"][0]["spent"]["fuel"] = json!(1), "fuel");
    // What shows at once, after a game that counted.
    check("seed", 0, |it| it["seed"] = json!(5), "its seed or its settings are others");
    check("host", 0, |it| it["host"] = json!("9.9.9"), "another host wrote it");
    check("move", 0, |it| it["plies"][1]["move"] = it["plies"][0]["move"].clone(), "is not one of");
}

#[test]
fn a_worker_that_is_dismissed_says_why_and_ends() {
    let home = Home::new();
    let broker = Broker::start().unwrap();
    let mut worker = Worker::start(&home, &broker, "a");
    until(&broker, |it| it.worker == "a");
    runtime().block_on(async {
        let client = connected(&broker).await;
        let told = json!({"version": VERSION, "arena": "0123", "reason": "it lies"}).to_string();
        client.publish("sandboard.dismissed.a", told.into()).await.unwrap();
        client.flush().await.unwrap();
    });
    let (said, code) = worker.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the arena 0123 has dismissed this worker") && said.contains("it lies"));
    assert!(!said.contains(PASSWORD), "{said}");
}

#[test]
fn what_is_no_broker_is_named_and_no_password() {
    let home = Home::new();
    let mut broker = Broker::start().unwrap();
    let words = format!("{MATCH} --dir m --nats");
    let check = |url: &str, code: i32, expected: &str| {
        let errors = home.fail(&format!("{words} {url}"), code);
        assert!(errors.contains(expected), "{url}: {errors}");
        assert!(!errors.contains(PASSWORD), "{errors}");
    };
    let secret = format!("u:{PASSWORD}");
    check(&broker.url_for(&secret).replace("nats://", "http://"), 2, "--nats");
    check(&broker.url_for(&secret), 1, "cannot reach the broker nats://u@127.0.0.1");
    broker.kill().unwrap();
    home.fail(&format!("--resume m --nats {}", broker.url()), 1);
    let errors = home.fail(&format!("{words} {} --concurrency 2", broker.url()), 2);
    assert!(errors.contains("--concurrency"), "{errors}");
    assert!(root().is_dir());
}
