//! Exports made up by a number: people with several accounts, private and shared places, odd texts, and references between
//! all of them.

mod draw;
mod work;

use bytes::Bytes;
use clifford_core::{
    id::{ChannelId, ContextId, DocumentId, FileId, MemoryItemId, MessageId, RunId, SpaceId, TriggerId, UserId},
    json_text::JsonText,
    messages::{Direction, MessageStatus},
    places::{ChannelKind, Mode},
    runs::{RunKind, RunStatus},
};
use clifford_store::portable::{
    Channel, Context, Document, File, MemoryItem, Message, Person, PersonAccount, Record, Reminder, Run, Setting, Space,
};
use serde_json::json;
use sha2::{Digest as _, Sha256};

pub use draw::Draw;
use draw::TEXTS;

/// Some of everything.
pub fn records(seed: u64) -> (Vec<Record>, Vec<(FileId, Bytes)>) {
    let mut draw = Draw::new(seed);
    let mut records = Vec::new();
    let agents: Vec<_> = (0..=draw.below(2))
        .map(|number| work::agent(&mut draw, number))
        .collect();
    let people: Vec<_> = (0..=draw.below(3)).map(|number| person(&mut draw, number)).collect();
    let spaces: Vec<_> = (0..draw.below(3)).map(|number| space(&mut draw, number)).collect();
    let mut channels: Vec<Channel> = people.iter().filter_map(|person| private(&mut draw, person)).collect();
    for space in &spaces {
        for number in 0..draw.below(3) {
            channels.push(shared(&mut draw, space, number));
        }
    }
    let parents: Vec<_> = channels
        .iter()
        .filter(|channel| channel.space_id.is_some())
        .cloned()
        .collect();
    for parent in &parents {
        if draw.maybe() {
            channels.push(thread(&mut draw, parent));
        }
    }
    for channel in &mut channels {
        channel.agent_id = draw.maybe().then(|| draw.pick(&agents).id);
    }
    let mut contexts = Vec::new();
    for channel in &mut channels {
        for _ in 0..draw.below(3) {
            let before = contexts.last().filter(|last: &&Context| last.channel_id == channel.id);
            let continued_from = before.map(|before| before.id);
            contexts.push(Context {
                continued_from,
                ..context(&mut draw, channel)
            });
        }
        let own: Vec<_> = contexts
            .iter()
            .filter(|context| context.channel_id == channel.id)
            .collect();
        channel.active_context_id = own.last().map(|context| context.id);
    }
    let mut runs = Vec::new();
    for context in &contexts {
        for _ in 0..draw.below(3) {
            let parent = runs
                .last()
                .filter(|last: &&Run| last.context_id == Some(context.id))
                .cloned();
            runs.push(Run {
                agent_id: Some(draw.pick(&agents).id),
                ..run(&mut draw, context, &people, parent.as_ref())
            });
        }
    }
    let mut messages = Vec::new();
    for context in &contexts {
        for _ in 0..draw.below(6) {
            messages.push(message(&mut draw, context, &people, &runs));
        }
    }
    let mut contents = Vec::new();
    let mut files = Vec::new();
    for channel in &channels {
        let of = messages.iter().find(|message| message.channel_id == channel.id);
        files.push(file(&mut draw, channel, &people, of, &mut contents));
    }
    let mut items = Vec::new();
    for (number, person) in people.iter().enumerate() {
        let context = contexts.iter().find(|context| context.user_id == Some(person.id));
        items.push(item(&mut draw, person, context, spaces.get(number)));
    }
    for person in &people {
        records.push(Record::Person(person.clone().into()));
    }
    records.extend(agents.iter().map(|agent| Record::Agent(agent.clone().into())));
    records.extend(spaces.iter().map(|space| Record::Space(space.clone().into())));
    records.extend(channels.iter().map(|channel| Record::Channel(channel.clone().into())));
    records.extend(contexts.iter().map(|context| Record::Context(context.clone().into())));
    records.extend(runs.iter().map(|run| Record::Run(run.clone().into())));
    for run in &runs {
        records.extend(
            work::steps(&mut draw, run)
                .into_iter()
                .map(|step| Record::Step(step.into())),
        );
    }
    let sent: Vec<_> = (messages
        .iter()
        .filter(|message| message.direction == Direction::Outbound))
    .flat_map(|message| work::parts(&mut draw, message))
    .collect();
    records.extend(messages.into_iter().map(|message| Record::Message(message.into())));
    records.extend(sent.into_iter().map(|part| Record::Part(part.into())));
    for context in &contexts {
        let own: Vec<_> = runs.iter().filter(|run| run.context_id == Some(context.id)).collect();
        let payer = draw.pick(&people).clone();
        records.push(Record::Usage(
            work::usage(&mut draw, context, &payer, own.first().copied()).into(),
        ));
        if let Some(run) = own.last() {
            records.push(Record::Feedback(work::feedback(&mut draw, run, &payer).into()));
        }
    }
    records.extend(items.into_iter().map(|item| Record::MemoryItem(item.into())));
    for (number, scope) in people
        .iter()
        .map(|person| person.id.0)
        .chain(spaces.iter().map(|space| space.id.0))
        .chain(agents.iter().map(|agent| agent.id.0))
        .enumerate()
    {
        records.push(Record::Setting(Setting {
            scope: scope.to_string(),
            name: format!("persona_{number}"),
            value: draw.text(),
            updated_at: draw.time(),
        }));
    }
    let scopes = [clifford_store::places::settings::BOT.to_owned()];
    for scope in scopes
        .into_iter()
        .chain(channels.iter().map(|channel| channel.id.to_string()))
    {
        records.push(Record::SettingChange(work::change(&mut draw, scope, &people[0]).into()));
    }
    for person in &people {
        let rule = work::rule(&mut draw, person, spaces.first(), contexts.first());
        records.push(Record::Rule(rule.into()));
    }
    for channel in &channels {
        let context = contexts.iter().find(|context| context.channel_id == channel.id);
        let reminder = Reminder {
            name: draw.maybe().then(|| format!("of {}", channel.id)),
            agent_id: draw.maybe().then(|| draw.pick(&agents).id),
            context_id: context.filter(|_| draw.maybe()).map(|context| context.id),
            ..reminder(&mut draw, channel, &people)
        };
        records.push(Record::Reminder(reminder.into()));
    }
    for person in &people {
        let of = files.iter().find(|file| file.user_id == Some(person.id));
        let document = Document {
            file_id: of.map(|file| file.id),
            ..document(&mut draw, person)
        };
        records.push(Record::Document(document.into()));
    }
    records.extend(files.into_iter().map(|file| Record::File(file.into())));
    (records, contents)
}

/// One person, and so many messages in one private place.
pub fn many(seed: u64, messages: u64) -> (Vec<Record>, Vec<(FileId, Bytes)>) {
    let mut draw = Draw::new(seed);
    let person = person(&mut draw, 0);
    let mut channel = private(&mut draw, &person);
    while channel.is_none() {
        channel = private(&mut draw, &person);
    }
    let mut channel = channel.expect("a channel");
    let context = context(&mut draw, &channel);
    channel.active_context_id = Some(context.id);
    let people = [person];
    let mut records = vec![
        Record::Person(people[0].clone().into()),
        Record::Channel(channel.into()),
        Record::Context(context.clone().into()),
    ];
    for _ in 0..messages {
        records.push(Record::Message(message(&mut draw, &context, &people, &[]).into()));
    }
    (records, Vec::new())
}

pub fn person(draw: &mut Draw, number: u64) -> Person {
    let mut accounts = vec![account(draw, "telegram", format!("10{number}"))];
    if draw.maybe() {
        accounts.insert(0, account(draw, "discord", format!("20{number}")));
    }
    Person {
        id: UserId(draw.id()),
        name: format!("Person {number} {}", draw.pick(&TEXTS)),
        is_allowed: draw.maybe(),
        language: draw.maybe().then(|| "en".to_owned()),
        language_set: draw.maybe(),
        time_zone: draw.maybe().then(|| "Europe/Vienna".to_owned()),
        created_at: draw.time(),
        accounts,
    }
}

fn account(draw: &mut Draw, platform: &str, account: String) -> PersonAccount {
    PersonAccount {
        platform: platform.to_owned(),
        account,
        name: draw.pick(&TEXTS).to_string(),
        handle: draw.maybe().then(|| "handle".to_owned()),
        created_at: draw.time(),
    }
}

pub fn space(draw: &mut Draw, number: u64) -> Space {
    Space {
        id: SpaceId(draw.id()),
        platform: "telegram".to_owned(),
        external_id: format!("-30{number}"),
        name: draw.maybe().then(|| "A group".to_owned()),
        left_at: draw.maybe().then(|| draw.time()),
        greeted_at: draw.maybe().then(|| draw.time()),
        created_at: draw.time(),
    }
}

/// Nothing: this person never wrote in private.
pub fn private(draw: &mut Draw, person: &Person) -> Option<Channel> {
    let account = person
        .accounts
        .iter()
        .find(|account| account.platform == "telegram")?
        .account
        .clone();
    draw.maybe().then(|| Channel {
        id: ChannelId(draw.id()),
        platform: "telegram".to_owned(),
        external_id: account.clone(),
        kind: ChannelKind::Private,
        name: Some(person.name.clone()),
        space_id: None,
        user_id: Some(person.id),
        account: Some(account),
        enabled: draw.maybe(),
        disabled_reason: None,
        mode: *draw.pick(Mode::ALL),
        agent_id: None,
        parent_id: None,
        followed_at: None,
        active_context_id: None,
        last_message_at: draw.maybe().then(|| draw.time()),
        created_at: draw.time(),
    })
}

pub fn shared(draw: &mut Draw, space: &Space, number: u64) -> Channel {
    Channel {
        id: ChannelId(draw.id()),
        platform: space.platform.clone(),
        external_id: format!("{}/{number}", space.external_id),
        kind: if draw.maybe() {
            ChannelKind::Group
        } else {
            ChannelKind::Thread
        },
        name: draw.maybe().then(|| draw.text()).filter(|name| name.len() < 4_000),
        space_id: Some(space.id),
        user_id: None,
        account: None,
        enabled: true,
        disabled_reason: draw.maybe().then(|| "turned off".to_owned()),
        mode: Mode::Run,
        agent_id: None,
        parent_id: None,
        followed_at: draw.maybe().then(|| draw.time()),
        active_context_id: None,
        last_message_at: None,
        created_at: draw.time(),
    }
}

fn thread(draw: &mut Draw, parent: &Channel) -> Channel {
    let id = ChannelId(draw.id());
    Channel {
        id,
        external_id: format!("{}:{id}", parent.external_id),
        kind: ChannelKind::Thread,
        parent_id: Some(parent.id),
        ..parent.clone()
    }
}

pub fn context(draw: &mut Draw, channel: &Channel) -> Context {
    Context {
        id: ContextId(draw.id()),
        channel_id: channel.id,
        user_id: channel.user_id,
        space_id: channel.space_id,
        name: draw.maybe().then(|| "A conversation".to_owned()),
        summary: draw.maybe().then(|| draw.text()),
        summary_of: channel
            .user_id
            .filter(|_| draw.maybe())
            .map(|user| JsonText(vec![user])),
        compacted_through: None,
        remembered_through: draw.maybe().then(|| MessageId(draw.id())),
        continued_from: None,
        model: draw.maybe().then(|| "a-model".to_owned()),
        turn_count: i64::try_from(draw.below(60)).expect("small"),
        last_user_interaction_at: draw.time(),
        closed_at: draw.maybe().then(|| draw.time()),
        created_at: draw.time(),
    }
}

fn run(draw: &mut Draw, context: &Context, people: &[Person], parent: Option<&Run>) -> Run {
    let id = RunId(draw.id());
    Run {
        id,
        kind: if parent.is_some() {
            RunKind::Subagent
        } else {
            RunKind::Coordinator
        },
        mode: Mode::Run,
        level: i64::from(parent.is_some()),
        profile: parent.map(|_| "researcher".to_owned()),
        channel_id: Some(context.channel_id),
        user_id: context.user_id.or_else(|| Some(draw.pick(people).id)),
        context_id: Some(context.id),
        parent_run_id: parent.map(|parent| parent.id),
        root_run_id: parent.map_or(id, |parent| parent.root_run_id),
        agent_id: None,
        input_text: draw.text(),
        input_json: parent.map(|_| JsonText(json!({"task": draw.text()}))),
        allowed_tools: draw.maybe().then(|| JsonText(vec!["memory".to_owned()])),
        output_text: draw.maybe().then(|| draw.text()),
        status: *draw.pick(&[RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled]),
        error: draw.maybe().then(|| "it failed".to_owned()),
        llm_calls: 2,
        prompt_tokens: 1_000,
        completion_tokens: 10,
        cached_tokens: 5,
        cost: 0.25,
        worked_ms: 1_234,
        created_at: draw.time(),
        ended_at: draw.maybe().then(|| draw.time()),
    }
}

pub fn message(draw: &mut Draw, context: &Context, people: &[Person], runs: &[Run]) -> Message {
    let is_inbound = draw.maybe();
    let own: Vec<_> = runs.iter().filter(|run| run.context_id == Some(context.id)).collect();
    let run = (!own.is_empty() && draw.maybe()).then(|| draw.pick(&own).id);
    let id = draw.id();
    Message {
        id: MessageId(id),
        direction: if is_inbound {
            Direction::Inbound
        } else {
            Direction::Outbound
        },
        channel_id: context.channel_id,
        context_id: (draw.below(9) > 0).then_some(context.id),
        user_id: context.user_id.or_else(|| Some(draw.pick(people).id)),
        run_id: run,
        content: draw.text(),
        quote: draw
            .maybe()
            .then(|| JsonText(json!({"by": "speaker", "text": draw.text(), "media": []}))),
        quoted_user_id: context.user_id.filter(|_| draw.maybe()),
        attachments: draw
            .maybe()
            .then(|| JsonText(json!([{"kind": "photo", "id": "x", "name": null}]))),
        platform_message_id: draw.maybe().then(|| id.to_string()),
        status: match is_inbound {
            true => *draw.pick(&[MessageStatus::Received, MessageStatus::History]),
            false => *draw.pick(&[MessageStatus::Delivered, MessageStatus::Failed]),
        },
        error: None,
        sent_at: draw.time(),
        edited_at: draw.maybe().then(|| draw.time()),
        deleted_at: (draw.below(9) == 0).then(|| draw.time()),
        created_at: draw.time(),
    }
}

fn item(draw: &mut Draw, person: &Person, context: Option<&Context>, space: Option<&Space>) -> MemoryItem {
    MemoryItem {
        id: MemoryItemId(draw.id()),
        user_id: person.id,
        level: 4,
        module: "projects".to_owned(),
        key: "garden".to_owned(),
        value: format!("grows {}", draw.pick(&TEXTS)),
        confidence: 0.5,
        context_id: context.map(|context| context.id),
        origin_space: space.map(|space| space.id),
        shareable: draw.maybe(),
        pinned: draw.maybe(),
        archived: draw.maybe(),
        created_at: draw.time(),
        last_seen_at: draw.time(),
    }
}

fn reminder(draw: &mut Draw, channel: &Channel, people: &[Person]) -> Reminder {
    Reminder {
        id: TriggerId(draw.id()),
        kind: draw.pick(&["reminder", "run"]).to_string(),
        name: None,
        agent_id: None,
        context_id: None,
        created_by: draw.maybe().then(|| "a person".to_owned()),
        channel_id: Some(channel.id),
        user_id: channel.user_id.or_else(|| Some(draw.pick(people).id)),
        content: draw.text(),
        cron: draw.maybe().then(|| "0 9 * * *".to_owned()),
        time_zone: "Europe/Vienna".to_owned(),
        catch_up: "once".to_owned(),
        enabled: draw.maybe(),
        next_at: draw.maybe().then(|| draw.time()),
        created_at: draw.time(),
        updated_at: draw.time(),
        last_fired_at: None,
    }
}

fn document(draw: &mut Draw, person: &Person) -> Document {
    Document {
        id: DocumentId(draw.id()),
        user_id: Some(person.id),
        channel_id: None,
        made_by: Some(person.id),
        file_id: None,
        title: "Notes".to_owned(),
        created_at: draw.time(),
        pieces: (0..draw.below(4)).map(|_| format!("a piece {}", draw.text())).collect(),
    }
}

fn file(
    draw: &mut Draw,
    channel: &Channel,
    people: &[Person],
    message: Option<&Message>,
    contents: &mut Vec<(FileId, Bytes)>,
) -> File {
    let id = FileId(draw.id());
    let content = draw.maybe().then(|| Bytes::from(draw.text().into_bytes()));
    let file = File {
        id,
        user_id: channel.user_id.or_else(|| Some(draw.pick(people).id)),
        channel_id: Some(channel.id),
        space_id: channel.space_id,
        message_id: message.map(|message| message.id),
        name: "photo.jpg".to_owned(),
        media_type: Some("image/jpeg".to_owned()),
        size: content.as_ref().map(|bytes| i64::try_from(bytes.len()).expect("small")),
        sha256: content
            .as_ref()
            .map(|bytes| clifford_vault::hex(&Sha256::digest(bytes))),
        came_as: draw.maybe().then(|| "photo".to_owned()),
        seconds: draw.maybe().then_some(3),
        of_others: draw.maybe(),
        created_at: draw.time(),
    };
    contents.extend(content.map(|bytes| (id, bytes)));
    file
}
