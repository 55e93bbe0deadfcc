//! The list of maintenance jobs: a new one is one file, one line here, and one kind.

use super::{
    MaintenanceJob, budget_periods::BudgetPeriods, compacted_messages::CompactedMessages, deleted_files::DeletedFiles,
    ended_reminders::EndedReminders, idle_conversations::IdleConversations, left_spaces::LeftSpaces,
    rate_limits::RateLimits, retention::RetentionSweep, search_index::SearchIndex,
    webhook_signatures::WebhookSignatures,
};

/// Every maintenance job.
pub const ALL: &[&dyn MaintenanceJob] = &[
    &RetentionSweep,
    &LeftSpaces,
    &IdleConversations,
    &CompactedMessages,
    &DeletedFiles,
    &EndedReminders,
    &RateLimits,
    &BudgetPeriods,
    &WebhookSignatures,
    &SearchIndex,
];

#[cfg(test)]
mod tests {
    use clifford_core::work::MaintenanceKind;

    use super::*;

    #[test]
    fn each_kind_has_one_job() {
        for kind in MaintenanceKind::ALL {
            let jobs = ALL.iter().filter(|job| job.kind() == *kind).count();
            assert_eq!(jobs, 1, "{kind}");
        }
    }
}
