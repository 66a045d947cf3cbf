"""The numerical model of Tokenwalk: from a text to the next token, in NumPy.

Read the files in this order; each one needs only what stands above it, unless a line says otherwise.

    toy.py        the running example, as data
    tokens.py     step 1       text -> ids (the range check it uses is in lookup.py)
    merges.py     step 1       how a larger vocabulary is learnt from a text, by merging pairs of bytes
    lookup.py     step 2       ids -> rows of E, and the gradient that comes back
    scaling.py    step 2       the angles RoPE turns by, and how they change for texts longer than in training
    position.py   step 2       where the order of the tokens enters: every position scheme, by name
    attention.py  steps 3, 4   q, k, v -> scores, mask, weights, output
    block.py      step 5       the layer norm, the MLP, and the sum they add to
    output.py     step 6       the last row -> logits -> probabilities
    path.py       steps 1-6    the whole path of the toy, every stage by name
    formula.py    steps 1-6    a formula as data: numbers, their letters, and what is done with them
    origin.py     steps 1-6    where a number of the path came from, one step back
    given.py      steps 3-7    the sentence and the scheme that a reader chose, carried from page to page
    generate.py   step 7       probabilities -> the next token, and the next, until there is a reason to stop
    cost.py       step 7       how many multiplications a run takes, with and without a cache
    zipf.py       step 2       how often each id is drawn
    optimise.py   step 2       what one update does to the rows of a table
    trained.py    step 2       words of a trained table: how often each comes, how far its row lies from the unused ones
    lazy.py       step 2       the same, worked on only where a gradient arrives
    training.py   step 2       a table trained on seeded batches
    timing.py     step 2       how long both ways take on the machine that runs this
    facts.py      step 2       the sizes that the prose states, computed, with their sources
    presets.py    step 2       how published models turn their queries and keys, and how far they were stretched

The letters. They are declared here, once, and then used freely.

    V   vocabulary size: how many ids there are
    d   width: how many numbers one row has
    n   how many tokens (of a text, or of a batch)
    m   how many of a second kind: the keys that n queries look at, the different ids among n
    t   a position in the text; counted from 0 in code and from 1 on the page
    i   an id, 0 … V − 1
    j   the number of a pair of columns, 0 … d/2 − 1; next to i as a position, the position looked at
    H h the number of heads, and one of them, 1 … H
    w   how many numbers one head works with: d / H in the toy
    f   how many hidden neurons the MLP has
    L   how long the texts were that a model was trained on
    s   in zipf.py the exponent of the law; in scaling.py the factor by which L is stretched

    E   the table of embeddings                                      (V, d)
    P   the table of learned positions, one row a position           (positions, d)
    X   what step 2 hands on: the rows of E, plus any position       (n, d)
    G   the gradient of the loss with respect to the rows looked up  (n, d)
    Y   what a block hands on: X plus attention plus MLP              (n, d)
    z   a logit for each id                                          (V,) or (n, V)
    p   a probability for each id                                    (V,) or (n, V)
    T   the temperature that logits are divided by
    y   the right answers as one-hot rows                            (n, V)
    q k v   query, key and value of each token                       (n, d), (m, d), (m, d)
    θ   theta, the angle that a pair turns at each position, in radians: base^(−2j/d)
    r   how many full turns a pair makes within L positions
    β   how much of a running mean is kept at each update; lr is the learning rate

Positions, ids and rows count from 0 in all code. An error that a reader may see says what it counts from.
"""
