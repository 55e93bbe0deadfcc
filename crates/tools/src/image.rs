//! `image`: says what is in an image, where a model has the role `vision`, and makes one, where a provider for that is
//! set.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clifford_content::files::NewFile;
use clifford_core::{
    id::FileId,
    models::Role,
    net::target::AllowedHost,
    policy::{class::Class, sources},
};
use clifford_fetch::{Fetcher, Limits};
use clifford_llm_api::model::{Image, Message, Request};
use clifford_vault::SecretSource;
use clifford_worker::{WorkError, Workers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;

use super::{
    Command, Options, Price, Purchase, Tool, ToolContext, ToolError, files,
    provider::{Ask, Body},
};

/// The largest image that is shown to a model: what every provider takes, as Base64.
const MOST: usize = 3_500_000;
/// The kinds of images that every provider takes.
const SEEN: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/// The media type of documents whose pages may be pictures.
const PDF: &str = "application/pdf";
/// The question about an image where none is asked, and about a page.
const DESCRIBE: &str = "Describe this image, with any text in it word for word.";
const READ_PAGE: &str = "This is a page of a document. Write down its text word for word, tables as tables, and describe \
                         its pictures.";
/// The most bytes of an image that is fetched from its provider.
const LARGEST: usize = 32 * 1024 * 1024;
/// The most characters of a prompt.
const PROMPT: usize = 4_000;
/// The sizes that an image may be made in.
const SIZES: [&str; 5] = ["auto", "1024x1024", "1536x1024", "1024x1536", "1792x1024"];

/// The server that makes images: OpenAI, or a compatible one. The model that looks at them is set by
/// `[llm.roles] vision`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The base address of its API.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "https://api.openai.com/v1")]
    base_url: Option<String>,
    /// Its key. Your own servers often need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "OPENAI_API_KEY"}]))]
    key: Option<SecretSource>,
    /// The model that makes images. Without it none is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), example = "gpt-image-1")]
    make_model: Option<String>,
    /// Price of an image, for the accounting and for budgets.
    #[schemars(range(min = 0, max = 1_000_000))]
    make_price: f64,
    /// The longest time of an answer.
    #[schemars(range(min = 1, max = 300))]
    timeout_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            base_url: None,
            key: None,
            make_model: None,
            make_price: 0.0,
            timeout_seconds: 120,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct DescribeArgs {
    /// The image, or a PDF whose pages are pictures.
    file_id: String,
    /// Of a PDF: which page; left out: 1.
    page: Option<u32>,
    /// The thing to look for; left out: everything.
    question: Option<String>,
}

#[derive(Serialize)]
struct Described {
    description: String,
}

#[derive(Deserialize, JsonSchema)]
struct MakeArgs {
    /// The description of the image.
    prompt: String,
    /// auto, 1024x1024, 1536x1024, 1024x1536 or 1792x1024; left out: as the model likes.
    size: Option<String>,
}

#[derive(Serialize)]
struct Made {
    id: FileId,
    name: String,
    size: Option<i64>,
}

pub(super) fn tool() -> Tool {
    Tool::new("image", "🎨", "images")
        .about("Says what is in an image, and makes images; send one with file_ids of send_message or finish.")
        .config::<Config>()
        .command(
            Command::new(
                "describe",
                "{file_id, question?, page?}: what it shows",
                Class::Read,
                describe,
            )
            .example(json!({ "file_id": "0192…", "question": "What does the sign say?" }))
            .untrusted()
            .needs(|options| {
                let way_out =
                    "set images = true for a provider whose model sees images, or give one [llm.roles.vision]";
                (!options.services().sees_images).then(|| way_out.to_owned())
            })
            .time_limit(Duration::from_secs(310)),
        )
        .command(
            Command::new("make", "{prompt, size?}: new image", Class::Sensitive, make)
                .about("Makes an image, which costs money, and keeps it as a file. Send that with file_ids.")
                .example(json!({ "prompt": "a lighthouse at dusk, watercolour", "size": "1024x1024" }))
                .needs(missing)
                .time_limit(Duration::from_secs(310)),
        )
}

/// The setting that is missing and required.
fn missing(options: &Options) -> Option<String> {
    let config = options.section("image");
    let unset: Vec<_> = ["base_url", "make_model"]
        .into_iter()
        .filter(|key| !config[*key].is_string())
        .map(|key| format!("tools.image.{key}"))
        .collect();
    (!unset.is_empty()).then(|| format!("set {}", unset.join(" and ")))
}

async fn describe(cx: ToolContext, args: DescribeArgs) -> Result<Described, ToolError> {
    let file = files::one(&cx, &args.file_id).await?;
    cx.came_from(sources::file(&file.name));
    let content = cx.services.files.content(&cx.db, &file, cx.clock.now()).await?;
    let reading = files::reading(&cx, &file).await?;
    let is_pdf = infer::get(&content.bytes).is_some_and(|kind| kind.mime_type() == PDF);
    let (workers, whose) = (&cx.services.workers, cx.on_behalf_of());
    let image = match args.page {
        page if is_pdf => shown_page(workers, &whose, &content.bytes, page.unwrap_or(1)).await,
        None => shown(workers, &whose, &content.bytes).await,
        Some(_) => Err("is no PDF: leave `page` out".to_owned()),
    };
    reading.end(&cx).await?;
    let image = image.map_err(|fault| ToolError::TellModel(format!("{} {fault}", file.name)))?;
    let question = args
        .question
        .as_deref()
        .unwrap_or(if is_pdf { READ_PAGE } else { DESCRIBE });
    let request = Request {
        messages: vec![Message {
            role: clifford_llm_api::model::Role::User,
            content: question.to_owned(),
        }],
        images: vec![image],
        ..Request::default()
    };
    let answer = cx.payer.ask(Role::Vision, &request).await?;
    match answer.text.trim() {
        "" => Err(ToolError::Unavailable("the model said nothing of the image".to_owned())),
        text => Ok(Described {
            description: text.to_owned(),
        }),
    }
}

/// An image as models are shown it, in a size that they look at. One that cannot be made smaller is shown as it is, if
/// it is small enough.
///
/// # Errors
/// As `seen`.
pub async fn shown(workers: &Workers, whose: &str, bytes: &[u8]) -> Result<Image, String> {
    kind(bytes)?;
    match workers.reduce_image(whose, bytes).await {
        Ok(Some(reduced)) => Ok(Image {
            media_type: reduced.media_type.into(),
            base64: STANDARD.encode(reduced.content).into(),
        }),
        Ok(None) => unreduced(bytes),
        Err(error) => {
            tracing::debug!(%error, "failed to reduce an image, keeping it as it is");
            unreduced(bytes)
        }
    }
}

/// A page of a PDF, which is a picture, as models are shown it.
async fn shown_page(workers: &Workers, whose: &str, bytes: &[u8], page: u32) -> Result<Image, String> {
    let reduced = workers
        .page_image(whose, bytes, page)
        .await
        .map_err(|error| match error {
            WorkError::Rejected(why) => why,
            WorkError::TooCostly => "takes more time or memory to read than it may".to_owned(),
            WorkError::Unavailable(why) => format!("cannot be read now: {why}"),
        })?;
    Ok(Image {
        media_type: reduced.media_type.into(),
        base64: STANDARD.encode(reduced.content).into(),
    })
}

/// The kind of an image that models see.
fn kind(bytes: &[u8]) -> Result<&'static str, String> {
    match infer::get(bytes) {
        Some(kind) if SEEN.contains(&kind.mime_type()) => Ok(kind.mime_type()),
        _ => Err("is no image that models see: they see JPEG, PNG, GIF and WebP".to_owned()),
    }
}

/// An image as models are shown it.
///
/// # Errors
/// Why it is not shown to one: the end of a sentence that begins with its name.
fn unreduced(bytes: &[u8]) -> Result<Image, String> {
    let media_type = kind(bytes)?;
    if bytes.len() > MOST {
        return Err(format!("is too large to be looked at: at most {MOST} bytes"));
    }
    Ok(Image {
        media_type: media_type.into(),
        base64: STANDARD.encode(bytes).into(),
    })
}

async fn make(cx: ToolContext, args: MakeArgs) -> Result<Made, ToolError> {
    let config: Config = cx.config("image")?;
    let prompt = args.prompt.trim();
    if prompt.is_empty() || prompt.chars().count() > PROMPT {
        return Err(ToolError::TellModel(format!("prompt: give 1 to {PROMPT} characters")));
    }
    if let Some(size) = args.size.as_deref().filter(|size| !SIZES.contains(size)) {
        return Err(ToolError::TellModel(format!(
            "size: `{size}` is none of {}",
            SIZES.join(", ")
        )));
    }
    let model = config.make_model.clone().unwrap_or_default();
    let mut body = json!({ "model": model, "prompt": prompt, "n": 1 });
    if let Some(size) = &args.size {
        body["size"] = json!(size);
    }
    // Of OpenAI's models the newer ones give nothing else, and refuse to be asked for it.
    // Gateways put their maker's name before theirs.
    if !model.contains("gpt-image") {
        body["response_format"] = json!("b64_json");
    }
    let purchase = Purchase {
        provider: "tools.image".to_owned(),
        model,
        role: Role::Vision,
        price: Price::Fixed(config.make_price),
    };
    let call = ask(&cx, &config, "images/generations", &body);
    let answer = cx.payer.buy(purchase, Box::pin(call)).await?;
    let content = made(&config, &answer["data"][0]).await?;
    let ending = infer::get(&content).filter(|kind| kind.mime_type().starts_with("image/"));
    let ending = ending.ok_or_else(|| ToolError::Unavailable("what the provider gave is no image".to_owned()))?;
    let new = NewFile {
        name: format!("image.{}", ending.extension()),
        content: content.into(),
        user: cx.user,
        place: cx.place,
        root_run: Some(cx.root_run),
        key: Some(cx.idempotency_key.clone()),
    };
    let file = cx.services.files.create(&cx.db, new, cx.clock.now()).await?;
    Ok(Made {
        id: file.id,
        name: file.name,
        size: file.size,
    })
}

/// An image that a provider made: it stands in the answer, or at the address that it names. From there it is fetched as any
/// page is, without the key, and from no private address but the provider's own.
async fn made(config: &Config, image: &serde_json::Value) -> Result<Vec<u8>, ToolError> {
    let none = || ToolError::Unavailable("the provider gave no image".to_owned());
    if let Some(text) = image["b64_json"].as_str() {
        return STANDARD.decode(text).map_err(|_| none());
    }
    let address = image["url"].as_str().ok_or_else(none)?;
    let limits = Limits {
        bytes: LARGEST,
        time: Duration::from_secs(config.timeout_seconds),
    };
    let own = provider_host(config).into_iter().collect();
    let fetcher = Fetcher::new(own, limits).map_err(|error| ToolError::Unavailable(error.to_string()))?;
    fetcher.file(address).await.map_err(|error| {
        ToolError::Unavailable(format!(
            "the image was made, and could not be fetched from its address: {error}"
        ))
    })
}

/// The host of the provider, with its port.
fn provider_host(config: &Config) -> Option<AllowedHost> {
    let url = Url::parse(config.base_url.as_deref()?).ok()?;
    format!("{}:{}", url.host_str()?, url.port_or_known_default()?)
        .parse()
        .ok()
}

async fn ask(
    cx: &ToolContext,
    config: &Config,
    route: &str,
    body: &serde_json::Value,
) -> Result<serde_json::Value, ToolError> {
    let ask = Ask {
        section: "tools.image",
        base_url: config.base_url.as_deref().unwrap_or_default(),
        route,
        key: cx.services.secrets.get("image.key"),
        body: Body::Json(body),
        within: Duration::from_secs(config.timeout_seconds),
    };
    ask.send().await
}
