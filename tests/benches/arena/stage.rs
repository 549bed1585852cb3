//! Plays an arena of two random movers in a folder of its own and measures its costs.

use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use sandboard_arena::{Arena, ArenaFolder, Session, Stop, Threads, run};
use sandboard_arena_plan::{
    ArenaPlayer, ArenaSetup, Conditions, Contestant, FORMAT, Format, Ledger, VERSION,
};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_engine::EngineSource;

/// Costs of an arena.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub games: u64,
    pub plies: u64,
    pub wall: Duration,
    /// CPU time of all threads of this process, in seconds.
    pub cpu_s: f64,
    /// Size of the arena's folder at the end.
    pub disk_bytes: u64,
}

/// The games to play.
#[derive(Clone, Copy)]
pub(crate) struct Games<'a> {
    pub source: &'a Arc<dyn EngineSource>,
    pub pairs: u32,
    pub budget: &'a str,
    /// Number of plies after which a game is a draw.
    pub plies_max: u32,
}

/// The start of gomoku games and the rules of their bouts.
pub(crate) fn start() -> StartPosition {
    let game = sandboard_games::Games::default().find("gomoku").expect("gomoku is a game");
    let variant = game.variant("freestyle").expect("freestyle is a variant");
    let sized = (game.new)(&variant, None).expect("it begins").variant();
    StartPosition::new(game, sized, None)
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
            limits: Default::default(),
            threads: 1,
            fuel_meter: self.source.fuel_meter(),
            jail: self.source.confinement(),
        }
    }

    /// Plays the games one at a time, in a new folder.
    pub(crate) fn play(&self) -> Cost {
        let home = tempfile::tempdir().expect("a folder");
        let players = ["a", "b"].map(|name| self.contestant(name));
        let start = start();
        let settings =
            BoutSettings { undo: false, plies_max: self.plies_max, ..BoutSettings::default() };
        let setup = ArenaSetup {
            format: FORMAT.into(),
            version: VERSION,
            host: String::new(),
            id: "0123456789abcdef".into(),
            created_at: String::new(),
            game: start.game.id.into(),
            rules: None,
            variant: start.variant.text(),
            seed: 1,
            seed_key: None,
            schedule: Format::Match { pairs: self.pairs },
            seats: 2,
            shares_chance: false,
            openings: None,
            settings,
            sprt: None,
            players: players.to_vec(),
        };
        let arena_player = |player: &Contestant| ArenaPlayer {
            name: player.name.clone(),
            budget: player.budget,
            engine: EnginePlayer::new(self.source.clone(), "random-mover"),
            ponders: false,
        };
        let arena = Arena {
            id: setup.id.clone(),
            conditions: Conditions::new(start, Vec::new(), setup.plan(), settings)
                .expect("it begins"),
            players: RwLock::new(players.iter().map(arena_player).collect()),
        };
        let folder = ArenaFolder::create(home.path(), None, &setup, None).expect("a folder");
        let ledger = Ledger::new(&setup).expect("a tournament");
        let (stop, mut no_source) = (Stop::default(), ());
        let mut observer = ();
        let queue = Threads::new(1);
        let session = Session {
            queue: &queue,
            stop: &stop,
            ends_at_failed_starts: true,
            player_source: &mut no_source,
            observer: &mut observer,
        };
        let (wall, cpu_s) = (Instant::now(), cpu_s());
        let (ledger, ended) = run(&arena, &folder, ledger, session);
        ended.expect("the arena finishes");
        let cpu_s = self::cpu_s() - cpu_s;
        let counted = ledger.counted_results();
        let games = 2 * counted.pairs.len() as u64;
        assert_eq!(games, 2 * u64::from(self.pairs));
        let (plies, wall) = (counted.plies, wall.elapsed());
        drop(folder);
        let file = std::fs::metadata(home.path().join("arena.db"));
        Cost { games, plies, wall, cpu_s, disk_bytes: file.map_or(0, |file| file.len()) }
    }
}

impl Cost {
    pub(crate) fn cpu_us_per_ply(&self) -> f64 {
        self.cpu_s * 1e6 / self.plies as f64
    }

    pub(crate) fn cpu_us_per_game(&self) -> f64 {
        self.cpu_s * 1e6 / self.games as f64
    }
}

/// CPU time of this process so far, in seconds: all threads, user and system.
pub(crate) fn cpu_s() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}
