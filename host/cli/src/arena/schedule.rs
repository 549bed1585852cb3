//! The arguments of each format of an arena: its players and its schedule.

use anyhow::Result;
use sandboard_tournament::schedule::Format;

use super::CreateArgs;
use super::create::{self, ArenaPlan};
use super::sprt::SprtArg;
use crate::seat::SeatSpec;

/// The most pairs of a match that a test decides.
const TEST_PAIRS_MAX: u32 = 100_000;
/// The upper limit of pairs, rounds and cycles.
const COUNT_MAX: i64 = 1_000_000;

const PLAYER_HELP: &str =
    "An engine's id, optionally with options and a budget: `id:option=value:threads=2@5s/move`";

/// Play a match between two engines, or as many as the game has players
///
/// Two engines play pairs of games: the same opening with the seats exchanged. More play tables: as
/// many games as players, in which each has every seat once, with the same deal. The exit code does
/// not depend on the result. For example: sandboard arena match alpha beta --pairs 100
#[derive(clap::Args, Debug)]
pub(super) struct MatchArgs {
    #[arg(value_name = "PLAYER", num_args = 0..=16, help = PLAYER_HELP)]
    players: Vec<SeatSpec>,
    /// The number of pairs of games, or of tables; with --sprt, the upper limit [default with
    /// --sprt: 100000]
    #[arg(long, value_name = "N", required_unless_present = "sprt")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    pairs: Option<u32>,
    /// Stop when a sequential test (SPRT) has decided whether A is better than B by at most ELO0 or
    /// by at least ELO1, in normalised Elo: `ELO0,ELO1[,alpha=0.05][,beta=0.05][,logistic]`
    #[arg(long, value_name = "TEST", allow_hyphen_values = true)]
    sprt: Option<SprtArg>,
    #[command(flatten)]
    create: CreateArgs,
}

/// Let one or more challengers play against all other players
///
/// For example: sandboard arena gauntlet new old1 old2 --cycles 50
#[derive(clap::Args, Debug)]
pub(super) struct GauntletArgs {
    #[arg(value_name = "PLAYER", num_args = 0.., help = PLAYER_HELP)]
    players: Vec<SeatSpec>,
    /// The number of challengers: the first N players
    #[arg(long, value_name = "N", default_value_t = 1)]
    challengers: u32,
    /// The number of pairs with each opponent
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    cycles: u32,
    #[command(flatten)]
    create: CreateArgs,
}

/// Play a round robin: each player plays against all others
///
/// In games of more than two players, each set of as many players plays a table.
///
/// For example: sandboard arena round-robin alpha beta gamma --cycles 2
#[derive(clap::Args, Debug)]
pub(super) struct RoundRobinArgs {
    #[arg(value_name = "PLAYER", num_args = 0.., help = PLAYER_HELP)]
    players: Vec<SeatSpec>,
    /// The number of pairs of each two players, or of tables of each set; 2 is a double round robin
    /// [default: 1; for `double-round-robin`: 2]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    cycles: Option<u32>,
    #[command(flatten)]
    create: CreateArgs,
}

/// Play a Swiss system: players with similar scores meet, and no two of them twice
///
/// In games of more than two players, those sit at a table that have met least often.
///
/// For example: sandboard arena swiss alpha beta gamma delta --rounds 3
#[derive(clap::Args, Debug)]
pub(super) struct SwissArgs {
    #[arg(value_name = "PLAYER", num_args = 0.., help = PLAYER_HELP)]
    players: Vec<SeatSpec>,
    /// The number of rounds. In games of two players: at most one fewer than players, or with an
    /// odd number of players as many as these
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    rounds: u32,
    #[command(flatten)]
    create: CreateArgs,
}

/// Play a knockout: the loser of each meeting is eliminated
///
/// For example: sandboard arena knockout alpha beta gamma delta --pairs 2
#[derive(clap::Args, Debug)]
pub(super) struct KnockoutArgs {
    #[arg(value_name = "PLAYER", num_args = 0.., help = PLAYER_HELP)]
    players: Vec<SeatSpec>,
    /// The number of pairs of each meeting
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    pairs: u32,
    /// The most extra pairs while a meeting is even; after them, the better seed advances
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=COUNT_MAX))]
    tie_breaks: u32,
    #[command(flatten)]
    create: CreateArgs,
}

/// Play a ladder: players of similar strength meet, until --pairs are played
///
/// For example: sandboard arena ladder alpha beta gamma --pairs 1000
#[derive(clap::Args, Debug)]
pub(super) struct LadderArgs {
    #[arg(value_name = "PLAYER", num_args = 0.., help = PLAYER_HELP)]
    players: Vec<SeatSpec>,
    /// The number of pairs, or of tables
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pairs: u32,
    #[command(flatten)]
    create: CreateArgs,
}

fn run(format: Format, players: &[SeatSpec], create: &CreateArgs) -> Result<()> {
    create::run(create, &ArenaPlan { format, players, sprt: None })
}

impl MatchArgs {
    pub(super) fn run(&self) -> Result<()> {
        let format = Format::Match { pairs: self.pairs.unwrap_or(TEST_PAIRS_MAX) };
        let sprt = self.sprt.map(|SprtArg(setup)| setup);
        create::run(&self.create, &ArenaPlan { format, players: &self.players, sprt })
    }
}

impl GauntletArgs {
    pub(super) fn run(&self) -> Result<()> {
        let format = Format::Gauntlet { challengers: self.challengers, cycles: self.cycles };
        run(format, &self.players, &self.create)
    }
}

impl RoundRobinArgs {
    pub(super) fn run(&self, double: bool) -> Result<()> {
        let cycles = self.cycles.unwrap_or(if double { 2 } else { 1 });
        run(Format::RoundRobin { cycles }, &self.players, &self.create)
    }
}

impl SwissArgs {
    pub(super) fn run(&self) -> Result<()> {
        run(Format::Swiss { rounds: self.rounds }, &self.players, &self.create)
    }
}

impl KnockoutArgs {
    pub(super) fn run(&self) -> Result<()> {
        let format = Format::Knockout { pairs: self.pairs, tie_breaks: self.tie_breaks };
        run(format, &self.players, &self.create)
    }
}

impl LadderArgs {
    pub(super) fn run(&self) -> Result<()> {
        run(Format::Ladder { pairs: self.pairs }, &self.players, &self.create)
    }
}
