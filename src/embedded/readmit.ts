/**
 * A crawl that goes on within wider limits: links that were refused before are found again by reading the held answers
 * anew, without a request, and go through admission (DESIGN 11).
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { UNREAD } from '../admit/admission.js';
import { countChanges } from '../changes.js';
import { type HeldAnswer, heldAnswers } from '../corpus/held-answers.js';
import { keyOptions } from '../corpus/normal-forms.js';
import { segmentPaths } from '../corpus/segment-paths.js';
import type { CrawlOptions, CrawlUi } from '../crawl-options.js';
import { metaOf } from '../store-meta.js';
import { counted } from '../units.js';
import { type Limits, limitsOf, widened } from './limits.js';
import type { OpenedCrawl } from './open.js';
import { productToken, trapLimits } from './parts.js';
import type { ReadLinks, ReadmitThreadData } from './readmit-thread.js';

const KEY = 'limits';
/** Refusals that were met while held answers were read again: they count as little as those that are met once more. */
const MET = 'limits.met';
const BATCH = 64;
/** ms that a batch may take. */
const PATIENCE = 120_000;
/** Changes after which they are committed. */
const COMMIT = 2_000;

/** Reads the held answers again if the limits are wider than those of the last run, or a host has more room, and links were
 * refused for that. Durable when it resolves; an interrupted one is begun anew by the next run. */
export async function readmit(opened: OpenedCrawl, options: CrawlOptions, ui: CrawlUi): Promise<void> {
  const { store, admission, batches, frontier } = opened;
  const now = limitsOf(options.config);
  const stored = store.meta(KEY);
  const text = JSON.stringify(now);
  const { meta } = batches.open;
  const isUnread = store.meta(UNREAD) === '1' || meta.some(([key, value]) => key === UNREAD && value === '1');
  if (stored === text && !isUnread) return;
  const met = metaOf<string[]>(store, MET, []);
  const refused = new Set([...Object.keys(admission.refusals.counts), ...met]);
  const wider = stored === null ? new Set<string>() : widened(metaOf<Limits>(store, KEY, now), now);
  if (isUnread) wider.add('budget');
  if ([...wider].some((reason) => refused.has(reason))) {
    ui.say('The limits are wider than before: the pages that are held are read again for links that were refused.');
    const known = frontier.urls.size;
    // what is refused again was counted when it was met
    const counts = { ...admission.refusals.counts };
    const outcome = await admitAgain(opened, options, refused).catch((error: Error) => error);
    for (const reason of Object.keys(admission.refusals.counts)) refused.add(reason);
    admission.refusals.reset(counts);
    if (outcome instanceof Error) ui.say(`They could not all be read: ${outcome.message}. The next run tries again.`);
    if (outcome !== true) return;
    ui.say(
      `${counted(frontier.urls.size - known, 'URL that was refused is known', 'URLs that were refused are known')} now.`,
    );
    batches.open.meta.push([MET, JSON.stringify([...refused])]);
  }
  batches.open.meta.push([KEY, text]);
  if (isUnread) batches.open.meta.push([UNREAD, '']);
}

/** @param refused takes in why links were refused where they were found; false if it was interrupted */
function admitAgain(opened: OpenedCrawl, options: CrawlOptions, refused: Set<string>): Promise<boolean> {
  const { admission, batches, crawl, land } = opened;
  const onLinks: OnLinks = (answer, links, from, to) => {
    const place = { url: answer.url, depth: answer.depth + (answer.kind === 'redirect' ? 0 : 1) };
    const inside = answer.address !== '' && land.guard.isOpened(answer.address);
    admission.links({ ...place, inside, level: answer.level }, links, from, to, crawl.now(), batches.open);
  };
  return readAll(opened, options, onLinks, refused);
}

type OnLinks = (answer: HeldAnswer, links: ReadLinks['links'], from: number, to: number) => void;

/** False if it was interrupted. */
async function readAll(
  opened: OpenedCrawl,
  options: CrawlOptions,
  onLinks: OnLinks,
  refused: Set<string>,
): Promise<boolean> {
  const { store, paths, batches, duplicates } = opened;
  const thread = new Worker(new URL('./readmit-thread.js', import.meta.url), {
    workerData: threadData(opened, options, [...segmentPaths(store, paths)]),
  });
  try {
    for (const chunk of heldAnswers(store, (visit) => duplicates.linkLevel(visit))) {
      for (let at = 0; at < chunk.length; at += BATCH) {
        if (options.signal.aborted) return false;
        const answers = chunk.slice(at, at + BATCH);
        thread.postMessage(answers);
        const [{ ends, links, refused: reasons }] = (await once(thread, 'message', {
          signal: AbortSignal.timeout(PATIENCE),
        })) as [ReadLinks];
        for (const reason of reasons) refused.add(reason);
        for (const [i, answer] of answers.entries()) {
          const from = i === 0 ? 0 : ends[i - 1];
          if (ends[i] > from) onLinks(answer, links, from, ends[i]);
        }
        if (countChanges(batches.open) >= COMMIT) await batches.flush();
      }
    }
    return true;
  } finally {
    await thread.terminate();
  }
}

function threadData(
  { land, secret }: OpenedCrawl,
  { config, userAgent }: CrawlOptions,
  paths: [id: number, path: string][],
): ReadmitThreadData {
  return {
    paths,
    screen: {
      ...{ keyOptions: keyOptions(config), secret, traps: trapLimits(config) },
      scope: { rules: [...land.scope.rules], fallback: land.fallback },
    },
    caps: {
      decoded: config['body.sitemap.decoded'],
      ...{ ratio: config['decode.ratio'], ratioFrom: config['decode.ratioFrom'] },
    },
    agent: productToken(userAgent),
  };
}
