/** Whether a config file that nobody named may be believed: it can name modules, which run as who starts the program. */
import { lstatSync, statSync } from 'node:fs';
import { UserError } from '../errors.js';

/** Of a file, and of the link to it where it is one. */
export interface Ownership {
  readonly uid: number;
  readonly mode: number;
}

const WRITABLE_BY_ALL = 0o002;

/**
 * @param file the file itself, and its name in the folder, which is another where it is a link
 * @param us who runs this program: our user, and under sudo the one who called it
 * @returns why it is not believed, as the end of "it ...", or null
 */
export function distrust(file: Ownership, name: Ownership, us: readonly number[]): string | null {
  const trusted = [0, ...us];
  for (const { uid } of [file, name]) {
    if (!trusted.includes(uid)) return `belongs to another user (${uid})`;
  }
  return file.mode & WRITABLE_BY_ALL ? 'can be written by every user of this machine' : null;
}

/** Systems without users trust every file.
 * @throws UserError (usage) for a file of another user, and one that everybody may write to */
export function refuseStranger(path: string): void {
  const ours = process.geteuid?.();
  if (ours === undefined) return;
  const caller = ours === 0 && /^\d+$/.test(process.env.SUDO_UID ?? '') ? [Number(process.env.SUDO_UID)] : [];
  const why = distrust(statSync(path), lstatSync(path), [ours, ...caller]);
  if (why === null) return;
  throw new UserError(
    `The config file ${path} of this folder ${why}, and could run programs as you: it is not read unasked. ` +
      `Look into it, and name it to use it (--config ${path}); --config off goes without.`,
    2,
  );
}
