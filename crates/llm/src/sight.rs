//! Whether a model sees images: what is set, what it taught when it was shown one, or what is known by its name.

use std::sync::atomic::{AtomicU8, Ordering};

/// Beginnings of names, and whether those models see. The first line that fits counts. Providers' prefixes
/// (`openai/…`) and variants (`…:free`) do not matter. A name that is not here is tried.
const MODELS: [(&str, bool); 52] = [
    // OpenAI.
    ("gpt-3.5", false),
    ("gpt-35", false),
    ("gpt-4-turbo", true),
    ("gpt-4-vision", true),
    ("gpt-4-32k", false),
    ("gpt-4-1106", false),
    ("gpt-4-0125", false),
    ("gpt-4.1", true),
    ("gpt-4.5", true),
    ("gpt-4o-audio", false),
    ("gpt-4o", true),
    ("chatgpt-4o", true),
    ("gpt-4", false),
    ("gpt-5", true),
    ("gpt-oss", false),
    ("o1-mini", false),
    ("o1-preview", false),
    ("o1", true),
    ("o3-mini", false),
    ("o3", true),
    ("o4", true),
    // Anthropic.
    ("claude-2", false),
    ("claude-instant", false),
    ("claude", true),
    // Google.
    ("gemini-1.0", false),
    ("gemini", true),
    ("gemma-3-1b", false),
    ("gemma3:1b", false),
    ("gemma-3", true),
    ("gemma3", true),
    ("gemma", false),
    // Mistral.
    ("pixtral", true),
    ("mistral-small-2402", false),
    ("mistral-tiny", false),
    ("mistral-nemo", false),
    ("open-mistral", false),
    ("mixtral", false),
    ("codestral", false),
    // Meta.
    ("llama-4", true),
    ("llama4", true),
    ("llama-3.1", false),
    ("llama3.1", false),
    ("llama-3.3", false),
    ("llama3.3", false),
    // Others.
    ("qwen2.5-vl", true),
    ("qwen-vl", true),
    ("qwen3-vl", true),
    ("llava", true),
    ("moondream", true),
    ("minicpm-v", true),
    ("deepseek", false),
    ("grok-4", true),
];

/// Whether a model of this name sees images, as far as that is known by its name alone.
#[must_use]
pub fn known_sight(model: &str) -> Option<bool> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let known = MODELS.iter().find(|(begins, _)| name.starts_with(begins));
    known.map(|(_, sees)| *sees)
}

/// The lesson: nothing, that it sees, or that it does not.
const UNKNOWN: u8 = 0;
const SEES: u8 = 1;
const IS_BLIND: u8 = 2;

/// Whether one model at one provider sees images, shared by all of its callers.
#[derive(Debug, Default)]
pub struct Sight {
    configured: Option<bool>,
    known: Option<bool>,
    learned: AtomicU8,
}

impl Sight {
    /// The sight of a model of this name; `configured`: the setting for it.
    #[must_use]
    pub fn new(model: &str, configured: Option<bool>) -> Self {
        Self {
            configured,
            known: known_sight(model),
            learned: AtomicU8::new(UNKNOWN),
        }
    }

    /// As it is set, whatever the model teaches.
    #[must_use]
    pub fn set(sees: bool) -> Self {
        Self {
            configured: Some(sees),
            ..Self::default()
        }
    }

    /// Whether it sees images; `None`: nobody has tried.
    #[must_use]
    pub fn sees(&self) -> Option<bool> {
        self.configured.or_else(|| self.learned()).or(self.known)
    }

    /// Whether it is shown images: one of which nothing is known is tried.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.sees() != Some(false)
    }

    /// Its lesson.
    #[must_use]
    pub fn learned(&self) -> Option<bool> {
        match self.learned.load(Ordering::Relaxed) {
            SEES => Some(true),
            IS_BLIND => Some(false),
            _ => None,
        }
    }

    /// It took an image, or refused one as what it cannot see.
    pub fn learn(&self, sees: bool) {
        self.learned
            .store(if sees { SEES } else { IS_BLIND }, Ordering::Relaxed);
    }
}

/// The meaning of a refusal for the images of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The model sees none.
    Blind,
    /// It does not take these.
    Faulty,
}

/// Words by which servers say that a model sees no images: OpenAI, vLLM, llama.cpp, LM Studio, OpenRouter, Mistral,
/// DeepSeek, Groq, Ollama, Bedrock, xAI, SiliconFlow.
const BLIND: [&str; 22] = [
    "image_url is only supported by certain models",
    "is not a multimodal model",
    "at most 0 image",
    "image input is not supported",
    "image input is not enabled",
    "support image input",
    "does not support image",
    "do not support image",
    "doesn't support image",
    "not support vision",
    "missing data required for image input",
    "unknown variant `image_url`",
    "unknown variant `image`",
    "content must be a string",
    "value must be a string",
    "input should be a valid string",
    "expected a string, but got an array",
    "support the image content block",
    "image inputs are not supported",
    "image input not supported",
    "not a vlm",
    "mmproj",
];

/// Words by which they say that they do not take an image: of OpenAI and Anthropic.
const FAULTY: [&str; 7] = [
    "unsupported image",
    "invalid image",
    "could not process image",
    "image data",
    "image exceeds",
    "image dimensions",
    "failed to load image",
];

/// Reads what a server says of a request that had images.
pub(crate) fn refusal(said: &str) -> Option<Refusal> {
    let said = said.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
    if says(&BLIND) {
        Some(Refusal::Blind)
    } else {
        says(&FAULTY).then_some(Refusal::Faulty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_their_names_and_others_are_tried() {
        let cases = [
            ("gpt-4o-mini", Some(true)),
            ("openai/gpt-5-nano", Some(true)),
            ("gpt-4-0613", Some(false)),
            ("o3-mini", Some(false)),
            ("claude-haiku-4-5", Some(true)),
            ("google/gemma-3-27b-it:free", Some(true)),
            ("deepseek-chat", Some(false)),
            ("my-own", None),
        ];
        for (model, expected) in cases {
            assert_eq!(known_sight(model), expected, "{model}");
            assert_eq!(Sight::new(model, None).is_shown(), expected != Some(false), "{model}");
        }
    }

    #[test]
    fn a_setting_goes_before_what_was_learned_and_that_before_the_name() {
        let sight = Sight::new("gpt-4o", None);
        sight.learn(false);
        assert_eq!((sight.sees(), sight.learned()), (Some(false), Some(false)));
        sight.learn(true);
        assert_eq!(sight.sees(), Some(true));
        for set in [true, false] {
            let sight = Sight::new("gpt-4o", Some(set));
            sight.learn(!set);
            assert_eq!(sight.sees(), Some(set));
        }
    }

    #[test]
    fn refusals_tell_a_model_that_sees_nothing_from_an_image_that_cannot_be_seen() {
        let cases = [
            (
                "Invalid content type. image_url is only supported by certain models.",
                Some(Refusal::Blind),
            ),
            ("No endpoints found that support image input", Some(Refusal::Blind)),
            ("google/gemma-2b is not a multimodal model None", Some(Refusal::Blind)),
            (
                "At most 0 image(s) may be provided in one request.",
                Some(Refusal::Blind),
            ),
            (
                "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                Some(Refusal::Blind),
            ),
            (
                "Model does not support images. Please use a model that does.",
                Some(Refusal::Blind),
            ),
            (
                "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, \
                 expected `text`",
                Some(Refusal::Blind),
            ),
            ("'messages.1.content' : value must be a string", Some(Refusal::Blind)),
            (
                "This model doesn't support the image content block that you provided.",
                Some(Refusal::Blind),
            ),
            ("Image inputs are not supported by this model.", Some(Refusal::Blind)),
            (
                "The model is not a VLM (Vision Language Model). Please use text-only prompts.",
                Some(Refusal::Blind),
            ),
            ("image input not supported for model", Some(Refusal::Blind)),
            (
                "messages.1.content: Input should be a valid string",
                Some(Refusal::Blind),
            ),
            (
                "Invalid type for 'messages[1].content': expected a string, but got an array instead.",
                Some(Refusal::Blind),
            ),
            ("Could not process image", Some(Refusal::Faulty)),
            (
                "You uploaded an unsupported image. Please make sure your image is valid.",
                Some(Refusal::Faulty),
            ),
            ("Unknown parameter: 'temperature'.", None),
            ("The server had an error", None),
        ];
        for (said, expected) in cases {
            assert_eq!(refusal(said), expected, "{said}");
        }
    }
}
