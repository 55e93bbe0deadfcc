//! Beside something at the server's address that is no Clifford of this version: what it says is told in our words.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
};

use super::Machine;

/// An answer that no Clifford of this version gives: its status, and its body.
type Page = (&'static str, &'static str);

/// A program that says who it is as Clifford does, and answers everything else by one page.
fn foreign((status, page): Page) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may be gone.
            let _ = answer(&stream, status, page);
        }
    });
    address
}

fn answer(stream: &TcpStream, status: &str, page: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut path, mut length) = (String::new(), None, 0);
    while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        path.get_or_insert_with(|| line.split(' ').nth(1).unwrap_or_default().to_owned());
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    let (status, page) = match path.as_deref() {
        Some("/api/me") => ("200 OK", "{\"role\": \"operator\"}"),
        _ => (status, page),
    };
    let length = page.len();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{page}"
    )
}

/// Announces a server of this address, for as long as the file is open.
fn announce(machine: &Machine, address: SocketAddr) -> File {
    let database = machine.database().canonicalize().expect("a database");
    let told = serde_json::json!({
        "database": clifford_vault::hash(&database.display().to_string()),
        "address": format!("http://{address}"),
        "token": "clf_none",
    });
    let mut file = File::create(machine.path("data/clifford/server.json")).expect("a file");
    file.write_all(told.to_string().as_bytes()).expect("it is written");
    file.lock().expect("it is locked");
    file
}

#[test]
fn an_answer_that_is_none_of_ours_names_the_address_and_the_way_out() {
    let pages: [Page; 5] = [
        ("200 OK", "<html><h1>It works!</h1></html>"),
        ("200 OK", "{\"id\": 7}"),
        ("200 OK", "[]"),
        ("404 Not Found", "<html>nginx</html>"),
        ("500 Internal Server Error", "{\"detail\": [\"no\"]}"),
    ];
    for page in pages {
        let machine = Machine::asked("hello");
        let address = foreign(page);
        let _announced = announce(&machine, address);
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "http://{address} does not answer as Clifford {version} does: restart the bot there if it is of another \
             version; else see which program listens at that address"
        );
        machine.run(["ask", "hello"]).fails_with(&expected);
        machine
            .run(["tools", "call", "compute.eval", "{\"expression\": \"1 + 2\"}"])
            .fails_with(&expected);
        machine.pipe("hello\n", &["chat", "--quiet"]).fails_with(&expected);
    }
}
