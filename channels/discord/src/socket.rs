//! A websocket over the HTTP client that everything else uses: one TLS, one set of proxies.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use reqwest::{
    Client, StatusCode, Upgraded, Url,
    header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        handshake::{client::generate_key, derive_accept_key},
        protocol::{CloseFrame, Role, frame::coding::CloseCode},
    },
};

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// A connection to the gateway.
#[derive(Debug)]
pub(crate) struct Socket(WebSocketStream<Upgraded>);

/// A frame that was received.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Text(String),
    /// The other side ended the connection; with a code, if it said why.
    End(Option<u16>),
    /// Nothing that matters.
    Other,
}

impl Socket {
    /// Connects to `ws://…` or `wss://…`.
    pub(crate) async fn connect(client: &Client, url: &str) -> Result<Self, String> {
        let http = url
            .strip_prefix("ws")
            .map(|rest| format!("http{rest}"))
            .ok_or("it is no ws:// or wss:// address")?;
        let mut url = Url::parse(&http).map_err(|error| error.to_string())?;
        url.set_query(Some("v=10&encoding=json"));
        let key = generate_key();
        let request = client
            .get(url)
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let response = request.send().await.map_err(|error| error.to_string())?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(format!("it answered {}", response.status()));
        }
        let accepted = response.headers().get(SEC_WEBSOCKET_ACCEPT);
        if accepted.is_none_or(|accepted| accepted.as_bytes() != derive_accept_key(key.as_bytes()).as_bytes()) {
            return Err("it is no websocket".to_owned());
        }
        let stream = response.upgrade().await.map_err(|error| error.to_string())?;
        Ok(Self(WebSocketStream::from_raw_socket(stream, Role::Client, None).await))
    }

    pub(crate) async fn send(&mut self, text: String) -> Result<(), String> {
        self.0
            .send(Message::text(text))
            .await
            .map_err(|error| error.to_string())
    }

    /// Waits for the next frame; safe to drop while it waits.
    pub(crate) async fn next(&mut self) -> Result<Frame, String> {
        match self.0.next().await {
            Some(Ok(Message::Text(text))) => Ok(Frame::Text(text.as_str().to_owned())),
            Some(Ok(Message::Close(frame))) => Ok(Frame::End(frame.map(|frame| frame.code.into()))),
            Some(Ok(_)) => Ok(Frame::Other),
            Some(Err(error)) => Err(error.to_string()),
            None => Ok(Frame::End(None)),
        }
    }

    /// Ends the connection. With 1000 Discord ends the session too; with another code it can be resumed.
    pub(crate) async fn close(&mut self, code: u16) {
        let frame = CloseFrame {
            code: CloseCode::from(code),
            reason: "".into(),
        };
        // The other side may be gone: that is as good as a goodbye.
        let _ = tokio::time::timeout(GOODBYE, self.0.close(Some(frame))).await;
    }
}
