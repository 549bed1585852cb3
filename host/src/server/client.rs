//! The client in the browser, as it was built into this program. Serves what is in a table made
//! at build time, and nothing of the file system.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::problem::{Kind, Problem};

/// A file of the client.
struct File {
    path: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/client.rs"));

/// What is shown where the client was not built.
const ABSENT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<title>Sandboard</title><h1>Sandboard</h1>\
<p>This program was built without its client. <code>cargo xtask play</code> builds both.</p>\
<p>The interface for programs is there all the same: <a href=\"/api/v1/openapi.json\">OpenAPI</a>.\
</p></html>";

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

/// A file of the client, or its page: it finds its own ways.
pub async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return Problem::new(Kind::BadRequest, "pages are only read").into_response();
    }
    let path = uri.path().trim_start_matches('/');
    if let Some(file) = find(path).filter(|_| path != "index.html") {
        // Names under assets/ have a hash of what they hold.
        let lasts = path.starts_with("assets/");
        return answer(file, lasts, &headers);
    }
    // A name with an ending is a file that is not there, and no way of the client's.
    let last = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with("assets/") || last.contains('.') && path != "index.html" {
        return Problem::new(Kind::NotFound, "there is no such file").into_response();
    }
    match find("index.html") {
        Some(file) => answer(file, false, &headers),
        None => {
            let html = HeaderValue::from_static(kind("index.html"));
            (StatusCode::OK, [(header::CONTENT_TYPE, html)], ABSENT).into_response()
        }
    }
}

fn answer(file: &'static File, lasts: bool, headers: &HeaderMap) -> Response {
    let cache = if lasts { "public, max-age=31536000, immutable" } else { "no-cache" };
    let fixed = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(file.path))),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ];
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let gzip = accepts.is_some_and(|text| text.split(',').any(|it| it.trim() == "gzip"));
    match compressed(file).filter(|_| gzip) {
        Some(bytes) => {
            let encoding = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
            (fixed, encoding, bytes).into_response()
        }
        None => (fixed, file.bytes).into_response(),
    }
}

/// The file compressed, where that makes it smaller; done once.
fn compressed(file: &'static File) -> Option<&'static [u8]> {
    use std::collections::HashMap;
    use std::io::Write;
    use std::sync::{Mutex, OnceLock, PoisonError};
    type Done = HashMap<&'static str, Option<&'static [u8]>>;
    static DONE: OnceLock<Mutex<Done>> = OnceLock::new();
    let done = DONE.get_or_init(Mutex::default);
    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
    *done.entry(file.path).or_insert_with(|| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let bytes = encoder.write_all(file.bytes).and_then(|()| encoder.finish()).ok()?;
        // As long as the program: there are as many as it has files.
        (bytes.len() < file.bytes.len()).then(|| &*bytes.leak())
    })
}
