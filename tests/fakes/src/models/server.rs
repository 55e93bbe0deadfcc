//! Sockets and HTTP: takes a request in, has it checked, waits as told, and sends the scripted bytes.
//!
//! Speaks to hyper directly: a connection must be resettable, and must end when the fake is dropped.

use std::{future::poll_fn, io, net::SocketAddr, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use http_body_util::{BodyExt, Either, Full, Limited, StreamBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Frame, Incoming},
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinSet,
};

use super::{
    anthropic,
    fault::Fault,
    openai,
    reply::{Answer, End, Kind, Reply},
    request::{Protocol, RecordedRequest},
    state::State,
    window,
};

/// The longest body that is read.
const LONGEST_BODY: usize = 32 << 20;

/// Lists that only some servers have.
const LISTS: [&str; 4] = ["/props", "/api/ps", "/api/show", "/api/v0/models"];

type Body = Either<Full<Bytes>, StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>>;

/// A socket with room for a few thousand connections that come at once.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(4096)
}

/// Serves until it is dropped, and every connection with it.
pub(crate) async fn serve(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => { connections.spawn(connection(stream, Arc::clone(&state))); }
                // Out of file descriptors, most likely: some connection has to end first.
                Err(_) => { connections.join_next().await; }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, state: Arc<State>) {
    // Without it small chunks wait for the client's acknowledgement; a socket that refuses it still works.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        Box::pin(async move { answer(request, &state).await })
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if poll_fn(|context| connection.poll_without_shutdown(context))
        .await
        .is_err()
    {
        // Closes with RST in place of FIN. A socket that is gone already needs neither.
        let _ = connection.into_parts().io.into_inner().set_zero_linger();
    }
}

/// The error makes hyper drop the connection.
async fn answer(request: Request<Incoming>, state: &State) -> io::Result<Response<Body>> {
    if (request.method(), request.uri().path()) == (&Method::GET, "/made/1.png") {
        return Ok(made_image(request.headers(), state));
    }
    if let Err(fault) = authorise(request.headers(), state) {
        return Ok(refuse(&fault, state));
    }
    let to_complete = match state.protocol {
        Protocol::OpenAi => "/v1/chat/completions",
        Protocol::Anthropic => "/v1/messages",
    };
    match (request.method(), request.uri().path()) {
        (&Method::POST, path) if path == to_complete => complete(request, state).await,
        (&Method::POST, "/v1/embeddings") => Ok(other(request, state, openai::embeddings).await),
        (&Method::POST, "/v1/audio/speech") => Ok(speak(request, state).await),
        (&Method::POST, "/v1/audio/transcriptions") => Ok(transcribe(request, state).await),
        (&Method::POST, "/v1/images/generations") => Ok(other(request, state, openai::image).await),
        (method, path) => {
            if let Some(listed) = listed(method, path, state) {
                return Ok(json_response(StatusCode::OK, &listed));
            }
            if LISTS.contains(&path) {
                // Only some servers have it, and a client may ask.
                return Ok(refuse(
                    &Fault::new(404, format!("Invalid URL ({method} {path})")),
                    state,
                ));
            }
            let known = [to_complete, "/v1/models"].contains(&path);
            let status = if known { 405 } else { 404 };
            let fault = Fault::new(status, format!("Invalid URL ({method} {path})"));
            state.violated(fault.message.clone());
            Ok(refuse(&fault, state))
        }
    }
}

/// An image that was made, at an address that is nobody's secret: a key that comes along is told to the wrong place.
fn made_image(headers: &HeaderMap, state: &State) -> Response<Body> {
    if headers.contains_key(AUTHORIZATION) {
        state.violated("a made image was asked for with a key".to_owned());
    }
    let image = STANDARD.decode(openai::PNG).unwrap_or_default();
    Response::new(Either::Left(Full::new(image.into())))
}

fn authorise(headers: &HeaderMap, state: &State) -> Result<(), Fault> {
    let Some(key) = state.script().key.clone() else {
        return Ok(());
    };
    let given = match state.protocol {
        Protocol::OpenAi => headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer ")),
        Protocol::Anthropic => headers.get("x-api-key").and_then(|value| value.to_str().ok()),
    };
    match given {
        Some(given) if given == key => Ok(()),
        // Many servers repeat the key here, so this one does too: a client has to strike it out.
        Some(given) => Err(Fault::new(401, format!("Incorrect API key provided: {given}.")).coded("invalid_api_key")),
        None => Err(Fault::new(401, "You didn't provide an API key.")),
    }
}

/// Answers a request of another kind at once.
async fn other(
    request: Request<Incoming>,
    state: &State,
    answer: fn(&Value) -> Result<Value, Fault>,
) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let answered = match body_of(request).await {
        Ok((_, body)) => {
            state.script().others.push((path, body.clone()));
            if let Some(refused) = refused(state) {
                return refused;
            }
            answer(&body)
        }
        Err(fault) => Err(fault),
    };
    match answered {
        Ok(body) => json_response(StatusCode::OK, &body),
        Err(fault) => {
            // A fault that a prompt asks for is not the client's.
            if fault.code.is_none() {
                state.violated(fault.message.clone());
            }
            refuse(&fault, state)
        }
    }
}

/// The refusal that is due.
fn refused(state: &State) -> Option<Response<Body>> {
    let status = state.script().refusing.pop_front()?;
    let mut response = refuse(&Fault::new(status, "Try again later."), state);
    if status == 429 {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("0"));
    }
    Some(response)
}

/// Speaks a text.
async fn speak(request: Request<Incoming>, state: &State) -> Response<Body> {
    let answered = match body_of(request).await {
        Ok((_, body)) => {
            state
                .script()
                .others
                .push(("/v1/audio/speech".to_owned(), body.clone()));
            openai::speech(&body)
        }
        Err(fault) => Err(fault),
    };
    match answered {
        Ok(recording) => {
            let mut response = Response::new(Either::Left(Full::new(recording)));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("audio/ogg"));
            response
        }
        Err(fault) => {
            state.violated(fault.message.clone());
            refuse(&fault, state)
        }
    }
}

/// Answers a recording, which comes as a form.
async fn transcribe(request: Request<Incoming>, state: &State) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let answered = match openai::Recording::read(request).await {
        Ok(recording) => {
            state.script().others.push((path, recording.told()));
            if let Some(refused) = refused(state) {
                return refused;
            }
            recording.answer()
        }
        Err(fault) => Err(fault),
    };
    match answered {
        Ok(body) => json_response(StatusCode::OK, &body),
        Err(fault) => {
            state.violated(fault.message.clone());
            refuse(&fault, state)
        }
    }
}

async fn complete(request: Request<Incoming>, state: &State) -> io::Result<Response<Body>> {
    let recorded = match read(request, state).await {
        Ok(recorded) => recorded,
        Err(fault) => return Ok(refuse(&fault, state)),
    };
    state.release().await;
    let chosen = match state.protocol {
        Protocol::OpenAi => state.choose(&recorded),
        Protocol::Anthropic => state.choose(&anthropic::translated(&recorded)),
    };
    let Some(reply) = chosen else {
        return Ok(refuse(
            &Fault::new(400, "The fake has no reply for this request."),
            state,
        ));
    };
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    let billed = if state.script().bills_schema {
        window::schema_tokens(&recorded.body)
    } else {
        0
    };
    send(reply, &recorded, state.protocol, billed).await
}

async fn read(request: Request<Incoming>, state: &State) -> Result<Arc<RecordedRequest>, Fault> {
    let violated = |fault: Fault| {
        state.violated(fault.message.clone());
        fault
    };
    let (headers, body) = body_of(request).await.map_err(violated)?;
    let recorded = Arc::new(RecordedRequest { headers, body });
    state.arrived(&recorded);
    match state.protocol {
        Protocol::OpenAi => openai::check(&recorded.body),
        Protocol::Anthropic => anthropic::check(&recorded),
    }
    .map_err(violated)?;
    known_model(&recorded, state)?;
    let window = state.script().window;
    // A request that is too long is no break of the protocol: nobody can count as the server does.
    window.map_or(Ok(()), |window| window::fits(&recorded, window, state.protocol))?;
    Ok(recorded)
}

/// The JSON of a request, with its headers.
async fn body_of(request: Request<Incoming>) -> Result<(HeaderMap, Value), Fault> {
    let (head, body) = request.into_parts();
    let content_type = head
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if content_type.split(';').next() != Some("application/json") {
        return Err(Fault::new(415, format!("Unsupported content type: '{content_type}'.")));
    }
    let body = Limited::new(body, LONGEST_BODY)
        .collect()
        .await
        .map_err(|_| Fault::new(413, "The body is too long or broke off."))?
        .to_bytes();
    let body: Value = serde_json::from_slice(&body)
        .map_err(|_| Fault::new(400, "We could not parse the JSON body of your request."))?;
    Ok((head.headers, body))
}

fn known_model(request: &RecordedRequest, state: &State) -> Result<(), Fault> {
    let model = request.model();
    match &state.script().models {
        Some(models) if !models.iter().any(|known| known == model) => Err(Fault::new(
            404,
            format!("The model `{model}` does not exist or you do not have access to it."),
        )
        .coded("model_not_found")),
        _ => Ok(()),
    }
}

async fn send(
    mut reply: Reply,
    request: &RecordedRequest,
    protocol: Protocol,
    billed: u64,
) -> io::Result<Response<Body>> {
    reply.edit(|answer| answer.billed = billed);
    let Reply {
        kind,
        headers,
        pause,
        end,
        hangs_after,
        ..
    } = reply;
    let (status, content_type, pieces) = match kind {
        Kind::Never => return std::future::pending().await,
        Kind::Reset => return Err(io::ErrorKind::ConnectionReset.into()),
        Kind::Raw {
            status,
            content_type,
            body,
        } => (status, content_type, vec![body]),
        Kind::Answer(answer) => {
            let (content_type, pieces) = render_answer(&answer, request, &end, protocol);
            (200, content_type, pieces)
        }
    };
    let body = match hangs_after {
        Some((after, comments)) => hanging(pieces, after, comments),
        None => body(pieces, &end, pause),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).map_err(io::Error::other)?;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, content_type.parse().map_err(io::Error::other)?);
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, value.parse().map_err(io::Error::other)?);
    }
    Ok(response)
}

fn render_answer(
    answer: &Answer,
    request: &RecordedRequest,
    end: &End,
    protocol: Protocol,
) -> (&'static str, Vec<Bytes>) {
    if answer.streams && request.stream() {
        let events = match protocol {
            Protocol::OpenAi => openai::events(answer, request),
            Protocol::Anthropic => anthropic::events(answer, request),
        };
        return ("text/event-stream; charset=utf-8", events);
    }
    let whole = match protocol {
        Protocol::OpenAi => openai::body(answer, request),
        Protocol::Anthropic => anthropic::body(answer, request),
    };
    let pieces = match end {
        End::Whole => vec![whole],
        // A body in two halves can end after one.
        End::Broken(_) | End::Early(_) | End::Error(..) => {
            vec![whole.slice(..whole.len() / 2), whole.slice(whole.len() / 2..)]
        }
    };
    ("application/json", pieces)
}

/// So many pieces, then nothing, with comments in between that mean nothing if there is a pause for them; it never ends.
fn hanging(mut pieces: Vec<Bytes>, after: usize, comments: Option<Duration>) -> Body {
    pieces.truncate(after);
    let said = stream::iter(pieces).map(|piece| Ok(Frame::data(piece)));
    let silence = stream::unfold((), move |()| async move {
        match comments {
            Some(pause) => tokio::time::sleep(pause).await,
            None => std::future::pending().await,
        }
        Some((Ok(Frame::data(Bytes::from_static(b": keep-alive\n\n"))), ()))
    });
    Either::Right(StreamBody::new(said.chain(silence).boxed()))
}

fn body(mut pieces: Vec<Bytes>, end: &End, pause: Duration) -> Body {
    let broken = match end {
        End::Whole if pause.is_zero() => return Either::Left(Full::new(pieces.concat().into())),
        End::Whole => false,
        End::Broken(after) => {
            pieces.truncate(*after);
            true
        }
        End::Early(after) => {
            pieces.truncate(*after);
            false
        }
        End::Error(after, error) => {
            pieces.truncate(*after);
            pieces.push(openai::event(error));
            false
        }
    };
    let chunks = stream::iter(pieces).then(move |piece| async move {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        Ok(Frame::data(piece))
    });
    let last = stream::once(async {
        // Hyper sends what it has while the body is pending; without this turn the break would swallow it.
        tokio::task::yield_now().await;
        Err(io::Error::from(io::ErrorKind::ConnectionReset))
    });
    let stream = if broken {
        chunks.chain(last).boxed()
    } else {
        chunks.boxed()
    };
    Either::Right(StreamBody::new(stream))
}

/// The answer of a list route, for servers that have lists of the scripted kind.
fn listed(method: &Method, path: &str, state: &State) -> Option<Value> {
    let expected = if path == "/api/show" { Method::POST } else { Method::GET };
    let script = state.script();
    let models = script.models.clone().unwrap_or_default();
    (*method == expected)
        .then(|| window::listed(script.listing, path, &models))
        .flatten()
}

fn refuse(fault: &Fault, state: &State) -> Response<Body> {
    let body = match state.protocol {
        Protocol::OpenAi => fault.body(),
        Protocol::Anthropic => anthropic::error(fault.status, &fault.message),
    };
    json_response(
        StatusCode::from_u16(fault.status).unwrap_or(StatusCode::BAD_REQUEST),
        &body,
    )
}

fn json_response(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::new(Bytes::from(body.to_string()))));
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        hyper::header::HeaderValue::from_static("application/json"),
    );
    response
}
