"""Trains the forest of src/parse/main-text.ts on blocks written by dump-blocks.mjs: see README.md."""
import base64
import json
import re
import sys
import textwrap
import zlib

import lightgbm
import numpy as np

TREES = 120
FOLDS = 5
LEAF_SCALE = 8192  # as in main-text.ts
PARAMETERS = dict(
    objective='cross_entropy', learning_rate=0.1, num_leaves=24, min_data_in_leaf=60, min_sum_hessian_in_leaf=5,
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


def write_model(booster, path):
    nodes, leaves, roots = [], [], []

    def walk(tree):
        if 'split_feature' not in tree:
            leaves.append(round(tree['leaf_value'] * LEAF_SCALE))
            return ~(len(leaves) - 1)
        at = len(nodes)
        nodes.append(None)
        left, right = walk(tree['left_child']), walk(tree['right_child'])
        nodes[at] = (tree['split_feature'], int(tree['threshold']), left, right)
        return at

    for tree in booster.dump_model()['tree_info']:
        roots.append(walk(tree['tree_structure']))
    source = open(path).read()
    for name, values in (('ROOTS', roots), ('NODES', [x for node in nodes for x in node]), ('LEAVES', leaves)):
        data = base64.b64encode(np.array(values, dtype='<i2').tobytes()).decode()
        literal = ' +\n'.join("  '%s'" % line for line in textwrap.wrap(data, 112))
        source = re.sub(r'(export const %s = numbers\(\n)[^)]*(,\n\);)' % name, lambda m: m[1] + literal + m[2], source)
    open(path, 'w').write(re.sub(r'\d+ trees, \d+ nodes', '%d trees, %d nodes' % (len(roots), len(nodes)), source))


def main(folder):
    names = json.load(open(folder + '/features.json'))
    table = np.fromfile(folder + '/features.bin', dtype=np.uint8).reshape(-1, len(names))
    pages = [json.loads(line) for line in open(folder + '/pages.jsonl')]
    parts = [labels(page) for page in pages]
    share = np.concatenate([part[0] for part in parts])
    weight = np.concatenate([weights(page, *part) for page, part in zip(pages, parts)])
    weight *= (weight > 0).sum() / weight.sum()
    fold = np.repeat([zlib.crc32(page['site'].encode()) % FOLDS for page in pages], [len(p['blocks']) for p in pages])
    unseen = np.zeros(len(share))
    for k in range(FOLDS + 1):  # the last round trains on everything
        train = (fold != k) & (weight > 0)
        data = lightgbm.Dataset(table[train], np.clip(share[train], 0, 1), weight=weight[train])
        booster = lightgbm.train(PARAMETERS, data, TREES)
        if k < FOLDS:
            unseen[fold == k] = booster.predict(table[fold == k])
    known = weight > 0
    agree = ((unseen > 0.47) == (share > 0.5))[known]
    print('blocks decided right, unseen sites, by weight: %.4f' % np.average(agree, weights=weight[known]))
    start = 0
    with open(folder + '/unseen.jsonl', 'w') as out:
        for page in pages:
            chosen = unseen[start:start + len(page['blocks'])] > 0.47
            start += len(page['blocks'])
            text = '\n'.join(block for block, is_in in zip(page['blocks'], chosen) if is_in)
            out.write(json.dumps({'html_path': page['html_path'], 'text': text}) + '\n')
    write_model(booster, 'src/parse/main-text-model.ts')


main(sys.argv[1])
