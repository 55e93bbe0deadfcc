//! One loop, as `perform` is: take a turn of the rerun, find what it needs, and let it go on. Nothing is carried out.

use std::sync::Arc;

use clifford_core::{
    policy::class::Class,
    run::{
        decide,
        decision::Decision,
        rerun::{Rerun, RerunEnd, Turn},
        step::{Event, StepKind},
    },
};
use clifford_store::runs::Lease;

use crate::{
    Context,
    run::{
        Starter,
        session::{
            Gone, Session,
            retracing::{Answer, Terms},
        },
    },
};

/// A run that is told again starts no other.
pub(in crate::run) struct Nobody;

impl Starter for Nobody {
    fn start(&self, _: Lease) {}
}

/// A rerun at work.
pub(super) struct Retracing<'a> {
    pub(super) cx: &'a Arc<Context>,
    pub(super) session: Session<'a>,
    pub(super) again: Rerun<'a>,
    pub(super) terms: Terms,
    /// The reply that it begins with, until that was taken.
    pub(super) reply: Option<String>,
    /// How many of its steps the session knows.
    pub(super) known: usize,
}

impl Retracing<'_> {
    /// Tells it to its end.
    pub(super) async fn work(&mut self) -> Result<(), Gone> {
        loop {
            let reads = |name: &str| {
                let command = self.cx.tools.registry.command(name);
                command.is_some_and(|command| command.class == Class::Read)
            };
            let turn = self.again.turn(reads, self.cx.clock.now());
            self.take_up();
            match turn {
                Turn::Ended => return Ok(()),
                Turn::Ask => self.ask().await?,
                Turn::Apply(reply) => {
                    let (decision, _) = self.session.decide(&reply).await?;
                    self.decided(decision).await?;
                }
                Turn::Queued(call) if !self.session.state.is_approved(&call) => {
                    let decision = decide::queued(&self.session.state, &self.session.rules, &call);
                    self.decided(decision).await?;
                }
                Turn::Queued(call) | Turn::Approved(call) => {
                    let decision = self.session.approved_again(call).await?;
                    self.carry_out(decision);
                }
            }
        }
    }

    /// Ends it.
    pub(super) fn stop(&mut self, why: &str) {
        self.again.stop(RerunEnd::Stopped { why: why.to_owned() });
    }

    /// The session goes on from what the rerun knows.
    fn take_up(&mut self) {
        let new = self.again.steps.iter().skip(self.known);
        let results: Vec<_> = new
            .filter_map(|step| match &step.step.kind {
                StepKind::ToolResult(result) => Some(result),
                _ => None,
            })
            .collect();
        self.session.take_up(self.again.state.clone(), &results);
        self.known = self.again.steps.len();
    }

    /// Takes what the session noted along with an answer.
    fn take_noted(&mut self) {
        for kind in self.session.take_steps() {
            self.again.push(kind, self.cx.clock.now());
        }
        self.known = self.again.steps.len();
    }

    async fn decided(&mut self, decision: Decision) -> Result<(), Gone> {
        let is_known = match &decision {
            Decision::CallTool { call, .. } => self.again.knows(call),
            _ => false,
        };
        let decision = self.session.judged_again(decision, is_known).await?;
        self.take_noted();
        self.carry_out(decision);
        Ok(())
    }

    fn carry_out(&mut self, decision: Decision) {
        self.take_noted();
        self.again.carry_out(decision, self.cx.clock.now());
    }

    async fn ask(&mut self) -> Result<(), Gone> {
        let given = self.reply.take();
        let answer = self.session.ask_again(&self.terms, given).await?;
        self.take_noted();
        match answer {
            Answer::Replied(replied) => {
                let (request, response) = *replied;
                let now = self.cx.clock.now();
                self.again.push(request, now);
                self.again.push(StepKind::Event(Event::LlmResponse(response)), now);
            }
            Answer::Ends(decision) => self.carry_out(*decision),
            Answer::Stopped(why) => self.stop(&why),
        }
        Ok(())
    }
}
