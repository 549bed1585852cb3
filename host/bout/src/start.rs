//! The position in which a bout begins, and the moves that led to it.

use sandboard_games::general::Actor;
use sandboard_games::{DynGame, GameInfo, SetupError, Variant};

use crate::record::OpeningMove;
use crate::solver;

/// The most moves before a bout.
pub const OPENING_MOVES_MAX: usize = 20_000;

/// A game, its variant, and how the position of the bout's beginning came about.
#[derive(Clone, Debug)]
pub struct StartPosition {
    /// The game's row in the table of games.
    pub game: &'static GameInfo,
    /// The variant, with its size if it has one.
    pub variant: Variant,
    /// The position text before `moves`; none: the variant's own start.
    pub position: Option<String>,
    /// The canonical texts of the moves that lead from there to the beginning of the bout, such as
    /// those of another bout that this one continues. No player of the bout has made them, and none
    /// can undo them. Empty in games that do not [keep moves](Self::keeps_moves).
    pub moves: Vec<String>,
}

impl StartPosition {
    /// A start without moves.
    pub fn new(game: &'static GameInfo, variant: Variant, position: Option<String>) -> Self {
        Self { game, variant, position, moves: Vec::new() }
    }

    /// Whether a bout of this game can begin with moves. Otherwise it begins in the position after
    /// them: seats may not learn what was hidden or chosen at the same time, and a solved game has
    /// the value of its start in the position text.
    pub fn keeps_moves(game: &GameInfo) -> bool {
        !game.features.has_views() && solver::solved_game(game.id).is_none()
    }

    /// A game in this position. Err: the position is invalid, or a move is not legal.
    pub fn set_up(&self) -> Result<Box<dyn DynGame>, SetupError> {
        let mut game = self.set_up_before_moves()?;
        for (index, mv) in self.moves.iter().enumerate() {
            let (game_id, number) = (self.game.id, index + 1);
            let illegal = |refusal| SetupError::Move { game: game_id, number, refusal };
            game.play(mv).map_err(illegal)?;
        }
        Ok(game)
    }

    /// A game in the position before the moves.
    pub fn set_up_before_moves(&self) -> Result<Box<dyn DynGame>, SetupError> {
        (self.game.new)(&self.variant, self.position.as_deref())
    }

    /// The start without its moves: where a record's line of moves begins.
    pub fn without_moves(self) -> Self {
        Self { moves: Vec::new(), ..self }
    }

    /// The start of a bout that begins after `moves` from this one; `game` is in the position after
    /// them. Keeps them, if the game can and they are not more than [`OPENING_MOVES_MAX`].
    pub fn after(self, moves: impl IntoIterator<Item = String>, game: &dyn DynGame) -> Self {
        let mut start = self;
        let before = start.moves.len();
        start.moves.extend(moves);
        if start.moves.len() == before {
            return start;
        }
        start.variant = game.variant();
        if !Self::keeps_moves(start.game) || start.moves.len() > OPENING_MOVES_MAX {
            (start.position, start.moves) = (Some(game.position()), Vec::new());
        }
        start
    }

    /// The moves with the seats that made them. Err: as [`set_up`](Self::set_up).
    pub fn opening(&self) -> Result<Vec<OpeningMove>, SetupError> {
        let mut game = self.set_up_before_moves()?;
        let mut opening = Vec::with_capacity(self.moves.len());
        for (index, mv) in self.moves.iter().enumerate() {
            let seat = seat_to_move(&*game);
            let (game_id, number) = (self.game.id, index + 1);
            let illegal = |refusal| SetupError::Move { game: game_id, number, refusal };
            opening.push(OpeningMove { seat, r#move: game.play(mv).map_err(illegal)? });
        }
        Ok(opening)
    }
}

/// The seat whose move comes next; none: an outcome of chance does, or nothing.
pub(crate) fn seat_to_move(game: &dyn DynGame) -> Option<u8> {
    match game.next().first()? {
        Actor::Seat(seat) => Some(seat.0),
        Actor::Chance => None,
    }
}
