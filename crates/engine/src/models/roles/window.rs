//! The size of a request for a role, and the lessons of refusals.

use std::sync::Arc;

use clifford_core::models::Role;
use clifford_llm::{Circuit, CircuitState, Window};
use clifford_llm_api::{
    model::{ModelError, Request},
    tokens::estimate_request,
};

use super::Roles;
use crate::models::Own;

/// A model that may answer, and how much it holds.
#[derive(Clone)]
pub struct Windowed {
    /// Its provider.
    pub provider: String,
    /// Whether that one is asked now.
    pub circuit: Arc<Circuit>,
    /// How much it holds.
    pub window: Arc<Window>,
}

impl Roles {
    /// How many tokens a request for a role and its reply may have together: the window of the model that is asked
    /// next. If that one fails and the next one's is smaller, it says so, and the request is built again.
    pub fn window(&self, role: Role, own: Option<&Own>) -> u64 {
        let windows = &self.assigned(role).windows;
        let of_own = own.and_then(|own| windows.iter().find(|one| one.provider == own.provider));
        let is_asked = |one: &&Windowed| !matches!(one.circuit.state(), CircuitState::Open(_));
        let asked = of_own
            .or_else(|| windows.iter().find(is_asked))
            .or_else(|| windows.first());
        let Some(one) = asked else {
            return u64::from(u32::MAX);
        };
        let is_news = !one.window.is_wanted();
        let tokens = one.window.needed();
        if is_news && one.window.is_wanted() {
            self.windows.notify();
        }
        tokens
    }

    /// The largest window of those who may answer, if it is larger than this one: they are asked where a request does not
    /// fit (`llm/failover.rs`).
    pub fn larger_window(&self, role: Role, own: Option<&Own>, than: u64) -> Option<u64> {
        let windows = self.assigned(role).windows.iter().filter(|_| own.is_none());
        let is_asked = |one: &&Windowed| !matches!(one.circuit.state(), CircuitState::Open(_));
        // The offline responder reads whatever it is given, and is nothing to turn to.
        let is_model = |tokens: &u64| *tokens < u64::from(u32::MAX);
        let tokens = windows.filter(is_asked).map(|one| one.window.tokens());
        tokens.filter(is_model).max().filter(|largest| *largest > than)
    }

    /// The most tokens of a reply, where that is set for those who may answer.
    pub fn reply_limit(&self, role: Role) -> Option<u32> {
        self.assigned(role).max_tokens
    }

    /// A provider refused a request as too long: the next is made for what it holds. Text that is dense is a matter of
    /// its run alone, which is made shorter until it fits.
    pub(super) fn learn(&self, role: Role, refusal: &ModelError, request: &Request) {
        let ModelError::TooLong {
            provider,
            window: told,
            in_bytes,
        } = refusal
        else {
            return;
        };
        let mut windows = self.assigned(role).windows.iter();
        let Some(one) = windows.find(|one| one.provider == *provider) else {
            return;
        };
        let before = one.window.tokens();
        let asked = estimate_request(request) + u64::from(request.max_tokens.unwrap_or_default());
        match told {
            Some(tokens) => one.window.refuse(*tokens),
            // A proxy that takes no more bytes says nothing of the model behind it.
            None if *in_bytes && (!request.images.is_empty() || asked < before / 2) => return,
            None => one.window.lower(asked),
        }
        self.windows.notify();
        tracing::info!(
            provider,
            before,
            now = one.window.tokens(),
            "learned a model's context window from its refusal"
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clifford_llm::CircuitPolicy;
    use clifford_llm_api::model::{Image, Message, Role as Speaker};

    use super::*;
    use crate::models::roles::Assigned;

    /// Two providers of an executor: one of 8,000 tokens here, one of 32,000 elsewhere.
    fn roles() -> (Roles, Arc<Window>) {
        let windowed = |provider: &str, url: &str| Windowed {
            provider: provider.to_owned(),
            circuit: Arc::new(Circuit::new(provider, CircuitPolicy::default())),
            window: Arc::new(Window::new(url, "x", None)),
        };
        let windows = vec![
            windowed("here", "http://127.0.0.1/v1"),
            windowed("elsewhere", "https://api.example.com/v1"),
        ];
        let window = Arc::clone(&windows[0].window);
        let executor = Assigned {
            windows,
            ..Roles::default().executor
        };
        (Roles::new(executor, [], BTreeMap::new(), Vec::new()), window)
    }

    fn request(characters: usize) -> Request {
        Request {
            messages: vec![Message {
                role: Speaker::User,
                content: "x".repeat(characters),
            }],
            ..Request::default()
        }
    }

    #[test]
    fn a_request_is_made_for_the_model_that_is_asked_next() {
        let (roles, _) = roles();
        assert_eq!(roles.window(Role::Executor, None), 8_000);
        assert_eq!(roles.longest_reply(Role::Executor), 2_000);
        assert_eq!(roles.larger_window(Role::Executor, None, 8_000), Some(32_000));
        assert_eq!(roles.larger_window(Role::Executor, None, 32_000), None);
        assert_eq!(Roles::default().window(Role::Executor, None), u64::from(u32::MAX));
    }

    fn refusal(provider: &str, window: Option<u64>, in_bytes: bool) -> ModelError {
        ModelError::TooLong {
            provider: provider.to_owned(),
            window,
            in_bytes,
        }
    }

    #[test]
    fn a_refusal_that_names_the_window_is_believed() {
        let (roles, window) = roles();
        roles.learn(Role::Executor, &refusal("here", Some(4_096), false), &request(20_000));
        assert_eq!(roles.window(Role::Executor, None), 4_096);
        roles.learn(Role::Executor, &refusal("here", Some(16_384), false), &request(80_000));
        let learned = window.learned().1.map(|learned| learned.tokens);
        assert_eq!((window.tokens(), learned), (16_384, Some(16_384)));
        roles.learn(Role::Executor, &refusal("unknown", Some(2_048), false), &request(1));
        assert_eq!(roles.window(Role::Executor, None), 16_384);
    }

    #[test]
    fn dense_text_of_one_person_lowers_nobody_elses_window() {
        let (roles, _) = roles();
        for _ in 0..4 {
            // The model counts more tokens than are estimated here.
            roles.learn(Role::Executor, &refusal("here", Some(8_000), false), &request(28_000));
        }
        assert_eq!(roles.window(Role::Executor, None), 8_000);
    }

    #[test]
    fn a_refusal_that_names_nothing_lowers_what_is_tried_unless_it_is_for_bytes_that_are_no_text() {
        let with_image = |characters| Request {
            images: vec![Image {
                media_type: "image/jpeg".into(),
                base64: "x".into(),
            }],
            ..request(characters)
        };
        // Whether it is for bytes, what was asked, and what is tried next.
        let cases = [
            (false, request(24_000), 5_250),
            (false, with_image(4_000), 2_275),
            (true, request(24_000), 5_250),
            (true, request(4_000), 8_000),
            (true, with_image(24_000), 8_000),
        ];
        for (in_bytes, request, expected) in cases {
            let (roles, _) = roles();
            roles.learn(Role::Executor, &refusal("here", None, in_bytes), &request);
            assert_eq!(
                roles.window(Role::Executor, None),
                expected,
                "{in_bytes} {}",
                request.images.len()
            );
        }
    }
}
