//! A rule: the calls that it matches, and the verdict on them. The same in `bot.toml`, the database and the API, whose
//! names are in camelCase.

use clifford_chat::role::{PlatformRole, any_named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::condition::{Condition, Hours, wild};
use crate::{
    clock::Timestamp,
    id::{ContextId, SpaceId, UserId},
    people::UserRole,
    policy::class::Class,
    runs::RunKind,
};

/// A rule about tool calls: all of its conditions must fit. A condition that is left out fits every call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = PolicyRule)]
pub struct Rule {
    /// A name of your choice.
    #[schemars(example = "no deleting at night")]
    pub name: String,
    /// The rule with the highest priority decides; of two with the same, the stricter.
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: i32,
    /// The verdict on the call: `allow`, `allow_tainted` (even of a run that has read words from outside), `confirm`
    /// (a person is asked), `deny`, `limit` (at most `calls` in each `per`).
    pub action: Action,
    /// Commands: `web.fetch`, `web.*`, `*.delete`, or a whole tool as `web`.
    pub tools: Vec<String>,
    /// Classes of commands.
    pub classes: Vec<Class>,
    /// Conditions on arguments, such as `amount > 100`, `path = /etc/*`, `to.name != me`.
    pub args: Vec<String>,
    /// Kinds of runs: `coordinator`, `subagent`.
    pub kinds: Vec<RunKind>,
    /// Platforms, such as `discord`.
    pub platforms: Vec<String>,
    /// `private`: one person and the bot. `shared`: others read along.
    pub places: Vec<Place>,
    /// A group or server, by its id here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", example = "0198f2c4-7d1e-7000-8000-000000000001")]
    #[schema(value_type = Option<String>)]
    pub space: Option<SpaceId>,
    /// A conversation, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", example = "0198f2c4-7d1e-7000-8000-000000000002")]
    #[schema(value_type = Option<String>)]
    pub context: Option<ContextId>,
    /// A person, by their id here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", example = "0198f2c4-7d1e-7000-8000-000000000003")]
    #[schema(value_type = Option<String>)]
    pub user: Option<UserId>,
    /// Roles of the person who asked: `owner`, `member`, `stranger`.
    pub roles: Vec<UserRole>,
    /// Roles of the platform that the person who asked has where they ask, by id or name: those of a Discord server,
    /// such as `Moderator`; in a Telegram group `owner`, `administrator`, or an administrator's title.
    #[serde(alias = "platformRoles", skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = ["Moderator"])]
    #[schema(rename = "platformRoles")]
    pub platform_roles: Vec<String>,
    /// The time of day, such as `22:00-06:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = "22:00-06:00")]
    pub hours: Option<String>,
    /// Days of the week: `mon` to `sun`.
    pub days: Vec<Day>,
    /// The time zone of `hours` and `days` (an IANA name); without it, that of `[engine]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "time-zone"), example = "Europe/Berlin")]
    pub zone: Option<String>,
    /// The most calls, for `limit`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub calls: u32,
    /// The period of `limit`, counted back from the call: `minute`, `hour`, `day`, `month` (30 days).
    pub per: Per,
    /// The subject of the count, for `limit`: `user`, `space`, `bot`.
    pub by: By,
    /// The reason, for the person who is refused or asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = "backups run at night")]
    pub reason: Option<String>,
}

/// Every call.
const ANY: &str = "*";

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(rename_all = "snake_case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }
    )*};
}

words! {
    /// The verdict on a call that a rule fits.
    Action {
        /// It is made, unless the run has read words from outside and the command does more than read.
        Allow,
        /// It is made, whatever the run has read.
        AllowTainted,
        /// A person is asked.
        #[default]
        Confirm,
        /// It is refused.
        Deny,
        /// It is refused once there were too many; else the rules behind this one decide.
        Limit,
    }
    /// The readers of the place.
    Place {
        /// One person and the bot.
        #[default]
        Private,
        /// Others read along.
        Shared,
    }
    /// In which time calls are counted.
    Per {
        /// 60 seconds.
        Minute,
        /// 60 minutes.
        Hour,
        /// 24 hours.
        #[default]
        Day,
        /// 30 days.
        Month,
    }
    /// The subject of the count.
    By {
        /// The person who asked.
        #[default]
        User,
        /// The group or server; in private, the person.
        Space,
        /// Everybody.
        Bot,
    }
    /// A day of the week.
    Day {
        /// Monday.
        #[default]
        Mon,
        /// Tuesday.
        Tue,
        /// Wednesday.
        Wed,
        /// Thursday.
        Thu,
        /// Friday.
        Fri,
        /// Saturday.
        Sat,
        /// Sunday.
        Sun,
    }
}

impl Per {
    /// How long it is.
    pub const fn length(self) -> std::time::Duration {
        let seconds = match self {
            Self::Minute => 60,
            Self::Hour => 3600,
            Self::Day => 86_400,
            Self::Month => 30 * 86_400,
        };
        std::time::Duration::from_secs(seconds)
    }

    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Month => "month",
        }
    }
}

impl Rule {
    /// The rule that takes the place of a question which a person answered for good: this command is called in this
    /// conversation, where the same person asks. It has no more weight than other rules: where one of those wants such
    /// a call confirmed, it is still asked for.
    pub fn always(command: &str, context: ContextId, user: UserId) -> Self {
        Self {
            name: format!("{command}, approved in chat"),
            action: Action::Allow,
            tools: vec![command.to_owned()],
            context: Some(context),
            user: Some(user),
            ..Self::default()
        }
    }

    /// What it is about, in the words of `bot.toml`: a rule without a name is told by it. Ids are left out.
    pub fn terms(&self) -> String {
        const TERMS: [&str; 10] = [
            "tools",
            "classes",
            "args",
            "kinds",
            "platforms",
            "places",
            "roles",
            "platform_roles",
            "hours",
            "days",
        ];
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else {
            return ANY.to_owned();
        };
        let told = TERMS.iter().filter_map(|name| match fields.get(*name)? {
            Value::String(text) => Some(text.clone()),
            Value::Array(items) => Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
            _ => None,
        });
        let told: Vec<_> = told.filter(|term| !term.is_empty()).collect();
        match told.is_empty() {
            true => ANY.to_owned(),
            false => told.join("; "),
        }
    }

    /// The field that cannot be as it is, and why.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        if self.action == Action::Limit && self.calls == 0 {
            return Some(("calls", "a limit needs the most calls, at least 1".to_owned()));
        }
        if !(-1000..=1000).contains(&self.priority) {
            return Some(("priority", "give a whole number from -1000 to 1000".to_owned()));
        }
        if let Some(empty) = self.tools.iter().position(|pattern| pattern.trim().is_empty()) {
            return Some(("tools", format!("entry {} is empty", empty + 1)));
        }
        if let Some(empty) = self.platform_roles.iter().position(|role| role.trim().is_empty()) {
            return Some(("platform_roles", format!("entry {} is empty", empty + 1)));
        }
        for text in &self.args {
            if let Err(fault) = Condition::parse(text) {
                return Some(("args", fault));
            }
        }
        if let Some(Err(fault)) = self.hours.as_deref().map(Hours::parse) {
            return Some(("hours", fault));
        }
        let zone = self.zone.as_deref()?;
        let known = jiff::tz::TimeZone::get(zone).is_ok();
        (!known).then(|| ("zone", format!("`{zone}` is no time zone; write one as Europe/Berlin")))
    }

    /// Whether it is about a command.
    pub fn is_about(&self, name: &str) -> bool {
        self.tools.is_empty()
            || self
                .tools
                .iter()
                .any(|pattern| wild(pattern, name) || name.split_once('.').is_some_and(|(tool, _)| tool == pattern))
    }

    /// Whether its condition on the platform's roles holds. Of roles that are not known (`None`) it holds where the rule
    /// keeps from something, and not where it allows.
    pub(crate) fn platform_roles_fit(&self, roles: Option<&[PlatformRole]>) -> bool {
        self.platform_roles.is_empty()
            || match roles {
                Some(roles) => any_named(roles, &self.platform_roles),
                None => !self.allows(),
            }
    }

    /// Whether a call that it fits goes ahead.
    pub const fn allows(&self) -> bool {
        matches!(self.action, Action::Allow | Action::AllowTainted)
    }

    /// Whether its conditions on arguments hold. One that cannot be read never does.
    pub(crate) fn args_fit(&self, args: &Map<String, Value>) -> bool {
        self.args
            .iter()
            .all(|text| Condition::parse(text).is_ok_and(|condition| condition.holds(args)))
    }

    /// Whether it holds at a moment. `zone`: where it names none.
    pub fn is_time(&self, now: Timestamp, zone: &str) -> bool {
        if self.hours.is_none() && self.days.is_empty() {
            return true;
        }
        let zone = self.zone.as_deref().unwrap_or(zone);
        let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
        let there = now.to_jiff().to_zoned(zone);
        let day = match there.weekday() {
            jiff::civil::Weekday::Monday => Day::Mon,
            jiff::civil::Weekday::Tuesday => Day::Tue,
            jiff::civil::Weekday::Wednesday => Day::Wed,
            jiff::civil::Weekday::Thursday => Day::Thu,
            jiff::civil::Weekday::Friday => Day::Fri,
            jiff::civil::Weekday::Saturday => Day::Sat,
            jiff::civil::Weekday::Sunday => Day::Sun,
        };
        let hours = self.hours.as_deref().map(Hours::parse);
        (self.days.is_empty() || self.days.contains(&day))
            && hours.is_none_or(|hours| hours.is_ok_and(|hours| hours.hold(there.time())))
    }
}
