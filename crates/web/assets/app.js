// Every page works without this script. With it, pages follow what happens, forms answer in place, and drafts of answers
// are shown as they grow. The server renders everything: parts of its pages replace those that are shown.
"use strict";

const live = () => document.querySelectorAll("[data-live][id]");
const shown = new WeakMap();
let asked = 0;

// Replaces the live parts by those of a page that has just come, except where somebody types.
function take(page) {
  const fresh = new DOMParser().parseFromString(page, "text/html");
  for (const part of live()) {
    const next = fresh.getElementById(part.id);
    if (!next || next.innerHTML === shown.get(part)) continue;
    if (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) continue;
    const open = [...part.querySelectorAll("details")].map((one) => one.open);
    const focus = part.contains(document.activeElement) && document.activeElement.id;
    shown.set(part, next.innerHTML);
    part.replaceChildren(...document.adoptNode(next).childNodes);
    part.querySelectorAll("details").forEach((one, place) => { one.open ||= open[place]; });
    if (focus) document.getElementById(focus)?.focus();
    part.dispatchEvent(new CustomEvent("taken", { bubbles: true }));
  }
  localise();
}

async function refresh() {
  if (document.hidden || !live().length) return;
  const number = ++asked;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (number !== asked) return;
    if (answer.redirected && new URL(answer.url).pathname === "/login") location.reload();
    if (answer.ok) take(await answer.text());
  } catch { /* The next event or beat tries again. */ }
}

// At once, and then at most every second.
let due = 0, last = 0;
function soon() {
  if (due) return;
  due = setTimeout(() => { due = 0; last = Date.now(); refresh(); }, Math.max(60, last + 1000 - Date.now()));
}

// Pages look again every five seconds while somebody sees them; streams of runs say at once when there is something.
const BEAT = 5000;
setInterval(refresh, BEAT);

// The draft of an answer that a run is writing.
const streams = new Map();
function stream() {
  const wanted = new Map([...document.querySelectorAll("[data-stream]")].map((one) => [one.dataset.stream, one]));
  for (const [run, source] of streams) if (!wanted.has(run)) { source.close(); streams.delete(run); }
  for (const run of wanted.keys()) {
    if (streams.has(run)) continue;
    const source = new EventSource(`/api/runs/${encodeURIComponent(run)}/stream`);
    const draft = () => document.querySelector(`[data-stream="${CSS.escape(run)}"]`);
    let text = "";
    const show = () => { const shown = draft(); if (shown) shown.textContent = text; };
    source.addEventListener("token", (event) => { text += JSON.parse(event.data).text; show(); end(); });
    source.addEventListener("reset", () => { text = ""; show(); });
    source.addEventListener("step", soon);
    source.addEventListener("status", soon);
    source.addEventListener("done", () => { source.close(); streams.delete(run); soon(); });
    streams.set(run, source);
  }
}

// Keeps the end of a conversation in view for those who read there.
function end(force) {
  const list = document.getElementById("end");
  if (!list) return;
  const near = window.innerHeight + window.scrollY > document.body.scrollHeight - 320;
  if (force || near) list.scrollIntoView({ block: "end" });
}

// Times in the reader's own zone.
function localise() {
  for (const time of document.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    time.title = at.toLocaleString();
    if (time.dataset.form === "date") time.textContent = at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    time.dataset.local = "";
  }
}

async function send(form, button) {
  const all = new FormData(form);
  const fields = form.enctype === "multipart/form-data" ? all : new URLSearchParams(all);
  if (button?.name) fields.set(button.name, button.value);
  const address = button?.getAttribute("formaction") || form.action;
  const answer = await fetch(address, { method: "POST", body: fields, headers: { accept: "text/html" } });
  const page = await answer.text();
  if (!answer.ok) return say(new DOMParser().parseFromString(page, "text/html").querySelector(".note")?.textContent || "It did not work; try again.");
  say(form.dataset.said || "");
  form.reset();
  form.querySelector("textarea")?.dispatchEvent(new Event("input"));
  if (answer.redirected && new URL(answer.url).pathname !== location.pathname) return void (location.href = answer.url);
  for (const part of live()) if (part.contains(document.activeElement)) document.activeElement.blur();
  take(page);
  end(true);
}

// What screen readers are told, and eyes unless it is quiet.
function say(text, quiet) {
  const place = document.getElementById("said");
  if (!place) return;
  place.textContent = text.trim();
  place.className = text.trim() && !quiet ? "note" : "hidden";
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const question = event.submitter?.dataset.confirm || form.dataset.confirm;
  if (question && !confirm(question)) return event.preventDefault();
  if (!form.hasAttribute("data-inplace")) return;
  event.preventDefault();
  const button = event.submitter;
  if (button) button.disabled = true;
  send(form, button).catch(() => say("The server does not answer; try again in a moment.")).finally(() => { if (button) button.disabled = false; });
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.target.matches("textarea[data-enter]") && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    if (event.target.value.trim()) event.target.form.requestSubmit();
  } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = document.querySelector("input[type=search]");
    if (search) { event.preventDefault(); search.focus(); }
  }
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

document.addEventListener("input", (event) => {
  if (!event.target.matches("textarea[data-enter]")) return;
  event.target.rows = Math.min(10, event.target.value.split("\n").length + 1);
});

document.addEventListener("change", (event) => { if (event.target.matches("[data-submit]")) event.target.form.requestSubmit(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
document.addEventListener("taken", (event) => {
  stream();
  end();
  const last = event.target.querySelector(".messages > :last-child:not(.person) .body");
  if (event.target.id === "talk" && last && last.textContent !== heard) say((heard = last.textContent).slice(0, 500), true);
});
let heard = document.querySelector("#talk .messages > :last-child:not(.person) .body")?.textContent;
for (const part of live()) shown.set(part, part.innerHTML);
localise();
stream();
end(true);
