// <py-panel>: carries a reader's actions to Python and Python's pictures to the page. It knows form controls, text and
// time, and nothing of what the panels show.
import { Idiomorph } from "./idiomorph.js";

const here = new URL(".", import.meta.url);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const frugal = navigator.connection?.saveData; // such a reader loads Python by its button only
const panels = new Set(); // those on the page now
const left = new Map(); // page and panel → what it showed when the reader left, which comes back with the page

// The one Python of this document. Its word is off, loading, starting, ready or failed; the style sheet shows it.
const python = {
  word: "off",
  share: 0,
  reason: "",
  asked: new Map(), // number of a question → what to do with its answer: [resolve, reject]
  count: 0,

  // What failed before may lie in the cache: a second try asks the server itself.
  start(cache = "default") {
    if (!["off", "failed"].includes(this.word)) return;
    this.tell("loading", { share: 0, reason: "" });
    this.worker = new Worker(new URL("worker.js", here), { type: "module", name: cache });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail(event.message || "worker.js could not be loaded.");
    this.watch();
  },

  hear({ id, text, failed, word, share, spent }) {
    if (id === undefined) return failed ? this.fail(failed) : (this.tell(word, { share }), this.watch());
    const [resolve, reject] = this.asked.get(id);
    this.asked.delete(id);
    this.watch();
    failed ? reject(failed) : resolve(JSON.parse(text));
    if (spent && !this.asked.size) this.renew();
  },

  // The panels keep their states, so a new worker goes on where the old one was.
  renew() {
    this.worker.terminate();
    this.word = "off";
    this.start();
  },

  // A worker that owes something and is silent for so long is stuck or gone.
  watch() {
    clearTimeout(this.timer);
    const seconds = { loading: 120, starting: 120, ready: this.asked.size && 30 }[this.word];
    if (seconds) this.timer = setTimeout(() => this.fail(`Nothing has come from it for ${seconds} seconds.`), 1000 * seconds);
  },

  // The panels keep their states, so a worker that breaks is simply replaced; one that breaks again at once is not.
  fail(reason) {
    const again = this.word === "ready" && !(Date.now() - this.replaced < 60000);
    this.worker?.terminate();
    this.tell(again ? "off" : "failed", { reason });
    this.asked.forEach(([, reject]) => reject(reason));
    this.asked.clear();
    this.watch();
    if (again) this.start();
    if (again) this.replaced = Date.now();
  },

  tell(word, more) {
    Object.assign(this, { word }, more);
    panels.forEach((panel) => panel.hearPython());
  },

  ask(question) {
    return new Promise((resolve, reject) => {
      this.asked.set(++this.count, [resolve, reject]);
      this.worker.postMessage({ id: this.count, text: JSON.stringify(question) });
      this.watch();
    });
  },
};

// The table of states, which answers until Python is ready: {state text or "?" + link → row}, or nothing if it is missing.
const tables = {};

async function readTable(name) {
  const answer = await fetch(new URL(`${name}.states.json`, here)).catch(() => null);
  const { lines, states } = answer?.ok ? await answer.json() : { lines: [], states: [] };
  const rows = states.map(([state, link, numbers, actions]) => ({
    state, link, actions, get html() { return numbers.map((i) => lines[i]).join("\n"); },
  }));
  return { rows, found: new Map(rows.flatMap((row) => [[row.state, row], [`?${row.link}`, row]])) };
}

class PyPanel extends HTMLElement {
  queue = []; // what the reader did and has not been answered yet: {action} or {link}
  kept = []; // what only Python can answer, while it has failed; the table goes on with the rest

  connectedCallback() {
    // This script may come before the page is complete, and this element then has only a part of its content.
    const partial = document.readyState === "loading" && !this.nextSibling;
    partial ? addEventListener("DOMContentLoaded", () => this.isConnected && this.begin(), { once: true }) : this.begin();
  }

  begin() {
    this.body = this.querySelector(".body");
    this.place = location.pathname + this.id;
    const shown = left.get(this.place);
    if (shown) this.setAttribute("state", shown.state);
    if (shown) this.body.innerHTML = shown.html;
    if (shown) this.queue.push(...shown.queue);
    panels.add(this);
    for (const type of ["click", "change", "input", "keydown", "submit"]) this.addEventListener(type, this);
    this.watcher = new IntersectionObserver(([entry]) => this.see(entry.isIntersecting), { rootMargin: "100%" });
    this.watcher.observe(this);
    const link = !this.readLink() && !shown && this.store();
    if (link) this.queue.push({ link });
    this.hearPython();
    this.settle();
    this.work();
  }

  disconnectedCallback() {
    if (!panels.delete(this)) return;
    left.set(this.place, { state: this.getAttribute("state"), html: this.body.innerHTML, queue: [...this.queue, ...this.kept] });
    this.watcher.disconnect();
    clearTimeout(this.timer);
    // The theme's table of contents holds on to the headings of each page that was left, and a node keeps its whole tree.
    const article = this.closest("article");
    queueMicrotask(() => article?.isConnected || article?.replaceChildren());
  }

  see(visible) {
    this.seen = visible;
    if (visible) this.wake();
    this.schedule();
  }

  // On a slow line Python's files would hold up the table of states, which answers meanwhile: it goes first, for a while.
  async wake() {
    if (frugal || python.word !== "off") return;
    await Promise.race([this.table(), new Promise((done) => setTimeout(done, 5000))]);
    if (this.isConnected && python.word === "off") python.start();
  }

  table() {
    const name = this.getAttribute("name");
    return (tables[name] ??= readTable(name));
  }

  readLink(hash = location.hash) {
    const [name, link] = hash.slice(1).split(/\?(.*)/s);
    if (name !== this.id) return;
    this.wake();
    if (link === undefined) return;
    this.do({ link });
    if (window.parent === window) this.scrollIntoView();
    return true;
  }

  // The link that a panel keeps what the reader did in: from storage, or into it and over an older one in the address.
  store(copy) {
    if (this.getAttribute("keep") !== "") return; // "course": it is not this browser that keeps it
    const here = location.pathname + location.search; // in a frame, links are read as on the full page
    if (copy && location.hash.startsWith(`#${this.id}?`)) history.replaceState(history.state, "", here + copy.hash);
    const link = copy?.hash.split("?")[1] ?? "";
    try { return copy ? localStorage.setItem(this.place, link) : localStorage.getItem(this.place); } catch {} // forbidden
  }

  handleEvent(event) {
    const { target, type } = event;
    // The theme's shortcuts are not for what happens in a panel; but a link to another page is one.
    if (type !== "click" || !target.closest("a:not(.copy)")) event.stopPropagation();
    if (type === "submit") event.preventDefault(); // Enter in a field is a change, not a new page
    if (target.name && (type === "change" || (type === "input" && target.type === "range"))) {
      const value = target.type !== "checkbox" ? target.value : target.checked ? "on" : "off";
      this.do({ action: { [target.name]: value } });
    } else if (type === "click") {
      const used = target.closest("button, a.copy");
      if (used?.matches("a.copy")) this.copy(used, event);
      else if (used?.matches(".load")) python.start(python.word === "failed" ? "reload" : "default");
      else if (used?.name && used.ariaDisabled !== "true") this.do({ action: { [used.name]: used.value } });
    }
  }

  do(wish) {
    // A link is no news once the reader acts; but one that brings back what was stored is.
    if (wish.action && !this.hasAttribute("keep")) this.kept = this.kept.filter(({ action }) => action);
    // Of choices that wait, the last one for a field counts; the first of the queue may be on its way already.
    const field = (other) => other?.action && Object.keys(other.action).find((name) => name !== "do");
    if (this.queue.length > 1 && field(wish) && field(this.queue.at(-1)) === field(wish)) this.queue.pop();
    this.queue.push(wish);
    this.work();
  }

  // Answers what is in the queue, in order: by Python once it is ready, until then by the table. What neither can answer
  // now stays in the queue.
  async work() {
    if (this.working) return;
    this.working = true;
    while (this.queue.length) {
      const live = python.word === "ready";
      const answer = await (live ? this.askPython(this.queue[0]) : this.askTable(this.queue[0]));
      if (answer) this.show(answer, this.queue.shift());
      else if (python.word === "failed") this.kept.push(this.queue.shift());
      else if (!live && python.word !== "ready") break;
    }
    this.working = false;
    this.toggleAttribute("waiting", this.queue.length + this.kept.length > 0);
    if (this.queue.length) this.wake();
  }

  askPython(wish) {
    const question = { panel: this.getAttribute("name"), state: this.getAttribute("state"), ...wish };
    return python.ask(question).catch((reason) => python.word === "ready" && python.fail(reason));
  }

  async askTable({ action, link }) {
    const { rows, found } = await this.table();
    return action ? rows[found.get(this.getAttribute("state"))?.actions[JSON.stringify(action)]] : found.get(`?${link}`);
  }

  show({ state, html }) {
    const before = new Map(this.places("[data-move], tr[id]").map(([node, box]) => [node.id, box]));
    this.setAttribute("state", state);
    Idiomorph.morph(this.body, html, {
      morphStyle: "innerHTML",
      callbacks: { beforeAttributeUpdated: (name, node) => !this.readers(name, node) },
    });
    this.settle(); // first, so that the page is laid out once
    this.move(before, this.places("[data-move]"));
    if (this.kept.some((wish) => "link" in wish)) return; // what was stored, here or in a course, is still to be shown
    this.store(this.querySelector("a.copy"));
    this.dispatchEvent(new CustomEvent("shown", { bubbles: true }));
  }

  // What the reader holds is not taken away: a part that is open, a slider that is being moved.
  readers(name, node) {
    return (name === "open" && node.matches("details")) || (name === "value" && node.matches("input[type=range]:active"));
  }

  // Where things are: all places are read before anything is moved.
  places(selector) {
    const nodes = still.matches ? [] : [...this.body.querySelectorAll(selector)];
    return nodes.map((node) => [node, node.getBoundingClientRect()]);
  }

  // What has a new place goes there from its old one; what is new comes from the place that it names.
  move(before, after) {
    for (const [node, to] of after) {
      const from = before.get(node.id) ?? before.get(node.dataset.move) ?? to;
      const transform = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      const timing = { duration: 280, easing: "ease-out" };
      if (from.left !== to.left || from.top !== to.top) node.animate({ transform: [transform, "none"] }, timing);
    }
  }

  // After each picture: show the functions that made it, and wait for the next tick if it plays.
  settle() {
    const used = this.body.querySelector("[data-used]")?.dataset.used.split(" ") ?? [];
    for (const figure of this.querySelectorAll("[data-function]")) figure.hidden = !used.includes(figure.dataset.function);
    this.schedule();
  }

  schedule() {
    clearTimeout(this.timer);
    const every = this.body.querySelector("[data-every]")?.dataset.every;
    const plays = every && this.seen && !document.hidden && !still.matches;
    if (plays) this.timer = setTimeout(() => this.do({ action: { do: "tick" } }), every);
  }

  hearPython() {
    this.setAttribute("python", python.word);
    this.querySelector(".status .share").textContent = python.share;
    this.querySelector(".status progress").value = python.share;
    this.querySelector(".status .reason").textContent = python.reason;
    if (python.word === "ready") this.queue.unshift(...this.kept.splice(0));
    if (["ready", "failed"].includes(python.word)) this.work();
  }

  async copy(link, event) {
    event.preventDefault();
    const copied = await navigator.clipboard?.writeText(link.href).then(() => true, () => false);
    const framed = window.parent !== window; // there the address bar is the host's
    if (!copied && !framed) history.replaceState(history.state, "", link.href);
    this.setAttribute("link", copied ? "copied" : !framed || open(link.href) ? "address" : "forbidden");
    setTimeout(() => this.removeAttribute("link"), 4000);
  }
}

customElements.define("py-panel", PyPanel);
const { effectiveType, type } = navigator.connection ?? {};
if (effectiveType === "4g" && type !== "cellular" && window.parent === window) {
  requestIdleCallback(() => [...panels][0]?.wake(), { timeout: 8000 });
}
addEventListener("hashchange", () => panels.forEach((panel) => panel.readLink()));
// The theme follows a link within the page without a hashchange.
addEventListener("click", ({ target }) => {
  const link = target.closest?.("a");
  if (link?.pathname === location.pathname) panels.forEach((panel) => panel.readLink(link.hash));
});
document.addEventListener("visibilitychange", () => panels.forEach((panel) => panel.schedule()));
