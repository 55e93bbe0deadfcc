//! The roles of those who speak, where the platform does not tell them with the message: asked for only if a rule, a
//! setting or a budget goes by roles.

use std::time::Duration;

use clifford_chat::{
    inbound::{Place, Speaker},
    platform::Platform,
    role::PlatformRole,
};
use clifford_core::{access::Audience, clock::Timestamp};
use clifford_store::{StoreError, places::policies};
use dashmap::DashMap;

use super::IngressService;

/// How long a platform may take to tell them.
const TELLING: Duration = Duration::from_secs(5);
/// How long an answer holds.
const HOLDS: Duration = Duration::from_secs(60);
/// How many people are remembered before those whose answer is too old are forgotten.
const CROWD: usize = 10_000;

/// The roles that a platform told lately, by its space and account.
#[derive(Debug, Default)]
pub(super) struct ToldRoles(DashMap<(Platform, String, String), (Timestamp, Vec<PlatformRole>)>);

impl ToldRoles {
    fn lately(&self, key: &(Platform, String, String), now: Timestamp) -> Option<Vec<PlatformRole>> {
        let told = self.0.get(key)?;
        (now.since(told.0) < HOLDS && told.0 <= now).then(|| told.1.clone())
    }

    fn told(&self, key: (Platform, String, String), roles: &[PlatformRole], now: Timestamp) {
        if self.0.len() > CROWD {
            self.0.retain(|_, (at, _)| now.since(*at) < HOLDS);
        }
        self.0.insert(key, (now, roles.to_vec()));
    }
}

impl IngressService {
    /// Completes what an event tells of its speaker. If the platform does not answer, their roles stay unknown: nothing
    /// is allowed by them, and what is forbidden to a role is forbidden.
    pub(super) async fn learn_roles(&self, place: &Place, speaker: &mut Speaker) -> Result<(), StoreError> {
        if speaker.roles.is_some() || place.kind.is_private() || place.only_answers() || speaker.is_bot {
            return Ok(());
        }
        let (Some(space), Some(actor)) = (&place.space, self.context.tools.actor(place.platform)) else {
            return Ok(());
        };
        if !self.roles_matter(place.platform).await? {
            return Ok(());
        }
        let (now, key) = (
            self.clock.now(),
            (place.platform, space.external_id.clone(), speaker.id.clone()),
        );
        if let Some(roles) = self.told_roles.lately(&key, now) {
            speaker.roles = Some(roles);
            return Ok(());
        }
        match tokio::time::timeout(TELLING, actor.roles(&place.external_id, &speaker.id)).await {
            Ok(Ok(roles)) => {
                self.told_roles.told(key, &roles, now);
                speaker.roles = Some(roles);
            }
            Ok(Err(error)) => tracing::info!(%error, platform = %place.platform, "failed to look up a member's roles"),
            Err(_) => tracing::info!(platform = %place.platform, "platform did not tell a member's roles in time"),
        }
        Ok(())
    }

    async fn roles_matter(&self, platform: Platform) -> Result<bool, StoreError> {
        let by_audience = |audience: &Audience| !audience.allow_roles.is_empty();
        let rules = &self.context.settings.rules.policy.rules;
        if self.settings.audiences.get(&platform).is_some_and(by_audience)
            || (self.settings.section.limits.iter()).any(|limit| !limit.platform_roles.is_empty())
            || rules.iter().any(|rule| !rule.platform_roles.is_empty())
            || (self.context.settings.budgets.iter()).any(|budget| !budget.platform_roles.is_empty())
        {
            return Ok(true);
        }
        policies::roles_matter(&mut self.db.read_local().await?).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_platform_told_holds_for_a_minute() {
        let told = ToldRoles::default();
        let key = || (Platform::new("telegram"), "-1".to_owned(), "7".to_owned());
        let roles = [PlatformRole::word("administrator")];
        assert_eq!(told.lately(&key(), Timestamp(0)), None);
        told.told(key(), &roles, Timestamp(1_000));
        assert_eq!(told.lately(&key(), Timestamp(60_999)), Some(roles.to_vec()));
        assert_eq!(told.lately(&key(), Timestamp(61_000)), None);
        // The clock was stepped back.
        assert_eq!(told.lately(&key(), Timestamp(0)), None);
    }
}
