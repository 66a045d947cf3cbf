// Python's side of the page: downloads and checks the runtime, starts it, and then answers text with text.
// Its name says how the caches are to be used; a first message would wait for the page to be complete. In come questions
// {id, text}. Out go {word, share} while it starts, {word: "ready"}, {failed: reason}, and to each question {id, failed} or
// {id, text, spent}: whether Python holds much memory that it no longer needs and cannot give back.
const app = new URL(".", import.meta.url);
const TYPES = { js: "text/javascript", wasm: "application/wasm", json: "application/json", zip: "application/zip" };
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0); // the shortest WebAssembly module
let door;

const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");
const typed = (body, name) => new Response(body, { headers: { "Content-Type": TYPES[name.split(".").pop()] ?? "application/octet-stream" } });

async function fetched(name, at, cache) {
  const answer = await fetch(new URL(at, app), { cache }).catch(() => null);
  if (!answer) throw new Error(`${name} could not be downloaded: the connection failed, or something blocks it.`);
  if (!answer.ok) throw new Error(`${name} could not be downloaded: the server answered ${answer.status}.`);
  return answer;
}

const unpackedName = (name) => name.replace(/\.bin$/, "");
const unpacked = (data) => new Response(data).body.pipeThrough(new DecompressionStream("gzip"));

// The bytes of a file, if it is the one that this page was built with; each part goes to `pass` as it comes in. A file
// that ends in .bin is packed.
// Over plain http from another machine there is no crypto.subtle, and the length must do.
async function download({ name, at, bytes, sha256 }, cache, pass) {
  const reader = (await fetched(name, at, cache)).body.getReader();
  const data = new Uint8Array(bytes);
  let length = 0;
  for (let part; !(part = await reader.read().catch(() => ({}))).done; length += part.value.length) {
    if (!part.value) throw new Error(`The connection was lost while ${name} was coming in.`);
    if (!length && part.value[0] === 60) throw new Error(`A web page came instead of ${name}. Perhaps the site wants you to log in.`);
    if (length + part.value.length > bytes) break;
    data.set(part.value, length);
    pass(part.value);
  }
  const right = length === bytes && (!crypto.subtle || hex(await crypto.subtle.digest("SHA-256", data)) === sha256);
  if (!right) throw new Error(`What came as ${name} is not the file that this page was built with. Load the page again.`);
  return name === unpackedName(name) ? data : new Uint8Array(await new Response(unpacked(data)).arrayBuffer());
}

// All files at once, name → promise of its bytes. The one in WebAssembly is compiled while it comes in.
function downloadAll(files, cache) {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  let share = 0;
  let compiler;
  const incoming = new ReadableStream({ start: (controller) => { compiler = controller; } });
  const pass = (name) => (part) => {
    if (name.endsWith(".wasm")) compiler.enqueue(part);
    done += part.length;
    if (share < Math.floor((100 * done) / total)) postMessage({ word: "loading", share: (share = Math.floor((100 * done) / total)) });
  };
  const kept = Object.fromEntries(files.map((file) => [unpackedName(file.name), download(file, cache, pass(file.name))]));
  const main = files.find((file) => file.name.endsWith(".wasm")).name;
  kept[main].then(() => compiler.close(), (error) => compiler.error(error));
  const module = WebAssembly.compileStreaming(typed(incoming, main));
  module.catch(() => {}); // whoever awaits it hears of it
  return { kept, module };
}

// Pyodide fetches its files by address and compiles the main one itself. It gets the bytes that were checked, with the
// type that it insists on, and the module that is compiled already.
function serve({ kept, module }) {
  const network = self.fetch;
  self.fetch = async (request, options) => {
    const name = new URL(request.url ?? request, app).pathname.split("/").pop();
    return kept[name] ? typed(await kept[name], name) : network(request, options);
  };
  WebAssembly.instantiateStreaming = async (answer, imports) => {
    await answer;
    return { module: await module, instance: await WebAssembly.instantiate(await module, imports) };
  };
}

async function boot({ kept, module }, at) {
  const archives = Object.keys(kept).filter((name) => /\.whl$|^(jinja2|tokenwalk)\.zip$/.test(name));
  serve({ kept, module });
  const script = async (name) => (await kept[name], import(at[name])); // it lies in the cache, checked
  const folder = new URL(".", at["pyodide.js"]).href;
  const { loadPyodide } = await script("pyodide.js");
  const pyodide = await loadPyodide({
    indexURL: folder,
    packageBaseUrl: folder,
    createPyodideModule: (await script("pyodide.asm.js")).default,
    lockFileContents: new TextDecoder().decode(await kept["pyodide-lock.json"]),
  });
  pyodide.pyimport("gc").disable(); // what is imported stays; door.start enables it again
  for (const name of archives) pyodide.unpackArchive(await kept[name], "zip", { extractDir: "/tokenwalk" });
  pyodide.FS.chdir("/tokenwalk");
  door = pyodide.pyimport("tokenwalk.door");
  door.start();
}

async function start(cache) {
  new WebAssembly.Module(EMPTY); // throws where it is forbidden; Pyodide would wait for ever
  const files = await (await fetched("manifest.json", "manifest.json", cache)).json().catch(() => {
    throw new Error("What came as manifest.json is not the file that this page was built with. Perhaps the site wants you to log in.");
  });
  const coming = downloadAll(files, cache);
  const here = Promise.all(Object.values(coming.kept)).then(() => postMessage({ word: "starting", share: 100 }));
  await Promise.all([here, boot(coming, Object.fromEntries(files.map((file) => [file.name, new URL(file.at, app).href])))]);
  postMessage({ word: "ready", share: 100 });
}

const reason = (error) => String(error?.message ?? error).trim().split("\n").pop();

self.onunhandledrejection = (event) => event.preventDefault(); // start tells it, though others may have waited for it too
start(self.name).catch((error) => postMessage({ failed: reason(error) }));

self.onmessage = ({ data: { id, text } }) => {
  try {
    postMessage({ id, text: door.respond(text), spent: door.spent() });
  } catch (error) {
    postMessage({ id, failed: reason(error) });
  }
};
