//! Fair openings, found by an engine: lines of moves that it likes well enough, after which a
//! longer search sees neither side ahead. What is found depends on recipe and engine alone,
//! not on how many threads look for it. Writes no file.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use sandboard_abi::{Barred, Score};
use sandboard_games::DynGame;

use crate::ask::{Asker, checked};
use crate::bout::player_seed;
use crate::engine::Fault;
use crate::record::Start;

/// Of the moves that the engine likes best, the n-th is taken half as often as the one before
/// it, down to this one.
const RANKS: u32 = 6;
/// So many candidates are looked at for each opening that is wanted, before the search for
/// them is given up.
const CANDIDATES_EACH: u64 = 60;

/// Which openings are wanted.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Where the games begin.
    pub start: Start,
    /// The moves that every opening begins with.
    pub begin: Vec<String>,
    /// How many moves it has, these included.
    pub plies: RangeInclusive<u32>,
    /// A move may be worse than the best by this, in the game's unit of score.
    pub spread: i32,
    /// Neither side may be ahead by more, in the game's unit of score.
    pub margin: i32,
    /// How many openings.
    pub count: usize,
    /// What all randomness is drawn from.
    pub seed: u64,
}

/// An opening that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balanced {
    /// The moves, in canonical texts.
    pub moves: Vec<String>,
    /// What the engine says of the position after them, for the side to move.
    pub score: i32,
    /// How far it looked, in plies.
    pub depth: u32,
}

/// Why no openings come of a recipe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalancedError {
    /// The game does not begin.
    #[error("{0}")]
    Start(String),
    /// The engine did something wrong.
    #[error("engine `{engine}` {fault} (after {line})")]
    Engine {
        /// Its id.
        engine: String,
        /// What it did.
        fault: Box<Fault>,
        /// The moves before.
        line: String,
    },
    /// The engine says nothing of who is ahead.
    #[error("engine `{0}` gives no scores, so that nobody knows what is fair")]
    NoScore(String),
    /// Too few candidates are fair.
    #[error(
        "of {candidates} candidates only {found} are fair and no copies, {wanted} are wanted: let \
         a side be ahead by more (--margin), or draw longer openings (--plies)"
    )]
    TooFew {
        /// How many were looked at.
        candidates: u64,
        /// How many of them were fair.
        found: usize,
        /// How many are wanted.
        wanted: usize,
    },
}

/// The engine that finds them, twice: what it may spend on each move of a candidate, and on
/// saying how fair that is.
pub struct Finder {
    /// For the moves of a candidate.
    pub quick: Asker,
    /// For the position after them.
    pub deep: Asker,
}

/// Finds the openings of a recipe; `progress` hears how many there are.
pub fn find(
    recipe: &Recipe,
    finder: &Finder,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Balanced>, BalancedError> {
    let most = CANDIDATES_EACH.saturating_mul(recipe.count as u64);
    let (next, sieve) = (AtomicU64::new(0), Mutex::new(Sieve::new(recipe.count)));
    let sieve_now = || sieve.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !sieve_now().is_done() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= most {
                        break;
                    }
                    let candidate = candidate(recipe, finder, number);
                    let mut sieve = sieve_now();
                    sieve.take(number, candidate);
                    progress(sieve.kept.len());
                }
            });
        }
    });
    let sieve = sieve.into_inner().unwrap_or_else(PoisonError::into_inner);
    match sieve.failed {
        Some(error) => Err(error),
        None if sieve.kept.len() < recipe.count => Err(BalancedError::TooFew {
            candidates: most,
            found: sieve.kept.len(),
            wanted: recipe.count,
        }),
        None => Ok(sieve.kept),
    }
}

/// What came of a candidate: an opening and what tells the position after it from others that
/// are more than turned or mirrored, or none.
type Candidate = Result<Option<(Balanced, u64)>, BalancedError>;

/// Takes candidates in their order, whenever they come.
struct Sieve {
    wanted: usize,
    /// The number of the candidate that is taken next.
    next: u64,
    early: BTreeMap<u64, Candidate>,
    seen: HashSet<u64>,
    kept: Vec<Balanced>,
    failed: Option<BalancedError>,
}

impl Sieve {
    fn new(wanted: usize) -> Self {
        Self {
            wanted,
            next: 0,
            early: BTreeMap::new(),
            seen: HashSet::new(),
            kept: Vec::new(),
            failed: None,
        }
    }

    fn is_done(&self) -> bool {
        self.failed.is_some() || self.kept.len() >= self.wanted
    }

    fn take(&mut self, number: u64, candidate: Candidate) {
        self.early.insert(number, candidate);
        while !self.is_done()
            && let Some(candidate) = self.early.remove(&self.next)
        {
            self.next += 1;
            match candidate {
                Ok(Some((opening, position))) if self.seen.insert(position) => {
                    self.kept.push(opening);
                }
                Ok(_) => (),
                Err(error) => self.failed = Some(error),
            }
        }
    }
}

/// Draws a line of moves and asks whether it is fair.
fn candidate(recipe: &Recipe, finder: &Finder, number: u64) -> Candidate {
    let Start { game, variant, position } = &recipe.start;
    let mut game = (game.new)(variant, position.as_deref())
        .map_err(|error| BalancedError::Start(error.to_string()))?;
    let mut random = Drawn { seed: player_seed(recipe.seed, number as usize), drawn: 0 };
    let (first, last) = (*recipe.plies.start(), *recipe.plies.end());
    let plies = first + random.below(u64::from(last.saturating_sub(first)) + 1) as u32;
    for mv in &recipe.begin {
        game.play(mv).map_err(|refusal| BalancedError::Start(refusal.to_string()))?;
    }
    while (game.plies() as u32) < plies {
        let rank = random.next().trailing_zeros().min(RANKS - 1);
        let Some(mv) = liked(&*game, &finder.quick, rank, recipe.spread)? else { return Ok(None) };
        game.play(&mv).map_err(|refusal| BalancedError::Start(refusal.to_string()))?;
    }
    if game.outcome().is_some() {
        return Ok(None);
    }
    let (_, score, depth) = asked(&*game, &finder.deep, &[])?;
    let score = score.ok_or_else(|| BalancedError::NoScore(finder.deep.player.id.clone()))?.value;
    if score.abs() > recipe.margin {
        return Ok(None);
    }
    Ok(Some((Balanced { moves: game.moves(), score, depth }, game.symmetric_hash())))
}

/// The move that the engine likes best after so many others, or the last before one that is
/// too much worse. None: there is none, the game is over.
fn liked(
    game: &dyn DynGame,
    asker: &Asker,
    rank: u32,
    spread: i32,
) -> Result<Option<String>, BalancedError> {
    if game.outcome().is_some() {
        return Ok(None);
    }
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let legal = legal.split_ascii_whitespace().count();
    let (mut liked, mut best) = (None, None);
    let mut barred: Vec<Barred> = Vec::new();
    while barred.len() <= rank as usize && barred.len() < legal {
        let (mv, score, _) = asked(game, asker, &barred)?;
        let value = score.map(|score| score.value);
        let floor = best.get_or_insert(value).map(|best| best - spread);
        if mv.is_none() || liked.is_some() && value < floor {
            break;
        }
        barred.extend(mv.clone().map(|mv| Barred { r#move: mv, reason: "seen".into() }));
        liked = mv;
    }
    Ok(liked)
}

/// Move, score and depth of an answer; no move: it resigns.
fn asked(
    game: &dyn DynGame,
    asker: &Asker,
    barred: &[Barred],
) -> Result<(Option<String>, Option<Score>, u32), BalancedError> {
    let wrong = |fault| BalancedError::Engine {
        engine: asker.player.id.clone(),
        fault: Box::new(fault),
        line: match game.moves() {
            moves if moves.is_empty() => "no move".to_owned(),
            moves => moves.join(" "),
        },
    };
    let asked = asker.ask(game, barred);
    let choice = asked.answer.map_err(wrong)?.choice;
    let mv = checked(game, &choice, barred).map_err(wrong)?;
    let line = choice.line.or(asked.last).unwrap_or_default();
    Ok((mv, line.score, line.depth))
}

/// Numbers drawn from a seed.
struct Drawn {
    seed: u64,
    drawn: u64,
}

impl Drawn {
    fn next(&mut self) -> u64 {
        self.drawn += 1;
        player_seed(self.seed, self.drawn as usize)
    }

    /// A number below the bound, which is small.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}
