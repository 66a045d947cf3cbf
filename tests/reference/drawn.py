"""What goes into the networks of torch_path.json: too many numbers to store, so they are drawn, the same way each time.

Python promises that Random(seed).random() never changes. The script that runs PyTorch and the test both draw here.
"""

import math
from random import Random

# A row: width d, heads, tokens, hidden neurons, scheme, layout of the pairs, mask.
CASES = {
    "one head, causal": (4, 1, 5, 3, "none", "interleaved", "causal"),
    "no mask": (8, 2, 7, 16, "none", "interleaved", "none"),
    "any mask": (12, 3, 6, 5, "none", "interleaved", "any"),
    "RoPE, interleaved": (16, 2, 9, 24, "rope", "interleaved", "causal"),
    "RoPE, halves": (16, 2, 9, 24, "rope", "halves", "causal"),
    "RoPE, halves, any mask, d = 64": (64, 4, 5, 32, "rope", "halves", "any"),
    "RoPE, interleaved, d = 64": (64, 8, 8, 64, "rope", "interleaved", "causal"),
    "ALiBi": (16, 4, 9, 24, "alibi", "interleaved", "causal"),
    "ALiBi, 3 heads, no mask": (12, 3, 6, 5, "alibi", "interleaved", "none"),
    "one token": (8, 4, 1, 6, "rope", "interleaved", "causal"),
}
V, GAIN = 11, 3.0


def drawn(name: str) -> dict[str, list]:
    """The weights, the ids and the mask of a case; a matrix is applied to the right of a row.

    E (V, d), W_Q W_K W_V W_O (d, d), W_1 (d, f), b_1 (f,), W_2 (f, d), b_2 (d,), ids (n,), mask (n, n).
    """
    d, _, n, f, _, _, mask = CASES[name]
    random = Random(list(CASES).index(name))

    def matrix(rows: int, columns: int) -> list[list[float]]:
        size = math.sqrt(3 / rows)  # variance 1/rows, so that a product neither grows nor fades
        return [[size * (2 * random.random() - 1) for _ in range(columns)] for _ in range(rows)]

    shapes = {"E": (V, d), "W_Q": (d, d), "W_K": (d, d), "W_V": (d, d), "W_O": (d, d), "W_1": (d, f), "b_1": (1, f),
              "W_2": (f, d), "b_2": (1, d)}
    made = {key: matrix(*shape) for key, shape in shapes.items()}
    looks = {"causal": lambda i, j: j <= i, "none": lambda i, j: True,
             "any": lambda i, j: i == j or random.random() < 0.5}[mask]
    return made | {"b_1": made["b_1"][0], "b_2": made["b_2"][0], "ids": [int(V * random.random()) for _ in range(n)],
                   "mask": [[looks(i, j) for j in range(n)] for i in range(n)]}
