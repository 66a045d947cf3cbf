// A course's side of a frame: what the frame reports (SPLICE messages) goes into the course's memory (SCORM) and comes back.
const names = document.documentElement.dataset; // what this version of SCORM calls things; names.course is what is shown
const frame = document.querySelector("iframe"), told = new Map(), began = Date.now(); // told: what the course holds
let api, row, report, known = "";
const call = (method, ...words) => { try { return String(api[names.prefix + method](...words)); } catch { return ""; } };
const put = (name, value) => told.get(name) === value || (call("SetValue", name, value) === "true" && !!told.set(name, value));
// The API of a window, its parents or its opener, if it has the methods. The windows of other sites throw.
const real = (win) => { try { return typeof win[names.api][`${names.prefix}Initialize`] === "function" && win[names.api]; } catch {} };
const found = (win, n = 0) => real(win) || (win && n < 500 ? found(win.parent === win ? win.opener : win.parent, n + 1) : null);
const kept = (async () => { // {link}: the state that the course holds; null without a course, whose API may come late
  const tries = parent === window && !opener ? 1 : 80; // without a window around it there is no course to wait for
  for (let n = 0; n < tries && !(api = found(window)); n++) await new Promise((done) => setTimeout(done, 100));
  names.course = api && call("Initialize", "") ? "open" : "alone";
  const count = call("GetValue", "cmi.interactions._count"), data = call("GetValue", "cmi.suspend_data");
  row = Number(count) || 0; // some hosts do not count; they give back what was written
  while (!count && row < 999 && call("GetValue", `cmi.interactions.${row}.id`)) row += 1;
  if (!data && !/completed|passed/.test(call("GetValue", names.status))) put(names.status, names.begin) && call("Commit", "");
  const [panel, link = ""] = data.split(/\?(.*)/s);
  frame.src = frame.dataset.src; // not before: nobody answers questions whose answers are still to come
  return api && { link: panel === names.panel ? link : "" };
})();
const note = ({ question, answer, result }) => { // an answer that was checked, as an interaction
  const now = new Date(Date.now() - 60000 * new Date().getTimezoneOffset()).toISOString().slice(names.clock, 19);
  const cells = { id: question, type: "fill-in", [names.moment]: now, [names.response]: answer.slice(0, 250), result: names[result] };
  const taken = Object.entries(cells).map(([name, cell]) => put(`cmi.interactions.${row}.${name}`, cell));
  if (!taken[0]) return; // it is told again with the next answer
  told.set(question, answer);
  row += 1;
};
const keep = () => { // the score goes before the status; what is refused is sent again
  const { score, link, open } = report, text = `${names.panel}?${link}`, fits = text.length <= names.limit;
  const marks = { min: 0, max: 100, raw: +(100 * score).toFixed(2), scaled: +score.toFixed(4) };
  const taken = names.marks.split(" ").map((mark) => put(names.score + mark, `${marks[mark]}`));
  if (!open) taken.push(put(names.status, "completed"));
  taken.push(put(names.exit, "suspend"), !fits || put("cmi.suspend_data", text), call("Commit", "") === "true");
  names.course = !api ? "alone" : taken.includes(false) ? "refused" : fits ? "kept" : "long";
  if (names.course === "refused") report.timer = setTimeout(keep, 5000);
};
const lead = ({ target }) => { // a package that holds the frames has no pages: a link to one goes to the site
  const link = target.closest("a[href]");
  if (link) link.href = link.href.replace(new URL(".", location).href, names.site);
};
addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  frame.contentDocument?.addEventListener("click", lead, true);
  if (!["SPLICE.getState", "SPLICE.reportScoreAndState"].includes(data?.subject)) return;
  const held = report ?? (await kept), { subject, message_id, score, state: { link } = {}, questions = [] } = data;
  if (subject === "SPLICE.getState") return source.postMessage({ subject: `${subject}.response`, message_id, state: held }, "*");
  const fresh = questions.filter(({ question, answer, result }) => result && told.get(question) !== answer);
  // Until the reader has gone into the frame, it reports nothing new: what the course holds, or what is left of that.
  if (!report && ([known, held?.link].includes(link) || document.activeElement !== frame)) {
    fresh.forEach(({ question, answer }) => told.set(question, answer));
    return void (known = link);
  }
  clearTimeout(report?.timer);
  const open = !questions.length || questions.some(({ result, done }) => !result && !done);
  report = { link, score: Math.min(1, Math.max(0, score || 0)), open };
  fresh.forEach(note);
  keep();
});
addEventListener("pagehide", () => {
  const seconds = Math.round((Date.now() - began) / 1000);
  put(names.time, names.prefix ? new Date(1000 * seconds).toISOString().slice(11, 19) : `PT${seconds}S`);
  call(names.finish, "");
});
