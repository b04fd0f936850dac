import { defineConfig } from 'vitest/config';

/** Where `.ci/run` wants a report of what ran. */
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    setupFiles: ['test/generated-cases.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // The built program runs as it is: to translate its modules again took 6 s in every file that starts it.
    server: { deps: { external: [/\/dist\//] } },
    // The machine that counts has 2 cores, and tests of politeness read clocks: no more workers than that.
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
