//! Routes of the engines folder: list, upload, delete, trust.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Admitted, FileBody, Path, run_blocking};
use crate::App;
use crate::engines::{Listing, Untrusted, Unusable};
use crate::problem::{ApiResult, Problem};
use crate::upload;

/// Handles `GET /engines`.
pub(crate) async fn list(_: Admitted, State(app): State<Arc<App>>) -> axum::Json<Listing> {
    axum::Json(app.engines.listing().as_ref().clone())
}

/// The query of an upload.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadQuery {
    /// The file name, without a folder.
    name: String,
}

/// What an uploaded file contains.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadResult {
    /// Engines that can be played.
    engines: Vec<String>,
    /// Parts that cannot be used.
    unusable: Vec<Unusable>,
    /// Engines that need the operator's trust first.
    needs_trust: Vec<Untrusted>,
}

/// Handles `POST /engines`.
pub(crate) async fn upload(
    _: Admitted,
    State(app): State<Arc<App>>,
    query: Result<Query<UploadQuery>, axum::extract::rejection::QueryRejection>,
    FileBody(body): FileBody,
) -> ApiResult<(StatusCode, axum::Json<UploadResult>)> {
    let Query(UploadQuery { name }) =
        query.map_err(|error| Problem::bad_request("name", error.body_text()))?;
    upload::check_name(&name)?;
    run_blocking(move || {
        upload::store_file(app.hub.engine_provider.folder(), &name, &body)?;
        app.hub.notify_operator("info", format!("{name} was uploaded, {} bytes", body.len()));
        app.engines.rescan(&app.hub);
        let Listing { engines, unusable, needs_trust } = app.engines.listing().as_ref().clone();
        let of_file =
            |location: &str| location == name || location.starts_with(&format!("{name}/"));
        let uploaded_ids = app.engines.engines_of(&name);
        Ok((
            StatusCode::CREATED,
            axum::Json(UploadResult {
                engines: engines
                    .into_iter()
                    .map(|it| it.id)
                    .filter(|id| uploaded_ids.contains(id))
                    .collect(),
                unusable: unusable.into_iter().filter(|it| of_file(&it.location)).collect(),
                needs_trust: needs_trust.into_iter().filter(|it| of_file(&it.path)).collect(),
            }),
        ))
    })
    .await
}

/// Handles `DELETE /engines/files/{file}`. Names a file and not an engine: several files may
/// contain engines of the same id, and a pack contains several engines.
pub(crate) async fn remove(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(file): Path<String>,
) -> ApiResult<StatusCode> {
    run_blocking(move || {
        upload::remove_file(app.hub.engine_provider.folder(), &file)?;
        app.hub.notify_operator("info", format!("{file} was deleted"));
        app.engines.rescan(&app.hub);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Handles `POST /engines/{id}/trust`.
pub(crate) async fn trust(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    run_blocking(move || {
        app.hub.engine_provider.trust(&id)?;
        app.hub.notify_operator("info", format!("{id} is now trusted"));
        app.engines.rescan(&app.hub);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
