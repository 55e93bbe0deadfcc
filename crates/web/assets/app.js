// Every page works without this script. With it, pages follow what happens, forms answer in place, and drafts of answers
// are shown as they grow. The server renders everything: parts of its pages replace those that are shown.
"use strict";

// What a part says, without its times: those go on by themselves, and what nobody changed stays as it is.
const essence = (part) => part.innerHTML.replace(/(<time[^>]*>)[^<]*/g, "$1");
const live = () => document.querySelectorAll("[data-live][id]");
const shown = new WeakMap();
let asked = 0;

// Whether an element is what another one was, before its part was replaced: the keyboard stays where it is.
function isAs(one, other) {
  if (one.id || other.id) return one.id === other.id;
  return one.tagName === other.tagName && one.textContent === other.textContent
    && one.getAttribute("href") === other.getAttribute("href") && one.form?.action === other.form?.action;
}

// The forms of a part in which somebody is writing; a field without a form by itself.
const isTyped = (one) => one.type === "file" ? one.files.length > 0 : one.matches(TYPED) && one.value !== one.defaultValue;
const TYPED = "textarea, input:not([type=hidden], [type=checkbox], [type=radio])";
function written(part) {
  const fields = [...part.querySelectorAll("input, textarea, select")].filter((one) => one === document.activeElement || isTyped(one));
  return [...new Set(fields.map((one) => part.contains(one.form) ? one.form : one))];
}

// Makes a part what a fresh one is around the forms in which somebody is writing: these are not moved, so that nothing of
// what is typed, marked or being composed is lost. `names`: the form, and the id by which the fresh part has it, if it does.
function around(part, fresh, names) {
  const within = (one) => [...names.keys()].filter((form) => one.contains(form));
  const is = (one, held) => {
    if (one.tagName !== held.tagName || one.id !== held.id) return false;
    if (one.id) return true;
    const known = within(held).map((form) => names.get(form)).filter(Boolean);
    return known.length ? known.some((name) => one.querySelector(`#${CSS.escape(name)}`)) : one.className === held.className;
  };
  const held = [...part.children].filter((one) => within(one).length);
  for (const one of [...part.childNodes]) if (!held.includes(one)) one.remove();
  let next = 0;
  for (const one of [...fresh.childNodes]) {
    const at = held.findIndex((other, place) => place >= next && is(one, other));
    if (at < 0) part.insertBefore(one, held[next] || null);
    else {
      if (!names.has(held[at])) around(held[at], one, names);
      next = at + 1;
    }
  }
}

// Replaces the live parts by those of a page that has just come, but for what somebody types.
function take(page) {
  const follows = atEnd();
  const fresh = new DOMParser().parseFromString(page, "text/html");
  document.title = fresh.title;
  for (const part of live()) {
    const next = fresh.getElementById(part.id);
    const said = next && essence(next);
    if (!next || said === shown.get(part)) continue;
    const open = [...part.querySelectorAll("details")].map((one) => one.open);
    const focus = part.contains(document.activeElement) && document.activeElement;
    const names = new Map(written(part).map((form) => {
      const id = form.id || form.querySelector("[id]")?.id;
      return [form, id && next.querySelector(`#${CSS.escape(id)}`) ? id : ""];
    }));
    // What is not there any more goes as soon as nobody writes in it.
    if ([...names.values()].every(Boolean)) shown.set(part, said); else shown.delete(part);
    if (part === talk) leave(next);
    if (names.size) around(part, document.adoptNode(next), names);
    else part.replaceChildren(...document.adoptNode(next).childNodes);
    part.querySelectorAll("details").forEach((one, place) => { one.open ||= open[place]; });
    const same = focus && !part.contains(focus) ? [...part.querySelectorAll("a[href], button, summary, [id]")].filter((one) => isAs(one, focus)) : [];
    // One of several that look the same might do something else.
    if (same.length === 1) same[0].focus({ preventScroll: true });
    part.dispatchEvent(new CustomEvent("taken", { bubbles: true, detail: follows }));
  }
  localise();
}

// The session is over: the page leads to the login, unless that would lose what somebody is typing. Then it says so, and
// goes on after a login in another window, with what goes with the forms of that session.
const isLogin = (answer) => answer.redirected && new URL(answer.url).pathname === "/login";
function loggedOut() {
  if (![...document.querySelectorAll("main input, main textarea")].some(isTyped)) return location.reload();
  const told = document.getElementById("out");
  told.querySelector("a").target = "_blank";
  told.hidden = false;
}
function loggedIn(page) {
  document.getElementById("out").hidden = true;
  const fresh = new DOMParser().parseFromString(page, "text/html").querySelector("input[name=token]");
  if (fresh) document.querySelectorAll("input[name=token]").forEach((one) => { one.value = fresh.value; });
}

async function refresh() {
  const out = document.getElementById("out");
  if (document.hidden || !(live().length || out && !out.hidden)) return;
  const number = ++asked;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (number !== asked) return;
    if (isLogin(answer)) loggedOut();
    else if (answer.ok) {
      const page = await answer.text();
      loggedIn(page);
      take(page);
    }
    away(answer.status >= 502 && answer.status <= 504);
  } catch { if (number === asked) away(true); }
}

// The server does not answer: that is said, and it is asked each second until it does.
let again = 0;
function away(is) {
  document.getElementById("away").hidden = !is;
  clearTimeout(again);
  if (is) again = setTimeout(refresh, 1000);
}

// Older messages come as their reader scrolls up to them, page by page, above the part that is live. A page that is far
// from the screen leaves the document, and its height stays.
const past = document.querySelector("[data-past]"), talk = past && document.getElementById(past.dataset.past);
const far = new WeakMap(), MOST = 50;
const near = past && new IntersectionObserver((all) => {
  for (const { target, isIntersecting } of all) {
    const held = far.get(target);
    if (isIntersecting && held) {
      far.delete(target);
      target.append(...held);
      target.style.height = "";
      localise();
    } else if (!isIntersecting && !held && target.firstChild && !target.contains(document.activeElement)) {
      target.style.height = `${target.offsetHeight}px`;
      far.set(target, [...target.children]);
      target.replaceChildren();
    }
  }
}, { rootMargin: "200% 0px" });
const reached = past && new IntersectionObserver(([one]) => one.isIntersecting && earlier(), { rootMargin: "100% 0px" });
let before = null, loading = false;

function sheet() {
  const one = document.createElement("ol");
  one.className = "messages";
  near.observe(one);
  return one;
}

async function fetched(address) {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(answer.status);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

async function earlier() {
  const sign = past.firstElementChild, link = sign.nextElementSibling ? null : talk.querySelector("a[rel=next]");
  const address = before || link?.href;
  if (loading || !address) return;
  loading = true;
  const one = sheet();
  sign.after(one);
  past.classList.add("begun");
  sign.textContent = "Loading older messages…";
  try {
    const page = (await fetched(address)).getElementById(talk.id);
    before = page.querySelector("a[rel=next]")?.href;
    sign.textContent = before ? "" : "This is the beginning.";
    // What is on the screen stays where it is; some browsers see to that by themselves, unless they are told not to.
    document.documentElement.style.overflowAnchor = "none";
    const stood = talk.getBoundingClientRect().top;
    one.append(...document.adoptNode(page).querySelectorAll(".messages > li"));
    localise();
    scrollBy(0, talk.getBoundingClientRect().top - stood);
    requestAnimationFrame(() => { document.documentElement.style.overflowAnchor = ""; });
  } catch {
    const again = document.createElement("button");
    again.textContent = "Older messages did not come. Try again";
    again.addEventListener("click", earlier);
    before = address;
    one.remove();
    sign.replaceChildren(again);
  }
  loading = false;
  reached.unobserve(sign);
  if (before && !sign.firstElementChild) reached.observe(sign);
}

// Messages that newer ones push out of the live part stay above it for those who read there.
function leave(next) {
  if (!past.classList.contains("begun")) return;
  const first = document.getElementById(next.querySelector(".messages > li")?.id);
  if (!first || !talk.contains(first)) return forget();
  const gone = [];
  for (let one = first.previousElementSibling; one; one = one.previousElementSibling) gone.unshift(one);
  if (!gone.length) return;
  let last = past.lastElementChild;
  if (far.has(last) || last.children.length >= MOST) past.append(last = sheet());
  last.append(...gone);
}
function forget() {
  past.replaceChildren(document.createElement("p"));
  past.firstElementChild.className = "small quiet";
  past.classList.remove("begun");
  before = null;
  reached.observe(past.firstElementChild);
}

// At once, and then at most every second.
let due = 0, last = 0;
function soon() {
  if (due) return;
  due = setTimeout(() => { due = 0; last = Date.now(); refresh(); }, Math.max(60, last + 1000 - Date.now()));
}

// What happens is told by one stream as long as somebody looks, for a browser has few connections to a server. What no
// event tells shows with the next beat.
const BEAT = 5000;
const EVENTS = ["run", "approval", "message", "outbox", "feedback", "connection", "pairing", "quarantine", "reset"];
let events = null;
function listen() {
  if (document.hidden || !live().length) { events?.close(); events = null; return; }
  if (events && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource("/api/events");
  for (const name of EVENTS) events.addEventListener(name, soon);
}
setInterval(() => { localise(); listen(); refresh(); }, BEAT);

// The draft of an answer that a run is writing.
const streams = new Map();
function stream() {
  const wanted = new Map([...document.querySelectorAll("[data-stream]")].map((one) => [one.dataset.stream, one]));
  for (const [run, source] of streams) if (!wanted.has(run)) { source.close(); streams.delete(run); }
  for (const run of wanted.keys()) {
    if (streams.has(run)) continue;
    const source = new EventSource(`/api/runs/${encodeURIComponent(run)}/stream`);
    const draft = () => document.querySelector(`[data-stream="${CSS.escape(run)}"]`);
    // A step ends a draft, which stays until the page shows the message that it became.
    let text = "", over = false;
    const show = () => { const shown = draft(); if (shown) shown.textContent = text; };
    // A browser opens a stream anew by itself, and each begins with the whole draft so far.
    source.addEventListener("open", () => { text = ""; });
    source.addEventListener("token", (event) => {
      const follows = atEnd();
      if (over) text = "";
      over = false;
      text += JSON.parse(event.data).text;
      show();
      if (follows) end();
    });
    source.addEventListener("reset", () => { text = ""; show(); });
    source.addEventListener("step", () => { over = true; soon(); });
    source.addEventListener("status", soon);
    source.addEventListener("done", () => { source.close(); streams.delete(run); soon(); });
    streams.set(run, source);
  }
}

// Keeps the end of a conversation in view for those who read there; the trace may go on below it.
function atEnd() {
  const top = document.getElementById("end")?.getBoundingClientRect().top;
  return top > 0 && top < innerHeight + 40;
}
// Not by scrollIntoView, which also moves the place from which the keyboard goes on.
function end() {
  const end = document.getElementById("end");
  if (!end) return;
  const room = parseFloat(getComputedStyle(end).scrollMarginBottom) + parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom);
  scrollBy(0, end.getBoundingClientRect().bottom + (room || 0) - innerHeight);
}

// Times and numbers as their reader writes them: the server does not know the language, the zone and the clock.
const skew = Number(document.body.dataset.now || Date.now()) - Date.now();
const UNITS = [[60, 1, " s"], [3600, 60, " min"], [86400, 3600, " h"], [604800, 86400, " day"]];
function told(time, at) {
  const seconds = (at - Date.now() - skew) / 1000, far = Math.floor(Math.abs(seconds));
  const unit = time.dataset.form === "relative" && UNITS.find(([most]) => far < most);
  if (!unit) return at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  if (far < 10) return seconds > 0 ? "in a moment" : "just now";
  const number = Math.floor((far + (seconds > 0 ? unit[1] / 2 : 0)) / unit[1]);
  const count = number + unit[2] + (unit[2] === " day" && number > 1 ? "s" : "");
  return seconds > 0 ? "in " + count : count + " ago";
}
function localise() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime), text = isNaN(at) ? "" : told(time, at);
    if (!text || time.textContent === text) continue;
    time.title = at.toLocaleString();
    time.textContent = text;
  }
  for (const number of document.querySelectorAll("[data-number]")) {
    number.removeAttribute("data-number");
    number.textContent = number.textContent.replace(/[\d,]+(\.\d+)?/g, (digits, rest) => {
      const places = rest ? rest.length - 1 : 0;
      return Number(digits.replaceAll(",", "")).toLocaleString([], { minimumFractionDigits: places, maximumFractionDigits: places });
    });
  }
}

// What a field has, and the same after it was sent: only that is cleared. What was typed meanwhile stays; in a chat, what
// was typed behind it.
const filesOf = (one) => [...one.files].map((file) => `${file.name} ${file.size} ${file.lastModified}`);
const heldBy = (one) => one.type === "file" ? filesOf(one).join("\n") : one.matches("[type=checkbox], [type=radio]") ? one.checked : one.value;
function clear(one, sent) {
  if (one.type === "file") {
    const all = new DataTransfer(), gone = sent.split("\n");
    for (const [place, name] of filesOf(one).entries()) if (!gone.includes(name)) all.items.add(one.files[place]);
    one.files = all.files;
  } else if (one.matches("textarea, input:not([type=hidden], [type=checkbox], [type=radio])")) {
    if (one.value === sent) one.value = one.defaultValue;
    else if (one.matches("[data-enter]") && one.value.startsWith(sent)) one.value = one.value.slice(sent.length).trimStart();
  }
}

// Why a form was refused stands in it, and by the field that is at fault; of a button alone, at the head of the page.
function refused(form, why, field) {
  if (form.matches(".inline")) return say(why);
  const at = field && form.elements.namedItem(field), one = at?.labels ? at : null;
  const told = document.createElement("p");
  told.className = "note bad small";
  told.id = `why-${Math.random().toString(36).slice(2)}`;
  told.dataset.refusal = "";
  told.setAttribute("role", "alert");
  told.textContent = why;
  if (one) {
    one.setAttribute("aria-invalid", "true");
    one.setAttribute("aria-describedby", `${told.id} ${one.getAttribute("aria-describedby") || ""}`.trim());
    (one.closest(".field") || one).after(told);
    one.focus();
  } else form.append(told);
}
function accepted(form) {
  for (const told of form.querySelectorAll("[data-refusal]")) {
    for (const one of form.querySelectorAll(`[aria-describedby~="${told.id}"]`)) {
      one.removeAttribute("aria-invalid");
      one.setAttribute("aria-describedby", one.getAttribute("aria-describedby").split(" ").filter((id) => id !== told.id).join(" "));
    }
    told.remove();
  }
}

// A page of the chat becomes another one in place: all that differs is live.
const isChat = (path) => /^\/chat(\/|$)/.test(path);

async function send(form, button) {
  accepted(form);
  const given = [...form.elements].map((one) => [one, heldBy(one)]);
  const all = new FormData(form);
  const fields = form.enctype === "multipart/form-data" ? all : new URLSearchParams(all);
  if (button?.name) fields.set(button.name, button.value);
  const address = button?.getAttribute("formaction") || form.action;
  const answer = await fetch(address, { method: "POST", body: fields, headers: { accept: "text/html" } });
  if (isLogin(answer)) return loggedOut();
  const page = await answer.text();
  if (!answer.ok) {
    const note = new DOMParser().parseFromString(page, "text/html").querySelector(".note");
    const why = [...note?.querySelectorAll("p") || []].map((one) => one.textContent.trim().replace(/\.$/, "")).join(". ");
    return refused(form, why ? `${why}.` : "It did not work; try again.", note?.dataset.field);
  }
  say(form.dataset.said || "");
  const isAsSent = given.every(([one, sent]) => heldBy(one) === sent);
  if (isAsSent) form.reset(); else for (const [one, sent] of given) clear(one, sent);
  if (form.elements.once) form.elements.once.value = `${Date.now()} ${Math.random()}`;
  if (isAsSent) form.closest("details")?.removeAttribute("open");
  form.querySelector("textarea")?.dispatchEvent(new Event("input", { bubbles: true }));
  const to = new URL(answer.url), goesOn = isChat(to.pathname) && isChat(location.pathname);
  if (answer.redirected && to.pathname !== location.pathname && !goesOn) return void (location.href = answer.url);
  if (answer.redirected && goesOn) history.replaceState(null, "", answer.url);
  if (form.closest("[data-past]")) return renew(form, button, page);
  const typing = document.activeElement;
  if (isAsSent && form.contains(typing) && typing.closest("[data-live]") && typing.matches("input, textarea, select")) typing.blur();
  take(page);
  if (button?.id) document.getElementById(button.id)?.focus();
  // What somebody says of an older answer leaves them where they read.
  if (!form.closest(".rate")) end();
}

// An older message that somebody rated, as the page that it came from shows it now.
function renew(form, button, page) {
  const message = form.closest("li"), fresh = new DOMParser().parseFromString(page, "text/html").getElementById(message.id);
  if (fresh) message.replaceWith(document.adoptNode(fresh));
  else button?.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
  localise();
  document.getElementById(button?.id)?.focus({ preventScroll: true });
}

// What screen readers are told, and eyes unless it is quiet.
function say(text, quiet) {
  const place = document.getElementById("said");
  if (!place) return;
  place.textContent = text.trim();
  place.className = text.trim() && !quiet ? "note" : "hidden";
}

// A form that is on its way is not sent once more by a double click, or by Enter twice.
const sent = new WeakSet();
addEventListener("pageshow", () => { for (const form of document.forms) sent.delete(form); });

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (sent.has(form)) return event.preventDefault();
  const question = event.submitter?.dataset.confirm || form.dataset.confirm;
  if (question && !confirm(question)) return event.preventDefault();
  sent.add(form);
  if (!form.hasAttribute("data-inplace")) return void setTimeout(() => sent.delete(form), 3000);
  event.preventDefault();
  const button = event.submitter;
  if (button) button.disabled = true;
  send(form, button).catch(() => refused(form, "The server does not answer; try again in a moment.")).finally(() => { sent.delete(form); if (button) button.disabled = false; });
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.target.matches("textarea[data-enter]") && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    const files = [...event.target.form.querySelectorAll("input[type=file]")].some((one) => one.files.length);
    if (event.target.value.trim() || files) event.target.form.requestSubmit();
  } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = document.querySelector("input[type=search]");
    if (search) { event.preventDefault(); search.focus(); }
  }
});

// A refused form stands as it was filled in on the page before this one; loaded anew, that page would have it empty.
document.addEventListener("click", (event) => {
  const back = event.target.closest("a[data-back]");
  if (!back || event.ctrlKey || event.metaKey || event.shiftKey || document.referrer !== back.href || history.length < 2) return;
  event.preventDefault();
  history.back();
});

// Files that are dropped on a chat, or pasted into it, go with its message.
for (const name of ["paste", "drop", "dragover"]) document.addEventListener(name, (event) => {
  const place = document.querySelector(".composer input[type=file]");
  const given = event.clipboardData || event.dataTransfer;
  if (!place || !given?.types.includes("Files")) return;
  event.preventDefault();
  if (!given.files.length) return;
  const all = new DataTransfer();
  for (const file of [...place.files, ...given.files]) all.items.add(file);
  place.files = all.files;
});

// A voice, where a model writes down what is said: recorded, and sent as the file that it is without a script.
const recorder = document.querySelector("[data-record]");
if (recorder && window.MediaRecorder && navigator.mediaDevices) {
  const form = recorder.form, file = form.elements.voice, discard = form.querySelector("[data-discard]");
  let recording = null, ticking = 0;
  const told = (since) => `Send ${Math.floor((Date.now() - since) / 60000)}:${String(Math.floor((Date.now() - since) / 1000) % 60).padStart(2, "0")}`;
  const stop = (keep) => { if (recording) { recording.keep = keep; recording.stop(); } };
  async function record() {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const pieces = [], since = Date.now();
    recording = new MediaRecorder(stream);
    recording.addEventListener("dataavailable", (event) => pieces.push(event.data));
    recording.addEventListener("stop", () => {
      const { keep, mimeType } = recording;
      stream.getTracks().forEach((track) => track.stop());
      clearInterval(ticking);
      recording = null;
      recorder.textContent = "Record";
      discard.hidden = true;
      if (!keep) return say("The recording was discarded.");
      const kind = mimeType.split(";")[0], all = new DataTransfer();
      all.items.add(new File(pieces, `recording.${kind.split("/")[1] || "webm"}`, { type: kind }));
      file.files = all.files;
      form.elements.seconds.value = Math.max(1, Math.round((Date.now() - since) / 1000));
      form.requestSubmit();
    });
    recording.start();
    discard.hidden = false;
    recorder.textContent = told(since);
    ticking = setInterval(() => { recorder.textContent = told(since); }, 500);
    say("Recording. Send it, or discard it.", true);
  }
  // A browser leaves what a script wrote into a field that nobody sees.
  form.addEventListener("reset", () => { form.elements.seconds.value = ""; });
  recorder.hidden = false;
  form.querySelector("[data-voice]").hidden = true;
  recorder.addEventListener("click", () => recording ? stop(true) : record().catch(() => say("The microphone cannot be used: allow it in your browser, or send a file.")));
  discard.addEventListener("click", () => { stop(false); recorder.focus(); });
}

document.addEventListener("input", (event) => {
  if (!event.target.matches("textarea[data-enter]")) return;
  event.target.rows = Math.min(10, event.target.value.split("\n").length + 1);
});

// What is shown once is there to be copied.
document.addEventListener("focusin", (event) => { if (event.target.matches("[data-select]")) event.target.select(); });
document.addEventListener("change", (event) => { if (event.target.matches("[data-submit]")) event.target.form.requestSubmit(); });
document.addEventListener("visibilitychange", () => { listen(); if (!document.hidden) soon(); });
document.addEventListener("taken", (event) => {
  stream();
  if (event.detail) end();
  const last = event.target.querySelector(".messages > :last-child:not(.person) .body");
  if (event.target.id === "talk" && last && last.textContent !== heard) say((heard = last.textContent).slice(0, 500), true);
});
let heard = document.querySelector("#talk .messages > :last-child:not(.person) .body")?.textContent;
for (const part of live()) shown.set(part, essence(part));
localise();
listen();
stream();
end();
if (past) forget();
