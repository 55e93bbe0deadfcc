//! A connection to a server: opened by either transport, asked, watched, closed.

use std::{sync::Arc, time::Duration};

use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
        Implementation, ListToolsRequest, PaginatedRequestParams, PingRequest, ProtocolVersion, ServerResult, Tool,
    },
    service::{
        ClientInitializeError, ClientLifecycleMode, NotificationContext, Peer, RunningService,
        RunningServiceCancellationToken, ServiceError, serve_client_with_lifecycle,
    },
    transport::async_rw::AsyncRwTransport,
};
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::{
    MESSAGE,
    child::Process,
    http, lenient,
    settings::{Endpoint, Reach},
    wire::Mended,
    words,
};
use crate::ToolError;

/// How long a server may take to be ready: a program that is fetched first needs a while.
const OPENING: Duration = Duration::from_secs(60);
/// How long it may take to list its tools, or to say that it is there.
const ANSWERING: Duration = Duration::from_secs(15);
/// How long it may take to let go.
const CLOSING: Duration = Duration::from_secs(2);
/// The most pages of a list of tools.
const PAGES: usize = 20;

/// Why a server cannot be used, in words.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// Its program cannot be started.
    #[error("`{0}` cannot be started: {1}")]
    Start(String, std::io::Error),
    /// The HTTP client cannot be made.
    #[error("{0}")]
    Client(String),
    /// It does not speak as a server must.
    #[error("{}", error_text(.0))]
    Speech(#[from] Box<ClientInitializeError>),
    /// It does not list its tools.
    #[error("its tools cannot be listed: {}", list_text(.0))]
    List(ServiceError),
    /// It takes too long.
    #[error("no answer within {} s", .0.as_secs())]
    Slow(Duration),
}

/// A server's own name for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Hears what a server says unasked.
#[derive(Clone, Debug, Default)]
struct Listener {
    /// Its list of tools is another one.
    changed: Arc<Notify>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("clifford", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), client)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

/// A connection that is open.
pub(super) struct Connection {
    /// For calls.
    pub(super) link: Link,
    /// The server at the other end.
    pub(super) about: About,
    /// Told when the server's list of tools is another one.
    pub(super) changed: Arc<Notify>,
    /// Ends when the connection does.
    ended: Shared<BoxFuture<'static, ()>>,
    cancel: RunningServiceCancellationToken,
    process: Option<Process>,
}

impl Connection {
    /// Connects to a server.
    ///
    /// # Errors
    /// It cannot be reached, or is no MCP server.
    pub(super) async fn open(endpoint: &Endpoint) -> Result<Self, ConnectError> {
        let opened = tokio::time::timeout(OPENING, async {
            match Self::open_as(endpoint, ClientLifecycleMode::Initialize).await {
                // Servers of the newest protocol alone know no handshake.
                Err(ConnectError::Speech(error)) if matches!(*error, ClientInitializeError::JsonRpcError(_)) => {
                    let newest = ClientLifecycleMode::Discover {
                        preferred_versions: vec![ProtocolVersion::LATEST],
                    };
                    Self::open_as(endpoint, newest).await
                }
                other => other,
            }
        });
        opened.await.unwrap_or(Err(ConnectError::Slow(OPENING)))
    }

    async fn open_as(endpoint: &Endpoint, lifecycle: ClientLifecycleMode) -> Result<Self, ConnectError> {
        let listener = Listener::default();
        let changed = Arc::clone(&listener.changed);
        let refused = |error| ConnectError::Speech(Box::new(error));
        let (running, process) = match &endpoint.reach {
            Reach::Process(program) => {
                let (process, stdout, stdin) = Process::start(&endpoint.name, program)
                    .map_err(|error| ConnectError::Start(program.program.clone(), error))?;
                let transport =
                    AsyncRwTransport::new_client(Mended::new(stdout, MESSAGE), stdin).with_max_line_length(MESSAGE);
                let running = serve_client_with_lifecycle(listener, transport, lifecycle).await;
                (running.map_err(refused)?, Some(process))
            }
            Reach::Http { url, headers } => {
                let transport = http::transport(url, headers.clone()).map_err(ConnectError::Client)?;
                let running = serve_client_with_lifecycle(listener, transport, lifecycle).await;
                (running.map_err(refused)?, None)
            }
        };
        Ok(Self::of(running, changed, process, &endpoint.name))
    }

    fn of(
        running: RunningService<RoleClient, Listener>,
        changed: Arc<Notify>,
        process: Option<Process>,
        server: &str,
    ) -> Self {
        let peer = running.peer().clone();
        let who = peer.peer_info().and_then(|info| info.server_info.clone());
        let (name, version) = who.map_or_else(Default::default, |who| (who.name, who.version));
        Self {
            link: Link {
                server: server.into(),
                peer,
            },
            about: About {
                name: words::cleaned(&name, 60),
                version: words::cleaned(&version, 40),
            },
            changed,
            cancel: running.cancellation_token(),
            ended: running.waiting().map(drop).boxed().shared(),
            process,
        }
    }

    /// Waits until the server has closed it, or its program has ended: what the program left behind may hold it open.
    pub(super) async fn gone(&self) {
        let Some(process) = &self.process else {
            return self.ended.clone().await;
        };
        tokio::select! {
            () = self.ended.clone() => {}
            () = process.ended() => {}
        }
    }

    /// Closes it, and ends the server if it was started for it.
    pub(super) async fn close(self) {
        self.cancel.cancel();
        tokio::time::timeout(CLOSING, self.ended).await.ok();
        if let Some(process) = self.process {
            process.end().await;
        }
    }
}

/// The link that calls go through; it outlives its connection, and says so then.
#[derive(Clone)]
pub(super) struct Link {
    server: Arc<str>,
    peer: Peer<RoleClient>,
}

impl Link {
    /// Everything that the server offers, within limits.
    ///
    /// # Errors
    /// It does not answer as it must, or not in time.
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, ConnectError> {
        let listed = async {
            let (mut tools, mut cursor) = (Vec::new(), None);
            for _ in 0..PAGES {
                let (listed, next) = self.page(cursor).await?;
                tools.extend(listed);
                cursor = next;
                if cursor.is_none() {
                    break;
                }
            }
            Ok(tools)
        };
        match tokio::time::timeout(ANSWERING, listed).await {
            Ok(listed) => listed.map_err(ConnectError::List),
            Err(_) => Err(ConnectError::Slow(ANSWERING)),
        }
    }

    /// One page of that, and where the next begins. A page with an odd tool is asked for once more, as it is.
    async fn page(&self, cursor: Option<String>) -> Result<(Vec<Tool>, Option<String>), ServiceError> {
        let wanted = PaginatedRequestParams::default().with_cursor(cursor);
        match self.peer.list_tools(Some(wanted.clone())).await {
            Ok(page) => Ok((page.tools, page.next_cursor)),
            Err(ServiceError::UnexpectedResponse) => {
                let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(wanted));
                let answer = self.peer.send_request(request).await?;
                let page = match answer {
                    ServerResult::CustomResult(result) => lenient::page(&result.0),
                    _ => None,
                };
                page.ok_or(ServiceError::UnexpectedResponse)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the server is still there: whatever it answers, it is.
    pub(super) async fn is_alive(&self) -> bool {
        let handshake = self
            .peer
            .peer_info()
            .is_none_or(|info| info.protocol_version.has_initialize());
        let asked = async {
            // The newest protocol knows no ping.
            if handshake {
                let ping = ClientRequest::PingRequest(PingRequest::default());
                self.peer.send_request(ping).await.map(drop)
            } else {
                self.peer.list_tools(None).await.map(drop)
            }
        };
        let answer = tokio::time::timeout(ANSWERING, asked).await;
        matches!(
            answer,
            Ok(Ok(()) | Err(ServiceError::McpError(_) | ServiceError::UnexpectedResponse))
        )
    }

    /// Calls a tool by the server's own name of it.
    ///
    /// # Errors
    /// The connection is gone, or the server does not answer as it must.
    pub(super) async fn call(&self, tool: String, args: Map<String, Value>) -> Result<CallToolResult, ToolError> {
        let params = CallToolRequestParams::new(tool).with_arguments(args);
        let server = &self.server;
        match self.peer.call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => Ok(result),
            Ok(_) => Err(ToolError::Unavailable(format!(
                "the MCP server `{server}` wants more than arguments for this call, which it cannot be given here"
            ))),
            Err(ServiceError::McpError(error)) => Err(ToolError::TellModel(words::cleaned(&error.message, 2_000))),
            Err(ServiceError::TransportClosed | ServiceError::TransportSend(_)) => Err(ToolError::Unavailable(
                format!("the MCP server `{server}` broke off: the call may or may not have taken effect"),
            )),
            Err(error) => {
                tracing::warn!(%server, "MCP tool call failed");
                tracing::debug!(%server, %error, "MCP tool call failed (details)");
                Err(ToolError::Unavailable(format!(
                    "the MCP server `{server}` did not answer as it must"
                )))
            }
        }
    }
}

/// A program may be gone before it is spoken to, or before it answers.
const ENDED: &str = "it ended before it answered as an MCP server";

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.downcast_ref().is_some_and(broken)
}

/// The error at the beginning, with the cause that a transport's error hides.
fn error_text(error: &ClientInitializeError) -> String {
    let text = match error {
        ClientInitializeError::ConnectionClosed(_) => ENDED.to_owned(),
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "it does not answer `initialize` as an MCP server must".to_owned()
        }
        ClientInitializeError::TransportError { error, .. } if is_broken_pipe(&*error.error) => ENDED.to_owned(),
        ClientInitializeError::TransportError { error, .. } => causes(&*error.error),
        other => other.to_string(),
    };
    words::cleaned(&text, SHOWN)
}

/// The most characters of an error.
const SHOWN: usize = 400;

/// The error of a list of tools. It may be in the words of the server, which may be many.
fn list_text(error: &ServiceError) -> String {
    let text = match error {
        ServiceError::McpError(error) => format!("it says: {}", error.message),
        ServiceError::TransportSend(error) => causes(&*error.error),
        other => other.to_string(),
    };
    words::cleaned(&text, SHOWN)
}

/// An error with every cause of it.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use rmcp::{model::ErrorData, transport::DynamicTransportError};

    use super::*;

    #[test]
    fn an_error_of_a_list_is_short_whatever_the_server_says() {
        let said = |text: String| ServiceError::McpError(ErrorData::internal_error(text, None));
        let sent = |text: &str| {
            let error = std::io::Error::other(text);
            let kind = std::any::TypeId::of::<()>();
            ServiceError::TransportSend(DynamicTransportError::from_parts(
                "a::very::Long<Name>",
                kind,
                Box::new(error),
            ))
        };
        for (error, expected) in [
            (
                said("a\u{1b}[2J\nb".to_owned()),
                "its tools cannot be listed: it says: a [2J b",
            ),
            (sent("Session expired"), "its tools cannot be listed: Session expired"),
            (
                ServiceError::TransportClosed,
                "its tools cannot be listed: Transport closed",
            ),
        ] {
            assert_eq!(ConnectError::List(error).to_string(), expected);
        }
        let long = ConnectError::List(said("x".repeat(1_000_000))).to_string();
        assert!(long.len() < 500, "{}", long.len());
    }
}
