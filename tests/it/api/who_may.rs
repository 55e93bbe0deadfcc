//! Access to each route, by whose data it is about: every route of the description, by every kind of token.
//!
//! This file is long because it holds every route.

mod told;

use std::{collections::BTreeSet, slice};

use bytes::Bytes;
use clifford_chat::{
    inbound::{Place, PlaceKind, Space, Speaker},
    platform::Platform,
};
use clifford_content::files::NewFile;
use clifford_core::{
    clock::Timestamp,
    id::{MemoryItemId, MessageId, TokenId, UserId},
    people::{User, UserRole},
    places::{Channel, Mode},
    schedule::trigger::{Trigger, TriggerKind},
};
use clifford_engine::work::Task;
use clifford_fakes::telegram::TelegramFake;
use clifford_store::{
    contexts,
    memory::admin::{self as memory_admin, Item},
    people::{tokens, users},
    places::{agents, channels},
    runs, triggers,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::Bot;
use crate::store::erasure::script;

/// An id that nothing has.
const NOBODY: &str = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
/// Mia's account on Telegram: she manages the group.
const MIA: i64 = 7;

/// The owner of the object of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Adas,
    Bobs,
    /// Bob's, in the group.
    BobsThere,
    Groups,
    /// Nobody's; of what always belongs to somebody: there is none.
    Nobodys,
}

/// The meaning of `{id}` and `{scope}` in a path, and of `@` in a query or a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// Nothing: the id is one that nothing has.
    Nothing,
    Person,
    Channel,
    Context,
    Run,
    Memory,
    Trigger,
    File,
    Space,
    Undelivered,
    /// The scope of a setting: `user:ID` or `channel:ID`.
    Scope,
}

use self::{
    About::{Nothing, Person},
    Whose::{Adas, Bobs, BobsThere, Groups, Nobodys},
};

/// For whose object what is answered: without a token, with a wrong one, Ada's to read, Ada's to write, Mia's, and the
/// operator's to read, to write and to do all. The tokens of a person who is an owner are answered as the operator's are.
/// `U`: 401, `F`: 403, `N`: 404 for the object, `+`: it is let in.
type Answers = &'static [(Whose, &'static str)];

/// A route of the description with a query, what it is about, a body, and what is answered.
struct Row(&'static str, &'static str, &'static str, About, Value, Answers);

/// Lists, and what is named by them.
const LIST: Answers = &[(Nobodys, "UU+F++F+")];
const OF_PERSON: Answers = &[(Adas, "UU+FN+F+"), (Bobs, "UUNFN+F+"), (Nobodys, "UUNFN+F+")];
const OF_PLACE: Answers = &[
    (Adas, "UU+FN+F+"),
    (Bobs, "UUNFN+F+"),
    (Groups, "UUNF++F+"),
    (Nobodys, "UUNFN+F+"),
];
/// Objects that may be nobody's.
const SEE: Answers = &[
    (Adas, "UU+FN+F+"),
    (Bobs, "UUNFN+F+"),
    (Groups, "UUNF++F+"),
    (Nobodys, "UUNFN+F+"),
];
const SEE_RUN: Answers = &[
    (Adas, "UU+FN+F+"),
    (Bobs, "UUNFN+F+"),
    (BobsThere, "UUNF++F+"),
    (Groups, "UUNF++F+"),
    (Nobodys, "UUNFN+F+"),
];
const CHANGE: Answers = &[
    (Adas, "UUF+NFF+"),
    (Bobs, "UUFNNFF+"),
    (Groups, "UUFN+F++"),
    (Nobodys, "UUFNNF++"),
];
const CHANGE_RUN: Answers = &[
    (Adas, "UUF+NFF+"),
    (Bobs, "UUFNNFF+"),
    (BobsThere, "UUFN+FF+"),
    (Groups, "UUFN+F++"),
    (Nobodys, "UUFNNF++"),
];
/// Objects that are always somebody's, or a place's.
const SEE_PLACE: Answers = &[
    (Adas, "UU+FN+F+"),
    (Bobs, "UUNFN+F+"),
    (Groups, "UUNF++F+"),
    (Nobodys, "UUNFNNFN"),
];
const CHANGE_PLACE: Answers = &[
    (Adas, "UUF+NFF+"),
    (Bobs, "UUFNNFF+"),
    (Groups, "UUFN+F++"),
    (Nobodys, "UUFNNFNN"),
];
const SEE_SPACE: Answers = &[(Groups, "UUNF++F+"), (Nobodys, "UUNFNNFN")];
const SEE_SPACE_LIST: Answers = &[(Groups, "UUNF++F+"), (Nobodys, "UUNFN+F+")];
const SEE_OWN: Answers = &[(Adas, "UU+FN+F+"), (Bobs, "UUNFN+F+"), (Nobodys, "UUNFNNFN")];
const CHANGE_OWN: Answers = &[(Adas, "UUF+NFF+"), (Bobs, "UUFNNFF+"), (Nobodys, "UUFNNFNN")];
/// By a field of the body that names a person.
const FOR_PERSON: Answers = &[(Adas, "UUF+NFF+"), (Bobs, "UUFNNFF+")];
const CONFIGURE: Answers = &[(Adas, "UUF+NFF+"), (Bobs, "UUNNNFF+"), (Nobodys, "UUNNNFFN")];
const CONFIGURE_SCOPE: Answers = &[(Adas, "UUF+NFF+"), (Bobs, "UUNNNFF+"), (Groups, "UUNN+FF+")];
const SEE_SCOPE: Answers = &[(Adas, "UU+FN+F+"), (Bobs, "UUNFN+F+"), (Groups, "UUNF++F+")];
const EXPORT: Answers = &[(Adas, "UU+FNFF+"), (Bobs, "UUNNNFF+"), (Nobodys, "UUNNNFFN")];
const OPEN: Answers = &[
    (Adas, "UU+FNNF+"),
    (Bobs, "UUNFNNF+"),
    (Groups, "UUNF+NF+"),
    (Nobodys, "UUNFNNF+"),
];
const USE: Answers = &[
    (Adas, "UUF+NFN+"),
    (Bobs, "UUFNNFN+"),
    (Groups, "UUFN+FN+"),
    (Nobodys, "UUFNNFN+"),
];
/// The bot's own.
const OWNER_SEES: Answers = &[(Nobodys, "UUFFF+F+")];
const OWNER_SEES_NONE: Answers = &[(Nobodys, "UUFFFNFN")];
const OWNER_CHANGES: Answers = &[(Nobodys, "UUFFFFF+")];
const OWNER_CHANGES_NONE: Answers = &[(Nobodys, "UUFFFFFN")];
/// Requests that any token with the scope may make for itself.
const READ: Answers = &[(Nobodys, "UU+F++F+")];
const WRITE: Answers = &[(Nobodys, "UUF++F++")];

fn rows() -> Vec<Row> {
    let none = || Value::Null;
    let some = || json!({});
    let at = "2199-01-01T00:00:00Z";
    vec![
        Row("get", "/healthz", "", Nothing, none(), &[(Nobodys, "++++++++")]),
        Row(
            "post",
            "/api/hooks/{name}",
            "",
            Nothing,
            some(),
            &[(Nobodys, "UUUUUUUU")],
        ),
        Row(
            "get",
            "/api/openapi.json",
            "",
            Nothing,
            none(),
            &[(Nobodys, "++++++++")],
        ),
        // On this machine it needs no token.
        Row("get", "/readyz", "", Nothing, none(), &[(Nobodys, "+UFFF+F+")]),
        Row("get", "/metrics", "", Nothing, none(), OWNER_SEES),
        Row("get", "/api/messages", "", Nothing, none(), LIST),
        Row("get", "/api/messages", "channelId=@", About::Channel, none(), OF_PLACE),
        Row("get", "/api/messages", "contextId=@", About::Context, none(), OF_PLACE),
        Row("post", "/api/messages", "", Nothing, json!({"content": "hello"}), WRITE),
        Row(
            "post",
            "/api/messages",
            "",
            About::Channel,
            json!({"content": "hello", "channelId": "@"}),
            CHANGE_PLACE,
        ),
        Row(
            "post",
            "/api/messages",
            "",
            About::Context,
            json!({"content": "hello", "contextId": "@"}),
            CHANGE_PLACE,
        ),
        Row(
            "post",
            "/api/messages",
            "",
            About::File,
            json!({"content": "hello", "fileIds": ["@"]}),
            USE,
        ),
        Row("get", "/api/search", "q=word&userId=@", Person, none(), OF_PERSON),
        Row(
            "get",
            "/api/search",
            "q=word&channelId=@",
            About::Channel,
            none(),
            OF_PLACE,
        ),
        Row("get", "/api/runs", "", Nothing, none(), LIST),
        Row("get", "/api/runs", "userId=@", Person, none(), OF_PERSON),
        Row("get", "/api/runs", "user=@", Person, none(), OF_PERSON),
        Row("get", "/api/runs", "channelId=@", About::Channel, none(), OF_PLACE),
        Row("get", "/api/runs", "channel=@", About::Channel, none(), OF_PLACE),
        Row("post", "/api/runs", "", Nothing, json!({"inputText": "hello"}), WRITE),
        Row(
            "post",
            "/api/runs",
            "",
            About::Channel,
            json!({"inputText": "hello", "channelId": "@"}),
            CHANGE_PLACE,
        ),
        Row(
            "post",
            "/api/runs",
            "",
            Person,
            json!({"inputText": "hello", "userId": "@"}),
            &[(Adas, "UUFFFFF+"), (Nobodys, "UUFFFFF+")],
        ),
        Row("get", "/api/runs/{id}", "", About::Run, none(), SEE_RUN),
        Row("get", "/api/runs/{id}/replay", "", About::Run, none(), SEE_RUN),
        Row("get", "/api/runs/{id}/compare", "with=@", About::Run, none(), SEE_RUN),
        Row("get", "/api/runs/{id}/why", "", About::Run, none(), SEE_RUN),
        Row("post", "/api/runs/{id}/rerun", "", About::Run, json!({}), CHANGE_RUN),
        Row("get", "/api/runs/{id}/stream", "", About::Run, none(), SEE_RUN),
        Row(
            "get",
            "/api/runs/{id}/steps/{seq}/prompt",
            "",
            About::Run,
            none(),
            SEE_RUN,
        ),
        Row("post", "/api/runs/{id}/cancel", "", About::Run, some(), CHANGE_RUN),
        Row("post", "/api/runs/{id}/wake", "", About::Run, some(), CHANGE_RUN),
        Row("post", "/api/runs/{id}/retry", "", About::Run, some(), CHANGE_RUN),
        Row(
            "post",
            "/api/runs/{id}/confirm",
            "",
            About::Run,
            json!({"decision": "approve"}),
            CHANGE_RUN,
        ),
        Row("post", "/api/runs/{id}/undo", "", About::Run, some(), CHANGE_RUN),
        Row("get", "/api/events", "", Nothing, none(), LIST),
        Row("get", "/api/contexts", "", Nothing, none(), LIST),
        Row("get", "/api/contexts", "userId=@", Person, none(), OF_PERSON),
        Row("get", "/api/contexts", "channelId=@", About::Channel, none(), OF_PLACE),
        Row("post", "/api/contexts", "", Nothing, some(), WRITE),
        Row(
            "post",
            "/api/contexts",
            "",
            About::Channel,
            json!({"channelId": "@"}),
            CHANGE_PLACE,
        ),
        Row("get", "/api/contexts/{id}", "", About::Context, none(), SEE_PLACE),
        Row(
            "patch",
            "/api/contexts/{id}",
            "",
            About::Context,
            json!({"name": "x"}),
            CHANGE_PLACE,
        ),
        Row("get", "/api/contexts/{id}/jobs", "", About::Context, none(), SEE_PLACE),
        Row("get", "/api/memories", "", Nothing, none(), LIST),
        Row("get", "/api/memories", "userId=@", Person, none(), OF_PERSON),
        Row(
            "post",
            "/api/memories",
            "",
            Person,
            json!({"userId": "@", "module": "preferences", "key": "tea", "value": "green"}),
            FOR_PERSON,
        ),
        Row("get", "/api/memories/jobs", "userId=@", Person, none(), OF_PERSON),
        Row(
            "get",
            "/api/memories/jobs",
            "contextId=@",
            About::Context,
            none(),
            OF_PLACE,
        ),
        Row("get", "/api/memories/{id}", "", About::Memory, none(), SEE_OWN),
        Row("get", "/api/memories/{id}/source", "", About::Memory, none(), SEE_OWN),
        Row(
            "patch",
            "/api/memories/{id}",
            "",
            About::Memory,
            json!({"value": "x"}),
            CHANGE_OWN,
        ),
        Row("delete", "/api/memories/{id}", "", About::Memory, none(), CHANGE_OWN),
        Row("get", "/api/users", "", Nothing, none(), READ),
        Row("get", "/api/users/{id}", "", Person, none(), SEE_OWN),
        Row(
            "patch",
            "/api/users/{id}",
            "",
            Person,
            json!({"language": "de"}),
            CONFIGURE,
        ),
        Row("delete", "/api/users/{id}", "", Person, none(), CONFIGURE),
        Row("get", "/api/users/{id}/identities", "", Person, none(), SEE_OWN),
        Row("get", "/api/users/{id}/keys", "", Person, none(), SEE_OWN),
        Row(
            "put",
            "/api/users/{id}/keys/{provider}",
            "",
            Person,
            json!({"key": "sk-0123456789abcdef"}),
            &[(Adas, "UUF+NFF+"), (Bobs, "UUNNNFF+")],
        ),
        Row(
            "delete",
            "/api/users/{id}/keys/{provider}",
            "",
            Person,
            none(),
            &[(Adas, "UUF+NFF+"), (Bobs, "UUNNNFF+")],
        ),
        Row("post", "/api/users/{id}/link-code", "", Person, none(), CONFIGURE),
        Row(
            "post",
            "/api/users/{id}/link",
            "",
            Person,
            json!({"code": "ABCDEFGH"}),
            CONFIGURE,
        ),
        Row("get", "/api/users/{id}/export", "", Person, none(), EXPORT),
        Row(
            "post",
            "/api/sessions",
            "",
            Nothing,
            json!({"link": "none"}),
            &[(Nobodys, "++++++++")],
        ),
        Row("get", "/api/sessions", "", Nothing, none(), LIST),
        Row(
            "delete",
            "/api/sessions/{id}",
            "",
            Nothing,
            none(),
            &[(Nobodys, "UUNNNFFN")],
        ),
        Row(
            "post",
            "/api/sessions/challenge",
            "",
            Nothing,
            none(),
            &[(Nobodys, "++++++++")],
        ),
        Row(
            "post",
            "/api/sessions/passkey",
            "",
            Nothing,
            json!({"id": "x", "clientData": "x", "authenticatorData": "x", "signature": "x", "userHandle": "x"}),
            &[(Nobodys, "++++++++")],
        ),
        Row("get", "/api/passkeys", "", Nothing, none(), LIST),
        // They need a session, which no token has.
        Row("post", "/api/passkeys/challenge", "", Nothing, none(), WRITE),
        Row(
            "post",
            "/api/passkeys",
            "",
            Nothing,
            json!({"name": "phone", "clientData": "x", "authenticatorData": "x"}),
            WRITE,
        ),
        Row(
            "patch",
            "/api/passkeys/{id}",
            "",
            Nothing,
            json!({"name": "phone"}),
            &[(Nobodys, "UUNNNFFN")],
        ),
        Row(
            "delete",
            "/api/passkeys/{id}",
            "",
            Nothing,
            none(),
            &[(Nobodys, "UUNNNFFN")],
        ),
        // A token has no session.
        Row(
            "delete",
            "/api/sessions/current",
            "",
            Nothing,
            none(),
            &[(Nobodys, "UU++++++")],
        ),
        Row(
            "delete",
            "/api/sessions/others",
            "",
            Nothing,
            none(),
            &[(Nobodys, "UU++++++")],
        ),
        Row("get", "/api/tokens", "", Nothing, none(), LIST),
        // Left out: one's own, of an owner's token the operator's.
        Row(
            "post",
            "/api/tokens",
            "",
            Nothing,
            json!({"name": "laptop", "scopes": ["write"]}),
            &[(Nobodys, "UUF++FF+")],
        ),
        Row(
            "post",
            "/api/tokens",
            "",
            Person,
            json!({"name": "laptop", "scopes": ["write"], "userId": "@"}),
            FOR_PERSON,
        ),
        Row(
            "delete",
            "/api/tokens/{id}",
            "",
            Nothing,
            none(),
            &[(Nobodys, "UUNNNFFN")],
        ),
        Row("get", "/api/spaces", "", Nothing, none(), LIST),
        Row("get", "/api/spaces/{id}", "", About::Space, none(), SEE_SPACE),
        Row("get", "/api/pairings", "", Nothing, none(), OWNER_SEES),
        Row(
            "post",
            "/api/pairings/decide",
            "",
            Nothing,
            json!({"platform": "telegram", "platformUserId": "9", "decision": "approve"}),
            OWNER_CHANGES,
        ),
        Row("get", "/api/outbox", "", Nothing, none(), LIST),
        Row("get", "/api/outbox", "channelId=@", About::Channel, none(), OF_PLACE),
        Row(
            "post",
            "/api/outbox/{id}/resend",
            "",
            About::Undelivered,
            some(),
            CHANGE_PLACE,
        ),
        Row(
            "post",
            "/api/outbox/{id}/give-up",
            "",
            About::Undelivered,
            some(),
            CHANGE_PLACE,
        ),
        Row("get", "/api/quarantine", "", Nothing, none(), OWNER_SEES),
        Row(
            "post",
            "/api/quarantine/{id}/retry",
            "",
            Nothing,
            some(),
            OWNER_CHANGES_NONE,
        ),
        Row(
            "post",
            "/api/quarantine/{id}/forget",
            "",
            Nothing,
            some(),
            OWNER_CHANGES_NONE,
        ),
        Row("post", "/api/reload", "", Nothing, none(), OWNER_CHANGES),
        Row("get", "/api/outages", "", Nothing, none(), READ),
        Row("get", "/v1/models", "", Nothing, none(), READ),
        Row(
            "post",
            "/v1/chat/completions",
            "",
            Nothing,
            json!({"model": "clifford", "messages": [{"role": "user", "content": "hello"}]}),
            WRITE,
        ),
        Row("get", "/api/me", "", Nothing, none(), &[(Nobodys, "UU++++++")]),
        Row("get", "/api/settings", "", Nothing, none(), OWNER_SEES),
        Row("get", "/api/settings", "scope=@", About::Scope, none(), SEE_SCOPE),
        Row(
            "get",
            "/api/settings/{scope}/{name}",
            "",
            About::Scope,
            none(),
            SEE_SCOPE,
        ),
        Row(
            "put",
            "/api/settings/{scope}/{name}",
            "",
            About::Scope,
            json!({"value": "de"}),
            CONFIGURE_SCOPE,
        ),
        Row(
            "delete",
            "/api/settings/{scope}/{name}",
            "",
            About::Scope,
            none(),
            CONFIGURE_SCOPE,
        ),
        Row(
            "patch",
            "/api/settings/{scope}",
            "",
            About::Scope,
            json!({"memory": false}),
            CONFIGURE_SCOPE,
        ),
        Row(
            "put",
            "/api/settings/{scope}/{name}",
            "",
            Nothing,
            json!({"value": "false"}),
            OWNER_CHANGES,
        ),
        Row("get", "/api/policies", "", Nothing, none(), OWNER_SEES),
        Row(
            "post",
            "/api/policies",
            "",
            Nothing,
            json!({"action": "allow", "tools": ["compute"]}),
            OWNER_CHANGES,
        ),
        Row(
            "post",
            "/api/policies/test",
            "",
            Nothing,
            json!({"call": "compute.eval"}),
            OWNER_SEES,
        ),
        Row("get", "/api/policies/{id}", "", Nothing, none(), OWNER_SEES_NONE),
        Row(
            "put",
            "/api/policies/{id}",
            "",
            Nothing,
            json!({"action": "allow", "tools": ["compute"]}),
            OWNER_CHANGES_NONE,
        ),
        Row("delete", "/api/policies/{id}", "", Nothing, none(), OWNER_CHANGES_NONE),
        Row("get", "/api/tools", "scope=@", About::Scope, none(), SEE_SCOPE),
        Row("get", "/api/tools", "", Nothing, none(), OWNER_SEES),
        Row("get", "/api/tools/{name}", "scope=@", About::Scope, none(), SEE_SCOPE),
        Row(
            "patch",
            "/api/tools/{name}",
            "scope=@",
            About::Scope,
            some(),
            &[(Adas, "UUFFFFF+"), (Bobs, "UUFFFFF+"), (Groups, "UUFFFFF+")],
        ),
        Row("post", "/api/tools/{name}/call", "", Nothing, some(), OWNER_CHANGES),
        Row(
            "post",
            "/api/tools/{name}/call",
            "",
            Person,
            json!({"userId": "@"}),
            &[(Adas, "UUFFFFF+"), (Nobodys, "UUFFFFF+")],
        ),
        Row(
            "get",
            "/api/terminal",
            "place=local&session=1",
            Nothing,
            none(),
            OWNER_CHANGES,
        ),
        Row(
            "post",
            "/api/terminal/messages",
            "",
            Nothing,
            json!({"place": "local", "speaker": "you", "id": "1-1", "text": "hello", "sentAt": at}),
            OWNER_CHANGES,
        ),
        Row(
            "post",
            "/api/terminal/shown",
            "",
            Nothing,
            json!({"key": "k"}),
            OWNER_CHANGES,
        ),
        Row("get", "/api/channels", "", Nothing, none(), LIST),
        Row(
            "get",
            "/api/channels",
            "spaceId=@",
            About::Space,
            none(),
            SEE_SPACE_LIST,
        ),
        Row("get", "/api/channels/{id}", "", About::Channel, none(), SEE_PLACE),
        Row(
            "patch",
            "/api/channels/{id}",
            "",
            About::Channel,
            json!({"name": "x"}),
            &[
                (Adas, "UUFFNFF+"),
                (Bobs, "UUNNNFF+"),
                (Groups, "UUNNFFF+"),
                (Nobodys, "UUNNNFFN"),
            ],
        ),
        Row("get", "/api/agents", "", Nothing, none(), OWNER_SEES),
        Row(
            "post",
            "/api/agents",
            "",
            Nothing,
            json!({"name": "Ada", "prompt": "You are Ada."}),
            OWNER_CHANGES,
        ),
        Row("get", "/api/agents/{id}", "", Nothing, none(), OWNER_SEES_NONE),
        Row("patch", "/api/agents/{id}", "", Nothing, some(), OWNER_CHANGES_NONE),
        Row("delete", "/api/agents/{id}", "", Nothing, none(), OWNER_CHANGES_NONE),
        Row("get", "/api/agents/{id}/prompts", "", Nothing, none(), OWNER_SEES_NONE),
        Row(
            "get",
            "/api/agents/{id}/prompts/{version}",
            "",
            Nothing,
            none(),
            OWNER_SEES_NONE,
        ),
        Row(
            "post",
            "/api/agents/{id}/prompts/{version}/restore",
            "",
            Nothing,
            some(),
            OWNER_CHANGES_NONE,
        ),
        Row("get", "/api/connections", "", Nothing, none(), OWNER_SEES),
        Row("get", "/api/feedback", "", Nothing, none(), LIST),
        Row("get", "/api/feedback", "userId=@", Person, none(), OF_PERSON),
        Row("get", "/api/feedback", "channelId=@", About::Channel, none(), OF_PLACE),
        Row("get", "/api/feedback", "contextId=@", About::Context, none(), OF_PLACE),
        Row(
            "get",
            "/api/feedback",
            "spaceId=@",
            About::Space,
            none(),
            SEE_SPACE_LIST,
        ),
        Row(
            "put",
            "/api/runs/{id}/feedback",
            "",
            About::Run,
            json!({"verdict": "liked"}),
            CHANGE_RUN,
        ),
        Row("delete", "/api/runs/{id}/feedback", "", About::Run, none(), CHANGE_RUN),
        Row("get", "/api/models", "", Nothing, none(), READ),
        Row(
            "patch",
            "/api/messages/{id}",
            "",
            About::Undelivered,
            json!({"content": "hello"}),
            CHANGE_PLACE,
        ),
        Row("get", "/api/triggers", "", Nothing, none(), LIST),
        Row("get", "/api/triggers", "userId=@", Person, none(), OF_PERSON),
        Row(
            "post",
            "/api/triggers",
            "",
            Person,
            json!({"kind": "run", "content": "hello", "at": at, "userId": "@"}),
            FOR_PERSON,
        ),
        Row(
            "post",
            "/api/triggers",
            "",
            About::Channel,
            json!({"kind": "reminder", "content": "hello", "at": at, "channelId": "@"}),
            CHANGE_PLACE,
        ),
        Row(
            "post",
            "/api/triggers",
            "",
            Nothing,
            json!({"kind": "run", "content": "hello", "at": at}),
            WRITE,
        ),
        Row("get", "/api/triggers/{id}", "", About::Trigger, none(), SEE),
        Row(
            "patch",
            "/api/triggers/{id}",
            "",
            About::Trigger,
            json!({"content": "x"}),
            CHANGE,
        ),
        // A conversation goes with its channel: alone it is refused alike, whosever it is.
        Row(
            "post",
            "/api/triggers",
            "",
            About::Context,
            json!({"kind": "run", "content": "x", "at": at, "contextId": "@"}),
            &[
                (Adas, "UUF++F++"),
                (Bobs, "UUF++F++"),
                (Groups, "UUF++F++"),
                (Nobodys, "UUF++F++"),
            ],
        ),
        Row("delete", "/api/triggers/{id}", "", About::Trigger, none(), CHANGE),
        Row("post", "/api/triggers/{id}/fire", "", About::Trigger, some(), CHANGE),
        Row("get", "/api/usage", "", Nothing, none(), LIST),
        Row("get", "/api/usage", "userId=@", Person, none(), OF_PERSON),
        Row("get", "/api/usage", "spaceId=@", About::Space, none(), SEE_SPACE_LIST),
        Row("get", "/api/usage/tools", "", Nothing, none(), LIST),
        Row("get", "/api/usage/tools", "userId=@", Person, none(), OF_PERSON),
        Row(
            "get",
            "/api/usage/tools",
            "spaceId=@",
            About::Space,
            none(),
            SEE_SPACE_LIST,
        ),
        Row("get", "/api/budgets", "", Nothing, none(), LIST),
        Row("get", "/api/budgets", "userId=@", Person, none(), OF_PERSON),
        Row("get", "/api/budgets", "spaceId=@", About::Space, none(), SEE_SPACE_LIST),
        Row("get", "/api/files", "", Nothing, none(), READ),
        Row(
            "get",
            "/api/files",
            "userId=@",
            Person,
            none(),
            &[(Adas, "UU+FNFF+"), (Bobs, "UUNFNFF+"), (Nobodys, "UUNFNFF+")],
        ),
        Row("post", "/api/files", "name=x.txt", Nothing, some(), WRITE),
        Row("get", "/api/files/{id}", "", About::File, none(), OPEN),
        Row("get", "/api/files/{id}/content", "", About::File, none(), OPEN),
        Row("delete", "/api/files/{id}", "", About::File, none(), USE),
    ]
}

/// Parameters of a query and fields of a body that name an object of somebody.
const NAMING: [&str; 5] = ["userId", "channelId", "contextId", "spaceId", "fileIds"];

/// The places of a description that name an object, and of which no row says what they answer.
fn unnamed(description: &Value, rows: &[Row]) -> Vec<String> {
    let mut missing = Vec::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let parameters = parameters.filter(|parameter| parameter["in"] == "query");
            let mut names: Vec<_> = parameters.filter_map(|parameter| parameter["name"].as_str()).collect();
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let schema = match schema["$ref"].as_str() {
                Some(path) => description.pointer(&path[1..]).unwrap(),
                None => schema,
            };
            let fields = schema["properties"].as_object().into_iter().flatten();
            names.extend(fields.map(|(name, _)| name.as_str()));
            for name in names.into_iter().filter(|name| NAMING.contains(name)) {
                let stands = rows.iter().any(|Row(of, at, query, _, body, _)| {
                    let is_named = body[name] == "@" || body[name] == json!(["@"]);
                    of == method && at == path && (is_named || query.contains(&format!("{name}=@")))
                });
                if !stands {
                    missing.push(format!("{method} {path}: {name}"));
                }
            }
        }
    }
    missing
}

/// A bot, a group that Mia manages, and the operator's tokens.
struct World {
    bot: Bot,
    group: Channel,
    mia: String,
    /// Of a person who is an owner.
    owner: [String; 3],
    operator: [String; 3],
    count: std::cell::Cell<i64>,
}

/// Somebody with a private chat, and tokens to read and to write.
struct Somebody {
    user: User,
    chat: Channel,
    tokens: [String; 2],
}

async fn world(telegram: &TelegramFake) -> World {
    let chat = telegram.supergroup(-1_000_500, "Garden");
    telegram.user(MIA, "Mia");
    telegram.standing(chat, MIA, json!({ "status": "administrator" }));
    let bot = Bot::with(&[
        ("channels.telegram.api_url", telegram.api_url()),
        ("channels.telegram.token", TelegramFake::TOKEN),
    ])
    .await;
    let (now, id) = (bot.app.clock.now(), chat.id.to_string());
    let place = Place {
        platform: Platform::new("telegram"),
        external_id: id.clone(),
        parent: None,
        kind: PlaceKind::Group,
        name: Some("Garden".into()),
        space: Some(Space {
            external_id: id,
            name: None,
        }),
    };
    let write = bot
        .app
        .db
        .write(move |tx| Box::pin(async move { channels::find_or_create(tx, &place, None, now).await }));
    let group = write.await.unwrap();
    let operator = [
        bot.token(&["read"]).await,
        bot.token(&["write"]).await,
        bot.token(&["admin"]).await,
    ];
    let mut world = World {
        bot,
        group,
        mia: String::new(),
        owner: [const { String::new() }; 3],
        operator,
        count: std::cell::Cell::new(1000),
    };
    let mia = world.person(MIA, "Mia").await;
    world.mia = world.token(mia.user.id, &["read", "write"]).await;
    let owner = world.person(world.next(), "Olga").await.user.id;
    let is_owner = format!("UPDATE users SET role = 'owner' WHERE id = '{owner}'");
    script(&world.bot.app.db, &is_owner).await;
    for (place, scope) in ["read", "write", "admin"].into_iter().enumerate() {
        world.owner[place] = world.token(owner, &[scope]).await;
    }
    world
}

impl World {
    fn next(&self) -> i64 {
        self.count.set(self.count.get() + 1);
        self.count.get()
    }

    async fn token(&self, user: UserId, scopes: &[&str]) -> String {
        let token = format!("of-{user}-{}-{}", scopes.join("-"), self.next());
        let hash = clifford_vault::hash(&token);
        let scopes: Vec<_> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let now = self.bot.app.clock.now();
        let write = self.bot.app.db.write(move |tx| {
            Box::pin(async move { tokens::insert_for(tx, TokenId::new(), "theirs", &hash, &scopes, user, now).await })
        });
        write.await.unwrap();
        token
    }

    async fn person(&self, account: i64, name: &str) -> Somebody {
        let account = account.to_string();
        let speaker = Speaker {
            id: account.clone(),
            name: name.to_owned(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        };
        let place = Place {
            platform: Platform::new("telegram"),
            external_id: account.clone(),
            parent: None,
            kind: PlaceKind::Private,
            name: None,
            space: None,
        };
        let now = self.bot.app.clock.now();
        let scopes = ["read", "write"];
        let tokens = scopes.map(|scope| format!("of-{account}-{scope}-{}", self.next()));
        let hashes = tokens.clone().map(|token| clifford_vault::hash(&token));
        // In one transaction: there are some thousand people.
        let write = self.bot.app.db.write(move |tx| {
            Box::pin(async move {
                let user =
                    users::find_or_create(tx, Platform::new("telegram"), &speaker, UserRole::Member, now).await?;
                let chat = channels::find_or_create(tx, &place, Some((user.id, &account)), now).await?;
                for (scope, hash) in scopes.into_iter().zip(&hashes) {
                    let scopes = [scope.to_owned()];
                    tokens::insert_for(tx, TokenId::new(), "theirs", hash, &scopes, user.id, now).await?;
                }
                Ok((user, chat))
            })
        });
        let (user, chat) = write.await.unwrap();
        Somebody { user, chat, tokens }
    }

    /// An object of a kind that belongs to somebody; its id.
    async fn object(&self, about: About, whose: Whose, ada: &Somebody, bob: &Somebody) -> String {
        let of = match whose {
            Adas => Some(ada),
            Bobs => Some(bob),
            BobsThere | Groups | Nobodys => None,
        };
        let user = of.map(|of| of.user.id).or((whose == BobsThere).then_some(bob.user.id));
        let channel = match whose {
            Adas | Bobs => of.map(|of| of.chat.clone()),
            BobsThere | Groups => Some(self.group.clone()),
            Nobodys => None,
        };
        match (about, &channel) {
            (About::Run, _) => return self.run(user, channel).await,
            (About::Trigger, _) => return self.trigger(user, channel).await,
            (About::File, _) => return self.file(user, channel).await,
            (About::Context, Some(channel)) => return self.context(channel).await,
            (About::Undelivered, Some(channel)) => return self.undelivered(channel).await,
            (About::Memory, _) if user.is_some() => return self.memory(user.unwrap()).await,
            _ => {}
        }
        let id = match about {
            Person | About::Scope => user.map(|user| user.to_string()),
            About::Channel => channel.as_ref().map(|channel| channel.id.to_string()),
            About::Space => channel
                .as_ref()
                .and_then(|channel| channel.space_id)
                .map(|id| id.to_string()),
            _ => None,
        };
        match (about, id) {
            (About::Scope, Some(user)) => format!("user:{user}"),
            (About::Scope, None) => format!("channel:{}", self.group.id),
            (_, id) => id.unwrap_or_else(|| NOBODY.to_owned()),
        }
    }

    async fn run(&self, user: Option<UserId>, channel: Option<Channel>) -> String {
        let agent = agents::list(&mut self.bot.app.db.read().await.unwrap()).await.unwrap()[0].id;
        let now = self.bot.app.clock.now();
        let task = Task {
            agent,
            channel: channel.map(|channel| channel.id),
            user,
            context: None,
            mode: Mode::Run,
            input: "later".to_owned(),
            address: None,
            platform_roles: None,
            not_before: Some(Timestamp(now.0 + 86_400_000)),
        };
        let run = task.into_run(None);
        let id = run.id.to_string();
        let write = self
            .bot
            .app
            .db
            .write(move |tx| Box::pin(async move { runs::insert(tx, &run, now).await }));
        write.await.unwrap();
        id
    }

    async fn trigger(&self, user: Option<UserId>, channel: Option<Channel>) -> String {
        let now = self.bot.app.clock.now();
        let trigger = Trigger {
            user_id: user,
            channel_id: channel.map(|channel| channel.id),
            content: "water the plants".to_owned(),
            next_at: Some(Timestamp(now.0 + 86_400_000)),
            ..Trigger::new(TriggerKind::Run, now)
        };
        let id = trigger.id.to_string();
        let write = self
            .bot
            .app
            .db
            .write(move |tx| Box::pin(async move { triggers::insert(tx, &trigger, None).await }));
        write.await.unwrap();
        id
    }

    async fn file(&self, user: Option<UserId>, channel: Option<Channel>) -> String {
        let new = NewFile {
            name: "a.txt".to_owned(),
            content: Bytes::from_static(b"text"),
            user,
            place: channel.map(|channel| (channel.id, channel.space_id)),
            root_run: None,
            key: None,
        };
        let app = &self.bot.app;
        let files = &app.context.tools.services.files;
        let file = files.create(&app.db, new, app.clock.now()).await;
        file.unwrap().id.to_string()
    }

    async fn context(&self, channel: &Channel) -> String {
        let (channel, now) = (channel.clone(), self.bot.app.clock.now());
        let write = self
            .bot
            .app
            .db
            .write(move |tx| Box::pin(async move { contexts::begin(tx, &channel, None, now).await }));
        write.await.unwrap().to_string()
    }

    /// A message that was given up.
    async fn undelivered(&self, channel: &Channel) -> String {
        let (id, channel) = (MessageId::new(), channel.id);
        let insert = format!(
            "INSERT INTO messages (id, direction, channel_id, content, status, attempts, error, sent_at, created_at)
                 VALUES ('{id}', 'outbound', '{channel}', 'hello', 'failed', 3, 'the chat is gone', 9, 9);
             INSERT INTO message_parts (message_id, seq, delivery_key, body, status)
                 VALUES ('{id}', 1, '{id}', '{{\"text\":\"hello\"}}', 'failed');"
        );
        script(&self.bot.app.db, &insert).await;
        id.to_string()
    }

    async fn memory(&self, user: UserId) -> String {
        let now = self.bot.app.clock.now();
        let item = Item {
            id: MemoryItemId::new(),
            user_id: user,
            level: 1,
            module: "preferences".to_owned(),
            key: format!("tea_{}", self.next()),
            value: "green".to_owned(),
            confidence: 1.0,
            context_id: None,
            origin_space: None,
            shareable: false,
            pinned: false,
            archived: false,
            created_at: now,
            last_seen_at: now,
        };
        let id = item.id.to_string();
        let write = self
            .bot
            .app
            .db
            .write(move |tx| Box::pin(async move { memory_admin::insert(tx, &item).await }));
        write.await.unwrap();
        id
    }

    /// Calls a route about an object, and tells how that was answered.
    async fn call(&self, row: &Row, token: Option<&str>, id: &str) -> (char, String) {
        let Row(method, path, query, about, body, _) = row;
        let setting = if id.starts_with("user:") { "language" } else { "memory" };
        let (scope, name) = match (path.contains("{scope}"), about) {
            (true, Nothing) => ("bot", "memory"),
            (true, _) => (id, setting),
            (false, _) => ("", if path.contains("tools") { "compute" } else { "none" }),
        };
        let mut path = path
            .replace("{id}", id)
            .replace("{scope}", scope)
            .replace("{name}", name)
            .replace("{provider}", "main")
            .replace("{version}", "1")
            .replace("{seq}", "1");
        if !query.is_empty() {
            path = format!("{path}?{}", query.replace('@', id));
        }
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        let mut request = self.bot.request(method, &path);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if !body.is_null() {
            let mut text = body.to_string().replace("\"@\"", &format!("\"{id}\""));
            if setting == "memory" && path.contains("/settings/") {
                text = text.replace("\"de\"", "false");
            }
            request = request.header("content-type", "application/json").body(text);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let is_problem = response
            .headers()
            .get("content-type")
            .is_some_and(|kind| kind == "application/problem+json");
        // A stream has no end.
        let text = if is_problem {
            response.text().await.unwrap()
        } else {
            String::new()
        };
        let detail = serde_json::from_str::<Value>(&text).unwrap_or_default()["detail"].clone();
        let names_it = [
            "run",
            "message",
            "session",
            "passkey",
            "token",
            "space",
            "undelivered message",
            "trigger",
            "file",
            "context",
            "channel",
            "user",
            "memory item",
            "agent",
            "quarantined work",
            "rule",
        ]
        .iter()
        .any(|kind| detail == format!("there is no {kind} {id}"));
        let letter = match status {
            401 => 'U',
            403 => 'F',
            404 if names_it || detail == format!("there is no {id}") => 'N',
            // One file of several: the field is told.
            422 if detail == format!("there is no file {id}") => 'N',
            500.. => panic!("{path}: {status} {text}"),
            _ => '+',
        };
        (letter, format!("{status} {text}"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_route_answers_each_kind_of_token_by_whose_the_object_is() {
    let telegram = TelegramFake::start().await.unwrap();
    let world = world(&telegram).await;
    let mut listed = BTreeSet::new();
    let mut wrong = Vec::new();
    for row in rows() {
        let Row(method, path, query, about, body, answers) = &row;
        listed.insert(format!("{method} {path}"));
        for (whose, expected) in *answers {
            let mut cast = None;
            let mut got = String::new();
            let mut said = Vec::new();
            for place in 0..expected.len() + world.owner.len() {
                // A request that changes something changes its own.
                if *method != "get" || cast.is_none() {
                    let ada = world.person(world.next(), "Ada").await;
                    let bob = world.person(world.next(), "Bob").await;
                    let id = world.object(*about, *whose, &ada, &bob).await;
                    cast = Some((ada, id));
                }
                let (ada, id) = cast.as_ref().unwrap();
                let token = match place {
                    0 => None,
                    1 => Some("wrong"),
                    2 | 3 => Some(ada.tokens[place - 2].as_str()),
                    4 => Some(world.mia.as_str()),
                    5..8 => Some(world.operator[place - 5].as_str()),
                    _ => Some(world.owner[place - 8].as_str()),
                };
                let (letter, answer) = world.call(&row, token, id).await;
                got.push(letter);
                said.push(answer);
            }
            let expected = format!("{expected}{}", &expected[5..]);
            if got != expected {
                let differs = got
                    .chars()
                    .zip(expected.chars())
                    .position(|(got, expected)| got != expected);
                let said = differs.map(|place| said[place].clone());
                wrong.push(format!(
                    "{method} {path}?{query} {body} {whose:?}: {got}, not {expected}: {said:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // A route that is new has to stand here, and so has a parameter or a field that names an object of somebody.
    let description = world.bot.get("/api/openapi.json").await.json();
    assert_eq!(unnamed(&description, &rows()), Vec::<String>::new());
    let routes: BTreeSet<_> = description["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{method} {path}"))
        })
        .collect();
    assert_eq!(listed, routes);
    world.bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_token_lists_what_is_theirs_and_speaks_as_them() {
    let telegram = TelegramFake::start().await.unwrap();
    let world = world(&telegram).await;
    let ada = world.person(1, "Ada").await;
    let bob = world.person(2, "Bob").await;
    for about in [About::Run, About::Context, About::Memory, About::Trigger, About::File] {
        for whose in [Adas, Bobs, Groups] {
            world.object(about, whose, &ada, &bob).await;
        }
    }
    let (read, write) = (&ada.tokens[0], &ada.tokens[1]);
    let get = async |path: &str| {
        let request = world.bot.request(Method::GET, path).bearer_auth(read);
        world.bot.send(request).await.json()
    };
    let own = json!(ada.user.id.to_string());
    for (path, field) in [
        ("/api/runs", "userId"),
        ("/api/contexts", "userId"),
        ("/api/memories", "userId"),
        ("/api/triggers", "userId"),
        ("/api/files", "userId"),
        ("/api/channels", "userId"),
        ("/api/users", "id"),
    ] {
        let page = get(path).await;
        let items = page["items"].as_array().unwrap();
        assert!(
            !items.is_empty() && items.iter().all(|item| item[field] == own),
            "{path}: {page}"
        );
    }
    let body = json!({ "content": "hello there", "idempotencyKey": "once" });
    let request = world
        .bot
        .request(Method::POST, "/api/messages?wait=30")
        .bearer_auth(write)
        .json(&body);
    let said = world.bot.send(request).await;
    assert_eq!(said.status, 200, "{}", said.text);
    assert_eq!(said.json()["run"]["userId"], own);
    let messages = get("/api/messages").await;
    assert_eq!(messages["items"].as_array().unwrap().len(), 2, "{messages}");
    // A run of hers that has no channel is a run as her.
    let request = world.bot.request(Method::POST, "/api/runs").bearer_auth(write);
    let begun = world.bot.send(request.json(&json!({ "inputText": "hello" }))).await;
    assert_eq!((begun.status, &begun.json()["userId"]), (202, &own));
    // The trigger is for her; which agent it uses is not hers to say.
    let at = "2199-01-01T00:00:00Z";
    let new = json!({ "kind": "run", "content": "hello", "at": at });
    let request = world.bot.request(Method::POST, "/api/triggers").bearer_auth(write);
    let made = world.bot.send(request.json(&new)).await;
    assert_eq!((made.status, &made.json()["userId"]), (201, &own));
    let agent = world.bot.get("/api/agents").await.json()["items"][0]["id"].clone();
    for (path, mut body) in [("/api/triggers", new), ("/api/runs", json!({ "inputText": "hello" }))] {
        body["agentId"] = agent.clone();
        let request = world.bot.request(Method::POST, path).bearer_auth(write);
        let refused = world.bot.send(request.json(&body)).await;
        assert_eq!(
            (refused.status, &refused.json()["field"]),
            (403, &json!("agentId")),
            "{path}"
        );
    }
    // Nor what she is.
    let request = world.bot.request(Method::PATCH, &format!("/api/users/{}", ada.user.id));
    let refused = world
        .bot
        .send(request.bearer_auth(write).json(&json!({ "role": "owner" })))
        .await;
    assert_eq!((refused.status, &refused.json()["field"]), (403, &json!("role")));
    world.bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manager_sees_the_space_its_channels_and_what_it_did_not_get() {
    let telegram = TelegramFake::start().await.unwrap();
    let world = world(&telegram).await;
    let ada = world.person(1, "Ada").await;
    let mia = world.person(MIA, "Mia").await;
    for person in [&ada, &mia] {
        let (id, group, user) = (MessageId::new(), world.group.id, person.user.id);
        let said = format!(
            "INSERT INTO messages (id, direction, channel_id, user_id, content, status, attempts, sent_at, created_at)
             VALUES ('{id}', 'inbound', '{group}', '{user}', 'hello', 'history', 0, 9, 9)"
        );
        script(&world.bot.app.db, &said).await;
    }
    let lost = world.undelivered(&world.group).await;
    let private = world.undelivered(&ada.chat).await;
    let space = world.group.space_id.unwrap().to_string();
    let ids = async |token: &str, path: &str| {
        let request = world.bot.request(Method::GET, path).bearer_auth(token);
        let page = world.bot.send(request).await.json();
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&world.mia, "/api/spaces").await, slice::from_ref(&space));
    assert_eq!(ids(&world.mia, "/api/outbox?failed=true").await, slice::from_ref(&lost));
    let there = format!("/api/channels?spaceId={space}");
    assert_eq!(ids(&world.mia, &there).await, [world.group.id.to_string()]);
    // Ada spoke there, too, and manages nothing.
    let read = &ada.tokens[0];
    assert_eq!(ids(read, "/api/spaces").await, Vec::<String>::new());
    assert_eq!(ids(read, "/api/outbox").await, slice::from_ref(&private));
    assert_eq!(ids(&world.operator[0], "/api/outbox").await, [private, lost.clone()]);
    let path = format!("/api/outbox/{lost}/resend");
    let request = world.bot.request(Method::POST, &path).bearer_auth(&world.mia);
    assert_eq!(world.bot.send(request.json(&json!({}))).await.status, 202);
    world.bot.app.shutdown().await;
}
