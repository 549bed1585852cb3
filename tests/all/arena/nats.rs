//! Arenas played by remote workers over a real NATS broker. Results must equal those of one
//! machine, despite killed workers, arenas and brokers and despite forged records.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy};
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt;
use sandboard_arena::LiveSlot;
use sandboard_arena::store::PackedRecord;
use sandboard_builder::nats::{Broker, PASSWORD, USER};
use sandboard_cluster::blobs::{BlobFolder, BlobStore};
use sandboard_cluster::job_executor::JobExecutor;
use sandboard_cluster::message::{Outcome, Presence, Task, TaskResult, VERSION, host_kind};
use sandboard_cluster::nats::ACK_WAIT;
use sandboard_packs::loader::{Loader, NativePolicy};
use sandboard_tests::{built, engine_processes, root};
use serde_json::{Value, json};

use super::TestHome;

const MATCH: &str = "match random-mover random-mover --pairs 30 --seed 2 --budget fuel:1e6/move";
/// A match with games of several seconds, so that a worker can be killed during a game.
const SLOW: &str = "match gomoku-simple gomoku-simple --pairs 2 --seed 2 --budget fuel:1e8/move \
                    --variant freestyle-9 --plies-max 40";

/// A remote worker process that is killed at the end of the test.
struct RemoteWorker(Child);

impl RemoteWorker {
    fn start(home: &TestHome, broker: &Broker, name: &str) -> Self {
        let mut command = Command::new(sandboard_tests::binary());
        command.env("SANDBOARD_HOME", home.path(name)).env_remove("RUST_LOG");
        command.args(["worker", "--concurrency", "1", "--name", name, "--nats", &broker.url()]);
        Self(command.stderr(Stdio::piped()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for the exit; standard error and exit code.
    fn wait(&mut self) -> (String, Option<i32>) {
        let mut errors_text = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut errors_text).unwrap();
        (errors_text, self.0.wait().unwrap().code())
    }
}

impl Drop for RemoteWorker {
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
    options.connect(broker.url_for("user").replace("user@", "")).await.unwrap()
}

/// Waits until a worker publishes a presence message for which `wanted` is true.
fn until(broker: &Broker, wanted: impl Fn(&Presence) -> bool) {
    runtime().block_on(async {
        let mut messages = connected(broker).await.subscribe("sandboard.workers").await.unwrap();
        while let Some(message) = messages.next().await {
            if wanted(&serde_json::from_slice(&message.payload).unwrap()) {
                return;
            }
        }
        panic!("the broker closed the subscription");
    });
}

#[test]
fn remote_workers_play_the_same_games_as_one_machine() {
    let home = TestHome::new();
    let broker = Broker::start().unwrap();
    let _workers = ["a", "b"].map(|name| RemoteWorker::start(&home, &broker, name));
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
fn a_killed_worker_and_a_restarted_broker_do_not_change_the_result() {
    let home = TestHome::new();
    let mut broker = Broker::start().unwrap();
    let alone = home.play(&format!("{SLOW} --dir alone"));
    let mut first = RemoteWorker::start(&home, &broker, "first");
    let words = format!("{SLOW} --dir shared --json --nats {}", broker.url());
    let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let arena = arena.unwrap();
    until(&broker, |it| it.games.iter().any(|(_, game)| game.moves.len() > 3));
    first.kill();
    let _second = RemoteWorker::start(&home, &broker, "second");
    until(&broker, |it| it.worker == "second" && !it.games.is_empty());
    broker.kill().unwrap();
    broker.restart().unwrap();
    let output = arena.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("lost the connection to the broker"), "{errors}");
    assert!(errors.contains(" again, after "), "{errors}");
    assert!(!errors.contains(PASSWORD), "{errors}");
    let output_text = String::from_utf8(output.stdout).unwrap();
    let mut last: Value = serde_json::from_str(output_text.lines().last().unwrap()).unwrap();
    assert_eq!(super::without_run_details(last["view"].take()), alone);
    assert_eq!(home.games("shared"), home.games("alone"));
}

#[test]
fn a_killed_arena_resumes_with_or_without_the_broker_store() {
    let home = TestHome::new();
    let mut broker = Broker::start().unwrap();
    let alone = home.play(&format!("{MATCH} --dir alone"));
    let _worker = RemoteWorker::start(&home, &broker, "a");
    let url = broker.url();
    let mut words = format!("{MATCH} --dir shared --json --nats {url}");
    for empties in [false, true] {
        let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut arena = arena.unwrap();
        let lines = BufReader::new(arena.stdout.take().unwrap()).lines();
        assert_eq!(lines.take(5).filter(Result::is_ok).count(), 5);
        arena.kill().unwrap();
        arena.wait().unwrap();
        if empties {
            broker.kill().unwrap();
            broker.delete_store().unwrap();
            broker.restart().unwrap();
        }
        words = format!("--resume shared --json --nats {url}");
    }
    assert_eq!(home.play(&format!("--resume shared --nats {url}")), alone);
    assert_eq!(home.games("shared"), home.games("alone"));
}

/// A worker that plays honestly but publishes changed records.
struct ForgingWorker {
    executor: JobExecutor,
    files: BlobFolder,
    forge: fn(&mut Value),
}

impl ForgingWorker {
    fn new(home: &TestHome, forge: fn(&mut Value)) -> Self {
        let files = BlobFolder::new(home.path("liar"));
        files.put(&std::fs::read(built("random-mover.wasm")).unwrap()).unwrap();
        let loader = |_| Ok(Loader::new(NativePolicy::Refuse, engine_processes().clone()));
        Self { executor: JobExecutor::new(files.clone(), Box::new(loader)), files, forge }
    }

    fn play_job(&self, task: &Task, forged: bool) -> PackedRecord {
        let record = self.executor.play(task, &self.files, &LiveSlot::default()).unwrap();
        if !forged {
            return record;
        }
        let mut record: Value = serde_json::from_slice(&record.unpack().unwrap()).unwrap();
        (self.forge)(&mut record);
        PackedRecord::pack(&serde_json::to_vec(&record).unwrap())
    }

    /// Plays until the arena dismisses it; returns the reason. Its first game is honest.
    async fn play(&self, client: Client) -> String {
        let mut dismissed = client.subscribe("sandboard.dismissed.liar").await.unwrap();
        let broker = jetstream::new(client.clone());
        let kind = host_kind();
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
        // The same stream and consumer that workers and arenas create.
        let stream = broker.get_or_create_stream(stream).await.unwrap();
        let consumer: PullConsumer = stream.create_consumer(consumer).await.unwrap();
        let mut games = 0;
        loop {
            let presence = Presence {
                version: VERSION,
                worker: "liar".into(),
                kind: host_kind(),
                host: "0".into(),
                slots: 1,
                games: Vec::new(),
            };
            let presence = serde_json::to_vec(&presence).unwrap();
            client.publish("sandboard.workers", presence.into()).await.unwrap();
            let dismissal = tokio::time::timeout(Duration::from_millis(1), dismissed.next()).await;
            if let Ok(Some(dismissal)) = dismissal {
                let dismissal: Value = serde_json::from_slice(&dismissal.payload).unwrap();
                return dismissal["reason"].as_str().unwrap().to_owned();
            }
            let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(200));
            let Some(message) = batch.messages().await.unwrap().next().await else { continue };
            let message = message.unwrap();
            let task = Task::decode(&message.payload).unwrap();
            if serde_json::to_value(&task.purpose).unwrap()["not_by"] == "liar" {
                message.ack_with(AckKind::Nak(None)).await.unwrap();
                continue;
            }
            let record = tokio::task::block_in_place(|| self.play_job(&task, games > 0));
            games += 1;
            let done = TaskResult {
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
fn a_worker_with_forged_records_is_excluded_and_its_games_are_replayed() {
    let home = TestHome::new();
    let broker = Broker::start().unwrap();
    let alone = home.play(&format!("{MATCH} --dir alone"));
    let check = |dir: &str, replays: u32, forge: fn(&mut Value), expected: &str| {
        let words =
            format!("{MATCH} --dir {dir} --json --replays {replays} --nats {}", broker.url());
        let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let arena = arena.unwrap();
        let forging = ForgingWorker::new(&home, forge);
        let reason = runtime().block_on(async { forging.play(connected(&broker).await).await });
        assert!(reason.contains(expected), "{reason}");
        let _worker = RemoteWorker::start(&home, &broker, "honest");
        let output = arena.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.contains("worker liar is excluded"), "{errors}");
        let output_text = String::from_utf8(output.stdout).unwrap();
        let mut last: Value = serde_json::from_str(output_text.lines().last().unwrap()).unwrap();
        assert_eq!(super::without_run_details(last["view"].take()), alone, "{expected}");
        assert_eq!(home.games(dir), home.games("alone"), "{expected}");
    };
    // Found only by replaying the game on another worker.
    check("fuel", 100, |it| it["plies"][0]["spent"]["fuel"] = json!(1), "fuel");
    // Found in the record itself, after one counted game.
    check("seed", 0, |it| it["seed"] = json!(5), "it has another seed or other settings");
    check("host", 0, |it| it["host"] = json!("9.9.9"), "another version of the host wrote it");
    check(
        "move",
        0,
        |it| it["plies"][1]["move"] = it["plies"][0]["move"].clone(),
        "does not fit the game",
    );
}

#[test]
fn a_dismissed_worker_prints_the_reason_and_exits() {
    let home = TestHome::new();
    let broker = Broker::start().unwrap();
    let mut worker = RemoteWorker::start(&home, &broker, "a");
    until(&broker, |it| it.worker == "a");
    runtime().block_on(async {
        let client = connected(&broker).await;
        let dismissal =
            json!({"version": VERSION, "arena": "0123", "reason": "it lies"}).to_string();
        client.publish("sandboard.dismissed.a", dismissal.into()).await.unwrap();
        client.flush().await.unwrap();
    });
    let (errors_text, code) = worker.wait();
    assert_eq!(code, Some(1), "{errors_text}");
    assert!(
        errors_text.contains("the arena 0123 has excluded this worker")
            && errors_text.contains("it lies")
    );
    assert!(!errors_text.contains(PASSWORD), "{errors_text}");
}

#[test]
fn broker_errors_name_the_broker_and_hide_the_password() {
    let home = TestHome::new();
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
