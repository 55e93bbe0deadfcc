//! What a member of a guild may do in a channel, as Discord reckons it.

use serde::Deserialize;

/// Manage the server.
pub(crate) const MANAGE_GUILD: u64 = 1 << 5;
/// See the channel.
pub(crate) const VIEW_CHANNEL: u64 = 1 << 10;
/// Write in it.
pub(crate) const SEND_MESSAGES: u64 = 1 << 11;
/// Read what was said before.
pub(crate) const READ_MESSAGE_HISTORY: u64 = 1 << 16;
/// Manage threads, and see private ones.
pub(crate) const MANAGE_THREADS: u64 = 1 << 34;
/// Begin threads that everybody sees.
pub(crate) const CREATE_PUBLIC_THREADS: u64 = 1 << 35;
/// Write in threads.
pub(crate) const SEND_MESSAGES_IN_THREADS: u64 = 1 << 38;
/// Ask by polls.
pub(crate) const SEND_POLLS: u64 = 1 << 49;
/// Pin and unpin.
pub(crate) const PIN_MESSAGES: u64 = 1 << 51;

const ADMINISTRATOR: u64 = 1 << 3;
/// What is left to a member who is timed out.
const TIMED_OUT: u64 = VIEW_CHANNEL | READ_MESSAGE_HISTORY;

/// A guild, as far as rights go.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Guild {
    pub(crate) id: String,
    pub(crate) owner_id: String,
    pub(crate) roles: Vec<Role>,
}

/// A role of a guild. That of everybody has the guild's id.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Role {
    pub(crate) id: String,
    pub(crate) permissions: String,
}

/// A member of a guild.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Member {
    pub(crate) roles: Vec<String>,
    /// Until when they are timed out (ISO 8601).
    #[serde(default)]
    pub(crate) communication_disabled_until: Option<jiff::Timestamp>,
}

/// What a channel changes for a role or a member.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Overwrite {
    pub(crate) id: String,
    pub(crate) allow: String,
    pub(crate) deny: String,
}

/// What a member may do in a channel with these overwrites: the owner and administrators all, others what their roles
/// give, changed for everybody, then for their roles together, then for themselves.
pub(crate) fn of_member(
    guild: &Guild,
    user: &str,
    member: &Member,
    overwrites: &[Overwrite],
    now: jiff::Timestamp,
) -> u64 {
    if guild.owner_id == user {
        return u64::MAX;
    }
    let theirs = |id: &str| member.roles.iter().any(|role| role == id);
    let from_roles = guild
        .roles
        .iter()
        .filter(|role| role.id == guild.id || theirs(&role.id))
        .fold(0, |all, role| all | bits(&role.permissions));
    if from_roles & ADMINISTRATOR != 0 {
        return u64::MAX;
    }
    let change = |before: u64, applies: &dyn Fn(&str) -> bool| {
        let (allow, deny) = overwrites
            .iter()
            .filter(|overwrite| applies(&overwrite.id))
            .fold((0, 0), |(allow, deny), overwrite| {
                (allow | bits(&overwrite.allow), deny | bits(&overwrite.deny))
            });
        (before & !deny) | allow
    };
    let for_everybody = change(from_roles, &|id| id == guild.id);
    let for_roles = change(for_everybody, &|id| id != guild.id && theirs(id));
    let permissions = change(for_roles, &|id| id == user);
    let is_timed_out = member.communication_disabled_until.is_some_and(|until| until > now);
    if is_timed_out {
        permissions & TIMED_OUT
    } else {
        permissions
    }
}

/// Permissions come as decimal text; what is none gives nothing.
fn bits(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

    fn guild() -> Guild {
        let role = |id: &str, permissions: u64| Role {
            id: id.to_owned(),
            permissions: permissions.to_string(),
        };
        Guild {
            id: "1".to_owned(),
            owner_id: "100".to_owned(),
            roles: vec![
                role("1", VIEW_CHANNEL | READ_MESSAGE_HISTORY),
                role("2", SEND_MESSAGES),
                role("3", ADMINISTRATOR),
                role("4", PIN_MESSAGES),
            ],
        }
    }

    fn member(roles: &[&str]) -> Member {
        Member {
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            communication_disabled_until: None,
        }
    }

    fn overwrite(id: &str, allow: u64, deny: u64) -> Overwrite {
        Overwrite {
            id: id.to_owned(),
            allow: allow.to_string(),
            deny: deny.to_string(),
        }
    }

    #[test]
    fn permissions_are_reckoned_from_roles_and_overwrites_in_order() {
        let base = VIEW_CHANNEL | READ_MESSAGE_HISTORY;
        type Case<'a> = (&'a str, &'a [&'a str], Vec<Overwrite>, u64);
        let cases: [Case<'_>; 9] = [
            ("200", &[], vec![], base),
            ("200", &["2", "4"], vec![], base | SEND_MESSAGES | PIN_MESSAGES),
            ("100", &[], vec![overwrite("1", 0, u64::MAX)], u64::MAX),
            ("200", &["3"], vec![overwrite("200", 0, u64::MAX)], u64::MAX),
            // Everybody is kept out, a role is let in again.
            (
                "200",
                &["2"],
                vec![overwrite("1", 0, VIEW_CHANNEL), overwrite("2", VIEW_CHANNEL, 0)],
                base | SEND_MESSAGES,
            ),
            (
                "200",
                &[],
                vec![overwrite("1", 0, VIEW_CHANNEL), overwrite("2", VIEW_CHANNEL, 0)],
                READ_MESSAGE_HISTORY,
            ),
            // Of two roles the one that allows wins.
            (
                "200",
                &["2", "4"],
                vec![overwrite("2", 0, SEND_POLLS), overwrite("4", SEND_POLLS, 0)],
                base | SEND_MESSAGES | PIN_MESSAGES | SEND_POLLS,
            ),
            // What is said of the member goes last.
            (
                "200",
                &["2"],
                vec![overwrite("200", 0, SEND_MESSAGES), overwrite("2", SEND_MESSAGES, 0)],
                base,
            ),
            ("200", &[], vec![overwrite("300", u64::MAX, 0)], base),
        ];
        for (user, roles, overwrites, expected) in cases {
            let found = of_member(&guild(), user, &member(roles), &overwrites, NOW);
            assert_eq!(found, expected, "{user} {roles:?} {overwrites:?}");
        }
    }

    #[test]
    fn who_is_timed_out_only_looks() {
        let mut member = member(&["2", "4"]);
        member.communication_disabled_until = "2030-01-01T00:00:00Z".parse().ok();
        assert_eq!(of_member(&guild(), "200", &member, &[], NOW), TIMED_OUT);
    }
}
