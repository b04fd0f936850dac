/** The screen of a terminal, as far as the program steers one: enough to see what a person would see. Strict: a sequence
 * that is not known here is a fault. */
export class Screen {
  readonly lines: string[][] = [[]];
  columns: number;
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    for (const [token] of text.matchAll(/\x1b\[[0-9;?]*[A-Za-z]|./gsu)) this.#take(token);
  }

  /** What stands there, without empty lines at the end. */
  get text(): string {
    return this.lines
      .map((line) => line.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  #take(token: string): void {
    if (token === '\r') this.#column = 0;
    else if (token === '\n') this.#down();
    else if (token === '\x1b[2K') this.lines[this.#row] = [];
    else if (token === '\x1b[J')
      this.lines.splice(this.#row, this.lines.length, this.lines[this.#row].slice(0, this.#column));
    else if (/^\x1b\[\d+A$/.test(token)) this.#row -= Number(token.slice(2, -1));
    else if (token < ' ' || token === '\x7f') throw new Error(`the terminal was steered by ${JSON.stringify(token)}`);
    else this.#put(token);
    if (this.#row < 0) throw new Error('above the screen');
  }

  #put(character: string): void {
    if (this.#column === this.columns) this.#down();
    while (this.lines[this.#row].length < this.#column) this.lines[this.#row].push(' ');
    this.lines[this.#row][this.#column++] = character;
  }

  #down(): void {
    this.#row++;
    this.#column = 0;
    this.lines[this.#row] ??= [];
  }
}
