"""Trains the forest of src/parse/main-text.ts on blocks written by dump-blocks.mjs: see README.md."""
import base64
import json
import math
import re
import sys
import textwrap
import zlib

import lightgbm
import numpy as np

TREES = 152
FOLDS = 5
# as in main-text.ts
DEPTH = 5
NODES = 2 ** DEPTH
ROUND = 4
LEAF_SCALE = 8192
THRESHOLD = 0.47
MISTAKES = 1e-4
PARAMETERS = dict(
    objective='cross_entropy', learning_rate=0.1, max_depth=DEPTH, num_leaves=NODES, min_data_in_leaf=60, min_sum_hessian_in_leaf=5,
    feature_fraction=0.5, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5, max_bin=127, verbosity=-1, num_threads=1,
)
# what a page of each collection weighs: two are of articles only, one has labels for a few segments of a page
WEIGHTS = {'scrapinghub': 1.5, 'wcxb': 1.2, 'trafilatura': 0.8, 'readability': 1.0}
WORD = re.compile(r'\w+')


def matched(a, b):
    """For each token of `a`: is it in a longest common subsequence with `b`? Bit-parallel, rows kept for the way back."""
    places = {}
    for i, token in enumerate(b):
        places[token] = places.get(token, 0) | 1 << i
    full = (1 << len(b)) - 1
    row, rows = full, [full]
    for token in a:
        hits = places.get(token, 0)
        if hits:
            common = row & hits
            row = ((row + common) | (row - common)) & full
        rows.append(row)
    mask, i, j = [False] * len(a), len(a), len(b)
    while i > 0 and j > 0:
        if rows[i] >> (j - 1) & 1:
            j -= 1
        elif a[i - 1] == b[j - 1]:
            mask[i - 1] = True
            i, j = i - 1, j - 1
        else:
            i -= 1
    return mask


def labels(page):
    """Share of each block that belongs (-1: unknown), and its number of words."""
    blocks = page['blocks']
    words = [WORD.findall(text.lower()) for text in blocks]
    sizes = np.array([len(w) for w in words], float)
    share = np.full(len(blocks), -1.0)
    if page.get('expected_text') is not None:
        tokens = [token for w in words for token in w][:40000]
        owner = [k for k, w in enumerate(words) for _ in w][:40000]
        hit = np.zeros(len(blocks))
        for k, is_in in zip(owner, matched(tokens, WORD.findall(page['expected_text'].lower()))):
            hit[k] += is_in
        share = np.where(sizes > 0, hit / np.maximum(sizes, 1), -1)
    else:
        flat = [re.sub(r'\s+', ' ', text) for text in blocks]
        for segments, value in ((page.get('without') or [], 0.0), (page.get('with') or [], 1.0)):
            for segment in segments:
                segment = re.sub(r'\s+', ' ', segment).strip()
                hits = [k for k, text in enumerate(flat) if segment in text]
                if value == 0 or len(hits) <= 2:
                    share[hits] = value
    return share, sizes


def weights(page, share, sizes):
    weight = np.where(share >= 0, 1.0 if page['corpus'] == 'trafilatura' else np.minimum(sizes, 400) ** 0.8, 0)
    return weight / weight.sum() * WEIGHTS.get(page['corpus'], 0) if weight.sum() > 0 else weight


def full_tree(tree):
    """A tree of lightgbm as heaps of features, thresholds and leaves: a path that ends early asks what it knows already."""
    features, thresholds, leaves = np.zeros(NODES, int), np.full(NODES, 255), np.zeros(NODES, int)

    def walk(node, at):
        if at >= NODES:
            leaves[at - NODES] = round(node['leaf_value'] * LEAF_SCALE)
        elif 'split_feature' in node:
            features[at], thresholds[at] = node['split_feature'], int(node['threshold'])
            walk(node['left_child'], 2 * at)
            walk(node['right_child'], 2 * at + 1)
        else:
            walk(node, 2 * at)
            walk(node, 2 * at + 1)

    walk(tree, 1)
    return features, thresholds, leaves


def sums_by_round(trees, table):
    """The sum of each block after each round of trees."""
    total, rounds = np.zeros(len(table), int), []
    rows = np.arange(len(table))
    for number, (features, thresholds, leaves) in enumerate(trees):
        at = np.ones(len(table), int)
        for _ in range(DEPTH):
            at = 2 * at + (table[rows, features[at]] > thresholds[at])
        total += leaves[at - NODES]
        if number % ROUND == ROUND - 1:
            rounds.append(total.copy())
    return rounds


def early_bounds(rounds, threshold, mass):
    """After each round the sums from which, and up to which, a block is decided: of all words one in `1 / MISTAKES` a side
    and round would have been decided otherwise by the whole forest."""
    chosen, active = rounds[-1] > threshold, mass > 0
    allowed = MISTAKES * mass.sum()
    lower, upper = [], []
    for sums in rounds[:-1]:
        for bounds, wrong, sign in ((upper, ~chosen, 1), (lower, chosen, -1)):
            at = np.flatnonzero(active & wrong)
            at = at[np.argsort(-sign * sums[at])]
            beyond = np.cumsum(mass[at]) > allowed
            bounds.append(int(sums[at[np.argmax(beyond)]]) if beyond.any() else sign * -32768)
        active &= (sums <= upper[-1]) & (sums >= lower[-1])
    print('trees a block, on average: %.1f' % (ROUND * (1 + active_rounds(rounds, lower, upper))))
    return lower + [threshold + 1], upper + [threshold]


def active_rounds(rounds, lower, upper):
    active, total = np.ones(len(rounds[0]), bool), 0.0
    for sums, low, high in zip(rounds, lower, upper):
        active &= (sums <= high) & (sums >= low)
        total += active.mean()
    return total


def write_model(trees, lower, upper, path):
    source = open(path).read()
    columns = [np.concatenate(column) for column in zip(*trees)]
    for name, values, kind in (
        ('FEATURES', columns[0], '<u1'), ('THRESHOLDS', columns[1], '<u1'), ('LEAVES', columns[2], '<i2'),
        ('LOWER', lower, '<i2'), ('UPPER', upper, '<i2'),
    ):
        data = base64.b64encode(np.array(values).astype(kind).tobytes()).decode()
        literal = ' +\n'.join("  '%s'" % line for line in textwrap.wrap(data, 112))
        source = re.sub(r'(export const %s = \w+\(\n)[^)]*(,\n\);)' % name, lambda m: m[1] + literal + m[2], source)
    open(path, 'w').write(re.sub(r'\d+ trees', '%d trees' % len(trees), source))


def main(folder):
    names = json.load(open(folder + '/features.json'))
    table = np.fromfile(folder + '/features.bin', dtype=np.uint8).reshape(-1, len(names))
    pages = [json.loads(line) for line in open(folder + '/pages.jsonl')]
    parts = [labels(page) for page in pages]
    share = np.concatenate([part[0] for part in parts])
    weight = np.concatenate([weights(page, *part) for page, part in zip(pages, parts)])
    weight *= (weight > 0).sum() / weight.sum()
    mass = np.concatenate([np.minimum(part[1], 400) ** 0.8 for part in parts])
    fold = np.repeat([zlib.crc32(page['site'].encode()) % FOLDS for page in pages], [len(p['blocks']) for p in pages])
    unseen = np.zeros(len(share))
    for k in range(FOLDS + 1):  # the last round trains on everything
        train = (fold != k) & (weight > 0)
        data = lightgbm.Dataset(table[train], np.clip(share[train], 0, 1), weight=weight[train])
        booster = lightgbm.train(PARAMETERS, data, TREES)
        if k < FOLDS:
            unseen[fold == k] = booster.predict(table[fold == k])
    starts = np.cumsum([0] + [len(page['blocks']) for page in pages])
    unseen = unseen[np.concatenate([start + np.array(page['judges'], int) for start, page in zip(starts, pages)])]
    known = weight > 0
    agree = ((unseen > THRESHOLD) == (share > 0.5))[known]
    print('blocks decided right, unseen sites, by weight: %.4f' % np.average(agree, weights=weight[known]))
    start = 0
    with open(folder + '/unseen.jsonl', 'w') as out:
        for page in pages:
            chosen = unseen[start:start + len(page['blocks'])] > THRESHOLD
            start += len(page['blocks'])
            text = '\n'.join(block for block, is_in in zip(page['blocks'], chosen) if is_in)
            out.write(json.dumps({'html_path': page['html_path'], 'text': text}) + '\n')
    trees = [full_tree(tree['tree_structure']) for tree in booster.dump_model()['tree_info']]
    threshold = round(math.log(THRESHOLD / (1 - THRESHOLD)) * LEAF_SCALE)
    lower, upper = early_bounds(sums_by_round(trees, table), threshold, mass)
    write_model(trees, lower, upper, 'src/parse/main-text-model.ts')


main(sys.argv[1])
