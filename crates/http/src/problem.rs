//! Errors as RFC 9457 problem details. Internal errors stay in the log.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use clifford_core::fault::Fault;
use clifford_engine::models::encryption::CannotDecrypt;
use clifford_store::StoreError;
use serde::Serialize;
use serde_json::json;

/// The kind of error, as a word that does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
pub(super) enum Code {
    /// There is no token, or it is none of ours.
    Unauthorized,
    /// The token or session is good, and its person may not speak to the bot in private any more.
    ShutOut,
    /// The token may not do this.
    MissingScope,
    /// A session's change comes from another site.
    ForeignOrigin,
    /// There is no such route.
    UnknownRoute,
    /// The route does not know this method.
    MethodNotAllowed,
    /// The `Host` header names no host of this server.
    UnknownHost,
    /// There is no place for another connection or stream.
    TooManyConnections,
    /// The key was used for another content.
    KeyReused,
    /// The person writes faster than they are answered.
    TooManyMessages,
    /// There is no such thing.
    NotFound,
    /// The body is no JSON.
    InvalidJson,
    /// A field of the body is wrong.
    InvalidInput,
    /// The path is wrong.
    InvalidPath,
    /// The query is wrong.
    InvalidQuery,
    /// A header is wrong.
    InvalidHeader,
    /// The body is not declared as JSON.
    UnsupportedMediaType,
    /// The body is too large.
    BodyTooLarge,
    /// The body did not come in time.
    BodyTimeout,
    /// The answer did not come in time.
    Timeout,
    /// The state does not allow it.
    WrongState,
    /// The channel is not the API's own.
    ChannelNotWeb,
    /// The channel was turned off.
    ChannelDisabled,
    /// The agent takes no runs.
    AgentDisabled,
    /// No such code to link accounts by is good.
    LinkCodeUnknown,
    /// No such login link is good.
    LinkUnknown,
    /// The answer of a passkey does not let in.
    PasskeyRefused,
    /// The account tried too many codes.
    TooManyTries,
    /// Both are one person already.
    AlreadyLinked,
    /// The code must come from the account that may do more.
    LinkOtherWayRound,
    /// The request is not signed as it must be.
    NotSigned,
    /// The request was taken before.
    Repeated,
    /// There is one already.
    Conflict,
    /// The configuration is wrong.
    SettingsRefused,
    /// The database does not answer.
    DatabaseUnavailable,
    /// No agent is enabled.
    NoAgent,
    /// A fault of ours.
    Internal,
}

impl Code {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Unauthorized | Self::ShutOut | Self::NotSigned => StatusCode::UNAUTHORIZED,
            Self::MissingScope | Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::UnknownRoute | Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::InvalidJson | Self::InvalidPath | Self::InvalidQuery | Self::InvalidHeader => StatusCode::BAD_REQUEST,
            Self::InvalidInput
            | Self::LinkCodeUnknown
            | Self::LinkUnknown
            | Self::PasskeyRefused
            | Self::KeyReused
            | Self::SettingsRefused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::UnknownHost => StatusCode::MISDIRECTED_REQUEST,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::TooManyTries | Self::TooManyMessages | Self::TooManyConnections => StatusCode::TOO_MANY_REQUESTS,
            Self::AlreadyLinked
            | Self::LinkOtherWayRound
            | Self::WrongState
            | Self::ChannelNotWeb
            | Self::ChannelDisabled
            | Self::AgentDisabled
            | Self::Repeated
            | Self::Conflict => StatusCode::CONFLICT,
            Self::Timeout | Self::DatabaseUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoAgent | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Unauthorized => "A valid token is needed",
            Self::ShutOut => "The person may not look any more",
            Self::MissingScope => "The token may not do this",
            Self::ForeignOrigin => "The request comes from another site",
            Self::UnknownRoute => "There is no such route",
            Self::MethodNotAllowed => "The route does not know this method",
            Self::UnknownHost => "The request is for another host",
            Self::TooManyConnections => "Too many are open already",
            Self::KeyReused => "The key belongs to another request",
            Self::TooManyMessages => "Too many messages were sent",
            Self::NotFound => "There is no such thing",
            Self::InvalidJson => "The body is not valid JSON",
            Self::InvalidInput => "The body is invalid",
            Self::InvalidPath => "The path is invalid",
            Self::InvalidQuery => "The query is invalid",
            Self::InvalidHeader => "A header is invalid",
            Self::UnsupportedMediaType => "The body must be JSON",
            Self::BodyTooLarge => "The body is too large",
            Self::BodyTimeout => "The body did not come in time",
            Self::Timeout => "The answer did not come in time",
            Self::WrongState => "Its state does not allow this",
            Self::ChannelNotWeb => "The channel is another platform's",
            Self::ChannelDisabled => "The channel is turned off",
            Self::AgentDisabled => "The agent is turned off",
            Self::LinkCodeUnknown => "There is no such code",
            Self::LinkUnknown => "There is no such link",
            Self::PasskeyRefused => "The passkey was not taken",
            Self::TooManyTries => "It was tried too often",
            Self::AlreadyLinked => "Both are one person already",
            Self::LinkOtherWayRound => "The code must come from the other account",
            Self::NotSigned => "The signature is not good",
            Self::Repeated => "It was taken before",
            Self::Conflict => "There is one already",
            Self::SettingsRefused => "The configuration is wrong",
            Self::DatabaseUnavailable => "The database does not answer",
            Self::NoAgent => "No agent is enabled",
            Self::Internal => "Something went wrong here",
        }
    }
}

/// An error as the caller reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    code: Code,
    detail: String,
    field: Option<String>,
    authenticate: Option<String>,
    retry_after: Option<u64>,
}

/// An error's body.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub(super) struct ProblemBody {
    /// `about:blank`: the code says which.
    r#type: &'static str,
    /// The kind of error, as a word that does not change.
    code: Code,
    /// The same for people.
    title: &'static str,
    /// The status code.
    status: u16,
    /// The details, and the way out.
    detail: String,
    /// The field of the body, query, path or header that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl Problem {
    /// An error of this kind.
    pub(super) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            field: None,
            authenticate: None,
            retry_after: None,
        }
    }

    /// A field of the body that is wrong.
    pub(super) fn input(field: &str, detail: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, detail).of_field(field)
    }

    /// Names the field that is wrong.
    pub(super) fn of_field(mut self, field: &str) -> Self {
        self.field = Some(field.to_owned());
        self
    }

    /// The same fault, of the query.
    pub(super) fn of_query(self) -> Self {
        Self {
            code: Code::InvalidQuery,
            ..self
        }
    }

    /// Tells how to authenticate.
    pub(super) fn with_challenge(mut self, challenge: impl Into<String>) -> Self {
        self.authenticate = Some(challenge.into());
        self
    }

    /// Tells after how many seconds to try again.
    pub(super) fn with_retry(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Whether it is of this kind.
    pub(super) fn is(&self, code: Code) -> bool {
        self.code == code
    }

    /// The details of the error.
    pub(super) fn detail(&self) -> &str {
        &self.detail
    }

    /// There is no such thing.
    pub(super) fn not_found(what: impl std::fmt::Display) -> Self {
        Self::new(Code::NotFound, format!("there is no {what}"))
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::input(fault.field, fault.why)
    }
}

impl From<CannotDecrypt> for Problem {
    /// Where the key is, is nobody's business who calls.
    fn from(error: CannotDecrypt) -> Self {
        tracing::error!(%error, "failed to decrypt a stored secret");
        Self::new(
            Code::Internal,
            "a secret cannot be encrypted or decrypted; the log tells why",
        )
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(why) | StoreError::Refused(why) | StoreError::Damaged(why) => {
                tracing::warn!(why, "failed to answer a request: database unavailable");
                Self::new(
                    Code::DatabaseUnavailable,
                    "nothing was lost that was accepted; try again later",
                )
            }
            StoreError::NotFound(what) if what == "enabled agent" => {
                Self::new(Code::NoAgent, "turn an agent on in the configuration")
            }
            StoreError::NotFound(what) => Self::not_found(what),
            StoreError::WrongState(why) => Self::new(Code::WrongState, why),
            StoreError::LeaseLost(run) => {
                Self::new(Code::WrongState, format!("run {run} changed meanwhile; try again"))
            }
            StoreError::Conflict(_) => Self::new(Code::Conflict, "it exists already"),
            other => {
                tracing::error!(error = %other, "failed to answer a request");
                Self::new(Code::Internal, "the log says more")
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.code.status();
        // The one answer that older clients of this API know by its text.
        if self.code == Code::NoAgent {
            return (status, Json(json!({ "error": "No enabled agent found" }))).into_response();
        }
        let challenge = self.authenticate.and_then(|text| HeaderValue::try_from(text).ok());
        let body = ProblemBody {
            r#type: "about:blank",
            code: self.code,
            title: self.code.title(),
            status: status.as_u16(),
            detail: self.detail,
            field: self.field,
        };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(challenge) = challenge {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_inside_is_not_told() {
        let cases = [
            (
                StoreError::Unavailable("disk I/O error".into()),
                Code::DatabaseUnavailable,
            ),
            (
                StoreError::Refused("permission denied for table runs".into()),
                Code::DatabaseUnavailable,
            ),
            (
                StoreError::Conflict("UNIQUE constraint failed: runs.id".into()),
                Code::Conflict,
            ),
            (
                StoreError::Damaged("database disk image is malformed".into()),
                Code::DatabaseUnavailable,
            ),
            (StoreError::Corrupt("no such column: secret".into()), Code::Internal),
            (StoreError::NotFound("enabled agent".into()), Code::NoAgent),
        ];
        for (error, code) in cases {
            let inside = error.to_string();
            let problem = Problem::from(error);
            assert_eq!(problem.code, code);
            assert!(!inside.contains(&problem.detail), "{inside}");
        }
    }
}
