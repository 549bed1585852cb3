//! An adapter that makes an engine of a [`Search`]: an author supplies the parts, and
//! [`SearchEngine`] is the [`Chooser`]. Searches nothing itself.

use sandboard_abi::Description;
use sandboard_games::Rules;

use crate::analyzer::Analyzer;
use crate::chooser::{Chooser, NewGame, Reply, Turn};
use crate::engine_limits::EngineLimits;
use crate::evaluator::Evaluator;
use crate::host::Host;
use crate::ponder;
use crate::search::{Search, SearchTask};

/// The parts of an engine whose every move comes from a [`Search`].
///
/// ```
/// use sandboard_sdk::games::gomoku::Gomoku;
/// use sandboard_sdk::gomoku::{LineAnalyzer, WindowEvaluator};
/// use sandboard_sdk::{GameSearch, NewGame, Search, SearchConfig, SearchEngine, Switches};
///
/// struct Simple;
///
/// impl SearchConfig for Simple {
///     type Rules = Gomoku;
///     type Analyzer = LineAnalyzer;
///     type Evaluator = WindowEvaluator;
///
///     fn start(
///         _game: &NewGame<'_, Gomoku>,
///     ) -> Result<GameSearch<Gomoku, LineAnalyzer, WindowEvaluator>, String> {
///         Ok(GameSearch::new(Search::new(Switches::ALL, 16 << 20)))
///     }
/// }
///
/// /// The engine: `export_engine!(Engine)` exports it.
/// type Engine = SearchEngine<Simple>;
/// ```
pub trait SearchConfig: Send + 'static {
    /// The game that the engine plays.
    type Rules: Rules;
    /// Proposes the moves of the search.
    type Analyzer: Analyzer<Self::Rules> + Clone + Send + 'static;
    /// Evaluates positions for the search.
    type Evaluator: Evaluator<Self::Rules> + Clone + Send + 'static;

    /// Whether the engine searches without its own limits on the opponents' time, and the next
    /// choice continues that search ([`Search::ponder`]). If false, it ponders with its own limits
    /// and the next choice starts over; only the transposition table remains.
    const CONTINUES_PONDERING: bool = true;

    /// Changes the engine's description: name, variants, options, abilities.
    fn describe(_description: &mut Description) {}

    /// The search of a game that begins. Options arrive as checked texts, see [`NewGame`].
    ///
    /// # Errors
    /// Why the engine cannot play this game; the host reports the text as a fault.
    #[expect(clippy::type_complexity, reason = "an alias cannot name the associated types shorter")]
    fn start(
        game: &NewGame<'_, Self::Rules>,
    ) -> Result<GameSearch<Self::Rules, Self::Analyzer, Self::Evaluator>, String>;
}

/// The search of one game with its settings.
#[derive(Debug)]
pub struct GameSearch<R: Rules, A, E> {
    /// The search, with all that it keeps between moves.
    pub search: Search<R, A, E>,
    /// Limits beside those of the host. With a level the engine does not ponder.
    pub limits: EngineLimits,
    /// Whether to choose at random among moves that are proved to be equally good
    /// ([`Search::run_varied`]).
    pub varies_equal_moves: bool,
}

impl<R: Rules, A, E> GameSearch<R, A, E> {
    /// A search at full strength that does not vary equal moves.
    pub fn new(search: Search<R, A, E>) -> Self {
        Self { search, limits: EngineLimits::default(), varies_equal_moves: false }
    }
}

/// The engine that a [`SearchConfig`] describes. It resigns if it has no legal move.
pub struct SearchEngine<C: SearchConfig> {
    game: Option<GameSearch<C::Rules, C::Analyzer, C::Evaluator>>,
}

impl<C: SearchConfig> Default for SearchEngine<C> {
    fn default() -> Self {
        Self { game: None }
    }
}

impl<C: SearchConfig> std::fmt::Debug for SearchEngine<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchEngine").field("started", &self.game.is_some()).finish()
    }
}

impl<C: SearchConfig> Chooser for SearchEngine<C> {
    type Rules = C::Rules;

    fn next_move(&mut self, turn: &mut Turn<'_, C::Rules>) -> Reply<C::Rules> {
        let Some(game) = &mut self.game else { return Reply::resign() };
        let limits = game.limits.apply(turn.limits);
        let result = match game.varies_equal_moves {
            true => game.search.run_varied(turn, &limits),
            false => {
                let task = SearchTask { limits: &limits, barred: turn.barred, host: turn.host };
                game.search.run(turn.position, task)
            }
        };
        result.into()
    }

    fn describe(description: &mut Description) {
        C::describe(description);
    }

    fn started(&mut self, game: &NewGame<'_, C::Rules>) -> Result<(), String> {
        self.game = Some(C::start(game)?);
        Ok(())
    }

    fn ponders(&self) -> bool {
        // With more time a level would be stronger than it should be.
        self.game.as_ref().is_none_or(|game| game.limits.level.is_none())
    }

    fn ponder(&mut self, position: &C::Rules, host: &Host) {
        match &mut self.game {
            Some(game) if C::CONTINUES_PONDERING => game.search.ponder(position, host),
            Some(_) => ponder::ponder_by_choosing(self, position, host),
            None => {}
        }
    }
}
