//! Refusals as servers sent them.

use super::*;

const NOT_LENGTH: Option<Option<u64>> = None;
const UNTOLD: Option<Option<u64>> = Some(None);

const fn window(tokens: u64) -> Option<Option<u64>> {
    Some(Some(tokens))
}

/// Refusals as servers sent them: status, code and type, what was said.
#[test]
fn every_server_is_understood() {
    let cases = [
        // OpenAI.
        (
            400,
            "context_length_exceeded invalid_request_error",
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 6988 tokens. Please reduce the length of the messages.",
            window(4097),
        ),
        (
            400,
            "context_length_exceeded invalid_request_error",
            "This model's maximum context length is 128000 tokens. However, you requested 254457 tokens (250361 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
            window(128_000),
        ),
        (
            400,
            "context_length_exceeded",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            UNTOLD,
        ),
        (
            400,
            "string_above_max_length invalid_request_error",
            "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 20971520 instead.",
            UNTOLD,
        ),
        // Azure.
        (
            400,
            "context_length_exceeded",
            "This model's maximum context length is 16385 tokens, however you requested 20202 tokens (16106 in your prompt; 4096 for the completion). Please reduce your prompt; or completion length.",
            window(16_385),
        ),
        // GitHub Models.
        (
            413,
            "tokens_limit_reached",
            "Request body too large for gpt-4o model. Max size: 8000 tokens.",
            window(8000),
        ),
        // Anthropic.
        (
            400,
            "invalid_request_error",
            "prompt is too long: 208310 tokens > 200000 maximum",
            window(200_000),
        ),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
            window(200_000),
        ),
        (413, "request_too_large", "Request exceeds the maximum size", UNTOLD),
        // DeepInfra, by itself and through OpenRouter.
        (
            400,
            "",
            "Requested input length 39818 exceeds maximum input length 32767",
            window(32_767),
        ),
        (
            400,
            "400",
            "Provider returned error {\"error\":{\"message\":\"Requested input length 39818 exceeds maximum input length 32767\"}}",
            window(32_767),
        ),
        // TensorRT-LLM, TabbyAPI.
        (
            400,
            "",
            "Prompt length (9000) exceeds maximum input length (8192). Set log level to info and check TRTGptModel logs",
            window(8192),
        ),
        (
            422,
            "",
            "Prompt length 9000 is greater than max_seq_len 8192",
            window(8192),
        ),
        // Bedrock.
        (
            400,
            "validationexception",
            "Input is too long for requested model.",
            UNTOLD,
        ),
        // llama.cpp, whose body has a field for it.
        (
            400,
            "exceed_context_size_error",
            r#"the request exceeds the available context size. try increasing the context size or enable context shift {"code":400,"n_prompt_tokens":14429,"n_ctx":8192}"#,
            window(8192),
        ),
        (
            400,
            "exceed_context_size_error",
            "request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it",
            window(8192),
        ),
        (
            500,
            "server_error",
            "the request exceeds the available context size. try increasing the context size or enable context shift",
            UNTOLD,
        ),
        (
            400,
            "",
            "Requested tokens (2285) exceed context window of 2048",
            window(2048),
        ),
        // Ollama.
        (400, "", "input length exceeds maximum context length", UNTOLD),
        (
            400,
            "api_error",
            "prompt too long; exceeded max context length by 12 tokens",
            UNTOLD,
        ),
        // LM Studio.
        (
            400,
            "",
            "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
            window(7866),
        ),
        (
            400,
            "",
            "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)",
            window(7424),
        ),
        // vLLM.
        (
            400,
            "badrequesterror",
            "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
            window(16_384),
        ),
        (
            400,
            "badrequesterror",
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 1205 input tokens (8192 > 8192 - 1205).",
            window(8192),
        ),
        (
            400,
            "badrequesterror",
            "The decoder prompt (length 40210) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.",
            window(32_768),
        ),
        // SGLang.
        (
            400,
            "badrequesterror",
            "The input (1604 tokens) is longer than the model's context length (1280 tokens).",
            window(1280),
        ),
        (
            400,
            "",
            "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
            window(59_862),
        ),
        // TGI.
        (
            422,
            "validation",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3800 `inputs` tokens and 512 `max_new_tokens`",
            window(4096),
        ),
        (
            422,
            "validation",
            "Input validation error: `inputs` must have less than 1024 tokens. Given: 1302",
            window(1024),
        ),
        // OpenRouter.
        (
            400,
            "",
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140220 tokens (132028 of text input, 8192 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.",
            window(131_072),
        ),
        // Mistral.
        (
            400,
            "invalid_request_error",
            "Prompt contains 40259 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            window(32_768),
        ),
        // Gemini, by its compatible API.
        (
            400,
            "invalid_argument",
            "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
            window(1_048_576),
        ),
        (
            400,
            "invalid_argument",
            "The input token count exceeds the maximum number of tokens allowed 1048576.",
            window(1_048_576),
        ),
        // Groq.
        (
            400,
            "context_length_exceeded invalid_request_error",
            "Please reduce the length of the messages or completion.",
            UNTOLD,
        ),
        // Together.
        (
            422,
            "invalid_request_error",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
            window(8193),
        ),
        // xAI.
        (
            400,
            "",
            "This model's maximum prompt length is 131072 but the request contains 151234 tokens.",
            window(131_072),
        ),
        // DeepSeek.
        (
            400,
            "invalid_request_error",
            "This model's maximum context length is 65536 tokens. However, you requested 69648 tokens (69648 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
            window(65_536),
        ),
        // DashScope.
        (
            400,
            "invalid_parameter_error",
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]",
            window(204_800),
        ),
        // Moonshot.
        (
            400,
            "invalid_request_error",
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
            window(262_144),
        ),
        // Zhipu.
        (400, "1261", "Prompt exceeds max length", UNTOLD),
        (400, "1261", "Prompt 超长", UNTOLD),
        // MiniMax, whose number is that of the error.
        (400, "", "invalid params, context window exceeds limit (2013)", UNTOLD),
        // Copilot.
        (
            400,
            "model_max_prompt_tokens_exceeded",
            "prompt token count of 70123 exceeds the limit of 64000",
            window(64_000),
        ),
        // Cohere, Fireworks.
        (
            400,
            "",
            "too many tokens: total number of tokens in this request cannot exceed 4081",
            UNTOLD,
        ),
        (
            400,
            "invalid_request_error",
            "The prompt is too long: 140011, model maximum context length: 131071",
            window(131_071),
        ),
        // Proxies.
        (413, "", "", UNTOLD),
        (413, "", "Payload Too Large", UNTOLD),
        (
            400,
            "",
            "this model has a context window of 128k tokens",
            window(128_000),
        ),
        (400, "", "maximum context length is 32,768 tokens", window(32_768)),
        // A rate, of which more than a minute's share was asked for.
        (
            413,
            "rate_limit_exceeded tokens",
            "Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.",
            UNTOLD,
        ),
        (
            429,
            "rate_limit_exceeded tokens",
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.",
            UNTOLD,
        ),
        // A rate.
        (
            429,
            "rate_limit_exceeded tokens",
            "Rate limit reached for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.",
            NOT_LENGTH,
        ),
        (
            429,
            "rate_limit_exceeded",
            "Rate limit reached for requests",
            NOT_LENGTH,
        ),
        (429, "", "Too many requests", NOT_LENGTH),
        // The reply's limit.
        (
            400,
            "",
            "`max_tokens` must be less than or equal to 16384, the maximum value for `max_tokens` is less than the `context_window` for this model",
            NOT_LENGTH,
        ),
        (
            400,
            "invalid_request_error",
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            NOT_LENGTH,
        ),
        (
            400,
            "invalid_value",
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
            NOT_LENGTH,
        ),
        // Something else.
        (
            400,
            "invalid_request_error",
            "Unknown parameter: 'response_format'.",
            NOT_LENGTH,
        ),
        (400, "", "temperature must be <= 2", NOT_LENGTH),
        (400, "", "The image exceeds the limit of 5 MB", NOT_LENGTH),
        (
            400,
            "invalid_argument",
            "The specified schema produces a constraint that has too many states for serving. Typical causes of this error are long property or enum names, limits on array length, or many optional properties.",
            NOT_LENGTH,
        ),
        (
            400,
            "",
            "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.",
            NOT_LENGTH,
        ),
        (500, "server_error", "The server had an error", NOT_LENGTH),
    ];
    for (status, code, said, expected) in cases {
        assert_eq!(read(status, code, said).map(|found| found.window), expected, "{said}");
    }
}

#[test]
fn a_window_that_nobody_has_is_not_believed() {
    for number in ["3", "999999999999999999999999", "0"] {
        let said = format!("maximum context length is {number} tokens");
        assert_eq!(read(400, "", &said).map(|found| found.window), UNTOLD, "{said}");
    }
}

#[test]
fn a_refusal_for_its_bytes_is_told_from_one_for_its_tokens() {
    let cases = [
        (413, "", "", true),
        (413, "", "Request Entity Too Large", true),
        (400, "", "Payload Too Large", true),
        (413, "request_too_large", "Request exceeds the maximum size", true),
        (413, "", "Please reduce the length of the messages.", false),
        (
            413,
            "tokens_limit_reached",
            "Request body too large for gpt-4o model. Max size: 8000 tokens.",
            false,
        ),
        (
            413,
            "rate_limit_exceeded",
            "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 20000",
            false,
        ),
        (400, "context_length_exceeded", "", false),
    ];
    for (status, code, said, expected) in cases {
        let found = read(status, code, said).map(|found| found.in_bytes);
        assert_eq!(found, Some(expected), "{status} {code} {said}");
    }
}
