// Build time only: runs a Python file under Pyodide, here in Node, with NumPy at hand and this machine's files in /host.
// Arguments: the folder with NumPy's wheel, the file, and the file's own arguments.
import { loadPyodide } from "../node_modules/pyodide/pyodide.mjs";

const [cache, file, ...words] = process.argv.slice(2);
const pyodide = await loadPyodide({ packages: ["numpy"], packageCacheDir: cache });
pyodide.mountNodeFS("/host", "/");
pyodide.pyimport("sys").argv = pyodide.toPy([file, ...words]);
pyodide.pyimport("runpy").run_path.callKwargs(`/host${file}`, { run_name: "__main__" });
