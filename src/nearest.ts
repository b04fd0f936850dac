/**
 * The known name that is most like a mistyped one, or null if none is near: at most a third of its letters (and at
 * least one) inserted, dropped, replaced or swapped with a neighbour. Names that contain the given one whole, such as
 * `timeout.dns` for `dns`, come after those. Bounded: names over 60 letters are near to nothing.
 */
export function nearest(name: string, known: Iterable<string>): string | null {
  if (name.length > 60) return null;
  const wanted = name.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  let containing: string | null = null;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
    if (wanted.length >= 3 && candidate.toLowerCase().includes(wanted)) containing ??= candidate;
  }
  return best ?? containing;
}

/** Optimal string alignment distance (Damerau's, without repeated edits of one place). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length];
}
