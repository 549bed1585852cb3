//! Plays a new or resumed arena, and prints its progress: a bar and a table on a terminal, JSON
//! lines for programs.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::RwLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sandboard_games::Games;
use serde::Serialize;

use super::PlayArgs;
use super::create::{PreparedArena, stored_openings};
use super::export::Export;
use super::extension::ExtensionArgs;
use super::notes::{busy_cores, notes};
use super::players::{PlayerLoader, load_contestant, sized};
use crate::engines::{Engines, shell_word};
use crate::output::error_line;
#[cfg(feature = "nats")]
use crate::usage;
use crate::{game_named, interrupt, threads, variant_of};
use sandboard_arena::{
    Arena, ArenaFolder, DialogueFolder, LoadedArena, RunError, RunObserver, Session, Threads,
    UnresolvedGame, default_concurrency, present, run,
};
use sandboard_arena_plan::{
    ArenaPlayer, ArenaSetup, ArenaStatistics, Conditions, Contestant, Filter, GameResult, GameRow,
    Job, Ledger, Openings, Status, View,
};
use sandboard_bout::record::RulesRecord;
use sandboard_bout::start::StartPosition;
use sandboard_common::ordered_work::Stop;

/// The table is rebuilt at most once per `TABLE_EVERY`, and rebuilding it takes at most
/// 1/`TABLE_SHARE` of the running time.
const TABLE_EVERY: Duration = Duration::from_secs(1);
const TABLE_SHARE: u32 = 20;

/// Resumes the arena of a folder.
pub(super) fn resume(dir: &Path, args: &PlayArgs, extension: &ExtensionArgs) -> Result<()> {
    if args.for_server {
        super::for_server::begin();
    }
    let folder = ArenaFolder::open(dir)?;
    let mut loaded = folder.load()?;
    let setup = &loaded.setup;
    let mut engines = Engines::open(&args.engines)?;
    super::programs::add_stored(&mut engines, folder.dir(), args.trust_programs)?;
    let game = game_named(engines.games(), &setup.game)?;
    if let Some(difference) = RulesRecord::difference(&setup.rules, game) {
        bail!("the arena {difference}; its games would differ: install those rules to resume it");
    }
    let variant = sized(game, &variant_of(game, Some(&setup.variant))?)?;
    let openings = stored_openings(setup, loaded.openings.take(), &folder, (game, &variant))?;
    let load = |player| load_contestant(&mut engines, player, (game, &variant));
    let players = loaded.players.iter().map(load).collect::<Result<Vec<_>>>()?;
    if let Some(file) = &args.export {
        super::export::format_of(file, game)?;
        super::export::check_replaceable(file, Some(folder.dir()))?;
    }
    // Last, so that an arena which cannot be resumed stays as it is.
    extension.apply(&folder, &mut loaded)?;
    let start = StartPosition::new(game, variant, None);
    play(PreparedArena { folder, engines, start, openings, players, notes: Vec::new() }, args)
}

/// Plays an arena until it is complete or stopped.
pub(super) fn play(prepared: PreparedArena, args: &PlayArgs) -> Result<()> {
    let PreparedArena { folder, mut engines, start, openings, players, notes: ponder_notes } =
        prepared;
    let loaded = folder.load()?;
    let contestants: Vec<_> = players.iter().map(|(player, _)| player.clone()).collect();
    let default = threads::games_at_once(busy_cores(&contestants), default_concurrency());
    let concurrency = args.concurrency.map_or(default, usize::from);
    let dir = shell_word(&folder.dir().to_string_lossy());
    let own = session_arguments(args);
    let resume = format!(
        "sandboard arena --resume {dir}{own}{}{}",
        args.engines.as_arguments(),
        broker(args)?
    );
    if !loaded.ledger.is_complete() {
        let left = loaded.ledger.forecast().pairs_expected;
        let notes = notes(&loaded.setup, &contestants, start.game, left, concurrency);
        for note in notes.into_iter().chain(ponder_notes) {
            error_line!("note: {note}");
        }
        error_line!("to resume after an interruption: {resume}");
    }
    let variant = start.variant.clone();
    let game = start.game;
    let games = engines.games().clone();
    let rival = |(player, engine): (Contestant, _)| ArenaPlayer {
        name: player.name,
        budget: player.budget,
        engine,
        ponders: player.ponders,
    };
    let arena = Arena {
        id: loaded.setup.id.clone(),
        conditions: Conditions::new(start, openings, loaded.setup.plan(), loaded.setup.settings)?,
        players: RwLock::new(players.into_iter().map(rival).collect()),
    };
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let mut progress = Progress::new(&loaded, args, &folder, &arena)?;
    if let Some(file) = &args.export {
        progress.export = Some(Export::create(file, &folder, game, &games)?);
    }
    let mut player_loader = PlayerLoader { engines: &mut engines, game, variant: &variant };
    let run = ArenaRun { arena: &arena, folder: &folder, contestants: &contestants };
    let context = RunContext { loader: &mut player_loader, progress: &mut progress, stop: &stop };
    let ended = run.play(args, concurrency, loaded.ledger, context)?;
    progress.finish();
    let saved = "finished games are saved; to resume";
    // A server offers to resume on its pages.
    let ended = ended.map_err(|error| match args.for_server {
        true => anyhow!("{error}"),
        false => anyhow!("{error}; {saved}: {resume}"),
    });
    let view = match view_of(&folder, &games, &Filter::default(), false) {
        Ok(view) => view,
        // A store that cannot be written may not be readable either: the first error is the one to
        // report.
        Err(error) => return Err(ended.err().unwrap_or(error)),
    };
    let view = view.with_replays(folder.dir(), &args.engines.as_arguments());
    let mut out = crate::output::stdout();
    match args.json {
        true => {
            let folder = folder.dir().display().to_string();
            write_event(&mut out, &Event::End { folder: &folder, view: &view })?;
        }
        false => write!(out, "{}", super::show::text(&view, folder.dir()))?,
    }
    ended?;
    if stop.is_stopped() && view.state != sandboard_arena_plan::State::Complete {
        error_line!("{saved}: {resume}");
    }
    Ok(())
}

/// The folder of dialogues, in the folder of an arena.
const DIALOGUE_FOLDER: &str = "dialogue";

/// The options of this session as arguments of a command that continues it, each after a blank.
fn session_arguments(args: &PlayArgs) -> String {
    let mut text = String::new();
    if args.trust_programs {
        text += " --trust-programs";
    }
    if args.dialogue {
        text += " --dialogue";
    }
    if let Some(file) = &args.export {
        text += &format!(" --export {}", shell_word(&file.to_string_lossy()));
    }
    text
}

/// An arena that is about to be played.
struct ArenaRun<'a> {
    arena: &'a Arena,
    folder: &'a ArenaFolder,
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "only workers need them"))]
    contestants: &'a [Contestant],
}

/// The caller's side of a run, besides its queue.
struct RunContext<'a, 'b> {
    loader: &'a mut PlayerLoader<'b>,
    progress: &'a mut Progress<'b>,
    stop: &'a Stop,
}

impl ArenaRun<'_> {
    /// Plays it on threads of this process, or on the workers of a broker.
    fn play(
        &self,
        args: &PlayArgs,
        concurrency: usize,
        ledger: Ledger,
        RunContext { loader, progress, stop }: RunContext<'_, '_>,
    ) -> Result<Result<(), RunError>> {
        #[cfg(feature = "nats")]
        if let Some(url) = &args.nats.url()? {
            if args.dialogue {
                return Err(usage("--dialogue does not apply to games on other machines (--nats)"));
            }
            let games = loader.engines.games();
            let queue = args.nats.queue(url, self.folder, &self.arena.id, &args.engines, games)?;
            for player in self.contestants {
                super::nats::provide(&queue, loader.engines, player)?;
            }
            let mut player_source = super::nats::PublishingLoader { loader, queue: &queue };
            let session = Session {
                queue: &queue,
                stop,
                ends_at_failed_starts: true,
                player_source: &mut player_source,
                observer: progress,
            };
            return Ok(run(self.arena, self.folder, ledger, session).1);
        }
        let dialogues = args.dialogue.then(|| {
            let path = self.folder.dir().join(DIALOGUE_FOLDER);
            let failed = || format!("cannot create {}", path.display());
            DialogueFolder::create(&path).with_context(failed)
        });
        let queue = Threads::new(concurrency).with_dialogues(dialogues.transpose()?);
        let session = Session {
            queue: &queue,
            stop,
            ends_at_failed_starts: true,
            player_source: loader,
            observer: progress,
        };
        Ok(run(self.arena, self.folder, ledger, session).1)
    }
}

/// `--nats` and the keys of workers as arguments of a command, without the password.
#[cfg(feature = "nats")]
pub(super) fn broker(args: &PlayArgs) -> Result<String> {
    // Errors in keys are found before a folder is created.
    args.nats.workers()?;
    let Some(url) = args.nats.url()? else { return Ok(String::new()) };
    let keys = args.nats.worker_key.iter().map(|key| format!(" --worker-key {key}"));
    let file = args.nats.worker_keys.iter();
    let file = file.map(|file| format!(" --worker-keys {}", shell_word(&file.to_string_lossy())));
    Ok(format!(" --nats {url}{}{}", keys.collect::<String>(), file.collect::<String>()))
}

#[cfg(not(feature = "nats"))]
pub(super) fn broker(_: &PlayArgs) -> Result<&'static str> {
    Ok("")
}

/// The stored state of a folder's arena.
pub(crate) fn view_of(
    folder: &sandboard_arena::OpenFolder,
    games: &Games,
    filter: &Filter,
    is_running: bool,
) -> Result<View> {
    let loaded = folder.load()?;
    let status = folder.wait(folder.reader().status())?;
    let status: Option<Status> = status.and_then(|text| serde_json::from_str(&text).ok());
    let openings = loaded.openings.as_deref().map_or(Vec::new(), Openings::texts);
    let name = folder.dir().file_name().unwrap_or_default().to_string_lossy();
    let statistics = ArenaStatistics {
        name: &name,
        game: game_named(games, &loaded.setup.game)?,
        setup: &loaded.setup,
        players: &loaded.players,
        openings: &openings,
        ledger: &loaded.ledger,
        is_running,
        status: status.as_ref(),
    };
    Ok(statistics.view(filter))
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    /// The arena starts or is resumed.
    Begin { folder: &'a str, id: &'a str },
    /// A game is stored.
    Game(GameRow),
    /// A game had no result and is played again.
    Replayed { game: String, reason: &'a str },
    /// A pair (from 1) is void: one of its games had no result in any attempt.
    Void { pair: u64, game: String, reason: &'a str },
    /// A request from another process was answered.
    Request { answer: &'a str },
    /// The arena is complete or interrupted.
    End { folder: &'a str, view: &'a View },
}

fn write_event(out: &mut dyn Write, event: &Event<'_>) -> Result<()> {
    writeln!(out, "{}", serde_json::to_string(event)?)?;
    Ok(())
}

/// Prints the progress of an arena.
struct Progress<'a> {
    bar: ProgressBar,
    json: bool,
    /// The number of games after which a table is printed; none: never.
    table_every: Option<u64>,
    /// The games that this process has counted.
    games: u64,
    /// The file that games are appended to.
    export: Option<Export>,
    folder: &'a ArenaFolder,
    arena: &'a Arena,
    setup: ArenaSetup,
    players: Vec<Contestant>,
    name: String,
    table_at: Instant,
}

impl<'a> Progress<'a> {
    fn new(
        loaded: &LoadedArena,
        args: &PlayArgs,
        folder: &'a ArenaFolder,
        arena: &'a Arena,
    ) -> Result<Self> {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        let style =
            ProgressStyle::with_template("{msg}\n{bar:20} {pos}/{len} games  {elapsed} elapsed");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        if args.json {
            let dir = folder.dir().display().to_string();
            write_event(
                &mut crate::output::stdout(),
                &Event::Begin { folder: &dir, id: &arena.id },
            )?;
        }
        let name = folder.dir().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (setup, players) = (loaded.setup.clone(), loaded.players.clone());
        let progress = Self {
            bar,
            json: args.json,
            table_every: args.table_every,
            games: 0,
            export: None,
            folder,
            arena,
            setup,
            players,
            name,
            table_at: Instant::now(),
        };
        progress.count(&loaded.ledger);
        Ok(progress)
    }

    fn count(&self, ledger: &Ledger) {
        let done =
            2 * ledger.counted_results().pairs.len() as u64 + u64::from(ledger.not_counted());
        let left = 2 * ledger.forecast().pairs_expected;
        self.bar.set_length((2 * ledger.counted_results().pairs.len() as u64 + left).max(done));
        self.bar.set_position(done);
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The lines of the table.
    fn table(&self, ledger: &Ledger, status: Option<&Status>) -> Vec<String> {
        let statistics = ArenaStatistics {
            name: &self.name,
            game: self.arena.conditions.game(),
            setup: &self.setup,
            players: &self.players,
            openings: &[],
            ledger,
            is_running: true,
            status,
        };
        present::live(&statistics.view(&Filter::default()), super::show::width_columns())
    }

    fn print_event(&self, event: &Event<'_>) {
        // A reader that closed standard output does not stop the arena.
        drop(write_event(&mut crate::output::stdout(), event));
    }
}

impl RunObserver for Progress<'_> {
    fn game_counted(&mut self, ledger: &Ledger, job: &Job, result: &GameResult) {
        if !self.bar.is_hidden() {
            self.count(ledger);
        }
        if let Some(fault) = &result.fault {
            log::info!("{}: {}: {}", job.name(), fault.code, result.sentence);
        }
        if self.json {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let stored_ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
            self.print_event(&Event::Game(GameRow::from_result(job, result, stored_ms)));
        }
        if let Some(export) = &mut self.export {
            export.append(self.folder, job.key());
        }
        self.games += 1;
        if self.table_every.is_some_and(|games| self.games.is_multiple_of(games)) {
            let lines = self.table(ledger, None).join("\n");
            self.bar.suspend(|| error_line!("{lines}"));
        }
    }

    fn game_replayed(&mut self, job: &Job, reason: &str) {
        self.bar.suspend(|| log::warn!("game {} is played again: {reason}", job.name()));
        if self.json {
            self.print_event(&Event::Replayed { game: job.name(), reason });
        }
    }

    fn pair_voided(&mut self, game: &UnresolvedGame) {
        let (name, reason) = (game.job.name(), &game.reason);
        let pair = u64::from(game.job.pair.number) + 1;
        self.bar.suspend(|| {
            log::warn!("pair {pair} is void: game {name} has no result in any attempt: {reason}");
        });
        if self.json {
            self.print_event(&Event::Void { pair, game: name, reason });
        }
    }

    fn player_joined(&mut self, player: &Contestant) {
        self.players.push(player.clone());
    }

    fn request_answered(&mut self, answer: &str) {
        self.bar.suspend(|| error_line!("note: {answer}"));
        if self.json {
            self.print_event(&Event::Request { answer });
        }
    }

    fn status_updated(&mut self, ledger: &Ledger, status: &Status) {
        if self.bar.is_hidden() || Instant::now() < self.table_at {
            return;
        }
        let began = Instant::now();
        let mut lines = self.table(ledger, Some(status));
        if status.stopping {
            lines.push(
                "stopping after the games in progress (press Ctrl-C again to end at once)".into(),
            );
        }
        self.bar.set_message(lines.join("\n"));
        self.table_at = Instant::now() + TABLE_EVERY.max(began.elapsed() * TABLE_SHARE);
    }
}
