//! A test of the jail from outside, for `sandboard doctor`: probes of every role try what the jail
//! forbids and similar actions that it allows. Gives no advice.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use super::probe::{ProbeResult, probe_actions};
use super::{
    ExitCause, Jail, JailError, JailedProcess, Layer, ProbeReport, Program, Role, SpawnRequest,
};

/// The time limit of a program that does nothing.
const TIMEOUT: Duration = Duration::from_secs(20);
/// A program that every system has and that does nothing.
const TRUE_PROGRAMS: [&str; 2] = ["/bin/true", "/usr/bin/true"];

/// Actions that hold about 1 GiB in ways that the kernel's limits of memory do not all count.
const HOARDS: [(&str, &str); 3] = [
    ("hoard-shared 1024", "hold shared memory by its unmapped parts"),
    ("hoard-protected 1024", "hold memory by making it read-only"),
    ("hoard-tables 65536", "hold memory by page tables"),
];

/// The user id of `nobody`.
const OVERFLOW_ID: &str = "65534";

/// A probe with 64 MiB of memory.
fn probe_request(role: Role) -> SpawnRequest {
    let (cpu_s, files, program) = (None, Vec::new(), None);
    SpawnRequest { role, memory_bytes: 64 << 20, cpu_s, file_bytes: 0, files, program }
}

impl Jail {
    /// Makes a process that becomes a program of the system and ends. Err: why that failed.
    pub fn test_program(&self) -> Result<(), String> {
        self.layers().meets_program_minimum()?;
        let bytes = TRUE_PROGRAMS.iter().find_map(|path| std::fs::read(path).ok());
        let bytes = bytes.ok_or("the program `true` is missing")?;
        let program = super::files::sealed_program(&bytes).map_err(|error| error.to_string())?;
        let (name, arguments, file_paths) = ("true".to_owned(), Vec::new(), Vec::new());
        let process = self.spawn(SpawnRequest {
            role: Role::Program,
            memory_bytes: 64 << 20,
            cpu_s: None,
            file_bytes: 0,
            files: vec![program],
            program: Some(Program { name, arguments, file_paths }),
        });
        let process = process.map_err(|error| error.to_string())?;
        process.exits_within(TIMEOUT);
        let end = process.kill_and_wait();
        match end.cause {
            ExitCause::Exited(0) => Ok(()),
            cause => Err(format!("`true` {cause} {}", end.output).trim_end().to_owned()),
        }
    }

    /// Tries every action in every role. Also tries to open this file, which no jailed process may.
    pub fn self_test(&self, file: &Path) -> Result<Vec<ProbeReport>, JailError> {
        let mut reports = Vec::new();
        for role in [Role::Native, Role::Wasm, Role::Compile] {
            self.self_test_role(role, file, &mut reports)?;
            for (act, about) in HOARDS {
                reports.push(self.self_test_hoard(role, act, about)?);
            }
        }
        Ok(reports)
    }

    /// Tries to hold more memory than the limit. Correct: the process ends, or gets an error.
    fn self_test_hoard(
        &self,
        role: Role,
        act: &str,
        about: &str,
    ) -> Result<ProbeReport, JailError> {
        let process = self.spawn_probe(probe_request(role))?;
        let result = try_action(&process, act);
        let (right, words) = match result {
            Ok(result) => (result.refused.is_some(), result_text(&result)),
            Err(_) => {
                let cause = process.kill_and_wait().cause;
                (matches!(cause, ExitCause::Memory { .. }), cause.to_string())
            }
        };
        Ok(ProbeReport { role, act: act.to_owned(), about: about.to_owned(), right, words })
    }

    fn self_test_role(
        &self,
        role: Role,
        file: &Path,
        reports: &mut Vec<ProbeReport>,
    ) -> Result<(), JailError> {
        let process = self.spawn_probe(probe_request(role))?;
        let mut add_report = |action: &str, about: &str, right: bool, words: String| {
            reports.push(ProbeReport {
                role,
                act: action.to_owned(),
                about: about.to_owned(),
                right,
                words,
            });
        };
        for action in probe_actions().filter(|action| action.has_expected_outcome()) {
            let result = try_action(&process, action.name)?;
            let right = action.is_expected(role, self.layers(), result.refused);
            add_report(action.name, action.about, right, result_text(&result));
        }
        let result = try_action(&process, &format!("open {}", file.display()))?;
        // If no layer closes files to this role, the state of the layers already reports it.
        let files = [Layer::Landlock, Layer::MountNamespace].map(|it| self.layers().has(it));
        let right = result.refused.is_some() || (role == Role::Native && files == [false, false]);
        add_report("open", "open a file of the user", right, result_text(&result));
        let result = try_action(&process, "thread-limit")?;
        let right = result.refused.is_none() && result.words != "none";
        add_report("thread-limit", "have a limit of threads", right, result_text(&result));
        if self.layers().has(Layer::OwnUid) {
            let other = self.spawn_probe(probe_request(role))?;
            let user = |process: &JailedProcess| {
                let ids = try_action(process, "identity")?.words;
                Ok::<_, JailError>(ids.split(' ').next().unwrap_or_default().to_owned())
            };
            let (own, other) = (user(&process)?, user(&other)?);
            // In some containers all processes share the user `nobody`.
            let right = own != other || own == OVERFLOW_ID;
            add_report("own-user", "be another user than the others", right, own);
        }
        let result = try_action(&process, "fork-bomb 100")?;
        add_report("fork-bomb", "make many processes", result.words == "0", result_text(&result));
        let cause = process.kill_and_wait().cause;
        let right = matches!(cause, ExitCause::Signal { by_host: true, .. });
        add_report("die", "die when killed", right, cause.to_string());
        Ok(())
    }
}

fn result_text(result: &ProbeResult) -> String {
    match result.refused {
        Some(_) => result.words.clone(),
        None => format!("done: {}", result.words),
    }
}

fn try_action(process: &JailedProcess, action: &str) -> Result<ProbeResult, JailError> {
    let mut line = String::new();
    let received = writeln!(&process.channel, "{action}")
        .and_then(|()| BufReader::new(&process.channel).read_line(&mut line));
    let probe_lost =
        |reason: String| JailError::Refused(format!("`{action}` ended the probe: {reason}"));
    received.map_err(|error| probe_lost(error.to_string()))?;
    serde_json::from_str(&line).map_err(|error| probe_lost(error.to_string()))
}
