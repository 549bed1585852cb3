//! An arena is played, be it new or one that was begun, and what comes of it is told: a bar and a table on a terminal,
//! JSON lines for programs.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::RwLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::PlayArgs;
use super::begin::{Begun, openings_again};
use super::notes::{busy_cores, notes};
use super::players::{Office, contestant_again, sized};
use crate::arena::{
    Arena, ArenaFolder, ArenaSetup, Conditions, Contestant, Filter, GameResult, GameRow, Hopeless,
    Job, Ledger, Loaded, Openings, Rival, RunError, Session, Status, Survey, Threads, View,
    Watcher, present, run, usual_concurrency,
};
use crate::cli::engines::{Engines, shell_word};
use crate::cli::{game_named, interrupt, threads, variant_of};
use crate::ordered::Stop;
use crate::record::Start;

/// How often the running table is made anew, at most, and of all time it takes this share.
const TABLE_EVERY: Duration = Duration::from_secs(1);
const TABLE_SHARE: u32 = 20;

/// Goes on with the arena of a folder.
pub fn go_on(dir: &Path, args: &PlayArgs) -> Result<()> {
    let folder = ArenaFolder::open(dir)?;
    let loaded = folder.load()?;
    let setup = &loaded.setup;
    let mut engines = Engines::open(&args.engines)?;
    let game = game_named(&setup.game)?;
    let variant = sized(game, &variant_of(game, Some(&setup.variant))?)?;
    let openings = openings_again(setup, loaded.openings, &folder, (game, &variant))?;
    let again = |player| contestant_again(&mut engines, player, (game, &variant));
    let players = loaded.players.iter().map(again).collect::<Result<Vec<_>>>()?;
    let start = Start { game, variant, position: None };
    play(Begun { folder, engines, start, openings, players, notes: Vec::new() }, args)
}

/// Plays an arena as far as it goes.
pub fn play(begun: Begun, args: &PlayArgs) -> Result<()> {
    let Begun { folder, mut engines, start, openings, players, notes: decided } = begun;
    let loaded = folder.load()?;
    let contestants: Vec<_> = players.iter().map(|(player, _)| player.clone()).collect();
    let usual = threads::games_at_once(busy_cores(&contestants), usual_concurrency());
    let concurrency = args.concurrency.map_or(usual, usize::from);
    let dir = shell_word(&folder.dir().to_string_lossy());
    let again = format!("sandboard arena --resume {dir}{}{}", args.engines.typed(), broker(args)?);
    if !loaded.ledger.is_complete() {
        let left = loaded.ledger.forecast().expected;
        let notes = notes(&loaded.setup, &contestants, start.game, left, concurrency);
        for note in notes.into_iter().chain(decided) {
            eprintln!("note: {note}");
        }
        eprintln!("to go on after an interruption: {again}");
    }
    let variant = start.variant.clone();
    let game = start.game;
    let rival = |(player, engine): (Contestant, _)| Rival {
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
    let mut teller = Teller::new(&loaded, args.json, &folder, &arena)?;
    let mut office = Office { engines: &mut engines, game, variant: &variant };
    let played = Played { arena: &arena, folder: &folder, contestants: &contestants };
    let hands = Hands { office: &mut office, teller: &mut teller, stop: &stop };
    let ended = played.by(args, concurrency, loaded.ledger, hands)?;
    teller.finish();
    let finished = "what is finished is kept, to go on";
    let ended = ended.map_err(|error| anyhow!("{error}; {finished}: {again}"));
    let view = match view_of(&folder, &Filter::default(), false) {
        Ok(view) => view,
        // A store that takes nothing may show nothing either: the first reason is the one to tell.
        Err(error) => return Err(ended.err().unwrap_or(error)),
    };
    let view = view.with_replays(folder.dir(), &args.engines.typed());
    let mut out = std::io::stdout().lock();
    match args.json {
        true => {
            told(&mut out, &Told::End { folder: &folder.dir().display().to_string(), view: &view })?
        }
        false => write!(out, "{}", super::show::text(&view, folder.dir()))?,
    }
    ended?;
    if stop.is_stopped() && view.state != crate::arena::State::Complete {
        eprintln!("{finished}: {again}");
    }
    Ok(())
}

/// An arena that is about to be played.
struct Played<'a> {
    arena: &'a Arena,
    folder: &'a ArenaFolder,
    contestants: &'a [Contestant],
}

/// Who sees to it beside its queue.
struct Hands<'a, 'b> {
    office: &'a mut Office<'b>,
    teller: &'a mut Teller<'b>,
    stop: &'a Stop,
}

impl Played<'_> {
    /// Plays it by threads of this process, or by whoever listens to a broker.
    fn by(
        &self,
        args: &PlayArgs,
        concurrency: usize,
        ledger: Ledger,
        Hands { office, teller, stop }: Hands<'_, '_>,
    ) -> Result<Result<(), RunError>> {
        #[cfg(feature = "nats")]
        if let Some(url) = &args.nats.url()? {
            let queue = args.nats.queue(url, self.folder, &self.arena.id, &args.engines)?;
            for player in self.contestants {
                super::nats::provide(&queue, office.engines, player)?;
            }
            let mut recruiter = super::nats::Recruits { office, queue: &queue };
            let session =
                Session { queue: &queue, stop, recruiter: &mut recruiter, watcher: teller };
            return Ok(run(self.arena, self.folder, ledger, session).1);
        }
        let queue = Threads::new(concurrency);
        let session = Session { queue: &queue, stop, recruiter: office, watcher: teller };
        Ok(run(self.arena, self.folder, ledger, session).1)
    }
}

/// The broker as it would be typed again, without what is secret.
#[cfg(feature = "nats")]
pub fn broker(args: &PlayArgs) -> Result<String> {
    Ok(args.nats.url()?.map_or_else(String::new, |url| format!(" --nats {url}")))
}

#[cfg(not(feature = "nats"))]
pub fn broker(_: &PlayArgs) -> Result<&'static str> {
    Ok("")
}

/// What is told of a folder's arena, as it is kept.
pub fn view_of(
    folder: &crate::arena::OpenFolder,
    filter: &Filter,
    is_played: bool,
) -> Result<View> {
    let loaded = folder.load()?;
    let status = folder.wait(folder.reader().status())?;
    let status: Option<Status> = status.and_then(|text| serde_json::from_str(&text).ok());
    let openings = loaded.openings.as_deref().map_or(Vec::new(), Openings::texts);
    let name = folder.dir().file_name().unwrap_or_default().to_string_lossy();
    let survey = Survey {
        name: &name,
        game: game_named(&loaded.setup.game)?,
        setup: &loaded.setup,
        players: &loaded.players,
        openings: &openings,
        ledger: &loaded.ledger,
        is_played,
        status: status.as_ref(),
    };
    Ok(survey.view(filter))
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Told<'a> {
    /// It begins, or goes on.
    Begin { folder: &'a str, id: &'a str },
    /// A game is kept.
    Game(GameRow),
    /// A game had no result, and is played again.
    Again { game: String, reason: &'a str },
    /// A pair (from 1) is void, since a game of it had no result, however often it was played.
    Void { pair: u64, game: String, reason: &'a str },
    /// Somebody asked something, and was answered so.
    Asked { answer: &'a str },
    /// It is over, or interrupted.
    End { folder: &'a str, view: &'a View },
}

fn told(out: &mut dyn Write, told: &Told<'_>) -> Result<()> {
    writeln!(out, "{}", serde_json::to_string(told)?)?;
    Ok(())
}

/// Tells how an arena gets on.
struct Teller<'a> {
    bar: ProgressBar,
    json: bool,
    arena: &'a Arena,
    setup: ArenaSetup,
    players: Vec<Contestant>,
    name: String,
    table_at: Instant,
}

impl<'a> Teller<'a> {
    fn new(loaded: &Loaded, json: bool, folder: &ArenaFolder, arena: &'a Arena) -> Result<Self> {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        let style =
            ProgressStyle::with_template("{msg}\n{bar:20} {pos}/{len} games  {elapsed} passed");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        if json {
            let dir = folder.dir().display().to_string();
            told(&mut std::io::stdout().lock(), &Told::Begin { folder: &dir, id: &arena.id })?;
        }
        let name = folder.dir().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (setup, players) = (loaded.setup.clone(), loaded.players.clone());
        let teller = Self { bar, json, arena, setup, players, name, table_at: Instant::now() };
        teller.count(&loaded.ledger);
        Ok(teller)
    }

    fn count(&self, ledger: &Ledger) {
        let done = 2 * ledger.standing().pairs.len() as u64 + u64::from(ledger.not_counted());
        let left = 2 * ledger.forecast().expected;
        self.bar.set_length((2 * ledger.standing().pairs.len() as u64 + left).max(done));
        self.bar.set_position(done);
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, line: &Told<'_>) {
        // Whoever read the lines has gone; the arena goes on all the same.
        drop(told(&mut std::io::stdout().lock(), line));
    }
}

impl Watcher for Teller<'_> {
    fn done(&mut self, ledger: &Ledger, job: &Job, result: &GameResult) {
        if !self.bar.is_hidden() {
            self.count(ledger);
        }
        if let Some(fault) = &result.fault {
            log::info!("{}: {}: {}", job.name(), fault.code, result.sentence);
        }
        if self.json {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let stored_ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
            self.say(&Told::Game(GameRow::of(job, result, stored_ms)));
        }
    }

    fn again(&mut self, job: &Job, reason: &str) {
        self.bar.suspend(|| log::warn!("game {} is played again: {reason}", job.name()));
        if self.json {
            self.say(&Told::Again { game: job.name(), reason });
        }
    }

    fn void(&mut self, game: &Hopeless) {
        let (name, reason) = (game.job.name(), &game.reason);
        let pair = u64::from(game.job.pair.number) + 1;
        self.bar.suspend(|| {
            log::warn!("pair {pair} is void: game {name} has no result, however often it is played: {reason}");
        });
        if self.json {
            self.say(&Told::Void { pair, game: name, reason });
        }
    }

    fn joined(&mut self, player: &Contestant) {
        self.players.push(player.clone());
    }

    fn asked(&mut self, answer: &str) {
        self.bar.suspend(|| eprintln!("note: {answer}"));
        if self.json {
            self.say(&Told::Asked { answer });
        }
    }

    fn tick(&mut self, ledger: &Ledger, status: &Status) {
        if self.bar.is_hidden() || Instant::now() < self.table_at {
            return;
        }
        let began = Instant::now();
        let survey = Survey {
            name: &self.name,
            game: self.arena.conditions.game(),
            setup: &self.setup,
            players: &self.players,
            openings: &[],
            ledger,
            is_played: true,
            status: Some(status),
        };
        let view = survey.view(&Filter::default());
        let mut lines = present::live(&view, super::show::width_columns());
        if status.stopping {
            lines.push("the games in play are finished (Ctrl-C again: end at once)".into());
        }
        self.bar.set_message(lines.join("\n"));
        self.table_at = Instant::now() + TABLE_EVERY.max(began.elapsed() * TABLE_SHARE);
    }
}
