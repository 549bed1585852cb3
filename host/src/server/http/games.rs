//! What is said of games and their rules, which is asked of the rules alone.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Json, Known, aside};
use crate::exact;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::room::{game_named, position, start_of};
use crate::server::wire::Position;

/// A game.
#[derive(Serialize, ToSchema)]
pub struct Game {
    /// Its id.
    id: &'static str,
    /// Its name.
    name: &'static str,
    /// How many seats it has.
    seats: u8,
    /// What its sides are called.
    sides: [&'static str; 2],
    /// What board it is shown on: the id.
    board: &'static str,
    /// Its variants.
    variants: Vec<Variant>,
    /// Formats of its files.
    formats: Vec<Format>,
    /// Whether its positions can be solved exactly; null: nobody can.
    solver: Option<SolverCard>,
    /// What moves look like.
    move_texts: &'static str,
    /// Where its first variant begins.
    start: String,
}

/// A solver of exact values.
#[derive(Serialize, ToSchema)]
pub struct SolverCard {
    /// What is counted: `trick`.
    unit: &'static str,
}

/// A variant.
#[derive(Serialize, ToSchema)]
pub struct Variant {
    /// Its id.
    id: &'static str,
    /// What a text of it is: the id.
    text: &'static str,
    /// One line for people.
    summary: &'static str,
    /// Its sizes; null: it has but one.
    size: Option<Sizes>,
    /// A number that players agree on beforehand.
    setting: Option<Setting>,
}

/// Sizes of a variant.
#[derive(Serialize, ToSchema)]
pub struct Sizes {
    /// The smallest.
    min: u8,
    /// The largest.
    max: u8,
    /// From one to the next.
    step: u8,
    /// The usual one.
    default: u8,
}

/// A number of a variant: in its text behind a colon, `name=number`.
#[derive(Serialize, ToSchema)]
pub struct Setting {
    /// Its name.
    name: &'static str,
    /// One line for people.
    summary: &'static str,
    /// The smallest.
    min: u8,
    /// The largest.
    max: u8,
    /// The usual one.
    default: u8,
}

/// A format of files.
#[derive(Serialize, ToSchema)]
pub struct Format {
    /// Its id.
    id: &'static str,
    /// What names of its files end with.
    extensions: &'static [&'static str],
    /// One line for people.
    summary: &'static str,
    /// Whether it is read.
    reads: bool,
    /// Whether it is written.
    writes: bool,
}

/// `GET /games`: for everybody, since nobody has a secret of the rules.
pub async fn games() -> Answer<axum::Json<Vec<Game>>> {
    let game = |info: &'static sandboard_games::GameInfo| {
        let first = info.variant("").map_err(|error| Problem::new(Kind::Internal, error))?;
        let set_up = (info.new)(&first, None);
        let start = set_up.map_err(|error| Problem::new(Kind::Internal, error))?.position();
        Ok(Game {
            id: info.id,
            name: info.name,
            seats: info.seats,
            sides: info.sides,
            board: info.id,
            variants: info.variants.iter().map(variant).collect(),
            formats: info.formats.iter().map(format).collect(),
            solver: exact::of_game(info.id).map(|row| SolverCard { unit: row.unit }),
            move_texts: info.move_texts,
            start,
        })
    };
    sandboard_games::GAMES.iter().copied().map(game).collect::<Answer<_>>().map(axum::Json)
}

fn variant(info: &sandboard_games::VariantInfo) -> Variant {
    let size = info.sizes.map(|sizes| Sizes {
        min: sizes.first,
        max: sizes.last,
        step: sizes.step,
        default: info.usual_size,
    });
    let setting = info.setting.as_ref().map(|setting| Setting {
        name: setting.name,
        summary: setting.about,
        min: setting.range.0,
        max: setting.range.1,
        default: setting.usual,
    });
    Variant { id: info.id, text: info.id, summary: info.about, size, setting }
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

/// A position that the rules are asked about.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The game's id.
    game: String,
    /// The variant's text.
    #[serde(default)]
    variant: String,
    /// The position; absent: the variant's start.
    #[serde(default)]
    position: Option<String>,
    /// Moves from there.
    #[serde(default)]
    moves: Vec<String>,
}

/// `POST /rules`.
pub async fn rules(_: Known, Json(question): Json<Question>) -> Answer<axum::Json<Position>> {
    aside(move || {
        let Question { game, variant, position: text, moves } = question;
        game_named(&game)?;
        let begins = start_of(&game, &variant, text, &[])?;
        let mut set_up = begins.set_up().map_err(|error| Problem::bad("position", error))?;
        for (index, mv) in moves.iter().enumerate() {
            let place = format!("moves[{index}]");
            let refused = |refusal| Problem::new(Kind::IllegalMove, refusal).at(place);
            set_up.play(mv).map_err(refused)?;
        }
        Ok(axum::Json(position(set_up.as_ref())))
    })
    .await
}
