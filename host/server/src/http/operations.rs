//! The table of all operations of the API: who may call each, what it reads and what it answers.
//! The OpenAPI document is made from it, and query parameters that it does not list are refused.

use axum::extract::{MatchedPath, Query, Request};
use axum::http::{Method, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::arenas::unknown_parameter;
use crate::problem::{ApiResult, Problem};

/// Where the API begins.
pub(super) const PREFIX: &str = "/api/v1";

/// Who may call an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Without a secret.
    Public,
    /// The operator: everyone, if the server requires no token.
    Operator,
    /// The operator, or a player with a ticket.
    OperatorOrPlayer,
    /// A player with a ticket.
    Player,
    /// The holder of a token of the contest.
    Contest,
}

/// The body of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// There is none.
    Absent,
    /// JSON of this schema.
    Json(&'static str),
    /// The bytes of a file, at least one.
    File,
}

/// The body of a response.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// There is none.
    Absent,
    /// JSON of this schema.
    Json(&'static str),
    /// A list of this schema, as JSON.
    List(&'static str),
    /// A line of JSON of this schema for each item.
    Lines(&'static str),
    /// JSON that is described elsewhere: a record, or the OpenAPI document.
    Object,
    /// Text of this media type.
    Text(&'static str),
    /// The bytes of a file.
    File,
}

/// What a parameter may be.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Any text, also an empty one.
    Text,
    /// Text of this pattern, with at most this number of characters.
    Pattern(&'static str, usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Boolean,
    /// A whole number of 32 bits, from 0.
    Number,
    /// The number of an entry or a trial, from 1.
    Id,
    /// A list of whole numbers of 32 bits: the parameter may repeat.
    Numbers,
}

/// A parameter of a query.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: Kind,
    pub is_required: bool,
}

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, about, kind, is_required: false }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, about, kind, is_required: true }
}

/// An operation: a method of a path.
pub(super) struct Operation {
    pub method: &'static str,
    /// The path after [`PREFIX`].
    pub path: &'static str,
    pub summary: &'static str,
    pub access: Access,
    pub query: &'static [Parameter],
    pub body: Body,
    /// A body that is accepted, as JSON; empty: there is none.
    pub example: &'static str,
    pub status: u16,
    pub content: Content,
    /// Statuses beyond [`status`](Self::status) and those that follow from the other fields.
    pub others: &'static [u16],
}

/// An operation of the operator without parameters and bodies; the functions below change that.
const fn operation(method: &'static str, path: &'static str, summary: &'static str) -> Operation {
    Operation {
        method,
        path,
        summary,
        access: Access::Operator,
        query: &[],
        body: Body::Absent,
        example: "",
        status: 200,
        content: Content::Absent,
        others: &[],
    }
}

const fn get(path: &'static str, summary: &'static str) -> Operation {
    operation("get", path, summary)
}

const fn post(path: &'static str, summary: &'static str) -> Operation {
    operation("post", path, summary)
}

impl Operation {
    const fn by(self, access: Access) -> Self {
        Self { access, ..self }
    }

    const fn with(self, query: &'static [Parameter]) -> Self {
        Self { query, ..self }
    }

    const fn reads(self, body: Body) -> Self {
        Self { body, ..self }
    }

    const fn such_as(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    const fn gives(self, status: u16, content: Content) -> Self {
        Self { status, content, ..self }
    }

    const fn or(self, others: &'static [u16]) -> Self {
        Self { others, ..self }
    }

    /// The names of the parameters in the path.
    pub(super) fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split(['{', '}']).skip(1).step_by(2)
    }

    /// All statuses of errors.
    pub(super) fn errors(&self) -> Vec<u16> {
        // The guard refuses other hosts, pages of other sites and high rates, and the HTTP library
        // long heads.
        let mut all = vec![400, 403, 414, 429, 431, 500];
        all.extend_from_slice(self.others);
        if !matches!(self.access, Access::Public | Access::Player) {
            all.push(401);
        }
        if self.path.contains('{') {
            all.push(404);
        }
        match self.body {
            Body::Absent => (),
            Body::File => all.extend([408, 413]),
            Body::Json(_) => all.extend([408, 413, 415]),
        }
        // Their records and stores are read by a few threads.
        if matches!(self.access, Access::Contest | Access::OperatorOrPlayer | Access::Player) {
            all.push(503);
        }
        all.retain(|status| *status != self.status);
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Refuses query parameters that the operation does not list.
pub(super) async fn check_query(path: MatchedPath, request: Request, next: Next) -> Response {
    match check(path.as_str(), request.method(), request.uri()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn check(path: &str, method: &Method, uri: &Uri) -> ApiResult<()> {
    let method = if method == Method::HEAD { "get" } else { method.as_str() };
    let is_it = |it: &&Operation| {
        it.method.eq_ignore_ascii_case(method) && path.strip_prefix(PREFIX) == Some(it.path)
    };
    // Other methods are refused anyway.
    let Some(operation) = OPERATIONS.iter().find(is_it) else { return Ok(()) };
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(pairs) = pairs.map_err(|error| Problem::bad_request("query", error.body_text()))?;
    let is_known = |name: &str| operation.query.iter().any(|it| it.name == name);
    match pairs.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(unknown_parameter(name)),
        None => Ok(()),
    }
}

/// Names of files that may be uploaded. `upload::check_name` checks the same.
pub(super) const FILE_NAME: Kind = Kind::Pattern(
    r"^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*\.([Ww][Aa][Ss][Mm]|[Zz][Ii][Pp]|[Ss][Oo]|[Dd][Ll][Ll]|[Dd][Yy][Ll][Ii][Bb])$",
    120,
);
/// Names of games of arenas.
const GAME_NAME: Kind = Kind::Pattern(r"^pair-[0-9]{6,10}-[0-9]{1,3}$", 19);
/// Which games the tables of an arena include.
const PLAYER: Parameter =
    optional("player", Kind::Numbers, "Only games of these players, by index");
const OPENING: Parameter = optional("opening", Kind::Number, "Only games from this opening");
const ROUND: Parameter = optional("round", Kind::Number, "Only games of this round");
const NO_FAULTS: Parameter = optional("no_faults", Kind::Boolean, "Leave out games with faults");
const SINCE: Parameter = optional(
    "since",
    Kind::Text,
    "The version that the client has: waits up to 20 s for a newer one, and answers 204 if there \
     is none",
);
const FILTER: &[Parameter] = &[PLAYER, OPENING, ROUND, NO_FAULTS];
const LIMIT: Parameter =
    optional("limit", Kind::Number, "The most items of the list; the server has a limit, too");
const BEFORE_GAME: Parameter =
    optional("before", GAME_NAME, "Only games before this one: `next` of the previous page");

/// All operations, in the order of the router.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/info", "Version, and what the caller may do")
        .by(Access::Public)
        .gives(200, Content::Json("Info")),
    post("/login", "Log in with the token: sets a cookie")
        .by(Access::Public)
        .reads(Body::Json("Login"))
        .gives(204, Content::Absent)
        .or(&[401]),
    get("/games", "The games and their variants")
        .by(Access::Public)
        .gives(200, Content::List("Game")),
    post("/position", "Apply moves to a position, and list the legal moves")
        .by(Access::OperatorOrPlayer)
        .reads(Body::Json("PositionRequest"))
        .such_as(r#"{"game": "gomoku", "variant": "freestyle-15", "moves": ["h8", "i9"]}"#)
        .gives(200, Content::Json("Position"))
        .or(&[422]),
    get("/engines", "The engines folder").gives(200, Content::Json("Listing")),
    post("/engines", "Upload an engine")
        .with(&[required("name", FILE_NAME, "The file name, without a folder")])
        .reads(Body::File)
        .gives(201, Content::Json("UploadResult"))
        .or(&[409]),
    operation("delete", "/engines/files/{file}", "Delete an uploaded file")
        .gives(204, Content::Absent),
    post("/engines/{id}/trust", "Trust an engine that is not sandboxed")
        .gives(204, Content::Absent)
        .or(&[409, 422]),
    get("/engines/{id}/files", "The files with which a browser runs a sandboxed engine")
        .with(&[required("game", Kind::Text, "The id of the game that it is to play")])
        .gives(200, Content::Json("EngineFileList"))
        .or(&[409, 422, 503]),
    get("/engines/{id}/files/{sha256}", "A file of a sandboxed engine")
        .gives(200, Content::File)
        .or(&[409]),
    get("/games/{id}/rules/{sha256}", "The module of a plugged-in game's rules")
        .gives(200, Content::File)
        .or(&[409]),
    get("/engines/{id}/usage", "What an engine used in its latest bouts")
        .with(&[LIMIT])
        .gives(200, Content::Json("EngineUsage")),
    get("/engines/{id}/ratings", "The ratings of an engine in the arenas of this machine")
        .gives(200, Content::Json("EngineRatings")),
    get("/rooms", "Open rooms").gives(200, Content::List("RoomCard")),
    post("/rooms", "Open a room")
        .reads(Body::Json("NewRoom"))
        .such_as(
            r#"{"game": "gomoku", "variant": "freestyle-15", "players": [
                {"name": "Ann", "seats": [0], "budget": "5m", "person": {}},
                {"seats": [1], "budget": "1s/move", "engine": {"id": "random-mover"}}
            ]}"#,
        )
        .gives(201, Content::Json("OpenedRoom"))
        .or(&[422, 503]),
    post("/quick-games", "Join a quick game with the same rules, or wait for one")
        .reads(Body::Json("QuickGameRequest"))
        .such_as(r#"{"game": "gomoku", "variant": "freestyle-15", "budget": "5m", "name": "Ann"}"#)
        .gives(201, Content::Json("QuickGame"))
        .or(&[422, 503]),
    get("/rooms/{id}", "A snapshot of a room")
        .by(Access::OperatorOrPlayer)
        .gives(200, Content::Json("Snapshot"))
        .or(&[410]),
    get("/rooms/{id}/board", "The current board of a room, as spectators see it")
        .gives(200, Content::Json("RoomBoard"))
        .or(&[410]),
    get("/rooms/{id}/record", "The record of a room's bout")
        .by(Access::OperatorOrPlayer)
        .gives(200, Content::Object)
        .or(&[409, 410]),
    get("/rooms/{id}/export/{format}", "The bout in a file format of the game")
        .by(Access::OperatorOrPlayer)
        .gives(200, Content::File)
        .or(&[409, 410]),
    post("/rooms/{id}/rematch", "Open a rematch with the sides exchanged")
        .by(Access::Player)
        .gives(201, Content::Json("OpenedRoom"))
        .or(&[409, 410, 422]),
    get("/rooms/{id}/ws", "The socket of a room")
        .by(Access::Public)
        .gives(101, Content::Absent)
        .or(&[410]),
    get("/lobby/ws", "The socket of the lobby").gives(101, Content::Absent),
    post("/files", "Read a record or a file of moves")
        .with(&[
            required("name", Kind::Text, "The file name; its extension selects the format"),
            optional("game", Kind::Text, "The game's id, if several have files of this extension"),
        ])
        .reads(Body::File)
        .gives(200, Content::Json("Games"))
        .or(&[422]),
    post("/files/export/{format}", "Convert a game of a file to another format of its game")
        .with(&[
            required("name", Kind::Text, "The file name; its extension selects the format"),
            optional("game", Kind::Text, "The game's id, if several have files of this extension"),
            optional("number", Kind::Number, "Which game of the file, from 0"),
        ])
        .reads(Body::File)
        .gives(200, Content::File)
        .or(&[409, 422]),
    post("/analyse", "Analyse every position of a game, one line of JSON for each")
        .reads(Body::Json("AnalysisRequest"))
        .such_as(
            r#"{"game": "gomoku", "variant": "freestyle-15", "moves": ["h8", "i9"],
                "engine": {"id": "random-mover"}, "budget": "depth:2"}"#,
        )
        .gives(200, Content::Lines("PositionAnalysis"))
        .or(&[422]),
    post("/solve", "The exact values of a position")
        .by(Access::OperatorOrPlayer)
        .reads(Body::Json("SolveRequest"))
        .such_as(r#"{"game": "bridge", "start": "N:A2... K3... Q4... J5... NT W -"}"#)
        .gives(200, Content::Json("Solution"))
        .or(&[422]),
    get("/bouts", "Finished bouts, newest first")
        .with(&[
            optional("game", Kind::Text, "The game's id"),
            optional("name", Kind::Text, "Part of a player's name, ignoring case"),
            optional("engine", Kind::Text, "The id of an engine that played"),
            optional(
                "result",
                Kind::Word(&["0", "1", "draw", "aborted"]),
                "`0` or `1` for the winning side, `draw`, or `aborted`",
            ),
            optional(
                "before",
                Kind::Pattern(r"^-?[0-9]{1,18}:", 1000),
                "The cursor `next` of the previous page",
            ),
            LIMIT,
        ])
        .gives(200, Content::Json("Bouts")),
    get("/bouts/{id}", "The record of a finished bout").gives(200, Content::Object),
    get("/bouts/{id}/export/{format}", "A finished bout in a file format of its game")
        .gives(200, Content::File)
        .or(&[409]),
    get("/arenas", "Arenas").gives(200, Content::List("ArenaCard")),
    post("/arenas", "Create an arena, and play it in a process of its own")
        .reads(Body::Json("NewArena"))
        .such_as(
            r#"{"game": "gomoku", "variant": "freestyle-7", "format": "match", "count": 1,
                "budget": "10ms/move", "seed": 5,
                "players": [{"engine": {"id": "random-mover"}}, {"engine": {"id": "random-mover"}}]
            }"#,
        )
        .gives(201, Content::Json("StartedArena"))
        .or(&[409, 422]),
    get("/arena-runs", "The arenas that this server has played: free games at once, errors")
        .gives(200, Content::Json("RunsView")),
    get("/arenas/{id}", "The tables of an arena; with `since`, waits for a newer version")
        .with(&[SINCE, PLAYER, OPENING, ROUND, NO_FAULTS])
        .gives(200, Content::Json("ArenaView"))
        .or(&[204, 422]),
    get("/arenas/{id}/games", "Finished games")
        .with(&[
            optional("player", Kind::Number, "Only games of this player, by index"),
            optional("opponent", Kind::Number, "Only games against this player, by index"),
            OPENING,
            ROUND,
            optional("fault", Kind::Boolean, "Only games with a fault, or only those without"),
            BEFORE_GAME,
            LIMIT,
        ])
        .gives(200, Content::Json("ArenaGames"))
        .or(&[422]),
    get("/arenas/{id}/games/{name}", "The record of a game").gives(200, Content::Object),
    get("/arenas/{id}/games/{name}/export/{format}", "A game in a file format of its game")
        .gives(200, Content::File)
        .or(&[409]),
    get("/arenas/{id}/games.csv", "All finished games as CSV")
        .with(FILTER)
        .gives(200, Content::Text("text/csv"))
        .or(&[422]),
    get("/arenas/{id}/report.csv", "The standings as CSV")
        .with(FILTER)
        .gives(200, Content::Text("text/csv"))
        .or(&[422]),
    get("/arenas/{id}/report.html", "The arena as a web page")
        .with(FILTER)
        .gives(200, Content::Text("text/html"))
        .or(&[422]),
    get("/arenas/{id}/live", "Live games; with `since`, waits for a newer version")
        .with(&[SINCE])
        .gives(200, Content::Json("LiveGames"))
        .or(&[204]),
    post("/arenas/{id}/stop", "Stop after the current games")
        .gives(202, Content::Absent)
        .or(&[409]),
    post("/arenas/{id}/resume", "Play an arena further")
        .reads(Body::Json("ResumeArena"))
        .such_as("{}")
        .gives(202, Content::Absent)
        .or(&[409, 422]),
    get("/contests", "Contests").by(Access::Public).gives(200, Content::List("ContestCard")),
    get("/contests/{id}", "The rules and tables of a contest")
        .by(Access::Public)
        .gives(200, Content::Json("ContestView"))
        .or(&[503]),
    get("/contests/{id}/account", "What the holder of a contest token sees in addition")
        .by(Access::Contest)
        .gives(200, Content::Json("ContestAccount")),
    post("/contests/{id}/entries", "Submit an entry")
        .by(Access::Contest)
        .reads(Body::File)
        .gives(201, Content::Json("CreatedNumber"))
        .or(&[409]),
    get("/contests/{id}/entries/{number}", "An entry with its report")
        .by(Access::Contest)
        .gives(200, Content::Json("EntryView")),
    post("/contests/{id}/entries/{number}/retest", "Test an entry again (organiser)")
        .by(Access::Contest)
        .gives(204, Content::Absent)
        .or(&[409]),
    get("/contests/{id}/games", "Games of the token's holder, newest first")
        .by(Access::Contest)
        .with(&[optional("arena", Kind::Text, "The arena's name"), BEFORE_GAME, LIMIT])
        .gives(200, Content::Json("OwnGames"))
        .or(&[422]),
    get(
        "/contests/{id}/games/{arena}/{name}",
        "The record of a game, without the other players' output",
    )
    .by(Access::Contest)
    .gives(200, Content::Object),
    get(
        "/contests/{id}/games/{arena}/{name}/export/{format}",
        "A game of a contest in a file format of its game",
    )
    .by(Access::Contest)
    .gives(200, Content::File)
    .or(&[409]),
    get(
        "/contests/{id}/live/{arena}",
        "Live games of the token's holder; with `since`, waits for a newer version",
    )
    .by(Access::Contest)
    .with(&[SINCE])
    .gives(200, Content::Json("OwnLiveGames"))
    .or(&[204]),
    post("/contests/{id}/position", "As `POST /position`, for the contest's game")
        .by(Access::Contest)
        .reads(Body::Json("PositionRequest"))
        .gives(200, Content::Json("Position"))
        .or(&[422]),
    post("/contests/{id}/trials", "Request an unrated bout")
        .by(Access::Contest)
        .reads(Body::Json("TrialRequest"))
        .gives(201, Content::Json("CreatedNumber"))
        .or(&[409, 422]),
    get(
        "/contests/{id}/trials/{number}",
        "The record of an unrated bout, without the other player's output",
    )
    .by(Access::Contest)
    .gives(200, Content::Object),
    get(
        "/contests/{id}/trials/{number}/export/{format}",
        "An unrated bout in a file format of its game",
    )
    .by(Access::Contest)
    .gives(200, Content::File)
    .or(&[409]),
    post("/contests/{id}/entrants", "Add an entrant, or replace an entrant's token (organiser)")
        .by(Access::Contest)
        .reads(Body::Json("NewEntrant"))
        .gives(201, Content::Json("EntrantToken"))
        .or(&[409, 422]),
    post("/contests/{id}/entrants/{name}", "Set an entrant's status (organiser)")
        .by(Access::Contest)
        .reads(Body::Json("EntrantStatusChange"))
        .gives(204, Content::Absent)
        .or(&[409, 422]),
    post("/contests/{id}/invitations", "Make an invitation for entrants (organiser)")
        .by(Access::Contest)
        .reads(Body::Json("NewInvitation"))
        .gives(201, Content::Json("InvitationSecret"))
        .or(&[409, 422]),
    post("/contests/{id}/invitations/{number}/revoke", "Revoke an invitation (organiser)")
        .by(Access::Contest)
        .gives(204, Content::Absent),
    get("/contests/{id}/invitation", "The invitation whose secret is sent as the token")
        .by(Access::Contest)
        .gives(200, Content::Json("InvitationView"))
        .or(&[409, 410]),
    post(
        "/contests/{id}/registrations",
        "Register as an entrant, with the secret of an invitation as the token",
    )
    .by(Access::Contest)
    .reads(Body::Json("NewRegistration"))
    .gives(201, Content::Json("EntrantToken"))
    .or(&[409, 410, 422]),
    post("/contests/{id}/closing-time", "Set the closing time (organiser)")
        .by(Access::Contest)
        .reads(Body::Json("ClosingTime"))
        .gives(204, Content::Absent)
        .or(&[409, 422]),
    get("/operator", "The state of the server (operator)").gives(200, Content::Json("Operator")),
    get("/metrics", "Metrics in the text format of Prometheus")
        .gives(200, Content::Text("text/plain")),
    get("/openapi.json", "This document").by(Access::Public).gives(200, Content::Object),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_query_parameters_are_refused() {
        let check = |path: &str, method: Method, query: &str, good: bool| {
            let uri = format!("/x?{query}").parse().unwrap();
            let found = super::check(&format!("{PREFIX}{path}"), &method, &uri);
            assert_eq!(found.is_ok(), good, "{path} {query}: {found:?}");
        };
        check("/bouts", Method::GET, "", true);
        check("/bouts", Method::GET, "game=x&limit=3", true);
        check("/bouts", Method::HEAD, "game=x", true);
        check("/bouts", Method::HEAD, "games=x", false);
        check("/bouts", Method::GET, "%67ame=x", true);
        check("/bouts", Method::POST, "games=x", true);
        check("/arenas/{id}", Method::GET, "player=1&player=2", true);
        check("/arenas/{id}/live", Method::GET, "player=1", false);
        check("/info", Method::GET, "x", false);
        check("/elsewhere", Method::GET, "x", true);
    }
}
