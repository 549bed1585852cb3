//! What is left when inmates, zygotes and hosts are gone: nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use sandboard_host::jail::{Death, Jail, Role};

use super::{PATIENCE, ROLES, combinations, jail, order, probe, tell, words};
use crate::cli::binary;

/// The processes that run the binary and descend from this one or from nobody any more:
/// by their numbers. Zombies count.
fn workers_of(ancestor: u32) -> BTreeSet<u32> {
    let processes = || fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes().filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = numbers
        .filter_map(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?;
            Some((pid, parent.parse().ok()?))
        })
        .collect();
    let mut found = BTreeSet::from([ancestor]);
    loop {
        let more: Vec<u32> = parents
            .iter()
            .filter(|(pid, parent)| found.contains(parent) && !found.contains(pid))
            .map(|(pid, _)| *pid)
            .collect();
        if more.is_empty() {
            found.remove(&ancestor);
            return found;
        }
        found.extend(more);
    }
}

fn is_there(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" Z")))
}

/// Ends when none of them is there.
fn wait_until_gone(processes: &BTreeSet<u32>) {
    let began = Instant::now();
    while processes.iter().any(|pid| is_there(*pid)) {
        assert!(began.elapsed() < PATIENCE, "they stay: {processes:?}");
        std::thread::yield_now();
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Tests of one process run beside each other, so what is counted is a host of its own:
/// this test binary, run again for one of the functions that ask whether they are one. What it
/// says; or, of one that is killed with so many processes at least, that none of them is left.
pub fn host(name: &str, killed_with: Option<usize>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    command.env("SANDBOARD_TEST_HOST", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let Some(least) = killed_with else {
        let text: Vec<String> = lines.map_while(Result::ok).collect();
        assert!(child.wait().unwrap().success(), "{text:#?}");
        return text.join("\n");
    };
    let ready = lines.by_ref().map_while(Result::ok).any(|line| line.contains("ready"));
    assert!(ready, "the host says when it is ready");
    let workers = workers_of(child.id());
    assert!(workers.len() >= least, "a zygote, and an init and an inmate each: {workers:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_gone(&workers);
    String::new()
}

/// Whether this process was started by [`host`].
pub fn is_a_host() -> bool {
    std::env::var_os("SANDBOARD_TEST_HOST").is_some()
}

#[test]
fn host_with_many() {
    if !is_a_host() {
        return;
    }
    let jails: Vec<Jail> = combinations().map(|without| jail(&without)).into();
    let inmates: Vec<_> =
        jails.iter().flat_map(|jail| ROLES.map(|role| probe(jail, role))).collect();
    for (inmate, act) in inmates.iter().zip(["wait", "work", "fork-bomb 1000000000"].iter().cycle())
    {
        tell(inmate, act);
    }
    wait_to_be_killed();
}

/// Until then, or until its test is gone.
pub fn wait_to_be_killed() {
    println!("ready");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lines().count();
}

#[test]
fn a_killed_host_leaves_nobody() {
    host("jail::traces::host_with_many", Some(13));
}

#[test]
fn host_of_thousands() {
    if !is_a_host() {
        return;
    }
    let before = descriptors();
    {
        let jail = jail(&[]);
        let with_jail = descriptors();
        for round in 0..2000 {
            let inmate = probe(&jail, ROLES[round % 3]);
            match round % 4 {
                0 => assert!(matches!(inmate.end().how, Death::Signal { ours: true, .. })),
                1 => drop(inmate),
                2 => {
                    tell(&inmate, "exit 1");
                    inmate.end();
                }
                _ => {
                    assert_eq!(words(&inmate, "fork-bomb 1"), "0");
                    inmate.end();
                }
            }
        }
        assert_eq!(descriptors(), with_jail);
        // Those that were only dropped take a moment.
        let began = Instant::now();
        while workers_of(std::process::id()).len() > 1 {
            assert!(began.elapsed() < PATIENCE, "{:?}", workers_of(std::process::id()));
            std::thread::yield_now();
        }
        // The zygote does not pile up either.
        let zygote = *workers_of(std::process::id()).first().unwrap();
        let its = fs::read_dir(format!("/proc/{zygote}/fd")).map(Iterator::count);
        assert!(its.is_ok_and(|count| count < 12), "the zygote's descriptors");
    }
    assert_eq!(descriptors(), before);
    assert_eq!(workers_of(std::process::id()), BTreeSet::new());
}

#[test]
fn thousands_leave_nothing() {
    host("jail::traces::host_of_thousands", None);
}

#[test]
fn a_zygote_that_was_killed_is_replaced_and_its_inmates_die() {
    for without in combinations() {
        let jail = jail(&without);
        let inmate = probe(&jail, Role::Native);
        let zygote = jail.zygote_pid();
        assert!(kill(zygote), "{zygote} is there to be killed");
        assert!(inmate.has_ended_within(PATIENCE));
        let how = inmate.end().how;
        assert!(matches!(how, Death::Unknown | Death::Signal { ours: false, .. }), "{how:?}");
        let next = jail.spawn_probe(order(Role::Native)).expect("there is another zygote");
        assert_eq!(words(&next, "fork-bomb 1"), "0");
        assert_ne!(jail.zygote_pid(), zygote);
    }
}

fn kill(pid: u32) -> bool {
    Command::new("kill").args(["-9", &pid.to_string()]).status().is_ok_and(|it| it.success())
}

#[test]
fn a_jail_that_is_dropped_takes_its_inmates_along() {
    for without in combinations() {
        let jail = jail(&without);
        let inmates = ROLES.map(|role| probe(&jail, role));
        inmates.iter().for_each(|inmate| tell(inmate, "work"));
        let zygote = jail.zygote_pid();
        let workers = workers_of(zygote);
        assert_eq!(workers.len(), 6, "an init and an inmate each");
        drop(jail);
        wait_until_gone(&workers);
        for inmate in inmates {
            inmate.end();
        }
    }
}

#[test]
fn the_zygote_is_not_for_people() {
    let output = Command::new(binary()).arg("zygote").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("for sandboard itself"));
}
