//! The games of one component instance, by their handles. Knows nothing of the component's types.

use sandboard_games::general::{GeneralRules, Observer, TwoSided};
use sandboard_games::{Ending, MoveSet, Phase, PositionFault, Rules, Seat, SetupError, Side};

/// Games in progress of one kind. A handle that no game has is a panic: the host never passes one.
pub(crate) struct Judge<R: Rules> {
    games: Vec<Option<GameState<R>>>,
    /// The handles of games that were closed.
    free: Vec<u32>,
}

#[derive(Clone)]
struct GameState<R: Rules> {
    position: TwoSided<R>,
    last_move: Option<R::Move>,
}

/// What follows after a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    pub(crate) to_move: Seat,
    pub(crate) phase: Phase,
    pub(crate) ending: Option<Ending>,
}

impl<R: Rules> Judge<R> {
    /// A judge without games.
    pub(crate) const fn new() -> Self {
        Self { games: Vec::new(), free: Vec::new() }
    }

    /// Begins a game; returns its handle, its variant and its turn. Err: the faults of the position
    /// text, or a fault at byte 0 for an unknown variant.
    pub(crate) fn start(
        &mut self,
        variant: &str,
        position: &str,
    ) -> Result<(u32, String, Turn), Vec<PositionFault>> {
        let variant = R::INFO.variant(variant).map_err(variant_fault)?;
        let position = match position {
            "" => R::start(&variant),
            text => R::parse_position(&variant, text).map_err(|error| error.0)?,
        };
        let state = GameState { position: TwoSided(position), last_move: None };
        let (variant, turn) = (state.position.0.variant().text(), state.turn());
        Ok((self.insert(state), variant, turn))
    }

    fn insert(&mut self, state: GameState<R>) -> u32 {
        match self.free.pop() {
            Some(game) => {
                self.games[game as usize] = Some(state);
                game
            }
            None => {
                self.games.push(Some(state));
                // Memory ends long before 2³² games.
                (self.games.len() - 1) as u32
            }
        }
    }

    fn game(&self, game: u32) -> &GameState<R> {
        self.games[game as usize].as_ref().expect("the game is open")
    }

    pub(crate) fn clone_game(&mut self, game: u32) -> u32 {
        let copy = self.game(game).clone();
        self.insert(copy)
    }

    pub(crate) fn close(&mut self, game: u32) {
        if self.games[game as usize].take().is_some() {
            self.free.push(game);
        }
    }

    /// Plays a legal move or a foul; returns its canonical text and the turn after it.
    pub(crate) fn play(&mut self, game: u32, text: &str) -> Result<(String, Turn), String> {
        let state = self.games[game as usize].as_mut().expect("the game is open");
        let position = &mut state.position.0;
        let mv = position.parse_move(text)?;
        let mut canonical = String::new();
        position.write_move(mv, &mut canonical);
        position.make_parsed(mv);
        state.last_move = Some(mv);
        Ok((canonical, state.turn()))
    }

    /// The legal moves, separated by one space.
    pub(crate) fn legal(&self, game: u32) -> String {
        let position = &self.game(game).position.0;
        let mut moves = Vec::new();
        position.generate(MoveSet::All, &mut moves);
        let mut line = String::new();
        for mv in moves.into_iter().filter(|mv| position.is_legal(*mv)) {
            if !line.is_empty() {
                line.push(' ');
            }
            position.write_move(mv, &mut line);
        }
        line
    }

    pub(crate) fn position(&self, game: u32) -> String {
        let mut text = String::new();
        self.game(game).position.write_position(&mut text);
        text
    }

    /// The current names of sides 0 and 1.
    pub(crate) fn sides(&self, game: u32) -> [&'static str; 2] {
        let position = &self.game(game).position.0;
        [position.side_name(Side(0)), position.side_name(Side(1))]
    }

    pub(crate) fn prompt(&self, game: u32) -> Option<String> {
        self.game(game).position.0.prompt()
    }

    /// The board as JSON, as a seat or a spectator sees it.
    pub(crate) fn board(&self, game: u32, seat: Option<u8>) -> Option<String> {
        let state = self.game(game);
        let observer = seat.map_or(Observer::Spectator, |seat| Observer::Seat(Seat(seat)));
        Some(state.position.board(observer, state.last_move.as_ref())?.to_json())
    }

    /// The text diagram with the last move marked, unless the host draws it from the board.
    pub(crate) fn diagram(&self, game: u32) -> Option<String> {
        let state = self.game(game);
        if state.position.0.board(state.last_move).is_some() {
            return None;
        }
        let mut text = String::new();
        state.position.0.write_diagram(state.last_move, &mut text);
        Some(text)
    }
}

impl<R: Rules> GameState<R> {
    fn turn(&self) -> Turn {
        let rules = &self.position.0;
        Turn { to_move: rules.to_move(), phase: rules.phase(), ending: self.position.ending() }
    }
}

fn variant_fault(error: SetupError) -> Vec<PositionFault> {
    vec![PositionFault { offset: 0, reason: error.to_string() }]
}

#[cfg(test)]
mod tests {
    use sandboard_games::reversi::Reversi;

    use super::*;

    #[test]
    fn a_judge_holds_games_by_their_handles() {
        let mut judge = Judge::<Reversi>::new();
        let (first, variant, turn) = judge.start("", "").unwrap();
        assert_eq!((first, &*variant, turn.to_move), (0, "standard-8", Seat(0)));
        assert_eq!(judge.legal(first), "d3 c4 f5 e6");
        let copy = judge.clone_game(first);
        let (mv, turn) = judge.play(first, "d3").unwrap();
        assert_eq!((&*mv, turn.to_move, turn.ending), ("d3", Seat(1), None));
        assert_eq!(judge.legal(copy), "d3 c4 f5 e6", "the copy did not move");
        let diagram = |game| judge.diagram(game).unwrap();
        assert!(diagram(first).contains("[X]"), "{}", diagram(first));
        assert!(!diagram(copy).contains('['));
        assert_eq!(judge.board(first, None), None);
        assert!(judge.play(first, "a1").is_err());
        assert_eq!(judge.sides(first), ["black", "white"]);
        let text = judge.position(first);
        judge.close(first);
        let (again, _, _) = judge.start("standard", &text).unwrap();
        assert_eq!(again, first, "a handle is used again");
        assert_eq!(judge.position(again), text);
        assert_eq!(judge.prompt(again), None);
    }

    #[test]
    fn faults_of_a_start_have_their_place() {
        let check = |variant: &str, position: &str, expected: &str| {
            let faults = Judge::<Reversi>::new().start(variant, position).unwrap_err();
            assert!(faults[0].reason.contains(expected), "{faults:?}");
        };
        check("large", "", "has no variant `large`");
        check("standard", "nothing", "");
    }
}
