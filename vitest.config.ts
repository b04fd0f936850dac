import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where `.ci/run` wants a report of what ran. */
const report = process.env.TEST_REPORT;

/** Folders of tests that last, longest first: they begin before all others, so that none of them runs alone at the end. */
const LONG = ['test/kill', 'test/e2e', 'test/zoo', 'test/sim', 'test/browser', 'test/library', 'test/examples'];

/** The same order on every machine, whatever a cache remembers of earlier runs. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const path = relative(import.meta.dirname, moduleId);
      const place = LONG.findIndex((folder) => path.startsWith(folder));
      return place < 0 ? LONG.length : place;
    };
    return [...files].sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/generated-cases.ts'],
    include: ['test/**/*.test.ts'],
    // a machine that does other things too is no fault of a test's
    testTimeout: 60_000,
    // The built program runs as it is: to translate its modules again took 6 s in every file that starts it.
    server: { deps: { external: [/\/dist\//] } },
    // One process reads many files: a process of its own for each took a third of a second of each, 40 s in all.
    isolate: false,
    // One more than the machine that counts has cores: tests of politeness wait for most of their time.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
