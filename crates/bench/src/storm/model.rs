//! The model of a storm: answers with the marks of the questions, and fails as the seed says.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clifford_fakes::openai::{OpenAiFake, RecordedRequest, Reply, counted};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

use super::{
    marks::{self, Piece},
    plan::{Plan, Shape},
};

/// The tokens of its window.
pub const WINDOW: u64 = 8_192;
/// How many parts a long answer has.
const LONG: usize = 3;

/// Expressions that would take the stack, all time or all memory of whoever works them out.
const HOSTILE: [&str; 5] = [
    r"(\x.x x)(\x.x x)",
    "roll 999999d999999",
    "@1970-01-01 + 1000000000000000 days",
    "1 << 4000000000",
    "9^9^9^9^9",
];

/// A model that can go away and come back where it was.
pub struct Model {
    mind: Arc<Mind>,
    address: SocketAddr,
    server: Option<OpenAiFake>,
    violations: Vec<String>,
}

/// The memory of the model.
struct Mind {
    seed: u64,
    shapes: Vec<Shape>,
    /// The addresses of hostile pages.
    pages: Vec<String>,
    /// The requests that were larger than the window.
    too_large: Mutex<Vec<String>>,
    /// How often it was asked the same.
    attempts: Mutex<HashMap<(usize, usize), u64>>,
}

impl Model {
    /// Starts it. It reads the pages of these addresses.
    pub async fn start(plan: &Plan, pages: Vec<String>) -> Self {
        let mind = Arc::new(Mind {
            seed: plan.seed,
            shapes: plan.messages.iter().map(|said| said.shape).collect(),
            pages,
            too_large: Mutex::default(),
            attempts: Mutex::default(),
        });
        let server = OpenAiFake::start().await;
        let mut model = Self {
            mind,
            address: server.address(),
            server: None,
            violations: Vec::new(),
        };
        model.serve(server);
        model
    }

    /// Where it is.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// From now on connections are refused, and those that are open are gone.
    pub fn leave(&mut self) {
        let of_now = self.server.as_ref().map(OpenAiFake::violations).unwrap_or_default();
        self.violations.extend(of_now);
        self.server = None;
    }

    /// It is back.
    pub async fn come_back(&mut self) {
        let server = OpenAiFake::start_at(self.address).await;
        self.serve(server);
    }

    /// Requests to it that a careful client does not send.
    pub fn violations(&self) -> Vec<String> {
        let of_now = self.server.as_ref().map(OpenAiFake::violations).unwrap_or_default();
        let too_large = self.mind.too_large.lock().unwrap_or_else(PoisonError::into_inner);
        [self.violations.clone(), of_now, too_large.clone()].concat()
    }

    fn serve(&mut self, server: OpenAiFake) {
        let mind = Arc::clone(&self.mind);
        server.record(false);
        server.respond_with(move |request| mind.reply(request));
        self.server = Some(server);
    }
}

impl Mind {
    fn reply(&self, request: &RecordedRequest) -> Reply {
        let tokens = counted(request);
        if tokens > WINDOW {
            let mut too_large = self.too_large.lock().unwrap_or_else(PoisonError::into_inner);
            too_large.push(format!("a request of {tokens} tokens in a window of {WINDOW}"));
        }
        match request.body["response_format"]["json_schema"]["name"].as_str() {
            Some("memory_operations") => return Reply::json(&json!({"operations": []})),
            Some("summary") => return Reply::json(&json!({"summary": "Much was asked and answered."})),
            _ => {}
        }
        let prompt: Value = serde_json::from_str(request.text(1)).unwrap_or_default();
        let questions = marks::questions(prompt["input"].as_str().unwrap_or_default());
        let Some(first) = questions.first().copied() else {
            return Reply::json(&json!({"type": "send_message", "message": "Nobody asked anything."}));
        };
        let turns = request
            .messages()
            .iter()
            .filter(|said| said["role"] == "assistant")
            .count();
        let mut dice = self.dice(first, turns);
        let of_shape = |shape| {
            let mut asked = questions.iter().copied();
            asked.find(|number| self.shapes.get(*number) == Some(&shape))
        };
        let shape = |shape| of_shape(shape).is_some();
        if shape(Shape::Hopeless) {
            return Reply::status(500, "The server had an error while processing your request.");
        }
        let goes_on = shape(Shape::GoesOn);
        if goes_on && turns > 1 {
            return Reply::status(500, "The server had an error while processing your request.");
        }
        let call = if turns > 0 {
            None
        } else if goes_on {
            // A reply without a call is complete.
            Some(("compute.eval", json!({ "expression": "1 + 1" })))
        } else if let Some(number) = of_shape(Shape::Page) {
            // Questions that were asked together are one run: the page is that of the one that names it.
            let url = &self.pages[number % self.pages.len()];
            Some(("web.extract", json!({ "url": url })))
        } else if shape(Shape::Hostile) {
            let expression = HOSTILE[first % HOSTILE.len()];
            Some(("compute.eval", json!({ "expression": expression })))
        } else if shape(Shape::Tool) {
            Some(("compute.eval", json!({ "expression": format!("{first} + 1") })))
        } else {
            None
        };
        let action = if let Some((tool, args)) = call {
            json!({
                "type": "tool_call", "name": tool, "args": args,
                "notes": [
                    {"category": "requirements", "content": "a sum"},
                    {"category": "plan", "content": "ask the tool, then answer"},
                ],
            })
        } else {
            let long = shape(Shape::Long);
            let words = match prompt["run"]["channel"]["platform"].as_str() {
                Some("discord") => 250,
                _ => 500,
            };
            let plan = json!([{"category": "plan", "content": "answer, then look further"}]);
            let mut action = json!({"type": "send_message", "message": answer(&questions, long.then_some(words))});
            if goes_on {
                action["notes"] = plan;
            }
            action
        };
        faulty(&mut dice, Reply::json(&action))
    }

    /// The same for the same question, stage and attempt of a seed.
    fn dice(&self, question: usize, turns: usize) -> StdRng {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = attempts.entry((question, turns)).or_default();
        *attempt += 1;
        let mut hasher = DefaultHasher::new();
        (self.seed, question, turns, *attempt).hash(&mut hasher);
        StdRng::seed_from_u64(hasher.finish())
    }
}

/// Text that names every question; a long one is several parts of so many words, which answer the last one: so the
/// marks stand in order, whatever was asked together.
fn answer(questions: &[usize], long: Option<usize>) -> String {
    let parts = if long.is_some() { LONG } else { 1 };
    let last = questions.last();
    let paragraph = |part| {
        let mark = |question: &usize| {
            let of = if Some(question) == last { parts } else { 1 };
            let question = *question;
            (part <= of).then(|| marks::answer(Piece { question, part, of }))
        };
        let marks: Vec<_> = questions.iter().filter_map(mark).collect();
        let words = long.map(|count| " words".repeat(count)).unwrap_or_default();
        format!("That is {}.{words}", marks.join(" "))
    };
    (1..=parts).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// One in eight fails in some way; the others take their time.
fn faulty(dice: &mut StdRng, reply: Reply) -> Reply {
    let reply = reply.delay(Duration::from_millis(dice.random_range(10..250)));
    match dice.random_range(0..64) {
        0 => Reply::rate_limited(1),
        1 => Reply::status(500, "The server is overloaded."),
        2 => reply.delay(Duration::from_secs(2)),
        3 => reply.cut_after(1),
        4 => Reply::garbage(),
        5 => Reply::reset(),
        6 => Reply::text("Let me think about that for a moment."),
        7 => reply.end_after(1),
        _ => reply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_each_question_and_its_parts_the_last_one() {
        let found = |long| {
            let pieces = marks::pieces(&answer(&[3, 4], long));
            pieces
                .iter()
                .map(|piece| (piece.question, piece.part, piece.of))
                .collect::<Vec<_>>()
        };
        assert_eq!(found(None), [(3, 1, 1), (4, 1, 1)]);
        assert_eq!(found(Some(5)), [(3, 1, 1), (4, 1, 3), (4, 2, 3), (4, 3, 3)]);
    }
}
