//! A connection to the chat: lines of JSON, after a welcome.

use std::{io, time::Duration};

use clifford_channel::Fault;
use clifford_vault::{Secret, Url};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::timeout,
};

/// How long the chat may take to welcome the bot, or to answer it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Where the chat is, and who the bot is there.
#[derive(Debug)]
pub(crate) struct Server {
    address: String,
    token: Secret,
}

/// A connection on which the bot is welcome.
pub(crate) struct Connection {
    /// The bot's name in the chat.
    pub(crate) name: String,
    lines: Lines<BufReader<OwnedReadHalf>>,
    out: OwnedWriteHalf,
}

impl Server {
    pub(crate) fn new(api_url: &Url, token: &Secret) -> Result<Self, String> {
        let address = api_url.as_str().strip_prefix("tcp://");
        let address =
            address.ok_or_else(|| format!("channels.socket.api_url: `{api_url}` does not begin with tcp://"))?;
        Ok(Self {
            address: address.trim_end_matches('/').to_owned(),
            token: token.clone(),
        })
    }

    /// Connects, to receive or to ask for something.
    pub(crate) async fn connect(&self, receive: bool) -> Result<Connection, Fault> {
        let connecting = timeout(PATIENCE, self.greet(receive)).await;
        connecting.map_err(|_| Fault::Unreachable("no answer within 10 s".to_owned()))?
    }

    async fn greet(&self, receive: bool) -> Result<Connection, Fault> {
        let no_answer = |error: io::Error| Fault::no_answer(&error);
        let stream = TcpStream::connect(&self.address).await.map_err(no_answer)?;
        let (read, out) = stream.into_split();
        let mut connection = Connection {
            name: String::new(),
            lines: BufReader::new(read).lines(),
            out,
        };
        let hello = json!({ "hello": { "token": self.token.expose(), "receive": receive } });
        connection.say(&hello).await.map_err(no_answer)?;
        let answer = connection.next().await.map_err(no_answer)?;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        if let Some(why) = answer["refused"].as_str() {
            return Err(Fault::Refused(format!("the chat says: {why}")));
        }
        let name = answer["welcome"].as_str();
        name.ok_or_else(|| Fault::Refused("the answer is no chat's; check api_url".to_owned()))?
            .clone_into(&mut connection.name);
        Ok(connection)
    }
}

impl Connection {
    pub(crate) async fn say(&mut self, line: &Value) -> io::Result<()> {
        self.out.write_all(format!("{line}\n").as_bytes()).await
    }

    /// The next line. Nothing is lost where waiting for it is given up.
    pub(crate) async fn next(&mut self) -> io::Result<String> {
        let line = self.lines.next_line().await?;
        line.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the chat closed the connection"))
    }
}
