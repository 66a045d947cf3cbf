// In a course's frame: says how high the page is, in the words that hosts know, and carries a score and a state.
const panel = document.querySelector("py-panel");
const asking = { subject: "SPLICE.getState", message_id: `${Math.random()}` };
const says = { lti: (height) => JSON.stringify({ subject: "lti.frameResize", height }) }; // kind of host → its words
says.edx = (height) => ({ type: "plugin.resize", payload: { height } });
let timer, used;
const send = (message) => parent.postMessage(message, "*");
const tell = (words = Object.values(says)) => {
  const { height, width } = document.documentElement.getBoundingClientRect(); // both are 0 while the frame is hidden
  if (height && width) words.forEach((say) => send(say(Math.ceil(height), Math.ceil(width))));
};
const hear = (data) => { // what a host says is compared with what is known here, or handed to Python, which checks it
  const [id] = (typeof data === "string" && data.match(/^\[iFrameSizer\][^:]+:(?=\d*:(true|false):)/)) || [];
  const sizer = (kind) => (height, width) => `${id}${height}:${width}:${kind}`;
  const h5p = (height) => ({ context: "h5p", action: "resize", height, scrollHeight: height });
  const open = (height, width) => ({ type: "iframe-resized", height, width });
  if (id) { says.sizer = sizer("size"); tell([sizer("init")]); }
  if (data?.context === "h5p") tell([says.h5p = h5p]);
  if (["iframe-child-init", "iframe-get-child-dimensions"].includes(data?.type)) tell([says.open = open]);
  const link = data?.message_id === asking.message_id && !used && data.state?.link;
  if (typeof link === "string") { used = true; panel.do({ link }); }
};
const report = () => {
  const { score, max } = panel.querySelector("[data-score]")?.dataset ?? {};
  const state = { link: panel.querySelector(".foot .copy").href.split(/\?(.*)/s)[1] ?? "" };
  const questions = Array.from(panel.querySelectorAll("[data-question]"), ({ dataset }) => ({ ...dataset }));
  const said = { subject: "SPLICE.reportScoreAndState", message_id: `${Math.random()}`, score: score / max, state, questions };
  if (max > 0) send(said);
};
const greet = () => { // and again, for a host that listens late; the height follows, so that never many come at once
  if (!says.h5p) send({ context: "h5p", action: "hello" });
  if (!used && panel.querySelector("[data-score]")) send(asking);
  setTimeout(tell, 1200);
};
if (parent !== window) {
  addEventListener("message", ({ source, data }) => source === parent && hear(data));
  addEventListener("shown", report);
  ["click", "input"].forEach((type) => addEventListener(type, () => { used = true; }, true));
  new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(tell, 200); }).observe(document.body);
  addEventListener("load", () => [0, 2500, 5000].forEach((wait) => setTimeout(greet, wait)));
}
