//! The current game as an instance knows it, for `legal` and `look`. Sets up the rules only when
//! they are needed: an engine with rules of its own costs one text per move.

use sandboard_abi::{Setup, limits};
use sandboard_common::text::clean_text;
use sandboard_games::{DynGame, Games, SetupError};

/// The setup and moves of the current game.
#[derive(Default)]
pub(super) struct GameTracker {
    /// Game, variant and start position.
    setup: Option<(String, String, String)>,
    /// The seats that the instance plays.
    seats: Vec<u8>,
    moves: MoveList,
    game: Option<Box<dyn DynGame>>,
    /// Why the rules of the game cannot begin it, if they failed.
    set_up_fault: Option<String>,
    /// Number of `moves` that are played in `game`.
    synced: usize,
}

impl GameTracker {
    pub(super) fn new(setup: &Setup) -> Self {
        let mut moves = MoveList::default();
        setup.moves.split_ascii_whitespace().for_each(|mv| moves.push(mv));
        let seats = setup.seats.clone();
        let setup = (setup.game.clone(), setup.variant.clone(), setup.start.clone());
        Self { setup: Some(setup), seats, moves, ..Self::default() }
    }

    pub(super) fn play(&mut self, mv: &str) {
        self.moves.push(mv);
    }

    pub(super) fn take_back(&mut self, plies: usize) {
        self.moves.pop(plies);
        self.synced = self.synced.min(self.moves.len());
    }

    /// The moves so far, including those of the setup.
    #[cfg(target_os = "linux")]
    pub(super) fn moves(&self) -> Vec<String> {
        (0..self.moves.len()).map(|index| self.moves.get(index).to_owned()).collect()
    }

    /// The id of the game, if one has started.
    pub(super) fn game_id(&self) -> Option<&str> {
        self.setup.as_ref().map(|(game, ..)| game.as_str())
    }

    /// Why the rules can judge the game no more; see [`DynGame::fault`].
    pub(super) fn rules_fault(&self) -> Option<String> {
        self.set_up_fault.clone().or_else(|| self.game.as_ref()?.fault())
    }

    /// Calls `look` with the position after further `moves`, and the seats of the instance. The
    /// game is one of `games`. Err: there is no such position.
    pub(super) fn after<T>(
        &mut self,
        games: &Games,
        moves: &str,
        look: impl FnOnce(&dyn DynGame, &[u8]) -> T,
    ) -> Result<T, String> {
        if moves.len() > limits::LINE_BYTES {
            return Err(format!(
                "the line has {} bytes; at most {}",
                moves.len(),
                limits::LINE_BYTES
            ));
        }
        let seats = std::mem::take(&mut self.seats);
        let result =
            self.game(games).and_then(|game| Self::play_and_look(game, moves, &seats, look));
        self.seats = seats;
        result
    }

    /// Plays `moves`, looks at the position, and takes them back.
    fn play_and_look<T>(
        game: &mut Box<dyn DynGame>,
        moves: &str,
        seats: &[u8],
        look: impl FnOnce(&dyn DynGame, &[u8]) -> T,
    ) -> Result<T, String> {
        let mut plies = 0;
        let played = moves.split_ascii_whitespace().try_for_each(|mv| {
            plies += 1;
            game.play(mv).map(drop).map_err(|refusal| {
                plies -= 1;
                clean_text(&refusal.to_string(), limits::REASON_BYTES)
            })
        });
        let result = played.map(|()| look(game.as_ref(), seats));
        game.take_back(plies);
        match game.fault() {
            None => result,
            Some(fault) => Err(format!("the rules of the game failed: {fault}")),
        }
    }

    /// The game after all moves.
    fn game(&mut self, games: &Games) -> Result<&mut Box<dyn DynGame>, String> {
        if self.game.is_none() {
            self.game = Some(self.set_up(games)?);
            self.synced = 0;
        }
        let game = self.game.as_mut().ok_or(NO_GAME)?;
        game.take_back(game.plies() - self.synced);
        while self.synced < self.moves.len() {
            let mv = self.moves.get(self.synced);
            game.play(mv).map_err(|refusal| refusal.to_string())?;
            self.synced += 1;
        }
        Ok(game)
    }

    fn set_up(&mut self, games: &Games) -> Result<Box<dyn DynGame>, String> {
        let (game, variant, start) = self.setup.as_ref().ok_or(NO_GAME)?;
        let info = games.find(game).ok_or_else(|| format!("no game `{game}`"))?;
        let variant = info.variant(variant).map_err(|error| error.to_string())?;
        let start = (!start.is_empty()).then_some(start.as_str());
        (info.new)(&variant, start).map_err(|error| {
            if let SetupError::Judge { reason, .. } = &error {
                self.set_up_fault = Some(reason.clone());
            }
            error.to_string()
        })
    }
}

/// The answer to a query before `start`.
const NO_GAME: &str = "no game has started";

/// Texts of moves in one string.
#[derive(Default)]
struct MoveList {
    text: String,
    ends: Vec<usize>,
}

impl MoveList {
    fn push(&mut self, mv: &str) {
        self.text.push_str(mv);
        self.ends.push(self.text.len());
    }

    fn pop(&mut self, count: usize) {
        self.ends.truncate(self.ends.len().saturating_sub(count));
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }
}
