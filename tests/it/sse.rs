//! A stream of server-sent events, as a client reads it.

use futures::{StreamExt, stream::BoxStream};
use serde_json::Value;

use crate::harness::PATIENCE;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: Value,
}

/// A stream that is being read.
pub struct Sse {
    body: BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: String,
}

impl Sse {
    /// Opens it, behind an event.
    pub async fn open(request: reqwest::RequestBuilder, after: Option<&str>) -> Self {
        let request = match after {
            Some(id) => request.header("last-event-id", id),
            None => request,
        };
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{response:?}");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            body: response.bytes_stream().boxed(),
            text: String::new(),
        }
    }

    /// The next event; `None`: the stream has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if block.starts_with(':') {
                    continue;
                }
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
                return Some(Event {
                    name: field("event: ").unwrap().to_owned(),
                    id: field("id: ").map(str::to_owned),
                    data: serde_json::from_str(field("data: ").unwrap()).unwrap(),
                });
            }
            let bytes = self.body.next().await?.ok()?;
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// The events up to one that is waited for, which is the last of them.
    pub async fn until(&mut self, what: &str, is_it: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        let reads = tokio::time::timeout(PATIENCE, async {
            loop {
                let event = self.next().await?;
                let is_last = is_it(&event);
                events.push(event);
                if is_last {
                    return Some(());
                }
            }
        });
        match reads.await {
            Ok(Some(())) => events,
            Ok(None) => panic!("the stream ended before {what}: {events:#?}"),
            Err(_) => panic!("waited in vain for {what}: {events:#?}"),
        }
    }
}
