//! Arenas as files to be saved. They are written while they are read, as fast as who saves them takes
//! them, so that a large arena is never held as a whole.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};

use super::arenas::{Pairs, pairs, selected};
use super::{Admitted, aside};
use crate::arena::{Filter, FolderError, GameKey, GameRow, View, present};
use crate::server::App;
use crate::server::arenas::Exhibit;
use crate::server::problem::{Answer, Kind, Problem};

/// What is handed on at once, in bytes, and how many such pieces wait.
const PIECE: usize = 64 * 1024;
const WAITING: usize = 4;
/// How long who saves a file may take nothing of it.
const STALLED: Duration = Duration::from_secs(30);
/// How many games are read at once.
const PAGE: u32 = 1000;

type Pages<'a> = dyn Iterator<Item = GameRow> + 'a;

/// `GET /arenas/{id}/report.html`.
pub async fn report(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    asked: Pairs,
) -> Answer<Response> {
    saved(app, id, asked, "html", |view, games, out| present::html(view, games, out)).await
}

/// `GET /arenas/{id}/report.csv`.
pub async fn standings(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    asked: Pairs,
) -> Answer<Response> {
    saved(app, id, asked, "csv", |view, _, out| present::standings_csv(view, out)).await
}

/// `GET /arenas/{id}/games.csv`.
pub async fn games(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    asked: Pairs,
) -> Answer<Response> {
    saved(app, id, asked, "games.csv", |view, games, out| present::games_csv(view, games, out))
        .await
}

async fn saved(
    app: Arc<App>,
    id: String,
    asked: Pairs,
    ending: &'static str,
    write: fn(&View, &mut Pages<'_>, &mut dyn Write) -> io::Result<()>,
) -> Answer<Response> {
    let filter = selected(&pairs(asked)?)?;
    let busy = |_| Problem::new(Kind::TooMany, "other files are being saved; try again soon");
    let seat = app.arenas.files.clone().try_acquire_owned().map_err(busy)?;
    let (exhibit, view) = {
        let app = app.clone();
        aside(move || surveyed(&app, &id, &filter)).await?
    };
    let name = format!("{}.{ending}", plain(&view.name));
    let (pieces, mut told) = channel::<io::Result<Bytes>>(WAITING);
    let runtime = app.hub.runtime.clone();
    tokio::task::spawn_blocking(move || {
        let _seat = seat;
        let mut rows = Rows { exhibit: &exhibit, page: Vec::new(), after: None, failed: None };
        let pipe = Pipe { pieces: pieces.clone(), runtime: runtime.clone() };
        let mut out = BufWriter::with_capacity(PIECE, pipe);
        let written = write(&view, &mut rows, &mut out).and_then(|()| out.flush());
        if let Some(error) = &rows.failed {
            app.arenas.unreadable(error);
        }
        // What is cut off must not look like the whole.
        if rows.failed.is_some() || written.is_err() {
            let cut = Err(io::Error::other("the file was not written to its end"));
            let last = async { tokio::time::timeout(STALLED, pieces.send(cut)).await };
            // Who saves it may be gone, and is told nothing then.
            let _ = runtime.block_on(last);
        }
    });
    let stream = futures_util::stream::poll_fn(move |context| told.poll_recv(context));
    let kind =
        if ending == "html" { "text/html; charset=utf-8" } else { "text/csv; charset=utf-8" };
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
    let headers = [
        (header::CONTENT_DISPOSITION, disposition),
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

fn surveyed(app: &Arc<App>, id: &str, filter: &Filter) -> Answer<(Arc<Exhibit>, View)> {
    let exhibit = app.arenas.exhibit(id)?;
    exhibit.check(filter)?;
    let view = exhibit.view(filter);
    Ok((exhibit, view))
}

/// A name as a header can hold it.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    name.chars().take(100).map(kept).collect()
}

/// All games of an arena in the order of the schedule, read by pages.
struct Rows<'a> {
    exhibit: &'a Exhibit,
    /// The last one first.
    page: Vec<GameRow>,
    after: Option<GameKey>,
    failed: Option<FolderError>,
}

impl Iterator for Rows<'_> {
    type Item = GameRow;

    fn next(&mut self) -> Option<GameRow> {
        if self.page.is_empty() {
            match self.exhibit.games_after(self.after, PAGE) {
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

/// Where a thread writes what a connection sends.
struct Pipe {
    pieces: Sender<io::Result<Bytes>>,
    runtime: Handle,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Ok(Bytes::copy_from_slice(bytes));
        let pieces = &self.pieces;
        let sent = async { tokio::time::timeout(STALLED, pieces.send(piece)).await };
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
        let check = |name: &str, expected: &str| assert_eq!(plain(name), expected, "{name}");
        check("alpha-beta-20260701-123456", "alpha-beta-20260701-123456");
        check("a \"b\"\r\nSet-Cookie: x", "a__b___Set-Cookie__x");
        check("../é", "..__");
        check(&"x".repeat(300), &"x".repeat(100));
    }
}
