//! What went wrong, as answers of HTTP tell it (RFC 9457). Holds no secret and no path of
//! this machine.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What came cannot be understood, or makes no sense.
    BadRequest,
    /// There is no such thing.
    NotFound,
    /// It is known who asks, and it may not.
    Forbidden,
    /// It is not known who asks.
    Unauthorized,
    /// It is too long.
    TooLarge,
    /// It is too much at once.
    TooMany,
    /// It does not fit how things are now.
    Conflict,
    /// There was such a thing.
    Gone,
    /// An engine cannot be had.
    UnusableEngine,
    /// The rules refuse a move.
    IllegalMove,
    /// This host has failed.
    Internal,
}

impl Kind {
    /// Its word.
    pub fn word(self) -> &'static str {
        self.row().0
    }

    fn row(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Kind::BadRequest => ("bad-request", StatusCode::BAD_REQUEST, "bad request"),
            Kind::NotFound => ("not-found", StatusCode::NOT_FOUND, "not found"),
            Kind::Forbidden => ("forbidden", StatusCode::FORBIDDEN, "not allowed"),
            Kind::Unauthorized => ("unauthorized", StatusCode::UNAUTHORIZED, "who are you?"),
            Kind::TooLarge => ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "too large"),
            Kind::TooMany => ("too-many", StatusCode::TOO_MANY_REQUESTS, "too many"),
            Kind::Conflict => ("conflict", StatusCode::CONFLICT, "not now"),
            Kind::Gone => ("gone", StatusCode::GONE, "gone"),
            Kind::UnusableEngine => {
                ("unusable-engine", StatusCode::UNPROCESSABLE_ENTITY, "unusable engine")
            }
            Kind::IllegalMove => ("illegal-move", StatusCode::UNPROCESSABLE_ENTITY, "illegal move"),
            Kind::Internal => ("internal", StatusCode::INTERNAL_SERVER_ERROR, "the host failed"),
        }
    }
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Problem {
    /// What kind of thing.
    pub kind: Kind,
    /// What, in one sentence.
    pub detail: String,
    /// Where in what came: a field or a line.
    pub place: Option<String>,
}

/// A problem as it is written.
#[derive(Serialize, ToSchema)]
pub struct ProblemBody {
    /// `/problems/` and its kind.
    r#type: String,
    /// The kind in words.
    title: &'static str,
    /// The status of HTTP.
    status: u16,
    /// What, in one sentence.
    detail: String,
    /// Where in what came.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl Problem {
    /// A problem of this kind.
    pub fn new(kind: Kind, detail: impl ToString) -> Self {
        Self { kind, detail: detail.to_string(), place: None }
    }

    /// Something in a request that makes no sense.
    pub fn bad(place: impl Into<String>, detail: impl ToString) -> Self {
        Self::new(Kind::BadRequest, detail).at(place)
    }

    /// The same, in this place.
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (word, status, title) = self.kind.row();
        let body = ProblemBody {
            r#type: format!("/problems/{word}"),
            title,
            status: status.as_u16(),
            detail: self.detail,
            place: self.place,
        };
        let mut response = (status, axum::Json(body)).into_response();
        let json = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

/// An answer, or what went wrong.
pub type Answer<T> = Result<T, Problem>;
