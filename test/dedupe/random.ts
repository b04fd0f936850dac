/** Seeded random 32-bit words (xoshiro128**). */
export function randomWords(count: number, seed: number): Uint32Array {
  const state = [seed ^ 0x9e3779b9, seed ^ 0x243f6a88, seed ^ 0xb7e15162, seed ^ 0xdeadbeef];
  const rotate = (x: number, by: number) => (x << by) | (x >>> (32 - by));
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] = Math.imul(rotate(Math.imul(state[1], 5), 7), 9);
    const t = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate(state[3], 11);
  }
  return words;
}
