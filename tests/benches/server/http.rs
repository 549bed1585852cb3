//! A minimal HTTP client that opens rooms: one request per connection, the body read to its end.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::socket::connect;

/// Posts JSON; the answer, or the server's error.
pub(crate) async fn post(
    server: SocketAddr,
    from: usize,
    path: &str,
    body: &Value,
) -> Result<Value, String> {
    let mut stream = connect(server, from).await?;
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {server}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut answer = Vec::new();
    let talk = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        stream.read_to_end(&mut answer).await
    };
    talk.await.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n").ok_or("an answer without a body")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if !status.starts_with('2') {
        return Err(format!("{status}: {body}"));
    }
    serde_json::from_str(body).map_err(|error| format!("{error} in {body}"))
}
