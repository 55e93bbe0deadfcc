//! The conversations that a person chooses among.

use std::time::Duration;

use clifford_chat::{
    inbound::{Place, PlaceKind, Space},
    outbound::Address,
    platform::Platform,
};
use clifford_core::{
    id::{ContextId, MessageId, UserId},
    messages::MessageStatus,
    people::UserRole,
    places::Channel,
    runs::Run,
};
use clifford_store::{
    Conn,
    contexts::{
        self,
        lists::{self as context_lists, Elsewhere},
    },
    messages::{self, Message, NewInbound, NewOutbound},
    people::users,
    places::channels,
};

use super::world::{NOW, World, place, speaker};

/// Another private chat of the person.
async fn chat(world: &World, platform: Platform, id: &'static str) -> Channel {
    let user = world.user.id;
    let place = Place { platform, ..place(id) };
    world
        .db
        .write(move |tx| Box::pin(async move { channels::find_or_create(tx, &place, Some((user, "1")), NOW).await }))
        .await
        .expect("a chat")
}

/// A conversation that begins in a channel, so many minutes later.
async fn begin(world: &World, channel: &Channel, name: Option<&'static str>, minutes: u64) -> ContextId {
    let (channel, at) = (channel.clone(), NOW.after(Duration::from_secs(60 * minutes)));
    world
        .db
        .write(move |tx| Box::pin(async move { contexts::begin(tx, &channel, name, at).await }))
        .await
        .expect("a conversation")
}

async fn say(world: &World, channel: &Channel, context: ContextId, text: &str) {
    let message = NewInbound {
        id: MessageId::new(),
        channel_id: channel.id,
        context_id: Some(context),
        content: text.to_owned(),
        ..world.message(text, MessageStatus::Received)
    };
    assert!(world.store(message).await);
}

async fn reload(world: &World, channel: &Channel) -> Channel {
    channels::get(&mut world.db.read().await.expect("reads"), channel.id)
        .await
        .expect("reads")
        .expect("the channel")
}

async fn elsewhere(world: &World, here: &Channel, only: Option<ContextId>) -> Vec<Elsewhere> {
    let here = reload(world, here).await;
    let mut conn = world.db.read().await.expect("reads");
    context_lists::elsewhere(&mut conn, world.user.id, &here, only, 10)
        .await
        .expect("lists")
}

fn ids(known: &[Elsewhere]) -> Vec<ContextId> {
    known.iter().map(|known| known.context.id).collect()
}

pub async fn conversations_of_other_private_chats_are_found_with_where_and_what_was_said_last(world: World) {
    let discord = chat(&world, Platform::new("discord"), "2").await;
    let terminal = chat(&world, Platform::TERMINAL, "local").await;
    let rome = begin(&world, &discord, Some("Rome"), 1).await;
    say(&world, &discord, rome, "first").await;
    say(&world, &discord, rome, "last").await;
    let shell = begin(&world, &terminal, Some("Shell"), 2).await;
    // Without a name or a word there is nothing to choose.
    begin(&world, &discord, None, 3).await;
    let found = elsewhere(&world, &world.channel, None).await;
    let told: Vec<_> = found
        .iter()
        .map(|known| (known.context.id, &*known.platform, known.last_said.as_deref()))
        .collect();
    assert_eq!(told, [(shell, "terminal", None), (rome, "discord", Some("last"))]);
    assert_eq!(ids(&elsewhere(&world, &world.channel, Some(rome)).await), [rome]);
    assert_eq!(ids(&elsewhere(&world, &terminal, None).await), [rome]);
}

pub async fn a_conversation_that_went_on_elsewhere_is_found_where_it_began(world: World) {
    let discord = chat(&world, Platform::new("discord"), "2").await;
    say(&world, &world.channel, world.context, "here").await;
    assert_eq!(elsewhere(&world, &world.channel, None).await, []);
    say(&world, &discord, world.context, "there").await;
    let (there, context) = (discord.id, world.context);
    let went_on = world
        .db
        .write(move |tx| Box::pin(async move { channels::set_active_context(tx, there, Some(context)).await }));
    went_on.await.expect("goes on");
    // The active one is no choice.
    assert_eq!(elsewhere(&world, &world.channel, None).await, []);
    begin(&world, &world.channel, Some("Next"), 1).await;
    let found = elsewhere(&world, &world.channel, None).await;
    assert_eq!((ids(&found), &*found[0].platform), (vec![world.context], "discord"));
}

pub async fn nothing_of_others_or_of_shared_channels_is_found(world: World) {
    let (others, group) = world
        .db
        .write(|tx| {
            Box::pin(async move {
                let eve =
                    users::find_or_create(tx, Platform::new("discord"), &speaker("9"), UserRole::Member, NOW).await?;
                let at_eves = Place {
                    platform: Platform::new("discord"),
                    ..place("9")
                };
                let others = channels::find_or_create(tx, &at_eves, Some((eve.id, "9")), NOW).await?;
                let shared = Place {
                    kind: PlaceKind::Group,
                    space: Some(Space {
                        external_id: "-1".to_owned(),
                        name: None,
                    }),
                    ..place("-1")
                };
                let group = channels::find_or_create(tx, &shared, None, NOW).await?;
                Ok((others, group))
            })
        })
        .await
        .expect("others");
    let theirs = begin(&world, &others, Some("Secret"), 1).await;
    let shared = begin(&world, &group, Some("Team"), 1).await;
    say(&world, &group, shared, "to all").await;
    for only in [None, Some(theirs), Some(shared)] {
        assert_eq!(elsewhere(&world, &world.channel, only).await, [], "{only:?}");
    }
}

pub async fn a_conversation_may_go_on_where_it_began_and_in_private_wherever_its_person_is(world: World) {
    let discord = chat(&world, Platform::new("discord"), "2").await;
    let own = contexts::get(&mut world.db.read().await.expect("reads"), world.context)
        .await
        .expect("reads")
        .expect("the conversation");
    let group = Channel {
        kind: clifford_core::places::ChannelKind::Group,
        ..discord.clone()
    };
    let nobodys = Channel {
        user_id: None,
        ..discord.clone()
    };
    let eves = Channel {
        user_id: Some(clifford_core::id::UserId::new()),
        ..discord.clone()
    };
    let shared = contexts::Context {
        user_id: None,
        ..own.clone()
    };
    for (context, channel, expected) in [
        (&own, &world.channel, true),
        (&own, &discord, true),
        (&own, &group, false),
        (&own, &nobodys, false),
        (&own, &eves, false),
        (&shared, &world.channel, true),
        (&shared, &discord, false),
        (&shared, &nobodys, false),
    ] {
        assert_eq!(context.may_go_on_in(channel), expected, "{context:?} {channel:?}");
    }
}

pub async fn a_chat_lists_its_own_conversations_and_the_active_one_wherever_it_began(world: World) {
    let discord = chat(&world, Platform::new("discord"), "2").await;
    let own = begin(&world, &discord, Some("Own"), 1).await;
    begin(&world, &world.channel, Some("Not here"), 3).await;
    let (id, context, user) = (discord.id, world.context, world.user.id);
    let (here, sharing) = world
        .db
        .write(move |tx| {
            Box::pin(async move {
                channels::set_active_context(tx, id, Some(context)).await?;
                let discord = channels::get(tx, id).await?.expect("the chat");
                let here = context_lists::here(tx, &discord, 10).await?;
                Ok((here, context_lists::sharing(tx, user, context, discord.id).await?))
            })
        })
        .await
        .expect("lists");
    assert_eq!(here.iter().map(|known| known.id).collect::<Vec<_>>(), [own, context]);
    assert_eq!(sharing, []);
    let first = world.channel.id;
    let sharing = world
        .db
        .write(move |tx| {
            Box::pin(async move {
                channels::set_active_context(tx, first, Some(context)).await?;
                context_lists::sharing(tx, user, context, id).await
            })
        })
        .await
        .expect("lists");
    assert_eq!(sharing.iter().map(|known| known.id).collect::<Vec<_>>(), [first]);
}

pub async fn what_a_run_and_its_subagents_ask_is_shown_with_what_it_said(world: World) {
    let asks = |run: &Run, context: Option<ContextId>, text: &str| NewOutbound {
        id: MessageId::new(),
        channel_id: world.channel.id,
        context_id: context,
        user_id: Some(world.user.id),
        run_id: Some(run.id),
        content: text.to_owned(),
        attachments: None,
        metadata: None,
        edits: None,
        address: Address {
            place: "1".to_owned(),
            private: true,
            reply_to: None,
            via: None,
        },
        parts: vec![],
        lease: None,
        marks_first: false,
    };
    let run = world.insert(world.run()).await.expect("a run");
    let child = world.insert(world.child_of(&run)).await.expect("a subagent");
    let other = world.insert(world.loose_run()).await.expect("a run");
    for message in [
        asks(&run, Some(world.context), "I am at it"),
        asks(&child, None, "May I do this?"),
        asks(&run, None, "And this one?"),
        asks(&other, None, "Somebody else's"),
    ] {
        let stored = world
            .db
            .write(move |tx| Box::pin(async move { messages::insert_outbound(tx, &message, NOW).await }));
        stored.await.expect("stored");
    }
    let contents = |found: Vec<Message>| found.into_iter().map(|message| message.content).collect::<Vec<_>>();
    let mut conn = world.db.read().await.expect("reads");
    let shown = messages::messages_of_run(&mut conn, run.id).await.expect("reads");
    assert_eq!(contents(shown), ["I am at it", "May I do this?", "And this one?"]);
    let page = async |conn: &mut Conn, channel, limit: u32| {
        let found = messages::page(conn, channel, Some(world.context), None, limit).await;
        contents(found.expect("reads"))
    };
    let newest = ["And this one?", "May I do this?", "I am at it"];
    assert_eq!(page(&mut conn, None, 9).await, newest);
    assert_eq!(page(&mut conn, None, 2).await, newest[..2]);
    assert_eq!(page(&mut conn, Some(world.channel.id), 9).await, newest);
    let theirs = messages::private_page(&mut conn, world.user.id, None, 9).await;
    assert_eq!(theirs.expect("reads").len(), 4);
    let nobodys = messages::private_page(&mut conn, UserId::new(), None, 9).await;
    assert_eq!(nobodys.expect("reads"), []);
}
