//! An arena of two random movers in a folder of its own, and what it costs.

use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use sandboard_host::arena::{
    Arena, ArenaFolder, ArenaSetup, Conditions, Contestant, FORMAT, Format, Ledger, Rival, Session,
    Stop, Threads, VERSION, run,
};
use sandboard_host::bout::EnginePlayer;
use sandboard_host::engine::EngineSource;
use sandboard_host::record::Start;
use sandboard_host::referee::Settings;

/// What one arena cost.
#[derive(Clone, Copy)]
pub struct Cost {
    pub games: u64,
    pub plies: u64,
    pub wall: Duration,
    /// Of this process, all threads, in seconds.
    pub cpu_s: f64,
    /// What its folder holds at the end.
    pub disk_bytes: u64,
}

/// What is played.
#[derive(Clone, Copy)]
pub struct Games<'a> {
    pub source: &'a Arc<dyn EngineSource>,
    pub pairs: u32,
    pub budget: &'a str,
    /// After so many moves a game is a draw.
    pub plies_max: u32,
}

/// Where a game of gomoku begins, and the rules of its bout.
pub fn start() -> Start {
    let game = sandboard_games::game("gomoku").expect("gomoku is a game");
    let variant = game.variant("freestyle").expect("freestyle is a variant");
    let sized = (game.new)(&variant, None).expect("it begins").variant();
    Start { game, variant: sized, position: None }
}

impl Games<'_> {
    fn contestant(&self, name: &str) -> Contestant {
        Contestant {
            name: name.into(),
            rating: 0,
            engine: "random-mover".into(),
            version: String::new(),
            module_sha256: String::new(),
            assets: Default::default(),
            options: Default::default(),
            budget: self.budget.parse().expect("a budget"),
            ponders: false,
            memory_bytes: 0,
            threads: 1,
            fuel_clock: self.source.fuel_clock(),
            jail: self.source.confinement(),
        }
    }

    /// Plays them one at a time, in a new folder.
    pub fn play(&self) -> Cost {
        let home = tempfile::tempdir().expect("a folder");
        let players = ["a", "b"].map(|name| self.contestant(name));
        let start = start();
        let settings = Settings { undo: false, plies_max: self.plies_max, ..Settings::default() };
        let setup = ArenaSetup {
            format: FORMAT.into(),
            version: VERSION,
            host: String::new(),
            id: "0123456789abcdef".into(),
            created_at: String::new(),
            game: start.game.id.into(),
            variant: start.variant.text(),
            seed: 1,
            sealed: None,
            schedule: Format::Match { pairs: self.pairs },
            openings: None,
            settings,
            sprt: None,
            players: players.to_vec(),
        };
        let rival = |player: &Contestant| Rival {
            name: player.name.clone(),
            budget: player.budget,
            engine: EnginePlayer::new(self.source.clone(), "random-mover"),
            ponders: false,
        };
        let arena = Arena {
            id: setup.id.clone(),
            conditions: Conditions::new(start, Vec::new(), setup.plan(), settings)
                .expect("it begins"),
            players: RwLock::new(players.iter().map(rival).collect()),
        };
        let folder = ArenaFolder::create(home.path(), None, &setup, None).expect("a folder");
        let ledger = Ledger::new(&setup).expect("a tournament");
        let (stop, mut nobody) = (Stop::default(), ());
        let mut watcher = ();
        let queue = Threads::new(1);
        let session =
            Session { queue: &queue, stop: &stop, recruiter: &mut nobody, watcher: &mut watcher };
        let (wall, cpu_s) = (Instant::now(), cpu_s());
        let (ledger, ended) = run(&arena, &folder, ledger, session);
        ended.expect("all is played");
        let cpu_s = self::cpu_s() - cpu_s;
        let standing = ledger.standing();
        let games = 2 * standing.pairs.len() as u64;
        assert_eq!(games, 2 * u64::from(self.pairs));
        let (plies, wall) = (standing.plies, wall.elapsed());
        drop(folder);
        let file = std::fs::metadata(home.path().join("arena.db"));
        Cost { games, plies, wall, cpu_s, disk_bytes: file.map_or(0, |file| file.len()) }
    }
}

impl Cost {
    pub fn cpu_us_per_ply(&self) -> f64 {
        self.cpu_s * 1e6 / self.plies as f64
    }

    pub fn cpu_us_per_game(&self) -> f64 {
        self.cpu_s * 1e6 / self.games as f64
    }
}

/// Seconds of CPU time of this process so far, all threads, user and system.
pub fn cpu_s() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}
