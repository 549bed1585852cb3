//! The processes in which the server has arenas played, and how many games they play at once. An
//! arena that another process plays is not among them.
//!
//! Invariant: a process has the standard input of this server alone. When the server ends, however
//! it does, that input ends, and so does the process; its arena can be resumed.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::{OperatorLog, lock};
use crate::problem::{ApiResult, Problem, ProblemKind};

/// The start of the line with which the process reports why it ends.
const ERROR_LINE: &str = "error: ";
/// The longest error that is shown, in bytes.
const ERROR_BYTES: usize = 1000;
/// How many errors of ended runs are kept.
const ERRORS_KEPT: usize = 100;

/// How long a new run waits for the end of a process that plays the arena no more.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// The arenas that this server has played; see the [module](self).
pub(crate) struct ArenaRuns {
    games_at_once_max: u16,
    /// The state; notified when a process has ended.
    state: Arc<(Mutex<State>, Condvar)>,
    operator_log: Arc<OperatorLog>,
}

#[derive(Default)]
struct State {
    /// The games at once of each process that runs, by the arena's folder.
    running: HashMap<PathBuf, u16>,
    /// Why the last run of an arena failed, by its id.
    errors: BTreeMap<String, String>,
}

/// The runs of arenas that this server has started.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunsView {
    /// The most games at once of all arenas that this server plays: one for each core.
    games_at_once_max: u16,
    /// How many of them are free.
    games_at_once_free: u16,
    /// Why the last run of an arena failed, by the arena's id.
    errors: BTreeMap<String, String>,
}

impl ArenaRuns {
    /// Creates an empty set of runs that play this many games at once together.
    pub(crate) fn new(games_at_once_max: usize, operator_log: OperatorLog) -> Self {
        let games_at_once_max = u16::try_from(games_at_once_max).unwrap_or(u16::MAX).max(1);
        Self { games_at_once_max, state: Arc::default(), operator_log: Arc::new(operator_log) }
    }

    /// Returns the games at once of a run for which none are requested: half of the cores, so that
    /// rooms have the others.
    pub(crate) fn default_games_at_once(&self) -> u16 {
        (self.games_at_once_max / 2).max(1)
    }

    /// Returns what runs and what failed.
    pub(crate) fn view(&self) -> RunsView {
        let state = lock(&self.state.0);
        RunsView {
            games_at_once_max: self.games_at_once_max,
            games_at_once_free: self.free(&state),
            errors: state.errors.clone(),
        }
    }

    fn free(&self, state: &State) -> u16 {
        let used: u16 = state.running.values().copied().fold(0, u16::saturating_add);
        self.games_at_once_max.saturating_sub(used)
    }

    /// Checks that this number of games can be played at once, too.
    pub(crate) fn check(&self, games_at_once: u16) -> ApiResult<()> {
        self.check_state(&lock(&self.state.0), games_at_once)
    }

    fn check_state(&self, state: &State, games_at_once: u16) -> ApiResult<()> {
        let most = self.games_at_once_max;
        if games_at_once == 0 || games_at_once > most {
            let detail = format!("this machine plays 1 to {most} games of arenas at once");
            return Err(Problem::unprocessable("games_at_once", detail));
        }
        let free = self.free(state);
        if games_at_once > free {
            let detail = format!(
                "other arenas play {} games at once, of at most {most}: stop one of them, or \
                 choose fewer games at once",
                most - free
            );
            return Err(Problem::new(ProblemKind::Conflict, detail).at("games_at_once"));
        }
        Ok(())
    }

    /// Starts the process that plays an arena.
    pub(crate) fn start(
        &self,
        id: &str,
        dir: &Path,
        games_at_once: u16,
        mut command: Command,
    ) -> ApiResult<()> {
        // A process that has released the arena still takes a moment to end.
        let state = lock(&self.state.0);
        let waited = self
            .state
            .1
            .wait_timeout_while(state, END_TIMEOUT, |state| state.running.contains_key(dir));
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.running.contains_key(dir) {
            return Err(Problem::new(ProblemKind::Conflict, "the arena is being played"));
        }
        self.check_state(&state, games_at_once)?;
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| {
            Problem::new(ProblemKind::Internal, format!("no process can be started: {error}"))
        })?;
        state.running.insert(dir.to_owned(), games_at_once);
        state.errors.remove(id);
        drop(state);
        let (id, dir) = (id.to_owned(), dir.to_owned());
        let (state, operator_log) = (self.state.clone(), self.operator_log.clone());
        let waiting = std::thread::Builder::new().name("arena".into()).spawn(move || {
            let error = wait(child);
            let mut state_guard = lock(&state.0);
            state_guard.running.remove(&dir);
            state.1.notify_all();
            if let Some(error) = error {
                operator_log("error", format!("arena {id} is not played any more: {error}"));
                if state_guard.errors.len() >= ERRORS_KEPT {
                    state_guard.errors.pop_first();
                }
                state_guard.errors.insert(id, error);
            }
        });
        // Without the thread, the input of the process ends, and with it the process.
        waiting.map(drop).map_err(|error| Problem::new(ProblemKind::Internal, error))
    }
}

/// Waits until a process ends. Returns why it failed.
fn wait(mut child: Child) -> Option<String> {
    // Dropped at the end: the process ends when its input does.
    let input = child.stdin.take();
    let mut error = None;
    if let Some(output) = child.stderr.take() {
        // The process must not wait until somebody reads its output.
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            if let Some(reason) = line.strip_prefix(ERROR_LINE) {
                error = Some(sandboard_bout::text::sanitize(reason, ERROR_BYTES));
            }
        }
    }
    let status = child.wait();
    drop(input);
    match status {
        Ok(status) if status.success() => None,
        Ok(status) => Some(error.unwrap_or_else(|| format!("its process ended ({status})"))),
        Err(failed) => Some(failed.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(games_at_once_max: usize) -> ArenaRuns {
        ArenaRuns::new(games_at_once_max, Box::new(|_, _| ()))
    }

    /// A process that ends when its input does.
    fn cat() -> Command {
        Command::new("cat")
    }

    #[test]
    fn runs_share_the_games_at_once() {
        let runs = runs(4);
        assert_eq!(runs.default_games_at_once(), 2);
        let start = |dir: &str, games: u16| {
            let started = runs.start(dir, Path::new(dir), games, cat());
            started.map_err(|problem| (problem.kind, problem.location))
        };
        let field = || Some("games_at_once".to_owned());
        assert_eq!(start("a", 0), Err((ProblemKind::Unprocessable, field())));
        assert_eq!(start("a", 5), Err((ProblemKind::Unprocessable, field())));
        assert_eq!(start("a", 3), Ok(()));
        assert_eq!(start("b", 2), Err((ProblemKind::Conflict, field())));
        assert_eq!(start("b", 1), Ok(()));
        assert_eq!(runs.view().games_at_once_free, 0);
    }

    #[test]
    fn the_error_of_a_process_is_kept() {
        let check = |script: &str, expected: Option<&str>| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
            assert_eq!(wait(command.spawn().unwrap()).as_deref(), expected, "{script}");
        };
        check("exit 0", None);
        check("echo 'error: of no use' >&2", None);
        check("echo 'note: x' >&2; echo 'error: no disk' >&2; exit 1", Some("no disk"));
        check("exit 3", Some("its process ended (exit status: 3)"));
    }
}
