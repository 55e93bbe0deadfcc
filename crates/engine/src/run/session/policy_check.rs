//! A call on its way: judged by the rules, counted against limits, asked for, or held back.

use std::{collections::BTreeSet, sync::Arc};

use clifford_chat::{names, role::PlatformRole};
use clifford_core::{
    messages::Direction,
    policy::{self, Call, Facts, Limit, Place, Reason, Verdict, class::Class, labels::Readers, trace, words},
    run::{
        approval,
        decision::Decision,
        denials,
        effects::{After, Child, Effects},
        gates,
        question::{self, Question},
        state::{OpenQuestion, Pending},
        step::{Answerer, Event, Proposal, StepKind, ToolCall, ToolOutcome, ToolResult},
    },
    runs::RunKind,
};
use clifford_delivery::outbound::{PendingDelivery, To};
use clifford_markup::shortened;
use clifford_store::{
    memory::items::Viewer,
    messages::NewOutbound,
    people::users,
    places::policies,
    runs::{self, approvals, steps},
};
use clifford_telemetry::failpoint::{self as crash, Point};
use serde_json::Value;

use super::{Gone, Onward, Session};

/// The most characters of a name before the mark that tells its bearer from another.
const MOST_OF_NAME: usize = 30;
/// The most questions of one person that are open in one place.
const MOST_OPEN: usize = 5;

impl Session<'_> {
    /// The decision under the rules: a call may need a person's word, or be refused; so may subagents that could not work.
    /// Anything else passes.
    pub async fn judged(&mut self, decision: Decision) -> Result<Decision, Gone> {
        let (before, call) = match decision {
            Decision::CallTool { before, call } => (before, call),
            Decision::Spawn { .. } => return self.spawnable(decision).await,
            other => return Ok(other),
        };
        if std::mem::take(&mut self.taken_up) {
            self.tool_is_known(&call).await?;
        }
        let verdict = match self.verdict(&call).await? {
            Some(verdict) => verdict,
            None => return self.not_made(before, call).await,
        };
        if self.may_be_denied(&verdict, &call) && self.was_denied(&call).await? {
            return Ok(approval::denied_before(before, &call));
        }
        if verdict.outcome != policy::PolicyOutcome::Deny {
            for limit in &verdict.limits {
                if !self.counts(limit, &call).await? {
                    return Ok(approval::refused(before, call, limit.reason.clone()));
                }
            }
        }
        if verdict.outcome == policy::PolicyOutcome::Confirm && self.open_questions().await? >= MOST_OPEN {
            return Ok(approval::refused(before, call, Reason::TooManyOpen { open: MOST_OPEN }));
        }
        let now = self.cx.clock.now();
        let decision = approval::under(&verdict, before, call.clone(), &self.cx.settings.rules, now);
        let Some(command) = self.cx.tools.registry.command(&call.name) else {
            return Ok(decision);
        };
        if !matches!(decision, Decision::Confirm { .. }) {
            return Ok(decision);
        }
        let traced = move |request: &trace::Request<'_>| approval::traced(decision, request);
        let decision = self.weighed(&call, &command.schema, traced).await?;
        Ok(approval::together(decision, self.asked_along(&call).await?))
    }

    /// The calls that follow one which is asked for, and that would be asked for themselves: the answer holds for
    /// them, too. Each is judged once more when its turn comes.
    async fn asked_along(&mut self, first: &ToolCall) -> Result<Vec<Proposal>, Gone> {
        let mut asked: Vec<Proposal> = Vec::new();
        for call in self.state.following() {
            let call = gates::with_full_name(&self.rules, call);
            let Some(verdict) = self.verdict(&call).await? else {
                continue;
            };
            if verdict.outcome != policy::PolicyOutcome::Confirm
                || !gates::is_allowed(&self.state, &call)
                || self.was_denied(&call).await?
                || !self.counts_all(&verdict.limits, &call).await?
            {
                continue;
            }
            let Some(command) = self.cx.tools.registry.command(&call.name) else {
                continue;
            };
            let earlier = std::iter::once(&first.name).chain(asked.iter().map(|asked| &asked.call.name));
            let before = earlier.filter(|name| **name == call.name).count();
            let before = u32::try_from(before).unwrap_or(u32::MAX);
            let (asked_for, reason) = (call.clone(), Some(verdict.reason));
            let proposal = move |request: &trace::Request<'_>| approval::proposal(asked_for, reason, request, before);
            asked.push(self.weighed(&call, &command.schema, proposal).await?);
        }
        Ok(asked)
    }

    async fn counts_all(&self, limits: &[Limit], call: &ToolCall) -> Result<bool, Gone> {
        for limit in limits {
            if !self.counts(limit, call).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a call is of those that a person may have denied before: it would be asked for, or goes ahead on their own
    /// words, which may be those that denied it.
    fn may_be_denied(&self, verdict: &Verdict, call: &ToolCall) -> bool {
        let changes = || {
            let command = self.cx.tools.registry.command(&call.name);
            command.is_some_and(|command| command.class != Class::Read)
        };
        match verdict.outcome {
            policy::PolicyOutcome::Confirm => true,
            policy::PolicyOutcome::Allow => self.state.is_tainted() && changes(),
            policy::PolicyOutcome::Deny => false,
        }
    }

    /// Whether this person denied the very call in this conversation, and has not asked for it anew.
    async fn was_denied(&self, call: &ToolCall) -> Result<bool, Gone> {
        let run = &self.work.run;
        let (Some(user), Some(context)) = (run.user_id, run.context_id) else {
            return Ok(false);
        };
        let mut conn = self.cx.db.read().await?;
        let runs = approvals::denials_in(&mut conn, user, context).await?;
        let last = runs.iter().filter_map(|steps| denials::last(steps, call)).max();
        let (Some(last), Some(command)) = (last, self.cx.tools.registry.command(&call.name)) else {
            return Ok(false);
        };
        let own = steps::of_run(&mut conn, run.id).await?;
        let request = self.request(call, &command.schema);
        Ok(!denials::is_asked_anew(run, &own, &request, last))
    }

    /// How many questions of this person are open where they would be asked.
    async fn open_questions(&self) -> Result<usize, Gone> {
        let run = &self.work.run;
        let (Some(user), Some(channel)) = (run.user_id, run.channel_id) else {
            return Ok(0);
        };
        let open = approvals::asked_in(&mut self.cx.db.read().await?, user, channel).await?;
        Ok(open.len())
    }

    /// The decision on an approved call: a rule that was made since may deny it. Right after a start it waits for the
    /// server that offers its tool, as long as that may still come.
    pub async fn approved(&mut self, call: ToolCall) -> Result<Decision, Gone> {
        crash::reach(Point::CallApproved);
        self.tool_is_known(&call).await?;
        let before = Vec::new();
        Ok(match self.verdict(&call).await? {
            Some(verdict) if verdict.outcome == policy::PolicyOutcome::Deny => {
                approval::refused(before, call, verdict.reason)
            }
            Some(_) => Decision::CallTool { before, call },
            None => return self.not_made(before, call).await,
        })
    }

    /// The decision on a call that cannot be made, and so was not judged.
    pub(super) async fn not_made(&mut self, before: Vec<StepKind>, call: ToolCall) -> Result<Decision, Gone> {
        let options = self.options().await?;
        let fault = self.cx.tools.registry.fault(&options, &call);
        // Its server came back just now: it may be asked for again.
        let fault = fault.unwrap_or_else(|| ToolOutcome::Failure {
            error: format!("{} was not there a moment ago; try again", call.name),
            retries: 1,
            expose: false,
            refused: None,
        });
        Ok(approval::not_made(before, call, fault))
    }

    /// Waits until it is known whether the tool of a call that was recorded before can be called.
    ///
    /// # Errors
    /// The run was cancelled meanwhile.
    pub(super) async fn tool_is_known(&self, call: &ToolCall) -> Result<(), Gone> {
        self.name_is_known(&call.name).await
    }

    pub(super) async fn name_is_known(&self, name: &str) -> Result<(), Gone> {
        tokio::select! {
            () = self.cx.tools.registry.settled(name) => Ok(()),
            () = self.cancelled.cancelled() => Err(Gone::Cancelled),
        }
    }

    /// The verdict on a call; none, if it cannot be made here: there is no such command, it is turned off, or its
    /// arguments are refused.
    pub(super) async fn verdict(&mut self, call: &ToolCall) -> Result<Option<Verdict>, Gone> {
        let cx = self.cx;
        let options = self.options().await?;
        let Some(command) =
            (cx.tools.registry.command(&call.name)).filter(|_| cx.tools.registry.fault(&options, call).is_none())
        else {
            return Ok(None);
        };
        self.frame().await?;
        if self.state.is_tainted() {
            self.learn_private();
        }
        let (leak, grounds) = self.evidence_on(call, &command).await?;
        let made = policies::list(&mut self.cx.db.read_local().await?).await?;
        let rules = clifford_tools::trial::rules(&self.cx.settings.rules.policy, made);
        let judged = Call {
            name: &call.name,
            class: command.class,
            args: &call.args,
            leak,
            grounds,
        };
        let zone = &self.cx.settings.engine().time_zone;
        Ok(Some(policy::judge(
            &rules,
            &judged,
            &self.facts(call),
            self.cx.clock.now(),
            zone,
        )))
    }

    fn facts(&self, call: &ToolCall) -> Facts {
        let is_elsewhere = self.cx.tools.registry.names_a_place(call);
        let (run, channel) = (&self.work.run, self.work.channel.as_ref());
        Facts {
            kind: run.kind,
            platform: channel.map(|channel| channel.platform.clone()),
            place: if is_elsewhere || self.is_shared() {
                Place::Shared
            } else {
                Place::Private
            },
            space: channel.and_then(|channel| channel.space_id),
            context: run.context_id,
            user: run.user_id,
            role: self.work.user.as_ref().map(|user| user.role),
            platform_roles: self.platform_roles(),
            origins: self.state.origins.clone(),
        }
    }

    /// The roles of its person on the platform. Outside of servers and groups there are none; of a run that nobody asked
    /// for just now they are not known.
    fn platform_roles(&self) -> Option<Vec<PlatformRole>> {
        let known = self.work.run.platform_roles.as_ref().map(|roles| roles.0.clone());
        let is_in_space = self
            .work
            .channel
            .as_ref()
            .is_some_and(|channel| channel.space_id.is_some());
        known.or_else(|| (!is_in_space).then(Vec::new))
    }

    /// Whether others than its person read along.
    pub(super) fn is_shared(&self) -> bool {
        let viewer = clifford_content::memory::recall::viewer(self.work.run.user_id, self.work.channel.as_ref());
        matches!(viewer, Viewer::Shared(_))
    }

    /// Counts a call against a limit. A call that is asked for counts from then on, so that nobody is asked without end.
    async fn counts(&self, limit: &Limit, call: &ToolCall) -> Result<bool, Gone> {
        let (limit, run, key, now) = (
            limit.clone(),
            self.work.run.id,
            call.idempotency_key.clone(),
            self.cx.clock.now(),
        );
        let counted = self
            .cx
            .db
            .write(move |tx| Box::pin(async move { policies::count(tx, &limit, run, &key, now).await }))
            .await?;
        Ok(counted)
    }

    /// Handles a run whose question has no answer yet: it waits on, or its time is over.
    pub async fn unanswered(&mut self, asked: &OpenQuestion) -> Result<Onward, Gone> {
        if self.cx.clock.now() >= asked.request.expires_at {
            self.push(StepKind::Event(Event::Confirm {
                approved: false,
                code: asked.code.clone(),
                by: Answerer::Nobody,
                words: None,
            }));
            return Ok(Onward::GoesOn);
        }
        self.commit(Effects {
            then: After::Confirm(asked.request.expires_at),
            ..Effects::default()
        })
        .await?;
        Ok(Onward::Parked)
    }

    /// Handles a question that was denied or timed out.
    pub async fn denied(&mut self, asked: &OpenQuestion) -> Result<Onward, Gone> {
        let decision = approval::denied(&self.state, &self.cx.settings.rules, asked);
        self.carry_out(decision).await
    }

    /// The question as a message, where the run's person reads it. It is no part of the conversation: what stands in
    /// its arguments is not said again to a model.
    pub(super) async fn question(&self) -> Result<Option<(NewOutbound, Option<PendingDelivery>)>, Gone> {
        let Pending::Confirm(asked) = &self.state.pending else {
            return Ok(None);
        };
        let Some(to) = self.ask_at().await? else {
            return Ok(None);
        };
        let request = &asked.request;
        let person = self.asked_person().await?;
        let limits = self.cx.delivery.outbound().limits(to.platform);
        let question = Question {
            run: self.work.run.id,
            request,
            code: &asked.code,
            is_stored: limits.is_some_and(|limits| limits.delivered_when_stored),
            is_typed: to.platform.is_own(),
            asked: person.as_deref(),
            now: self.cx.clock.now(),
            lang: self.state.lang,
        };
        let now = question.now;
        let to = To { context: None, ..to };
        let (mut message, pending) =
            (self.cx.delivery.outbound()).message_with(to, &question.text(), question.buttons(), question.file(), now);
        message.metadata = Some(approvals::shows(&question::id(self.work.run.id, &asked.code)));
        Ok(Some((message, pending)))
    }

    /// The name of the person who is asked, where others read along. It tells them from others of the same name.
    async fn asked_person(&self) -> Result<Option<String>, Gone> {
        let Some(user) = self.work.user.as_ref().filter(|_| self.is_shared()) else {
            return Ok(None);
        };
        let has_double = users::has_double(&mut self.cx.db.read().await?, user).await?;
        Ok(Some(match has_double {
            true => names::spoken_with_mark(&shortened(&user.name, MOST_OF_NAME), &user.id.to_string()),
            false => user.name.clone(),
        }))
    }

    /// Where its person is asked: where it answers them; of a subagent, where the run at the top of its tree does.
    async fn ask_at(&self) -> Result<Option<To>, Gone> {
        let run = &self.work.run;
        if run.root_run_id == run.id {
            return Ok(self.work.reply_to());
        }
        let root = runs::get(&mut self.cx.db.read().await?, run.root_run_id).await?;
        Ok(root.and_then(|root| {
            let mut work = self.work.clone();
            work.run.address = root.address;
            work.reply_to()
        }))
    }

    /// Learns the private words of the prompt, as far as they tell something: the memories of the person, their
    /// messages elsewhere, and numbers of this conversation. Done once, before the first call that could carry them
    /// out: most runs make none.
    fn learn_private(&mut self) {
        let Some(recalled) = self.recalled.take() else {
            return;
        };
        for item in &recalled.items {
            Arc::make_mut(&mut self.private).learn(&item.value);
        }
        for place in &recalled.elsewhere {
            place
                .turns
                .iter()
                .for_each(|turn| Arc::make_mut(&mut self.private).learn(&turn.content));
        }
        for turn in &recalled.conversation.turns {
            self.learn_said(&turn.content, turn.readers);
            if turn.direction == Direction::Outbound {
                Arc::make_mut(&mut self.private).learn_spoken(&turn.content);
            }
        }
        // A parent's private words are private for its subagent, too.
        let given = self.work.run.input_json.as_ref().map(|json| &json.0["private"]);
        if let Some(words) = given.filter(|_| self.work.run.kind == RunKind::Subagent) {
            Arc::make_mut(&mut self.private).learn_all(words);
        }
        for step in std::mem::take(&mut self.work.steps) {
            match &step.kind {
                StepKind::ToolResult(result) => self.learn_own(result),
                StepKind::Event(Event::SubagentEnded {
                    output: Some(output), ..
                }) => Arc::make_mut(&mut self.private).learn(output),
                StepKind::Event(Event::Wake { said, .. }) => {
                    said.iter()
                        .for_each(|said| self.learn_said(&said.content, said.readers));
                }
                _ => {}
            }
            self.work.steps.push(step);
        }
    }

    /// Learns a message of the conversation. An earlier answer may tell words that were private then: all of them are, if a
    /// command told such words.
    pub(super) fn learn_said(&mut self, text: &str, readers: Option<Readers>) {
        match readers {
            Some(Readers::Nobody) => Arc::make_mut(&mut self.private).learn_closed(&Value::from(text)),
            Some(_) => Arc::make_mut(&mut self.private).learn(text),
            None => Arc::make_mut(&mut self.private).learn(&words::telling(text)),
        }
    }

    /// Notes for each subagent which words of its task nobody outside knows.
    pub(super) async fn tell_what_is_private(&mut self, children: &mut [Child]) -> Result<(), Gone> {
        // The prompt names the private words.
        self.frame().await?;
        self.learn_private();
        for child in children {
            let told: Vec<_> = std::iter::once(child.spec.task.as_str())
                .chain(child.spec.context.iter().map(|told| told.content.as_str()))
                .collect();
            child.private = words::private_in(&told.join("\n"), self.state.outside.known(), &self.private);
        }
        Ok(())
    }

    /// A tool's facts about its person are as private as the prompt's.
    pub(super) fn learn_own(&mut self, result: &ToolResult) {
        let ToolOutcome::Success { result: told } = &result.outcome else {
            return;
        };
        let class = self
            .cx
            .tools
            .registry
            .command(&result.name)
            .map(|command| command.class);
        if class == Some(Class::Sensitive) {
            Arc::make_mut(&mut self.private).learn_closed(told);
        } else if words::is_own(&result.name) {
            Arc::make_mut(&mut self.private).learn_all(told);
        }
    }

    /// Where what the run begins with came from, as far as that is outside, becomes a step.
    pub(super) fn taint(&mut self, origins: BTreeSet<String>) {
        if !origins.is_subset(&self.state.origins) {
            self.push(StepKind::Event(Event::Tainted { origins }));
        }
    }
}
