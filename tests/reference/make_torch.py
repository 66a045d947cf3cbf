"""Make the files torch_*.json beside this one: what PyTorch gives, to hold lookup.py and optimise.py against.

Run by hand, in an environment of its own; the tests read only what it wrote. Two runs give the same bytes.

    pip install torch==2.13.0
    python tests/reference/make_torch.py

Each file names the package with its version, and holds everything that went in beside what came out, so that a test
draws nothing of its own. A `call` is the call of PyTorch that gave the values beside it. All values are float64.
"""

import json
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

HERE = Path(__file__).parent
torch.set_default_dtype(torch.float64)

# The toy, typed once more from the page.
E = [[-.5, -.5, 0, 1], [-.5, 0, -.5, 1], [1, -.5, 0, -.5], [1, -.5, -.5, 0], [-.5, 1, 0, -.5], [0, .5, -.5, 0],
     [0, -.5, 1, -.5], [1, 0, -1, 0], [.5, -.5, -.5, .5], [.5, 0, -.5, 0], [0, 0, 1, -1], [.5, -.5, .5, -.5]]
P = [[0, 0, 0, 0], [.5, 0, -.5, 0], [0, .5, 0, -.5], [-.5, 0, .5, 0], [0, -.5, 0, .5]]
TARGETS = [2, 4, 5, 1, 6]
IDS = {"no repeat": [0, 2, 4, 5, 1], "a repeat": [1, 2, 4, 5, 1], "one id throughout": [7, 7, 7, 7, 7],
       "a batch of three texts": [[0, 2, 4, 5, 1], [0, 3, 4, 5, 1], [11, 0, 2, 4, 0]]}
OPTIMISERS = {
    "sgd": "torch.optim.SGD(table.parameters(), lr=0.1)",
    "momentum": "torch.optim.SGD(table.parameters(), lr=0.1, momentum=0.9)",
    "adam": "torch.optim.Adam(table.parameters(), lr=0.1)",
    "adamw": "torch.optim.AdamW(table.parameters(), lr=0.1, weight_decay=0.01)",
    "sparse_adam": "torch.optim.SparseAdam(table.parameters(), lr=0.1)",
}
TABLE = "torch.nn.Embedding({V}, {d}, sparse={sparse})"


def embedding(V: int, d: int, sparse: bool) -> tuple[str, torch.nn.Embedding]:
    """The call that gives an embedding table, and the table."""
    call = TABLE.format(V=V, d=d, sparse=sparse)
    return call, eval(call)


def embedding_cases(random: torch.Generator) -> dict[str, object]:
    """Both forms of the gradient of a table of 12 × 4, for ids with and without repeats."""
    cases = {}
    for name, ids in IDS.items():
        G = torch.randn(*torch.tensor(ids).shape, 4, generator=random)
        (call, dense), (sparse_call, sparse) = (embedding(12, 4, sparse) for sparse in (False, True))
        for table in (dense, sparse):
            table(torch.tensor(ids)).backward(G)
        short = sparse.weight.grad.coalesce()
        cases[name] = {"ids": ids, "G": G.tolist(), "call": call, "dense": dense.weight.grad.tolist(),
                       "sparse_call": sparse_call, "rows": short.indices()[0].tolist(), "sums": short.values().tolist()}
    return cases


def optimiser_cases(random: torch.Generator) -> dict[str, object]:
    """A table of 8 × 3 after each of ten steps; row 7 is never read, rows 5 and 6 at the first step only.

    No gradient lies within 0.5 of zero, repeats added: one sign for a column in a step.
    """
    start = torch.randn(8, 3, generator=random)
    ids = [[0, 5, 0, 6, 1], *torch.randint(0, 5, (9, 5), generator=random).tolist()]
    signs = torch.randint(0, 2, (10, 1, 3), generator=random) * 2 - 1
    G = signs * (0.5 + torch.rand(10, 5, 3, generator=random))
    cases: dict[str, object] = {"start": start.tolist(), "ids": ids, "G": G.tolist(), "optimisers": {}}
    for name, call in OPTIMISERS.items():
        made, table = embedding(8, 3, name == "sparse_adam")
        table.weight.data.copy_(start)
        optimiser, after = eval(call, {"torch": torch, "table": table}), []
        for batch, upstream in zip(ids, G, strict=True):
            optimiser.zero_grad()
            table(torch.tensor(batch)).backward(upstream)
            optimiser.step()
            after.append(table.weight.tolist())
        cases["optimisers"][name] = {"call": f"{call} with table = {made}", "rows": after}
    return cases


def tied_cases() -> dict[str, object]:
    """The toy's loss with E as output layer, and the gradient of E: of both paths at once, and of each alone."""
    cases = {}
    for name in ("no repeat", "a repeat"):
        ids, targets = torch.tensor(IDS[name]), torch.tensor(TARGETS)
        both, reads, writes = (torch.tensor(E, requires_grad=True) for _ in range(3))
        for table, output in ((both, both), (reads, reads.detach()), (writes.detach(), writes)):
            loss = cross_entropy((table[ids] + torch.tensor(P)) @ output.T, targets)
            loss.backward()
        cases[name] = {"ids": IDS[name], "call": "cross_entropy((E[ids] + P) @ E.T, targets)", "loss": loss.item(),
                       "both": both.grad.tolist(), "lookup": reads.grad.tolist(), "output": writes.grad.tolist()}
    return {"E": E, "P": P, "targets": TARGETS, "cases": cases}


def write(name: str, values: dict[str, object]) -> None:
    """Nothing; the file `name` holds the package with its version, and the values."""
    text = json.dumps({"made_by": Path(__file__).name, "packages": {"torch": torch.__version__}} | values)
    (HERE / name).write_text(text.replace('"call"', '\n"call"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    write("torch_embedding.json", {"cases": embedding_cases(torch.Generator().manual_seed(1))})
    write("torch_optimisers.json", optimiser_cases(torch.Generator().manual_seed(2)))
    write("torch_tied.json", tied_cases())
