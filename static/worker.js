// Python's side of the page: downloads and checks the runtime, starts it, and then answers text with text.
// Messages out: {done, total} in bytes · {starting} · {ready} · {failed: reason} · {id, text} or {id, failed: reason}.
const app = new URL(".", import.meta.url);
const TYPES = { js: "text/javascript", wasm: "application/wasm", json: "application/json", zip: "application/zip" };
const kept = new Map(); // file name → its checked bytes
let respond;

const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");

async function download(file, count) {
  const answer = await fetch(new URL(file.at, app));
  if (!answer.ok) throw new Error(`${file.name}: the server answered ${answer.status}`);
  const data = new Uint8Array(file.bytes);
  const reader = answer.body.getReader();
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (length + part.value.length <= file.bytes) data.set(part.value, length);
    length += part.value.length;
    count(part.value.length);
  }
  // crypto.subtle is missing on a page that came over plain http; the length is still checked there.
  const sum = length === file.bytes && self.crypto.subtle && hex(await crypto.subtle.digest("SHA-256", data));
  if (sum === false || (sum && sum !== file.sha256)) throw new Error(`${file.name}: what arrived is not the file this page was built with`);
  kept.set(file.name, data);
}

// Pyodide fetches its files by address; it gets the bytes that were checked, with the type that it insists on.
function serveFromKept() {
  const network = self.fetch;
  self.fetch = (request, options) => {
    const name = new URL(request.url ?? request, app).pathname.split("/").pop();
    if (!kept.has(name)) return network(request, options);
    const type = TYPES[name.split(".").pop()] ?? "application/octet-stream";
    return Promise.resolve(new Response(kept.get(name), { headers: { "Content-Type": type } }));
  };
}

async function start() {
  const answer = await fetch(new URL("manifest.json", app));
  if (!answer.ok) throw new Error(`manifest.json: the server answered ${answer.status}`);
  const files = await answer.json();
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  await Promise.all(files.map((file) => download(file, (bytes) => postMessage({ done: (done += bytes), total }))));
  postMessage({ starting: true });
  serveFromKept();
  const at = Object.fromEntries(files.map((file) => [file.name, new URL(file.at, app).href]));
  const { loadPyodide } = await import(at["pyodide.js"]);
  const pyodide = await loadPyodide({
    indexURL: new URL(".", at["pyodide.js"]).href,
    createPyodideModule: (await import(at["pyodide.asm.js"])).default,
    lockFileContents: new TextDecoder().decode(kept.get("pyodide-lock.json")),
    packageBaseUrl: new URL(".", at["pyodide.js"]).href,
  });
  await pyodide.loadPackage("numpy", { messageCallback() {} });
  pyodide.unpackArchive(kept.get("tokenwalk.zip"), "zip", { extractDir: "/tokenwalk" });
  kept.clear();
  pyodide.FS.chdir("/tokenwalk");
  const door = pyodide.pyimport("tokenwalk.door");
  respond = door.respond;
  door.self_test();
  postMessage({ ready: true });
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
