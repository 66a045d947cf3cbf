// Before the theme's own scripts.
const { built } = document.currentScript.dataset;
const served = new URL("..", document.currentScript.src).href;

// A panel needs http; a page that was opened from a file says so.
document.documentElement.classList.toggle("from-file", location.protocol === "file:");
document.documentElement.classList.replace("no-js", "js");

// In a course's frame storage may be forbidden, and the theme would stop at the first use. There it forgets instead.
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    window[name].length;
  } catch {
    const kept = new Map();
    const value = {
      getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text), removeItem: (key) => kept.delete(key),
    };
    Object.defineProperty(window, name, { value });
  }
}

// The theme changes pages without a reload only where the sitemap's addresses are those in use. They were written for one
// address, and a site may be served at any: each is moved to where this script comes from.
const parse = DOMParser.prototype.parseFromString;
DOMParser.prototype.parseFromString = function (text, type) {
  const page = parse.call(this, text, type);
  for (const loc of page.querySelectorAll("urlset loc")) loc.textContent = loc.textContent.replace(built, served);
  return page;
};

// In a sandboxed frame the page has no origin, and a worker starts there only from a data: address.
if (window.origin === "null" && location.protocol !== "file:") {
  window.Worker = class extends Worker {
    constructor(address, options) {
      const text = JSON.stringify(new URL(address, document.baseURI));
      const code = options?.type === "module" ? `import ${text}` : `importScripts(${text})`;
      super(`data:text/javascript,${encodeURIComponent(code)}`, options);
    }
  };
}
