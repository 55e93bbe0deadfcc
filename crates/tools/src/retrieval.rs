//! `retrieval`: a person's or a channel's own documents, found by words, and by meaning where there is a model for it.

mod embed;

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use clifford_content::retrieval::{by_words, cut, nearest, ordered};
use clifford_core::{
    clock::Timestamp,
    id::DocumentId,
    policy::{class::Class, sources},
    search::{Query, Scope},
};
use clifford_llm_api::tokens::estimate_tokens;
use clifford_store::{
    documents::{self, Document, NewChunk, StoredEmbedding},
    files::File,
};
use clifford_vault::SecretSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::embed::Embedder;
use super::{Command, Tool, ToolContext, ToolError, files};

/// The most pieces of a document.
const MOST_PIECES: usize = 2_000;
/// More tokens than that many pieces hold.
const MOST_TOKENS: u64 = 640_000;
/// How many pieces may be named for their meaning.
const EACH: usize = 40;
/// How many pieces are read at once whose meaning is compared.
const PAGE: usize = 250;
/// How many of the newest pieces are compared: more than a person and a place may have together by default.
const COMPARED: u32 = 20_000;
/// How many answers where nothing is asked for, and the most of them.
const LIMITS: (usize, usize) = (5, 20);
/// The most characters of a title.
const TITLE: usize = 200;
/// The most documents that are listed at once.
const LISTED: u32 = 50;

/// The embeddings model for search by meaning. Without it documents are found by their words alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Config {
    /// The base address of an OpenAI-compatible API for embeddings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "https://api.openai.com/v1")]
    pub base_url: Option<String>,
    /// The model's name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200), example = "text-embedding-3-small")]
    pub model: Option<String>,
    /// Its key. Your own servers often need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "OPENAI_API_KEY"}]))]
    pub key: Option<SecretSource>,
    /// Price of a million tokens there, for the accounting and for budgets.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub price: f64,
    /// The longest time of its answer.
    #[schemars(range(min = 1, max = 300))]
    pub timeout_seconds: u64,
    /// The most pieces of documents that are kept of a person, or of a shared place. A page of text is two or three.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_pieces: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            base_url: None,
            model: None,
            key: None,
            price: 0.0,
            timeout_seconds: 30,
            max_pieces: 5_000,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct IndexArgs {
    /// A text file.
    file_id: Option<String>,
    /// Or the text itself.
    text: Option<String>,
    /// The title; left out: the file's name.
    title: Option<String>,
}

#[derive(Serialize)]
struct Indexed {
    id: DocumentId,
    title: String,
    /// How many pieces it was cut into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<usize>,
    /// Why it is found by its words alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    limitation: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct SearchArgs {
    /// The words to look for: a question or a few words.
    query: String,
    /// How many pieces, at most 20; left out: 5.
    limit: Option<usize>,
}

#[derive(Serialize)]
struct Results {
    results: Vec<Hit>,
}

#[derive(Serialize)]
struct Hit {
    document: DocumentId,
    title: String,
    piece: i64,
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct ListArgs {
    /// Only those that were kept before this one: `next` of the list before.
    before: Option<String>,
}

#[derive(Serialize)]
struct Documents {
    documents: Vec<Listed>,
    /// There are more: the last one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<DocumentId>,
}

#[derive(Serialize)]
struct Listed {
    id: DocumentId,
    title: String,
    indexed: Timestamp,
}

#[derive(Deserialize, JsonSchema)]
struct DeleteArgs {
    /// The document.
    id: String,
}

#[derive(Serialize)]
struct Deleted {
    deleted: bool,
}

pub(super) fn tool() -> Tool {
    Tool::new("retrieval", "📚", "own documents")
        .about("Documents that are kept to be searched: of the user in private, of the channel in a shared place.")
        .config::<Config>()
        .command(
            Command::new("index", "{file_id | text, title}: keep", Class::Write, index)
                .about("Keeps a text file or a text so that search finds it.")
                .example(json!({ "file_id": "0192…", "title": "House rules" }))
                .idempotent()
                .time_limit(std::time::Duration::from_secs(300)),
        )
        .command(
            Command::new("search", "{query}: passages", Class::Read, search)
                .about(
                    "Finds passages of indexed documents, by their words and, where a model is set, by their meaning.",
                )
                .example(json!({ "query": "when is the bin collected?" }))
                .untrusted()
                .time_limit(std::time::Duration::from_secs(60)),
        )
        .command(Command::new("list", "documents", Class::Read, list))
        .command(Command::new("delete", "{id}: forget one", Class::Destruct, delete).idempotent())
}

async fn index(cx: ToolContext, args: IndexArgs) -> Result<Indexed, ToolError> {
    if let Some(made) = documents::by_key(&mut cx.db.read().await?, &cx.idempotency_key).await? {
        return Ok(Indexed {
            id: made.id,
            title: made.title,
            pieces: None,
            limitation: None,
        });
    }
    let (content, file) = content(&cx, &args).await?;
    let title = title(&args, file.as_ref())?;
    if estimate_tokens(&content) > MOST_TOKENS {
        let fault = format!("{title} is too long: more than {MOST_TOKENS} tokens");
        return Err(ToolError::TellModel(fault));
    }
    let pieces = tokio::task::spawn_blocking(move || cut(&content))
        .await
        .map_err(|_| ToolError::Unavailable("the text could not be cut".to_owned()))?;
    if pieces.is_empty() {
        return Err(ToolError::TellModel(format!("{title}: there is no text in it")));
    }
    if pieces.len() > MOST_PIECES {
        let fault = format!("{title} is too long: {} pieces of at most {MOST_PIECES}", pieces.len());
        return Err(ToolError::TellModel(fault));
    }
    let config: Config = cx.config("retrieval")?;
    let kept = documents::count_pieces(&mut cx.db.read().await?, cx.scope).await?;
    if kept.saturating_add(pieces.len()) > config.max_pieces {
        let fault = format!(
            "{title} has {} pieces, and {kept} of at most {} are kept here already: delete documents that are not needed",
            pieces.len(),
            config.max_pieces
        );
        return Err(ToolError::TellModel(fault));
    }
    let (embeddings, limitation) = embedded(&cx, &pieces).await?;
    let chunks: Vec<_> = pieces
        .into_iter()
        .zip(embeddings)
        .map(|(content, embedding)| NewChunk { content, embedding })
        .collect();
    let document = Document {
        id: DocumentId::new(),
        // In a shared place it is the place's.
        user_id: matches!(cx.scope, Scope::Person(_)).then_some(cx.user).flatten(),
        made_by: cx.user,
        channel_id: cx.place.map(|(channel, _)| channel),
        file_id: file.map(|file| file.id),
        title: title.clone(),
        created_at: cx.clock.now(),
    };
    let (id, count, key) = (document.id, chunks.len(), cx.idempotency_key.clone());
    cx.db
        .write(move |tx| Box::pin(async move { documents::insert(tx, &document, &key, &chunks).await }))
        .await?;
    Ok(Indexed {
        id,
        title,
        pieces: Some(count),
        limitation,
    })
}

/// The text that is to be indexed, and the file that it is from.
async fn content(cx: &ToolContext, args: &IndexArgs) -> Result<(String, Option<File>), ToolError> {
    match (&args.file_id, &args.text) {
        (Some(id), None) => {
            let file = files::one(cx, id).await?;
            Ok((files::text_of(cx, &file).await?, Some(file)))
        }
        (None, Some(text)) => Ok((text.clone(), None)),
        _ => Err(ToolError::TellModel("give file_id or text, one of them".to_owned())),
    }
}

fn title(args: &IndexArgs, file: Option<&File>) -> Result<String, ToolError> {
    let given = args.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let title = given.or(file.map(|file| file.name.as_str()));
    let title = title.ok_or_else(|| ToolError::TellModel("title: a text needs one".to_owned()))?;
    Ok(title.chars().filter(|c| !c.is_control()).take(TITLE).collect())
}

/// The embedding of each piece, and its model; `None` for each and the reason, where there is none.
async fn embedded(
    cx: &ToolContext,
    pieces: &[String],
) -> Result<(Vec<Option<(String, Vec<f32>)>>, Option<String>), ToolError> {
    let none = || vec![None; pieces.len()];
    let Some(embedder) = Embedder::of(cx)? else {
        return Ok((none(), None));
    };
    match embedder.embed(cx, pieces).await {
        Ok(embeddings) => {
            let model = embedder.model();
            let named = embeddings
                .into_iter()
                .map(|embedding| Some((model.to_owned(), embedding)));
            Ok((named.collect(), None))
        }
        // It is found by its words at least.
        Err(error) => Ok((none(), Some(format!("found by its words alone: {error}")))),
    }
}

async fn search(cx: ToolContext, args: SearchArgs) -> Result<Results, ToolError> {
    let (ordinary, most) = LIMITS;
    let limit = args.limit.unwrap_or(ordinary);
    if limit == 0 || limit > most {
        return Err(ToolError::TellModel(format!("limit: give 1 to {most}")));
    }
    let found = match Query::parse(&args.query) {
        Some(query) => by_words(&mut cx.db.read().await?, cx.scope, &query).await?,
        None => Vec::new(),
    };
    let scores: Vec<_> = found.iter().map(|(chunk, score)| (chunk.id, *score)).collect();
    let best = ordered(&scores, &by_meaning(&cx, &args.query).await?, limit);
    let mut known: BTreeMap<_, _> = found.into_iter().map(|(chunk, _)| (chunk.id, chunk)).collect();
    let unknown: Vec<_> = best.iter().copied().filter(|id| !known.contains_key(id)).collect();
    let more = documents::chunks(&mut cx.db.read().await?, cx.scope, &unknown).await?;
    known.extend(more.into_iter().map(|chunk| (chunk.id, chunk)));
    let results: Vec<_> = best.iter().filter_map(|id| known.remove(id)).collect();
    for chunk in &results {
        cx.came_from(sources::document(&chunk.title));
    }
    let results = results.into_iter().map(|chunk| Hit {
        document: chunk.document_id,
        title: chunk.title,
        piece: chunk.seq,
        text: chunk.content,
    });
    Ok(Results {
        results: results.collect(),
    })
}

/// The pieces that are near in meaning. A model that does not answer finds none: words still do.
async fn by_meaning(cx: &ToolContext, query: &str) -> Result<Vec<(i64, f64)>, ToolError> {
    let Some(embedder) = Embedder::of(cx)? else {
        return Ok(Vec::new());
    };
    let ids = documents::embedded(&mut cx.db.read().await?, cx.scope, embedder.model(), COMPARED).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = embedder.embed(cx, &[query.to_owned()]).await;
    let Some(wanted) = wanted.ok().and_then(|wanted| wanted.into_iter().next()) else {
        return Ok(Vec::new());
    };
    let wanted: Arc<[f32]> = wanted.into();
    let mut best = Vec::new();
    // A page at a time: they may be many, and long.
    for page in ids.chunks(PAGE) {
        let page = documents::embeddings(&mut cx.db.read().await?, embedder.model(), page).await?;
        let wanted = Arc::clone(&wanted);
        let compared = tokio::task::spawn_blocking(move || {
            let decoded: Result<Vec<_>, _> = page.iter().map(StoredEmbedding::decoded).collect();
            decoded.map(|pieces| nearest(&wanted, &pieces, EACH))
        });
        let compared = compared.await;
        best.extend(compared.map_err(|_| ToolError::Unavailable("the meanings could not be compared".to_owned()))??);
        best.sort_by(by_likeness);
        best.truncate(EACH);
    }
    Ok(best)
}

/// The most alike first.
fn by_likeness(one: &(i64, f64), other: &(i64, f64)) -> Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

async fn list(cx: ToolContext, args: ListArgs) -> Result<Documents, ToolError> {
    let before = match &args.before {
        Some(before) => Some(before.parse().map_err(|_| unknown(before))?),
        None => None,
    };
    let mut found = documents::list(&mut cx.db.read().await?, cx.scope, before, LISTED + 1).await?;
    let most = usize::try_from(LISTED).unwrap_or(usize::MAX);
    let has_more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| has_more).map(|last| last.id);
    for document in &found {
        cx.came_from(sources::document(&document.title));
    }
    let documents = found.into_iter().map(|document| Listed {
        id: document.id,
        title: document.title,
        indexed: document.created_at,
    });
    Ok(Documents {
        documents: documents.collect(),
        next,
    })
}

fn unknown(id: &str) -> ToolError {
    ToolError::TellModel(format!(
        "there is no document {id}; retrieval.list names those there are"
    ))
}

async fn delete(cx: ToolContext, args: DeleteArgs) -> Result<Deleted, ToolError> {
    let id: DocumentId = args.id.parse().map_err(|_| unknown(&args.id))?;
    let known = documents::get(&mut cx.db.read().await?, cx.scope, id).await?;
    known.ok_or_else(|| unknown(&args.id))?;
    cx.db
        .write(move |tx| Box::pin(async move { documents::delete(tx, id).await }))
        .await?;
    Ok(Deleted { deleted: true })
}
