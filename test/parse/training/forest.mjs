// Gradient boosting with cross-entropy: full trees that ask about features of one byte.
//
// A node's histogram holds one number a feature and value: the sum of the gradients times 2^26 plus the sum of the second
// derivatives, both as whole numbers. One addition a block and feature, and the sums of a sibling by subtraction.

export const TREES = 152;
/** As in src/parse/main-text.ts. */
export const DEPTH = 5;
export const NODES = 2 ** DEPTH;

const RATE = 0.1;
/** Of the features and of the blocks, what is drawn for each tree. */
const FEATURE_SHARE = 0.5;
const BLOCK_SHARE = 0.7;
/** Ridge on leaves; and what both sides of a question need of second derivatives, and its blocks in number. */
const RIDGE = 20;
const LEAST_CURVATURE = 20;
const LEAST_BLOCKS = 120;

const VALUES = 256;
const HIGH = 2 ** 26;

/**
 * By node; the root is 1, and the children of `i` are `2i` (at most the threshold) and `2i + 1`. Leaves in log-odds.
 * @typedef {{ features: Uint8Array, thresholds: Uint8Array, leaves: Float64Array }} Tree
 */
/**
 * Columns of features over the blocks, what share of each block belongs, and what it weighs.
 * @typedef {{ columns: Uint8Array[], targets: Float64Array, weights: Float64Array }} Blocks
 */
/** @typedef {{ gradient: Float64Array, curvature: Float64Array, packed: Float64Array, scale: number }} Slope */

/** @param {number} seed @returns {() => number} numbers from 0 to 1 */
export function randomNumbers(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {Blocks} blocks @param {number} seed @returns {Tree[]} */
export function trainForest(blocks, seed) {
  const { columns, targets, weights } = blocks;
  const random = randomNumbers(seed);
  const base = logOdds(targets, weights);
  const scores = new Float64Array(targets.length).fill(base);
  /** @type {Slope} */
  const slope = {
    gradient: new Float64Array(targets.length),
    curvature: new Float64Array(targets.length),
    packed: new Float64Array(targets.length),
    scale: 1,
  };
  const trees = [];
  for (let number = 0; number < TREES; number++) {
    measureSlope(blocks, scores, slope);
    const rows = Int32Array.from(targets.keys()).filter(() => random() < BLOCK_SHARE);
    const tree = growTree(columns, draw(columns.length, random), rows, slope);
    addScores(tree, columns, scores);
    if (number === 0) for (const at of tree.leaves.keys()) tree.leaves[at] += base;
    trees.push(tree);
  }
  return trees;
}

/** The sum of the trees for each block. @param {readonly Tree[]} trees @param {Uint8Array[]} columns */
export function scoresOf(trees, columns) {
  const scores = new Float64Array(columns[0].length);
  for (const tree of trees) addScores(tree, columns, scores);
  return scores;
}

/** @param {Float64Array} targets @param {Float64Array} weights */
function logOdds(targets, weights) {
  let inside = 0;
  let all = 0;
  for (let i = 0; i < targets.length; i++) {
    inside += targets[i] * weights[i];
    all += weights[i];
  }
  return Math.log(inside / (all - inside));
}

/** @param {number} features @param {() => number} random @returns {number[]} those that a tree may ask about */
function draw(features, random) {
  const order = Array.from({ length: features }, (_, i) => i);
  const count = Math.round(features * FEATURE_SHARE);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(random() * (features - i));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.slice(0, count);
}

/** @param {Blocks} blocks @param {Float64Array} scores @param {Slope} slope */
function measureSlope({ targets, weights }, scores, slope) {
  const { gradient, curvature, packed } = slope;
  let total = 0;
  for (let i = 0; i < scores.length; i++) {
    const p = 1 / (1 + Math.exp(-scores[i]));
    gradient[i] = weights[i] * (p - targets[i]);
    curvature[i] = weights[i] * Math.max(1e-6, p * (1 - p));
    total += Math.max(Math.abs(gradient[i]), curvature[i]);
  }
  slope.scale = (HIGH - scores.length - 2) / total;
  for (let i = 0; i < scores.length; i++) {
    packed[i] = Math.round(gradient[i] * slope.scale) * HIGH + Math.round(curvature[i] * slope.scale);
  }
}

/**
 * @param {Uint8Array[]} columns
 * @param {readonly number[]} drawn features
 * @param {Int32Array} rows blocks
 * @param {Slope} slope
 * @returns {Tree}
 */
function growTree(columns, drawn, rows, slope) {
  const tree = {
    features: new Uint8Array(NODES),
    thresholds: new Uint8Array(NODES).fill(255),
    leaves: new Float64Array(NODES),
  };
  let level = [{ node: 1, rows, histogram: histogramOf(columns, drawn, rows, slope) }];
  while (level.length > 0) {
    const next = [];
    for (const { node, rows: own, histogram } of level) {
      const question = bestQuestion(histogram, drawn, own, slope);
      if (question === null) {
        fillLeaves(tree.leaves, node, leafOf(own, slope));
        continue;
      }
      tree.features[node] = question.feature;
      tree.thresholds[node] = question.threshold;
      const column = columns[question.feature];
      const low = own.filter((row) => column[row] <= question.threshold);
      const high = own.filter((row) => column[row] > question.threshold);
      if (2 * node >= NODES) {
        tree.leaves[2 * node - NODES] = leafOf(low, slope);
        tree.leaves[2 * node + 1 - NODES] = leafOf(high, slope);
        continue;
      }
      const isLowFewer = low.length <= high.length;
      const fewer = histogramOf(columns, drawn, isLowFewer ? low : high, slope);
      for (let i = 0; i < fewer.length; i++) histogram[i] -= fewer[i];
      next.push({ node: 2 * node, rows: low, histogram: isLowFewer ? fewer : histogram });
      next.push({ node: 2 * node + 1, rows: high, histogram: isLowFewer ? histogram : fewer });
    }
    level = next;
  }
  return tree;
}

/** @param {Uint8Array[]} columns @param {readonly number[]} drawn @param {Int32Array} rows @param {Slope} slope */
function histogramOf(columns, drawn, rows, { packed }) {
  const histogram = new Float64Array(drawn.length * VALUES);
  const own = Float64Array.from(rows, (row) => packed[row]);
  for (let k = 0; k < drawn.length; k++) {
    addHistogram(histogram.subarray(k * VALUES, (k + 1) * VALUES), columns[drawn[k]], rows, own);
  }
  return histogram;
}

/** @param {Float64Array} into @param {Uint8Array} column @param {Int32Array} rows @param {Float64Array} values */
function addHistogram(into, column, rows, values) {
  for (let i = 0; i < rows.length; i++) into[column[rows[i]]] += values[i];
}

/** @param {Float64Array} histogram @param {readonly number[]} drawn @param {Int32Array} rows @param {Slope} slope */
function bestQuestion(histogram, drawn, rows, slope) {
  const { scale } = slope;
  const gradient = sumOf(slope.gradient, rows);
  const curvature = sumOf(slope.curvature, rows);
  if (rows.length < LEAST_BLOCKS || curvature < 2 * LEAST_CURVATURE) return null;
  let best = null;
  let most = (gradient * gradient) / (curvature + RIDGE);
  for (let k = 0; k < drawn.length; k++) {
    let sum = 0;
    for (let value = 0; value < VALUES - 1; value++) {
      const own = histogram[k * VALUES + value];
      if (own === 0) continue;
      sum += own;
      const whole = Math.floor(sum / HIGH);
      const low = whole / scale;
      const lowCurvature = (sum - whole * HIGH) / scale;
      if (lowCurvature < LEAST_CURVATURE) continue;
      const highCurvature = curvature - lowCurvature;
      if (highCurvature < LEAST_CURVATURE) break;
      const gain = (low * low) / (lowCurvature + RIDGE) + (gradient - low) ** 2 / (highCurvature + RIDGE);
      if (gain <= most) continue;
      most = gain;
      best = { feature: drawn[k], threshold: value };
    }
  }
  return best;
}

/** @param {Float64Array} values @param {Int32Array} rows */
function sumOf(values, rows) {
  let sum = 0;
  for (let i = 0; i < rows.length; i++) sum += values[rows[i]];
  return sum;
}

/** @param {Int32Array} rows @param {Slope} slope */
function leafOf(rows, { gradient, curvature }) {
  return (-RATE * sumOf(gradient, rows)) / (sumOf(curvature, rows) + RIDGE);
}

/** The leaves below a node that asks nothing. @param {Float64Array} leaves @param {number} node @param {number} value */
function fillLeaves(leaves, node, value) {
  let [first, last] = [node, node];
  while (first < NODES) [first, last] = [2 * first, 2 * last + 1];
  leaves.fill(value, first - NODES, last - NODES + 1);
}

/** @param {Tree} tree @param {Uint8Array[]} columns @param {Float64Array} scores */
function addScores({ features, thresholds, leaves }, columns, scores) {
  for (let i = 0; i < scores.length; i++) {
    let node = 1;
    while (node < NODES) node = 2 * node + (columns[features[node]][i] > thresholds[node] ? 1 : 0);
    scores[i] += leaves[node - NODES];
  }
}
