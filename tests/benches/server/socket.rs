//! One connection to a room and its relevant events. Connections come from many addresses of the
//! loopback network, as from many machines, because limits per address are not measured here.

use std::net::{Ipv4Addr, SocketAddr};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

/// Connections that share an address.
const SHARED: usize = 20;

/// The sending half of a room's socket.
pub(crate) type Sink = SplitSink<WebSocketStream<TcpStream>, Message>;
/// The receiving half of a room's socket.
pub(crate) type Source = SplitStream<WebSocketStream<TcpStream>>;

/// An event of a room.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// One more move was made.
    Moved,
    /// An event that must not occur in a game of this script.
    Wrong(String),
    /// Any other event.
    Other,
}

#[derive(Deserialize)]
struct Head {
    r#type: String,
}

/// Connects from the loopback address of connection `from`.
pub(crate) async fn connect(server: SocketAddr, from: usize) -> Result<TcpStream, String> {
    let socket = TcpSocket::new_v4().map_err(|error| error.to_string())?;
    let [high, low] = u16::try_from(from / SHARED + 1).unwrap_or(u16::MAX).to_be_bytes();
    // Only Linux has the whole loopback network; elsewhere all come from one address.
    if cfg!(target_os = "linux") {
        let own = SocketAddr::from((Ipv4Addr::new(127, 1, high, low), 0));
        socket.bind(own).map_err(|error| error.to_string())?;
    }
    let stream = socket.connect(server).await.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(stream)
}

/// Joins a room and waits for its snapshot.
pub(crate) async fn join(
    server: SocketAddr,
    from: usize,
    room: &str,
    ticket: Option<&str>,
) -> Result<(Sink, Source), String> {
    let stream = connect(server, from).await?;
    let address = format!("ws://{server}/api/v1/rooms/{room}/ws");
    let (socket, _) = client_async(address, stream).await.map_err(|error| error.to_string())?;
    let (mut sink, mut source) = socket.split();
    let hello = json!({ "v": 1, "type": "hello", "ticket": ticket, "since": null });
    send(&mut sink, &hello).await?;
    loop {
        match source.next().await {
            Some(Ok(Message::Text(text))) if kind(&text)? == "snapshot" => {
                return Ok((sink, source));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error.to_string()),
            None => return Err("the server closed the connection before a snapshot".into()),
        }
    }
}

/// Sends one message.
pub(crate) async fn send(sink: &mut Sink, message: &Value) -> Result<(), String> {
    sink.send(Message::text(message.to_string())).await.map_err(|error| error.to_string())
}

/// The next event of a room.
pub(crate) async fn next(source: &mut Source) -> Event {
    match source.next().await {
        Some(Ok(Message::Text(text))) => match kind(&text).as_deref() {
            Ok("moved") => Event::Moved,
            Ok("refused" | "faulted" | "ended" | "error") => Event::Wrong(text.to_string()),
            Ok(_) => Event::Other,
            Err(error) => Event::Wrong(error.clone()),
        },
        Some(Ok(Message::Close(frame))) => Event::Wrong(format!("closed: {frame:?}")),
        Some(Ok(_)) => Event::Other,
        Some(Err(error)) => Event::Wrong(error.to_string()),
        None => Event::Wrong("the connection ended".into()),
    }
}

fn kind(text: &str) -> Result<String, String> {
    let head: Result<Head, _> = serde_json::from_str(text);
    head.map(|head| head.r#type).map_err(|error| format!("{error} in {text}"))
}
