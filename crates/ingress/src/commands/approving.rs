//! `/approve`, `/deny`: answers to a run's question about a call.

use clifford_chat::{completion::Choice, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::RunId,
    messages::MessageStatus,
    people::User,
    places::Channel,
    run::{
        question::{self, Question},
        state::OpenQuestion,
    },
    runs::Run,
};
use clifford_engine::run::answering::{self, AnswerOutcome, AnsweredBy, ApprovalAnswer};
use clifford_store::{Conn, StoreError, Tx, runs::approvals};
use clifford_text::{Approval, Lang};

use super::Done;

/// The argument that turns an approval into a rule.
const ALWAYS: &str = "always";

pub(super) async fn approve(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    by: &AnsweredBy,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let words: Vec<_> = argument.split_whitespace().collect();
    let (id, always) = match words[..] {
        [] => (None, false),
        [ALWAYS] => (None, true),
        [id] => (Some(id), false),
        [id, ALWAYS] => (Some(id), true),
        _ => {
            return Ok(Done::say(lang.say(Approval::HowToApprove)));
        }
    };
    answer(tx, id, Decided::Approved { always }, channel, by, lang, now).await
}

pub(super) async fn deny(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    by: &AnsweredBy,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let argument = argument.trim();
    let (first, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    // Without an id all of it is what the person wants instead.
    let (id, words) = match question::is_id(first) {
        true => (Some(first), rest.trim()),
        false => (None, argument),
    };
    let denied = Decided::Denied {
        words: Some(words).filter(|words| !words.is_empty()).map(str::to_owned),
    };
    answer(tx, id, denied, channel, by, lang, now).await
}

/// A person's decision.
enum Decided {
    /// The call is made; `always`: such calls from now on, too.
    Approved { always: bool },
    /// It is not; `words`: something else is to be done.
    Denied { words: Option<String> },
}

async fn answer(
    tx: &mut Tx,
    id: Option<&str>,
    decided: Decided,
    channel: &Channel,
    by: &AnsweredBy,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let (run, code) = match id {
        Some(id) => match find_question(tx, id, by, channel).await? {
            Some(found) => found,
            None => {
                return Ok(Done::say(lang.say(Approval::NoSuchQuestion)));
            }
        },
        // An answer is to the question that was read: without an id there must be one question, which was shown here.
        None => {
            let open = open(tx, by, channel).await?;
            for (run, asked) in &open {
                if !is_shown(tx, run, asked, channel).await? {
                    return Ok(show(run, asked, channel, by, lang, now));
                }
            }
            match &open[..] {
                [] => return Ok(Done::say(lang.say(Approval::NothingOpen))),
                [(run, asked)] => (run.id, asked.code.clone()),
                several => return Ok(which(several, lang)),
            }
        }
    };
    let (approved, always, words) = match decided {
        Decided::Approved { always } => (true, always, None),
        Decided::Denied { words } => (false, false, words),
    };
    let given = ApprovalAnswer {
        run,
        code: Some(code),
        approved,
        always,
        words,
        by: by.clone(),
    };
    let answered = match answering::answer(tx, &given, now).await {
        Err(StoreError::NotFound(_)) => AnswerOutcome::NothingAsked,
        answered => answered?,
    };
    Ok(match answered {
        AnswerOutcome::Taken(asked) => {
            let name = question::names(&asked.request).replace(", ", "`, `");
            let text = lang.say(match (approved, always) {
                (false, _) => Approval::WasDenied { name },
                (true, false) => Approval::WasApproved { name },
                (true, true) => Approval::WasApprovedAlways { name },
            });
            Done {
                text,
                work_to_claim: true,
                ..Done::default()
            }
        }
        AnswerOutcome::NothingAsked => Done::refuse(lang.say(Approval::Settled)),
        AnswerOutcome::Other => Done::refuse(lang.say(Approval::Earlier)),
        AnswerOutcome::NotTheirs => Done::refuse(lang.say(Approval::NotYours)),
        AnswerOutcome::NoRule => Done::refuse(lang.say(Approval::NoRule)),
    })
}

/// The question that is meant: by its id, or by its code among those that are open here.
async fn find_question(
    tx: &mut Tx,
    id: &str,
    by: &AnsweredBy,
    channel: &Channel,
) -> Result<Option<(RunId, String)>, StoreError> {
    if let Some(found) = question::parse(id) {
        return Ok(Some(found));
    }
    let open = open(tx, by, channel).await?;
    let meant = open.into_iter().find(|(_, asked)| asked.code.eq_ignore_ascii_case(id));
    Ok(meant.map(|(run, asked)| (run.id, asked.code)))
}

/// The open questions here that this person may answer, oldest first.
async fn open(conn: &mut Conn, by: &AnsweredBy, channel: &Channel) -> Result<Vec<(Run, OpenQuestion)>, StoreError> {
    let runs = match by {
        AnsweredBy::User(user) | AnsweredBy::Manager(user, _) => approvals::asked_in(conn, user.id, channel.id).await?,
        AnsweredBy::Operator => Vec::new(),
    };
    let mut open = Vec::new();
    for run in runs {
        if let Some(asked) = answering::asked(conn, &run).await? {
            open.push((run, asked));
        }
    }
    Ok(open)
}

/// Whether the message that shows a question has arrived in this channel.
async fn is_shown(conn: &mut Conn, run: &Run, asked: &OpenQuestion, channel: &Channel) -> Result<bool, StoreError> {
    let id = question::id(run.id, &asked.code);
    let messages = approvals::question_messages(conn, run.id, &id, channel.id).await?;
    Ok(messages.iter().any(|(_, status)| *status == MessageStatus::Delivered))
}

/// Suggestions for the argument while it is typed: this person's questions here that they could read.
pub(super) async fn choices(conn: &mut Conn, channel: &Channel, user: &User) -> Result<Vec<Choice>, StoreError> {
    let mut choices = Vec::new();
    for (run, asked) in open(conn, &AnsweredBy::User(user.clone()), channel).await? {
        if is_shown(conn, &run, &asked, channel).await? {
            let call = &asked.request.call;
            let args = serde_json::to_string(&call.args).unwrap_or_default();
            choices.push(Choice {
                label: format!("{} {}", call.name, clifford_markup::within_sentence(&args, 60)),
                value: asked.code,
            });
        }
    }
    Ok(choices)
}

/// Shows a question that nobody here has read: it is answered after that.
fn show(run: &Run, asked: &OpenQuestion, channel: &Channel, by: &AnsweredBy, lang: Lang, now: Timestamp) -> Done {
    let request = &asked.request;
    let question = Question {
        run: run.id,
        request,
        code: &asked.code,
        is_stored: false,
        is_typed: [Platform::TERMINAL, Platform::WEB]
            .map(Platform::as_str)
            .contains(&&*channel.platform),
        asked: asked_name(by, channel),
        now,
        lang,
    };
    Done {
        text: format!("{}\n\n{}", lang.say(Approval::NotSeen), question.text()),
        buttons: question.buttons(),
        file: question.file(),
        shows: Some((run.id, question::id(run.id, &asked.code))),
        ..Done::default()
    }
}

/// The name of the person who is asked, where others read along.
fn asked_name<'a>(by: &'a AnsweredBy, channel: &Channel) -> Option<&'a str> {
    match by {
        AnsweredBy::User(user) | AnsweredBy::Manager(user, _) => Some(&*user.name).filter(|_| !channel.is_private()),
        AnsweredBy::Operator => None,
    }
}

/// The answering person, for a command given in this channel.
pub(super) fn by(user: &User, channel: &Channel, manages: bool) -> AnsweredBy {
    match channel.space_id.filter(|_| manages) {
        Some(space) => AnsweredBy::Manager(user.clone(), space),
        None => AnsweredBy::User(user.clone()),
    }
}

/// Several questions are open: which one is meant must be said.
fn which(open: &[(Run, OpenQuestion)], lang: Lang) -> Done {
    let lines: Vec<_> = open
        .iter()
        .map(|(_, asked)| {
            let call = &asked.request.call;
            let args = serde_json::to_string(&call.args).unwrap_or_default();
            let more = match asked.request.also.len() {
                0 => String::new(),
                more => format!(" {}", lang.say(Approval::AndMore { count: more.into() })),
            };
            format!(
                "- `{}` {}{more}\n  `/approve {}`",
                call.name,
                clifford_markup::within_sentence(&args, 120),
                asked.code
            )
        })
        .collect();
    let count = open.len().into();
    let head = lang.say(Approval::SeveralOpen { count });
    Done::say(format!("{head}\n\n{}", lines.join("\n")))
}
