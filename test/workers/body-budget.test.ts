import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FetchResult } from '../../src/fetch/http.js';
import { BodyBudget, giveBack } from '../../src/workers/body-budget.js';
import { SharedState } from '../../src/workers/messages.js';

const LIMIT = 1000;
/** More than is received whatever the budget says. */
const MUCH = 20_000;
const body = (bytes: number, payload = Buffer.alloc(0)) => ({ payload, body: Buffer.alloc(bytes) }) as FetchResult;

function twoWorkers() {
  const shared = new SharedState(2);
  const own = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)];
  const [one, two] = own.map((words, worker) => new BodyBudget(shared, words, LIMIT, worker));
  return { shared, own, one, two };
}

/** Decodes a body, as the client does; `granted` says when. */
async function decode(budget: BodyBudget, name: string, bytes: number, granted: string[]): Promise<FetchResult> {
  const reader = { name };
  await budget.turn(reader);
  granted.push(name);
  const result = body(bytes);
  budget.delivered(reader, 0, result);
  return result;
}

test('past the budget the process decodes one body at a time, each gets its turn, and what is decoded stays within it but for one body', async () => {
  const { shared, one, two } = twoWorkers();
  const granted: string[] = [];
  const results = ['a', 'b', 'c', 'd', 'e'].map((name, i) => decode(i === 4 ? two : one, name, 900, granted));
  await sleep(60);
  expect(granted).toEqual(['a', 'e', 'b']); // e began while there was room, in the other worker; b had the turn
  expect(shared.bodies).toBe(2700);
  one.drop(await results[0]);
  await sleep(60);
  expect(granted.length).toBe(3);
  one.drop(await results[1]);
  await sleep(60);
  expect(granted).toEqual(['a', 'e', 'b', 'c', 'd']); // c had room, d the turn
  for (const i of [2, 3]) one.drop(await results[i]);
  two.drop(await results[4]);
  expect(shared.bodies).toBe(0);
});

test('past the budget one body is received in the process, until nothing is left of it, and then the next', () => {
  const { shared, one, two } = twoWorkers();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name }));
  one.take(LIMIT);
  expect([one.mayReceive(a, MUCH), two.mayReceive(b, MUCH)]).toEqual([true, true]); // up to the budget
  one.take(1);
  expect([one.mayReceive(a, MUCH), one.mayReceive(c, MUCH), two.mayReceive(b, MUCH), one.mayReceive(a, MUCH)]).toEqual([
    ...[true, false, false, true],
  ]);
  const result = body(LIMIT + 1);
  one.delivered(a, LIMIT + 1, result);
  expect([one.mayReceive(c, MUCH), two.mayReceive(b, MUCH)]).toEqual([false, false]); // it is here, and waits to be read
  const text = {};
  one.pass(result, text, LIMIT + 500);
  expect([shared.bodies, two.mayReceive(b, MUCH)]).toEqual([LIMIT + 500, false]); // it was read, its text is not kept yet
  two.take(LIMIT);
  one.drop(text);
  expect([shared.bodies, two.mayReceive(b, MUCH)]).toEqual([LIMIT, true]);
  two.take(1);
  expect([two.mayReceive(b, MUCH), one.mayReceive(c, MUCH)]).toEqual([true, false]);
  two.delivered(b, LIMIT + 1, body(0));
  expect([shared.bodies, one.mayReceive(c, MUCH)]).toEqual([0, true]);
});

test('a small body is received whatever the budget says', () => {
  const { one, two } = twoWorkers();
  one.take(LIMIT + 1);
  expect([one.mayReceive({}, MUCH), one.mayReceive({}, 10_000), two.mayReceive({}, 10_000)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(two.mayReceive({}, MUCH)).toBe(false);
});

test('a turn goes on to another when its server sends no more, unless there is too much already', async () => {
  const { one, two } = twoWorkers();
  const [silent, lively] = [{}, {}];
  one.take(LIMIT + 1);
  expect([one.mayReceive(silent, MUCH), two.mayReceive(lively, MUCH)]).toEqual([true, false]);
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 60 && !two.mayReceive(lively, MUCH); i++) await sleep(20);
  };
  await turns();
  expect([two.mayReceive(lively, MUCH), one.mayReceive(silent, MUCH)]).toEqual([true, false]);
  for (let i = 0; i < 40; i++) {
    await sleep(20);
    expect([one.mayReceive(silent, MUCH), two.mayReceive(lively, MUCH)]).toEqual([false, true]);
  }
  two.take(20 << 20); // it has sent so much that nobody may follow it
  await sleep(1_200);
  expect(one.mayReceive(silent, MUCH)).toBe(false);
});

test('who receives past the budget is decoded before those that waited longer, and they follow', async () => {
  const { shared, one } = twoWorkers();
  const [held, large] = [{}, {}];
  one.take(LIMIT + 1);
  expect(one.mayReceive(large, MUCH)).toBe(true);
  one.take(30 << 20); // so much that the turn cannot be passed on
  const granted: string[] = [];
  const small = decode(one, 'small', 10, granted);
  await sleep(30);
  await one.turn(large);
  granted.push('large');
  const result = body(5);
  one.delivered(large, 30 << 20, result);
  await sleep(30);
  expect(granted).toEqual(['large']);
  one.drop(result);
  one.drop(await small);
  one.delivered(held, LIMIT + 1, body(0));
  expect([granted, shared.bodies]).toEqual([['large', 'small'], 0]);
});

test('a body that was not coded counts once', () => {
  const { shared, one } = twoWorkers();
  const payload = Buffer.alloc(300);
  const plain = { payload, body: payload.subarray(0, 300) } as FetchResult;
  one.delivered({}, 0, plain);
  expect(shared.bodies).toBe(300);
  one.drop(plain);
  expect(shared.bodies).toBe(0);
});

test('what a thread held when it died is given back, so that crashes never use the budget up, nor its turns', async () => {
  const { shared, own, one, two } = twoWorkers();
  const [a, b] = [{}, {}];
  one.take(400);
  one.delivered({}, 0, body(700));
  two.take(50);
  expect([one.mayReceive(a, MUCH), two.mayReceive(b, MUCH)]).toEqual([true, false]);
  await one.turn(a);
  giveBack(shared, own[0]);
  shared.endTurns(0);
  expect([shared.bodies, two.mayReceive(b, MUCH)]).toEqual([50, true]);
  giveBack(shared, own[0]);
  expect(shared.bodies).toBe(50);
  two.take(LIMIT);
  expect([two.mayReceive(b, MUCH), two.turn(b)]).toEqual([true, null]); // past the budget: the turns are free
});
