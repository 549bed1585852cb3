//! The engines folder over HTTP: listed, added to, trusted.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Admitted, aside};
use crate::server::App;
use crate::server::engines::{Listing, Untrusted, Unusable};
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::upload;

/// `GET /engines`.
pub async fn engines(_: Admitted, State(app): State<Arc<App>>) -> axum::Json<Listing> {
    axum::Json(app.engines.listing().as_ref().clone())
}

/// What a file is to be called.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Its name, without any folder.
    name: String,
}

/// What a file has brought.
#[derive(Serialize, ToSchema)]
pub struct Brought {
    /// Engines that can be played.
    engines: Vec<String>,
    /// What cannot.
    unusable: Vec<Unusable>,
    /// What must be trusted first.
    needs_trust: Vec<Untrusted>,
}

/// `POST /engines`.
pub async fn upload(
    _: Admitted,
    State(app): State<Arc<App>>,
    named: Result<Query<Named>, axum::extract::rejection::QueryRejection>,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Answer<(StatusCode, axum::Json<Brought>)> {
    let Query(Named { name }) = named.map_err(|error| Problem::bad("name", error.body_text()))?;
    upload::check_name(&name)?;
    let body = body.map_err(|error| {
        let detail = format!("a file has at most {} MiB: {}", upload::UPLOAD_BYTES >> 20, error);
        Problem::new(Kind::TooLarge, detail)
    })?;
    aside(move || {
        upload::put(app.hub.supplier.folder(), &name, &body)?;
        app.hub.note("info", format!("{name} was uploaded, {} bytes", body.len()));
        app.engines.look(&app.hub);
        let Listing { engines, unusable, needs_trust } = app.engines.listing().as_ref().clone();
        let of_file = |place: &str| place == name || place.starts_with(&format!("{name}/"));
        let ours = app.engines.engines_of(&name);
        Ok((
            StatusCode::CREATED,
            axum::Json(Brought {
                engines: engines
                    .into_iter()
                    .map(|it| it.id)
                    .filter(|id| ours.contains(id))
                    .collect(),
                unusable: unusable.into_iter().filter(|it| of_file(&it.place)).collect(),
                needs_trust: needs_trust.into_iter().filter(|it| of_file(&it.path)).collect(),
            }),
        ))
    })
    .await
}

/// `DELETE /engines/{id}`.
pub async fn remove(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Answer<StatusCode> {
    aside(move || {
        let unknown = || Problem::new(Kind::NotFound, "there is no such engine");
        let file = app.engines.file_of(&id).ok_or_else(unknown)?;
        upload::remove(app.hub.supplier.folder(), &file)?;
        app.hub.note("info", format!("{file} was deleted"));
        app.engines.look(&app.hub);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// `POST /engines/{id}/trust`.
pub async fn trust(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Answer<StatusCode> {
    aside(move || {
        app.hub.supplier.trust(&id)?;
        app.hub.note("info", format!("{id} is trusted from now on"));
        app.engines.look(&app.hub);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
