import { UserError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { Arguments, CommandSpec } from './arguments.js';
import type { ExitCode, World } from './command.js';
import { SHELLS, type Shell } from './completion-scripts.js';

const NAMES = Object.keys(SHELLS) as Shell[];

export const spec: CommandSpec = {
  name: 'completion',
  says: 'A script that lets a shell complete commands, options and their values.',
  operands: NAMES.join('|'),
  mostOperands: 1,
  flags: [],
  options: [],
  examples: [
    ['eval "$(saunter completion bash)"', 'In ~/.bashrc.'],
    ['saunter completion zsh > ~/.zfunc/_saunter', 'In a folder of $fpath, before compinit.'],
    ['saunter completion fish > ~/.config/fish/completions/saunter.fish', 'Found there by itself.'],
  ],
};

export async function run({ operands }: Arguments, { terminal, commands }: World): Promise<ExitCode> {
  const [name] = operands;
  const shell = NAMES.find((known) => known === name);
  if (shell === undefined) {
    const near = name === undefined ? null : nearest(name, NAMES);
    const said = name === undefined ? 'For which shell?' : `There is no completion for "${name}"${near === null ? '' : `; the nearest is ${near}`}:`; // biome-ignore format: short
    throw new UserError(`${said} saunter completion ${NAMES.join('|')}.`, 2);
  }
  terminal.print(SHELLS[shell](await commands()));
  return 0;
}
