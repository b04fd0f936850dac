import { ArchiveReader } from '../corpus/archive-reader.js';
import { segmentPaths } from '../corpus/segment-paths.js';
import { storedAnswer } from '../corpus/stored-answer.js';
import { lookInto } from '../embedded/look.js';
import { notKnown } from '../embedded/operate.js';
import { standingOf } from '../embedded/url-state.js';
import { OUTCOMES, UserError } from '../errors.js';
import { isTextual } from '../fetch/http-entity.js';
import { mediaTypeIn } from '../fetch/http-headers.js';
import { decode, sniffCharset } from '../parse/charset.js';
import { formatSize } from '../units.js';
import type { Arguments, CommandSpec } from './arguments.js';
import { DIR_FLAG, type ExitCode, requireDir, type World } from './command.js';
import { howItStands } from './retry.js';
import { clean, cleanLine } from './terminal.js';

export const spec: CommandSpec = {
  name: 'show',
  says: 'The last stored answer of one URL, out of the archive: its body as it came, or its status and headers.',
  operands: '[URL]',
  mostOperands: 1,
  flags: [DIR_FLAG, { name: 'head', says: 'The status line and the headers, not the body.' }],
  options: [],
  examples: [
    [
      'saunter show https://example.org/ --dir saunter-example.org',
      'Its HTML, with nothing in it that steers the terminal.',
    ],
    ['saunter show https://example.org/a.pdf --dir saunter-example.org > a.pdf', 'The bytes, as they came.'],
    ['saunter show https://example.org/ --dir saunter-example.org --head', 'What the server said about it.'],
  ],
  notes: [
    'Transfer and content codings (gzip) are undone. To a file or a pipe go the bytes alone; on a terminal text is decoded, and its ' +
      'control characters are replaced. Also while the crawl runs. saunter list visits --url URL has all visits, saunter export the text.',
  ],
};

/** Characters in which a NUL says that something is no text. */
const LOOKED_AT = 8192;

export async function run(args: Arguments, { terminal }: World): Promise<ExitCode> {
  const [url] = args.operands;
  if (url === undefined) throw new UserError('Which URL? saunter show URL --dir DIR.', 2);
  return lookInto(requireDir(args), async (reader, folders): Promise<ExitCode> => {
    const standing = standingOf(reader, url);
    if (standing === null) throw notKnown(cleanLine(url));
    const answer = await storedAnswer(reader, new ArchiveReader(segmentPaths(reader, folders)), standing.id);
    if (answer === null) throw new UserError(`There is no answer of ${cleanLine(url)}. ${howItStands(standing)}`);
    const { http, body, isCut, visit } = answer;
    const when = new Date(visit.at).toISOString();
    terminal.say(`${visit.finalUrl ?? url}: ${http.status}, ${formatSize(body.length)}, ${when}.`);
    if (args.flags.has('head')) {
      terminal.print(clean(http.head.toString('latin1').replaceAll('\r\n', '\n').trimEnd()));
      return 0;
    }
    if (body.length === 0 && visit.code.startsWith('body.'))
      throw new UserError(
        `No body was kept: ${cleanLine(url)} ${OUTCOMES[visit.code].words} (${visit.code}); --head shows what came.`,
      );
    const whole = (): ExitCode => {
      if (!isCut) return 0;
      terminal.error(
        `Only the first ${formatSize(body.length)} were written; the whole answer is in the archive (warc/).`,
      );
      return 1;
    };
    if (!terminal.showsResults) {
      await terminal.printBytes(body);
      return whole();
    }
    const contentType = http.headers.all('Content-Type').at(-1);
    const mediaType = mediaTypeIn(contentType ?? null);
    const { charset, bomLength } = sniffCharset(body, contentType);
    const text = isTextual(mediaType) ? decode(body.subarray(bomLength), charset) : null;
    if (text === null || text.slice(0, LOOKED_AT).includes('\0'))
      throw new UserError(
        `This is ${cleanLine(mediaType) || 'no text'}, ${formatSize(body.length)}: send it to a file (> FILE).`,
      );
    terminal.print(clean(text.replaceAll('\r\n', '\n').trimEnd()));
    return whole();
  });
}
