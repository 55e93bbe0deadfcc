//! The rows that belong to what is exported.

use super::Scope;
use crate::{
    people::{claim, pairing_codes},
    places::settings::{ACCOUNTS_CODE, ERASE_CODE, LAST_READY_CHECK},
    portable::Kind,
};

/// Settings that are codes, or of this process.
const NOT_TOLD: [&str; 5] = [
    ERASE_CODE,
    ACCOUNTS_CODE,
    claim::HASH,
    pairing_codes::KEY,
    LAST_READY_CHECK,
];

/// The channels of the person or place.
pub(super) const fn channels_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Everything => "(SELECT id FROM channels)",
        Scope::Person(_) => "(SELECT id FROM channels WHERE user_id = $1)",
        Scope::Space(_) => "(SELECT id FROM channels WHERE space_id = $1)",
        Scope::Channel(_) => "(SELECT id FROM channels WHERE id = $1)",
    }
}

/// The condition for a message, by its table's name.
pub(super) fn is_said(scope: Scope, of: &str) -> String {
    let within = match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!(
            "({of}.channel_id IN {} OR ({of}.direction = 'inbound' AND {of}.user_id = $1))",
            channels_of(scope)
        ),
        Scope::Space(_) | Scope::Channel(_) => format!("{of}.channel_id IN {}", channels_of(scope)),
    };
    format!("{within} AND {of}.status NOT IN ('pending', 'sending') AND {of}.edits IS NULL")
}

/// The condition for a run, by its table's name: it has ended with all of its tree.
pub(super) fn has_run(scope: Scope, of: &str) -> String {
    const ENDED: &str = "('completed', 'failed', 'cancelled')";
    let within = match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!(
            "({of}.channel_id IS NULL OR {of}.channel_id IN {}) AND {of}.user_id = $1",
            channels_of(scope)
        ),
        Scope::Space(_) | Scope::Channel(_) => format!("{of}.channel_id IN {}", channels_of(scope)),
    };
    format!(
        "{within} AND {of}.status IN {ENDED} AND COALESCE({of}.profile, '') <> '{}'
         AND EXISTS (SELECT 1 FROM runs root WHERE root.id = {of}.root_run_id AND root.status IN {ENDED})",
        crate::portable::import::PROFILE
    )
}

/// The condition for an item, by its table's name.
fn is_remembered(scope: Scope, of: &str) -> String {
    match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!("{of}.user_id = $1"),
        Scope::Space(_) => format!("{of}.origin_space = $1"),
        Scope::Channel(_) => format!(
            "{of}.origin_space IS NOT NULL AND {of}.context_id IN (SELECT id FROM contexts WHERE channel_id = $1)"
        ),
    }
}

/// The condition for what belongs to a person or a channel.
pub(super) fn belongs(scope: Scope, of: &str) -> String {
    match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!("{of}.user_id = $1"),
        Scope::Space(_) | Scope::Channel(_) => format!("{of}.channel_id IN {}", channels_of(scope)),
    }
}

pub(super) fn condition(scope: Scope, kind: Kind) -> String {
    let is_whole = scope == Scope::Everything;
    match kind {
        Kind::Person | Kind::Agent | Kind::Space | Kind::Channel | Kind::Context | Kind::Usage | Kind::Rule
            if is_whole =>
        {
            "TRUE".to_owned()
        }
        // They are the bot's; and what a run read others may not.
        Kind::Agent => "FALSE".to_owned(),
        Kind::Step if !is_whole => "FALSE".to_owned(),
        Kind::Step => is_of_run(scope),
        Kind::Person => condition_of_people(scope),
        Kind::Space => match scope {
            Scope::Person(_) => format!(
                "(x.id IN (SELECT space_id FROM channels c WHERE {}) OR x.id IN (SELECT origin_space FROM memory_items WHERE user_id = $1)
                  OR x.id IN (SELECT space_id FROM files WHERE user_id = $1))",
                condition_of_channels("c")
            ),
            Scope::Channel(_) => "x.id IN (SELECT space_id FROM channels WHERE id = $1)".to_owned(),
            Scope::Space(_) | Scope::Everything => "x.id = $1".to_owned(),
        },
        Kind::Channel => match scope {
            Scope::Person(_) => condition_of_channels("x"),
            _ => format!("x.id IN {}", channels_of(scope)),
        },
        Kind::Context => match scope {
            Scope::Person(_) => condition_of_contexts("x"),
            _ => format!("x.channel_id IN {}", channels_of(scope)),
        },
        Kind::Run => has_run(scope, "x"),
        Kind::Message => is_said(scope, "x"),
        Kind::Part => format!(
            "EXISTS (SELECT 1 FROM messages m WHERE m.id = x.message_id AND m.direction = 'outbound' AND {})",
            is_said(scope, "m")
        ),
        Kind::Usage => match scope {
            Scope::Person(_) => "x.user_id = $1".to_owned(),
            _ => format!("x.channel_id IN {}", channels_of(scope)),
        },
        Kind::Feedback => match scope {
            Scope::Person(_) => format!("x.user_id = $1 AND {}", is_of_run(scope)),
            _ => is_of_run(scope),
        },
        Kind::Rule => match scope {
            Scope::Person(_) => "x.user_id = $1 AND x.space_id IS NULL AND x.context_id IS NULL".to_owned(),
            Scope::Space(_) => "x.space_id = $1 AND x.user_id IS NULL AND x.context_id IS NULL".to_owned(),
            Scope::Channel(_) | Scope::Everything => "FALSE".to_owned(),
        },
        Kind::MemoryItem => is_remembered(scope, "x"),
        Kind::Setting | Kind::SettingChange => condition_of_settings(scope),
        // A run that sleeps is at work, and a webhook is nothing without its secret.
        Kind::Reminder => format!("x.kind IN ('reminder', 'run') AND NOT x.webhook AND {}", belongs(scope, "x")),
        Kind::Document | Kind::File => belongs(scope, "x"),
    }
}

fn condition_of_people(scope: Scope) -> String {
    if let Scope::Person(_) = scope {
        return "x.id = $1".to_owned();
    }
    let own = channels_of(scope);
    format!(
        "(x.id IN (SELECT user_id FROM messages WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM runs WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM files WHERE channel_id IN {own})
          OR x.id IN (SELECT quoted_user_id FROM messages WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM usage WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM run_feedback f WHERE f.run_id IN (SELECT id FROM runs WHERE channel_id IN {own}))
          OR x.id IN (SELECT user_id FROM triggers WHERE kind <> 'wake' AND channel_id IN {own})
          OR x.id IN (SELECT made_by FROM documents WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM memory_items i WHERE {}))",
        is_remembered(scope, "i")
    )
}

/// The conversations of a person, and those of shared places where they said something, or something is remembered from.
fn condition_of_contexts(of: &str) -> String {
    format!(
        "({of}.channel_id IN (SELECT id FROM channels WHERE user_id = $1)
          OR {of}.id IN (SELECT context_id FROM messages WHERE user_id = $1 AND direction = 'inbound')
          OR {of}.id IN (SELECT context_id FROM memory_items WHERE user_id = $1))"
    )
}

fn condition_of_channels(of: &str) -> String {
    format!(
        "({of}.user_id = $1
          OR {of}.id IN (SELECT channel_id FROM messages WHERE user_id = $1 AND direction = 'inbound')
          OR {of}.id IN (SELECT channel_id FROM contexts t WHERE {})
          OR {of}.id IN (SELECT channel_id FROM files WHERE user_id = $1)
          OR {of}.id IN (SELECT channel_id FROM documents WHERE user_id = $1)
          OR {of}.id IN (SELECT channel_id FROM triggers WHERE kind <> 'wake' AND user_id = $1))",
        condition_of_contexts("t")
    )
}

/// Settings, and their changes: none of what is kept there for a moment, or may be nobody's but the bot's.
fn condition_of_settings(scope: Scope) -> String {
    let of = match scope {
        Scope::Everything => {
            "(x.scope = 'bot' OR x.scope IN (SELECT id FROM users) OR x.scope IN (SELECT id FROM spaces)
              OR x.scope IN (SELECT id FROM channels) OR x.scope IN (SELECT id FROM agents))"
        }
        Scope::Person(_) => "(x.scope = $1 OR x.scope IN (SELECT id FROM channels WHERE user_id = $1))",
        Scope::Space(_) => "(x.scope = $1 OR x.scope IN (SELECT id FROM channels WHERE space_id = $1))",
        Scope::Channel(_) => "x.scope = $1",
    };
    let not: Vec<_> = NOT_TOLD.iter().map(|name| format!("'{name}'")).collect();
    format!("{of} AND x.name NOT IN ({})", not.join(", "))
}

/// The condition that the run of this row is told.
fn is_of_run(scope: Scope) -> String {
    format!(
        "EXISTS (SELECT 1 FROM runs r WHERE r.id = x.run_id AND {})",
        has_run(scope, "r")
    )
}

/// The condition that what is said in one channel may be shown in the other: it is the same, or both are one person's.
/// Questions about a run in a group, for one, are asked in the private chat of whoever decides.
pub(super) fn same_people(one: &str, other: &str) -> String {
    format!(
        "({one} IS NULL OR {one} = {other} OR EXISTS (
             SELECT 1 FROM channels a JOIN channels b ON b.user_id = a.user_id WHERE a.id = {one} AND b.id = {other}))"
    )
}
