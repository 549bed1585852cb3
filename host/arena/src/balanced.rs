//! Finds balanced openings with an engine: lines of good moves after which a longer search sees
//! neither side ahead. The result depends on the criteria and the engine alone, not on the number
//! of threads. Writes no files.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use sandboard_abi::{Barred, Score};
use sandboard_games::{DynGame, splitmix};

use sandboard_bout::query::{PositionQuery, checked_move};
use sandboard_bout::start::StartPosition;
use sandboard_engine::Fault;

/// The number of ranks from which moves are drawn, best first. Each rank is half as likely as the
/// one before.
const RANK_COUNT: u32 = 6;
/// The number of candidates per wanted opening after which the search gives up.
const CANDIDATES_PER_OPENING: u64 = 60;

/// Criteria for the openings to find.
#[derive(Clone, Debug)]
pub struct OpeningCriteria {
    /// Where the games begin.
    pub start: StartPosition,
    /// The moves with which every opening begins.
    pub begin: Vec<String>,
    /// The number of moves of an opening, including those of `begin`.
    pub plies: RangeInclusive<u32>,
    /// The most by which a move may score below the best one, in the game's unit of score.
    pub spread: i32,
    /// The largest absolute score of the final position, in the game's unit of score.
    pub margin: i32,
    /// The number of openings.
    pub count: usize,
    /// The seed of the random choices.
    pub seed: u64,
}

/// An opening that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalancedOpening {
    /// The moves, in canonical form.
    pub moves: Vec<String>,
    /// The engine's score after them, for the side to move.
    pub score: i32,
    /// The depth of the search, in plies.
    pub depth: u32,
}

/// Why the openings were not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalancedError {
    /// The game cannot begin.
    #[error("{0}")]
    Start(String),
    /// The engine failed.
    #[error("engine `{engine}` {fault} (after {line})")]
    Engine {
        /// The engine's id.
        engine: String,
        /// What the engine did wrong.
        fault: Box<Fault>,
        /// The moves before it.
        line: String,
    },
    /// The engine gives no scores.
    #[error("engine `{0}` gives no scores, so it cannot tell whether an opening is fair")]
    NoScore(String),
    /// Too few candidates are balanced.
    #[error(
        "of {candidates} candidates only {found} are fair and different, {wanted} are wanted: \
         allow a larger lead of one side (--margin), or longer openings (--plies)"
    )]
    TooFew {
        /// The number of candidates that were checked.
        candidates: u64,
        /// The number of balanced ones.
        found: usize,
        /// The number that was wanted.
        wanted: usize,
    },
}

/// The engine that finds openings, with two budgets.
pub struct OpeningFinder {
    /// Chooses the moves of a candidate.
    pub quick: PositionQuery,
    /// Scores the position after them.
    pub deep: PositionQuery,
}

/// Finds openings; `progress` receives the number found so far.
pub fn find_openings(
    criteria: &OpeningCriteria,
    finder: &OpeningFinder,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<BalancedOpening>, BalancedError> {
    let most = CANDIDATES_PER_OPENING.saturating_mul(criteria.count as u64);
    let (next, filter) = (AtomicU64::new(0), Mutex::new(CandidateFilter::new(criteria.count)));
    let lock_filter = || filter.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !lock_filter().is_done() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= most {
                        break;
                    }
                    let candidate = candidate(criteria, finder, number);
                    let mut filter = lock_filter();
                    filter.take(number, candidate);
                    progress(filter.kept.len());
                }
            });
        }
    });
    let filter = filter.into_inner().unwrap_or_else(PoisonError::into_inner);
    match filter.failed {
        Some(error) => Err(error),
        None if filter.kept.len() < criteria.count => Err(BalancedError::TooFew {
            candidates: most,
            found: filter.kept.len(),
            wanted: criteria.count,
        }),
        None => Ok(filter.kept),
    }
}

/// The result of a candidate: the opening and a hash of its position that ignores symmetries, or
/// none.
type Candidate = Result<Option<(BalancedOpening, u64)>, BalancedError>;

/// Processes candidates by ascending number. Those that arrive early wait in `early`.
struct CandidateFilter {
    wanted: usize,
    /// The number of the next candidate.
    next: u64,
    early: BTreeMap<u64, Candidate>,
    seen: HashSet<u64>,
    kept: Vec<BalancedOpening>,
    failed: Option<BalancedError>,
}

impl CandidateFilter {
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

/// Draws a line of moves and checks whether it is balanced.
fn candidate(criteria: &OpeningCriteria, finder: &OpeningFinder, number: u64) -> Candidate {
    let set_up = criteria.start.set_up();
    let mut game = set_up.map_err(|error| BalancedError::Start(error.to_string()))?;
    let mut random = Random { seed: splitmix::output(criteria.seed, number), drawn: 0 };
    let (first, last) = (*criteria.plies.start(), *criteria.plies.end());
    let plies = first + random.below(u64::from(last.saturating_sub(first)) + 1) as u32;
    for mv in &criteria.begin {
        game.play(mv).map_err(|refusal| BalancedError::Start(refusal.to_string()))?;
    }
    while (game.plies() as u32) < plies {
        let rank = random.next().trailing_zeros().min(RANK_COUNT - 1);
        let Some(mv) = move_of_rank(&*game, &finder.quick, rank, criteria.spread)? else {
            return Ok(None);
        };
        game.play(&mv).map_err(|refusal| BalancedError::Start(refusal.to_string()))?;
    }
    if game.is_over() {
        return Ok(None);
    }
    let (_, score, depth) = ask(&*game, &finder.deep, &[])?;
    let score = score.ok_or_else(|| BalancedError::NoScore(finder.deep.engine.id.clone()))?.value;
    if score.abs() > criteria.margin {
        return Ok(None);
    }
    Ok(Some((BalancedOpening { moves: game.moves(), score, depth }, game.symmetric_hash())))
}

/// The engine's move of this rank, from 0, or the last one before a move that is too much worse.
/// None: the game is over.
fn move_of_rank(
    game: &dyn DynGame,
    query: &PositionQuery,
    rank: u32,
    spread: i32,
) -> Result<Option<String>, BalancedError> {
    if game.is_over() {
        return Ok(None);
    }
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let legal = legal.split_ascii_whitespace().count();
    let (mut chosen, mut best) = (None, None);
    let mut barred: Vec<Barred> = Vec::new();
    while barred.len() <= rank as usize && barred.len() < legal {
        let (mv, score, _) = ask(game, query, &barred)?;
        let value = score.map(|score| score.value);
        let floor = best.get_or_insert(value).map(|best| best - spread);
        if mv.is_none() || chosen.is_some() && value < floor {
            break;
        }
        barred.extend(mv.clone().map(|mv| Barred { r#move: mv, reason: "seen".into() }));
        chosen = mv;
    }
    Ok(chosen)
}

/// Move, score and depth of the engine's choice; no move: it resigns.
fn ask(
    game: &dyn DynGame,
    query: &PositionQuery,
    barred: &[Barred],
) -> Result<(Option<String>, Option<Score>, u32), BalancedError> {
    let wrong = |fault| BalancedError::Engine {
        engine: query.engine.id.clone(),
        fault: Box::new(fault),
        line: match game.moves() {
            moves if moves.is_empty() => "no move".to_owned(),
            moves => moves.join(" "),
        },
    };
    let response = query.run(game, barred);
    let choice = response.answer.map_err(wrong)?.choice;
    let mv = checked_move(game, &choice, barred).map_err(wrong)?;
    let line = choice.line.or(response.last_line).unwrap_or_default();
    Ok((mv, line.score, line.depth))
}

/// Random numbers from a seed.
struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.drawn += 1;
        splitmix::output(self.seed, self.drawn)
    }

    /// A number below the bound, which must be small: for large bounds the remainder is biased.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}
