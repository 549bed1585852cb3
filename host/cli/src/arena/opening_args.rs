//! The openings of a new arena, by its arguments: which file, which of its openings come first, and
//! how long they are. Whatever the file is, the arena stores the chosen openings as a text of
//! positions and lines of moves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::ValueEnum;
use sandboard_games::splitmix::{self, SplitMix64};
use sandboard_games::{GameInfo, Games, Variant};

use crate::{convert, usage};
use sandboard_arena::read_openings;
use sandboard_arena_plan::{OPENINGS_BYTES, Openings};
use sandboard_common::files::read_regular;
use sandboard_common::text::counted;

/// The stream of random numbers for the order of openings, which shares no number with other uses
/// of an arena's seed.
const ORDER_STREAM: u64 = 0x6f70_656e_696e_6773;
/// The extension of texts of openings, which a game may also give to texts of moves.
const TEXT_EXTENSION: &str = "txt";

/// Arguments of the openings of a new arena.
#[derive(clap::Args, Debug)]
pub(crate) struct OpeningArgs {
    /// A file of openings: each line has moves from the start position, or a position; `#` starts
    /// a comment. Or a file of games in a format of the game (PGN, EPD, SGF, …), by its extension.
    /// Pairs use them in turn [default: the start position; for a game with random starts, a deal
    /// for each opening, from the seed]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// The order of the openings: that of the file, or a random one, which depends on --seed
    /// [default: file]
    #[arg(long, value_enum, value_name = "ORDER", requires = "openings")]
    opening_order: Option<Order>,
    /// The opening to begin with, counted from 1 in this order; those before it come last
    #[arg(long, value_name = "N", requires = "openings")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    opening_start: Option<u32>,
    /// The most moves of an opening: longer games and lines of moves are cut [default: all]
    #[arg(long, value_name = "N", requires = "openings")]
    opening_plies: Option<u32>,
    /// Random openings of N plies, up to 1000 different ones, which depend on --seed. They need not
    /// be fair: `arena openings` finds balanced ones
    #[arg(long, value_name = "N", conflicts_with = "openings")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    opening_random: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// The order of the file
    File,
    /// A random order, which depends on --seed
    Random,
}

/// The most random openings.
const RANDOM_MAX: usize = 1000;
/// How many random lines are drawn for each opening that is wanted: some lines end the game, others
/// were drawn before.
const DRAWS_FOR_EACH: usize = 20;
/// How an arena remembers random openings, after their number of plies.
const RANDOM_SOURCE: &str = " random plies";
/// The stream of random numbers for random openings.
const RANDOM_STREAM: u64 = 0x7261_6e64_6f6d_6f70;

impl OpeningArgs {
    /// Where the openings come from, as the arena remembers it; none: there are none.
    pub(super) fn source(&self) -> Option<String> {
        let file = self.openings.as_deref().map(|file| file.display().to_string());
        file.or_else(|| self.opening_random.map(|plies| format!("{plies}{RANDOM_SOURCE}")))
    }

    /// The chosen openings; none without a file.
    pub(super) fn load(
        &self,
        games: &Games,
        seed: u64,
        (game, variant): (&'static GameInfo, &Variant),
    ) -> Result<Option<Openings>> {
        if let Some(plies) = self.opening_random {
            return random_openings(plies, seed, (game, variant)).map(Some);
        }
        let Some(path) = &self.openings else { return Ok(None) };
        let mut lines = match is_game_file(path, game) {
            true => self.lines_of_games(games, path, (game, variant))?,
            false => {
                let openings = read_openings(path, game, variant).map_err(usage)?;
                if self.takes_all_in_order() {
                    return Ok(Some(openings));
                }
                let lines = Openings::texts(&openings.bytes);
                lines.into_iter().map(|line| self.cut(line, (game, variant))).collect()
            }
        };
        if self.opening_order == Some(Order::Random) {
            shuffle(&mut lines, seed);
        }
        let before = self.opening_start.map_or(0, |start| start as usize - 1);
        if before >= lines.len() {
            let (number, count) = (before + 1, counted(lines.len(), "opening"));
            return Err(usage(format!("--opening-start {number}: {} has {count}", path.display())));
        }
        lines.rotate_left(before);
        let text = lines.join("\n") + "\n";
        Ok(Some(Openings::parse(text.into_bytes(), path, game, variant).map_err(usage)?))
    }

    /// Whether the file is used as it is.
    fn takes_all_in_order(&self) -> bool {
        self.opening_order != Some(Order::Random)
            && self.opening_start.is_none()
            && self.opening_plies.is_none()
    }

    /// The positions after the moves of a file's games.
    fn lines_of_games(
        &self,
        games: &Games,
        path: &Path,
        (game, variant): (&'static GameInfo, &Variant),
    ) -> Result<Vec<String>> {
        let unread = |error| anyhow!("the openings {} cannot be read: {error}", path.display());
        let bytes = read_regular(path, OPENINGS_BYTES).map_err(unread)?;
        let found = convert::games(games, path, "--openings", &bytes, (game, variant))?;
        if let Some((number, (_, illegal))) = (1..).zip(&found).find(|(_, (_, it))| *it > 0) {
            let illegal = counted(*illegal, "illegal move");
            return Err(usage(format!("{}: game {number} has {illegal}", path.display())));
        }
        let plies = self.opening_plies.map_or(usize::MAX, |plies| plies as usize);
        let position = |(number, (found, _)): (usize, (convert::ConvertedGame, usize))| {
            let wrong = |reason: &dyn std::fmt::Display| {
                usage(format!("{}: game {number}: {reason}", path.display()))
            };
            let mut position = found.start.set_up().map_err(|error| wrong(&error))?;
            for node in found.tree.main_line().take(plies) {
                position.play(node.mv).map_err(|refusal| wrong(&refusal))?;
            }
            match position.ending() {
                Some(ending) => Err(wrong(&format_args!(
                    "it is over after these moves ({}); take fewer with --opening-plies",
                    ending.reason
                ))),
                None => Ok(position.position()),
            }
        };
        (1..).zip(found).map(position).collect()
    }

    /// A line of moves with at most the moves that are wanted. A position stays as it is.
    fn cut(&self, line: String, (game, variant): (&'static GameInfo, &Variant)) -> String {
        match self.opening_plies {
            Some(plies) if (game.new)(variant, Some(&line)).is_err() => {
                line.split_whitespace().take(plies as usize).collect::<Vec<_>>().join(" ")
            }
            _ => line,
        }
    }
}

/// The plies of random openings, if an arena remembers its openings as these.
pub(super) fn random_plies(source: &str) -> Option<u32> {
    source.strip_suffix(RANDOM_SOURCE)?.parse().ok()
}

/// Different random lines of this number of plies after which the game goes on.
fn random_openings(
    plies: u32,
    seed: u64,
    (game, variant): (&'static GameInfo, &Variant),
) -> Result<Openings> {
    let wrong = |reason: &str| usage(format!("--opening-random {plies}: {reason}"));
    if game.deal.is_some() || game.features.chance {
        return Err(wrong("the games of this variant have random starts already"));
    }
    let mut random = SplitMix64::new(splitmix::mix(splitmix::mix(seed) ^ RANDOM_STREAM));
    let mut lines = Vec::new();
    let mut known = BTreeSet::new();
    for _ in 0..RANDOM_MAX * DRAWS_FOR_EACH {
        if lines.len() == RANDOM_MAX {
            break;
        }
        let mut position = (game.new)(variant, None).map_err(usage)?;
        let mut moves = Vec::new();
        while moves.len() < plies as usize && position.ending().is_none() {
            let mut legal = String::new();
            position.write_legal(&mut legal);
            let legal: Vec<&str> = legal.split_whitespace().collect();
            let chosen = (u128::from(random.next_u64()) * legal.len() as u128) >> 64;
            let Some(mv) = legal.get(chosen as usize).map(|mv| (*mv).to_owned()) else { break };
            position.play(&mv).map_err(|refusal| wrong(&refusal.to_string()))?;
            moves.push(mv);
        }
        let is_whole = moves.len() == plies as usize && position.ending().is_none();
        // Other orders of the same moves lead to the same game.
        if is_whole && known.insert(position.position()) {
            lines.push(moves.join(" "));
        }
    }
    if lines.is_empty() {
        return Err(wrong("no game goes on after this number of plies"));
    }
    let text = lines.join("\n") + "\n";
    Openings::parse(text.into_bytes(), Path::new("random openings"), game, variant).map_err(usage)
}

/// Whether the extension of a file is that of games, not that of a text of openings.
fn is_game_file(path: &Path, game: &GameInfo) -> bool {
    let extension = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase());
    extension.filter(|it| it != TEXT_EXTENSION).is_some_and(|extension| {
        let mut readable = game.formats.iter().filter(|format| format.read.is_some());
        readable.any(|format| format.extensions.contains(&extension.as_str()))
    })
}

/// Puts the lines into a random order (R. Durstenfeld, *Algorithm 235: Random permutation*, 1964).
fn shuffle(lines: &mut [String], seed: u64) {
    let mut random = SplitMix64::new(splitmix::mix(splitmix::mix(seed) ^ ORDER_STREAM));
    for count in (2..=lines.len()).rev() {
        let chosen = (u128::from(random.next_u64()) * count as u128) >> 64;
        lines.swap(count - 1, chosen as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_games::gomoku::INFO;

    fn args(order: Option<Order>, start: Option<u32>, plies: Option<u32>) -> OpeningArgs {
        OpeningArgs {
            openings: None,
            opening_order: order,
            opening_start: start,
            opening_plies: plies,
            opening_random: None,
        }
    }

    /// The positions of a file with this name and content, or the error.
    fn load(name: &str, content: &str, args: OpeningArgs) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let variant = INFO.variant("freestyle-15").unwrap();
        let args = OpeningArgs { openings: Some(path), ..args };
        let openings = args.load(&Games::default(), 7, (&INFO, &variant));
        let openings = openings.map_err(|error| error.to_string())?.unwrap();
        Ok(openings.starts.iter().filter_map(|start| start.position.clone()).collect())
    }

    const LINES: &str = "h8 i9\n# none\nh8 h9 j8\ng8\nf8 g9 # short\n";
    const GAMES: &str = "(;FF[4]GM[4]SZ[15];B[hh];W[ih];B[jh])(;FF[4]GM[4]SZ[15];B[gh];W[fh])";

    #[track_caller]
    fn check(found: Result<Vec<String>, String>, lines: &str) {
        assert_eq!(found.unwrap(), load("own.txt", lines, args(None, None, None)).unwrap());
    }

    #[test]
    fn openings_begin_anywhere_and_are_cut() {
        check(load("o.txt", LINES, args(None, None, None)), "h8 i9\nh8 h9 j8\ng8\nf8 g9");
        check(load("o.txt", LINES, args(Some(Order::File), None, None)), LINES);
        check(load("o.txt", LINES, args(None, Some(3), None)), "g8\nf8 g9\nh8 i9\nh8 h9 j8");
        check(load("o.txt", LINES, args(None, None, Some(2))), "h8 i9\nh8 h9\ng8\nf8 g9");
        let position = "15/15/15/15/15/15/7o7/7xx6/15/15/15/15/15/15/15 w";
        check(load("o.txt", position, args(None, None, Some(1))), position);
        let refused = load("o.txt", LINES, args(None, Some(5), None)).unwrap_err();
        assert!(refused.ends_with("o.txt has 4 openings"), "{refused}");
    }

    #[test]
    fn games_are_openings() {
        check(load("o.sgf", GAMES, args(None, None, None)), "h8 i8 j8\ng8 f8");
        check(load("o.SGF", GAMES, args(None, Some(2), Some(1))), "g8\nh8");
        let illegal = load("o.sgf", "(;FF[4]GM[4]SZ[15];B[hh];W[hh])", args(None, None, None));
        assert!(illegal.unwrap_err().contains("o.sgf: game 1 has 1 illegal move"));
        let won = "(;FF[4]GM[4]SZ[15];B[ah];W[ag];B[bh];W[bg];B[ch];W[cg];B[dh];W[dg];B[eh])";
        let over = load("o.sgf", won, args(None, None, None)).unwrap_err();
        assert!(over.contains("o.sgf: game 1: it is over after these moves"), "{over}");
        check(load("o.sgf", won, args(None, None, Some(2))), "a8 a9");
        let other = load("o.sgf", "no games", args(None, None, None)).unwrap_err();
        assert!(other.contains("o.sgf"), "{other}");
    }

    #[test]
    fn random_openings_depend_on_the_seed_alone() {
        let lines = |plies: u32, seed: u64, variant: &str| {
            let variant = INFO.variant(variant).unwrap();
            let found = random_openings(plies, seed, (&INFO, &variant));
            found.map(|found| Openings::texts(&found.bytes)).map_err(|error| error.to_string())
        };
        let drawn = lines(4, 1, "freestyle-15").unwrap();
        assert_eq!(drawn, lines(4, 1, "freestyle-15").unwrap());
        assert_ne!(drawn, lines(4, 2, "freestyle-15").unwrap());
        assert_eq!(drawn.len(), RANDOM_MAX);
        assert!(drawn.iter().all(|line| line.split(' ').count() == 4));
        // A board of 5×5 has 25 first moves.
        assert_eq!(lines(1, 1, "freestyle-5").unwrap().len(), 25);
        let full = lines(25, 1, "freestyle-5").unwrap_err();
        assert_eq!(full, "--opening-random 25: no game goes on after this number of plies");
    }

    #[test]
    fn a_random_order_depends_on_the_seed_alone() {
        let in_order = |seed| {
            let mut lines: Vec<String> = (0..50).map(|number| number.to_string()).collect();
            shuffle(&mut lines, seed);
            lines
        };
        assert_eq!(in_order(1), in_order(1));
        assert_ne!(in_order(1), in_order(2));
        let mut sorted = in_order(1);
        sorted.sort_by_key(|line| line.parse::<u32>().unwrap());
        assert_eq!(sorted, (0..50).map(|number| number.to_string()).collect::<Vec<_>>());
        // The whole file, from another opening on.
        let first = load("o.txt", LINES, args(Some(Order::Random), None, None)).unwrap();
        let mut later = load("o.txt", LINES, args(Some(Order::Random), Some(2), None)).unwrap();
        later.rotate_right(1);
        assert_eq!(first, later);
    }
}
