//! Serves the browser client from the table of files that is embedded at build time. It reads
//! nothing from the file system.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::guard::{VERIFY_PAGE_CSP, WORKER_CSP};
use super::problem::{Problem, ProblemKind};

/// A file of the client.
struct File {
    path: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/client.rs"));

/// The page that is shown if the client was not built.
const MISSING_CLIENT_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<title>Sandboard</title><h1>Sandboard</h1>\
<p>This program was built without its client. <code>cargo xtask play</code> builds both.</p>\
<p>The HTTP API works without it: <a href=\"/api/v1/openapi.json\">OpenAPI document</a>.</p>\
</html>";

/// The page that verifies bundles, which is not a page of the client: it works without a server.
const VERIFY_PAGE: &str = "verify.html";

/// What is shown in place of it if it was not built.
const MISSING_VERIFY_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<title>Verify a bundle</title><h1>Verify a bundle</h1>\
<p>This program was built without its page for verifying bundles. <code>cargo xtask web</code> \
builds the page; then build the program again. In a terminal, \
<code>sandboard verify --bundle FILE</code> does the same.</p></html>";

/// The page that verifies bundles, as one file. None: it was not built.
pub fn verify_page() -> Option<&'static [u8]> {
    find(VERIFY_PAGE).map(|file| file.bytes)
}

/// The folder of the page for `sandboard publish`, which is no page of the client either.
const PUBLISHED_FOLDER: &str = "published/";

/// The files of the page for `sandboard publish`: path in the page's folder, and bytes. None: it
/// was not built.
pub(crate) fn published_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().filter_map(|file| Some((file.path.strip_prefix(PUBLISHED_FOLDER)?, file.bytes)))
}

/// The files of that page with which the client runs engines in the browser: the script of the
/// worker, and the program that it loads.
const DEVICE_FILES: [&str; 2] = ["published/worker.js", "published/program.wasm.gz"];

/// The addresses of the files with which the client runs engines in the browser. `None`: they were
/// not built.
pub(crate) fn device_files() -> Option<[String; 2]> {
    use std::sync::OnceLock;
    static ADDRESSES: OnceLock<Option<[String; 2]>> = OnceLock::new();
    let address = |path: &str| {
        let sha256 = sandboard_common::hex::sha256_hex(find(path)?.bytes);
        Some(format!("/{path}?sha256={sha256}"))
    };
    let found =
        ADDRESSES.get_or_init(|| Some([address(DEVICE_FILES[0])?, address(DEVICE_FILES[1])?]));
    found.clone()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        Some("gz") => "application/gzip",
        _ => "application/octet-stream",
    }
}

fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

/// The first parts of the client's paths, as its router has them. The start page has an empty one.
const CLIENT_PATHS: [&str; 9] =
    ["", "analysis", "arenas", "contests", "engines", "games", "operator", "replay", "room"];

/// Whether the client has a page for a path without its first `/`.
fn is_client_path(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    path == "index.html" || CLIENT_PATHS.contains(&first)
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepts.is_some_and(|text| text.contains("text/html"))
}

/// Serves a file of the client, or its page: the client routes paths itself. The status of an
/// unknown path is 404; the client says so to a browser, a [`Problem`] to a program.
pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let detail = "pages can only be read with GET or HEAD";
        let allow = [(header::ALLOW, HeaderValue::from_static("GET,HEAD"))];
        return (allow, Problem::new(ProblemKind::MethodNotAllowed, detail)).into_response();
    }
    let path = uri.path().trim_start_matches('/');
    if path == VERIFY_PAGE {
        return verify_page_response(&headers);
    }
    if let Some(file) = find(path).filter(|_| DEVICE_FILES.contains(&path)) {
        // The address contains a hash of the content.
        let mut response = file_response(file, uri.query().is_some(), &headers);
        let policy = HeaderValue::from_static(WORKER_CSP);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        return response;
    }
    let is_own = path != "index.html" && !path.starts_with(PUBLISHED_FOLDER);
    if let Some(file) = find(path).filter(|_| is_own) {
        // File names under assets/ contain a hash of their content.
        let is_immutable = path.starts_with("assets/");
        return file_response(file, is_immutable, &headers);
    }
    let is_known = is_client_path(path);
    if !is_known && !accepts_html(&headers) {
        let detail = "there is no such path: pages begin at /, and the HTTP API at /api/v1";
        return Problem::new(ProblemKind::NotFound, detail).into_response();
    }
    let mut response = page(&headers);
    if !is_known {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

fn verify_page_response(headers: &HeaderMap) -> Response {
    let mut response = match find(VERIFY_PAGE) {
        Some(file) => file_response(file, false, headers),
        None => {
            let html = HeaderValue::from_static(content_type(VERIFY_PAGE));
            (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, html)], MISSING_VERIFY_PAGE)
                .into_response()
        }
    };
    let policy = HeaderValue::from_static(VERIFY_PAGE_CSP);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// The client's page, or the page that says that it is missing.
fn page(headers: &HeaderMap) -> Response {
    match find("index.html") {
        Some(file) => file_response(file, false, headers),
        None => {
            let html = HeaderValue::from_static(content_type("index.html"));
            (StatusCode::OK, [(header::CONTENT_TYPE, html)], MISSING_CLIENT_PAGE).into_response()
        }
    }
}

fn file_response(file: &'static File, is_immutable: bool, headers: &HeaderMap) -> Response {
    let cache = if is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    let fixed = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type(file.path))),
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

/// Returns the compressed file if that is smaller. Each file is compressed once.
fn compressed(file: &'static File) -> Option<&'static [u8]> {
    use std::collections::HashMap;
    use std::io::Write;
    use std::sync::{Mutex, OnceLock, PoisonError};
    type Cache = HashMap<&'static str, Option<&'static [u8]>>;
    static CACHE: OnceLock<Mutex<Cache>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default);
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    *cache.entry(file.path).or_insert_with(|| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let bytes = encoder.write_all(file.bytes).and_then(|()| encoder.finish()).ok()?;
        // Leaked on purpose: there is one for each file, and all are used until the process ends.
        (bytes.len() < file.bytes.len()).then(|| &*bytes.leak())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_are_those_of_the_router() {
        let router = include_str!("../web/src/lib/router.svelte.ts");
        let compared = router.split("first === '").skip(1);
        let found = compared.filter_map(|rest| rest.split('\'').next());
        let found: std::collections::BTreeSet<&str> = found.chain([""]).collect();
        assert_eq!(found, CLIENT_PATHS.into_iter().collect());
    }

    #[test]
    fn paths_of_the_client_are_known_by_their_first_part() {
        let check =
            |path: &str, expected: bool| assert_eq!(is_client_path(path), expected, "{path}");
        ["", "index.html", "engines", "games/", "room/a%20b", "contests/spring.2026"]
            .into_iter()
            .for_each(|path| check(path, true));
        ["rooms", "Engines", "engines2", "favicon.gif", "assets/missing.js", "index.htm"]
            .into_iter()
            .for_each(|path| check(path, false));
    }
}
