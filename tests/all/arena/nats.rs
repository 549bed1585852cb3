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
use sandboard_cluster::keys::{PublicKey, SecretKey, SignedKind, open_envelope};
use sandboard_cluster::message::{
    Dismissal, Outcome, Presence, Purpose, Task, TaskResult, VERSION, host_kind,
};
use sandboard_cluster::nats::ACK_WAIT;
use sandboard_packs::loader::{Loader, NativePolicy};
use sandboard_tests::{built, data_variables, engine_processes, root};
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
        let mut command = Self::command(home, name);
        command.args(["--concurrency", "1", "--name", name, "--nats", &broker.url()]);
        Self(command.stderr(Stdio::piped()).spawn().unwrap())
    }

    fn command(home: &TestHome, name: &str) -> Command {
        let mut command = Command::new(sandboard_tests::binary());
        command.envs(data_variables(home.path(name))).env_remove("RUST_LOG").arg("worker");
        command
    }

    /// The public key of the worker with this name.
    fn key(home: &TestHome, name: &str) -> PublicKey {
        let output = Self::command(home, name).arg("--show-key").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    }

    /// Waits for a line of standard error that contains this text.
    fn wait_for_line(&mut self, text: &str) {
        let mut lines = BufReader::new(self.0.stderr.as_mut().unwrap()).lines();
        let mut read = Vec::new();
        loop {
            let Some(line) = lines.next() else { panic!("no line with {text}: {read:?}") };
            read.push(line.unwrap());
            if read.last().unwrap().contains(text) {
                return;
            }
        }
    }

    /// Stops the worker by a signal; standard error that was not read, and exit code.
    fn stop(&mut self) -> (String, Option<i32>) {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.wait()
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
            let (_, body) = open_envelope(SignedKind::Presence, &message.payload).unwrap();
            if wanted(&Presence::decode(body).unwrap()) {
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

/// The consumer of games that all workers share.
async fn jobs(broker: &jetstream::Context) -> PullConsumer {
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
    stream.create_consumer(consumer).await.unwrap()
}

/// The next game at the broker, if there is one now.
async fn next_job(consumer: &PullConsumer) -> Option<(jetstream::Message, Task)> {
    let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(200));
    let message = batch.messages().await.unwrap().next().await?.unwrap();
    let (_, body) = open_envelope(SignedKind::Task, &message.payload).unwrap();
    let task = Task::decode(body).unwrap();
    Some((message, task))
}

/// The result of a task by a worker with this name.
fn result_of(task: &Task, worker: &str) -> TaskResult {
    TaskResult {
        version: VERSION,
        arena: task.arena.clone(),
        pair: task.pair.number,
        game: task.game,
        attempt: task.attempt,
        purpose: task.purpose.clone(),
        terms: task.terms.digest(),
        worker: worker.into(),
        outcome: Outcome::Played,
    }
}

/// A worker that plays honestly but publishes changed records.
struct ForgingWorker {
    executor: JobExecutor,
    files: BlobFolder,
    forge: fn(&mut Value),
    key: SecretKey,
}

impl ForgingWorker {
    fn new(home: &TestHome, forge: fn(&mut Value)) -> Self {
        let files = BlobFolder::new(home.path("liar"));
        files.put(&std::fs::read(built("random-mover.wasm")).unwrap()).unwrap();
        let loader = |_| Ok(Loader::new(NativePolicy::Refuse, engine_processes().clone()));
        let executor = JobExecutor::new(files.clone(), Box::new(loader));
        Self { executor, files, forge, key: SecretKey::generate().unwrap() }
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
        let own = self.key.public();
        let mut dismissed = client.subscribe(format!("sandboard.dismissed.{own}")).await.unwrap();
        let broker = jetstream::new(client.clone());
        let consumer = jobs(&broker).await;
        let (mut games, mut number) = (0, 0);
        loop {
            number += 1;
            let presence = Presence {
                version: VERSION,
                number,
                worker: "liar".into(),
                kind: host_kind(),
                host: "0".into(),
                slots: 1,
                games: Vec::new(),
            };
            let presence = serde_json::to_vec(&presence).unwrap();
            let presence = self.key.seal(SignedKind::Presence, &presence);
            client.publish("sandboard.workers", presence.into()).await.unwrap();
            let dismissal = tokio::time::timeout(Duration::from_millis(1), dismissed.next()).await;
            if let Ok(Some(dismissal)) = dismissal {
                let (_, body) = open_envelope(SignedKind::Dismissal, &dismissal.payload).unwrap();
                return Dismissal::decode(body).unwrap().reason;
            }
            let Some((message, task)) = next_job(&consumer).await else { continue };
            if matches!(task.purpose, Purpose::Replay { not_by } if not_by == own) {
                message.ack_with(AckKind::Nak(None)).await.unwrap();
                continue;
            }
            let record = tokio::task::block_in_place(|| self.play_job(&task, games > 0));
            games += 1;
            let bytes = result_of(&task, "liar").encode(Some(&record));
            let bytes = self.key.seal(SignedKind::Result, &bytes);
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
        assert!(
            output.status.success()
                && errors.contains("worker liar (key ")
                && errors.contains(" is excluded"),
            "{errors}"
        );
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
fn only_listed_workers_count_and_only_their_arena_dismisses_them() {
    let home = TestHome::new();
    let broker = Broker::start().unwrap();
    let alone = home.play(&format!("{MATCH} --dir alone"));
    let key = RemoteWorker::key(&home, "a");
    assert_eq!(RemoteWorker::key(&home, "a"), key, "the file keeps the key");
    std::fs::write(home.path("keys"), format!("# the club's own machine\n{key} # a\n\n")).unwrap();
    let words = format!("{MATCH} --dir m --json --worker-keys keys --nats {}", broker.url());
    let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let arena = arena.unwrap();
    // A stranger plays games that do not count, until the arena dismisses it.
    let mut stranger = RemoteWorker::start(&home, &broker, "stranger");
    stranger
        .wait_for_line("has excluded this worker, and its games are played again: its key is not");
    let mut worker = RemoteWorker::start(&home, &broker, "a");
    // No other peer can dismiss a worker, which reports itself once it listens.
    until(&broker, |it| it.worker == "a");
    runtime().block_on(async {
        let client = connected(&broker).await;
        let (arena, reason) = ("0123".to_owned(), "it lies".to_owned());
        let dismissal = Dismissal { version: VERSION, worker: key, arena, reason };
        let body = serde_json::to_vec(&dismissal).unwrap();
        let sealed = SecretKey::generate().unwrap().seal(SignedKind::Dismissal, &body);
        for bytes in [body, sealed] {
            client.publish(format!("sandboard.dismissed.{key}"), bytes.into()).await.unwrap();
        }
        client.flush().await.unwrap();
    });
    let output = arena.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("the worker stranger gets no games that count: its key "), "{errors}");
    let output_text = String::from_utf8(output.stdout).unwrap();
    let mut last: Value = serde_json::from_str(output_text.lines().last().unwrap()).unwrap();
    assert_eq!(super::without_run_details(last["view"].take()), alone);
    let (errors_text, code) = worker.stop();
    assert_eq!(code, Some(0), "{errors_text}");
    assert!(!errors_text.contains("has excluded"), "{errors_text}");
    let (errors_text, code) = stranger.stop();
    assert_eq!(code, Some(1), "{errors_text}");
    assert!(!errors_text.contains(PASSWORD), "{errors_text}");
}

#[test]
fn no_worker_speaks_for_another_or_keeps_a_game_for_ever() {
    let home = TestHome::new();
    let broker = Broker::start().unwrap();
    let alone = home.play(&format!("{MATCH} --dir alone"));
    let words = format!("{MATCH} --dir m --json --lease 1s --nats {}", broker.url());
    let arena = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let arena = arena.unwrap();
    let honest = RemoteWorker::key(&home, "honest");
    runtime().block_on(async {
        let client = connected(&broker).await;
        let context = jetstream::new(client.clone());
        let consumer = jobs(&context).await;
        let mut taken = 0;
        // It takes games from the broker, and speaks for the honest worker.
        while taken < 3 {
            let Some((message, task)) = next_job(&consumer).await else { continue };
            let record = PackedRecord::pack(b"{}");
            let body = result_of(&task, "honest").encode(Some(&record));
            let mut sealed = SecretKey::generate().unwrap().seal(SignedKind::Result, &body);
            sealed[..honest.bytes().len()].copy_from_slice(honest.bytes());
            let subject = format!("sandboard.results.{}", task.arena);
            for bytes in [body, sealed] {
                context.publish(subject.clone(), bytes.into()).await.unwrap().await.unwrap();
            }
            message.ack().await.unwrap();
            taken += 1;
        }
    });
    let mut worker = RemoteWorker::start(&home, &broker, "honest");
    let output = arena.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(
        errors.contains("an invalid result is ignored: the signature is not valid"),
        "{errors}"
    );
    assert!(errors.contains(" within 1s; the game is offered again"), "{errors}");
    assert!(!errors.contains("is excluded"), "{errors}");
    let output_text = String::from_utf8(output.stdout).unwrap();
    let mut last: Value = serde_json::from_str(output_text.lines().last().unwrap()).unwrap();
    assert_eq!(super::without_run_details(last["view"].take()), alone);
    assert_eq!(home.games("m"), home.games("alone"));
    assert_eq!(worker.stop().1, Some(0));
}

#[test]
fn keys_of_workers_are_checked() {
    let home = TestHome::new();
    let check = |words: &str, expected: &str| {
        let words = format!("{MATCH} --dir m --nats nats://localhost:1 {words}");
        let errors = home.fail(&words, 2);
        assert!(errors.contains(expected), "{words}: {errors}");
    };
    check("--worker-key 0f", "`0f` is not a public key: expected 64 hexadecimal digits");
    check("--lease never", "--lease");
    let errors = home.fail(&format!("{MATCH} --dir m --lease 1s"), 2);
    assert!(errors.contains("--nats"), "{errors}");
    let broker = Broker::start().unwrap();
    let with_file = |content: &str| {
        std::fs::write(home.path("keys"), content).unwrap();
        home.fail(&format!("{MATCH} --dir m --worker-keys keys --nats {}", broker.url()), 2)
    };
    let errors = with_file("# none\n");
    assert!(errors.contains("keys has no key"), "{errors}");
    let errors = with_file(&format!("{}\nzz", "0f".repeat(32)));
    assert!(errors.contains("keys:2: `zz` is not a public key"), "{errors}");
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
