//! The settings that can be changed while running, for the whole bot, a space or a channel; the nearest one holds.

use clifford_chat::inbound::Place;
use clifford_core::{
    id::{ChannelId, SpaceId},
    places::{Threads, VoiceReplies, WhenBusy},
    settings::{Budget, BudgetPeriod, BudgetScope, Ingress, Memory},
};

use crate::{
    Conn, StoreError,
    places::settings::{self, OWN, Setting},
};

/// The settings of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceSettings {
    /// The handling of messages that arrive while a run is at work.
    pub when_busy: WhenBusy,
    /// How many people of a shared place are answered at the same time.
    pub shared_parallel: u32,
    /// Whether items are written and shown to the model.
    pub memory: bool,
    /// Whether a private conversation shows the model what its person last said elsewhere.
    pub cross_channel: bool,
    /// Whether answers are spoken as well.
    pub voice_replies: VoiceReplies,
    /// Whether questions are answered in new threads.
    pub threads: Threads,
    /// Whether everything is heard in a thread where the bot was once addressed; `None`: as the platform's section
    /// says.
    pub follow_threads: Option<bool>,
    /// How many messages that did not address the bot are shown when somebody does.
    pub ambient_messages: u32,
}

impl PlaceSettings {
    /// The configuration's values: they hold where nothing else is set.
    pub const fn configured(ingress: &Ingress, memory: &Memory) -> Self {
        Self {
            when_busy: ingress.when_busy,
            shared_parallel: ingress.shared_parallel,
            memory: memory.enabled,
            cross_channel: memory.cross_channel,
            voice_replies: ingress.voice_replies,
            threads: ingress.threads,
            follow_threads: None,
            ambient_messages: ingress.ambient_messages,
        }
    }

    /// The settings in a channel: its own, else its space's, else the bot's, else those of `self`.
    pub async fn of(self, conn: &mut Conn, space: Option<SpaceId>, channel: ChannelId) -> Result<Self, StoreError> {
        Ok(self.with(settings::of_place(conn, space, channel).await?))
    }

    /// The settings in a place that need not be known yet.
    pub async fn at(self, conn: &mut Conn, place: &Place) -> Result<Self, StoreError> {
        Ok(self.with(settings::at_place(conn, place).await?))
    }

    /// The same, of what was read: farthest first.
    #[must_use]
    pub fn with(mut self, rows: Vec<Setting>) -> Self {
        for Setting { name, value } in rows {
            match name.as_str() {
                "when_busy" => self.when_busy = value.parse().unwrap_or(self.when_busy),
                "memory" => self.memory = value.parse().unwrap_or(self.memory),
                "cross_channel" => self.cross_channel = value.parse().unwrap_or(self.cross_channel),
                "voice_replies" => self.voice_replies = value.parse().unwrap_or(self.voice_replies),
                "threads" => self.threads = value.parse().unwrap_or(self.threads),
                "follow_threads" => self.follow_threads = value.parse().ok().or(self.follow_threads),
                "ambient_messages" => self.ambient_messages = value.parse().unwrap_or(self.ambient_messages),
                _ => {}
            }
        }
        self
    }
}

/// Settings of a place and a person in words, besides [`PlaceSettings`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceWords {
    /// A text of the place's managers that is added to the prompt.
    pub persona: Option<String>,
    /// The language of the place (BCP 47).
    pub language: Option<String>,
    /// The model of the place, by the name of the choice.
    pub model: Option<String>,
    /// The model that the person chose for their private conversations.
    pub own_model: Option<String>,
    /// The person wants nothing remembered of them.
    pub forgets_person: bool,
    /// The budgets of the space and of each of its members.
    pub budgets: Vec<Budget>,
}

impl PlaceWords {
    /// Of the rows around a run: farthest first. A value that cannot be read is passed over.
    pub fn of(rows: &[Setting]) -> Self {
        let last = |name: &str| {
            rows.iter()
                .rev()
                .find(|row| row.name == name)
                .map(|row| row.value.clone())
        };
        let own = |name: &str| last(&format!("{OWN}{name}"));
        let budget = |name: &str, scope| last(name).and_then(|value| budget_of(&value, scope));
        Self {
            persona: last("persona"),
            language: last("language"),
            model: last("model"),
            own_model: own("model"),
            forgets_person: own("memory").is_some_and(|value| value == "false"),
            budgets: [("budget", BudgetScope::Space), ("member_budget", BudgetScope::Member)]
                .into_iter()
                .filter_map(|(name, scope)| budget(name, scope))
                .collect(),
        }
    }
}

/// A budget as a setting holds it: an amount, and `day` or `month` behind a slash.
pub fn budget_of(value: &str, scope: BudgetScope) -> Option<Budget> {
    let (cost, period) = value.split_once('/')?;
    let cost: f64 = cost.trim().parse().ok()?;
    let period = match period.trim() {
        "day" => BudgetPeriod::Day,
        "month" => BudgetPeriod::Month,
        _ => return None,
    };
    (cost.is_finite() && (0.0..=1e9).contains(&cost)).then(|| Budget {
        scope,
        period,
        cost: Some(cost),
        ..Budget::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_an_amount_for_a_day_or_a_month() {
        let read = |value: &str| budget_of(value, BudgetScope::Space).map(|budget| (budget.cost, budget.period));
        assert_eq!(read("2.5/day"), Some((Some(2.5), BudgetPeriod::Day)));
        assert_eq!(read("0 / month"), Some((Some(0.0), BudgetPeriod::Month)));
        for bad in ["5", "5/year", "-1/day", "NaN/day", "inf/day", "/day", ""] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_nearest_words_hold_and_a_persons_own_stand_apart() {
        let rows = [
            ("persona", "Be brief."),
            ("model", "fast"),
            ("persona", "Be kind."),
            ("budget", "5/month"),
            ("member_budget", "lots"),
            ("own.model", "strong"),
            ("own.memory", "false"),
        ];
        let rows = rows.map(|(name, value)| Setting::new(name, value));
        let words = PlaceWords::of(&rows);
        let expected = PlaceWords {
            persona: Some("Be kind.".to_owned()),
            language: None,
            model: Some("fast".to_owned()),
            own_model: Some("strong".to_owned()),
            forgets_person: true,
            budgets: vec![Budget {
                scope: BudgetScope::Space,
                cost: Some(5.0),
                ..Budget::default()
            }],
        };
        assert_eq!(words, expected);
    }
}
