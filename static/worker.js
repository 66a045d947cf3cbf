// Python's side of the page: downloads and checks the runtime, starts it, and then answers text with text.
// Out go {word, share} while it starts, {word: "ready"}, {failed: reason}, and to each question {id, text} or {id, failed}.
const app = new URL(".", import.meta.url);
const TYPES = { js: "text/javascript", wasm: "application/wasm", json: "application/json", zip: "application/zip" };
const kept = new Map(); // file name → its checked bytes
let respond;

const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");

async function fetched(name, at, read) {
  const answer = await fetch(new URL(at, app)).catch(() => ({ status: "nothing" }));
  if (!answer.ok) throw new Error(`${name} could not be downloaded (the server answered ${answer.status}).`);
  return read(answer).catch(() => { throw new Error(`What arrived as ${name} is not the file this page was built with.`); });
}

// Keeps the file if it is the one the page was built with. Over plain http, without crypto.subtle, the length must do.
const download = ({ name, at, bytes, sha256 }, count) => fetched(name, at, async ({ body }) => {
  const [data, reader] = [new Uint8Array(bytes), body.getReader()];
  let length = 0;
  for (let part; !(part = await reader.read()).done; length += part.value.length) {
    if (length + part.value.length <= bytes) data.set(part.value, length);
    count(part.value.length);
  }
  const right = length === bytes && (!crypto.subtle || hex(await crypto.subtle.digest("SHA-256", data)) === sha256);
  if (!right) throw new Error();
  kept.set(name, data);
});

// Pyodide fetches its files by address; it gets the bytes that were checked, with the type that it insists on.
function serveWhatIsKept() {
  const network = self.fetch;
  self.fetch = (request, options) => {
    const name = new URL(request.url ?? request, app).pathname.split("/").pop();
    if (!kept.has(name)) return network(request, options);
    const type = TYPES[name.split(".").pop()] ?? "application/octet-stream";
    return Promise.resolve(new Response(kept.get(name), { headers: { "Content-Type": type } }));
  };
}

async function start() {
  new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // throws where it is forbidden; Pyodide would hang
  const files = await fetched("manifest.json", "manifest.json", (answer) => answer.json());
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  const count = (bytes) => postMessage({ word: "loading", share: Math.floor((100 * (done += bytes)) / total) });
  await Promise.all(files.map((file) => download(file, count)));
  postMessage({ word: "starting", share: 100 });
  serveWhatIsKept();
  const at = Object.fromEntries(files.map((file) => [file.name, new URL(file.at, app).href]));
  const { loadPyodide } = await import(at["pyodide.js"]);
  const folder = new URL(".", at["pyodide.js"]).href;
  const pyodide = await loadPyodide({
    indexURL: folder,
    packageBaseUrl: folder,
    createPyodideModule: (await import(at["pyodide.asm.js"])).default,
    lockFileContents: new TextDecoder().decode(kept.get("pyodide-lock.json")),
  });
  await pyodide.loadPackage("numpy", { messageCallback() {} });
  pyodide.unpackArchive(kept.get("tokenwalk.zip"), "zip", { extractDir: "/tokenwalk" });
  kept.clear();
  pyodide.FS.chdir("/tokenwalk");
  const door = pyodide.pyimport("tokenwalk.door");
  door.start();
  respond = door.respond;
  postMessage({ word: "ready", share: 100 });
}

const reason = (error) => String(error?.message ?? error).trim().split("\n").pop();

self.onmessage = ({ data: { id, text } }) => {
  try {
    postMessage({ id, text: respond(text) });
  } catch (error) {
    postMessage({ id, failed: reason(error) });
  }
};

start().catch((error) => postMessage({ failed: reason(error) }));
