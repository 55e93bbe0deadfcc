//! How much one caller may send: the longest text, and how many messages a minute.

use super::{Shared, access::Caller, problem::Problem};

/// The longest text, in characters. Anything longer is sent as a file.
pub(super) const LONGEST: usize = 1 << 20;

/// Holds a person's token to the limit of messages a minute where it begins runs without one.
///
/// # Errors
/// [`Code::TooManyMessages`](super::problem::Code::TooManyMessages).
pub(super) async fn check_pace(api: &Shared, caller: &Caller) -> Result<(), Problem> {
    match caller.only() {
        Some(_) => Ok(api.ingress.api_pace(&caller.place(), &caller.speaker()).await?),
        None => Ok(()),
    }
}
