//! The fake's replies: text, tool calls, refusals and every kind of fault.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

/// Characters of text in one chunk of a stream.
pub(crate) const CHUNK: usize = 24;

/// One scripted reply: a constructor says what, the methods say how.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(crate) kind: Kind,
    pub(crate) delay: Duration,
    pub(crate) pause: Duration,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) end: End,
    /// After so many chunks nothing follows, or comments with so long between them; and the body never ends.
    pub(crate) hangs_after: Option<(usize, Option<Duration>)>,
}

/// The answer.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Answer(Answer),
    Raw {
        status: u16,
        content_type: &'static str,
        body: Bytes,
    },
    Never,
    Reset,
}

/// A well-formed completion.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) content: Option<String>,
    pub(crate) reasoning: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) finish: &'static str,
    pub(crate) usage: bool,
    pub(crate) cached: u64,
    pub(crate) streams: bool,
    /// Characters of a chunk.
    pub(crate) piece: usize,
    /// The usage that is told in place of the true one.
    pub(crate) reported: Option<Value>,
    /// Whether chunks are cut between UTF-16 units, as gateways in JavaScript do.
    pub(crate) splits_surrogates: bool,
    /// Tokens of the prompt that are no words of it.
    pub(crate) billed: u64,
}

/// How the body ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Whole,
    /// The connection breaks after so many chunks.
    Broken(usize),
    /// The body ends properly after so many chunks, though the reply is not over.
    Early(usize),
    /// An error event comes after so many chunks, in place of the rest.
    Error(usize, Value),
}

impl Reply {
    /// The model says this.
    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(Some(text.into()), Vec::new(), "stop")
    }

    /// The model says this JSON, as text.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// The model calls one function, with no text.
    pub fn native_tool_call(name: impl Into<String>, arguments: &Value) -> Self {
        Self::native_tool_calls([(name.into(), arguments.to_string())])
    }

    /// The model calls several functions: names, and arguments as text.
    pub fn native_tool_calls(calls: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::answer(None, calls.into_iter().collect(), "tool_calls")
    }

    /// The content filter withheld the reply.
    #[must_use]
    pub fn content_filter() -> Self {
        Self::answer(None, Vec::new(), "content_filter")
    }

    /// The model declines, in the field made for that.
    pub fn refusal(text: impl Into<String>) -> Self {
        let mut reply = Self::answer(None, Vec::new(), "stop");
        reply.edit(|answer| answer.refusal = Some(text.into()));
        reply
    }

    /// An error in OpenAI's form.
    #[must_use]
    pub fn status(status: u16, message: &str) -> Self {
        let kind = if status < 500 {
            "invalid_request_error"
        } else {
            "server_error"
        };
        let body = json!({"error": {"message": message, "type": kind, "param": null, "code": null}});
        Self::raw(status, "application/json", body.to_string())
    }

    /// 429 with `Retry-After` in seconds.
    #[must_use]
    pub fn rate_limited(seconds: u64) -> Self {
        Self::status(429, "Rate limit reached for requests").header("retry-after", seconds.to_string())
    }

    /// 200 with an error in the body.
    #[must_use]
    pub fn error_in_ok(error: &Value) -> Self {
        Self::raw(200, "application/json", json!({"error": error}).to_string())
    }

    /// 200 with a body that is no JSON.
    #[must_use]
    pub fn garbage() -> Self {
        Self::raw(200, "application/json", "\u{0}<<<{\"choices\": [not json at all")
    }

    /// Any status with any body.
    pub fn raw(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self::of(Kind::Raw {
            status,
            content_type,
            body: body.into(),
        })
    }

    /// No answer, while the connection stays open.
    #[must_use]
    pub fn never() -> Self {
        Self::of(Kind::Never)
    }

    /// The connection is reset before anything is answered.
    #[must_use]
    pub fn reset() -> Self {
        Self::of(Kind::Reset)
    }

    /// Waits so long before the first byte.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits so long before every chunk of the body.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Thinks aloud first, in `reasoning_content`.
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.edit(|answer| answer.reasoning = Some(text.into()));
        self
    }

    /// Stops for this reason, in place of the usual one.
    #[must_use]
    pub fn finish_reason(mut self, reason: &'static str) -> Self {
        self.edit(|answer| answer.finish = reason);
        self
    }

    /// Tells no usage.
    #[must_use]
    pub fn without_usage(mut self) -> Self {
        self.edit(|answer| answer.usage = false);
        self
    }

    /// Streams so many characters in each chunk.
    #[must_use]
    pub fn in_pieces_of(mut self, characters: usize) -> Self {
        self.edit(|answer| answer.piece = characters);
        self
    }

    /// Reports this usage, whatever it was.
    #[must_use]
    pub fn reporting(mut self, usage: &Value) -> Self {
        self.edit(|answer| answer.reported = Some(usage.clone()));
        self
    }

    /// Says that so many tokens of the prompt came from the cache.
    #[must_use]
    pub fn cached_tokens(mut self, tokens: u64) -> Self {
        self.edit(|answer| answer.cached = tokens);
        self
    }

    /// Answers with one JSON body even if a stream was asked for.
    #[must_use]
    pub fn ignoring_stream(mut self) -> Self {
        self.edit(|answer| answer.streams = false);
        self
    }

    /// Sends these bytes as an event of a stream after `chunks` chunks, and nothing more.
    #[must_use]
    pub fn event_after(mut self, chunks: usize, event: Value) -> Self {
        self.end = End::Error(chunks, event);
        self
    }

    /// Breaks the connection after `chunks` chunks of the body.
    #[must_use]
    pub fn cut_after(mut self, chunks: usize) -> Self {
        self.end = End::Broken(chunks);
        self
    }

    /// Ends the body after `chunks` chunks as if all had been said.
    #[must_use]
    pub fn end_after(mut self, chunks: usize) -> Self {
        self.end = End::Early(chunks);
        self
    }

    /// Sends `chunks` chunks, and then nothing for ever.
    #[must_use]
    pub fn hang_after(mut self, chunks: usize) -> Self {
        self.hangs_after = Some((chunks, None));
        self
    }

    /// Sends `chunks` chunks, and then comments for ever, as gateways do to keep a connection open.
    #[must_use]
    pub fn keep_alive_after(mut self, chunks: usize, pause: Duration) -> Self {
        self.hangs_after = Some((chunks, Some(pause)));
        self
    }

    /// Cuts its text into chunks of few UTF-16 units, so that half of a character may end one and begin the next.
    #[must_use]
    pub fn splitting_surrogates(mut self) -> Self {
        self.edit(|answer| answer.splits_surrogates = true);
        self
    }

    /// Sends this error as an event after `chunks` chunks, and nothing more.
    #[must_use]
    pub fn fail_after(mut self, chunks: usize, error: &Value) -> Self {
        self.end = End::Error(chunks, json!({"error": error}));
        self
    }

    fn answer(content: Option<String>, calls: Vec<(String, String)>, finish: &'static str) -> Self {
        Self::of(Kind::Answer(Answer {
            content,
            reasoning: None,
            refusal: None,
            calls,
            finish,
            usage: true,
            cached: 0,
            streams: true,
            piece: CHUNK,
            reported: None,
            splits_surrogates: false,
            billed: 0,
        }))
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            delay: Duration::ZERO,
            pause: Duration::ZERO,
            headers: Vec::new(),
            end: End::Whole,
            hangs_after: None,
        }
    }

    /// Changes the answer; errors and faults have none, and stay as they are.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Answer)) {
        if let Kind::Answer(answer) = &mut self.kind {
            change(answer);
        }
    }
}
