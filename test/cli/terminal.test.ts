import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, cleanLine, Terminal } from '../../src/cli/terminal.js';
import { Kept } from './process.js';

describe('text from the web', () => {
  it.each([
    ['\x1b[2Jgone', '\ufffd[2Jgone'],
    ['\x9b31mred', '\ufffd31mred'],
    ['a\rb', 'a\ufffdb'],
    ['a\x07\x08\x7f', 'a\ufffd\ufffd\ufffd'],
    ['user\u202Egpj.exe', 'user\ufffdgpj.exe'],
    ['a\u200Bb\u2066c\u061C', 'a\ufffdb\ufffdc\ufffd'],
    ['\ud800x', '\ufffdx'],
    ['tag\u{E0041}', 'tag\ufffd'],
    ['Grüße, 世界 🙂\tok\n', 'Grüße, 世界 🙂\tok\n'],
  ])('%j cannot steer a terminal', (text, cleaned) => {
    expect(clean(text)).toBe(cleaned);
  });

  it('holds no control character afterwards, and stays on its line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(clean(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(cleanLine(text)).not.toMatch(/[\n\t]/);
        expect(clean(clean(text))).toBe(clean(text));
      }),
    );
  });
});

describe('the terminal', () => {
  it('is redrawn at most ten times a second, and below what else is said', () => {
    const [out, err] = [new Kept(true), new Kept(true)];
    const terminal = new Terminal(out, err, {});
    terminal.progress('one', 0);
    terminal.progress('two', 50);
    terminal.progress('three', 100);
    terminal.say('Note.');
    expect(err.text).toBe('\r\x1b[2Kone\r\x1b[2Kthree\r\x1b[2KNote.\nthree');
  });

  it('keeps the progress on one line of the screen', () => {
    const err = new Kept(true);
    err.columns = 10;
    new Terminal(new Kept(), err, {}).progress('x'.repeat(50), 0);
    expect(err.text).toBe(`\r\x1b[2K${'x'.repeat(6)}...`);
  });

  it('that says that it has no columns is taken for one of 80', () => {
    const err = new Kept(true);
    err.columns = 0;
    const terminal = new Terminal(new Kept(), err, {});
    expect(terminal.size).toMatchObject({ columns: 80, rows: 24 });
    for (const at of [0, 1000]) terminal.progress('x'.repeat(100), at);
    expect(err.text).toBe(`\r\x1b[2K${'x'.repeat(76)}...`.repeat(2));
  });

  it('is coloured only where colour is wanted', () => {
    const bold = (tty: boolean, env: NodeJS.ProcessEnv) => new Terminal(new Kept(tty), new Kept(), env).bold('x');
    expect(bold(true, {})).toBe('\x1b[1mx\x1b[22m');
    expect([bold(false, {}), bold(true, { NO_COLOR: '1' }), bold(true, { TERM: 'dumb' })]).toEqual(['x', 'x', 'x']);
  });

  it('drops results that nobody reads, and reports other faults of its output', () => {
    const [out, err] = [new Kept(), new Kept()];
    const terminal = new Terminal(out, err, {});
    out.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }));
    terminal.print('lost');
    expect([terminal.closed, out.text, err.text]).toEqual([
      true,
      '',
      'Standard output cannot be written: disk full.\n',
    ]);
    err.emit('error', new Error('gone'));
  });
});
