//! External engines over a stream, for tests of this crate and of `sandboard protocol`. No process
//! is started.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use sandboard_abi::{Kind, Limits, OptionSpec, Setup, Unit};
use sandboard_engine::{Caps, Listener};
use sandboard_games::{GameInfo, Games, VariantInfo, reversi};
use sandboard_jail::CpuClock;
use sandboard_protocols::{Dialect, Protocol, ProtocolConfig};

use super::external_engine::{ExternalEngine, ProgramInfo};
use crate::watchdog::ProcessWatchdog;

/// A game with a variant that needs an option of UCI programs. Its rules are those of reversi.
pub const SHUFFLED: &str = "shuffled";

static SHUFFLED_INFO: GameInfo = GameInfo {
    id: SHUFFLED,
    variants: &[
        VariantInfo::of_one_size("standard", "the usual start position"),
        VariantInfo::of_one_size("chess960", "another start position"),
    ],
    ..reversi::INFO
};

/// Connects to a program over a stream. `options` are the manifest's names with their values;
/// `ours=theirs` for an option with another name in the protocol.
pub fn connect(
    stream: UnixStream,
    protocol: Protocol,
    options: &[(&str, &str)],
    listener: Arc<dyn Listener>,
) -> ExternalEngine {
    connect_with_clock(stream, protocol, options, (listener, None))
}

/// Like [`connect`], with this clock for its CPU time.
pub fn connect_with_clock(
    stream: UnixStream,
    protocol: Protocol,
    options: &[(&str, &str)],
    (listener, clock): (Arc<dyn Listener>, Option<CpuClock>),
) -> ExternalEngine {
    let renamed = |(name, _): &(&str, &str)| {
        name.split_once('=').map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
    };
    let option = |(name, initial): &(&str, &str)| OptionSpec {
        name: name.split('=').next().unwrap_or_default().into(),
        about: String::new(),
        kind: Kind::Text(64),
        initial: (*initial).into(),
        tunable: false,
    };
    let option_names = options.iter().filter_map(renamed).collect();
    let config = ProtocolConfig {
        protocol,
        dialect: Dialect::Same,
        option_names,
        ..ProtocolConfig::default()
    };
    let options = options.iter().map(option).collect::<Vec<_>>().into();
    let info = ProgramInfo {
        config: Arc::new(config),
        options,
        games: Games::default().with([&SHUFFLED_INFO]),
        has_files: false,
    };
    let killed = stream.try_clone().unwrap();
    let kill = move || drop(killed.shutdown(Shutdown::Both));
    let watchdog = |send_stop| ProcessWatchdog::new(kill, true, clock, send_stop);
    ExternalEngine::over_stream(stream, info, Caps::default(), listener, watchdog).unwrap()
}

/// The setup of a game.
pub fn setup(game: &str, variant: &str, moves: &str) -> Setup {
    Setup {
        game: game.into(),
        variant: variant.into(),
        start: String::new(),
        moves: moves.into(),
        seats: vec![0],
        seed: 0,
        options: Vec::new(),
        memory_bytes: 1 << 20,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// A time limit that even a busy machine does not exceed: 60 s for a move.
pub fn patient() -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(60_000_000), ..Limits::default() }
}
