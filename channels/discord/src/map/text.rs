//! Discord's `<@id>`, `<#id>`, `<:name:id>` and the like as people read them.

use jiff::Timestamp;

use super::{Me, NameOf, Named, payload::Account};

/// A text without the bot's own mention, with names in place of ids.
pub(super) fn readable(content: &str, me: Me, mentions: &[Account], name_of: NameOf<'_>) -> String {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(start) = rest.find('<') {
        let (before, tail) = rest.split_at(start);
        text.push_str(before);
        let read = tail.find('>').and_then(|end| {
            let name = name(&tail[1..end], me, mentions, name_of)?;
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
fn name(inside: &str, me: Me, mentions: &[Account], name_of: NameOf<'_>) -> Option<String> {
    if let Some(channel) = inside.strip_prefix('#') {
        return name_of(Named::Channel(channel.parse().ok()?)).map(|name| format!("#{name}"));
    }
    if let Some(role) = inside.strip_prefix("@&") {
        let id: u64 = role.parse().ok()?;
        return match me.role == Some(id) {
            true => Some(String::new()),
            false => name_of(Named::Role(id)).map(|name| format!("@{name}")),
        };
    }
    if let Some(user) = inside.strip_prefix('@') {
        let id: u64 = user.strip_prefix('!').unwrap_or(user).parse().ok()?;
        if id == me.user {
            return Some(String::new());
        }
        let user = mentions.iter().find(|user| user.id == id)?;
        return Some(format!("@{}", user.name()));
    }
    if let Some(moment) = inside.strip_prefix("t:") {
        return self::moment(moment);
    }
    if let Some(command) = inside.strip_prefix('/') {
        let (name, id) = command.rsplit_once(':')?;
        return (!name.is_empty() && id.parse::<u64>().is_ok()).then(|| format!("/{name}"));
    }
    let emoji = inside.strip_prefix("a:").or_else(|| inside.strip_prefix(':'))?;
    let (name, id) = emoji.split_once(':')?;
    (!name.is_empty() && id.parse::<u64>().is_ok()).then(|| format!(":{name}:"))
}

/// A moment, which Discord shows in the reader's own time zone: seconds since 1970, and maybe a style.
/// <https://docs.discord.com/developers/reference#message-formatting-timestamp-styles>
fn moment(inside: &str) -> Option<String> {
    let (seconds, style) = inside.split_once(':').unwrap_or((inside, "f"));
    let moment = Timestamp::from_second(seconds.parse().ok()?).ok()?;
    (style.len() == 1).then(|| moment.to_string())
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
            ("ask <@&5>", "ask @Staff"),
            (
                "from <t:1760000000> to <t:1760003600:R>",
                "from 2025-10-09T08:53:20Z to 2025-10-09T09:53:20Z",
            ),
            ("<t:now> <t:1:long> <t:>", "<t:now> <t:1:long> <t:>"),
            ("use </settings show:7> or </new:8>", "use /settings show or /new"),
            ("</new> </:8>", "</new> </:8>"),
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
            let names = |named| match named {
                Named::Channel(5) => Some("general".to_owned()),
                Named::Role(5) => Some("Staff".to_owned()),
                _ => None,
            };
            assert_eq!(
                readable(content, me, std::slice::from_ref(&ada), &names),
                expected,
                "{content}"
            );
        }
    }
}
