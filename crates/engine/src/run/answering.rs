//! Answers to questions: the people who may give one, and its effects. The first answer is the only one.
//!
//! **Asking.** A `confirm_request` step, the question's message and the status `waiting` are one commit. The question's
//! code is made of the step's place, the command and its arguments, and stands in the buttons; an answer to another
//! code is ignored. `run/answering.rs` takes the first answer: one statement decides it, the `confirm` step goes with
//! it, and the run is woken as soon as its conversation is free. The platform is asked for a place's managers before
//! that transaction, and only where they decide (`ingress/managing.rs`). "Always here" is offered if `judge` allows the
//! call with the rule added that it would make. An approved call is recorded as a call of the same key, and from there
//! it is any call. A result that a tool marks `private()` is not recorded where others read along: the run asks first,
//! then the tool is called again.

use clifford_core::{
    clock::Timestamp,
    id::{RunId, SpaceId},
    people::{User, UserRole},
    policy::Rule,
    run::{
        rules::Rules,
        state::{OpenQuestion, Pending, RunState},
        step::{Answerer, ConfirmAbout, Event, Step, StepKind},
    },
    runs::{Run, WakeReason},
};
use clifford_markup::{inline::inline, shortened};
use clifford_store::{
    Conn, Db, StoreError, Tx, contexts,
    db::notify,
    places::{channels, policies},
    runs::{self, approvals, steps},
};
use clifford_text::{Approval, Lang};

use super::settling;

/// How much of a person's name is shown.
const NAME: usize = 40;

/// An answer.
#[derive(Clone, Debug)]
pub struct ApprovalAnswer {
    /// The run that asks.
    pub run: RunId,
    /// The question's code; `None`: its present question.
    pub code: Option<String>,
    /// Approved or denied.
    pub approved: bool,
    /// The wish of the run's person in place of a call that they deny; of anybody else it is dropped.
    pub words: Option<String>,
    /// A rule allows such calls from now on in the conversation, for the same person.
    pub always: bool,
    /// The person who answers.
    pub by: AnsweredBy,
}

/// The person who answers.
#[derive(Clone, Debug)]
pub enum AnsweredBy {
    /// A person.
    User(User),
    /// A person who manages this group or server.
    Manager(User, SpaceId),
    /// The operator of this Clifford.
    Operator,
}

/// The effect of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerOutcome {
    /// It was taken: the run goes on with it.
    Taken(Box<OpenQuestion>),
    /// The run asks nothing any more: it was answered, ran out of time, or was stopped.
    NothingAsked,
    /// The run asks something else by now.
    Other,
    /// Only the run's person may answer, a manager of the place where they asked, and an owner.
    NotTheirs,
    /// No rule can take the place of this question.
    NoRule,
}

/// The open question of a run, if it has one.
pub async fn asked(conn: &mut Conn, run: &Run) -> Result<Option<OpenQuestion>, StoreError> {
    if !run.asks() {
        return Ok(None);
    }
    let steps = steps::of_run(conn, run.id).await?;
    let state = RunState::replay(run, &Rules::default(), &steps);
    Ok(match state.pending {
        Pending::Confirm(asked) => Some(*asked),
        _ => None,
    })
}

/// Takes an answer: the run goes on as soon as its conversation has no other run at work.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such run.
pub async fn answer(tx: &mut Tx, answer: &ApprovalAnswer, now: Timestamp) -> Result<AnswerOutcome, StoreError> {
    let unknown = || StoreError::NotFound(format!("run {}", answer.run));
    let run = runs::get(tx, answer.run).await?.ok_or_else(unknown)?;
    let manages = is_of_manager(tx, &run, &answer.by).await?;
    if !(manages || is_theirs(&run, &answer.by)) {
        return Ok(AnswerOutcome::NotTheirs);
    }
    // The context's row is locked before the run's, as in ingress.
    if let Some(context) = run.context_id {
        contexts::lock(tx, context).await?;
    }
    let Some(asked) = self::asked(tx, &run).await? else {
        return Ok(AnswerOutcome::NothingAsked);
    };
    // A result private to a person is handed out by nobody else.
    if asked.request.about == ConfirmAbout::Result && !is_theirs(&run, &answer.by) {
        return Ok(AnswerOutcome::NotTheirs);
    }
    if answer.code.as_ref().is_some_and(|code| *code != asked.code) {
        return Ok(AnswerOutcome::Other);
    }
    if answer.always && !(answer.approved && asked.request.may_be_rule) {
        return Ok(AnswerOutcome::NoRule);
    }
    if now >= asked.request.expires_at || !approvals::take_answer(tx, run.id, now).await? {
        return Ok(AnswerOutcome::NothingAsked);
    }
    let seq = steps::of_run(tx, run.id).await?.last().map_or(0, |step| step.seq) + 1;
    let step = Step {
        seq,
        at: now,
        kind: StepKind::Event(Event::Confirm {
            approved: answer.approved,
            code: asked.code.clone(),
            by: match &answer.by {
                AnsweredBy::User(user) | AnsweredBy::Manager(user, _) => Answerer::User(user.id),
                AnsweredBy::Operator => Answerer::Operator,
            },
            words: answer
                .words
                .clone()
                .filter(|_| !answer.approved && is_person(&run, &answer.by)),
        }),
    };
    steps::append(tx, run.id, &[step]).await?;
    settling::settle(tx, run.id, |lang| decided(answer, lang), now).await?;
    // Without a conversation and a person it would hold everywhere, for everybody.
    if let (true, Some(context), Some(user)) = (answer.always, run.context_id, run.user_id) {
        let rule = Rule::always(&asked.request.call.name, context, user);
        policies::insert(tx, &rule, now).await?;
    }
    // If its conversation is busy, it is woken as soon as that is free.
    runs::wake(tx, run.id, WakeReason::ToolConfirmed, now).await?;
    notify::work(tx).await?;
    Ok(AnswerOutcome::Taken(Box::new(asked)))
}

/// An answer in a sentence: what was decided, and by whom.
fn decided(answer: &ApprovalAnswer, lang: Lang) -> String {
    let person = match &answer.by {
        AnsweredBy::User(user) | AnsweredBy::Manager(user, _) => inline(&shortened(&user.name, NAME)),
        AnsweredBy::Operator => lang.say(Approval::Operator),
    };
    lang.say(match (answer.approved, answer.always) {
        (true, false) => Approval::ApprovedBy { person },
        (true, true) => Approval::ApprovedAlwaysBy { person },
        (false, _) => Approval::DeniedBy { person },
    })
}

/// Whether a run works for the person who answers: nobody else's words are theirs.
fn is_person(run: &Run, by: &AnsweredBy) -> bool {
    match by {
        AnsweredBy::Operator => false,
        AnsweredBy::User(user) | AnsweredBy::Manager(user, _) => run.user_id == Some(user.id),
    }
}

/// Whether a run works for the person who answers, or they are its operator or an owner.
fn is_theirs(run: &Run, by: &AnsweredBy) -> bool {
    match by {
        AnsweredBy::Operator => true,
        AnsweredBy::User(user) | AnsweredBy::Manager(user, _) => {
            run.user_id == Some(user.id) || user.role == UserRole::Owner
        }
    }
}

/// Whether a run was asked for in the group or server that the answering person manages.
async fn is_of_manager(tx: &mut Tx, run: &Run, by: &AnsweredBy) -> Result<bool, StoreError> {
    let (AnsweredBy::Manager(_, space), Some(channel)) = (by, run.channel_id) else {
        return Ok(false);
    };
    let channel = channels::get(tx, channel).await?;
    Ok(channel.is_some_and(|channel| channel.space_id == Some(*space)))
}

/// Answers from a process that may not work on the run; its worker goes on.
///
/// # Errors
/// As [`answer`]; [`StoreError::WrongState`]: it was not taken, and why.
pub async fn from_outside(db: &Db, given: ApprovalAnswer, now: Timestamp) -> Result<Run, StoreError> {
    let id = given.run;
    let answered = db
        .write(move |tx| Box::pin(async move { answer(tx, &given, now).await }))
        .await?;
    let refused = |why: &str| Err(StoreError::WrongState(format!("run {id}: {why}")));
    match answered {
        AnswerOutcome::Taken(_) => {}
        AnswerOutcome::NothingAsked => {
            return refused("it asks for nothing; it was answered, ran out of time or has ended");
        }
        AnswerOutcome::Other => return refused("it asks something else by now; look at its steps"),
        AnswerOutcome::NotTheirs => return refused("only its person, who manages the place, or an owner may answer"),
        AnswerOutcome::NoRule => {
            return refused(
                "no rule can take its place: words from outside may be behind it, or a rule asks each time",
            );
        }
    }
    runs::get(&mut db.read().await?, id)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("run {id}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_was_decided_and_by_whom() {
        let said = |approved: bool, always: bool| {
            let answer = ApprovalAnswer {
                run: RunId::new(),
                code: None,
                approved,
                words: Some("not today".to_owned()),
                always,
                by: AnsweredBy::Operator,
            };
            decided(&answer, Lang::English)
        };
        assert_eq!(said(true, false), "\u{2705} **Approved** by the operator.");
        assert_eq!(
            said(true, true),
            "\u{2705} **Approved** by the operator, from now on in this conversation."
        );
        assert_eq!(said(false, false), "\u{274c} **Denied** by the operator.");
    }
}
