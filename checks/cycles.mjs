/**
 * The import cycles of a graph: for each knot of files that reach each other, one shortest cycle through its first
 * file, which is repeated at the end.
 * @param {ReadonlyMap<string, ReadonlySet<string>>} graph
 * @returns {string[][]}
 */
export function findCycles(graph) {
  /** @type {string[][]} */
  const cycles = [];
  const inKnot = new Set();
  for (const start of [...graph.keys()].sort()) {
    if (inKnot.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (!cycle) continue;
    cycles.push(cycle);
    for (const file of cycle) inKnot.add(file);
  }
  return cycles;
}

/**
 * Breadth first from `start` until it is met again.
 * @param {ReadonlyMap<string, ReadonlySet<string>>} graph
 * @param {string} start
 * @returns {string[] | null}
 */
function shortestCycle(graph, start) {
  /** @type {Map<string, string | null>} */
  const cameFrom = new Map([[start, null]]);
  for (const file of cameFrom.keys()) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) {
        const cycle = [start];
        for (let step = /** @type {string | null} */ (file); step !== null; step = cameFrom.get(step) ?? null)
          cycle.unshift(step);
        return cycle;
      }
      if (!cameFrom.has(next)) cameFrom.set(next, file);
    }
  }
  return null;
}
