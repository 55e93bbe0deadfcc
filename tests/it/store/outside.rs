//! The words of others that a prompt shows: what this turn does not show any more cannot have led to anything in it.

use clifford_chat::platform::Platform;
use clifford_content::memory::recall::{self, Amounts};
use clifford_core::{
    clock::Timestamp,
    id::{MessageId, RunId},
    memory::rows::{Change, Item},
    messages::{Direction, MessageStatus},
    people::UserRole,
    policy::labels::Readers,
    settings::{Ingress, Memory},
};
use clifford_store::{
    memory::{
        items,
        prompt_context::{self, Outside, PromptContext, PromptParts},
        write::{self as memory_write, Words},
    },
    messages::{Foreign, conversation},
    places::{channels, place_settings::PlaceSettings},
    runs::approvals,
};

use super::{
    people::{execute, meet},
    world::{NOW, World, item},
};

impl World {
    /// The parts of the next prompt here, with so many turns.
    async fn parts(&self, turns: u32) -> PromptParts {
        let channel = channels::get(&mut self.db.read().await.unwrap(), self.channel.id).await;
        let channel = channel.unwrap().unwrap();
        recall::wanted_soon(self.user.id, &channel, self.agent, Amounts { turns, each: 2 })
    }

    async fn found(&self, turns: u32) -> PromptContext {
        let parts = self.parts(turns).await;
        prompt_context::find(&mut self.db.read().await.unwrap(), parts)
            .await
            .unwrap()
    }

    /// The sources outside of the next prompt here.
    async fn origins(&self, turns: u32) -> Vec<String> {
        let found = self.found(turns).await;
        let defaults = PlaceSettings::configured(&Ingress::default(), &Memory::default());
        let recalled = recall::recall(found, "hello", defaults, 1000);
        let run = self.insert(self.loose_run()).await.unwrap();
        recall::origins(&run, &recalled).into_iter().collect()
    }

    /// A run here, and its answer; it has read words from outside.
    async fn reads(&self) -> RunId {
        let run = self.insert(self.run()).await.unwrap().id;
        self.db
            .write(move |tx| Box::pin(approvals::taint(tx, run)))
            .await
            .unwrap();
        self.answers_of(Some(run)).await;
        run
    }

    async fn answers_of(&self, run: Option<RunId>) -> MessageId {
        let id = MessageId::new();
        let run = run.map_or_else(|| "NULL".to_owned(), |run| format!("'{run}'"));
        let sql = format!(
            "INSERT INTO messages (id, direction, channel_id, context_id, user_id, run_id, content, status, attempts,
                 sent_at, created_at)
             VALUES ('{id}', 'outbound', '{}', '{}', '{}', {run}, 'an answer', 'delivered', 0, 1, 1)",
            self.channel.id, self.context, self.user.id
        );
        execute(&self.db, sql).await;
        id
    }

    async fn said_here(&self, ids: &[&str]) {
        for id in ids {
            assert!(self.store(self.message(id, MessageStatus::Received)).await);
        }
    }

    async fn remembers(&self, key: &str, words: Words) -> Item {
        let item = item("preferences", key, key, 1);
        self.writes(words, Change::Add(item.clone())).await;
        item
    }

    async fn writes(&self, words: Words, change: Change) {
        let (user, context) = (self.user.id, self.context);
        self.db
            .write(move |tx| {
                Box::pin(async move { memory_write::change(tx, user, Some(context), None, words, &[change]).await })
            })
            .await
            .unwrap();
    }

    /// The keys of the items that others may have had a part in.
    async fn foreign_items(&self) -> Vec<String> {
        let found = self.found(1).await.items;
        let any = items::has_tainted(&mut self.db.read().await.unwrap(), self.user.id).await;
        let mut foreign: Vec<_> = (found.into_iter())
            .filter(items::Remembered::is_tainted)
            .map(|known| known.item.key)
            .collect();
        foreign.sort();
        assert_eq!(any.unwrap(), !foreign.is_empty());
        foreign
    }
}

const READ: &str = "what was read before in this conversation";

pub async fn only_what_a_prompt_shows_of_a_conversation_holds_words_from_outside(world: World) {
    world.said_here(&["1"]).await;
    assert_eq!(world.origins(3).await, [""; 0]);
    world.reads().await;
    assert_eq!(world.origins(3).await, [READ]);
    world.said_here(&["2", "3"]).await;
    assert_eq!(world.origins(3).await, [READ]);
    // From the next message on it is shown no more.
    world.said_here(&["4"]).await;
    assert_eq!(world.origins(3).await, [""; 0]);
    assert_eq!(world.origins(4).await, [READ]);
    // Where nobody knows which run said it, the conversation tells.
    world.answers_of(None).await;
    assert_eq!(world.origins(1).await, [READ]);
    world.said_here(&["5"]).await;
    assert_eq!(world.origins(1).await, [""; 0]);
    // Where others read along, what they wrote is theirs, as long as it is shown.
    execute(
        &world.db,
        format!(
            "UPDATE channels SET kind = 'group', user_id = NULL WHERE id = '{}'",
            world.channel.id
        ),
    )
    .await;
    let mut other = world.message("6", MessageStatus::Received);
    other.user_id = meet(&world, Platform::new("discord"), "2", UserRole::Member)
        .await
        .user
        .id;
    assert!(world.store(other).await);
    let foreign = async |turns| {
        let turns = world.found(turns).await.conversation.turns;
        turns.into_iter().map(|turn| turn.foreign).collect::<Vec<_>>()
    };
    assert_eq!(foreign(2).await, [Foreign::None, Foreign::Others]);
    assert_eq!(world.origins(2).await, ["what others wrote here"]);
    world.said_here(&["7", "8"]).await;
    assert_eq!(world.origins(2).await, [""; 0]);
}

pub async fn a_summary_carries_what_the_runs_it_tells_had_read(world: World) {
    let outside = async || world.found(10).await.outside;
    let told = |through: &str, of: &str| {
        format!(
            "UPDATE contexts SET summary = 's', summary_of = '[\"{of}\"]', compacted_through = '{through}' WHERE id = '{}'",
            world.context
        )
    };
    let ada = world.user.id.to_string();
    let before = MessageId::new().to_string();
    world.reads().await;
    execute(&world.db, told(&before, &ada)).await;
    assert_eq!(outside().await, Outside::default());
    let after = MessageId::new().to_string();
    world.said_here(&["1"]).await;
    execute(&world.db, told(&after, &ada)).await;
    let answers = Outside {
        answers: true,
        others: false,
    };
    assert_eq!(outside().await, answers);
    assert_eq!(
        world.origins(10).await,
        ["a summary of what was read in this conversation"]
    );
    // Of answers that hand nothing on it carries nothing.
    let hands_on = async |metadata: &str| {
        let sql = format!("UPDATE messages SET metadata = {metadata} WHERE direction = 'outbound'");
        execute(&world.db, sql).await;
        let mut conn = world.db.read().await.unwrap();
        let (nobody, all) = (RunId::new(), MessageId(uuid::Uuid::nil()));
        let said = conversation::since(&mut conn, world.context, nobody, all, 10)
            .await
            .unwrap();
        let answer = said
            .into_iter()
            .find(|said| said.direction == Direction::Outbound)
            .unwrap();
        (answer.is_tainted, answer.readers)
    };
    assert_eq!(hands_on(r#"'{"foreign":false}'"#).await, (false, None));
    assert_eq!(outside().await, Outside::default());
    let closed = r#"'{"readers":"nobody"}'"#;
    assert_eq!(hands_on(closed).await, (true, Some(Readers::Nobody)));
    assert_eq!(outside().await, answers);
    // A run of which nothing later is left may stand in it, whatever the clock said.
    execute(
        &world.db,
        "DELETE FROM messages WHERE direction = 'outbound'".to_owned(),
    )
    .await;
    execute(&world.db, told(&before, "somebody else")).await;
    let both = Outside {
        others: true,
        ..answers
    };
    assert_eq!(outside().await, both);
    // Without a summary nothing of it is shown.
    execute(&world.db, "UPDATE contexts SET summary = NULL".to_owned()).await;
    assert_eq!(outside().await, Outside::default());
}

pub async fn an_item_is_foreign_if_others_had_a_part_in_its_words(world: World) {
    world.remembers("own", Words::Own).await;
    let read = world.remembers("read", Words::Others).await;
    assert_eq!(world.foreign_items().await, ["read"]);
    world.reads().await;
    assert_eq!(world.foreign_items().await, ["read"]);
    // One that an older version wrote is known by its conversation: by the runs that had begun when it was seen last.
    execute(
        &world.db,
        "UPDATE memory_items SET own_at = NULL WHERE key = 'own'".to_owned(),
    )
    .await;
    assert_eq!(world.foreign_items().await, ["own", "read"]);
    execute(
        &world.db,
        "UPDATE memory_items SET last_seen_at = 1 WHERE key = 'own'".to_owned(),
    )
    .await;
    assert_eq!(world.foreign_items().await, ["read"]);
    // An older version that changes one makes it unknown again.
    let later = "UPDATE memory_items SET own_at = 1, last_seen_at = 2 WHERE key = 'own'";
    execute(&world.db, later.to_owned()).await;
    assert_eq!(world.foreign_items().await, ["read"]);
    let now = format!("UPDATE memory_items SET last_seen_at = {} WHERE key = 'own'", NOW.0);
    execute(&world.db, now).await;
    assert_eq!(world.foreign_items().await, ["own", "read"]);
    // Words of the person's alone take the place of what was there; what is only seen again stays as it was.
    let own = world.found(1).await;
    assert_eq!(own.items.len(), 2);
    let seen = |value: &str| Item {
        value: value.to_owned(),
        last_seen_at: Timestamp(NOW.0 + 1),
        ..read.clone()
    };
    world.writes(Words::Others, Change::Update(seen("read"))).await;
    assert_eq!(world.foreign_items().await, ["own", "read"]);
    world.writes(Words::Own, Change::Update(seen("mine"))).await;
    assert_eq!(world.foreign_items().await, ["own"]);
    world.writes(Words::Others, Change::Update(seen("mine"))).await;
    assert_eq!(world.foreign_items().await, ["own"]);
    world.writes(Words::Others, Change::Update(seen("theirs"))).await;
    assert_eq!(world.foreign_items().await, ["own", "read"]);
    execute(&world.db, "UPDATE memory_items SET pinned = TRUE".to_owned()).await;
    assert_eq!(world.foreign_items().await, [""; 0]);
}

pub async fn another_place_is_foreign_only_where_it_is_shown(world: World) {
    world.reads().await;
    let elsewhere = meet(&world, Platform::new("discord"), "9", UserRole::Member).await;
    execute(
        &world.db,
        format!(
            "UPDATE channels SET user_id = '{}' WHERE id = '{}'",
            world.user.id, elsewhere.channel.id
        ),
    )
    .await;
    let foreign = async || {
        let parts = recall::wanted_soon(
            world.user.id,
            &clifford_core::places::Channel {
                user_id: Some(world.user.id),
                ..elsewhere.channel.clone()
            },
            world.agent,
            Amounts { turns: 5, each: 2 },
        );
        let found = prompt_context::find(&mut world.db.read().await.unwrap(), parts)
            .await
            .unwrap();
        let turns = found.elsewhere.into_iter().flat_map(|place| place.turns);
        turns.map(|turn| turn.foreign).collect::<Vec<_>>()
    };
    assert_eq!(foreign().await, [Foreign::Answer]);
    world.said_here(&["1", "2"]).await;
    assert_eq!(foreign().await, [Foreign::None, Foreign::None]);
}
