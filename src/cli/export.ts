import { existsSync } from 'node:fs';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  exportInto,
  exportTo,
  TEXT_FORMATS,
} from '../corpus/export.js';
import { type NoPages, whyNoPages } from '../corpus/no-pages.js';
import { EVERY_PAGE, type PageFilter } from '../corpus/page-filter.js';
import { lookInto } from '../embedded/look.js';
import { systemClock } from '../engines/system.js';
import { UserError } from '../errors.js';
import { counted, formatCount } from '../units.js';
import { version } from '../version.js';
import { type Arguments, type CommandSpec, DIR_OPERAND, listOf } from './arguments.js';
import { DIR_ALONE_FLAG, type ExitCode, requireDir, type World } from './command.js';
import type { Terminal } from './terminal.js';
import { timeOf } from './times.js';

export const spec: CommandSpec = {
  name: 'export',
  says: 'The pages of a crawl, with their text, for other programs.',
  operands: DIR_OPERAND,
  mostOperands: 1,
  flags: [
    DIR_ALONE_FLAG,
    {
      name: 'format',
      value: EXPORT_FORMATS.join('|'),
      says: 'What to write. Default: what the ending of --out says; jsonl on standard output.',
    },
    {
      name: 'out',
      value: 'PATH',
      says: 'The file, or for markdown the folder. Default for jsonl and csv: standard output.',
    },
    {
      name: 'text',
      value: 'main|whole',
      says: 'markdown: the main text, or all but navigation, header, footer and asides. Default: main.',
    },
    {
      name: 'front-matter',
      value: 'full|lean',
      says: 'markdown: all facts, or title, URL, time and language. Default: full.',
    },
    { name: 'replace', says: 'markdown: the folder of an earlier export makes room once the new one is whole.' },
    { name: 'language', value: 'TAGS', says: 'Only pages in these languages, such as de,en; en takes en-GB too.' },
    { name: 'min-words', value: 'N', says: 'Only pages with at least so many words of text.' },
    { name: 'duplicates', value: 'keep|drop', says: 'Pages whose content another page has. Default: keep.' },
    { name: 'noindex', value: 'keep|drop', says: 'Pages that ask not to be indexed. Default: drop.' },
    {
      name: 'ai-preference',
      value: 'keep|drop|only',
      says: 'drop leaves out pages that object to AI; only takes pages that state any preference. Default: keep.',
    },
    { name: 'host', value: 'NAMES', says: 'Only pages of these hosts; *.example.org takes every host below it.' },
    { name: 'not-host', value: 'NAMES', says: 'No pages of these hosts.' },
    { name: 'since', value: 'TIME', says: 'Only pages fetched since then: a date such as 2026-01-31, or 7d for ago.' },
    { name: 'changed-since', value: 'TIME', says: 'Only pages that changed since then.' },
  ],
  options: [],
  examples: [
    ['saunter export --dir saunter-example.org --out pages.jsonl', 'One object for each page.'],
    ['saunter export --dir saunter-example.org --format markdown --out pages', 'A file for each page, by host.'],
    [
      'saunter export --dir saunter-example.org --format markdown --text whole --replace --out pages',
      'A faithful mirror, over the one of last time.',
    ],
    ['saunter export --dir saunter-example.org --out new.jsonl.gz --since 7d --min-words 50', 'What is new and long.'],
  ],
  notes: [
    'One page for each URL that has one, in the order in which they were fetched. A page whose content another one has ' +
      'names it in duplicateOf, and has no text of its own. An export that is interrupted, or has no page, leaves nothing under its name. ' +
      'Exit code 0, also if no page was wanted (standard error says which option left out the last); 1 if it failed.',
  ],
};

export const stops = true;

export async function run(args: Arguments, { terminal, signal }: World): Promise<ExitCode> {
  const { flags } = args;
  const out = flags.get('out');
  const format = formatOf(flags.get('format'), out);
  if (out === undefined && !TEXT_FORMATS.has(format)) {
    throw new UserError(`The format ${format} needs --out: name the ${format === 'markdown' ? 'folder' : 'file'}.`, 2);
  }
  for (const flag of MARKDOWN_FLAGS) {
    if (flags.has(flag) && format !== 'markdown') throw new UserError(`--${flag} goes with --format markdown.`, 2);
  }
  const now = systemClock.wall();
  const options: ExportOptions = {
    format,
    markdown: {
      text: choice(flags, 'text', ['main', 'whole'], 'main'),
      frontMatter: choice(flags, 'front-matter', ['full', 'lean'], 'full'),
    },
    replaces: flags.has('replace'),
    filter: filterOf(flags, now),
    ...{ software: `Saunter/${version()}`, now },
    isStopped: () => signal.aborted || terminal.closed,
    onProgress: (share, pages) => progress(terminal, share, pages),
  };
  return lookInto(requireDir(args), async (reader, paths) => {
    if (out === undefined) {
      const pages = await exportInto(standardOutput(terminal), reader, paths, options);
      if (pages === 0) terminal.error(nothing(whyNoPages(reader, options.filter), flags));
      return signal.aborted ? 130 : 0;
    }
    const pages = await exportTo(out, reader, paths, { ...options, unlessEmpty: true });
    if (pages === null) return 130;
    const kept = existsSync(out) ? `${out} is as it was` : `${out} was not written`;
    if (pages === 0) terminal.error(`${nothing(whyNoPages(reader, options.filter), flags)} ${kept}.`);
    else terminal.say(`${counted(pages, 'page')} in ${out}.`);
    return 0;
  });
}

const MARKDOWN_FLAGS = ['text', 'front-matter', 'replace'];

/** Whoever exports nothing wants to know why. */
function nothing({ pages, left, by }: NoPages, flags: Flags): string {
  if (pages === 0) return 'No page was exported: the crawl has none yet.';
  const filters = by.map((name) => FILTERS[name]).filter((flag) => flags.has(flag) || flag === 'noindex');
  const words = filters.map((flag) => `--${flag} ${flags.get(flag) ?? 'drop'}`).join(' and ') || 'the filters';
  const which = left === pages ? (left === 1 ? 'the only page' : `all ${formatCount(left)} pages`) : `the ${formatCount(left)} of ${counted(pages, 'page')} that the others left`; // biome-ignore format: short
  return `No page was exported: ${words} left out ${which}.`;
}

/** The flag of each filter. */
const FILTERS: Readonly<Record<keyof PageFilter, string>> = {
  ...{ hosts: 'host', notHosts: 'not-host', noindex: 'noindex', duplicates: 'duplicates', since: 'since' },
  ...{ changedSince: 'changed-since', languages: 'language', minWords: 'min-words', aiPreference: 'ai-preference' },
};

function progress(terminal: Terminal, share: number, pages: number): void {
  terminal.progress(`Exporting: ${Math.floor(share * 100)}% · ${counted(pages, 'page')}`, performance.now());
}

/** Lines end in the newline that the terminal adds. */
function standardOutput(terminal: Terminal) {
  return {
    write: (text: string | Uint8Array) => terminal.printOne(String(text).replace(/\n$/, '')),
  };
}

/** The format that was named, or that the ending of the file tells.
 * @throws UserError (usage) for one that there is not, and for an ending that tells none */
function formatOf(given: string | undefined, out: string | undefined): ExportFormat {
  if (given === undefined) {
    if (out === undefined) return 'jsonl';
    const byLength = [...EXPORT_FORMATS].sort((a, b) => b.length - a.length);
    const told = byLength.find((format) => out.endsWith(`.${format}`) || out.endsWith(`.${format}.gz`));
    if (told !== undefined) return told;
    throw new UserError(`The ending of ${out} tells no format: give --format, one of ${EXPORT_FORMATS.join(', ')}.`, 2);
  }
  const found = EXPORT_FORMATS.find((format) => format === given);
  if (found === undefined) {
    throw new UserError(`There is no export format "${given}": choose one of ${EXPORT_FORMATS.join(', ')}.`, 2);
  }
  return found;
}

type Flags = Arguments['flags'];

function filterOf(flags: Flags, now: number): PageFilter {
  return {
    languages: languages(flags),
    minWords: count(flags, 'min-words'),
    duplicates: choice(flags, 'duplicates', ['keep', 'drop'], EVERY_PAGE.duplicates),
    noindex: choice(flags, 'noindex', ['keep', 'drop'], EVERY_PAGE.noindex),
    aiPreference: choice(flags, 'ai-preference', ['keep', 'drop', 'only'], EVERY_PAGE.aiPreference),
    hosts: listOf(flags.get('host')),
    notHosts: listOf(flags.get('not-host')),
    since: timeOf(flags, 'since', now),
    changedSince: timeOf(flags, 'changed-since', now),
  };
}

/** @throws UserError (usage) for what cannot be a tag, such as the name of a language */
function languages(flags: Flags): string[] {
  const tags = listOf(flags.get('language'));
  const wrong = tags.find((tag) => !/^[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*$/i.test(tag));
  if (wrong === undefined) return tags;
  throw new UserError(`--language cannot be "${wrong}": give tags such as de or en-GB, with commas between them.`, 2);
}

function count(flags: Flags, name: string): number {
  const value = flags.get(name) ?? '0';
  if (!/^\d{1,9}$/.test(value)) throw new UserError(`--${name} cannot be "${value}": give a whole number.`, 2);
  return Number(value);
}

function choice<T extends string>(flags: Flags, name: string, choices: readonly T[], initial: T): T {
  const value = flags.get(name) ?? initial;
  const found = choices.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UserError(`--${name} cannot be "${value}": give one of ${choices.join(', ')}.`, 2);
}
