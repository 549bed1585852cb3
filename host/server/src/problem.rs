//! Errors of the HTTP API as problem details (RFC 9457). They contain no secrets and no paths of
//! this machine.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::Message;

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The request contradicts the OpenAPI document.
    BadRequest,
    /// The request agrees with the OpenAPI document, but not with the rules of a game, a file
    /// format, or what the server knows.
    Unprocessable,
    /// The requested thing does not exist.
    NotFound,
    /// The path does not support the method. The router adds the methods that it supports.
    MethodNotAllowed,
    /// The request's body has another media type than the path reads.
    UnsupportedMediaType,
    /// The caller is known but not allowed to do this.
    Forbidden,
    /// The caller is not authenticated.
    Unauthorized,
    /// The request is too long.
    TooLarge,
    /// The request was not received in time.
    Timeout,
    /// Too many requests at once.
    TooMany,
    /// The server has no capacity for the request at the moment.
    Busy,
    /// The request conflicts with the current state.
    Conflict,
    /// The requested thing existed, but is gone.
    Gone,
    /// The engine cannot be loaded or used.
    UnusableEngine,
    /// The rules do not allow the move.
    IllegalMove,
    /// The server failed.
    Internal,
}

impl ProblemKind {
    /// Returns the kind's id, as in `/problems/ID`.
    pub fn id(self) -> &'static str {
        self.row().0
    }

    fn row(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            ProblemKind::BadRequest => ("bad-request", StatusCode::BAD_REQUEST, "bad request"),
            ProblemKind::Unprocessable => {
                ("unprocessable", StatusCode::UNPROCESSABLE_ENTITY, "cannot be processed")
            }
            ProblemKind::MethodNotAllowed => {
                ("method-not-allowed", StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
            }
            ProblemKind::UnsupportedMediaType => {
                let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
                ("unsupported-media-type", status, "unsupported media type")
            }
            ProblemKind::NotFound => ("not-found", StatusCode::NOT_FOUND, "not found"),
            ProblemKind::Forbidden => ("forbidden", StatusCode::FORBIDDEN, "not allowed"),
            ProblemKind::Unauthorized => {
                ("unauthorized", StatusCode::UNAUTHORIZED, "not authenticated")
            }
            ProblemKind::TooLarge => ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "too large"),
            ProblemKind::Timeout => ("timeout", StatusCode::REQUEST_TIMEOUT, "request timeout"),
            ProblemKind::TooMany => {
                ("too-many", StatusCode::TOO_MANY_REQUESTS, "too many requests")
            }
            ProblemKind::Busy => ("busy", StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ProblemKind::Conflict => ("conflict", StatusCode::CONFLICT, "conflict"),
            ProblemKind::Gone => ("gone", StatusCode::GONE, "gone"),
            ProblemKind::UnusableEngine => {
                ("unusable-engine", StatusCode::UNPROCESSABLE_ENTITY, "unusable engine")
            }
            ProblemKind::IllegalMove => {
                ("illegal-move", StatusCode::UNPROCESSABLE_ENTITY, "illegal move")
            }
            ProblemKind::Internal => {
                ("internal", StatusCode::INTERNAL_SERVER_ERROR, "the host failed")
            }
        }
    }
}

/// An error for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// What is wrong, in one sentence.
    pub detail: String,
    /// The field or line of the request that is wrong.
    pub location: Option<String>,
}

/// A problem as it is serialized.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProblemBody {
    /// `/problems/` and the kind's id.
    r#type: String,
    /// The kind, for people.
    title: &'static str,
    /// The HTTP status code.
    status: u16,
    /// What is wrong, in one sentence.
    detail: String,
    /// The field or line of the request that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    /// The detail as code and parameters; absent: it has no code.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

impl Problem {
    /// Creates a problem of this kind.
    pub fn new(kind: ProblemKind, detail: impl ToString) -> Self {
        Self { kind, detail: detail.to_string(), location: None }
    }

    /// Creates a problem of kind [`BadRequest`](ProblemKind::BadRequest) at a field or line.
    pub fn bad_request(location: impl Into<String>, detail: impl ToString) -> Self {
        Self::new(ProblemKind::BadRequest, detail).at(location)
    }

    /// Creates a problem of kind [`Unprocessable`](ProblemKind::Unprocessable) at a field or line.
    pub fn unprocessable(location: impl Into<String>, detail: impl ToString) -> Self {
        Self::new(ProblemKind::Unprocessable, detail).at(location)
    }

    /// Sets the field or line that is wrong.
    pub fn at(self, location: impl Into<String>) -> Self {
        Self { location: Some(location.into()), ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (id, status, title) = self.kind.row();
        let body = ProblemBody {
            r#type: format!("/problems/{id}"),
            title,
            status: status.as_u16(),
            message: Message::of(&self.detail),
            detail: self.detail,
            location: self.location,
        };
        let mut response = (status, axum::Json(body)).into_response();
        let json = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

/// The result of a request.
pub type ApiResult<T> = Result<T, Problem>;
