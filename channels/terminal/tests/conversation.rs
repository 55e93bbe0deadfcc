//! Conversations at a terminal whose keyboard and screen are pipes in memory.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, which is what it is for"
)]

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Address, Addressed, Button, Channel, ChannelError, Choice, Command, Completion, ConnectionStatus,
    DeliveryKey, Inbound, Ingress, IngressError, Limits, Message, Part, Place, PlaceKind, Platform, ProgressKind,
    Receipt, SendError, Served, Signal, Speaker,
};
use clifford_markup::Flavor;
use clifford_terminal::{PLACE, Terminal, TerminalConfig};
use jiff::Timestamp;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

const ROOM: usize = 64 * 1024;
const START: i64 = 1_000;

/// Takes events, and says of each what the test says.
struct Desk {
    verdicts: Mutex<VecDeque<Result<Accepted, IngressError>>>,
    events: mpsc::UnboundedSender<Inbound>,
    states: Mutex<Vec<ConnectionStatus>>,
    /// Answers within `accept`, before it is known to be accepted.
    at_once: Option<Arc<Terminal>>,
}

#[async_trait]
impl Ingress for Desk {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        self.events.send(event).unwrap();
        if let Some(terminal) = &self.at_once {
            answer(terminal, "at once").await;
        }
        self.verdicts
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or(Ok(Accepted::Answering))
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, platform: Platform, status: ConnectionStatus) {
        assert_eq!(platform, Platform::TERMINAL);
        self.states.lock().unwrap().push(status);
    }
}

struct Session {
    terminal: Arc<Terminal>,
    keyboard: DuplexStream,
    screen: DuplexStream,
    desk: Arc<Desk>,
    events: mpsc::UnboundedReceiver<Inbound>,
    stop: CancellationToken,
}

impl Session {
    fn new(quiet: bool) -> Self {
        Self::with(quiet, Vec::new(), false)
    }

    fn with(quiet: bool, verdicts: Vec<Result<Accepted, IngressError>>, at_once: bool) -> Self {
        let (keyboard, input) = tokio::io::duplex(ROOM);
        let (output, screen) = tokio::io::duplex(ROOM);
        let clock = Arc::new(|| Timestamp::from_millisecond(START).unwrap());
        let config = TerminalConfig {
            speaker: "Ada".to_owned(),
            language: None,
            quiet,
            history: None,
            clock,
        };
        let terminal = Arc::new(Terminal::piped(config, BufReader::new(input), output));
        let (sender, events) = mpsc::unbounded_channel();
        let desk = Arc::new(Desk {
            verdicts: Mutex::new(verdicts.into()),
            events: sender,
            states: Mutex::default(),
            at_once: at_once.then(|| terminal.clone()),
        });
        Self {
            terminal,
            keyboard,
            screen,
            desk,
            events,
            stop: CancellationToken::new(),
        }
    }

    fn receive(&self) -> impl Future<Output = Result<(), ChannelError>> + use<> {
        let (terminal, desk, stop) = (self.terminal.clone(), self.desk.clone(), self.stop.clone());
        async move { terminal.receive(desk, stop).await }
    }

    async fn type_in(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).await.unwrap();
    }

    async fn end_input(&mut self) {
        self.keyboard.shutdown().await.unwrap();
    }

    /// Reads the next things on the screen.
    async fn expect(&mut self, expected: &str) {
        let mut shown = vec![0; expected.len()];
        self.screen.read_exact(&mut shown).await.unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }

    /// All that is left on the screen when the terminal is gone.
    async fn rest(mut self) -> String {
        drop((self.terminal, self.desk));
        let mut shown = String::new();
        self.screen.read_to_string(&mut shown).await.unwrap();
        shown
    }
}

fn address() -> Address {
    Address {
        place: PLACE.to_owned(),
        private: true,
        reply_to: None,
        via: None,
    }
}

fn text(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
        plain: text.to_owned(),
        rich: None,
        buttons: Vec::new(),
    }
}

fn key(key: &str) -> DeliveryKey {
    DeliveryKey(key.to_owned())
}

async fn answer(terminal: &Terminal, answer: &str) {
    terminal.send(&address(), &text(answer), &key(answer)).await.unwrap();
    terminal.signal(&address(), &Signal::Done).await.unwrap();
}

fn place() -> Place {
    Place {
        platform: Platform::TERMINAL,
        external_id: PLACE.to_owned(),
        parent: None,
        kind: PlaceKind::Private,
        name: Some("terminal".to_owned()),
        space: None,
    }
}

fn ada() -> Speaker {
    Speaker {
        id: "Ada".to_owned(),
        name: "Ada".to_owned(),
        handle: None,
        is_bot: false,
        language: None,
        roles: None,
    }
}

fn message(id: &str, text: &str) -> Inbound {
    Inbound::Message(Message {
        place: place(),
        speaker: ada(),
        id: id.to_owned(),
        text: text.to_owned(),
        sent_at: Timestamp::from_millisecond(START).unwrap(),
        reply_to: None,
        addressed: Addressed::default(),
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: None,
        quoted: None,
    })
}

fn command(id: &str, name: &str, argument: &str) -> Inbound {
    Inbound::Command(Command {
        place: place(),
        speaker: ada(),
        id: id.to_owned(),
        name: name.to_owned(),
        argument: argument.to_owned(),
        sent_at: Timestamp::from_millisecond(START).unwrap(),
        via: None,
        answered_alone: false,
        below: None,
    })
}

#[tokio::test]
async fn a_piped_question_is_answered_before_the_conversation_ends() {
    let mut session = Session::new(false);
    session.type_in("what is 17 * 23?\n").await;
    session.end_input().await;
    let receive = session.receive();
    let work = async {
        assert_eq!(session.events.recv().await, Some(message("1000-1", "what is 17 * 23?")));
        let to = address();
        let steps = [
            (ProgressKind::Note, "plan: multiply"),
            (ProgressKind::ToolCall, "compute.eval {\"expression\":\"17*23\"}"),
            (ProgressKind::ToolResult, "391"),
            (ProgressKind::Cost, "2 calls, $0.001"),
        ];
        session.terminal.signal(&to, &Signal::Typing).await.unwrap();
        for (kind, text) in steps {
            session
                .terminal
                .signal(
                    &to,
                    &Signal::Progress {
                        kind,
                        text: text.to_owned(),
                    },
                )
                .await
                .unwrap();
        }
        answer(&session.terminal, "391").await;
    };
    let (received, ()) = tokio::join!(receive, work);
    received.unwrap();
    let states = std::mem::take(&mut *session.desk.states.lock().unwrap());
    assert_eq!(
        states,
        [
            ConnectionStatus::Connected("Ada".to_owned()),
            ConnectionStatus::Disconnected("the conversation ended".to_owned())
        ]
    );
    let expected = "· plan: multiply\n→ compute.eval {\"expression\":\"17*23\"}\n← 391\n· 2 calls, $0.001\n391\n";
    assert_eq!(session.rest().await, expected);
}

#[tokio::test]
async fn the_next_piped_line_waits_for_the_answer_to_the_one_before() {
    let mut session = Session::new(true);
    session.type_in("one\n\ntwo\n").await;
    session.end_input().await;
    let receive = session.receive();
    let work = async {
        assert_eq!(session.events.recv().await, Some(message("1000-1", "one")));
        assert!(session.events.try_recv().is_err());
        answer(&session.terminal, "1").await;
        assert_eq!(session.events.recv().await, Some(message("1000-2", "two")));
        answer(&session.terminal, "2").await;
    };
    let (received, ()) = tokio::join!(receive, work);
    received.unwrap();
    assert_eq!(session.rest().await, "1\n2\n");
}

#[tokio::test]
async fn an_answer_that_comes_before_its_message_is_accepted_counts() {
    let mut session = Session::with(true, Vec::new(), true);
    session.type_in("hi").await;
    session.end_input().await;
    session.receive().await.unwrap();
    let Session {
        terminal,
        desk,
        mut screen,
        ..
    } = session;
    let desk = Arc::try_unwrap(desk).ok().unwrap();
    drop((desk, terminal));
    let mut shown = String::new();
    screen.read_to_string(&mut shown).await.unwrap();
    assert_eq!(shown, "at once\n");
}

#[tokio::test]
async fn commands_are_told_from_messages_and_quit_ends_the_conversation() {
    let mut session = Session::new(true);
    session
        .type_in("/New Trip to Rome\n/usr/bin is a path\n/quit\nunread\n")
        .await;
    let receive = session.receive();
    let work = async {
        assert_eq!(
            session.events.recv().await,
            Some(command("1000-1", "new", "Trip to Rome"))
        );
        answer(&session.terminal, "new").await;
        assert_eq!(
            session.events.recv().await,
            Some(message("1000-2", "/usr/bin is a path"))
        );
        answer(&session.terminal, "path").await;
    };
    let (received, ()) = tokio::join!(receive, work);
    received.unwrap();
    assert!(session.events.try_recv().is_err());
}

#[tokio::test]
async fn a_backslash_at_the_end_continues_a_message_in_the_next_line() {
    let verdicts = vec![Ok(Accepted::Stored), Ok(Accepted::Stored)];
    let mut session = Session::with(true, verdicts, false);
    session.type_in("one\\\r\ntwo\\\nthree\r\nfour\\").await;
    session.end_input().await;
    session.receive().await.unwrap();
    assert_eq!(session.events.recv().await, Some(message("1000-1", "one\ntwo\nthree")));
    assert_eq!(session.events.recv().await, Some(message("1000-2", "four\n")));
}

#[tokio::test]
async fn nothing_from_outside_reaches_the_terminal_as_a_control_sequence() {
    let session = Session::new(false);
    let to = address();
    let evil = "a\u{1b}]0;title\u{7}b\u{9b}31mc\rd\te\nf\u{8}";
    session.terminal.send(&to, &text(evil), &key("1")).await.unwrap();
    let progress = Signal::Progress {
        kind: ProgressKind::ToolResult,
        text: evil.to_owned(),
    };
    session.terminal.signal(&to, &progress).await.unwrap();
    let file = Part::File {
        name: "a\u{1b}c.txt".to_owned(),
        content: "x\u{1b}[2Jy".to_owned(),
        caption: "Too long".to_owned(),
        markup: None,
    };
    session.terminal.send(&to, &file, &key("2")).await.unwrap();
    let expected = "a]0;titleb31mcd\te\nf\n← a]0;titleb31mcd\te\n  f\nToo long\n--- ac.txt ---\nx[2Jy\n";
    assert_eq!(session.rest().await, expected);
}

#[tokio::test]
async fn a_part_that_is_sent_again_is_shown_once() {
    let session = Session::new(false);
    let to = address();
    let first = session.terminal.send(&to, &text("a"), &key("1")).await.unwrap();
    let again = session.terminal.send(&to, &text("a"), &key("1")).await.unwrap();
    let other = session.terminal.send(&to, &text("a"), &key("2")).await.unwrap();
    assert_eq!(
        [first, again, other].map(|receipt: Receipt| receipt.id),
        ["1000-out-1", "1000-out-1", "1000-out-2"]
    );
    assert_eq!(session.rest().await, "a\na\n");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_stored_is_handed_in_again() {
    let unavailable = || Err(IngressError::Unavailable("the disk is full".to_owned()));
    let verdicts = vec![unavailable(), unavailable(), Ok(Accepted::Stored)];
    let mut session = Session::with(true, verdicts, false);
    session.type_in("hi\n").await;
    session.end_input().await;
    session.receive().await.unwrap();
    for _ in 0..3 {
        assert_eq!(session.events.try_recv().unwrap(), message("1000-1", "hi"));
    }
    let notice = "! the message could not be stored, trying again: the disk is full\n";
    assert_eq!(session.rest().await, notice.repeat(2));
}

#[tokio::test]
async fn a_closed_output_is_gone_and_holds_nothing_up() {
    let mut session = Session::new(true);
    session.type_in("hi\n").await;
    session.end_input().await;
    let receive = session.receive();
    let work = async {
        session.events.recv().await.unwrap();
        session.screen = tokio::io::duplex(1).0;
        let sent = session.terminal.send(&address(), &text("a"), &key("1")).await;
        assert!(matches!(sent, Err(SendError::Gone(_))), "{sent:?}");
        session.terminal.signal(&address(), &Signal::Done).await.unwrap();
    };
    let (received, ()) = tokio::join!(receive, work);
    received.unwrap();
}

#[tokio::test]
async fn a_stop_ends_the_conversation_whatever_is_still_unanswered() {
    let mut session = Session::new(true);
    session.type_in("hi\n").await;
    let receive = session.receive();
    let work = async {
        session.events.recv().await.unwrap();
        session.stop.cancel();
    };
    let (received, ()) = tokio::join!(receive, work);
    received.unwrap();
}

#[tokio::test]
async fn a_quiet_terminal_shows_no_steps() {
    let session = Session::new(true);
    let progress = Signal::Progress {
        kind: ProgressKind::Note,
        text: "plan".to_owned(),
    };
    session.terminal.signal(&address(), &progress).await.unwrap();
    let expected = Limits {
        text_units: 100_000,
        file_bytes: u64::MAX,
        flavor: Flavor::Plain,
        drops_repeats: true,
        typing_every: None,
        delivered_when_stored: false,
        shows_progress: false,
        ..Limits::default()
    };
    assert_eq!(session.terminal.limits(), expected);
    assert_eq!(session.terminal.platform(), Platform::TERMINAL);
    assert_eq!(session.rest().await, "");
}

#[tokio::test]
async fn buttons_are_lines_that_say_what_to_type() {
    let mut session = Session::new(false);
    let part = Part::Text {
        text: "Where to?".to_owned(),
        plain: "Where to?".to_owned(),
        rich: None,
        buttons: vec![Button::new("Trip to Rome", "switch 2")],
    };
    session.terminal.send(&address(), &part, &key("1")).await.unwrap();
    session.expect("Where to?\n\n  /switch 2  Trip to Rome\n").await;
}
