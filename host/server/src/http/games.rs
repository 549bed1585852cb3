//! Routes of games and their rules. Of the server's state, they depend on its games only.

use std::sync::Arc;

use axum::extract::State;
use sandboard_games::general::{Next, draw};
use sandboard_games::splitmix::SplitMix64;
use sandboard_games::{DynGame, NO_TRANSLATIONS, Translations};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AdmittedOrPlayer, Json, run_blocking};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::room::{check_count, find_game, parse_start, position as position_view};
use crate::wire::{Position, whole_number};
use sandboard_bout::solver;

/// The most outcomes of chance that a request draws: more than any deal of cards has.
const DRAWS_MAX: usize = 1000;

/// A game that the server knows.
#[derive(Serialize, ToSchema)]
pub(crate) struct Game {
    id: &'static str,
    name: &'static str,
    /// The number of seats, the largest of all variants.
    seats: u8,
    /// The usual names of the sides. Seats belong to them in turn. A variant with fewer seats has
    /// only the first ones.
    sides: &'static [&'static str],
    features: Features,
    /// The id of the board that shows it.
    board: &'static str,
    variants: Vec<Variant>,
    /// The formats of its files.
    formats: Vec<Format>,
    /// The solver of exact values; null: the game has none.
    solver: Option<SolverCard>,
    /// A description of its move texts.
    move_texts: &'static str,
    /// Texts of a plugged-in game in other languages: for each language tag, such as `zh`, the
    /// translation of each text. A text is one of this card or one that the rules say.
    translations: &'static Translations,
    /// The start position of its first variant.
    start: String,
}

/// What a game has beside seats that move in turn and see everything.
#[derive(Serialize, ToSchema)]
pub(crate) struct Features {
    /// Chance moves in the game.
    chance: bool,
    /// Seats or spectators see only a part of positions and moves.
    hidden_information: bool,
    /// Several seats decide at the same time.
    simultaneous: bool,
}

impl Features {
    fn of(features: sandboard_games::Features) -> Self {
        let sandboard_games::Features { chance, hidden_information, simultaneous } = features;
        Self { chance, hidden_information, simultaneous }
    }
}

/// A solver of exact values.
#[derive(Serialize, ToSchema)]
pub(crate) struct SolverCard {
    /// The unit of values, such as `trick`.
    unit: &'static str,
}

/// A variant of a game.
#[derive(Serialize, ToSchema)]
pub(crate) struct Variant {
    id: &'static str,
    /// The text that selects it: the id.
    text: &'static str,
    /// A description in one line.
    summary: &'static str,
    /// Its board sizes; null: it has only one.
    size: Option<Sizes>,
    /// A number that the players agree on beforehand.
    setting: Option<Setting>,
    /// The number of seats: the first ones of the game.
    seats: u8,
}

/// The board sizes of a variant.
#[derive(Serialize, ToSchema)]
pub(crate) struct Sizes {
    /// The smallest size.
    min: u8,
    /// The largest size.
    max: u8,
    /// The difference between sizes.
    step: u8,
    /// The default size.
    default: u8,
}

/// A numeric setting of a variant, written after a colon as `name=number`.
#[derive(Serialize, ToSchema)]
pub(crate) struct Setting {
    name: &'static str,
    /// A description in one line.
    summary: &'static str,
    /// The smallest value.
    min: u8,
    /// The largest value.
    max: u8,
    /// The default value.
    default: u8,
}

/// A file format.
#[derive(Serialize, ToSchema)]
pub(crate) struct Format {
    id: &'static str,
    /// The extensions of its files.
    extensions: &'static [&'static str],
    /// A description in one line.
    summary: &'static str,
    /// Whether files can be read.
    reads: bool,
    /// Whether files can be written.
    writes: bool,
}

/// `GET /games`. Public, since the rules are no secret. A plugged-in game whose rules fail is left
/// out, and the operator's log says why.
pub(crate) async fn games(State(app): State<Arc<App>>) -> ApiResult<axum::Json<Vec<Game>>> {
    let list = move || {
        let mut games = Vec::new();
        for info in app.hub.games.now().iter() {
            match (info.new)(&info.default_variant(), None) {
                Ok(set_up) => games.push(game(info, set_up.position())),
                Err(error) => app.hub.notify_operator("warning", error.to_string()),
            }
        }
        Ok(axum::Json(games))
    };
    run_blocking(list).await
}

/// The card of a game; `start` is the start position of its first variant.
pub(crate) fn game(info: &'static sandboard_games::GameInfo, start: String) -> Game {
    Game {
        id: info.id,
        name: info.name,
        seats: info.seats,
        sides: info.sides,
        features: Features::of(info.features),
        board: info.id,
        variants: info.variants.iter().map(|it| variant(info, it)).collect(),
        formats: info.formats.iter().map(format).collect(),
        solver: solver::solved_game(info.id).map(|row| SolverCard { unit: row.unit }),
        move_texts: info.move_texts,
        translations: info.plugged_in.map_or(&NO_TRANSLATIONS, |rules| rules.translations),
        start,
    }
}

fn variant(game: &sandboard_games::GameInfo, info: &sandboard_games::VariantInfo) -> Variant {
    let seats = info.seats.unwrap_or(game.seats);
    let size = info.sizes.map(|sizes| Sizes {
        min: sizes.first,
        max: sizes.last,
        step: sizes.step,
        default: info.default_size,
    });
    let setting = info.setting.as_ref().map(|setting| Setting {
        name: setting.name,
        summary: setting.about,
        min: setting.range.0,
        max: setting.range.1,
        default: setting.default,
    });
    Variant { id: info.id, text: info.id, summary: info.about, size, setting, seats }
}

fn format(format: &sandboard_games::formats::Format) -> Format {
    Format {
        id: format.id,
        extensions: format.extensions,
        summary: format.about,
        reads: format.read.is_some(),
        writes: format.write.is_some(),
    }
}

/// A request to apply the rules to a position.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionRequest {
    pub(super) game: String,
    /// The variant's text; empty: the game's first variant.
    #[serde(default)]
    variant: String,
    /// The position; absent: the variant's start.
    #[serde(default)]
    position: Option<String>,
    /// Moves to play from the position.
    #[serde(default)]
    #[schema(max_items = 20_000)]
    moves: Vec<String>,
    /// Draws the outcomes of chance that come next, such as a deal of cards, at most 1000. The same
    /// seed draws the same outcomes. Absent: the position waits for chance.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 4_294_967_295_i64)]
    chance_seed: Option<u32>,
}

/// Handles `POST /position`.
pub(crate) async fn position(
    AdmittedOrPlayer { admitted }: AdmittedOrPlayer,
    State(app): State<Arc<App>>,
    Json(request): Json<PositionRequest>,
) -> ApiResult<axum::Json<Position>> {
    let hub = app.hub.clone();
    let work = move || position_after(&hub.games.now(), request).map(axum::Json);
    app.guest_work.run_for(admitted, work).await
}

/// Returns the position after the moves of a request.
pub(super) fn position_after(
    games: &sandboard_games::Games,
    request: PositionRequest,
) -> ApiResult<Position> {
    let PositionRequest { game, variant, position: text, moves, chance_seed } = request;
    find_game(games, &game)?;
    let start = parse_start(games, &game, &variant, text, &[])?;
    let mut set_up = start.set_up().map_err(|error| Problem::unprocessable("position", error))?;
    check_count(&moves)?;
    for (index, mv) in moves.iter().enumerate() {
        let location = format!("moves[{index}]");
        let refused = |refusal| Problem::new(ProblemKind::IllegalMove, refusal).at(location);
        set_up.play(mv).map_err(refused)?;
    }
    if let Some(seed) = chance_seed {
        draw_outcomes(set_up.as_mut(), seed)?;
    }
    let null_move = !set_up.is_over() && set_up.after_null_move().is_some();
    Ok(Position { null_move, ..position_view(set_up.as_ref()) })
}

/// Plays the outcomes of chance that come next, at most `DRAWS_MAX`.
fn draw_outcomes(game: &mut dyn DynGame, seed: u32) -> ApiResult<()> {
    let mut random = SplitMix64::new(u64::from(seed));
    for _ in 0..DRAWS_MAX {
        let outcomes = match game.next() {
            Next::Chance => game.chance(),
            _ => break,
        };
        let Some(outcome) = draw(&outcomes, &mut random) else { break };
        let refused = |refusal| Problem::new(ProblemKind::IllegalMove, refusal).at("chance_seed");
        game.play(outcome).map_err(refused)?;
    }
    Ok(())
}
