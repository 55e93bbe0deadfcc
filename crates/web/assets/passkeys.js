// Passkeys: the browser makes one, or answers a challenge with one, and a form takes that to the server, as it takes a link.
// What is said of it stands in the page.

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const place = document.querySelector("[data-passkeys]");
const form = place.querySelector("[data-challenge]");
const said = place.querySelector("[role=status]");
const say = (what) => { said.textContent = what; said.hidden = !what; };

// Why this page can have none: browsers keep passkeys for names, of secure pages.
function missing() {
  if (!window.isSecureContext || /^[\d.]+$|^\[/.test(location.hostname)) return "address";
  return window.AuthenticatorAttestationResponse?.prototype.getAuthenticatorData ? "" : "browser";
}

// The challenge comes with options that the server chose; what is bytes there is base64url.
async function challenge() {
  const answer = await fetch(form.dataset.challenge, { method: "POST" });
  const options = await answer.json();
  if (!answer.ok) throw new Error(`${options.title}: ${options.detail}`);
  options.challenge = bytes(options.challenge);
  if (options.user) options.user.id = bytes(options.user.id);
  for (const one of options.excludeCredentials || []) one.id = bytes(one.id);
  return options;
}

async function make(publicKey) {
  const { response } = await navigator.credentials.create({ publicKey });
  return { clientData: text(response.clientDataJSON), authenticatorData: text(response.getAuthenticatorData()) };
}

async function use(publicKey) {
  const { id, response } = await navigator.credentials.get({ publicKey });
  return {
    id,
    clientData: text(response.clientDataJSON),
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    userHandle: text(response.userHandle || new ArrayBuffer(0)),
  };
}

// The browser's own words for what went wrong are for programs.
function told(error) {
  const known = { NotAllowedError: "none", AbortError: "none", InvalidStateError: "twice", SecurityError: "address", NotSupportedError: "browser" };
  return place.dataset[known[error.name]] || error.message;
}

const why = missing();
place.querySelector("[data-why=script]").hidden = true;
form.hidden = !!why;
if (why) place.querySelector(`[data-why=${why}]`).hidden = false;

// On this machine there is a name for the address.
const here = place.querySelector("a[data-here]");
if (why === "address" && /^127\.|^\[::1\]$/.test(location.hostname)) {
  here.href = `${location.protocol}//localhost:${location.port}${location.pathname}${location.search}`;
  here.hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter;
  if (button) button.disabled = true;
  say("");
  try {
    const options = await challenge();
    form.elements.credential.value = JSON.stringify(await (options.rp ? make(options) : use(options)));
    form.submit();
  } catch (error) {
    say(told(error));
  } finally {
    if (button) button.disabled = false;
  }
});
