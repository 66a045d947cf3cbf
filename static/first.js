// The theme changes pages without a reload only where the sitemap's addresses are those in use. They were written for one
// address, and a site may be served at any: each is moved to where this script comes from.
const { built } = document.currentScript.dataset;
const served = new URL("..", document.currentScript.src).href;
const parse = DOMParser.prototype.parseFromString;

DOMParser.prototype.parseFromString = function (text, type) {
  const page = parse.call(this, text, type);
  for (const loc of page.querySelectorAll("urlset loc")) loc.textContent = loc.textContent.replace(built, served);
  return page;
};
