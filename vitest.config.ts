import { defineConfig } from 'vitest/config';

/** Where `.ci/run` wants a report of what ran. */
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    setupFiles: ['test/generated-cases.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // The machine that counts has 2 cores, and tests of politeness read clocks: no more workers than that.
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
