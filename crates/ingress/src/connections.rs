//! How the platforms are connected to this process, since when, and when they were last heard of. It may be lost with
//! the process.

use std::collections::BTreeMap;

use clifford_chat::{inbound::ConnectionStatus, platform::Platform};
use clifford_core::clock::Timestamp;
use dashmap::DashMap;

/// A platform's connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// How it stands.
    pub status: ConnectionStatus,
    /// Since when.
    pub since: Timestamp,
    /// When the platform last handed in an event.
    pub last_event_at: Option<Timestamp>,
    /// The last reason why it was not connected, and when.
    pub last_error: Option<(String, Timestamp)>,
}

/// The connections of this process.
#[derive(Debug, Default)]
pub(super) struct Connections {
    known: DashMap<Platform, Connection>,
    /// Events come before the first word of a connection's status, too.
    events: DashMap<Platform, Timestamp>,
}

impl Connections {
    /// Takes note of a status. Whether it is news.
    pub(super) fn stand(&self, platform: Platform, status: &ConnectionStatus, now: Timestamp) -> bool {
        let mut known = self.known.entry(platform).or_insert_with(|| Connection {
            status: ConnectionStatus::Disconnected(String::new()),
            since: now,
            last_event_at: None,
            last_error: None,
        });
        if let ConnectionStatus::Disconnected(why) = status {
            known.last_error = Some((why.clone(), now));
        }
        let is_news = known.status != *status;
        if is_news {
            known.status = status.clone();
            known.since = now;
        }
        is_news
    }

    /// Takes note of an event.
    pub(super) fn heard(&self, platform: Platform, now: Timestamp) {
        self.events.insert(platform, now);
    }

    /// All of them.
    pub(super) fn all(&self) -> BTreeMap<Platform, Connection> {
        let with_event = |platform: Platform, known: &Connection| Connection {
            last_event_at: self.events.get(&platform).map(|at| *at),
            ..known.clone()
        };
        (self.known.iter())
            .map(|entry| (*entry.key(), with_event(*entry.key(), entry.value())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_news_once_and_its_last_error_stays() {
        let connections = Connections::default();
        let platform = Platform::WEB;
        let up = ConnectionStatus::Connected("Clifford".to_owned());
        let down = ConnectionStatus::Disconnected("lost".to_owned());
        let steps = [(&down, 1, true), (&down, 2, false), (&up, 3, true), (&up, 4, false)];
        for (status, at, is_news) in steps {
            assert_eq!(connections.stand(platform, status, Timestamp(at)), is_news, "{at}");
        }
        connections.heard(platform, Timestamp(5));
        let expected = Connection {
            status: up,
            since: Timestamp(3),
            last_event_at: Some(Timestamp(5)),
            last_error: Some(("lost".to_owned(), Timestamp(2))),
        };
        assert_eq!(connections.all(), BTreeMap::from([(platform, expected)]));
    }
}
