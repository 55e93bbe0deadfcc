//! MCP's streamable HTTP over the HTTP client that the rest of Clifford uses, with limits on replies.

use std::{borrow::Cow, collections::HashMap, error::Error as _, sync::Arc, time::Duration};

use bytes::Bytes;
use clifford_vault::Redirected;
use futures::{Stream, StreamExt, TryStreamExt, stream::BoxStream};
use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{
        ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
        WWW_AUTHENTICATE,
    },
    redirect,
};
use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport,
        common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE},
        streamable_http_client::{
            AuthRequiredError, HttpStatusError, SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
            StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use sse_stream::{Sse, SseStream};

use super::{MESSAGE, pace::Pace, wire::mended};

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);
/// The most bytes of an answer that says what went wrong.
const COMPLAINT: usize = 16 * 1024;

type Fault = StreamableHttpError<Failed>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Why a request came to nothing, with every cause.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Failed(String);

/// The transport to a server at this address, which is sent these headers with every request.
///
/// # Errors
/// The HTTP client cannot be made.
pub(super) fn transport(url: &str, headers: HeaderMap) -> Result<StreamableHttpClientTransport<Caller>, String> {
    let client = Client::builder()
        .connect_timeout(CONNECTING)
        // A redirect would carry the headers, and what is said, to somebody else.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("clifford/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .build()
        .map_err(|error| error.without_url().to_string())?;
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    Ok(StreamableHttpClientTransport::with_client(Caller(client), config))
}

/// Makes a transport's requests.
#[derive(Clone)]
pub(super) struct Caller(Client);

impl Caller {
    async fn send(
        &self,
        request: RequestBuilder,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Response, Fault> {
        let mut request = request.headers(headers.into_iter().collect());
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, &*session);
        }
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = request.send().await.map_err(fault)?;
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenge = text(&response, &WWW_AUTHENTICATE).unwrap_or_default();
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        Ok(response)
    }
}

impl StreamableHttpClient for Caller {
    type Error = Failed;

    async fn post_message(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let had_session = session.is_some();
        let request = self.0.post(&*url).header(ACCEPT, accepted()).json(&message);
        let response = self.send(request, session, token, headers).await?;
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if had_session => return Err(StreamableHttpError::SessionExpired),
            status if !status.is_success() => return complaint(status, response).await,
            _ => {}
        }
        let session = text(&response, HEADER_SESSION_ID);
        match text(&response, &CONTENT_TYPE) {
            Some(kind) if kind.starts_with(EVENT_STREAM_MIME_TYPE) => {
                Ok(StreamableHttpPostResponse::Sse(events(response), session))
            }
            // Some servers call their JSON a text, or nothing.
            kind if kind
                .as_deref()
                .is_none_or(|kind| kind.starts_with(JSON_MIME_TYPE) || kind.starts_with("text/plain")) =>
            {
                let body = body(response, MESSAGE).await?;
                let is_request = matches!(message, JsonRpcMessage::Request(_));
                match serde_json::from_slice(&mended(&body)) {
                    Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
                    // A notification needs no answer.
                    Err(_) if !is_request => Ok(StreamableHttpPostResponse::Accepted),
                    Err(error) => Err(error.into()),
                }
            }
            _ if !matches!(message, JsonRpcMessage::Request(_)) => Ok(StreamableHttpPostResponse::Accepted),
            kind => Err(unexpected(format!(
                "its answer is {}, not JSON",
                kind.unwrap_or_default()
            ))),
        }
    }

    async fn delete_session(
        &self,
        url: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Fault> {
        let response = self.send(self.0.delete(&*url), Some(session), token, headers).await?;
        match response.status() {
            status if status.is_success() || status == StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            status => Err(HttpStatusError::new(status.as_u16(), None).into()),
        }
    }

    async fn get_stream(
        &self,
        url: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Fault> {
        let mut request = self.0.get(&*url).header(ACCEPT, accepted());
        if let Some(id) = last_event {
            request = request.header(HEADER_LAST_EVENT_ID, id);
        }
        let response = self.send(request, session, token, headers).await?;
        let kind = text(&response, &CONTENT_TYPE);
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => Err(HttpStatusError::new(status.as_u16(), None).into()),
            _ if kind
                .as_ref()
                .is_some_and(|kind| kind.starts_with(EVENT_STREAM_MIME_TYPE)) =>
            {
                Ok(events(response))
            }
            _ => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }
}

fn accepted() -> String {
    [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", ")
}

/// An address may hold a key: errors name none.
fn fault(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    StreamableHttpError::Client(Failed(text))
}

fn text(response: &Response, header: impl reqwest::header::AsHeaderName) -> Option<String> {
    Some(response.headers().get(header)?.to_str().ok()?.to_owned())
}

/// The answer of a server that does not do as it was asked: an error of the protocol, if it is one.
async fn complaint(status: StatusCode, response: Response) -> Result<StreamableHttpPostResponse, Fault> {
    let (session, retry_after) = (text(&response, HEADER_SESSION_ID), text(&response, &RETRY_AFTER));
    let place = text(&response, &LOCATION).filter(|_| status.is_redirection());
    let body = body(response, COMPLAINT).await.unwrap_or_default();
    if let Ok(error @ JsonRpcMessage::Error(_)) = serde_json::from_slice::<ServerJsonRpcMessage>(&mended(&body)) {
        return Ok(StreamableHttpPostResponse::Json(error, session));
    }
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return Err(HttpStatusError::new(status.as_u16(), retry_after).into());
    }
    let said: String = String::from_utf8_lossy(&body).chars().take(200).collect();
    Err(unexpected(match place {
        Some(place) => format!("HTTP {status}: {}", Redirected::new(&place, "its url in [[tools.mcp]]")),
        None if [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&status) => {
            format!("HTTP {status}: {said}; it may be a server of the older transport, which is not spoken here")
        }
        None => format!("HTTP {status}: {said}"),
    }))
}

fn unexpected(text: String) -> Fault {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(text))
}

async fn body(response: Response, most: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.try_next().await.map_err(fault)? {
        if body.len() + chunk.len() > most {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The events of an answer; one that is too long ends them.
fn events(response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
    let chunks = response
        .bytes_stream()
        .map_err(|error| std::io::Error::other(error.without_url()));
    let chunks = chunks.scan(Pace::new(), |pace, chunk| {
        let wait = pace.take(chunk.as_ref().map_or(0, Bytes::len));
        async move {
            tokio::time::sleep(wait).await;
            Some(chunk)
        }
    });
    SseStream::from_bytes_stream(bounded(chunks, MESSAGE))
        .map_ok(|mut event| {
            let data = event.data.take();
            event.data = data.map(|data| String::from_utf8_lossy(&mended(data.as_bytes())).into_owned());
            event
        })
        .boxed()
}

/// Lets a stream of events pass as long as none of them is longer than this.
fn bounded(
    chunks: impl Stream<Item = std::io::Result<Bytes>>,
    most: usize,
) -> impl Stream<Item = std::io::Result<Bytes>> {
    let mut size = 0;
    let mut line_is_empty = true;
    chunks.map(move |chunk| {
        let chunk = chunk?;
        for byte in &chunk {
            size += 1;
            match byte {
                b'\r' => {}
                // An empty line ends an event.
                b'\n' => {
                    if line_is_empty {
                        size = 0;
                    }
                    line_is_empty = true;
                }
                _ => line_is_empty = false,
            }
        }
        if size > most {
            return Err(std::io::Error::other(format!("an event is longer than {most} bytes")));
        }
        Ok(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn events_pass_until_one_is_too_long() {
        let passed = async |chunks: &[&'static str]| {
            let chunks = chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
            let stream = bounded(futures::stream::iter(chunks.collect::<Vec<_>>()), 20);
            stream.map(|chunk| chunk.is_ok()).collect::<Vec<_>>().await
        };
        assert_eq!(
            passed(&["data: 1\n\n", "data: 2\r\n\r\n", "data: 3\n", "\n"]).await,
            [true; 4]
        );
        assert_eq!(
            passed(&["data: 12345", "6789012345", "\n\n"]).await,
            [true, false, true]
        );
        assert_eq!(passed(&["data: 1\ndata: 2\ndata: 3"]).await, [false]);
    }
}
