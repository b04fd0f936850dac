/** What is wrong with a file, in words for a person. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
};

/** The reason that the system gave, as the end of "it cannot be read: ..."; its own text for what is not known here. */
export function fileFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && WORDS[code]) || message;
}

/** The same of a file that was to be made: where its folder is missing, that is what to say. */
export function writeFault(error: unknown, path: string): string {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return fileFault(error);
  const folder = dirname(path);
  return existsSync(folder) ? 'the system lets nobody make it there' : `there is no folder ${folder}`;
}
