//! The exported columns of each row: none of them leads to data that is not exported.

use super::{
    Scope,
    conditions::{channels_of, condition, has_run, is_said, same_people},
};
use crate::portable::Kind;

/// The columns, each as this scope may tell it.
pub(super) fn columns(scope: Scope, kind: Kind) -> String {
    let own = channels_of(scope);
    let is_person = matches!(scope, Scope::Person(_));
    let is_whole = scope == Scope::Everything;
    let conversation = |of: &str| {
        format!(
            "(SELECT o.id FROM contexts o WHERE o.id = x.{of} AND {})",
            condition(scope, Kind::Context).replace("x.", "o.")
        )
    };
    let told = |name: &&'static str| -> String {
        let told = match (kind, *name) {
            (Kind::Message, "run_id") => format!(
                "(SELECT r.id FROM runs r WHERE r.id = x.run_id AND {} AND {})",
                has_run(scope, "r"),
                same_people("r.channel_id", "x.channel_id")
            ),
            (Kind::Message, "status") => "CASE WHEN x.status = 'queued' THEN 'history' ELSE x.status END".to_owned(),
            (Kind::Message, "quote") if is_person => format!("CASE WHEN x.channel_id IN {own} THEN x.quote END"),
            (Kind::Message, "quoted_user_id") if is_person => {
                format!("CASE WHEN x.channel_id IN {own} AND x.quoted_user_id = $1 THEN x.quoted_user_id END")
            }
            (Kind::Message, "user_id") if is_person => "CASE WHEN x.user_id = $1 THEN x.user_id END".to_owned(),
            (Kind::Message | Kind::Run, "context_id") => format!(
                "(SELECT o.id FROM contexts o WHERE o.id = x.context_id AND {} AND {})",
                condition(scope, Kind::Context).replace("x.", "o."),
                same_people("o.channel_id", "x.channel_id")
            ),
            // A conversation is of those who read its channel.
            (Kind::Context, "user_id" | "space_id") => {
                format!("(SELECT c.{name} FROM channels c WHERE c.id = x.channel_id)")
            }
            // Others' words stand in them.
            (Kind::Context, "name" | "summary" | "summary_of" | "compacted_through") if is_person => {
                format!("CASE WHEN x.channel_id IN {own} THEN x.{name} END")
            }
            (Kind::Channel, "active_context_id") => format!(
                "(SELECT o.id FROM contexts o WHERE o.id = x.active_context_id AND {} AND {})",
                condition(scope, Kind::Context).replace("x.", "o."),
                same_people("o.channel_id", "x.id")
            ),
            (Kind::Channel, "user_id") if is_person => "CASE WHEN x.user_id = $1 THEN x.user_id END".to_owned(),
            (Kind::Run, "parent_run_id") => format!(
                "(SELECT p.id FROM runs p WHERE p.id = x.parent_run_id AND {})",
                has_run(scope, "p")
            ),
            (Kind::Channel | Kind::Run | Kind::Reminder, "agent_id") if !is_whole => "CAST(NULL AS TEXT)".to_owned(),
            (Kind::Channel, "parent_id") => format!(
                "(SELECT p.id FROM channels p WHERE p.id = x.parent_id AND p.parent_id IS NULL AND {})",
                condition(scope, Kind::Channel).replace("x.", "p.")
            ),
            (Kind::Context, "continued_from") => format!(
                "(SELECT o.id FROM contexts o WHERE o.id = x.continued_from AND o.id < x.id AND {} AND {})",
                condition(scope, Kind::Context).replace("x.", "o."),
                same_people("o.channel_id", "x.channel_id")
            ),
            (Kind::Usage, "run_id") => format!(
                "(SELECT r.id FROM runs r WHERE r.id = x.run_id AND {})",
                has_run(scope, "r")
            ),
            (Kind::Usage, "channel_id") => format!(
                "(SELECT c.id FROM channels c WHERE c.id = x.channel_id AND {})",
                condition(scope, Kind::Channel).replace("x.", "c.")
            ),
            (Kind::Usage, "space_id") => format!(
                "(SELECT s.id FROM spaces s WHERE s.id = x.space_id AND {})",
                condition(scope, Kind::Space).replace("x.", "s.")
            ),
            (Kind::SettingChange, "user_id") => format!(
                "(SELECT u.id FROM users u WHERE u.id = x.user_id AND {})",
                condition(scope, Kind::Person).replace("x.", "u.")
            ),
            (Kind::MemoryItem | Kind::Reminder, "context_id") => conversation(name),
            (Kind::File, "message_id") => format!(
                "(SELECT m.id FROM messages m WHERE m.id = x.message_id AND m.channel_id = x.channel_id AND {})",
                is_said(scope, "m")
            ),
            _ => format!("x.{}", kind.column(name)),
        };
        format!("{told} AS {name}")
    };
    kind.fields().iter().map(told).collect::<Vec<_>>().join(", ")
}
