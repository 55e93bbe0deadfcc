//! Records that only an archive of one's own bot holds: steps of runs, rules, and agents.

use clifford_store::portable::{Agent, Feedback, Reminder, Rule, SettingChange, Step, Usage};

use super::{HERE, Mapper, NOT_HERE};

type Taken<T> = Result<T, &'static str>;

impl Mapper<'_> {
    /// An agent that is here keeps its own prompts.
    pub(super) fn new_agent(&self, row: Agent) -> Taken<Agent> {
        if self.plan.targets.new_agents.contains(&row.id) {
            return Ok(row);
        }
        Err(HERE)
    }

    pub(super) fn step(&self, row: Step) -> Taken<Step> {
        if self.runs.contains(&row.run_id) {
            return Ok(row);
        }
        Err(NOT_HERE)
    }

    pub(super) fn usage(&self, mut row: Usage) -> Taken<Usage> {
        row.run_id = row.run_id.filter(|run| self.runs.contains(run));
        row.user_id = self.user(row.user_id);
        row.space_id = row.space_id.and_then(|id| self.plan.targets.spaces.get(&id).copied());
        row.channel_id = row.channel_id.map(|id| self.place(id)).transpose()?;
        Ok(row)
    }

    pub(super) fn feedback(&self, mut row: Feedback) -> Taken<Feedback> {
        row.user_id = self.user(Some(row.user_id)).ok_or(NOT_HERE)?;
        if self.runs.contains(&row.run_id) {
            return Ok(row);
        }
        Err(NOT_HERE)
    }

    pub(super) fn setting_change(&self, mut row: SettingChange) -> SettingChange {
        row.scope = self.scope(&row.scope);
        row.user_id = self.user(row.user_id);
        row
    }

    /// A rule about somebody stays one about them: about nobody in particular, it would hold for all.
    pub(super) fn rule(&self, mut row: Rule) -> Taken<Rule> {
        if let Some(id) = row.user_id {
            row.user_id = Some(self.user(Some(id)).ok_or(NOT_HERE)?);
        }
        if let Some(id) = row.space_id {
            row.space_id = Some(self.plan.targets.spaces.get(&id).copied().ok_or(NOT_HERE)?);
        }
        if let Some(id) = row.context_id {
            row.context_id = Some(self.conversation(Some(id)).ok_or(NOT_HERE)?);
        }
        Ok(row)
    }

    pub(super) fn reminder(&self, mut row: Reminder) -> Taken<Reminder> {
        row.user_id = self.user(row.user_id);
        row.channel_id = row.channel_id.map(|id| self.place(id)).transpose()?;
        row.agent_id = self.agent(row.agent_id);
        row.context_id = self.conversation(row.context_id);
        Ok(row)
    }
}
