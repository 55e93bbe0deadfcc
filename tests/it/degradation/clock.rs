//! A machine's clock that is put forward by a day, as after a long sleep of the machine, or back by an hour.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{Channel, Ingress};
use clifford_chat::{
    error::{ChannelError, SendError},
    inbound::{Addressed, Inbound, Message, Place, PlaceKind, Speaker},
    outbound::{Address, DeliveryKey, Limits, Part, Receipt, Signal},
    platform::Platform,
};
use clifford_core::{
    access::{Access, Audience},
    clock::{Clock, Timestamp},
    run::rules::Rules,
    schedule::trigger::{Trigger, TriggerKind},
    settings::{Engine, Ingress as Section, PlanningGate},
};
use clifford_engine::{
    Runs,
    scheduler::{self, lease},
};
use clifford_ingress::{IngressService, IngressSettings};
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink};
use clifford_store::{messages::queue_depth, runs::views as run_views, triggers};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    harness::PATIENCE,
    in_process_engine::InProcessEngine,
    store::world::{Home, NOW, World},
};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// A clock that stands still until it is put.
#[derive(Debug)]
struct Hands(AtomicI64);

impl Hands {
    fn put(&self, by: i64) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// A platform that takes everything.
#[derive(Debug, Default)]
struct Post(Mutex<Vec<String>>);

#[async_trait]
impl Channel for Post {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: 4096,
            file_bytes: 1 << 20,
            flavor: clifford_markup::Flavor::Plain,
            drops_repeats: false,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: false,
            ..Limits::default()
        }
    }

    async fn receive(&self, _: Arc<dyn Ingress>, _: CancellationToken) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn send(&self, _: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        if let Part::Text { plain, .. } = part {
            self.0.lock().unwrap().push(plain.clone());
        }
        Ok(Receipt { id: key.0.clone() })
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }
}

/// Says what was said, once it may.
#[derive(Debug)]
struct Parrot {
    /// The questions to it, in order.
    asked: Mutex<Vec<String>>,
    held: watch::Sender<bool>,
}

#[async_trait]
impl Model for Parrot {
    async fn complete(&self, request: &Request, _: &mut dyn Sink) -> Result<Completion, ModelError> {
        let prompt: Value = serde_json::from_str(&request.messages[1].content).unwrap();
        let input = prompt["input"].as_str().unwrap().to_owned();
        self.asked.lock().unwrap().push(input.clone());
        self.held.subscribe().wait_for(|held| !held).await.unwrap();
        let action = match input.strip_prefix("remind me ") {
            Some(when) if request.messages.len() == 2 => {
                json!({ "type": "tool_call", "name": "reminders.set", "args": { "text": "walk", "when": when } })
            }
            _ => json!({ "type": "finish", "output": format!("You said: {input}") }),
        };
        Ok(Completion {
            text: action.to_string(),
            ..Completion::default()
        })
    }
}

struct Desk {
    home: Home,
    world: World,
    runs: Arc<Runs>,
    /// Another process on the same machine, which hears nothing and takes what it may.
    neighbour: Arc<Runs>,
    ingress: Arc<IngressService>,
    hands: Arc<Hands>,
    post: Arc<Post>,
    parrot: Arc<Parrot>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Desk {
    async fn open(debounce: Duration) -> Self {
        let home = Home::sqlite().await;
        let world = World::new(&home.db).await;
        let hands = Arc::new(Hands(AtomicI64::new(NOW.0)));
        let post = Arc::new(Post::default());
        let parrot = Arc::new(Parrot {
            asked: Mutex::default(),
            held: watch::Sender::new(false),
        });
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let a_process = || {
            let in_process = InProcessEngine {
                clock: Arc::clone(&hands) as _,
                rules: Rules::from(Engine {
                    planning_gate: PlanningGate::Off,
                    time_zone: "Europe/Berlin".to_owned(),
                    ..Engine::default()
                }),
                model: Some(Arc::clone(&parrot) as _),
                channels: BTreeMap::from([(Platform::new("telegram"), Arc::clone(&post) as _)]),
                ..InProcessEngine::default()
            };
            let runs = in_process.runs(&home.db);
            tasks.spawn(scheduler::run(Arc::clone(&runs), stop.clone()));
            tasks.spawn(lease::renew(Arc::clone(&runs), stop.clone()));
            runs
        };
        let (runs, neighbour) = (a_process(), a_process());
        let open = Audience {
            access: Access::Open,
            ..Audience::default()
        };
        let settings = IngressSettings {
            audiences: BTreeMap::from([(Platform::new("telegram"), open)]),
            section: Section {
                debounce,
                album: Duration::ZERO,
                catch_up: Duration::MAX,
                auto_close: Duration::ZERO,
                user_messages_per_minute: 0,
                ..Section::default()
            },
            dashboard: None,
        };
        let ingress = IngressService::new(
            home.db.clone(),
            Arc::clone(&hands) as _,
            Arc::clone(&runs),
            Arc::default(),
            settings,
        );
        Self {
            home,
            world,
            runs,
            neighbour,
            ingress,
            hands,
            post,
            parrot,
            stop,
            tasks,
        }
    }

    async fn hear(&self, text: &str) {
        let message = Message {
            place: Place {
                platform: Platform::new("telegram"),
                external_id: "1".to_owned(),
                parent: None,
                kind: PlaceKind::Private,
                name: None,
                space: None,
            },
            speaker: Speaker {
                id: "1".to_owned(),
                name: "Ada".to_owned(),
                handle: None,
                is_bot: false,
                language: None,
                roles: None,
            },
            id: text.to_owned(),
            text: text.to_owned(),
            sent_at: self.hands.now().to_jiff(),
            reply_to: None,
            addressed: Addressed::default(),
            attachments: Vec::new(),
            album: None,
            backfilled: false,
            via: None,
            quoted: None,
        };
        self.ingress.accept(Inbound::Message(message)).await.unwrap();
    }

    /// Ada is to be reminded then, and work is looked for now.
    async fn remind(&self, at: Timestamp) {
        let reminder = Trigger {
            content: "stretch".to_owned(),
            user_id: Some(self.world.user.id),
            channel_id: Some(self.world.channel.id),
            next_at: Some(at),
            ..Trigger::new(TriggerKind::Reminder, NOW)
        };
        let stored =
            (self.home.db).write(move |tx| Box::pin(async move { triggers::insert(tx, &reminder, None).await }));
        stored.await.unwrap();
        self.runs.context.notify.runs.notify_one();
    }

    async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let mut often = tokio::time::interval(Duration::from_millis(10));
        let came = tokio::time::timeout(PATIENCE, async {
            while !is_so(self) {
                often.tick().await;
            }
        });
        let came = came.await;
        assert!(came.is_ok(), "waited in vain for {what}: {:?}", self.said());
    }

    fn said(&self) -> Vec<String> {
        self.post.0.lock().unwrap().clone()
    }

    /// Everything was said once, and nothing is left to do.
    async fn close(self, expected: &[&str]) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let end = tokio::time::Instant::now() + PATIENCE;
        for runs in [&self.runs, &self.neighbour] {
            runs.context.at_rest().await;
            runs.context.delivery.flush(end, end).await;
        }
        assert_eq!(self.said(), expected);
        let mut conn = self.home.db.read().await.unwrap();
        assert_eq!(run_views::counts(&mut conn, NOW).await.unwrap(), []);
        assert_eq!(queue_depth::undelivered(&mut conn).await.unwrap().0, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_at_work_is_answered_once_wherever_the_clock_is_put() {
    for by in [DAY, -HOUR] {
        let desk = Desk::open(Duration::ZERO).await;
        desk.parrot.held.send_replace(true);
        desk.hear("one").await;
        desk.until("the model to be asked", |desk| {
            desk.parrot.asked.lock().unwrap().len() == 1
        })
        .await;
        desk.hands.put(by);
        // A due item shows that work was looked for. When the second has come, the first look is over.
        for count in 1..=2 {
            desk.remind(NOW.before(Duration::from_secs(2 * 3600))).await;
            desk.until("the reminder", |desk| desk.said().len() == count).await;
        }
        let reminders = desk.said();
        assert!(reminders.iter().all(|text| text.contains("stretch")), "{reminders:?}");
        desk.parrot.held.send_replace(false);
        desk.until("the answer", |desk| desk.said().len() == 3).await;
        desk.hear("two").await;
        desk.until("the second answer", |desk| desk.said().len() == 4).await;
        assert_eq!(*desk.parrot.asked.lock().unwrap(), ["one", "two"]);
        desk.close(&[&reminders[0], &reminders[1], "You said: one", "You said: two"])
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_for_every_weekday_at_8_is_said_at_8_on_weekdays() {
    let desk = Desk::open(Duration::ZERO).await;
    desk.hear("remind me every weekday at 8").await;
    desk.until("the answer", |desk| desk.said().len() == 1).await;
    // A Thursday, eight in the morning in Berlin.
    let thursday = NOW.0 + 7 * HOUR;
    let mut expected = vec!["You said: remind me every weekday at 8"];
    for (day, is_weekday) in [(0, true), (1, true), (2, false), (3, false), (4, true)] {
        for (at, comes) in [(thursday + day * DAY - 1, false), (thursday + day * DAY, is_weekday)] {
            desk.hands.put(at - desk.hands.now().0);
            expected.extend(comes.then_some("⏰ walk"));
            // A due item shows that work was looked for. When the second has come, the first look is over.
            for _ in 0..2 {
                desk.remind(desk.hands.now()).await;
                expected.push("⏰ stretch");
                desk.until("the reminder", |desk| desk.said().len() == expected.len())
                    .await;
            }
        }
    }
    let (mut said, mut wanted) = (desk.said(), expected.clone());
    said.sort();
    wanted.sort_unstable();
    assert_eq!(said, wanted);
    let said: Vec<_> = desk.said();
    desk.close(&said.iter().map(String::as_str).collect::<Vec<_>>()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_for_more_is_answered_wherever_the_clock_is_put() {
    for by in [DAY, -HOUR] {
        let desk = Desk::open(Duration::from_millis(300)).await;
        desk.hear("one").await;
        desk.hands.put(by);
        desk.until("the answer", |desk| !desk.said().is_empty()).await;
        desk.close(&["You said: one"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_is_said_once_by_a_clock_that_is_put_forward_back_and_forward_again() {
    let desk = Desk::open(Duration::ZERO).await;
    desk.remind(NOW.after(Duration::from_secs(600))).await;
    for (count, by) in [(1, DAY), (2, -DAY), (3, DAY)] {
        desk.hands.put(by);
        desk.runs.context.notify.runs.notify_one();
        desk.until("the reminder", |desk| !desk.said().is_empty()).await;
        desk.hear(&format!("message {count}")).await;
        desk.until("the answer", |desk| desk.said().len() == count + 1).await;
    }
    let said = desk.said();
    assert!(said[0].contains("stretch"), "{said:?}");
    let first = said[0].clone();
    desk.close(&[
        &first,
        "You said: message 1",
        "You said: message 2",
        "You said: message 3",
    ])
    .await;
}
