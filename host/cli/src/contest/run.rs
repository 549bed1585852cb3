//! `sandboard contest run`: tests entries and plays games, and prints the progress.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::house;
use crate::engines::{EngineArgs, Engines, shell_word};
use crate::interrupt;
use crate::known_games;
use crate::output::out_line;
use sandboard_arena::{CONCURRENCY_MAX, default_concurrency};
use sandboard_arena_plan::{Contestant, Ledger, Openings};
use sandboard_bout::driver::EnginePlayer;
use sandboard_common::files::read_regular;
use sandboard_common::ordered_work::Stop;
use sandboard_contest::runner::{Completion, Runner, RunnerObserver, run as run_contest};
use sandboard_contest::similarity::Fingerprint;
use sandboard_contest::store::{Submission, Trial};
use sandboard_contest::{Bounds, ContestFolder, Report};
use sandboard_contest_rules::Contest;
use sandboard_engine_wasm::scan::CapSetting;

/// With --json, one line is printed for this many games.
const GAMES_PER_LINE: u64 = 10;

/// Run a contest: test entries, play the ladder while it is open, and the final after it closes
///
/// Everything is stored at once: the process may be killed at any moment and started again. Entries
/// run in jailed processes only.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  sandboard contest run autumn\n  sandboard contest run autumn --concurrency 8 --json"
)]
pub(super) struct Args {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The number of games of ladder and final played at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// The engines folder with the house engines [default: the same as for other commands]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Run even if the jail is below the minimum for contests (see `sandboard doctor`), and note it
    /// in every record
    #[arg(long)]
    below_minimum: bool,
    /// Change a cap on the modules of entries; may be repeated (docs/limits.md)
    #[arg(long = "cap", value_name = "NAME=NUMBER")]
    caps: Vec<CapSetting>,
    /// Print JSON lines: each tested entry, each note, every tenth game
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<()> {
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    let _held = folder.lock()?;
    let contest = folder.contest();
    let engines = EngineArgs {
        engines_dir: args.engines_dir.clone(),
        contest: true,
        below_minimum: args.below_minimum,
        caps: args.caps.clone(),
        ..EngineArgs::default()
    };
    let (house, house_fingerprints) = house(&engines, contest)?;
    let loader = engines.loader()?.with_caps(contest.caps());
    let openings = match folder.founding().openings.clone() {
        None => Vec::new(),
        Some(bytes) => {
            let file = contest.openings.clone().unwrap_or_default();
            Openings::parse(bytes, Path::new(&file), contest.game, &contest.variant)?.starts
        }
    };
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let printer = Printer::new(args.json);
    let runner = Runner {
        folder: &folder,
        loader: &loader,
        house: &house,
        house_fingerprints: &house_fingerprints,
        openings,
        concurrency: args.concurrency.map_or_else(default_concurrency, usize::from),
        bounds: Bounds::default(),
        stop: &stop,
        observer: &printer,
    };
    let dir = shell_word(&args.dir.to_string_lossy());
    let ended = run_contest(&runner);
    printer.bar.finish_and_clear();
    let resume = format!("everything is saved; to resume: sandboard contest run {dir}");
    match ended.with_context(|| resume.clone())? {
        Completion::Finished => {
            printer.note(&format!("the contest is over: sandboard contest show {dir}"))
        }
        Completion::Stopped => printer.note(&resume),
    }
    Ok(())
}

/// The house engines as players.
type HousePlayers = Vec<(Contestant, EnginePlayer)>;
/// The names of the house engines, with the fingerprints of their modules.
type HouseFingerprints = Vec<(String, Fingerprint)>;

/// The house engines, all of which the organiser must have, and the fingerprints of their code by
/// their ids.
fn house(args: &EngineArgs, contest: &Contest) -> Result<(HousePlayers, HouseFingerprints)> {
    let (mut players, mut fingerprints) = (Vec::new(), Vec::new());
    if contest.house.is_empty() {
        return Ok((players, fingerprints));
    }
    let (engines, caps) = (Engines::open(args)?, args.load_caps());
    let mut engines = engines.with_caps(contest.caps());
    for id in &contest.house {
        let found = house::player(&mut engines, contest, id);
        players.push(found.map_err(|error| house::cannot_play(id, &error))?);
        let module = read_regular(&engines.find(id)?.module, u64::MAX)?;
        let fingerprint = Fingerprint::of_file(&module, &caps).ok();
        fingerprints.extend(fingerprint.map(|fingerprint| (id.clone(), fingerprint)));
    }
    Ok((players, fingerprints))
}

/// Prints progress: lines, and a bar on a terminal.
struct Printer {
    json: bool,
    bar: ProgressBar,
    games: Mutex<u64>,
}

impl Printer {
    fn new(json: bool) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed} elapsed") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.set_message("waiting for entries");
        Self { json, bar, games: Mutex::new(0) }
    }

    fn line(&self, line: &str, event: &serde_json::Value) {
        match self.json {
            // A reader that closed standard output does not stop the contest.
            true => self.bar.suspend(|| out_line!("{event}")),
            false => self.bar.suspend(|| out_line!("{line}")),
        }
    }
}

impl RunnerObserver for Printer {
    fn entry_tested(&self, entry: &Submission, report: &Report) {
        let Submission { number, entrant, .. } = entry;
        let verdict = match (report.accepted, report.undecided) {
            (true, _) => "accepted",
            (_, true) => "undecided",
            _ => "refused",
        };
        let failed = report
            .stages
            .iter()
            .find(|it| it.outcome == sandboard_analysis::check::StepOutcome::Failed);
        let why = failed.map_or_else(String::new, |it| format!(": {}, {}", it.name, it.sentence));
        let duration_ms: u64 = report.stages.iter().map(|it| it.duration_ms).sum();
        let line = format!(
            "entry {number} of {entrant} is {verdict} after {:.1} s{why}",
            duration_ms as f64 / 1000.0
        );
        let event = json!({
            "event": "verdict", "entry": number, "entrant": entrant, "verdict": verdict, "report": report,
        });
        self.line(&line, &event);
    }

    fn trial_played(&self, trial: &Trial, sentence: &str) {
        let Trial { number, entrant, house, .. } = trial;
        let line = format!("unrated bout {number}, {entrant} against {house}: {sentence}");
        let event = json!({ "event": "trial", "bout": number, "sentence": sentence });
        self.line(&line, &event);
    }

    fn note(&self, line: &str) {
        self.line(line, &json!({ "event": "note", "text": line }));
    }

    fn game_counted(&self, arena: &str, ledger: &Ledger) {
        let games = 2 * ledger.counted_results().pairs.len() as u64;
        self.bar.set_message(format!("{arena}: {games} games"));
        let mut printed = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if self.json && games / GAMES_PER_LINE != *printed / GAMES_PER_LINE {
            self.line("", &json!({ "event": "games", "arena": arena, "games": games }));
        }
        *printed = games;
    }
}
