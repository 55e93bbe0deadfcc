//! Settings that are kept in the database, by scope and name.

use clifford_chat::inbound::Place;
use clifford_core::{
    access::PlaceRules,
    clock::Timestamp,
    id::{AgentId, ChannelId, SpaceId, UserId},
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, Tx, db::conn::Statement};

/// The scope of what concerns the whole bot.
pub const BOT: &str = "bot";
/// In a person's scope: what they type to have everything of theirs deleted, and until when.
pub const ERASE_CODE: &str = "erase_code";
/// The setting of a person that holds what they were asked about their accounts.
pub const ACCOUNTS_CODE: &str = "accounts_code";

/// In the bot's scope: when a process last asked the database whether it takes writes.
pub const LAST_READY_CHECK: &str = "last_ready_check";

/// Stands before the name of a setting that holds for one person alone.
pub const OWN: &str = "own.";

/// In the scope of a group or server: whether everybody there may talk to the bot, as an owner decided.
pub const EVERYBODY: &str = "everybody";

/// A setting's value.
pub async fn get(conn: &mut Conn, scope: &str, name: &str) -> Result<Option<String>, StoreError> {
    let row: Option<(String,)> = conn
        .fetch_optional(
            "SELECT value FROM settings WHERE scope = $1 AND name = $2",
            args![scope, name],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

/// Sets a value.
pub async fn put(tx: &mut Tx, scope: &str, name: &str, value: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO settings (scope, name, value, updated_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        args![scope, name, value, now],
    )
    .await?;
    Ok(())
}

/// Removes a setting that has this value. `false`: it has not.
pub async fn take(tx: &mut Tx, scope: &str, name: &str, value: &str) -> Result<bool, StoreError> {
    let taken = tx
        .execute(
            "DELETE FROM settings WHERE scope = $1 AND name = $2 AND value = $3",
            args![scope, name, value],
        )
        .await?;
    Ok(taken == 1)
}

/// Removes a setting. `false`: there is none.
pub async fn unset(tx: &mut Tx, scope: &str, name: &str) -> Result<bool, StoreError> {
    let removed = tx
        .execute(
            "DELETE FROM settings WHERE scope = $1 AND name = $2",
            args![scope, name],
        )
        .await?;
    Ok(removed == 1)
}

/// In how many scopes a setting was set since then.
pub async fn set_since(conn: &mut Conn, name: &str, since: Timestamp) -> Result<i64, StoreError> {
    let (count,): (i64,) = conn
        .fetch_one(
            "SELECT COUNT(*) FROM settings WHERE name = $1 AND updated_at >= $2",
            args![name, since],
        )
        .await?;
    Ok(count)
}

/// All that is set in a scope, by name.
pub async fn of_scope(conn: &mut Conn, scope: &str) -> Result<Vec<Setting>, StoreError> {
    conn.fetch_all(
        "SELECT name, value FROM settings WHERE scope = $1 ORDER BY name",
        args![scope],
    )
    .await
}

/// Whether a space is known.
pub async fn has_space(conn: &mut Conn, id: SpaceId) -> Result<bool, StoreError> {
    conn.exists("SELECT CAST(1 AS BIGINT) FROM spaces WHERE id = $1", args![id])
        .await
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// A setting of this name and value.
    pub fn new(name: &str, value: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }
}

/// Where a run is and who it is for, as far as settings go by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The channel, with its space.
    pub place: Option<(ChannelId, Option<SpaceId>)>,
    /// The agent. Only what is set for tools is looked up in its scope.
    pub agent: Option<AgentId>,
    /// The person. Only what is set for tools is looked up in their scope, and what they set for themselves: that has a
    /// name beginning with [`OWN`].
    pub user: Option<UserId>,
}

/// The settings around a run: the bot's first, then its space's, those of the channel that it is a thread of, its
/// channel's, agent's and person's.
pub async fn around(conn: &mut Conn, around: Around) -> Result<Vec<Setting>, StoreError> {
    let (sql, args) = ask_around(around);
    conn.fetch_all(sql, args).await
}

/// The settings of a channel, its space and the bot: the bot's first, the channel's last.
pub async fn of_place(conn: &mut Conn, space: Option<SpaceId>, channel: ChannelId) -> Result<Vec<Setting>, StoreError> {
    let place = Around {
        place: Some((channel, space)),
        ..Around::default()
    };
    around(conn, place).await
}

/// The settings of a place by the platform's ids, as [`of_place`].
pub async fn at_place(conn: &mut Conn, place: &Place) -> Result<Vec<Setting>, StoreError> {
    let space = place.space.as_ref().map(|space| space.external_id.as_str());
    let sql = "SELECT s.name, s.value FROM settings s
               LEFT JOIN spaces p ON p.id = s.scope LEFT JOIN channels c ON c.id = s.scope
               WHERE s.scope = $1 OR (p.platform = $2 AND p.external_id = $3)
                   OR (c.platform = $2 AND c.external_id IN ($4, $5))
               ORDER BY CASE WHEN s.scope = $1 THEN 0 WHEN p.id IS NOT NULL THEN 1 WHEN c.external_id = $5 THEN 2 ELSE 3 END";
    let args = args![
        BOT,
        place.platform.as_str(),
        space,
        place.external_id.as_str(),
        place.parent.as_deref()
    ];
    conn.fetch_all(sql, args).await
}

/// The language that is set for a place (BCP 47), by the platform's ids.
pub(crate) async fn language_at(conn: &mut Conn, place: &Place) -> Result<Option<String>, StoreError> {
    let nearest = at_place(conn, place)
        .await?
        .into_iter()
        .rev()
        .find(|row| row.name == "language");
    Ok(nearest.map(|row| row.value))
}

/// The language that is set for a channel, or for its space.
pub(crate) async fn language_of(conn: &mut Conn, channel: ChannelId) -> Result<Option<String>, StoreError> {
    let row: Option<(String,)> = conn
        .fetch_optional(
            "SELECT s.value FROM channels c JOIN settings s ON s.scope IN (c.id, c.parent_id, c.space_id)
             WHERE c.id = $1 AND s.name = 'language'
             ORDER BY CASE s.scope WHEN c.id THEN 0 WHEN c.parent_id THEN 1 ELSE 2 END LIMIT 1",
            args![channel],
        )
        .await?;
    Ok(row.map(|row| row.0))
}

pub(crate) fn ask_around(around: Around) -> Statement {
    let (channel, space) = around
        .place
        .map_or((None, None), |(channel, space)| (Some(channel), space));
    (
        "SELECT CASE WHEN scope = $5 AND name NOT LIKE 'tool.%' THEN 'own.' || name ELSE name END AS name, value
         FROM settings
         WHERE scope IN ($1, $2, $3, (SELECT c.parent_id FROM channels c WHERE c.id = $3))
             OR scope IN ($4, $5) AND name LIKE 'tool.%' OR scope = $5 AND name IN ('memory', 'model')
         ORDER BY CASE scope WHEN $1 THEN 0 WHEN $2 THEN 1 WHEN $3 THEN 3 WHEN $4 THEN 4 WHEN $5 THEN 5 ELSE 2 END"
            .to_owned(),
        args![BOT, space, channel, around.agent, around.user],
    )
}

/// The rules of a place, as columns of a row: what [`ask_rules`] and the look-up of a plain message read.
const RULES: &str = "'speaks', 'use_roles', 'approve_roles', 'mode', 'everybody', 'other_bots'";
/// Between the fields of a row that is one text, and between such rows.
const FIELDS: char = '\u{1f}';
const ROWS: char = '\u{1e}';

/// SQL of the rules of a channel, its parent and its space as one text, for [`rules_of_text`].
pub(crate) fn rules_sql(channel: &str, parent: &str, space: &str, is_postgres: bool) -> String {
    let (join, code) = match is_postgres {
        true => ("STRING_AGG", "CHR"),
        false => ("GROUP_CONCAT", "CHAR"),
    };
    let (fields, rows) = (u32::from(FIELDS), u32::from(ROWS));
    format!(
        "(SELECT {join}(CASE WHEN r.scope = {channel} THEN '2' WHEN r.scope = {parent} THEN '1' ELSE '0' END
                        || {code}({fields}) || r.name || {code}({fields}) || r.value, {code}({rows}))
          FROM settings r WHERE r.scope IN ({channel}, {parent}, {space}) AND r.name IN ({RULES}))"
    )
}

/// The rules of [such a text](rules_sql).
pub(crate) fn rules_of_text(text: Option<&str>) -> PlaceRules {
    let mut rows: Vec<(u8, Setting)> = (text.unwrap_or_default().split(ROWS))
        .filter_map(|row| {
            let mut fields = row.splitn(3, FIELDS);
            let near = fields.next()?.parse().ok()?;
            Some((near, Setting::new(fields.next()?, fields.next()?)))
        })
        .collect();
    rows.sort_by_key(|(near, _)| *near);
    rules_of(rows.into_iter().map(|(_, row)| row))
}

/// The rules among the rows of a place, farthest first. A value that cannot be read is passed over.
fn rules_of(rows: impl IntoIterator<Item = Setting>) -> PlaceRules {
    let mut rules = PlaceRules::default();
    for Setting { name, value } in rows {
        match name.as_str() {
            "speaks" => rules.speaks = value.parse().ok().or(rules.speaks),
            "mode" => rules.mode = value.parse().ok().or(rules.mode),
            "use_roles" => rules.use_roles = list_entries(&value),
            "approve_roles" => rules.approve_roles = list_entries(&value),
            "other_bots" => rules.other_bots = value.parse().unwrap_or(rules.other_bots),
            EVERYBODY => rules.everybody = value.parse().ok().or(rules.everybody),
            _ => {}
        }
    }
    rules
}

/// The entries of a list, as a setting holds one.
pub fn list_entries(value: &str) -> Vec<String> {
    let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(str::to_owned).collect()
}

/// Asks for the rules of a place by the platform's ids: of a channel, of the one that it is a thread of, and of the space
/// that it is in. The channel need not be known yet.
pub(crate) fn ask_rules(platform: &str, place: &str, parent: Option<&str>, space: Option<&str>) -> Statement {
    (
        format!(
            "SELECT s.name, s.value FROM settings s
             LEFT JOIN channels c ON c.id = s.scope AND c.platform = $1 AND c.external_id IN ($2, $4)
             LEFT JOIN spaces p ON p.id = s.scope AND p.platform = $1 AND p.external_id = $3
             WHERE s.name IN ({RULES}) AND (c.id IS NOT NULL OR p.id IS NOT NULL)
             ORDER BY CASE WHEN c.id IS NULL THEN 0 WHEN c.external_id = $4 THEN 1 ELSE 2 END"
        ),
        args![platform, place, space.map(str::to_owned), parent.map(str::to_owned)],
    )
}

/// The rules of a place, by the platform's ids.
pub async fn rules(conn: &mut Conn, place: &Place) -> Result<PlaceRules, StoreError> {
    let space = place.space.as_ref().map(|space| space.external_id.as_str());
    let (sql, args) = ask_rules(
        place.platform.as_str(),
        &place.external_id,
        place.parent.as_deref(),
        space,
    );
    let rows: Vec<Setting> = conn.fetch_all(sql, args).await?;
    Ok(rules_of(rows))
}

/// The rules in rows that [`ask_rules`] asked for.
pub(crate) fn rules_in(rows: Vec<Setting>) -> PlaceRules {
    rules_of(rows)
}

/// The platform's ids of the channels and spaces in which every message is answered.
pub async fn always(conn: &mut Conn) -> Result<Vec<(String, String)>, StoreError> {
    conn.fetch_all(
        "SELECT c.platform, c.external_id FROM settings s JOIN channels c ON c.id = s.scope
         WHERE s.name = 'speaks' AND s.value = 'always'
         UNION ALL
         SELECT p.platform, p.external_id FROM settings s JOIN spaces p ON p.id = s.scope
         WHERE s.name = 'speaks' AND s.value = 'always'",
        args![],
    )
    .await
}

#[cfg(test)]
mod tests {
    use clifford_core::places::{Mode, Speaks};

    use super::*;

    #[test]
    fn the_nearest_rule_holds_and_one_that_cannot_be_read_is_passed_over() {
        let text = "2\u{1f}speaks\u{1f}never\u{1e}0\u{1f}speaks\u{1f}always\u{1e}1\u{1f}use_roles\u{1f}Staff, 42\u{1e}\
                    0\u{1f}use_roles\u{1f}Crew\u{1e}2\u{1f}mode\u{1f}sometimes\u{1e}0\u{1f}mode\u{1f}chat\u{1e}\
                    0\u{1f}everybody\u{1f}true\u{1e}2\u{1f}other_bots\u{1f}true";
        let expected = PlaceRules {
            speaks: Some(Speaks::Never),
            use_roles: vec!["Staff".to_owned(), "42".to_owned()],
            approve_roles: Vec::new(),
            mode: Some(Mode::Chat),
            everybody: Some(true),
            other_bots: true,
        };
        assert_eq!(rules_of_text(Some(text)), expected);
        assert_eq!(rules_of_text(None), PlaceRules::default());
        assert_eq!(rules_of_text(Some("")), PlaceRules::default());
    }
}
