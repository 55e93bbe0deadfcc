//! Bodies that are called something else than they are, and streams that say nothing.

mod openai_support;
mod support;

use std::time::Duration;

use clifford_fakes::{
    anthropic::AnthropicFake,
    openai::{OpenAiFake, Reply},
};
use clifford_llm::{Anthropic, Provider, ProviderConfig, ProviderKind, http_client};
use clifford_llm_api::model::{Model, ModelError};

use self::{
    openai_support::{client, config},
    support::{Heard, TestResult, request},
};

const STREAM: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\ndata:\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const WHOLE: &str = "{\n \"choices\": [{\"message\": {\"content\": \"Hello\"},\n \"finish_reason\": \"stop\"}]\n}\n";

const EVENTS: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":[]}}\n\ndata:\n\n\
    event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\
    \"content_block\":{\"type\":\"text\",\"text\":\"Hel\"}}\n\n\
    data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}}\n\n\
    data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":\"5\"}}\n\n\
    data: [DONE]\n\n";
const MESSAGE: &str = "{\"type\":\"message\",\"content\":[7,{\"type\":\"text\",\"text\":\"Hello\"}],\n\
    \"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":\"5\"}}\n";
const TEXT: &str = "{\"type\":\"message\",\"content\":\"Hello\",\"stop_reason\":\"end_turn\"}";

fn anthropic(fake: &AnthropicFake, stream: bool) -> Result<Anthropic, Box<dyn std::error::Error>> {
    let config = ProviderConfig::new(Provider {
        kind: ProviderKind::Anthropic,
        base_url: fake.base_url().into(),
        stream,
        ..Provider::default()
    });
    Ok(Anthropic::new(config, http_client(Duration::from_secs(10))?)?)
}

#[tokio::test]
async fn a_body_is_read_as_what_it_is_whatever_it_is_called() -> TestResult {
    let fake = OpenAiFake::start().await;
    for streaming in [true, false] {
        let mut config = config(&fake);
        config.section.stream = streaming;
        let model = client(config)?;
        for content_type in ["text/event-stream", "application/json", "text/plain", "text/html"] {
            for body in [STREAM, WHOLE] {
                fake.push(Reply::raw(200, content_type, body));
                let mut heard = Heard::default();
                let reply = model.complete(&request(), &mut heard).await;
                let text = reply.map(|completion| completion.text);
                assert_eq!(text, Ok("Hello".to_owned()), "{content_type}, {streaming}: {body}");
                assert_eq!(heard.text(), "Hello", "{content_type}, {streaming}: {body}");
            }
        }
    }
    let fake = AnthropicFake::start().await;
    for streaming in [true, false] {
        let model = anthropic(&fake, streaming)?;
        for content_type in ["text/event-stream", "application/json", "text/html"] {
            for body in [EVENTS, MESSAGE, TEXT] {
                fake.push(Reply::raw(200, content_type, body));
                let reply = model.complete(&request(), &mut ()).await;
                let text = reply.map(|completion| completion.text);
                assert_eq!(text, Ok("Hello".to_owned()), "{content_type}, {streaming}: {body}");
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_without_a_choice_is_none_and_what_stands_there_is_its_reason() -> TestResult {
    let fake = OpenAiFake::start().await;
    for (content_type, body, expected) in [
        ("text/event-stream", "data: [DONE]\n\n", "the answer holds no choice"),
        (
            "text/event-stream",
            "event: error\ndata: {\"message\":\"boom\"}\n\ndata: [DONE]\n\n",
            "status 500: boom",
        ),
        (
            "application/json",
            "{\"detail\":\"no such worker\"}",
            "status 500: no such worker",
        ),
    ] {
        fake.push(Reply::raw(200, content_type, body));
        match client(config(&fake))?.complete(&request(), &mut ()).await {
            Err(ModelError::Overloaded { reason, .. }) => assert_eq!(reason, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let fake = AnthropicFake::start().await;
    for (body, expected) in [
        ("{}", "the answer holds no content"),
        ("{\"content\":null}", "the answer holds no content"),
        ("{\"detail\":\"no such worker\"}", "status 500: no such worker"),
    ] {
        fake.push(Reply::raw(200, "application/json", body));
        match anthropic(&fake, false)?.complete(&request(), &mut ()).await {
            Err(ModelError::Overloaded { reason, .. }) => assert_eq!(reason, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_that_a_server_gave_up_is_told_from_one_that_it_withheld() -> TestResult {
    let fake = OpenAiFake::start().await;
    let provider = || "main".to_owned();
    let withheld = ModelError::Refused {
        provider: provider(),
        reason: "the content filter withheld the reply".to_owned(),
    };
    let overloaded = ModelError::Overloaded {
        provider: provider(),
        reason: "the server gave the reply up (insufficient_system_resource)".to_owned(),
    };
    let cut = ModelError::Cut {
        provider: provider(),
        partial: "Hel".to_owned(),
    };
    for (text, finish, expected) in [
        ("", "SAFETY", withheld),
        ("", "insufficient_system_resource", overloaded),
        ("Hel", "error", cut),
    ] {
        fake.push(Reply::text(text).finish_reason(finish));
        let ended = client(config(&fake))?.complete(&request(), &mut ()).await;
        assert_eq!(ended, Err(expected), "{finish}");
    }
    Ok(())
}
