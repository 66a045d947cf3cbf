// Build time only: formulas as JSON on standard input → their HTML as JSON on standard output.
const katex = require("../node_modules/katex");
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const set = ({ tex, display }) => katex.renderToString(tex, { displayMode: display, throwOnError: true, strict: "error" });
process.stdout.write(JSON.stringify(formulas.map(set)));
