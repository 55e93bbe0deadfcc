//! One conversation as the page shows it: what the API knows of it, and how that is drawn.

use futures::{
    future::{OptionFuture, try_join_all},
    try_join,
};
use maud::{Markup, html};

use super::{
    Channel,
    actions::{self, Verdicts},
    asides, composer,
};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    failure::Failure,
    pages::{
        conversations::{Before, Talk},
        message::{Message, Shown, messages_of},
        run::{self, Whole, timeline_of},
        runs::Run,
    },
    view::{
        layout,
        parts::{Button, head, older, past, text_field},
        words,
    },
};

/// Where a run stands that has not ended.
const UNFINISHED: [&str; 3] = ["running", "pending", "waiting"];

/// A conversation, or none where the reader has none yet.
pub(super) struct View {
    id: Option<String>,
    talk: Option<Talk>,
    /// The newest that the reader has here.
    talks: Vec<Talk>,
    /// There are older ones than those.
    has_older_talks: bool,
    /// Newest first.
    messages: Vec<Message>,
    /// Where older messages begin.
    older: Option<String>,
    /// The newest run of the messages shown.
    whole: Option<Whole>,
    /// The runs that have not ended: each may be stopped, and what it asks is answered.
    unfinished: Vec<Whole>,
    verdicts: Verdicts,
    /// It goes on here. An owner may look at conversations of others, too.
    is_own: bool,
    /// The reader's own channel.
    own: Option<String>,
    /// Its newest messages are among those shown.
    is_newest: bool,
}

impl View {
    pub(super) async fn read(
        asker: &Asker,
        own: Option<Channel>,
        id: Option<String>,
        wanted: &Before,
    ) -> Result<Self, Failure> {
        let is_newest = wanted.before.is_empty();
        let talks = own
            .as_ref()
            .map(|own| with_query("/api/contexts", &[("channelId", &own.id), ("limit", "50")]));
        let talk = id.as_ref().map(|id| format!("/api/contexts/{}", part(id)));
        let messages = id.as_ref().map(|id| {
            let given = [
                ("contextId", id.as_str()),
                ("before", wanted.before.as_str()),
                ("limit", "50"),
            ];
            with_query("/api/messages", &given)
        });
        let (talks, talk, messages) = try_join!(
            maybe(talks.as_deref().map(|path| asker.get::<Page<Talk>>(path))),
            maybe(talk.as_deref().map(|path| asker.get::<Talk>(path))),
            maybe(messages.as_deref().map(|path| asker.get::<Page<Message>>(path))),
        )?;
        let (found, talks) = (messages.unwrap_or_default(), talks.unwrap_or_default());
        let mut messages = found.items;
        messages.retain(|message| !message.is_gone());
        if let Some(own) = own.as_ref().filter(|own| own.active_context_id == id && is_newest) {
            asides::among(&mut messages, asides::of(asker, &own.id).await?);
        }
        let person = own.as_ref().map_or_else(
            || asker.me().and_then(|me| me.user_id.clone()),
            |own| own.user_id.clone(),
        );
        let own = own.map(|own| own.id);
        let is_own = talk
            .as_ref()
            .is_some_and(|talk| talk.may_go_on(own.as_deref(), person.as_deref()));
        let (mut whole, mut unfinished, mut verdicts) = (None, Vec::new(), Verdicts::default());
        if let Some(id) = id.as_deref().filter(|_| is_own) {
            if is_newest {
                unfinished = unfinished_in(asker, id, own.as_deref(), person.as_deref()).await?;
            }
            whole = newest_of(asker, &messages).await?;
            if let Some(person) = &person {
                verdicts = Verdicts::of(asker, id, person).await?;
            }
        }
        Ok(Self {
            is_own,
            own,
            unfinished,
            is_newest,
            id,
            talk,
            has_older_talks: talks.next.is_some(),
            talks: talks.items,
            messages,
            older: found.next,
            whole,
            verdicts,
        })
    }

    pub(super) fn title(&self) -> &str {
        self.talk.as_ref().map_or("Chat", Talk::title)
    }

    pub(super) fn draw(&self, asker: &Asker) -> Markup {
        html! {
            div id="head" data-live {
                (head(self.title(), "", &html! {
                    (Button::new("/chat/new", "New conversation").leads_on().draw(asker))
                }))
            }
            div.chat.traced {
                aside aria-label="Conversations" {
                    button.talks-button type="button" popovertarget="talks" { "Conversations" }
                    div.talks-menu id="talks" popover data-live { (self.draw_talks(asker)) }
                }
                div.stack {
                    (past("talk"))
                    div id="talk" data-live { (self.draw_messages(asker)) }
                    @if self.is_own || self.id.is_none() { (composer::draw(asker)) } @else {
                        p.small.quiet {
                            "This conversation was held elsewhere, or by somebody else: it is only read here. "
                            a href="/chat" { "Your own chat" }
                        }
                    }
                }
                aside.card.small id="trace" data-live aria-label="What the bot does" { (self.draw_trace()) }
            }
        }
    }

    /// The reader's conversations, and the name of this one.
    fn draw_talks(&self, asker: &Asker) -> Markup {
        html! {
            ul.talks {
                @for one in &self.talks {
                    @let current = (Some(&one.id) == self.id.as_ref()).then_some("page");
                    li { a href={ "/chat/" (one.id) } aria-current=[current] { (words(one.title())) } }
                }
                @if let Some(own) = self.own.as_ref().filter(|_| self.has_older_talks) {
                    li { a href=(with_query("/conversations", &[("channelId", own)])) { "Older conversations" } }
                }
            }
            @if let Some(talk) = &self.talk {
                details.small {
                    summary { "Name or close it" }
                    form.stack method="post" action={ "/chat/" (talk.id) } {
                        (layout::token(asker))
                        (text_field("name", "Name", talk.title(), ""))
                        div.row {
                            button type="submit" { "Rename" }
                            button type="submit" name="closed" value="yes" { "Close" }
                        }
                    }
                }
            }
        }
    }

    fn draw_messages(&self, asker: &Asker) -> Markup {
        let person = if self.is_own || self.talk.is_none() {
            "You"
        } else {
            "Person"
        };
        let below = |message: &Message| self.draw_below(asker, message);
        html! {
            @if let Some(id) = &self.id { (older(&format!("/chat/{id}"), &[], self.older.as_deref())) }
            (messages_of(asker, &self.messages, Shown { person, sought: "" }, &below))
            @for whole in &self.unfinished { (working(asker, whole)) }
            @if let Some(whole) = &self.whole {
                @if let (Some(id), true) = (&self.id, self.is_newest) {
                    (actions::failed(asker, id, whole, self.last_said().filter(|last| self.is_here(last))))
                }
            }
            @if !self.is_newest {
                p { a.button href={ "/chat/" (self.id.as_deref().unwrap_or_default()) } { "The newest messages" } }
            }
            @if self.is_own { (composer::destination(self.id.as_deref())) }
            div id="end" {}
        }
    }

    /// The things that may be done with a message.
    fn draw_below(&self, asker: &Asker, message: &Message) -> Markup {
        match (&message.run_id, message.is_persons()) {
            _ if message.is_aside() => asides::buttons(asker, message),
            _ if !self.is_own => html! {},
            (_, true) if self.last_said().is_some_and(|last| last.id == message.id) => {
                let may_edit =
                    self.is_here(message) && !message.is_spoken() && (message.run_id.is_some() || message.is_queued());
                html! {
                    (actions::queued(message))
                    @if may_edit { (actions::anew(asker, self.id.as_deref().unwrap_or_default(), message)) }
                }
            }
            (Some(run), false)
                if message.is_answer() && self.has_ended(run) && ends_answer(&self.messages, message) =>
            {
                self.verdicts.draw(asker, run)
            }
            _ => html! {},
        }
    }

    /// The last words of the reader, where they may still be changed.
    fn last_said(&self) -> Option<&Message> {
        let mut messages = self.messages.iter();
        messages
            .find(|message| message.is_persons() && !message.is_aside())
            .filter(|_| self.is_own && self.is_newest)
    }

    /// A run says no more.
    fn has_ended(&self, run: &str) -> bool {
        self.unfinished.iter().all(|whole| whole.run.id != run)
    }

    /// It was written in the reader's own chat here.
    fn is_here(&self, message: &Message) -> bool {
        self.own.as_ref() == Some(&message.channel_id)
    }

    fn draw_trace(&self) -> Markup {
        html! {
            @let runs = self.unfinished.iter().chain(&self.whole);
            @if let Some(whole) = runs.max_by_key(|whole| whole.run.id.as_str()) {
                div.row.apart { (whole.run.badge()) a href={ "/runs/" (whole.run.id) } { "The whole run" } }
                (timeline_of(whole))
            } @else {
                p.quiet { "What the bot does for an answer shows here, step by step." }
            }
        }
    }
}

/// It is the last message of its run: one answer is rated once.
fn ends_answer(newest_first: &[Message], message: &Message) -> bool {
    let of_run = newest_first
        .iter()
        .find(|one| one.run_id == message.run_id && !one.is_persons());
    of_run.is_some_and(|newest| newest.id == message.id)
}

/// The runs of a conversation that have not ended, the oldest first. Its own subagents are a part of each.
async fn unfinished_in(
    asker: &Asker,
    id: &str,
    channel: Option<&str>,
    person: Option<&str>,
) -> Result<Vec<Whole>, Failure> {
    let whose = match person {
        Some(person) => ("userId", person),
        None => ("channelId", channel.unwrap_or_default()),
    };
    let paths = UNFINISHED.map(|status| with_query("/api/runs", &[whose, ("status", status), ("limit", "200")]));
    let found = try_join_all(paths.iter().map(|path| asker.get::<Page<Run>>(path))).await?;
    let mut runs: Vec<_> = found.into_iter().flat_map(|page| page.items).collect();
    runs.retain(|run| run.context_id.as_deref() == Some(id) && run.kind != "subagent");
    // Ids are in the order of time. A run that went on meanwhile may be in two of the lists.
    runs.sort_by(|one, other| one.id.cmp(&other.id));
    runs.dedup_by(|one, other| one.id == other.id);
    run::asking(asker, runs.iter()).await
}

/// The newest run of these messages.
async fn newest_of(asker: &Asker, messages: &[Message]) -> Result<Option<Whole>, Failure> {
    let newest = messages.iter().filter_map(|message| message.run_id.as_deref()).max();
    let path = newest.map(|run| format!("/api/runs/{}", part(run)));
    let found = maybe(path.as_deref().map(|path| asker.find::<Whole>(path))).await?;
    Ok(found.flatten())
}

/// The answer that is being written, or what the run waits for.
fn working(asker: &Asker, whole: &Whole) -> Markup {
    let run = &whole.run;
    let stop = format!("/runs/{}/cancel", run.id);
    html! {
        @if UNFINISHED.contains(&run.status.as_str()) {
            div.message {
                div.by { strong { "Bot" } (run.badge()) (Button::new(&stop, "Stop").draw(asker)) }
                div.body.draft data-stream=(run.id) {}
                @if let Some(approval) = whole.approval() { div.note.warn.stack { (approval.draw(asker)) } }
            }
        }
    }
}

async fn maybe<T>(question: Option<impl Future<Output = Result<T, Failure>>>) -> Result<Option<T>, Failure> {
    OptionFuture::from(question).await.transpose()
}
