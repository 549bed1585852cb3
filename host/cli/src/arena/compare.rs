//! `sandboard arena compare`: builds the source of an engine at two revisions of git, and plays the
//! two builds against each other. Each revision is checked out in a folder of its own, so the
//! user's working tree is not touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sandboard_builder::{NativeProfile, SourceFolder};
use sandboard_tournament::schedule::Format;

use super::CreateArgs;
use super::create::{self, ArenaPlan};
use super::players::{DEFAULT_MOVE_US, contestant_of};
use super::previous::{DEFAULT_TEST, PAIRS_MAX};
use super::programs::OwnPacks;
use super::sprt::SprtArg;
use crate::engines::{Engines, check_limited};
use crate::output::error_line;
use crate::seat::{EngineSpec, PlayerSpec, SeatSpec};
use crate::usage;
use sandboard_engine::Budget;
use sandboard_packs::catalog::Entry;
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::packaging::{BuildOptions, ModuleSelection, build_pack};

/// The revision that stands for the files as they are.
const WORKING_TREE: &str = ".";

/// Play two builds of an engine against each other, from two git revisions of its source
///
/// The source is built at both revisions as a WebAssembly component. Without --pairs, a sequential
/// test decides. For example: sandboard arena compare my-engine main . --budget fuel:1e8/move
#[derive(clap::Args, Debug)]
pub(super) struct CompareArgs {
    /// The folder with the source of the engine, in a git repository
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// The old revision: a branch, a tag, a commit, `HEAD~3`; `.` is the files as they are
    #[arg(value_name = "OLD")]
    old: String,
    /// The new revision, which the test is about
    #[arg(value_name = "NEW", default_value = WORKING_TREE)]
    new: String,
    /// The number of pairs [default: until the test has decided]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pairs: Option<u32>,
    /// The bounds of the sequential test, `ELO0,ELO1[,alpha=0.05][,beta=0.05][,logistic]`
    /// [default: 0,10 in normalised Elo]
    #[arg(long, value_name = "TEST", allow_hyphen_values = true)]
    sprt: Option<SprtArg>,
    #[command(flatten)]
    create: CreateArgs,
}

/// Builds both revisions, and plays the test.
pub(super) fn run(args: &CompareArgs) -> Result<()> {
    if !args.create.programs.is_empty() {
        return Err(usage("--engine does not apply here: the players are the two builds"));
    }
    let mut engines = Engines::open(&args.create.play.engines)?;
    let packs = OwnPacks::create()?;
    let folder = packs.path().context("no folder for packs")?.to_owned();
    // The test is about the first player.
    let revisions = [("new", &args.new), ("old", &args.old)];
    let [new, old] = revisions.map(|(_, revision)| label_of(&args.source, revision));
    let labels = [new?, old?];
    let named = revisions.iter().zip(labels).map(|((name, revision), label)| {
        error_line!("building {} at {label}", args.source.display());
        let entry = build(&args.source, revision, &engines, &folder.join(name))?;
        Ok((entry, label))
    });
    let builds: Vec<(Entry, String)> = named.collect::<Result<_>>()?;
    if builds[0].0.sha256 == builds[1].0.sha256 {
        bail!(
            "the builds of {} and {} are the same, byte for byte: there is nothing to compare",
            args.old,
            args.new
        );
    }
    engines.add_folder(&folder, |_| false)?;
    let seats: Vec<SeatSpec> = builds.iter().map(|(entry, label)| seat_of(entry, label)).collect();
    let game = create::game_of(&args.create, &engines, &seats)?;
    let budget = args.create.budget.unwrap_or(Budget::wall_per_move(DEFAULT_MOVE_US));
    check_limited(&budget)?;
    let mut players = Vec::new();
    for ((entry, _), seat) in builds.iter().zip(&seats) {
        let spec = seat.engine()?.clone().with_defaults(&args.create.options)?;
        players.push(contestant_of(&mut engines, entry, &spec, budget, (game.0, &game.1))?);
    }
    let sprt = match (args.pairs, args.sprt) {
        (_, Some(SprtArg(setup))) => Some(setup),
        (None, None) => Some(DEFAULT_TEST),
        (Some(_), None) => None,
    };
    let format = Format::Match { pairs: args.pairs.unwrap_or(PAIRS_MAX) };
    let plan = ArenaPlan { format, players: &[], sprt };
    create::run_with(&args.create, &plan, engines, game, players, &packs)
}

/// A build as a player, with the name of its engine and its revision.
fn seat_of(entry: &Entry, label: &str) -> SeatSpec {
    let engine = EngineSpec {
        id: entry.id.clone(),
        options: Vec::new(),
        options_file: None,
        threads: 1,
        name: Some(format!("{} {label}", entry.id)),
    };
    SeatSpec { player: PlayerSpec::Engine(engine), budget: None }
}

/// A revision with its commit, for people: `main (1a2b3c4)`.
fn label_of(source: &Path, revision: &str) -> Result<String> {
    if revision == WORKING_TREE {
        return Ok("working tree".into());
    }
    git(source, &["rev-parse", "--git-dir"])
        .map_err(|_| usage(format!("{} is in no git repository", source.display())))?;
    let commit = git(source, &["rev-parse", "--short", &format!("{revision}^{{commit}}")])
        .map_err(|_| usage(format!("`{revision}` is no revision of {}", source.display())))?;
    Ok(if commit == revision { commit } else { format!("{revision} ({commit})") })
}

/// Builds the source at a revision into the pack `pack`.
fn build(source: &Path, revision: &str, engines: &Engines, pack: &Path) -> Result<Entry> {
    if revision == WORKING_TREE {
        return build_folder(source, engines, pack);
    }
    let top = git(source, &["rev-parse", "--show-toplevel"])?;
    let inside = git(source, &["rev-parse", "--show-prefix"])?;
    let commit = git(source, &["rev-parse", &format!("{revision}^{{commit}}")])?;
    let checkout = tempfile::Builder::new().prefix("sandboard-revision-").tempdir();
    let checkout = checkout.context("cannot create a folder for a revision")?;
    // Objects are shared with the repository, so this copies only the files of the revision.
    let to = checkout.path().to_string_lossy().into_owned();
    git(source, &["clone", "--quiet", "--shared", "--no-checkout", &top, &to])?;
    git(checkout.path(), &["checkout", "--quiet", "--detach", &commit])?;
    let folder = checkout.path().join(inside);
    if !folder.is_dir() {
        bail!("{} does not exist at {revision}", source.display());
    }
    build_folder(&folder, engines, pack).with_context(|| format!("the build of {revision} failed"))
}

fn build_folder(folder: &Path, engines: &Engines, pack: &Path) -> Result<Entry> {
    let source = SourceFolder::open(folder)?;
    let options = BuildOptions { modules: ModuleSelection::Wasm, native: NativeProfile::Release };
    let report = build_pack(&source, options, engines.loader(), pack)?;
    let mut entries = report.entries.into_iter();
    let entry = entries.find(|entry| entry.kind == Some(ModuleKind::Wasm));
    entry.with_context(|| format!("{} builds no engine", folder.display()))
}

/// Runs git in a folder; what it prints. Err: git is missing or fails, with its message.
fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let output = output.context("git cannot be started; it is needed to check out a revision")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => bail!("git {}: {}", arguments.join(" "), text(&output.stderr)),
    }
}
