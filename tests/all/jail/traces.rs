//! Nothing is left when processes, zygotes and hosts are gone.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use sandboard_jail::{ExitCause, Jail, Role};

use super::{ROLES, TIMEOUT, combinations, jail, output_of, probe, send, spawn_request};
use crate::cli::binary;

/// Ids of the processes that descend from this one. Zombies count.
fn descendants_of(ancestor: u32) -> BTreeSet<u32> {
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

/// Waits until none of these processes exists.
fn wait_until_gone(processes: &BTreeSet<u32>) {
    let began = Instant::now();
    while processes.iter().any(|pid| is_there(*pid)) {
        assert!(began.elapsed() < TIMEOUT, "still running: {processes:?}");
        std::thread::yield_now();
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Runs a test function of this binary as a host in a process of its own, since tests run in
/// parallel and resources are counted per process. Returns its output; with `killed_with`, kills
/// the host once it has at least that number of processes, and checks that none remains.
pub(crate) fn host(name: &str, killed_with: Option<usize>) -> String {
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
    assert!(ready, "the host prints `ready`");
    let processes = descendants_of(child.id());
    assert!(processes.len() >= least, "a zygote, and an init and a process each: {processes:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_gone(&processes);
    String::new()
}

/// Whether this process was started by [`host`].
pub(crate) fn is_a_host() -> bool {
    std::env::var_os("SANDBOARD_TEST_HOST").is_some()
}

#[test]
fn host_with_many() {
    if !is_a_host() {
        return;
    }
    let jails: Vec<Jail> = combinations().map(|without| jail(&without)).into();
    let processes: Vec<_> =
        jails.iter().flat_map(|jail| ROLES.map(|role| probe(jail, role))).collect();
    for (process, act) in
        processes.iter().zip(["wait", "work", "fork-bomb 1000000000"].iter().cycle())
    {
        send(process, act);
    }
    wait_to_be_killed();
}

/// Blocks until this process is killed or its test has ended.
pub(crate) fn wait_to_be_killed() {
    println!("ready");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lines().count();
}

#[test]
fn a_killed_host_leaves_no_process() {
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
            let process = probe(&jail, ROLES[round % 3]);
            match round % 4 {
                0 => assert!(matches!(
                    process.kill_and_wait().cause,
                    ExitCause::Signal { by_host: true, .. }
                )),
                1 => drop(process),
                2 => {
                    send(&process, "exit 1");
                    process.kill_and_wait();
                }
                _ => {
                    assert_eq!(output_of(&process, "fork-bomb 1"), "0");
                    process.kill_and_wait();
                }
            }
        }
        assert_eq!(descriptors(), with_jail);
        // Processes that were only dropped take a moment to end.
        let began = Instant::now();
        while descendants_of(std::process::id()).len() > 1 {
            assert!(began.elapsed() < TIMEOUT, "{:?}", descendants_of(std::process::id()));
            std::thread::yield_now();
        }
        // The zygote does not accumulate descriptors.
        let zygote = *descendants_of(std::process::id()).first().unwrap();
        let zygote_descriptors = fs::read_dir(format!("/proc/{zygote}/fd")).map(Iterator::count);
        assert!(zygote_descriptors.is_ok_and(|count| count < 12), "the zygote's descriptors");
    }
    assert_eq!(descriptors(), before);
    assert_eq!(descendants_of(std::process::id()), BTreeSet::new());
}

#[test]
fn thousands_of_processes_leave_nothing() {
    host("jail::traces::host_of_thousands", None);
}

#[test]
fn a_killed_zygote_is_replaced_and_its_processes_die() {
    for without in combinations() {
        let jail = jail(&without);
        let process = probe(&jail, Role::Native);
        let zygote = jail.zygote_pid();
        assert!(kill(zygote), "cannot kill the zygote {zygote}");
        assert!(process.exits_within(TIMEOUT));
        let cause = process.kill_and_wait().cause;
        assert!(
            matches!(cause, ExitCause::Unknown | ExitCause::Signal { by_host: false, .. }),
            "{cause:?}"
        );
        let next = jail.spawn_probe(spawn_request(Role::Native)).expect("there is another zygote");
        assert_eq!(output_of(&next, "fork-bomb 1"), "0");
        assert_ne!(jail.zygote_pid(), zygote);
    }
}

fn kill(pid: u32) -> bool {
    Command::new("kill").args(["-9", &pid.to_string()]).status().is_ok_and(|it| it.success())
}

#[test]
fn dropping_a_jail_ends_its_processes() {
    for without in combinations() {
        let jail = jail(&without);
        let processes = ROLES.map(|role| probe(&jail, role));
        processes.iter().for_each(|process| send(process, "work"));
        let zygote = jail.zygote_pid();
        let descendants = descendants_of(zygote);
        assert_eq!(descendants.len(), 6, "an init and a process each");
        drop(jail);
        wait_until_gone(&descendants);
        for process in processes {
            process.kill_and_wait();
        }
    }
}

#[test]
fn the_zygote_command_refuses_users() {
    let output = Command::new(binary()).arg("zygote").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("only sandboard itself can start"));
}
