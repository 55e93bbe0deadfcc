//! A call against all that its run has read: what it would carry out, and on what grounds it goes ahead. Of a run that has
//! read words from outside that is looked for on a worker thread: long arguments take some hundred milliseconds, in which
//! no other run may stand still.

use std::sync::Arc;

use clifford_core::{
    policy::{
        class::Class,
        trace::{self, Grounds},
        words::{self, KnownWords},
    },
    run::step::ToolCall,
};
use clifford_tools::Command;
use serde_json::Value;

use super::{Gone, Session};

impl Session<'_> {
    /// The words that a call of a run that has read words from outside would carry out, beyond those that its
    /// destination has told itself; and on what grounds it goes ahead.
    pub(super) async fn evidence_on(
        &self,
        call: &ToolCall,
        command: &Command,
    ) -> Result<(Option<String>, Grounds), Gone> {
        if !self.state.is_tainted() {
            return Ok((None, Grounds::Said));
        }
        let known = command.reaches_out.then(|| self.known_to(call));
        let weigh = move |request: &trace::Request<'_>| {
            let leak = known.and_then(|known| words::leak(request.args, request.schema, &known, request.private));
            (leak, trace::grounds(request))
        };
        self.weighed(call, &command.schema, weigh).await
    }

    /// The words that the destination of a call knows.
    fn known_to(&self, call: &ToolCall) -> KnownWords {
        // A result of a command that touches private data goes nowhere, not even back.
        let class = |name: &str| self.cx.tools.registry.command(name).map(|command| command.class);
        let is_open = |name: &str| class(name).is_some_and(|class| class != Class::Sensitive);
        (self.state.evidence).known_to(&call.name, self.state.outside.known(), is_open)
    }

    /// Reads a call against all that the run has read, on a worker thread.
    pub(super) async fn weighed<T: Send + 'static>(
        &self,
        call: &ToolCall,
        schema: &Value,
        weigh: impl FnOnce(&trace::Request<'_>) -> T + Send + 'static,
    ) -> Result<T, Gone> {
        let (call, schema) = (call.clone(), schema.clone());
        let (evidence, private) = (Arc::clone(&self.state.evidence), Arc::clone(&self.private));
        let work = tokio::task::spawn_blocking(move || {
            weigh(&trace::Request {
                name: &call.name,
                args: &call.args,
                schema: &schema,
                evidence: &evidence,
                private: &private,
            })
        });
        work.await.map_err(|error| match error.is_cancelled() {
            true => Gone::Cancelled,
            false => Gone::Panicked,
        })
    }

    /// A call as its arguments are traced.
    pub(super) fn request<'a>(&'a self, call: &'a ToolCall, schema: &'a Value) -> trace::Request<'a> {
        trace::Request {
            name: &call.name,
            args: &call.args,
            schema,
            evidence: &self.state.evidence,
            private: &self.private,
        }
    }
}
