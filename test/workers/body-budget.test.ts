import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FetchResult } from '../../src/fetch/http.js';
import { BodyBudget, giveBack } from '../../src/workers/body-budget.js';
import { SharedState } from '../../src/workers/messages.js';

const LIMIT = 1000;
const body = (bytes: number, payload = Buffer.alloc(0)) => ({ payload, body: Buffer.alloc(bytes) }) as FetchResult;

function twoWorkers() {
  const shared = new SharedState(2);
  const own = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)];
  const [one, two] = own.map((words) => new BodyBudget(shared, words, LIMIT));
  return { shared, own, one, two };
}

/** Decodes a body, as the client does; `granted` says when. */
function decode(budget: BodyBudget, name: string, bytes: number, granted: string[]): Promise<FetchResult> {
  const turn = budget.turn() ?? Promise.resolve();
  return turn.then(() => {
    granted.push(name);
    const result = body(bytes);
    budget.keep(result);
    budget.turnEnded();
    return result;
  });
}

test('past the budget a worker decodes one body at a time, each gets its turn, and what is decoded stays within it but for one body', async () => {
  const { shared, one } = twoWorkers();
  const granted: string[] = [];
  const results = ['a', 'b', 'c', 'd'].map((name) => decode(one, name, 900, granted));
  await sleep(60);
  expect(granted).toEqual(['a', 'b']); // b began while there was room
  expect(shared.bodies).toBe(1800);
  one.drop(await results[0]);
  await sleep(60);
  expect(granted).toEqual(['a', 'b', 'c']);
  one.drop(await results[1]);
  one.drop(await results[2]);
  one.drop(await results[3]);
  expect([granted, shared.bodies]).toEqual([['a', 'b', 'c', 'd'], 0]);
});

test('a worker with nothing decoded goes on though another has spent the budget; with something it waits for room there', async () => {
  const { shared, one, two } = twoWorkers();
  const large = body(5000);
  one.keep(large);
  const granted: string[] = [];
  const first = await decode(two, 'first', 10, granted);
  const second = decode(two, 'second', 10, granted);
  await sleep(60);
  expect(granted).toEqual(['first']);
  one.drop(large);
  two.drop(await second);
  two.drop(first);
  expect([granted, shared.bodies]).toEqual([['first', 'second'], 0]);
});

test('a body that was not coded counts once', () => {
  const { shared, one } = twoWorkers();
  const payload = Buffer.alloc(300);
  const plain = { payload, body: payload.subarray(0, 300) } as FetchResult;
  one.keep(plain);
  expect(shared.bodies).toBe(300);
  one.drop(plain);
  expect(shared.bodies).toBe(0);
});

test('what a thread held when it died is given back, so that crashes never use the budget up', () => {
  const { shared, own, one, two } = twoWorkers();
  expect(one.take(400)).toBe(true);
  one.keep(body(700));
  expect(two.take(50)).toBe(false);
  giveBack(shared, own[0]);
  expect([shared.bodies, two.hasRoom()]).toEqual([50, true]);
  giveBack(shared, own[0]);
  expect(shared.bodies).toBe(50);
});
