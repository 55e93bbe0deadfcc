//! Subagents on their way: those that could not work are not created, and the model reads why.

use std::collections::BTreeSet;

use clifford_action::SubagentSpec;
use clifford_content::memory::recall::Recalled;
use clifford_core::{
    id::RunId,
    json_text::JsonText,
    prompt::room::Window,
    run::{
        decide,
        decision::Decision,
        effects::{self, Child},
        transcript::Transcript,
    },
    runs::{Run, RunKind},
};
use clifford_store::runs::tree as run_tree;
use serde_json::json;

use super::{Gone, Session};
use crate::{
    run::prompt::{Frame, Toolbox},
    work::Work,
};

/// The most unknown tools that a note names, and the most characters of each.
const NAMED: usize = 10;
const NAME: usize = 60;

impl Session<'_> {
    /// A decision on subagents, unless they could not work: they name tools that do not exist, their tree is large
    /// enough, or their share pays for no call.
    pub(super) async fn spawnable(&mut self, decision: Decision) -> Result<Decision, Gone> {
        let Decision::Spawn {
            before,
            children,
            wake_on,
        } = decision
        else {
            return Ok(decision);
        };
        let fault = match self.unknown_tools(&children).await? {
            Some(fault) => Some(fault),
            None => match self.beyond_tree(children.len()).await? {
                Some(fault) => Some(fault),
                None => self.beyond_share(&children).await?,
            },
        };
        Ok(match fault {
            Some(fault) => decide::refuse_spawn(&self.state, before, &fault),
            None => Decision::Spawn {
                before,
                children,
                wake_on,
            },
        })
    }

    async fn unknown_tools(&self, children: &[SubagentSpec]) -> Result<Option<String>, Gone> {
        let entries: BTreeSet<_> = children.iter().flat_map(|child| child.tools.iter().flatten()).collect();
        let mut unknown = Vec::new();
        for entry in entries {
            self.name_is_known(entry).await?;
            if !self.cx.tools.registry.knows(entry) {
                unknown.push(format!("`{}`", entry.chars().take(NAME).collect::<String>()));
            }
        }
        let (all, first) = (unknown.len(), unknown.iter().take(NAMED).cloned());
        let mut named: Vec<_> = first.collect();
        named.extend((all > NAMED).then(|| format!("{} more", all - NAMED)));
        Ok((all > 0).then(|| {
            format!(
                "tools names what does not exist: {}. Give a tool or tool.command as they are listed, or leave tools out.",
                named.join(", ")
            )
        }))
    }

    async fn beyond_tree(&self, children: usize) -> Result<Option<String>, Gone> {
        // The tree of a run that is done again has its subagents.
        if self.is_again {
            return Ok(None);
        }
        let most = self.rules.engine.max_subagents;
        let root = self.work.run.root_run_id;
        let size = run_tree::size(&mut self.cx.db.read().await?, root).await?;
        Ok((size.saturating_add(children) > most).then(|| {
            let left = most.saturating_sub(size);
            format!(
                "at most {most} subagents for one message, with those of subagents; {left} are left. Do the rest yourself."
            )
        }))
    }

    /// The share of a subagent must pay for its first call at least.
    async fn beyond_share(&mut self, children: &[SubagentSpec]) -> Result<Option<String>, Gone> {
        let share = self.rules.share(&self.state, children.len());
        // No prompt is larger than the window.
        if share.tokens >= self.rules.window {
            return Ok(None);
        }
        let mut needed = 0;
        for spec in children {
            let child = effects::child(&self.state, &self.rules, spec.clone(), RunId::new(), share);
            needed = self.first_prompt(child).await?.max(needed);
        }
        if needed <= share.tokens {
            return Ok(None);
        }
        let left = self.rules.most_tokens().saturating_sub(self.state.tokens);
        let advice = match (left / needed.max(1)).saturating_sub(1) {
            0 => "Do the work yourself, or finish with what there is.".to_owned(),
            most => format!("Ask for at most {most}, or do the work yourself."),
        };
        Ok(Some(format!(
            "of the {left} tokens that this run may still use, each of them would have {}, and a first call needs {needed}. {advice}",
            share.tokens
        )))
    }

    /// About how many tokens the first prompt of a subagent has at least, before anything that is remembered.
    async fn first_prompt(&mut self, child: Child) -> Result<u64, Gone> {
        let options = self.options().await?;
        let run = Run {
            kind: RunKind::Subagent,
            level: self.work.run.level + 1,
            profile: child.spec.profile,
            input_text: child.spec.task,
            input_json: Some(JsonText(json!({ "context": child.spec.context }))),
            allowed_tools: child.tools.map(JsonText),
            ..self.work.run.clone()
        };
        let rules = self.cx.settings.rules.of_run(&run);
        let work = Work {
            run,
            lease: self.work.lease,
            steps: Vec::new(),
            agent: self.work.agent.clone(),
            channel: self.work.channel.clone(),
            user: self.work.user.clone(),
            prompt_context: None,
        };
        let tools = Toolbox {
            registry: &self.cx.tools.registry,
            options: &options,
        };
        let window = Window {
            tokens: self.rules.window,
            reply: None,
        };
        let mut frame = Frame::new(&work, &rules, tools, &Recalled::default());
        Ok(frame.prompt(&Transcript::default(), window).tokens())
    }
}
