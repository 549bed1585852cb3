//! Downloads of arenas as CSV and HTML. Rows are read while they are sent, as fast as the client
//! receives them, so that a large arena is never in memory as a whole.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};

use super::arenas::{QueryPairs, parse_filter, query_pairs};
use super::{Admitted, Path, run_blocking};
use crate::App;
use crate::arenas::ArenaCache;
use crate::problem::{ApiResult, Problem, ProblemKind};
use sandboard_arena::{FolderError, present};
use sandboard_arena_plan::{Filter, GameKey, GameRow, View};

/// The size of a chunk in bytes, and how many chunks are buffered.
const CHUNK_BYTES: usize = 64 * 1024;
const CHUNKS_BUFFERED: usize = 4;
/// How long a client may receive nothing before its download is cancelled.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// How many games are read at once.
const PAGE_GAMES: u32 = 1000;

type RowIterator<'a> = dyn Iterator<Item = GameRow> + 'a;

/// Handles `GET /arenas/{id}/report.html`.
pub(crate) async fn report_html(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: QueryPairs,
) -> ApiResult<Response> {
    download(app, id, query, "html", |view, games, out| present::html(view, games, out)).await
}

/// Handles `GET /arenas/{id}/report.csv`.
pub(crate) async fn standings_csv(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: QueryPairs,
) -> ApiResult<Response> {
    download(app, id, query, "csv", |view, _, out| present::standings_csv(view, out)).await
}

/// Handles `GET /arenas/{id}/games.csv`.
pub(crate) async fn games_csv(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: QueryPairs,
) -> ApiResult<Response> {
    download(app, id, query, "games.csv", |view, games, out| present::games_csv(view, games, out))
        .await
}

async fn download(
    app: Arc<App>,
    id: String,
    query: QueryPairs,
    extension: &'static str,
    write: fn(&View, &mut RowIterator<'_>, &mut dyn Write) -> io::Result<()>,
) -> ApiResult<Response> {
    let filter = parse_filter(&query_pairs(query)?)?;
    let busy = |_| Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_DOWNLOADS);
    let permit = app.arenas.download_permits.clone().try_acquire_owned().map_err(busy)?;
    let (arena_cache, view) = {
        let app = app.clone();
        run_blocking(move || load_view(&app, &id, &filter)).await?
    };
    let name = format!("{}.{extension}", safe_file_name(&view.name));
    let (chunks, mut received) = channel::<io::Result<Bytes>>(CHUNKS_BUFFERED);
    let runtime = app.hub.runtime.clone();
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let mut rows =
            GameRows { arena_cache: &arena_cache, page: Vec::new(), after: None, failed: None };
        let writer = BodyWriter { chunks: chunks.clone(), runtime: runtime.clone() };
        let mut out = BufWriter::with_capacity(CHUNK_BYTES, writer);
        let written = write(&view, &mut rows, &mut out).and_then(|()| out.flush());
        if let Some(error) = &rows.failed {
            app.arenas.unreadable(error);
        }
        // End with an error, so that a truncated file does not look complete.
        if rows.failed.is_some() || written.is_err() {
            let truncated = Err(io::Error::other("the file is incomplete"));
            let notice =
                async { tokio::time::timeout(STALL_TIMEOUT, chunks.send(truncated)).await };
            // The client may be gone.
            let _ = runtime.block_on(notice);
        }
    });
    let stream = futures_util::stream::poll_fn(move |context| received.poll_recv(context));
    let kind =
        if extension == "html" { "text/html; charset=utf-8" } else { "text/csv; charset=utf-8" };
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
    let headers = [
        (header::CONTENT_DISPOSITION, disposition),
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

fn load_view(app: &Arc<App>, id: &str, filter: &Filter) -> ApiResult<(Arc<ArenaCache>, View)> {
    let arena_cache = app.arenas.find(id)?;
    arena_cache.check(filter)?;
    let view = arena_cache.view(filter);
    Ok((arena_cache, view))
}

/// Returns a file name that a header can hold.
fn safe_file_name(name: &str) -> String {
    let replace = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    name.chars().take(100).map(replace).collect()
}

/// All games of an arena in the order of the schedule, read in pages.
struct GameRows<'a> {
    arena_cache: &'a ArenaCache,
    /// The games of the current page, in reverse order.
    page: Vec<GameRow>,
    after: Option<GameKey>,
    failed: Option<FolderError>,
}

impl Iterator for GameRows<'_> {
    type Item = GameRow;

    fn next(&mut self) -> Option<GameRow> {
        if self.page.is_empty() {
            match self.arena_cache.games_after(self.after, PAGE_GAMES) {
                Ok(games) => {
                    self.after = games.last().map(|last| last.game).or(self.after);
                    self.page = games.iter().rev().map(GameRow::from).collect();
                }
                Err(error) => self.failed = Some(error),
            }
        }
        self.page.pop()
    }
}

/// Writes to the response body, from a blocking thread.
struct BodyWriter {
    chunks: Sender<io::Result<Bytes>>,
    runtime: Handle,
}

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let chunk = Ok(Bytes::copy_from_slice(bytes));
        let chunks = &self.chunks;
        let sent = async { tokio::time::timeout(STALL_TIMEOUT, chunks.send(chunk)).await };
        match self.runtime.block_on(sent) {
            Ok(Ok(())) => Ok(bytes.len()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let check =
            |name: &str, expected: &str| assert_eq!(safe_file_name(name), expected, "{name}");
        check("alpha-beta-20260701-123456", "alpha-beta-20260701-123456");
        check("a \"b\"\r\nSet-Cookie: x", "a__b___Set-Cookie__x");
        check("../é", "..__");
        check(&"x".repeat(300), &"x".repeat(100));
    }
}
