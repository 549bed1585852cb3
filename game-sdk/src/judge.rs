//! The games of one component instance, by their handles. Knows nothing of the component's types.

use sandboard_games::general::{Actor, GeneralRules, Next, Observer};
use sandboard_games::{
    Ending, Phase, PlayoutPlan, Playouts, PositionFault, Seat, SetupError, Side, playouts,
};

/// Games in progress of one kind. A handle that no game has is a panic: the host never passes one.
pub(crate) struct Judge<G: GeneralRules> {
    games: Vec<Option<GameState<G>>>,
    /// The handles of games that were closed.
    free: Vec<u32>,
}

#[derive(Clone)]
struct GameState<G: GeneralRules> {
    position: G,
    last_move: Option<(Actor, G::Move)>,
}

/// What follows after a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    pub(crate) next: Next,
    /// The lowest seat to move; after the end the seat that would have moved.
    pub(crate) to_move: Seat,
    pub(crate) phase: Phase,
    pub(crate) ending: Option<Ending>,
}

impl<G: GeneralRules> Judge<G> {
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
        let variant = G::INFO.variant(variant).map_err(variant_fault)?;
        let position = match position {
            "" => G::start(&variant),
            text => G::parse_position(&variant, text).map_err(|error| error.0)?,
        };
        let state = GameState { position, last_move: None };
        let (variant, turn) = (state.position.variant().text(), state.turn());
        Ok((self.insert(state), variant, turn))
    }

    fn insert(&mut self, state: GameState<G>) -> u32 {
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

    fn position_of(&self, game: u32) -> &G {
        &self.game(game).position
    }

    fn game(&self, game: u32) -> &GameState<G> {
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

    /// Plays a legal move or a foul of the lowest seat to move, or an outcome of chance; returns
    /// its canonical text and the turn after it.
    pub(crate) fn play(&mut self, game: u32, text: &str) -> Result<(String, Turn), String> {
        let state = self.games[game as usize].as_mut().expect("the game is open");
        let position = &mut state.position;
        let actor = position.next().first().ok_or("the game is over")?;
        let mv = position.parse_move(actor, text)?;
        let mut canonical = String::new();
        position.write_move(actor, &mv, &mut canonical);
        position.play(actor, &mv);
        state.last_move = Some((actor, mv));
        Ok((canonical, state.turn()))
    }

    /// The canonical text of a move of a seat.
    pub(crate) fn canonical(&self, game: u32, seat: u8, text: &str) -> Result<String, String> {
        let (position, actor) = (self.position_of(game), Actor::Seat(Seat(seat)));
        let mv = position.parse_move(actor, text)?;
        let mut canonical = String::new();
        position.write_move(actor, &mv, &mut canonical);
        Ok(canonical)
    }

    /// The legal moves of a seat, separated by one space.
    pub(crate) fn legal(&self, game: u32, seat: u8) -> String {
        let (position, seat) = (self.position_of(game), Seat(seat));
        let mut moves = Vec::new();
        position.generate(seat, &mut moves);
        let mut line = String::new();
        for mv in &moves {
            if !line.is_empty() {
                line.push(' ');
            }
            position.write_move(Actor::Seat(seat), mv, &mut line);
        }
        line
    }

    /// A legal move of the lowest seat to move in the notation of files; none: the canonical text.
    pub(crate) fn notation(&self, game: u32, text: &str) -> Option<String> {
        let position = self.position_of(game);
        let actor = position.next().first()?;
        let mv = position.parse_move(actor, text).ok()?;
        let mut notation = String::new();
        position.write_notation(actor, &mv, &mut notation);
        (!notation.is_empty()).then_some(notation)
    }

    /// The outcomes of chance with their weights.
    pub(crate) fn chance(&self, game: u32) -> Vec<(String, u32)> {
        let position = self.position_of(game);
        let mut outcomes = Vec::new();
        position.chance(&mut outcomes);
        let text = |(mv, weight): (G::Move, u32)| {
            let mut text = String::new();
            position.write_move(Actor::Chance, &mv, &mut text);
            (text, weight)
        };
        outcomes.into_iter().map(text).collect()
    }

    /// The results of random games from the position of a game.
    pub(crate) fn playouts(&self, game: u32, plan: &PlayoutPlan) -> Playouts {
        playouts(self.position_of(game), plan)
    }

    pub(crate) fn position(&self, game: u32) -> String {
        let mut text = String::new();
        self.position_of(game).write_position(&mut text);
        text
    }

    /// The position as an observer sees it.
    pub(crate) fn view(&self, game: u32, observer: Observer) -> String {
        if observer == Observer::Everything {
            return self.position(game);
        }
        let mut text = String::new();
        self.position_of(game).write_view(observer, &mut text);
        text
    }

    /// A move of an actor as an observer sees it; none: it is not noticed, or not legal.
    pub(crate) fn seen(
        &self,
        game: u32,
        observer: Observer,
        actor: Actor,
        mv: &str,
    ) -> Option<String> {
        let position = self.position_of(game);
        let mv = position.parse_move(actor, mv).ok()?;
        let mut text = String::new();
        match observer {
            Observer::Everything => position.write_move(actor, &mv, &mut text),
            observer => position.write_seen(observer, actor, &mv, &mut text),
        }
        (!text.is_empty()).then_some(text)
    }

    /// The current names of the sides that have a seat in the variant.
    pub(crate) fn sides(&self, game: u32) -> Vec<&'static str> {
        let position = self.position_of(game);
        let sides = G::INFO.sides_of(&position.variant()).len() as u8;
        (0..sides).map(|side| position.side_name(Side(side))).collect()
    }

    pub(crate) fn prompt(&self, game: u32) -> Option<String> {
        self.position_of(game).prompt()
    }

    /// The board as JSON, as an observer sees it.
    pub(crate) fn board(&self, game: u32, observer: Observer) -> Option<String> {
        let state = self.game(game);
        let last = state.last_move.as_ref().map(|(_, mv)| mv);
        Some(state.position.board(observer, last)?.to_json())
    }

    /// The text diagram as an observer sees it, with the last move marked, unless the host draws it
    /// from the board.
    pub(crate) fn diagram(&self, game: u32, observer: Observer) -> Option<String> {
        let state = self.game(game);
        let last = state.last_move.as_ref().map(|(_, mv)| mv);
        if state.position.board(observer, last).is_some() {
            return None;
        }
        let mut text = String::new();
        state.position.write_diagram(observer, state.last_move.clone(), &mut text);
        Some(text)
    }
}

impl<G: GeneralRules> GameState<G> {
    fn turn(&self) -> Turn {
        let rules = &self.position;
        Turn {
            next: rules.next(),
            to_move: rules.to_move(),
            phase: rules.phase(),
            ending: rules.ending(),
        }
    }
}

fn variant_fault(error: SetupError) -> Vec<PositionFault> {
    vec![PositionFault { offset: 0, reason: error.to_string() }]
}

#[cfg(test)]
mod tests {
    use sandboard_games::Rules;
    use sandboard_games::general::{SeatSet, TwoSided};
    use sandboard_games::reversi::Reversi;

    use super::*;

    fn to_move(seat: u8) -> Next {
        Next::Seats(SeatSet::one(Seat(seat)))
    }

    #[test]
    fn a_judge_holds_games_by_their_handles() {
        let mut judge = Judge::<TwoSided<Reversi>>::new();
        let (first, variant, turn) = judge.start("", "").unwrap();
        assert_eq!((first, &*variant, turn.next), (0, "standard-8", to_move(0)));
        assert_eq!(judge.legal(first, 0), "d3 c4 f5 e6");
        let plan = PlayoutPlan { seed: 1, games: 2, plies_max: 100 };
        let position = TwoSided(Reversi::start(&Reversi::INFO.default_variant()));
        assert_eq!(judge.playouts(first, &plan), playouts(&position, &plan));
        let copy = judge.clone_game(first);
        let (mv, turn) = judge.play(first, "d3").unwrap();
        assert_eq!((&*mv, turn.next, turn.ending), ("d3", to_move(1), None));
        assert_eq!(judge.legal(copy, 0), "d3 c4 f5 e6", "the copy did not move");
        assert_eq!(judge.legal(first, 0), "", "seat 0 is not to move");
        assert_eq!(judge.canonical(first, 1, "C3").as_deref(), Ok("c3"));
        let diagram = |game| judge.diagram(game, Observer::Spectator).unwrap();
        assert!(diagram(first).contains("[X]"), "{}", diagram(first));
        assert!(!diagram(copy).contains('['));
        assert_eq!(judge.board(first, Observer::Spectator), None);
        assert!(judge.play(first, "a1").is_err());
        assert_eq!(judge.chance(first), []);
        assert_eq!(judge.notation(first, "c3"), None, "reversi has no other notation");
        let seen = |mv| judge.seen(first, Observer::Spectator, Actor::Seat(Seat(1)), mv);
        assert_eq!((seen("c3").as_deref(), seen("a1")), (Some("c3"), None));
        assert_eq!(judge.view(first, Observer::Seat(Seat(0))), judge.position(first));
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
            let faults = Judge::<TwoSided<Reversi>>::new().start(variant, position).unwrap_err();
            assert!(faults[0].reason.contains(expected), "{faults:?}");
        };
        check("large", "", "has no variant `large`");
        check("standard", "nothing", "");
    }
}
