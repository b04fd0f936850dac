import { expect, test } from 'vitest';
import { type Batch, noChanges } from '../../src/changes.js';
import { MemoryStore } from '../../src/engines/memory.js';
import { BatchError, FencedError, type Store } from '../../src/engines/ports.js';
import { UserError } from '../../src/errors.js';
import { Batches } from '../../src/state/batches.js';

const OPTIONS = { time: 200, changes: 10, pressure: 20 };

/** Batches over a store, an archive and an index that write down what they are told, in `trace`. Each step takes a turn
 * of the loop, and the one that is `broken` fails. */
async function recorded(
  over: { commit?: (batch: Batch, store: MemoryStore) => Promise<'committed' | 'already'> } = {},
) {
  const trace: string[] = [];
  const memory = new MemoryStore();
  const broken = new Set<string>();
  const step = async (name: string): Promise<void> => {
    trace.push(`${name}...`);
    await new Promise((resolve) => setImmediate(resolve));
    if (broken.has(name.split(' ', 1)[0])) throw new UserError(`${name} failed`);
    trace.push(name);
  };
  const commit = over.commit ?? ((batch: Batch, store: MemoryStore) => store.commit(batch));
  const store = Object.create(memory, {
    commit: {
      value: async (batch: Batch) => {
        await step(`commit ${batch.sequence}`);
        return commit(batch, memory);
      },
    },
  }) as Store;
  const archive = { sync: (names: readonly string[]) => step(`sync ${names}`), recover: async () => [] };
  let length = 0;
  const append = async (lines: readonly string[]): Promise<number> => {
    await step(`index ${lines.length}`);
    length += lines.join('').length;
    return length;
  };
  const epoch = await memory.beginEpoch();
  const batches = new Batches({ store, archive, index: { append } }, epoch, noChanges(), OPTIONS);
  return { batches, memory, trace, broken };
}

const fact = (key: string): [string, string] => [key, 'x'];

test('segments and index lines are durable before the transaction that names them begins', async () => {
  const { batches, memory, trace } = await recorded();
  batches.open.meta.push(fact('a'));
  batches.archived('one.warc.gz', 'line\n');
  batches.archived('one.text.warc.gz', '');
  batches.archived('one.warc.gz', 'line\n');
  await batches.commit();
  const begins = trace.indexOf('commit 1...');
  expect(trace.slice(0, begins).sort()).toEqual([
    'index 2',
    'index 2...',
    'sync one.warc.gz,one.text.warc.gz',
    'sync one.warc.gz,one.text.warc.gz...',
  ]);
  expect(memory.meta('index.length')).toBe('10');
});

test.each(['sync', 'index'])(
  'where %s fails, nothing is committed, and nothing that follows is either',
  async (what) => {
    const { batches, memory, trace, broken } = await recorded();
    broken.add(what);
    batches.open.meta.push(fact('a'));
    batches.archived('one.warc.gz', 'line\n');
    await expect(batches.commit()).rejects.toThrow(`${what} `);
    broken.clear();
    batches.open.meta.push(fact('b'));
    await expect(batches.flush()).rejects.toThrow(BatchError);
    expect([memory.meta('a'), memory.meta('b'), memory.lastBatch()[1]]).toEqual([null, null, 0]);
    expect(trace.filter((entry) => entry.startsWith('commit 1'))).toEqual([]);
  },
);

test('a batch whose outcome is unknown is sent again unchanged, and is in the store once', async () => {
  const sent: string[] = [];
  const { batches, memory } = await recorded({
    commit: async (batch, store) => {
      sent.push(JSON.stringify(batch));
      const answer = await store.commit(batch);
      // it was kept, and the answer is lost on the way
      if (sent.length < 3) throw new Error('connection lost');
      return answer;
    },
  });
  batches.open.hosts.push({ id: 0, name: 'a.test', domain: 'a.test', named: true, budget: null, at: 1 });
  const told: number[] = [];
  batches.onCommitted = (changes) => told.push(changes.hosts.length);
  await batches.commit();
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  expect([memory.count('hosts'), told]).toEqual([1, [1]]);
  batches.open.meta.push(fact('next'));
  await batches.commit();
  expect(memory.lastBatch()[1]).toBe(2);
});

test.each([
  ['a newer owner', new FencedError('fenced'), 1],
  ['a full disk', new UserError('full'), 1],
  ['a batch that breaks the rules', new BatchError('unfit'), 1],
  ['anything else, three times', new Error('unknown'), 3],
])('%s ends the sending', async (_, error, times) => {
  let sent = 0;
  const { batches } = await recorded({
    commit: async () => {
      sent++;
      throw error;
    },
  });
  const told: unknown[] = [];
  batches.onCommitted = (changes) => told.push(changes);
  batches.open.meta.push(fact('a'));
  await expect(batches.commit()).rejects.toBe(error);
  expect([sent, told, batches.isCommitting]).toEqual([times, [], false]);
});

test('what is decided during a commit goes into the next batch', async () => {
  const { batches, memory } = await recorded();
  batches.open.meta.push(fact('a'));
  const first = batches.commit();
  batches.open.meta.push(fact('b'));
  expect([batches.isCommitting, memory.meta('a')]).toEqual([true, null]);
  await expect(batches.commit()).rejects.toThrow('under way');
  await batches.flush();
  await first;
  expect([memory.meta('a'), memory.meta('b'), memory.lastBatch()[1]]).toEqual(['x', 'x', 2]);
  await batches.flush();
  expect(memory.lastBatch()[1]).toBe(2);
});

test('a batch is due after its time, or at once when it is large, and presses only while a commit is under way', async () => {
  const { batches } = await recorded();
  expect(batches.dueAt(1000)).toBe(Number.POSITIVE_INFINITY);
  batches.open.meta.push(fact('a'));
  expect([batches.dueAt(1000), batches.dueAt(1100)]).toEqual([1200, 1200]);
  for (let i = 0; i < 9; i++) batches.open.meta.push(fact(`b${i}`));
  expect(batches.dueAt(1101)).toBe(1101);
  expect(batches.isBehind).toBe(false);
  const commit = batches.commit();
  expect(batches.dueAt(1102)).toBe(Number.POSITIVE_INFINITY);
  for (let i = 0; i < 21; i++) batches.open.meta.push(fact(`c${i}`));
  expect(batches.isBehind).toBe(true);
  await commit;
  expect(batches.isBehind).toBe(false);
});

test('a batch is told what it may still add before it is sealed', async () => {
  const { batches, memory } = await recorded();
  batches.onSeal = (changes) => changes.meta.push(['refused', '{"scope":3}']);
  batches.open.meta.push(fact('a'));
  await batches.commit();
  expect(memory.meta('refused')).toBe('{"scope":3}');
});
