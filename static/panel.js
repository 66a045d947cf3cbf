// <py-panel>: carries a reader's actions to Python and Python's pictures to the page. It knows form controls, text and
// time, and nothing of what the panels show.
import { Idiomorph } from "./idiomorph.js";

const here = new URL(".", import.meta.url);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const panels = new Set(); // those on the page now

// --- the one Python of this document ---------------------------------------------------------------------------------

const python = {
  word: "off", // off, loading, starting, ready or failed: the element's attribute, which the style sheet shows in words
  share: 0,
  reason: "",
  worker: null,
  asked: new Map(), // number of a question → [resolve, reject]
  count: 0,

  start() {
    if (this.worker) return;
    this.tell("loading", { share: 0, reason: "" });
    this.worker = makeWorker(new URL("worker.js", here).href);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker script could not be loaded");
  },

  hear({ id, text, failed, ready, starting, done, total }) {
    if (id !== undefined) {
      const [resolve, reject] = this.asked.get(id);
      this.asked.delete(id);
      if (failed) reject(new Error(failed));
      else resolve(text);
    } else if (failed) this.fail(failed);
    else if (ready) this.tell("ready");
    else if (starting) this.tell("starting");
    else this.tell("loading", { share: Math.floor((100 * done) / total) });
  },

  fail(reason) {
    this.worker?.terminate();
    this.worker = null;
    for (const [, reject] of this.asked.values()) reject(new Error(reason));
    this.asked.clear();
    this.tell("failed", { reason });
  },

  tell(word, more = {}) {
    Object.assign(this, { word }, more);
    for (const panel of panels) panel.hearPython();
  },

  ask(question) {
    return new Promise((resolve, reject) => {
      this.asked.set(++this.count, [resolve, reject]);
      this.worker.postMessage({ id: this.count, text: JSON.stringify(question) });
    }).then(JSON.parse);
  },
};

// An opaque origin (a sandboxed frame) may not start a worker from an address, only from a data: address.
function makeWorker(address) {
  try {
    return new Worker(address, { type: "module" });
  } catch {
    return new Worker(`data:text/javascript,import ${encodeURIComponent(JSON.stringify(address))}`, { type: "module" });
  }
}

// --- the table of states that answers until Python is ready ----------------------------------------------------------

const tables = new Map(); // panel name → promise of its table

function table(name) {
  if (!tables.has(name)) {
    const address = new URL(`${name}.states.json`, here);
    const read = async () => {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(`${answer.status}`);
      const { lines, states } = await answer.json();
      const rows = states.map(([state, link, numbers, actions]) => ({
        state, link, actions, html: () => numbers.map((i) => lines[i]).join("\n"),
      }));
      return { rows, byState: new Map(rows.map((r) => [r.state, r])), byLink: new Map(rows.map((r) => [r.link, r])) };
    };
    tables.set(name, read().catch(() => ({ rows: [], byState: new Map(), byLink: new Map() })));
  }
  return tables.get(name);
}

// --- the element -----------------------------------------------------------------------------------------------------

class PyPanel extends HTMLElement {
  queue = []; // what the reader did and has not been answered: {action} or {link}
  busy = false;
  seen = false;
  timer = 0;

  connectedCallback() {
    this.body = this.querySelector(".body");
    panels.add(this);
    for (const type of ["click", "change", "keydown"]) this.addEventListener(type, this);
    this.watcher = new IntersectionObserver(([{ isIntersecting }]) => this.see(isIntersecting), { rootMargin: "300px" });
    this.watcher.observe(this);
    this.readLink();
    this.hearPython();
    this.showUsed();
    this.schedule();
  }

  disconnectedCallback() {
    panels.delete(this);
    this.watcher.disconnect();
    clearTimeout(this.timer);
  }

  see(visible) {
    this.seen = visible;
    if (visible && !navigator.connection?.saveData) python.start();
    this.schedule();
  }

  readLink() {
    const [name, link] = location.hash.slice(1).split(/\?(.*)/s);
    if (name !== this.id || link === undefined) return;
    this.do({ link });
    if (window.parent === window) this.scrollIntoView();
  }

  handleEvent(event) {
    event.stopPropagation(); // the theme's shortcuts and its navigation are not for what happens in a panel
    const { target, type } = event;
    if (type === "change" && target.name) {
      this.do({ action: { [target.name]: target.type === "checkbox" ? (target.checked ? "on" : "off") : target.value } });
    } else if (type === "click") {
      const button = target.closest("button, a.copy");
      if (button?.matches("a.copy")) this.copy(button, event);
      else if (button?.matches(".retry")) python.start();
      else if (button?.name && button.ariaDisabled !== "true") this.do({ action: { [button.name]: button.value } });
    }
  }

  do(wish) {
    this.queue.push(wish);
    this.work();
  }

  // Carries out what is in the queue, in order: by Python when it is ready, until then by the table.
  async work() {
    if (this.busy) return;
    this.busy = true;
    while (this.queue.length) {
      const answer = await (python.word === "ready" ? this.askPython(this.queue[0]) : this.askTable(this.queue[0]));
      if (!answer) break;
      this.queue.shift();
      this.show(answer);
    }
    this.busy = false;
    this.toggleAttribute("waiting", this.queue.length > 0);
    if (this.queue.length && python.word === "ready") this.work();
    else if (this.queue.length) python.start();
  }

  async askPython(wish) {
    try {
      return await python.ask({ panel: this.getAttribute("name"), state: this.getAttribute("state"), ...wish });
    } catch (error) {
      python.fail(error.message);
      return null;
    }
  }

  async askTable({ action, link }) {
    const { rows, byState, byLink } = await table(this.getAttribute("name"));
    const row = action ? rows[byState.get(this.getAttribute("state"))?.actions[JSON.stringify(action)]] : byLink.get(link);
    return row && { state: row.state, html: row.html() };
  }

  show({ state, html }) {
    const places = new Map([...this.movers()].map((node) => [node.id, node.getBoundingClientRect()]));
    for (const node of this.querySelectorAll("tr[id]")) places.set(node.id, node.getBoundingClientRect());
    this.setAttribute("state", state);
    Idiomorph.morph(this.body, html, {
      morphStyle: "innerHTML",
      callbacks: { beforeAttributeUpdated: (name, node) => !(name === "open" && node.matches("details")) },
    });
    if (!still.matches) this.move(places);
    this.showUsed();
    this.schedule();
  }

  movers() {
    return this.body.querySelectorAll("[data-move]");
  }

  // What has a new place goes there from its old one; what is new comes from the place that it names.
  move(places) {
    for (const node of this.movers()) {
      const from = places.get(node.id) ?? places.get(node.dataset.move);
      const to = node.getBoundingClientRect();
      const [x, y] = from ? [from.left - to.left, from.top - to.top] : [0, 0];
      if (x || y) node.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 280, easing: "ease-out" });
    }
  }

  showUsed() {
    const used = this.body.querySelector("[data-used]")?.dataset.used.split(" ") ?? [];
    for (const figure of this.querySelectorAll("[data-function]")) figure.hidden = !used.includes(figure.dataset.function);
  }

  schedule() {
    clearTimeout(this.timer);
    const every = this.body.querySelector("[data-every]")?.dataset.every;
    if (every && this.seen && !document.hidden && !still.matches) this.timer = setTimeout(() => this.do({ action: { do: "tick" } }), every);
  }

  hearPython() {
    if (this.getAttribute("python") !== python.word) this.setAttribute("python", python.word);
    this.querySelector(".status .share").textContent = python.share;
    this.querySelector(".status progress").value = python.share / 100;
    this.querySelector(".status .reason").textContent = python.reason && `${python.reason}.`;
    if (python.word === "ready" && this.queue.length) this.work();
  }

  async copy(link, event) {
    event.preventDefault();
    const done = await navigator.clipboard?.writeText(link.href).then(() => "copied", () => null);
    if (!done) history.replaceState(history.state, "", link.href);
    this.setAttribute("link", done ?? "address");
    setTimeout(() => this.removeAttribute("link"), 4000);
  }
}

customElements.define("py-panel", PyPanel);
addEventListener("hashchange", () => panels.forEach((panel) => panel.readLink()));
document.addEventListener("visibilitychange", () => panels.forEach((panel) => panel.schedule()));
