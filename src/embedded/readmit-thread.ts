/** The thread that reads held answers again for their links: see `readmit.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { ArchiveReader, bodyOf } from '../corpus/archive-reader.js';
import type { HeldAnswer } from '../corpus/held-answers.js';
import type { DecodeCaps } from '../fetch/decode.js';
import { readDocument } from '../parse/documents.js';
import { LinkCollector, LinkFlag } from '../parse/links.js';
import { parseSitemap } from '../parse/sitemap.js';
import { documentOf } from '../parse/stage.js';
import type { PackedLinks } from '../url/packed-links.js';
import { LinkScreen, type Screened } from '../workers/link-screen.js';
import type { WorkerSettings } from '../workers/messages.js';

export interface ReadmitThreadData {
  paths: [id: number, path: string][];
  screen: Pick<WorkerSettings, 'keyOptions' | 'secret' | 'scope' | 'traps'>;
  caps: DecodeCaps;
  agent: string;
}

/** The links of each answer, in one buffer: those of the i-th lie from `ends[i - 1]` to `ends[i]`. */
export interface ReadLinks {
  ends: number[];
  /** Why others were refused where they were found. */
  refused: string[];
  links: PackedLinks;
}

const { paths, screen: settings, caps, agent } = workerData as ReadmitThreadData;
const archive = new ArchiveReader(new Map(paths));
const screen = new LinkScreen(settings);

async function screened({ kind, target, record }: HeldAnswer): Promise<Screened | null> {
  const held = archive.record(record);
  const answer = held.type === 'response' ? await bodyOf(held, caps) : null;
  if (answer === null) return null;
  const { headers } = answer.http;
  if (kind === 'redirect') {
    const to = new LinkCollector(1);
    to.add(headers.get('Location') ?? '', LinkFlag.anchor);
    return screen.page(to.finish(), target, 'utf-8');
  }
  const contentType = headers.get('Content-Type') ?? undefined;
  if (kind === 'sitemap') return screen.sitemap(parseSitemap(answer.body, { url: target, contentType }), target);
  const { mediaType, input } = documentOf(answer.body, target, headers, agent);
  const reading = readDocument(mediaType, input);
  return reading?.robots.follow ? screen.page(reading.links, reading.base, reading.charset) : null;
}

parentPort!.on('message', async (answers: readonly HeldAnswer[]) => {
  const ends: number[] = [];
  const refused = new Set<string>();
  for (const answer of answers) {
    const links = await screened(answer);
    for (const reason of Object.keys(links?.refused ?? {})) refused.add(reason);
    ends.push(screen.packer.count);
  }
  parentPort!.postMessage({ ends, refused: [...refused], links: screen.packer.take() } satisfies ReadLinks);
});
