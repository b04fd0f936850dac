/** Sources with bytes cut out, doubled, moved or written over by ones that mean something. */
import fc from 'fast-check';

/** Places are drawn without knowing how long the source is. */
const ANYWHERE = 0x7fff_ffff;

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string | { readonly from: number; readonly size: number; readonly times: number };
}

/**
 * A part of one of the sources after a few edits; bytes as a `latin1` string.
 * @param pieces what is inserted: the marks that the reader under test looks for
 * @param longest bytes of the part; one case in twenty has the whole source, up to 40 times as many
 */
export function mutated(
  sources: readonly string[],
  pieces: readonly string[],
  longest = 6_000,
  mostEdits = 12,
): fc.Arbitrary<string> {
  const insert = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    {
      weight: 2,
      arbitrary: fc.record({ from: fc.nat(ANYWHERE), size: fc.nat(200), times: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
    { weight: 1, arbitrary: fc.constant('') },
  );
  const edit: fc.Arbitrary<Edit> = fc.record({
    at: fc.nat(ANYWHERE),
    remove: fc.oneof(fc.nat(4), fc.nat(40), fc.nat(600)),
    insert,
  });
  return fc
    .record({
      source: fc.constantFrom(...sources),
      whole: fc.integer({ min: 0, max: 19 }),
      from: fc.nat(ANYWHERE),
      size: fc.nat(longest),
      edits: fc.array(edit, { maxLength: mostEdits }),
    })
    .map(({ source, whole, from, size, edits }) => {
      const start = whole === 0 || source.length <= longest ? 0 : from % source.length;
      let text = source.slice(start, start + (whole === 0 ? 40 * longest : Math.max(size, longest >> 3)));
      for (const one of edits) text = edited(text, one);
      return text;
    });
}

function edited(text: string, { at, remove, insert }: Edit): string {
  const place = at % (text.length + 1);
  const inserted =
    typeof insert === 'string'
      ? insert
      : text
          .slice(insert.from % (text.length + 1))
          .slice(0, insert.size)
          .repeat(insert.times);
  return text.slice(0, place) + inserted + text.slice(place + remove);
}
