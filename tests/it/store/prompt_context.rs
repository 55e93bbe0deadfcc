//! The prompt's view of the other places where the same person speaks, and of nobody else's.

use std::time::Duration;

use clifford_chat::{
    inbound::{Place, PlaceKind, Space},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    messages::{Direction, MessageStatus},
    people::UserRole,
    places::Channel,
};
use clifford_store::{
    Pools, contexts,
    memory::{
        items::Viewer,
        prompt_context::{self, Conversation, Elsewhere, PromptContext, PromptParts},
    },
    messages::{NewInbound, Turn},
    people::users,
    places::{
        channels,
        settings::{self, Around, Setting},
    },
};

use super::world::{NOW, World, item, place, remember, speaker};

/// A channel with an open conversation, in which something was last said at this second.
struct Spot {
    channel: Channel,
    context: ContextId,
}

fn at(second: u64) -> Timestamp {
    NOW.after(Duration::from_secs(second))
}

impl World {
    async fn spot(&self, place: Place, user: Option<UserId>, second: u64) -> Spot {
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    let person = user.map(|user| (user, "account"));
                    let channel = channels::find_or_create(tx, &place, person, at(second)).await?;
                    let context = contexts::begin(tx, &channel, None, at(second)).await?;
                    Ok(Spot { channel, context })
                })
            })
            .await
            .expect("a spot")
    }

    async fn said(&self, spot: &Spot, texts: &[&str]) -> Vec<MessageId> {
        let mut ids = Vec::new();
        for text in texts {
            let message = NewInbound {
                id: MessageId::new(),
                channel_id: spot.channel.id,
                context_id: Some(spot.context),
                content: (*text).to_owned(),
                ..self.message(text, MessageStatus::Received)
            };
            ids.push(message.id);
            assert!(self.store(message).await);
        }
        ids
    }

    async fn run_sql(&self, sql: &str) {
        let sql = sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()));
        match self.db.pools() {
            Pools::Sqlite { read, .. } => drop(sql.execute(read).await.expect("runs")),
            Pools::Postgres(pool) => drop(sql.execute(pool).await.expect("runs")),
        }
    }

    fn wanted(&self, each: u32) -> PromptParts {
        PromptParts {
            conversation: Some((self.context, RunId::new())),
            turns: 10,
            person: Some((self.user.id, Viewer::Private)),
            items: 10,
            around: Around {
                place: Some((self.channel.id, None)),
                ..Around::default()
            },
            elsewhere: Some(self.user.id),
            each,
        }
    }

    async fn find(&self, wanted: PromptParts) -> PromptContext {
        let mut found = prompt_context::find(&mut self.db.read().await.expect("reads"), wanted)
            .await
            .expect("finds");
        for place in &mut found.elsewhere {
            assert_eq!(std::mem::take(&mut place.messages).len(), place.turns.len());
        }
        found
    }

    async fn close_context(&self, context: ContextId) {
        self.db
            .write(move |tx| Box::pin(async move { contexts::close(tx, context, NOW).await }))
            .await
            .expect("closes");
    }

    async fn activate(&self, channel: ChannelId, context: ContextId) {
        self.db
            .write(move |tx| Box::pin(async move { channels::set_active_context(tx, channel, Some(context)).await }))
            .await
            .expect("activates");
    }
}

fn dm(platform: Platform, id: &str, name: Option<&str>) -> Place {
    Place {
        platform,
        name: name.map(str::to_owned),
        ..place(id)
    }
}

fn group(id: &str) -> Place {
    Place {
        kind: PlaceKind::Group,
        space: Some(Space {
            external_id: id.into(),
            name: None,
        }),
        ..place(id)
    }
}

fn turns(texts: &[&str]) -> Vec<Turn> {
    texts
        .iter()
        .map(|text| Turn {
            id: None,
            direction: Direction::Inbound,
            content: (*text).to_owned(),
            gap: None,
            foreign: clifford_store::messages::Foreign::None,
            readers: None,
        })
        .collect()
}

fn texts(turns: &[Turn]) -> Vec<&str> {
    turns.iter().map(|turn| turn.content.as_str()).collect()
}

fn elsewhere(platform: &str, name: Option<&str>, texts: &[&str]) -> Elsewhere {
    Elsewhere {
        platform: platform.to_owned(),
        name: name.map(str::to_owned),
        turns: turns(texts),
        messages: Vec::new(),
    }
}

pub async fn the_newest_messages_of_other_private_places_are_found_newest_place_first(world: World) {
    let ada = Some(world.user.id);
    assert_eq!(world.find(world.wanted(2)).await.elsewhere, []);
    let web = world.spot(dm(Platform::WEB, "w", None), ada, 10).await;
    let discord = world
        .spot(dm(Platform::new("discord"), "d", Some("ada")), ada, 20)
        .await;
    let silent = world.spot(dm(Platform::TERMINAL, "t", None), ada, 30).await;
    world.said(&web, &["w1", "w2"]).await;
    world.said(&discord, &["d1", "d2", "d3"]).await;
    let context = web.context;
    world
        .db
        .write(move |tx| Box::pin(async move { contexts::rename(tx, context, "reading").await }))
        .await
        .expect("renames");
    let found = world.find(world.wanted(2)).await.elsewhere;
    assert_eq!(
        found,
        [
            elsewhere("discord", Some("ada"), &["d2", "d3"]),
            elsewhere("web", Some("reading"), &["w1", "w2"]),
        ]
    );
    world.said(&silent, &["t1"]).await;
    let found = world.find(world.wanted(1)).await.elsewhere;
    assert_eq!(
        found,
        [
            elsewhere("terminal", None, &["t1"]),
            elsewhere("discord", Some("ada"), &["d3"]),
            elsewhere("web", Some("reading"), &["w2"]),
        ]
    );
    assert_eq!(world.find(world.wanted(0)).await.elsewhere, []);
    let nobody = PromptParts {
        elsewhere: None,
        ..world.wanted(2)
    };
    assert_eq!(world.find(nobody).await.elsewhere, []);
}

pub async fn what_others_say_or_was_closed_is_not_found_elsewhere(world: World) {
    let ada = Some(world.user.id);
    let bob = world
        .db
        .write(|tx| {
            Box::pin(async move {
                users::find_or_create(tx, Platform::new("telegram"), &speaker("2"), UserRole::Member, NOW).await
            })
        })
        .await
        .expect("a person");
    let bobs = world.spot(place("2"), Some(bob.id), 1).await;
    let shared = world.spot(group("g"), None, 2).await;
    // A shared channel is nobody's, whatever its row says.
    let odd = world.spot(group("h"), ada, 3).await;
    let closed = world.spot(dm(Platform::WEB, "w", None), ada, 4).await;
    let shut = world.spot(dm(Platform::TERMINAL, "t", None), ada, 5).await;
    let open = world.spot(dm(Platform::new("discord"), "d", None), ada, 6).await;
    for spot in [&bobs, &shared, &odd, &closed, &shut] {
        world.said(spot, &[&format!("never shown {}", spot.channel.id)]).await;
    }
    world.close_context(closed.context).await;
    world.close_context(shut.context).await;
    // Closed, and yet named by its channel.
    world.activate(shut.channel.id, shut.context).await;
    let here = Spot {
        channel: world.channel.clone(),
        context: world.context,
    };
    world.said(&here, &["here"]).await;
    world.said(&open, &["before the summary"]).await;
    let told = world.said(&open, &["told by the summary"]).await;
    world.said(&open, &["there"]).await;
    world
        .run_sql(&format!(
            "UPDATE contexts SET compacted_through = '{}' WHERE id = '{}'",
            told[0], open.context
        ))
        .await;
    let waits = NewInbound {
        channel_id: open.channel.id,
        context_id: Some(open.context),
        ..world.message("waits", MessageStatus::Queued)
    };
    assert!(world.store(waits).await);
    let found = world.find(world.wanted(5)).await;
    assert_eq!(found.elsewhere, [elsewhere("discord", None, &["there"])]);
    assert_eq!(texts(&found.conversation.turns), ["here"]);
}

pub async fn a_conversation_that_goes_on_in_several_places_is_found_once(world: World) {
    let ada = Some(world.user.id);
    let web = world.spot(dm(Platform::WEB, "w", None), ada, 1).await;
    let discord = world.spot(dm(Platform::new("discord"), "d", None), ada, 2).await;
    let terminal = world.spot(dm(Platform::TERMINAL, "t", None), ada, 3).await;
    world.activate(discord.channel.id, web.context).await;
    world.said(&web, &["one", "two"]).await;
    // It goes on here as well: it is no other place's.
    world.activate(terminal.channel.id, world.context).await;
    world.said(&terminal, &["terminal"]).await;
    let found = world.find(world.wanted(5)).await.elsewhere;
    assert_eq!(found, [elsewhere("discord", None, &["one", "two"])]);
}

pub async fn a_prompts_parts_are_found_in_one_trip(world: World) {
    let (channel, context) = (world.channel.id, world.context);
    remember(
        &world.db,
        world.user.id,
        context,
        None,
        item("identity", "name", "Ada", 0),
    )
    .await;
    world
        .db
        .write(move |tx| {
            Box::pin(async move {
                contexts::rename(tx, context, "engines").await?;
                settings::put(tx, &channel.to_string(), "memory", "true", NOW).await?;
                settings::put(tx, settings::BOT, "memory", "false", NOW).await
            })
        })
        .await
        .expect("stores");
    world
        .run_sql(&format!(
            "UPDATE contexts SET summary = 'It began.' WHERE id = '{context}'"
        ))
        .await;
    let here = Spot {
        channel: world.channel.clone(),
        context,
    };
    world.said(&here, &["one", "two"]).await;
    let setting = |value: &str| Setting {
        name: "memory".to_owned(),
        value: value.to_owned(),
    };
    let found = world.find(world.wanted(5)).await;
    let items: Vec<_> = found.items.iter().map(|known| known.item.value.as_str()).collect();
    assert_eq!(items, ["Ada"]);
    assert_eq!(
        found,
        PromptContext {
            conversation: Conversation {
                name: Some("engines".to_owned()),
                summary: Some("It began.".to_owned()),
                turns: found.conversation.turns.clone(),
                before: 0,
                model: None,
            },
            settings: vec![setting("false"), setting("true")],
            ..found.clone()
        }
    );
    assert_eq!(texts(&found.conversation.turns), ["one", "two"]);
    let fewer = world
        .find(PromptParts {
            turns: 1,
            ..world.wanted(5)
        })
        .await
        .conversation;
    assert_eq!((texts(&fewer.turns), fewer.before), (vec!["two"], 1));
    let nothing = PromptParts {
        conversation: None,
        person: None,
        around: Around::default(),
        ..world.wanted(5)
    };
    let bots_alone = PromptContext {
        settings: vec![setting("false")],
        ..PromptContext::default()
    };
    assert_eq!(world.find(nothing).await, bots_alone);
}
