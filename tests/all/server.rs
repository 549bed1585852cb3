//! `sandboard serve` from its clients' side: the real program on its own port, over real sockets.
//! Tests wait for messages; no test sleeps.

mod access;
mod arenas;
mod connections;
mod contests;
mod engine_output;
mod exact_values;
mod games;
mod lobby;
mod monitoring;
mod openapi;
mod reconnection;
mod security;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::cli::TestHome;

/// Far longer than anything takes, so that only a hang fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server with its own home; dropping it kills the process. It requires no token, unless its
/// arguments set one or contain [`DRAW_TOKEN`].
pub(crate) struct Server {
    pub home: TestHome,
    pub authority: String,
    /// The token that the server has drawn.
    pub drawn_token: Option<String>,
    child: Child,
    arguments: Vec<String>,
}

/// An HTTP response.
pub(crate) struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_in(TestHome::new(), arguments)
    }

    pub(crate) fn start_in(home: TestHome, arguments: &[&str]) -> Self {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let Spawned { child, authority, drawn_token } = spawn(&home, &arguments);
        Self { home, authority, drawn_token, child, arguments }
    }

    /// Kills the server and starts it again on the same store.
    pub(crate) fn kill_and_restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let Spawned { child, authority, drawn_token } = spawn(&self.home, &self.arguments);
        (self.child, self.authority, self.drawn_token) = (child, authority, drawn_token);
    }

    /// Ends the server as a service manager does.
    pub(crate) fn terminate(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    pub(crate) fn http(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let stream = TcpStream::connect(&self.authority).unwrap();
        self.http_over(stream, (method, path), headers, body)
    }

    /// Sends a request over a connection, and reads the response until the connection is closed.
    pub(crate) fn http_over(
        &self,
        mut stream: TcpStream,
        (method, path): (&str, &str),
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.authority);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        // A server that refuses the request may close before it has read all of it.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        parse_response(&answer)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.http("GET", &format!("/api/v1{path}"), &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        let json = [("Content-Type", "application/json")];
        self.http("POST", &format!("/api/v1{path}"), &json, body.to_string().as_bytes())
    }

    /// Opens a room. Returns its id, and the tickets in the order of the players.
    pub(crate) fn room(&self, request: &Value) -> (String, Vec<String>) {
        let answer = self.post("/rooms", request);
        assert_eq!(answer.status, 201, "{}", answer.body);
        let view = answer.json();
        let tickets = view["tickets"].as_array().unwrap().iter();
        let secret = |ticket: &Value| ticket["ticket"].as_str().unwrap().to_owned();
        (view["room"].as_str().unwrap().to_owned(), tickets.map(secret).collect())
    }

    /// Opens a socket of a room and sends the hello.
    pub(crate) fn enter(&self, room: &str, ticket: Option<&str>, since: Option<u64>) -> Socket {
        let mut socket = self.socket(&format!("/rooms/{room}/ws"), &[]).unwrap();
        socket.send(&json!({"v": 1, "type": "hello", "ticket": ticket, "since": since}));
        socket
    }

    pub(crate) fn socket(
        &self,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Socket, String> {
        let stream = TcpStream::connect(&self.authority).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let url = format!("ws://{}/api/v1{path}", self.authority);
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let opened = tungstenite::client(request, stream).map_err(|error| error.to_string());
        opened.map(|(socket, _)| Socket { socket, next: 0 })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Stands for leaving `--token` and `--no-token` out.
pub(crate) const DRAW_TOKEN: &str = "draw a token";

struct Spawned {
    child: Child,
    authority: String,
    drawn_token: Option<String>,
}

fn spawn(home: &TestHome, arguments: &[String]) -> Spawned {
    let store = home.file("rooms.db");
    let mut all = vec!["serve", "--port", "0"];
    if !arguments.iter().any(|argument| argument == "--store") {
        all.extend(["--store", store.to_str().unwrap()]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if !arguments.contains(&DRAW_TOKEN) && !arguments.contains(&"--token") {
        all.push("--no-token");
    }
    all.extend(arguments.iter().filter(|argument| **argument != DRAW_TOKEN));
    let mut command: Command = home.command(&all);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Sandboard is running at http://");
    let address = address.unwrap_or_else(|| panic!("no address in the output: {line:?}"));
    let (authority, fragment) = address.split_once('/').expect("a path");
    let drawn_token = fragment.strip_prefix("#token=").map(str::to_owned);
    Spawned { child, authority: authority.to_owned(), drawn_token }
}

fn parse_response(bytes: &[u8]) -> Response {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { decode_chunks(body) } else { body.to_owned() };
    Response { status, head: head.to_owned(), body }
}

/// Decodes a chunked body of ASCII text; chunk lengths are in bytes.
fn decode_chunks(body: &str) -> String {
    let (mut whole, mut rest) = (String::new(), body);
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        if length == 0 || length > after.len() {
            break;
        }
        whole += &after[..length];
        rest = after[length..].trim_start_matches("\r\n");
    }
    whole
}

/// The client's end of a socket.
pub(crate) struct Socket {
    socket: WebSocket<TcpStream>,
    next: u32,
}

impl Socket {
    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(message.to_string());
    }

    pub(crate) fn send_text(&mut self, text: String) {
        // If the socket is closed, the next read reports it.
        let _ = self.socket.send(Message::Text(text.into()));
    }

    /// Reads the next message; none: the server has closed the socket.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let since = Instant::now();
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) => return None,
                // Skip the server's pings.
                Ok(_) => assert!(since.elapsed() < PATIENCE, "no message arrives"),
                Err(tungstenite::Error::Io(error))
                    if error.kind() == std::io::ErrorKind::WouldBlock =>
                {
                    panic!("no message arrives")
                }
                Err(_) => return None,
            }
        }
    }

    /// Reads until a message of this type arrives.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        let mut seen = Vec::new();
        loop {
            match self.next() {
                Some(message) if message["type"] == kind => return message,
                // A slow client may get a snapshot instead of the event. So does the last player to
                // enter, if the game begins before the server has sent them anything.
                Some(message) if kind == "began" && message["state"] == "playing" => {
                    return message;
                }
                Some(message) if kind == "ended" && message["state"] == "over" => return message,
                Some(message) => seen.push(message["type"].to_string()),
                None => panic!("no {kind} before the socket closed, but {}", seen.join(" ")),
            }
        }
    }

    /// Sends a message and returns the reply to it.
    pub(crate) fn send_and_read_reply(&mut self, message: Value) -> Value {
        self.next += 1;
        let id = format!("m{}", self.next);
        self.send_with_id(&id, message)
    }

    pub(crate) fn send_with_id(&mut self, id: &str, mut message: Value) -> Value {
        message["v"] = 1.into();
        message["id"] = id.into();
        self.send(&message);
        loop {
            let answer = self.next().expect("an answer");
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// Sends a message that must be acknowledged.
    pub(crate) fn acknowledged(&mut self, message: Value) {
        let answer = self.send_and_read_reply(message.clone());
        assert_eq!(answer["type"], "ack", "{message}: {answer}");
    }

    /// Sends a message that must be acknowledged, and returns an event of this type, which may
    /// arrive before the reply or after it.
    pub(crate) fn send_and_wait(&mut self, message: Value, kind: &str) -> Value {
        self.send_and_wait_for(message, |view| view["type"] == kind)
    }

    /// Plays a move, and returns the event of the opponent's answer.
    pub(crate) fn exchange(&mut self, mv: &str, ply: u32) -> Value {
        let message = json!({"type": "move", "move": mv, "ply": ply});
        self.send_and_wait_for(message, |view| {
            view["type"] == "moved" && view["ply"]["ply"] == ply + 1
        })
    }

    fn send_and_wait_for(&mut self, mut message: Value, fits: impl Fn(&Value) -> bool) -> Value {
        self.next += 1;
        let id = format!("m{}", self.next);
        message["v"] = 1.into();
        message["id"] = id.as_str().into();
        self.send(&message);
        let (mut acknowledged, mut event) = (false, None);
        loop {
            let view = self.next().expect("a reply and an event");
            if view["id"] == id.as_str() {
                assert_eq!(view["type"], "ack", "{message}: {view}");
                acknowledged = true;
            } else if fits(&view) {
                event.get_or_insert(view);
            }
            if let Some(event) = event.take_if(|_| acknowledged) {
                return event;
            }
        }
    }

    /// Sends a message that must be refused with this kind of problem. Returns the detail.
    pub(crate) fn refused(&mut self, message: Value, kind: &str) -> String {
        let answer = self.send_and_read_reply(message.clone());
        assert_eq!(
            (&answer["type"], &answer["kind"]),
            (&"error".into(), &kind.into()),
            "{message}: {answer}"
        );
        answer["detail"].as_str().unwrap().to_owned()
    }

    pub(crate) fn play(&mut self, mv: &str, ply: u32) {
        self.acknowledged(json!({"type": "move", "move": mv, "ply": ply}));
    }
}

/// A request for a gomoku room of two people.
pub(crate) fn two(budget: &str) -> Value {
    let person = |name: &str, seat: u8| json!({"name": name, "seats": [seat], "budget": budget, "person": {}});
    json!({"game": "gomoku", "variant": "freestyle-15", "players": [person("Anna", 0), person("Bob", 1)]})
}

/// A request for a gomoku room of a person and an engine.
pub(crate) fn against(engine: &str, options: Value) -> Value {
    json!({
        "game": "gomoku", "variant": "freestyle-15",
        "players": [
            {"name": "Anna", "seats": [0], "budget": "none", "person": {}},
            {"name": "", "seats": [1], "budget": "60s/move", "engine": {"id": engine, "options": options}},
        ],
    })
}
