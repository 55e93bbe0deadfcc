//! Discord's `<@id>`, `<#id>` and `<:name:id>` as people read them.

use super::{ChannelName, Me, payload::Account};

/// A text without the bot's own mention, with names in place of ids.
pub(super) fn readable(content: &str, me: Me, mentions: &[Account], channel_name: ChannelName<'_>) -> String {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(start) = rest.find('<') {
        let (before, tail) = rest.split_at(start);
        text.push_str(before);
        let read = tail.find('>').and_then(|end| {
            let name = name(&tail[1..end], me, mentions, channel_name)?;
            Some((name, end + 1))
        });
        match read {
            Some((name, end)) => {
                text.push_str(&name);
                rest = &tail[end..];
                // The text around the bot's own mention closes up.
                if name.is_empty() && (text.is_empty() || text.ends_with(char::is_whitespace)) {
                    rest = rest.strip_prefix(' ').unwrap_or(rest);
                }
            }
            None => {
                text.push('<');
                rest = &tail[1..];
            }
        }
    }
    text.push_str(rest);
    text.trim().to_owned()
}

/// Whether a text names this account.
pub(super) fn names(content: &str, id: u64) -> bool {
    content.contains(&format!("<@{id}>")) || content.contains(&format!("<@!{id}>"))
}

/// Whether a text names this role.
pub(super) fn names_role(content: &str, role: u64) -> bool {
    content.contains(&format!("<@&{role}>"))
}

/// The name for the inside of `<…>`; `None` if it is left as it is.
fn name(inside: &str, me: Me, mentions: &[Account], channel_name: ChannelName<'_>) -> Option<String> {
    if let Some(channel) = inside.strip_prefix('#') {
        return channel_name(channel.parse().ok()?).map(|name| format!("#{name}"));
    }
    if let Some(role) = inside.strip_prefix("@&") {
        let id: u64 = role.parse().ok()?;
        return (me.role == Some(id)).then(String::new);
    }
    if let Some(user) = inside.strip_prefix('@') {
        let id: u64 = user.strip_prefix('!').unwrap_or(user).parse().ok()?;
        if id == me.user {
            return Some(String::new());
        }
        let user = mentions.iter().find(|user| user.id == id)?;
        return Some(format!("@{}", user.name()));
    }
    let emoji = inside.strip_prefix("a:").or_else(|| inside.strip_prefix(':'))?;
    let (name, id) = emoji.split_once(':')?;
    (!name.is_empty() && id.parse::<u64>().is_ok()).then(|| format!(":{name}:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names_and_the_bots_own_mention_goes() {
        let me = Me {
            user: 1,
            application: 9,
            role: Some(8),
        };
        let ada = Account {
            id: 2,
            username: "ada".to_owned(),
            global_name: Some("Ada".to_owned()),
            is_bot: false,
        };
        let cases = [
            ("<@1> hello", "hello"),
            ("<@!1>  hello", "hello"),
            ("well, <@1> what now", "well, what now"),
            ("well <@1>, what now", "well , what now"),
            ("hello <@1>", "hello"),
            ("ask <@2> and <@!2>", "ask @Ada and @Ada"),
            ("ask <@3>, <@&4>", "ask <@3>, <@&4>"),
            ("<@&8> hello", "hello"),
            ("see <#5> not <#6>", "see #general not <#6>"),
            ("<:wave:7> <a:dance:8> <:x:y>", ":wave: :dance: <:x:y>"),
            ("1 < 2 and a<b>c <<@1>>", "1 < 2 and a<b>c <>"),
            ("<", "<"),
            ("<@", "<@"),
            ("für <@2>…", "für @Ada…"),
            ("", ""),
        ];
        for (content, expected) in cases {
            let channels = |id| (id == 5).then(|| "general".to_owned());
            assert_eq!(
                readable(content, me, std::slice::from_ref(&ada), &channels),
                expected,
                "{content}"
            );
        }
    }
}
