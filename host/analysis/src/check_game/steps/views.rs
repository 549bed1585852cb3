//! Step 10: what seats and spectators see of a game with hidden information, and what seats may do
//! that decide at the same time, in random games.

use std::collections::BTreeMap;

use sandboard_common::text::{counted, quoted};
use sandboard_games::general::{Actor, Next, Observer};
use sandboard_games::{Seat, Side};

use super::super::context::GameContext;
use super::super::test_game::TestGame;
use crate::check::outcome::{Finding, StepResult};

/// The number of random games over all boards, and their longest length in plies.
const GAMES: usize = 300;
const PLIES_MAX: usize = 400;
/// No game begins on a board after its share of these positions.
const POSITIONS: usize = 8000;

/// What people and engines get beside views and moves, as the subject of a sentence.
const TELLS: [&str; 5] = [
    "its legal moves tell",
    "its diagram tells",
    "its board tells",
    "its prompt tells",
    "its names of sides tell",
];

/// What an observer may do and see by what it knows.
#[derive(Default)]
struct Known {
    /// What is compared, by observer and transcript; see [`TELLS`].
    answers: BTreeMap<(usize, String), [String; TELLS.len()]>,
    /// Whether the game has hidden information, so that views are compared.
    has_views: bool,
    /// Whether a view has left something out.
    hides: bool,
    positions: usize,
}

pub(crate) fn views(context: &mut GameContext<'_>) -> StepResult {
    let Some(info) = context.boards.first().map(|board| board.info) else {
        return Ok("there is no board".into());
    };
    let has_views = info.features.hidden_information;
    if !has_views && !info.features.simultaneous {
        return Ok("every observer sees everything, and seats move in turn".into());
    }
    let mut random = context.random();
    let (mut games, mut positions) = (0, 0);
    for board in context.boards.clone() {
        let mut known = Known { has_views, ..Known::default() };
        for _ in 0..context.share(GAMES).max(1) {
            if known.positions >= context.share(POSITIONS) {
                break;
            }
            let game = context.begin(&board, None)?;
            play(game, &mut known, |count| random.below(count))?;
            games += 1;
        }
        positions += known.positions;
        if has_views && !known.hides {
            let text = board.text();
            context.warnings.add(Finding {
                sentence: "it declares hidden information, but every view is the whole position"
                    .into(),
                request: format!("begin {text}, play random moves, query the views"),
                response: "views that are equal to the position".into(),
                expected: "views that leave something out".into(),
                advice: context.advice(),
            });
        }
    }
    let games = counted(games, "random game");
    let what = if has_views { "views" } else { "legal moves of steps" };
    Ok(format!("{what} in {} of {games}", counted(positions, "position")))
}

/// Plays a random game, and compares what observers see with what they saw in earlier games in
/// which they knew the same.
fn play(
    mut game: TestGame,
    known: &mut Known,
    mut random: impl FnMut(usize) -> usize,
) -> StepResult<()> {
    let observers = if known.has_views { game.observers() } else { Vec::new() };
    let mut transcripts = vec![String::new(); observers.len()];
    for _ in 0..PLIES_MAX {
        let position = game.ask("position text", |game| game.position())?;
        known.positions += 1;
        for (index, observer) in observers.iter().enumerate() {
            let view = game.ask("view", |game| game.view(*observer))?;
            known.hides |= view != position;
            transcripts[index].push_str(&format!(" [{view}]"));
        }
        let next = game.ask("who moves next", |game| game.next())?;
        if next == Next::Over {
            break;
        }
        for (index, observer) in observers.iter().enumerate() {
            known.check(&game, index, *observer, &transcripts[index])?;
        }
        play_step(&mut game, next, &observers, &mut transcripts, &mut random)?;
    }
    Ok(())
}

impl Known {
    /// Compares what [`TELLS`] names with that of an earlier position in which the observer knew
    /// the same.
    fn check(
        &mut self,
        game: &TestGame,
        index: usize,
        observer: Observer,
        transcript: &str,
    ) -> StepResult<()> {
        let legal = match observer {
            Observer::Seat(seat) => legal_of(game, seat)?,
            _ => String::new(),
        };
        let diagram = game.ask("diagram", |game| game.diagram(observer))?;
        // Not all of a board is in its diagram.
        let board = game.ask("board", |game| game.board(observer))?;
        let board = board.map_or(String::new(), |board| format!("{board:?}"));
        let prompt = game.ask("prompt", |game| game.prompt())?.unwrap_or_default();
        let sides = game.board().sides().len() as u8;
        let names = game.ask("names of sides", |game| {
            (0..sides).map(|side| game.side_name(Side(side))).collect::<Vec<_>>().join(", ")
        })?;
        let found = [legal, diagram, board, prompt, names];
        let key = (index, transcript.to_owned());
        let expected = self.answers.entry(key).or_insert_with(|| found.clone());
        for ((tells, found), expected) in TELLS.iter().zip(&found).zip(expected) {
            if found != expected {
                let who = name_of(observer);
                let sentence = format!(
                    "{tells} {who} more than it knows: an earlier game differs, in which it saw the \
                     same"
                );
                let call = format!("query what {who} sees, which knows{transcript}");
                return Err(game.failure(sentence, &call, [quoted(found), quoted(expected)]));
            }
        }
        Ok(())
    }
}

fn name_of(observer: Observer) -> String {
    match observer {
        Observer::Seat(seat) => format!("seat {}", seat.0),
        Observer::Spectator => "a spectator".into(),
        Observer::Everything => "a reader".into(),
    }
}

fn legal_of(game: &TestGame, seat: Seat) -> StepResult<String> {
    game.ask("list the legal moves", |game| {
        let mut line = String::new();
        game.write_legal_of(seat, &mut line);
        line
    })
}

/// Plays the moves of a step. Nothing that an observer sees, and no legal move of a seat that has
/// not moved, may change before all have moved.
fn play_step(
    game: &mut TestGame,
    next: Next,
    observers: &[Observer],
    transcripts: &mut [String],
    random: &mut impl FnMut(usize) -> usize,
) -> StepResult<()> {
    let seats: Vec<Seat> = next.seats().iter().collect();
    let mut moves = Vec::new();
    let lines = match next {
        Next::Seats(_) => {
            let lines = seats.iter().map(|seat| Ok((Actor::Seat(*seat), legal_of(game, *seat)?)));
            lines.collect::<StepResult<Vec<_>>>()?
        }
        _ => vec![(Actor::Chance, game.legal()?)],
    };
    for (actor, line) in &lines {
        let listed: Vec<&str> = line.split_ascii_whitespace().collect();
        let Some(mv) = listed.get(random(listed.len())) else {
            let answers = ["no move".into(), "at least one move".into()];
            return Err(game.failure("it lists no moves of a step", "list the moves", answers));
        };
        moves.push((*actor, (*mv).to_owned()));
    }
    for (index, observer) in observers.iter().enumerate() {
        for (actor, mv) in &moves {
            let seen = game.ask("how a move is seen", |game| game.seen(*observer, *actor, mv))?;
            if let Some(seen) = seen {
                transcripts[index].push_str(&format!(" {seen}"));
            }
        }
    }
    let views = |game: &TestGame| {
        let view = |observer: &Observer| game.ask("view", |game| game.view(*observer));
        observers.iter().map(view).collect::<StepResult<Vec<String>>>()
    };
    let before = views(game)?;
    for (index, (_, mv)) in moves.iter().enumerate() {
        game.play_listed(mv)?;
        let waiting = &lines[index + 1..];
        if waiting.is_empty() {
            break;
        }
        for ((observer, found), expected) in observers.iter().zip(views(game)?).zip(&before) {
            if found != *expected {
                let sentence = format!(
                    "{} sees a move before all seats of its step have moved",
                    name_of(*observer)
                );
                return Err(game.failure(sentence, "view", [quoted(&found), quoted(expected)]));
            }
        }
        for (actor, expected) in waiting {
            let Actor::Seat(seat) = actor else { continue };
            let found = legal_of(game, *seat)?;
            if found != *expected {
                let sentence = format!(
                    "the legal moves of seat {} depend on what other seats of the step have chosen",
                    seat.0
                );
                let answers = [quoted(&found), quoted(expected)];
                return Err(game.failure(sentence, "list the legal moves", answers));
            }
        }
    }
    Ok(())
}
