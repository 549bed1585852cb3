//! The games of a pair: which seats, which opening, which seed, under which name. A pure value: the
//! same arguments give the same jobs for ever, and a job depends on nothing but its arena and its pair.

use std::fmt;

use sandboard_tournament::schedule::Pair;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

use crate::bout::player_seed;

/// Games of a pair: the same opening with the seats exchanged.
pub const GAMES_OF_A_PAIR: u32 = 2;

/// What all jobs of an arena have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many openings there are; 0: every game begins at the start position, or each opening's
    /// number is a deal of its own.
    pub openings: u32,
    /// What the seeds of the games are drawn from.
    pub seed: u64,
    /// What they are drawn from instead, where nobody who knows some seeds is to tell others.
    pub seal: Option<Seal>,
}

/// A secret of 128 bits that all seeds of an arena are drawn from: by a hash, so that nobody who knows those of some games
/// finds it, nor those of others, however many he tries. Public when everything is played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seal(pub [u8; 16]);

/// What is hashed before what a sealed seed is drawn from.
const SEALED: &[u8] = b"sandboard-arena-seed-v1";

/// What seeds are drawn for.
#[derive(Clone, Copy)]
enum Stream {
    Games = 0,
    Deals = 1,
    Engines = 2,
}

/// Which game of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey {
    /// Its pair, from 0.
    pub pair: u32,
    /// Which game of the pair, 0 or 1.
    pub game: u8,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its pair.
    pub pair: Pair,
    /// Which game of the pair, 0 or 1: in the second the seats are exchanged.
    pub game: u8,
    /// Its opening, from 0; none: the start position, or a deal.
    pub opening: Option<u32>,
    /// The seed of the bout.
    pub seed: u64,
}

impl Plan {
    /// Both games of a pair.
    pub fn jobs(&self, pair: Pair) -> [Job; 2] {
        [0, 1].map(|game: u8| {
            let index = GameKey { pair: pair.number, game }.index();
            let (stream, from) = (Stream::Games, self.seed);
            Job {
                pair,
                game,
                opening: pair.opening.checked_rem(self.openings),
                seed: self.sealed(stream, index).unwrap_or(player_seed(from, index as usize)) >> 11,
            }
        })
    }

    /// The seed of the engine of the first or the second player in a game; none: it is [drawn from the bout's](player_seed),
    /// from which anybody finds those of both.
    pub fn engine_seed(&self, job: &Job, player: usize) -> Option<u64> {
        self.sealed(Stream::Engines, job.key().index() * 2 + player as u64 % 2)
    }

    /// The seed of the deal that pairs with this number of an opening begin with, where the game begins
    /// by chance and there are no openings.
    pub fn deal_seed(&self, opening: u32) -> u64 {
        let (index, from) = (u64::from(opening), !self.seed);
        self.sealed(Stream::Deals, index).unwrap_or(player_seed(from, index as usize)) >> 11
    }

    /// A number of a stream. Where nothing is sealed anybody finds what games and deals are drawn from again: what draws
    /// those can be undone. Both are cut to 53 bits, which every reader of JSON keeps whole.
    fn sealed(&self, stream: Stream, index: u64) -> Option<u64> {
        let Seal(seal) = self.seal?;
        let hash = Sha256::new().chain_update(SEALED).chain_update([0, stream as u8]);
        let hash = hash.chain_update(seal).chain_update(index.to_be_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize()[..8]);
        Some(u64::from_be_bytes(first))
    }
}

/// What it is stays unsaid in logs.
impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(…)")
    }
}

/// In hexadecimal.
impl Serialize for Seal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&crate::hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Seal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = crate::unhex(&text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| de::Error::custom("a seal is 32 digits in hexadecimal"))
    }
}

impl GameKey {
    /// Its place among all games.
    fn index(self) -> u64 {
        u64::from(self.pair) * u64::from(GAMES_OF_A_PAIR) + u64::from(self.game)
    }

    /// Its name, which its record bears: `pair-000001-1` is the first game of the first pair.
    pub fn name(&self) -> String {
        format!("pair-{:06}-{}", u64::from(self.pair) + 1, self.game + 1)
    }

    /// The game of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        let (pair, game) = name.strip_prefix("pair-")?.split_once('-')?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if pair.len() < 6 || !digits(pair) || !digits(game) {
            return None;
        }
        let key = Self {
            pair: u32::try_from(pair.parse::<u64>().ok()?.checked_sub(1)?).ok()?,
            game: game.parse::<u8>().ok()?.checked_sub(1).filter(|game| *game < 2)?,
        };
        (key.name() == name).then_some(key)
    }
}

impl Job {
    /// Which game it is.
    pub fn key(&self) -> GameKey {
        GameKey { pair: self.pair.number, game: self.game }
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.key().name()
    }

    /// The side that the first or the second player of its pair has.
    pub fn side_of(&self, player: usize) -> u8 {
        self.game ^ u8::from(player == 1)
    }

    /// The players of the sides.
    pub fn by_side(&self) -> [u32; 2] {
        let [first, second] = self.pair.players;
        if self.game == 0 { [first, second] } else { [second, first] }
    }
}

/// The id of a pair as a job: a hash of its arena and its number, the same on every machine.
pub fn job_id(arena: &str, pair: u32) -> [u8; 16] {
    let hash = Sha256::new().chain_update(arena).chain_update([0]).chain_update(pair.to_be_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn pair(number: u32, opening: u32) -> Pair {
        Pair { number, round: 0, players: [3, 5], opening }
    }

    /// Both jobs as `name opening side-0-player`.
    fn check(openings: u32, of: Pair, expected: [&str; 2]) {
        let text = |job: Job| {
            let opening = job.opening.map_or("start".into(), |opening| opening.to_string());
            format!("{} {opening} {}", job.name(), job.by_side()[0])
        };
        for seal in [None, Some(Seal([0; 16]))] {
            assert_eq!(Plan { openings, seed: 1, seal }.jobs(of).map(text), expected);
        }
    }

    #[test]
    fn jobs() {
        check(0, pair(0, 0), ["pair-000001-1 start 3", "pair-000001-2 start 5"]);
        check(0, pair(7, 7), ["pair-000008-1 start 3", "pair-000008-2 start 5"]);
        check(2, pair(2, 2), ["pair-000003-1 0 3", "pair-000003-2 0 5"]);
        check(2, pair(9, 3), ["pair-000010-1 1 3", "pair-000010-2 1 5"]);
        check(5, pair(999_999, 4), ["pair-1000000-1 4 3", "pair-1000000-2 4 5"]);
    }

    #[test]
    fn seats_are_exchanged_and_sides_told() {
        for job in (Plan { openings: 0, seed: 1, seal: None }).jobs(pair(4, 4)) {
            let players = job.by_side();
            for player in [0, 1] {
                assert_eq!(players[usize::from(job.side_of(player))], job.pair.players[player]);
            }
            assert_eq!(job.side_of(0), job.game);
        }
    }

    #[test]
    fn seeds_differ_and_depend_on_the_number_alone() {
        check_seeds(|_| None);
        check_seeds(|seed| Some(Seal([seed as u8; 16])));
        // The label, \0, the stream, sixteen times 42, and the number in eight bytes: the first 16 digits of the SHA-256, for
        // games divided by 2048.
        let sealed = Plan { openings: 0, seed: 1, seal: Some(Seal([42; 16])) };
        let job = sealed.jobs(pair(1, 1))[1];
        assert_eq!(job.seed, 2_927_600_892_355_208);
        let engines = [15_697_598_449_689_171_696, 11_646_830_043_562_996_216];
        assert_eq!([0, 1].map(|player| sealed.engine_seed(&job, player)), engines.map(Some));
    }

    #[test]
    fn a_seal_is_written_down_and_not_logged() {
        let seal = Seal(*b"0123456789abcdef");
        let text = serde_json::to_string(&seal).unwrap();
        assert_eq!(text, "\"30313233343536373839616263646566\"");
        assert_eq!(serde_json::from_str::<Seal>(&text).unwrap(), seal);
        for wrong in [
            "true",
            "\"\"",
            "\"3031323334353637383961626364656\"",
            "\"g0313233343536373839616263646566\"",
        ] {
            assert!(serde_json::from_str::<Seal>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(format!("{seal:?}"), "Seal(…)");
    }

    fn check_seeds(seal: impl Fn(u64) -> Option<Seal>) {
        let seeds = |seed: u64, openings: u32| -> Vec<u64> {
            let plan = Plan { openings, seed, seal: seal(seed) };
            (0..500).flat_map(|n| plan.jobs(pair(n, n)).map(|job| job.seed)).collect()
        };
        let of_42 = seeds(42, 7);
        assert_eq!(of_42, seeds(42, 0));
        let set: BTreeSet<u64> = of_42.into_iter().collect();
        assert_eq!(set.len(), 1000);
        let plan = Plan { openings: 0, seed: 42, seal: seal(42) };
        let deals: BTreeSet<u64> = (0..500).map(|opening| plan.deal_seed(opening)).collect();
        assert!(deals.len() == 500 && deals.is_disjoint(&set));
        assert!(seeds(43, 0).iter().all(|seed| !set.contains(seed)));
    }

    #[test]
    fn the_numbers_of_the_largest_arena_do_not_overflow() {
        let jobs =
            Plan { openings: u32::MAX, seed: u64::MAX, seal: None }.jobs(pair(u32::MAX, u32::MAX));
        assert_eq!(jobs[1].name(), "pair-4294967296-2");
        assert_eq!(jobs[1].opening, Some(0));
    }

    #[test]
    fn games_are_found_by_name() {
        let check = |name: &str, expected: Option<(u32, u8)>| {
            let found = GameKey::of_name(name).map(|key| (key.pair, key.game));
            assert_eq!(found, expected, "{name}");
        };
        check("pair-000001-1", Some((0, 0)));
        check("pair-1000000-2", Some((999_999, 1)));
        check("pair-4294967296-2", Some((u32::MAX, 1)));
        for wrong in [
            "",
            "pair-",
            "pair-000000-1",
            "pair-000001-0",
            "pair-000001-3",
            "pair-1-1",
            "pair-0000001-1",
            "pair-000001-1 ",
            "pair-+00001-1",
            "pair-000001-+1",
            "pair-4294967297-1",
            "pair-000001-1.json",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn a_job_is_of_one_arena_and_one_pair() {
        let ids: BTreeSet<_> =
            ["a", "b"].iter().flat_map(|a| (0..100).map(|n| job_id(a, n))).collect();
        assert_eq!(ids.len(), 200);
        // The first 32 digits of `printf 'a\0\0\0\0\1' | sha256sum`.
        assert_eq!(crate::hex(&job_id("a", 1)), "30fbbac9f094baf5bdc72341d07e02df");
    }
}
