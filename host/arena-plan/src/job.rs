//! The games of a pair: seats, opening, seed and name. A pure value: the same arguments always give
//! the same jobs, and a job depends on nothing but its arena and its pair.

use std::fmt;

use sandboard_bout::driver::player_seed;
use sandboard_games::splitmix;
use sandboard_tournament::schedule::{Pair, Players, SEATS_MAX, SeatList};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

/// What all jobs of an arena have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of openings. 0: every game begins at the start position, or with a deal whose
    /// number is that of the opening.
    pub openings: u32,
    /// The seed from which the games' seeds are drawn.
    pub seed: u64,
    /// The secret from which the seeds are derived instead, if players must not be able to predict
    /// them.
    pub seed_key: Option<SeedKey>,
    /// Whether all games of a pair have the same seed, so that chance brings the same in each of
    /// them: the same deal, the same dice.
    pub shares_chance: bool,
}

/// A secret of 128 bits from which all seeds of an arena are derived with a hash. The seeds of some
/// games reveal neither the key nor other seeds. It is published when everything is played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SeedKey(pub [u8; 16]);

/// The label that is hashed before the key.
const SEED_LABEL: &[u8] = b"sandboard-arena-seed-v1";

/// The purposes of seeds.
#[derive(Clone, Copy)]
enum Stream {
    Games = 0,
    Deals = 1,
    Engines = 2,
}

/// The key of a game within an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey {
    /// Its pair, from 0.
    pub pair: u32,
    /// The number of the game in its pair, from 0.
    pub game: u8,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The pair of the game.
    pub pair: Pair,
    /// The number of the game in its pair, from 0. In each game, every player sits one seat further
    /// than in the game before.
    pub game: u8,
    /// Its opening, from 0. None: the start position, or a deal.
    pub opening: Option<u32>,
    /// The seed of the bout.
    pub seed: u64,
}

impl Plan {
    /// All games of a pair: as many as it has players.
    pub fn jobs(&self, pair: Pair) -> Vec<Job> {
        let games = 0..pair.players.len() as u8;
        let job = |game: u8| {
            let opening = pair.opening.checked_rem(self.openings);
            let seed_of = if self.shares_chance { 0 } else { game };
            Job { pair, game, opening, seed: self.game_seed(&pair, seed_of) >> 11 }
        };
        games.map(job).collect()
    }

    /// A seed for a game of a pair.
    fn game_seed(&self, pair: &Pair, game: u8) -> u64 {
        let index = game_index(pair, game);
        self.derive_seed(Stream::Games, index).unwrap_or(splitmix::output(self.seed, index))
    }

    /// The seed of the engine of a player, by the player's index in the pair. None: it is [drawn
    /// from the bout's seed](player_seed), which without a seed key reveals both.
    pub fn engine_seed(&self, job: &Job, player: usize) -> Option<u64> {
        let players = job.pair.players.len() as u64;
        let index = job.index() * players + player as u64 % players.max(1);
        let derived = self.derive_seed(Stream::Engines, index);
        // Where the bouts of a pair share a seed, their engines do not.
        derived.or_else(|| {
            let own = || player_seed(self.game_seed(&job.pair, job.game), player);
            self.shares_chance.then(own)
        })
    }

    /// The seed of the deal for pairs with this opening number, in games that begin with a deal and
    /// without openings.
    pub fn deal_seed(&self, opening: u32) -> u64 {
        let (index, from) = (u64::from(opening), !self.seed);
        self.derive_seed(Stream::Deals, index).unwrap_or(splitmix::output(from, index)) >> 11
    }

    /// A seed of a stream, if there is a seed key. Without a key, the seeds of games and deals
    /// reveal the arena's seed, since its generator can be inverted. Both are cut to 53 bits, which
    /// every JSON reader keeps exactly.
    fn derive_seed(&self, stream: Stream, index: u64) -> Option<u64> {
        let SeedKey(seed_key) = self.seed_key?;
        let hash = Sha256::new().chain_update(SEED_LABEL).chain_update([0, stream as u8]);
        let hash = hash.chain_update(seed_key).chain_update(index.to_be_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize()[..8]);
        Some(u64::from_be_bytes(first))
    }
}

/// Hides the key, so that it does not get into logs.
impl fmt::Debug for SeedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeedKey(…)")
    }
}

/// Written in hexadecimal.
impl Serialize for SeedKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&sandboard_common::hex::hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for SeedKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = sandboard_common::hex::unhex(&text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| de::Error::custom("a seed key is 32 digits in hexadecimal"))
    }
}

/// The number of a game among all games of an arena.
fn game_index(pair: &Pair, game: u8) -> u64 {
    u64::from(pair.number) * pair.players.len() as u64 + u64::from(game)
}

impl GameKey {
    /// Its name, as in its record: `pair-000001-1` is the first game of the first pair.
    pub fn name(&self) -> String {
        format!("pair-{:06}-{}", u64::from(self.pair) + 1, self.game + 1)
    }

    /// The game with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let (pair, game) = name.strip_prefix("pair-")?.split_once('-')?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if pair.len() < 6 || !digits(pair) || !digits(game) {
            return None;
        }
        let game = game.parse::<u8>().ok()?.checked_sub(1)?;
        let key = Self {
            pair: u32::try_from(pair.parse::<u64>().ok()?.checked_sub(1)?).ok()?,
            game: Some(game).filter(|game| usize::from(*game) < SEATS_MAX)?,
        };
        (key.name() == name).then_some(key)
    }
}

impl Job {
    /// The key of the game.
    pub fn key(&self) -> GameKey {
        GameKey { pair: self.pair.number, game: self.game }
    }

    /// The number of the game among all games of its arena.
    fn index(&self) -> u64 {
        game_index(&self.pair, self.game)
    }

    /// The name of the game.
    pub fn name(&self) -> String {
        self.key().name()
    }

    /// The place at the board of a player, by the player's index in the pair: 0 moves first.
    pub fn side_of(&self, player: usize) -> u8 {
        let players = self.pair.players.len().max(1);
        ((player + usize::from(self.game)) % players) as u8
    }

    /// The players by their places at the board.
    pub fn by_side(&self) -> Players {
        rotated(&self.pair.players, self.game)
    }
}

/// A list in the order of the players of a pair, in the order of their places in a game of it.
pub fn rotated<T: Copy + Default>(of_players: &[T], game: u8) -> SeatList<T> {
    let count = of_players.len();
    (0..count).map(|side| of_players[(side + count - usize::from(game) % count) % count]).collect()
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
        Pair { number, round: 0, players: [3, 5].into(), opening }
    }

    fn plan(openings: u32, seed: u64, seed_key: Option<SeedKey>) -> Plan {
        Plan { openings, seed, seed_key, shares_chance: false }
    }

    /// Both jobs as `name opening side-0-player`.
    fn check(openings: u32, of: Pair, expected: [&str; 2]) {
        let text = |job: Job| {
            let opening = job.opening.map_or("start".into(), |opening| opening.to_string());
            format!("{} {opening} {}", job.name(), job.by_side()[0])
        };
        for seed_key in [None, Some(SeedKey([0; 16]))] {
            let jobs = plan(openings, 1, seed_key).jobs(of);
            assert_eq!(jobs.into_iter().map(text).collect::<Vec<_>>(), expected);
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
    fn seats_are_exchanged() {
        for job in plan(0, 1, None).jobs(pair(4, 4)) {
            let players = job.by_side();
            for player in [0, 1] {
                assert_eq!(players[usize::from(job.side_of(player))], job.pair.players[player]);
            }
            assert_eq!(job.side_of(0), job.game);
        }
    }

    #[test]
    fn every_player_of_a_table_has_every_seat_once() {
        for seats in 2..=SEATS_MAX as u32 {
            let players: Players = (10..10 + seats).collect();
            let table = Pair { players, ..pair(7, 0) };
            let jobs = plan(0, 1, None).jobs(table);
            assert_eq!(jobs.len(), seats as usize);
            let mut places = BTreeSet::new();
            for job in &jobs {
                let by_side = job.by_side();
                for (index, player) in players.iter().enumerate() {
                    let side = job.side_of(index);
                    assert_eq!(by_side[usize::from(side)], *player);
                    places.insert((*player, side));
                }
            }
            assert_eq!(places.len(), (seats * seats) as usize);
        }
    }

    #[test]
    fn games_of_a_pair_share_chance_but_no_engine_seeds() {
        for seed_key in [None, Some(SeedKey([7; 16]))] {
            let table = |number| Pair { players: [3, 5, 8].into(), ..pair(number, 0) };
            let shared = Plan { shares_chance: true, ..plan(0, 9, seed_key) };
            let own = plan(0, 9, seed_key);
            let (mut bouts, mut engines) = (BTreeSet::new(), BTreeSet::new());
            for number in 0..20 {
                let jobs = shared.jobs(table(number));
                assert_eq!(jobs[0].seed, own.jobs(table(number))[0].seed);
                for job in &jobs {
                    bouts.insert(job.seed);
                    engines.extend((0..3).map(|player| shared.engine_seed(job, player).unwrap()));
                }
            }
            assert_eq!((bouts.len(), engines.len()), (20, 180));
        }
    }

    #[test]
    fn seeds_differ_and_depend_on_the_number_alone() {
        check_seeds(|_| None);
        check_seeds(|seed| Some(SeedKey([seed as u8; 16])));
        // Computed with `sha256sum` from the label, a zero byte, the stream, 16 bytes 42 and the
        // index in 8 bytes: the first 16 hexadecimal digits, divided by 2048 for games.
        let keyed = plan(0, 1, Some(SeedKey([42; 16])));
        let job = keyed.jobs(pair(1, 1))[1];
        assert_eq!(job.seed, 2_927_600_892_355_208);
        let engines = [15_697_598_449_689_171_696, 11_646_830_043_562_996_216];
        assert_eq!([0, 1].map(|player| keyed.engine_seed(&job, player)), engines.map(Some));
    }

    #[test]
    fn a_seed_key_is_serialized_and_not_logged() {
        let seed_key = SeedKey(*b"0123456789abcdef");
        let text = serde_json::to_string(&seed_key).unwrap();
        assert_eq!(text, "\"30313233343536373839616263646566\"");
        assert_eq!(serde_json::from_str::<SeedKey>(&text).unwrap(), seed_key);
        for wrong in [
            "true",
            "\"\"",
            "\"3031323334353637383961626364656\"",
            "\"g0313233343536373839616263646566\"",
        ] {
            assert!(serde_json::from_str::<SeedKey>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(format!("{seed_key:?}"), "SeedKey(…)");
    }

    fn check_seeds(seed_key: impl Fn(u64) -> Option<SeedKey>) {
        let seeds = |seed: u64, openings: u32| -> Vec<u64> {
            let plan = plan(openings, seed, seed_key(seed));
            (0..500).flat_map(|n| plan.jobs(pair(n, n))).map(|job| job.seed).collect()
        };
        let of_42 = seeds(42, 7);
        assert_eq!(of_42, seeds(42, 0));
        let set: BTreeSet<u64> = of_42.into_iter().collect();
        assert_eq!(set.len(), 1000);
        let plan = plan(0, 42, seed_key(42));
        let deals: BTreeSet<u64> = (0..500).map(|opening| plan.deal_seed(opening)).collect();
        assert!(deals.len() == 500 && deals.is_disjoint(&set));
        assert!(seeds(43, 0).iter().all(|seed| !set.contains(seed)));
    }

    #[test]
    fn the_numbers_of_the_largest_arena_do_not_overflow() {
        let jobs = plan(u32::MAX, u64::MAX, None).jobs(pair(u32::MAX, u32::MAX));
        assert_eq!(jobs[1].name(), "pair-4294967296-2");
        assert_eq!(jobs[1].opening, Some(0));
    }

    #[test]
    fn games_are_found_by_name() {
        let check = |name: &str, expected: Option<(u32, u8)>| {
            let found = GameKey::from_name(name).map(|key| (key.pair, key.game));
            assert_eq!(found, expected, "{name}");
        };
        check("pair-000001-1", Some((0, 0)));
        check("pair-1000000-2", Some((999_999, 1)));
        check("pair-4294967296-2", Some((u32::MAX, 1)));
        check("pair-000002-16", Some((1, 15)));
        for wrong in [
            "",
            "pair-",
            "pair-000000-1",
            "pair-000001-0",
            "pair-000001-17",
            "pair-000001-01",
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
    fn job_ids_differ_by_arena_and_pair() {
        let ids: BTreeSet<_> =
            ["a", "b"].iter().flat_map(|a| (0..100).map(|n| job_id(a, n))).collect();
        assert_eq!(ids.len(), 200);
        // The first 32 digits of `printf 'a\0\0\0\0\1' | sha256sum`.
        assert_eq!(sandboard_common::hex::hex(&job_id("a", 1)), "30fbbac9f094baf5bdc72341d07e02df");
    }
}
