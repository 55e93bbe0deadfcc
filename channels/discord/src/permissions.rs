//! The permissions of a guild's member in a channel, as Discord computes them.
//!
//! serenity computes them too (`Guild::user_permissions_in`), but for members who are timed out as for all others, and
//! only from payloads that its types read whole.

use serde::Deserialize;
use serenity::model::permissions::Permissions;

/// Pin and unpin messages, which serenity does not know yet.
pub(crate) const PIN_MESSAGES: Permissions = Permissions::from_bits_retain(1 << 51);
/// Every permission, those that Discord will think of too.
pub(crate) const ALL: Permissions = Permissions::from_bits_retain(u64::MAX);

/// The permissions that a member keeps who is timed out.
const TIMED_OUT: Permissions = Permissions::VIEW_CHANNEL.union(Permissions::READ_MESSAGE_HISTORY);

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
    #[serde(default)]
    pub(crate) name: String,
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

/// A channel's overwrite for a role or a member.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Overwrite {
    pub(crate) id: String,
    pub(crate) allow: String,
    pub(crate) deny: String,
}

/// The permissions of a member in a channel with these overwrites: the owner and administrators all, others what their roles
/// give, changed for everybody, then for their roles together, then for themselves.
pub(crate) fn of_member(
    guild: &Guild,
    user: &str,
    member: &Member,
    overwrites: &[Overwrite],
    now: jiff::Timestamp,
) -> Permissions {
    if guild.owner_id == user {
        return ALL;
    }
    let theirs = |id: &str| member.roles.iter().any(|role| role == id);
    let from_roles = guild
        .roles
        .iter()
        .filter(|role| role.id == guild.id || theirs(&role.id))
        .fold(Permissions::empty(), |all, role| all | bits(&role.permissions));
    if from_roles.administrator() {
        return ALL;
    }
    let change = |before: Permissions, applies: &dyn Fn(&str) -> bool| {
        let none = (Permissions::empty(), Permissions::empty());
        let (allow, deny) = overwrites
            .iter()
            .filter(|overwrite| applies(&overwrite.id))
            .fold(none, |(allow, deny), overwrite| {
                (allow | bits(&overwrite.allow), deny | bits(&overwrite.deny))
            });
        before.difference(deny) | allow
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
fn bits(text: &str) -> Permissions {
    Permissions::from_bits_retain(text.parse().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Permissions = Permissions::empty();
    const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

    fn guild() -> Guild {
        let role = |id: &str, permissions: Permissions| Role {
            id: id.to_owned(),
            name: String::new(),
            permissions: permissions.bits().to_string(),
        };
        Guild {
            id: "1".to_owned(),
            owner_id: "100".to_owned(),
            roles: vec![
                role("1", Permissions::VIEW_CHANNEL | Permissions::READ_MESSAGE_HISTORY),
                role("2", Permissions::SEND_MESSAGES),
                role("3", Permissions::ADMINISTRATOR),
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

    fn overwrite(id: &str, allow: Permissions, deny: Permissions) -> Overwrite {
        Overwrite {
            id: id.to_owned(),
            allow: allow.bits().to_string(),
            deny: deny.bits().to_string(),
        }
    }

    #[test]
    fn permissions_are_reckoned_from_roles_and_overwrites_in_order() {
        let base = Permissions::VIEW_CHANNEL | Permissions::READ_MESSAGE_HISTORY;
        type Case<'a> = (&'a str, &'a [&'a str], Vec<Overwrite>, Permissions);
        let cases: [Case<'_>; 9] = [
            ("200", &[], vec![], base),
            (
                "200",
                &["2", "4"],
                vec![],
                base | Permissions::SEND_MESSAGES | PIN_MESSAGES,
            ),
            ("100", &[], vec![overwrite("1", NONE, ALL)], ALL),
            ("200", &["3"], vec![overwrite("200", NONE, ALL)], ALL),
            // Everybody is kept out, a role is let in again.
            (
                "200",
                &["2"],
                vec![
                    overwrite("1", NONE, Permissions::VIEW_CHANNEL),
                    overwrite("2", Permissions::VIEW_CHANNEL, NONE),
                ],
                base | Permissions::SEND_MESSAGES,
            ),
            (
                "200",
                &[],
                vec![
                    overwrite("1", NONE, Permissions::VIEW_CHANNEL),
                    overwrite("2", Permissions::VIEW_CHANNEL, NONE),
                ],
                Permissions::READ_MESSAGE_HISTORY,
            ),
            // Of two roles the one that allows wins.
            (
                "200",
                &["2", "4"],
                vec![
                    overwrite("2", NONE, Permissions::SEND_POLLS),
                    overwrite("4", Permissions::SEND_POLLS, NONE),
                ],
                base | Permissions::SEND_MESSAGES | PIN_MESSAGES | Permissions::SEND_POLLS,
            ),
            // The member's own overwrite goes last.
            (
                "200",
                &["2"],
                vec![
                    overwrite("200", NONE, Permissions::SEND_MESSAGES),
                    overwrite("2", Permissions::SEND_MESSAGES, NONE),
                ],
                base,
            ),
            ("200", &[], vec![overwrite("300", ALL, NONE)], base),
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
