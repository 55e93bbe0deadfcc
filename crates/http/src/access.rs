//! The permissions of tokens on objects.
//!
//! A token's row says on whose behalf it acts (`auth`). A handler names the object that a request is about; its relation to
//! the caller is found here, from its row and, for shared places, from the platform. [`rules::decide`] is the one rule that
//! answers, and what it refuses is a problem: 404 where the caller may not know that the object exists, else 403.

mod caller;
mod extractors;
mod managers;
pub(super) mod routes;
mod rules;

use clifford_core::{
    id::{ChannelId, ContextId, SpaceId, UserId},
    people::UserRole,
    places::Channel,
    runs::Run,
    schedule::trigger::Trigger,
};
use clifford_store::{
    contexts::{self, Context},
    files::File,
    messages::Message,
    places::channels,
};
use clifford_tools::settings::catalogue;

use self::rules::{Refusal, decide};
pub(super) use self::{
    caller::Caller,
    extractors::{Admin, FromHere, OwnerReader, Reader, ReadinessReader, Writer},
    managers::{Managers, is_manager, managed_spaces},
    rules::{Grant, Need, Relation, Scope, Scopes, Standing},
};
use super::{
    Shared,
    problem::{Code, Problem},
};

/// The object of a request.
#[derive(Clone, Debug)]
pub(super) enum Object {
    /// The bot's own: agents, rules, what holds for all.
    Bot,
    /// An object of a person, of a channel, or of nobody.
    Owned {
        /// Its owner.
        person: Option<UserId>,
        /// Where it belongs.
        place: Option<Where>,
    },
    /// A space.
    Space(SpaceId),
}

/// A channel that an object belongs to.
#[derive(Clone, Debug)]
pub(super) enum Where {
    /// One that is to be looked up.
    Id(ChannelId),
    /// One that was.
    Channel(Box<Channel>),
}

impl Object {
    /// A person, and what is theirs alone.
    pub(super) const fn person(user: UserId) -> Self {
        Self::Owned {
            person: Some(user),
            place: None,
        }
    }

    /// A channel.
    pub(super) fn channel(channel: &Channel) -> Self {
        Self::Owned {
            person: channel.user_id.filter(|_| channel.is_private()),
            place: Some(Where::Channel(Box::new(channel.clone()))),
        }
    }

    /// A conversation.
    pub(super) const fn context(context: &Context) -> Self {
        Self::within(context.user_id, Some(context.channel_id))
    }

    /// A run.
    pub(super) const fn run(run: &Run) -> Self {
        Self::within(run.user_id, run.channel_id)
    }

    /// A message.
    pub(super) const fn message(message: &Message) -> Self {
        Self::within(message.user_id, Some(message.channel_id))
    }

    /// A trigger.
    pub(super) const fn trigger(trigger: &Trigger) -> Self {
        Self::within(trigger.user_id, trigger.channel_id)
    }

    /// A file.
    pub(super) const fn file(file: &File) -> Self {
        Self::within(file.user_id, file.channel_id)
    }

    /// An object of nobody, or one that does not exist.
    pub(super) const fn nobodys() -> Self {
        Self::within(None, None)
    }

    /// The scope of a setting.
    pub(super) const fn scope(scope: catalogue::Scope) -> Self {
        match scope {
            catalogue::Scope::Bot | catalogue::Scope::Agent(_) => Self::Bot,
            catalogue::Scope::Space(id) => Self::Space(id),
            catalogue::Scope::Channel(id) => Self::within(None, Some(id)),
            catalogue::Scope::User(id) => Self::person(id),
        }
    }

    const fn within(person: Option<UserId>, channel: Option<ChannelId>) -> Self {
        let place = match channel {
            Some(id) => Some(Where::Id(id)),
            None => None,
        };
        Self::Owned { person, place }
    }
}

/// Refuses a person who may not speak to the bot any more, whatever way in they have.
///
/// # Errors
/// A problem of this code; the store's.
pub(super) async fn may_look(api: &Shared, user: UserId, role: Option<UserRole>, code: Code) -> Result<(), Problem> {
    let role = role.unwrap_or(UserRole::Stranger);
    let mut conn = api.db.read_local().await?;
    if api.ingress.looks(&mut conn, user, role).await? {
        return Ok(());
    }
    let detail = "its person may not speak to the bot any more; an owner may let them in again";
    Err(Problem::new(code, detail))
}

impl Caller {
    /// Lets the caller go on, and returns how the object stands to them.
    ///
    /// # Errors
    /// 404 if the caller may not know that `what` exists, 403 if they may not do this with it; the store's.
    pub(super) async fn allow(
        &self,
        api: &Shared,
        need: Need,
        object: &Object,
        what: impl std::fmt::Display,
    ) -> Result<Relation, Problem> {
        let relation = self.relation(api, object).await?;
        self.permit(need, relation).map_err(|refusal| problem(refusal, &what))?;
        Ok(relation)
    }

    /// As [`Self::allow`], for what a field of a request refers to; what is hidden looks as what is not there.
    ///
    /// # Errors
    /// As [`Self::allow`].
    pub(super) async fn allow_field(
        &self,
        api: &Shared,
        need: Need,
        object: &Object,
        field: &str,
        what: impl std::fmt::Display,
    ) -> Result<Relation, Problem> {
        let allowed = self.allow(api, need, object, what).await;
        allowed.map_err(|problem| match problem.is(Code::NotFound) {
            true => problem,
            false => problem.of_field(field),
        })
    }

    /// As [`Self::allow`], for the bot's own things.
    ///
    /// # Errors
    /// 403.
    pub(super) fn allow_bot(&self, need: Need) -> Result<(), Problem> {
        self.permit(need, Relation::Bot)
            .map_err(|refusal| problem(refusal, &"route"))
    }

    /// The owner whose objects a list shows, with or without a named person: a person's token shows that person's
    /// alone.
    ///
    /// # Errors
    /// 404: it names somebody else.
    pub(super) async fn owner_filter(&self, api: &Shared, named: Option<UserId>) -> Result<Option<UserId>, Problem> {
        match (named, self.only()) {
            (Some(user), Some(_)) => {
                let object = Object::person(user);
                self.allow_field(api, Need::See, &object, "userId", format!("user {user}"))
                    .await?;
                Ok(Some(user))
            }
            (named, only) => Ok(named.or(only)),
        }
    }

    /// Whether a list may show a channel. An owner's token need not ask.
    ///
    /// # Errors
    /// 404; the store's.
    pub(super) async fn sees_channel(&self, api: &Shared, id: ChannelId) -> Result<(), Problem> {
        if self.only().is_some() {
            let channel = channels::get(&mut api.db.read().await?, id).await?;
            let object = channel.as_ref().map_or_else(Object::nobodys, Object::channel);
            self.allow_field(api, Need::See, &object, "channelId", format!("channel {id}"))
                .await?;
        }
        Ok(())
    }

    /// Whether a list may show a conversation. An owner's token need not ask.
    ///
    /// # Errors
    /// 404; the store's.
    pub(super) async fn sees_context(&self, api: &Shared, id: ContextId) -> Result<(), Problem> {
        if self.only().is_some() {
            let context = contexts::get(&mut api.db.read().await?, id).await?;
            let object = context.as_ref().map_or_else(Object::nobodys, Object::context);
            self.allow_field(api, Need::See, &object, "contextId", format!("context {id}"))
                .await?;
        }
        Ok(())
    }

    fn permit(&self, need: Need, relation: Relation) -> Result<(), Refusal> {
        decide(self.grant, need, relation)
    }

    /// How an object stands to the caller.
    async fn relation(&self, api: &Shared, object: &Object) -> Result<Relation, Problem> {
        let (person, place) = match object {
            Object::Bot => return Ok(Relation::Bot),
            Object::Space(id) => return self.of_space(api, *id).await,
            Object::Owned { person, place } => (*person, place),
        };
        if self.is_mine(person) {
            return Ok(Relation::Own);
        }
        let channel = match place {
            // Nothing that is to be found out changes what an admin may.
            Some(_) if self.is_admin() => None,
            Some(Where::Channel(channel)) => Some((**channel).clone()),
            Some(Where::Id(id)) => channels::get(&mut api.db.read().await?, *id).await?,
            None => None,
        };
        let of_channel = channel.as_ref().filter(|channel| channel.is_private());
        let owner = person.or(of_channel.and_then(|channel| channel.user_id));
        if self.is_mine(owner) {
            return Ok(Relation::Own);
        }
        let shared = channel.as_ref().filter(|channel| !channel.is_private());
        if let (Some(shared), Some(me)) = (shared, self.only())
            && api.state.managers.manages(api, me, shared).await?
        {
            return Ok(Relation::Managed);
        }
        Ok(match (owner, shared) {
            (Some(_), _) => Relation::Another,
            (None, Some(_)) => Relation::Shared,
            (None, None) => Relation::Unowned,
        })
    }

    async fn of_space(&self, api: &Shared, id: SpaceId) -> Result<Relation, Problem> {
        let Some(me) = self.only() else {
            return Ok(Relation::Shared);
        };
        // One channel tells who manages the space of all of them.
        let channel = channels::of_space(&mut api.db.read().await?, id).await?;
        Ok(match channel {
            Some(channel) if api.state.managers.manages(api, me, &channel).await? => Relation::Managed,
            _ => Relation::Shared,
        })
    }

    fn is_mine(&self, person: Option<UserId>) -> bool {
        person.is_some() && person == self.person
    }
}

/// A refusal as its caller reads it.
fn problem(refusal: Refusal, what: &dyn std::fmt::Display) -> Problem {
    match refusal {
        Refusal::Hidden => Problem::not_found(what),
        Refusal::OwnerOnly => Problem::new(Code::MissingScope, "only a token of the owner may do this")
            .with_challenge("Bearer realm=\"clifford\", error=\"insufficient_scope\""),
        Refusal::Scope(scope) => lacks(scope),
    }
}

/// The token lacks a scope.
pub(super) fn lacks(scope: Scope) -> Problem {
    let name = scope.as_str();
    let challenge = format!("Bearer realm=\"clifford\", error=\"insufficient_scope\", scope=\"{name}\"");
    Problem::new(Code::MissingScope, format!("it needs the scope `{name}`")).with_challenge(challenge)
}
