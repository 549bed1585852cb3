//! `sandboard contest run`: entries are tried and games played, and what goes on is told.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::arena::{CONCURRENCY_MAX, Contestant, Ledger, Openings, usual_concurrency};
use crate::bout::EnginePlayer;
use crate::cli::engines::{EngineArgs, Engines, shell_word};
use crate::cli::{arena, interrupt};
use crate::contest::likeness::{Baseline, Fingerprint};
use crate::contest::runner::{Ended, Runner, Teller, run as run_contest};
use crate::contest::store::{Submission, Trial};
use crate::contest::{Bounds, Contest, ContestFolder, Report};
use crate::engine::wasm::scan::CapSetting;
use crate::ordered::Stop;

/// So many games are one line of JSON.
const GAMES_TOLD: u64 = 10;

/// Run a contest: try entries as they come, play the ladder while it is open and the final when it is closed
///
/// Everything is kept as it comes: it can be killed at any moment and run again. Entries run in jailed processes only.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  sandboard contest run autumn\n  sandboard contest run autumn --concurrency 8 --json"
)]
pub struct Args {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Games of ladder and final that are played at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// Where the engines of the house are [default: as everywhere]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Run even where the jail lacks something that a contest needs (`sandboard doctor` says what), and write so into
    /// every record
    #[arg(long)]
    below_minimum: bool,
    /// What an entry may hold to be loaded, in the place of the usual; may be given again (docs/limits.md)
    #[arg(long = "cap", value_name = "NAME=NUMBER")]
    caps: Vec<CapSetting>,
    /// Print JSON lines: each entry that was tried, each note, every tenth game
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let _held = folder.hold()?;
    let contest = folder.contest();
    let engines = EngineArgs {
        engines_dir: args.engines_dir.clone(),
        contest: true,
        below_minimum: args.below_minimum,
        caps: args.caps.clone(),
        ..EngineArgs::default()
    };
    let (house, baseline) = house(&engines, contest)?;
    let loader = engines.loader()?;
    let openings = match folder.founding().openings.clone() {
        None => Vec::new(),
        Some(bytes) => {
            let file = contest.openings.clone().unwrap_or_default();
            Openings::of(bytes, Path::new(&file), contest.game, &contest.variant)?.starts
        }
    };
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let teller = Printer::new(args.json);
    let runner = Runner {
        folder: &folder,
        loader: &loader,
        house: &house,
        baseline: &baseline,
        openings,
        concurrency: args.concurrency.map_or_else(usual_concurrency, usize::from),
        bounds: Bounds::default(),
        stop: &stop,
        teller: &teller,
    };
    let dir = shell_word(&args.dir.to_string_lossy());
    let ended = run_contest(&runner);
    teller.bar.finish_and_clear();
    let again = format!("what is done is kept, to go on: sandboard contest run {dir}");
    match ended.with_context(|| again.clone())? {
        Ended::Over => teller.note(&format!("everything is played: sandboard contest show {dir}")),
        Ended::Stopped => teller.note(&again),
    }
    Ok(())
}

/// The engines of the house, all of which an organiser has, and what is in their code.
fn house(
    args: &EngineArgs,
    contest: &Contest,
) -> Result<(Vec<(Contestant, EnginePlayer)>, Baseline)> {
    let (mut house, mut fingerprints) = (Vec::new(), Vec::new());
    if contest.house.is_empty() {
        return Ok((house, Baseline::default()));
    }
    let (mut engines, caps) = (Engines::open(args)?, args.load_caps());
    for id in &contest.house {
        let spec = id.parse().map_err(anyhow::Error::msg);
        let found = spec.and_then(|spec| {
            let game = (contest.game, &contest.variant);
            arena::contestant(&mut engines, &spec, contest.budget, game)
        });
        match found {
            Ok(found) => {
                let module = std::fs::read(engines.find(id)?.module)?;
                fingerprints.extend(Fingerprint::of_file(&module, &caps));
                house.push(found);
            }
            Err(error) => bail!("`{id}`, of the house, does not play here: {error:#}"),
        }
    }
    Ok((house, Baseline::new(&fingerprints)))
}

/// Tells what goes on: lines, and a bar on a terminal.
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
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed} passed") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.set_message("waiting for entries");
        Self { json, bar, games: Mutex::new(0) }
    }

    fn line(&self, line: &str, event: &serde_json::Value) {
        match self.json {
            // Whoever read the lines has gone; the contest goes on all the same.
            true => self.bar.suspend(|| println!("{event}")),
            false => self.bar.suspend(|| println!("{line}")),
        }
    }
}

impl Teller for Printer {
    fn judged(&self, entry: &Submission, report: &Report) {
        let Submission { number, entrant, .. } = entry;
        let verdict = match (report.accepted, report.undecided) {
            (true, _) => "accepted",
            (_, true) => "undecided",
            _ => "refused",
        };
        let failed = report.stages.iter().find(|it| it.outcome == crate::check::Outcome::Failed);
        let why = failed.map_or_else(String::new, |it| format!(": {}, {}", it.name, it.sentence));
        let took_ms: u64 = report.stages.iter().map(|it| it.took_ms).sum();
        let line = format!(
            "entry {number} of {entrant} is {verdict} after {:.1} s{why}",
            took_ms as f64 / 1000.0
        );
        let event = json!({
            "event": "judged", "entry": number, "entrant": entrant, "verdict": verdict, "report": report,
        });
        self.line(&line, &event);
    }

    fn tried(&self, trial: &Trial, sentence: &str) {
        let Trial { number, entrant, house, .. } = trial;
        let line = format!("unrated bout {number}, {entrant} against {house}: {sentence}");
        let event = json!({ "event": "tried", "bout": number, "sentence": sentence });
        self.line(&line, &event);
    }

    fn note(&self, line: &str) {
        self.line(line, &json!({ "event": "note", "text": line }));
    }

    fn games(&self, arena: &str, ledger: &Ledger) {
        let games = 2 * ledger.standing().pairs.len() as u64;
        self.bar.set_message(format!("{arena}: {games} games"));
        let mut told = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if self.json && games / GAMES_TOLD != *told / GAMES_TOLD {
            self.line("", &json!({ "event": "games", "arena": arena, "games": games }));
        }
        *told = games;
    }
}
