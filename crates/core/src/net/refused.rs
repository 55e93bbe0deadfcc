//! Why an address is not fetched.

/// Why an address may not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no address at all.
    #[error("this is no web address; one begins with its scheme, http or https")]
    NoAddress,
    /// A reader of the text cannot see the address that would be fetched.
    #[error(
        "an address with tabs, line breaks or other control characters in it is not fetched; write it in one piece"
    )]
    Characters,
    /// Nobody writes such an address, and it would be kept with every step that names it.
    #[error("the address is too long")]
    Length,
    /// Only the web is fetched.
    #[error("only http and https addresses are fetched")]
    Scheme,
    /// Passwords are for nobody else's eyes.
    #[error("an address with a user name or password in it is not fetched; leave them out")]
    Credentials,
    /// Other services than the web listen there.
    #[error("only the ports 80 and 443 are fetched; the owner can allow others (tools.web.allow_hosts)")]
    Port,
    /// It is of this machine, its network or its cloud.
    #[error("this address may not be fetched; the owner can allow it (tools.web.allow_hosts)")]
    Address,
}
