//! Connections that send nothing or only part of a request, and many connections of one address.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use super::*;

/// Connects from an address of the loopback network.
fn connect_from(server: &Server, own: Ipv4Addr) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddrV4::new(own, 0)).unwrap();
    let to: SocketAddr = server.authority.parse().unwrap();
    connect(&socket, &to).unwrap();
    TcpStream::from(socket)
}

/// Reads until the server closes the connection; fails if it does not.
fn read_to_end(mut stream: TcpStream, sent: &str) -> Response {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            panic!("the connection stays open after {sent:?}")
        }
        _ => parse_response(&bytes),
    }
}

#[test]
fn unfinished_requests_are_closed() {
    let server = Server::start(&["--request-timeout", "1"]);
    let login =
        "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let half_sent = format!("{login}Content-Length: 100\r\n\r\n{{\"token\": \"");
    let chunked = format!("{login}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"tok\r\n");
    let upload = "POST /api/v1/engines?name=a.wasm HTTP/1.1\r\nHost: localhost\r\n\
                  Content-Length: 1000000\r\n\r\nasm";
    let open = |count: usize, sent: &str| -> Vec<TcpStream> {
        let one = |_| {
            let mut stream = TcpStream::connect(&server.authority).unwrap();
            stream.write_all(sent.as_bytes()).unwrap();
            stream
        };
        (0..count).map(one).collect()
    };
    let kinds = [
        (70, half_sent.as_str(), 408),
        (5, chunked.as_str(), 408),
        (5, upload, 408),
        (5, "", 0),
        (5, "GET / HTTP/1.1\r\nHost: localhost\r\n", 0),
    ];
    let all: Vec<_> = kinds.map(|(count, sent, status)| (open(count, sent), sent, status)).into();
    assert_eq!(server.get("/info").status, 200);
    for (streams, sent, status) in all {
        for stream in streams {
            let answer = read_to_end(stream, sent);
            // A head that never ends may be answered, too.
            let is_expected = answer.status == status || status == 0 && answer.status == 408;
            assert!(is_expected, "{sent:?}: {} {}", answer.head, answer.body);
            if status == 408 {
                assert!(answer.body.contains("not received within 1 s"), "{}", answer.body);
            }
        }
    }
}

#[test]
fn one_address_cannot_take_all_connections() {
    let server = Server::start(&["--connections-per-address", "4"]);
    let [first, second] = [Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 3)];
    let info =
        |from| server.http_over(connect_from(&server, from), ("GET", "/api/v1/info"), &[], b"");
    let held: Vec<TcpStream> = (0..4).map(|_| connect_from(&server, first)).collect();
    let refused = info(first);
    // The refusal is lost if the server closes before it has read the request.
    assert!([0, 429].contains(&refused.status), "{}", refused.body);
    assert_eq!(info(second).status, 200);
    drop(held);
    // Seats are free again as soon as the server has seen that the connections are closed.
    let since = Instant::now();
    while info(first).status != 200 {
        assert!(since.elapsed() < PATIENCE, "closed connections are still counted");
    }
}

#[test]
fn clients_of_a_trusted_proxy_are_counted_one_by_one() {
    let token = "a-token-of-the-tests";
    let server = Server::start(&[
        "--token",
        token,
        "--trusted-proxy",
        "127.0.0.1",
        "--connections-per-address",
        "2",
    ]);
    let authorization = format!("Bearer {token}");
    let open = |from: &str| {
        let headers = [("authorization", &*authorization), ("x-forwarded-for", from)];
        server.socket("/lobby/ws", &headers)
    };
    let held = [open("203.0.113.9"), open("203.0.113.9")];
    assert!(held.iter().all(Result::is_ok));
    let refused = open("203.0.113.9").err().expect("a third socket of one client");
    assert!(refused.contains("429"), "{refused}");
    assert!(open("203.0.113.10").is_ok());
}
