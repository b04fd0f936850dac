/** What a check finds: how much it looked at, how much of it is wrong, and the first faults in words. */
export interface Check {
  name: string;
  /** Things looked at. */
  checked: number;
  faults: number;
  /** The first faults in words. */
  examples: string[];
}

const EXAMPLES = 10;

export class Finding implements Check {
  readonly name: string;
  checked = 0;
  faults = 0;
  readonly examples: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  fault(words: string): void {
    this.faults++;
    if (this.examples.length < EXAMPLES) this.examples.push(words);
  }

  expect(condition: boolean, words: () => string): void {
    this.checked++;
    if (!condition) this.fault(words());
  }
}
