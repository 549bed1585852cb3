//! `sandboard serve` as its clients meet it: the real program, on a port of its own, over real
//! sockets. Whatever is waited for is a message; no test sleeps.

mod arenas;
mod contests;
mod guarded;
mod played;
mod restarted;
mod shared;
mod solved;
mod told;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::cli::Home;

/// Far longer than anything takes: only what hangs fails by it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server of a home of its own, which ends with this.
pub struct Server {
    pub home: Home,
    pub authority: String,
    child: Child,
    arguments: Vec<String>,
}

/// An answer over HTTP.
pub struct Answered {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answered {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Server {
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_in(Home::new(), arguments)
    }

    pub fn start_in(home: Home, arguments: &[&str]) -> Self {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let (child, authority) = spawn(&home, &arguments);
        Self { home, authority, child, arguments }
    }

    /// Ends it as a power cut would, and starts it again on the same store.
    pub fn kill_and_restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.child, self.authority) = spawn(&self.home, &self.arguments);
    }

    pub fn http(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answered {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.authority);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        // A server that has read enough of it may close before it has all.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        parsed(&answer)
    }

    pub fn get(&self, path: &str) -> Answered {
        self.http("GET", &format!("/api/v1{path}"), &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answered {
        let json = [("Content-Type", "application/json")];
        self.http("POST", &format!("/api/v1{path}"), &json, body.to_string().as_bytes())
    }

    /// Opens a room; its id, and the tickets in the order of players.
    pub fn room(&self, wanted: &Value) -> (String, Vec<String>) {
        let answer = self.post("/rooms", wanted);
        assert_eq!(answer.status, 201, "{}", answer.body);
        let told = answer.json();
        let tickets = told["tickets"].as_array().unwrap().iter();
        let secret = |ticket: &Value| ticket["ticket"].as_str().unwrap().to_owned();
        (told["room"].as_str().unwrap().to_owned(), tickets.map(secret).collect())
    }

    /// A socket of a room, after its snapshot or the events that it had missed.
    pub fn enter(&self, room: &str, ticket: Option<&str>, since: Option<u64>) -> Socket {
        let mut socket = self.socket(&format!("/rooms/{room}/ws"), &[]).unwrap();
        socket.send(&json!({"v": 1, "type": "hello", "ticket": ticket, "since": since}));
        socket
    }

    pub fn socket(&self, path: &str, headers: &[(&'static str, &str)]) -> Result<Socket, String> {
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

fn spawn(home: &Home, arguments: &[String]) -> (Child, String) {
    let store = home.file("rooms.db");
    let mut all = vec!["serve", "--port", "0"];
    if !arguments.iter().any(|argument| argument == "--store") {
        all.extend(["--store", store.to_str().unwrap()]);
    }
    all.extend(arguments.iter().map(String::as_str));
    let mut command: Command = home.command(&all);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Sandboard is at http://");
    let address = address.unwrap_or_else(|| panic!("it does not say where it is: {line:?}"));
    (child, address.trim_end_matches('/').to_owned())
}

fn parsed(bytes: &[u8]) -> Answered {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    Answered { status, head: head.to_owned(), body }
}

/// The body behind the lengths of its pieces. Of text alone: lengths are of bytes.
fn unchunked(body: &str) -> String {
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

/// A client's end of a socket.
pub struct Socket {
    socket: WebSocket<TcpStream>,
    next: u32,
}

impl Socket {
    pub fn send(&mut self, message: &Value) {
        self.send_text(message.to_string());
    }

    pub fn send_text(&mut self, text: String) {
        // One that was closed says so when it is read.
        let _ = self.socket.send(Message::Text(text.into()));
    }

    /// The next message; none: the server has closed the socket.
    pub fn next(&mut self) -> Option<Value> {
        let since = Instant::now();
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) => return None,
                // The server's pings are no answer.
                Ok(_) => assert!(since.elapsed() < PATIENCE, "nothing comes"),
                Err(tungstenite::Error::Io(error))
                    if error.kind() == std::io::ErrorKind::WouldBlock =>
                {
                    panic!("nothing comes")
                }
                Err(_) => return None,
            }
        }
    }

    /// The next message of this type; what comes before it is passed over.
    pub fn until(&mut self, kind: &str) -> Value {
        let mut seen = Vec::new();
        loop {
            match self.next() {
                Some(message) if message["type"] == kind => return message,
                // Who falls behind is told all anew, the end too.
                Some(message) if kind == "ended" && message["state"] == "over" => return message,
                Some(message) => seen.push(message["type"].to_string()),
                None => panic!("no {kind}, but {}, and the end", seen.join(" ")),
            }
        }
    }

    /// Says something, and waits for the answer to that.
    pub fn say(&mut self, message: Value) -> Value {
        self.next += 1;
        let id = format!("m{}", self.next);
        self.say_as(&id, message)
    }

    pub fn say_as(&mut self, id: &str, mut message: Value) -> Value {
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

    /// The same; it must be done.
    pub fn done(&mut self, message: Value) {
        let answer = self.say(message.clone());
        assert_eq!(answer["type"], "ack", "{message}: {answer}");
    }

    /// Says something that is done, and brings an event of this type: that comes before the answer
    /// or after it.
    pub fn brings(&mut self, message: Value, kind: &str) -> Value {
        self.brings_what(message, |told| told["type"] == kind)
    }

    /// Plays a move that somebody answers, and brings the answer's event.
    pub fn exchange(&mut self, mv: &str, ply: u32) -> Value {
        let message = json!({"type": "move", "move": mv, "ply": ply});
        self.brings_what(message, |told| told["type"] == "moved" && told["ply"]["ply"] == ply + 1)
    }

    fn brings_what(&mut self, mut message: Value, fits: impl Fn(&Value) -> bool) -> Value {
        self.next += 1;
        let id = format!("m{}", self.next);
        message["v"] = 1.into();
        message["id"] = id.as_str().into();
        self.send(&message);
        let (mut answered, mut event) = (false, None);
        loop {
            let told = self.next().expect("an answer, and what it brings");
            if told["id"] == id.as_str() {
                assert_eq!(told["type"], "ack", "{message}: {told}");
                answered = true;
            } else if fits(&told) {
                event.get_or_insert(told);
            }
            if let Some(event) = event.take_if(|_| answered) {
                return event;
            }
        }
    }

    /// The same; it must not be done, for a reason of this kind.
    pub fn refused(&mut self, message: Value, kind: &str) -> String {
        let answer = self.say(message.clone());
        assert_eq!(
            (&answer["type"], &answer["kind"]),
            (&"error".into(), &kind.into()),
            "{message}: {answer}"
        );
        answer["detail"].as_str().unwrap().to_owned()
    }

    pub fn play(&mut self, mv: &str, ply: u32) {
        self.done(json!({"type": "move", "move": mv, "ply": ply}));
    }
}

/// Two persons at gomoku.
pub fn two(budget: &str) -> Value {
    let person = |name: &str, seat: u8| json!({"name": name, "seats": [seat], "budget": budget, "person": {}});
    json!({"game": "gomoku", "variant": "freestyle-15", "players": [person("Anna", 0), person("Bob", 1)]})
}

/// A person against an engine of the clone.
pub fn against(engine: &str, options: Value) -> Value {
    json!({
        "game": "gomoku", "variant": "freestyle-15",
        "players": [
            {"name": "Anna", "seats": [0], "budget": "none", "person": {}},
            {"name": "", "seats": [1], "budget": "60s/move", "engine": {"id": engine, "options": options}},
        ],
    })
}
