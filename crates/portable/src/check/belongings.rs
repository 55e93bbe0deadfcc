//! Checks of records that belong to people, places and the bot, other than messages.

use clifford_core::{
    id::{AgentId, ChannelId, SpaceId, UserId},
    memory::levels::{self, LONGEST_KEY, MODULES},
    schedule::cron,
};
use clifford_store::{
    places::settings::BOT,
    portable::{Agent, Document, File, MemoryItem, Reminder, Rule, Setting, SettingChange},
};
use uuid::Uuid;

use super::{Checked, Verdict, short, shorts};

impl Checked {
    pub(super) fn item(&mut self, row: &MemoryItem) -> Verdict {
        self.user(Some(row.user_id))?;
        self.space_of(row.origin_space)?;
        self.context_in(None, row.context_id)?;
        let Some(level) = levels::of(row.level) else {
            return Err(format!("there is no level {}", row.level));
        };
        if !MODULES.contains(&row.module.as_str()) {
            return Err(format!(
                "`{}` is none of {}",
                crate::tree::excerpt(&row.module),
                MODULES.join(", ")
            ));
        }
        if row.key.is_empty() || row.key.chars().count() > LONGEST_KEY {
            return Err(format!("a key has 1 to {LONGEST_KEY} characters"));
        }
        if row.value.chars().count() > 4 * level.characters {
            return Err(format!(
                "a value of level {} has at most {} characters",
                row.level, level.characters
            ));
        }
        if !(0.0..=1.0).contains(&row.confidence) {
            return Err("confidence is between 0 and 1".to_owned());
        }
        self.belongings.entry(row.user_id).or_default().items += 1;
        Ok(())
    }

    pub(super) fn setting(&self, row: &Setting) -> Verdict {
        short("name", &row.name)?;
        self.scope(&row.scope)
    }

    pub(super) fn setting_change(&self, row: &SettingChange) -> Verdict {
        short("name", &row.name)?;
        self.user(row.user_id)?;
        self.scope(&row.scope)
    }

    /// Checks the scope of a setting.
    fn scope(&self, scope: &str) -> Verdict {
        if scope == BOT {
            return Ok(());
        }
        let id: Uuid = scope
            .parse()
            .map_err(|_| "a setting is of a person, a space, a channel, an agent or the bot".to_owned())?;
        let is_known = self.people.contains_key(&UserId(id))
            || self.spaces.contains_key(&SpaceId(id))
            || self.channels.contains_key(&ChannelId(id))
            || self.agents.contains_key(&AgentId(id));
        if !is_known {
            return Err(format!("it is of {id}, which does not come before it"));
        }
        Ok(())
    }

    pub(super) fn agent(&mut self, row: &Agent) -> Verdict {
        short("name", &row.name)?;
        if row.name.is_empty() || row.prompts.iter().any(|prompt| prompt.version < 1) {
            return Err("an agent has a name, and the versions of its prompt count from 1".to_owned());
        }
        self.agents.insert(row.id, row.name.clone());
        Ok(())
    }

    /// A rule that nobody can read would stop every call.
    pub(super) fn rule(&self, row: &Rule) -> Verdict {
        self.user(row.user_id)?;
        self.space_of(row.space_id)?;
        self.context_in(None, row.context_id)?;
        let roles = row
            .platform_roles
            .clone()
            .map(|roles| serde_json::from_value::<Vec<String>>(roles.0));
        let read = serde_json::from_value::<clifford_core::policy::Rule>(row.rule.0.clone());
        match (read, roles.transpose()) {
            (Ok(_), Ok(_)) => Ok(()),
            (Err(why), _) | (_, Err(why)) => Err(format!("no rule of this Clifford: {why}")),
        }
    }

    pub(super) fn document(&mut self, row: &Document) -> Verdict {
        short("title", &row.title)?;
        self.user(row.user_id)?;
        self.user(row.made_by)?;
        if row.user_id.is_some() == row.channel_id.is_some() {
            return Err("a document belongs either to a person or to a channel".to_owned());
        }
        self.file_in(row.channel_id)
    }

    pub(super) fn reminder(&mut self, row: &Reminder) -> Verdict {
        if !["reminder", "run"].contains(&row.kind.as_str()) {
            return Err("kind is `reminder` or `run`".to_owned());
        }
        shorts([("name", row.name.as_deref()), ("createdBy", row.created_by.as_deref())])?;
        self.user(row.user_id)?;
        self.agent_of(row.agent_id)?;
        self.context_in(row.channel_id, row.context_id)?;
        if let Some(id) = row.channel_id {
            self.channel_of(id)?;
        }
        cron::zone(&row.time_zone)?;
        if !["once", "skip"].contains(&row.catch_up.as_str()) {
            return Err("catchUp is `once` or `skip`".to_owned());
        }
        if let Some(cron) = &row.cron {
            cron::next_occurrence(cron, &row.time_zone, self.now)?;
        }
        if let Some(user) = row.user_id {
            self.belongings.entry(user).or_default().reminders += 1;
        }
        Ok(())
    }

    fn file_in(&mut self, channel: Option<ChannelId>) -> Verdict {
        if let Some(id) = channel {
            self.channel_of(id)?;
            if let Some(known) = self.channels.get_mut(&id) {
                known.files += 1;
            }
        }
        Ok(())
    }

    pub(super) fn file(&mut self, row: &File) -> Verdict {
        shorts([
            ("name", Some(row.name.as_str())),
            ("mediaType", row.media_type.as_deref()),
            ("cameAs", row.came_as.as_deref()),
        ])?;
        self.user(row.user_id)?;
        self.space_of(row.space_id)?;
        if row.size.is_some_and(|size| size < 0) {
            return Err("size is below 0".to_owned());
        }
        self.file_in(row.channel_id)
    }
}
