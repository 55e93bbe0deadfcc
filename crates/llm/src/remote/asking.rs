//! How a request is put until its server takes it.
//!
//! A complaint that names a field is met by leaving that out ([`super::Dialect::give_way`]). After any other refusal of a
//! request, other forms of it are tried, each once: without the form of the reply, and without a stream. Words change,
//! and servers blame the form in ever new ones. What a server takes is kept for its model ([`super::Lessons`]). If it
//! takes none, the first refusal counts. Images of a model of unknown sight are tried the same way, by the caller, who
//! says that they are left out.

use bytes::Bytes;
use clifford_llm_api::model::{ModelError, Request};
use reqwest::Response;
use serde::Serialize;

use super::{Endpoint, Fault, HttpReply, Terms};
use crate::sight::Refusal;

/// The answer to a request.
pub(crate) enum Answer {
    /// The server's, which holds the reply.
    Response(Response),
    /// The reply itself: the server refused it as not of the form that was asked for, and told what its model wrote.
    Written(String),
}

/// The search for terms after a refusal that names no field.
struct Search {
    /// That refusal.
    first: Fault,
    /// The terms in which the request was put then.
    known: Terms,
    /// The terms to try, the next one last.
    left: Vec<Terms>,
    /// The requests that were refused: other terms do not change every request.
    refused: Vec<Bytes>,
}

impl Endpoint {
    /// Asks in terms that the server understands: what it turns out not to know is left out from then on.
    pub(crate) async fn ask<B: Serialize>(
        &self,
        request: &Request,
        body: impl Fn(Terms) -> B,
    ) -> Result<Answer, ModelError> {
        let shows = !request.images.is_empty() && self.config.images.is_shown();
        let dialect = self.dialect();
        let mut terms = dialect.terms();
        let mut search: Option<Search> = None;
        loop {
            let put = self.put(&body(terms))?;
            if let Some(search) = &mut search
                && search.refused.contains(&put)
            {
                let Some(next) = search.left.pop() else { break };
                terms = next;
                continue;
            }
            let mut fault = match self.send(put.clone(), terms, shows).await? {
                HttpReply::Reply(response) => {
                    if let Some(search) = &search {
                        dialect.keep(search.known, terms);
                    }
                    dialect.prove();
                    if shows {
                        self.config.images.learn(true);
                    }
                    return Ok(Answer::Response(response));
                }
                HttpReply::Unreadable(fault) => fault,
            };
            if let Some(written) = fault.written.take() {
                return Ok(Answer::Written(written));
            }
            if let Some(search) = &mut search {
                search.refused.push(put);
                let Some(next) = search.left.pop() else { break };
                terms = next;
                continue;
            }
            // A refusal for length may name parameters, too, and none of them is to blame.
            if fault.too_long.is_none() && dialect.give_way(terms, &fault.message) {
                terms = dialect.terms();
                continue;
            }
            if !fault.may_be_of_terms() {
                return Err(self.fault(fault));
            }
            // Where these terms have gone through before, the images are what is new.
            if shows && self.config.images.sees().is_none() && dialect.is_proven() {
                return Err(self.unseen(Refusal::Faulty, &fault.message));
            }
            let mut left = terms.others();
            let Some(next) = left.pop() else {
                return Err(self.fault(fault));
            };
            search = Some(Search {
                first: fault,
                known: terms,
                left,
                refused: vec![put],
            });
            terms = next;
        }
        match search {
            Some(Search { first, .. }) if shows && self.config.images.sees().is_none() => {
                Err(self.unseen(Refusal::Faulty, &first.message))
            }
            Some(Search { first, .. }) => Err(self.fault(first)),
            // The loop ends only in a search.
            None => Err(self.overloaded("the request could not be put")),
        }
    }

    /// The bytes of a request.
    fn put(&self, body: &impl Serialize) -> Result<Bytes, ModelError> {
        let mut body = serde_json::to_vec(body).map_err(|error| ModelError::BadRequest {
            provider: self.config.section.name.clone(),
            reason: error.to_string(),
        })?;
        // It is kept until the answer is there, thousands of them at a time.
        body.shrink_to_fit();
        Ok(body.into())
    }
}
