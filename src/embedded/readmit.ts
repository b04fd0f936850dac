/**
 * A crawl that goes on within wider limits: links that were refused before are found again by reading the held answers
 * anew, without a request, and go through admission (DESIGN 11).
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { countChanges } from '../changes.js';
import type { Config } from '../config/config.js';
import { type HeldAnswer, heldAnswers } from '../corpus/held-answers.js';
import { keyOptions } from '../corpus/normal-forms.js';
import { segmentPaths } from '../corpus/segment-paths.js';
import type { CrawlOptions, CrawlUi } from '../crawl-options.js';
import { metaOf } from '../store-meta.js';
import { formatCount } from '../units.js';
import { isMoreOpen } from '../url/own-rules.js';
import type { OpenedCrawl } from './open.js';
import { productToken, trapLimits } from './parts.js';
import type { ReadLinks, ReadmitThreadData } from './readmit-thread.js';

/** The limits that a later run may widen. */
type Limits = Pick<Config, 'scope' | 'depth' | 'include' | 'exclude'> & Partial<Pick<Config, 'rules'>>;

const KEY = 'limits';
/** Refusals that wider limits may take back. */
const REASONS = ['scope', 'rules', 'include', 'exclude', 'depth'];
const REACH = ['prefix', 'host', 'domain', 'any'];
const BATCH = 64;
/** ms that a batch may take. */
const PATIENCE = 120_000;
/** Changes after which they are committed. */
const COMMIT = 2_000;

/** True if something may be within the limits now that was not before. */
export function isWider(before: Limits, now: Limits): boolean {
  const isSame = (a: readonly string[], b: readonly string[]): boolean => a.every((item) => b.includes(item));
  const wasIncluding = before.include.length > 0;
  return (
    now.depth > before.depth ||
    isMoreOpen(before.rules ?? [], now.rules ?? []) ||
    REACH.indexOf(now.scope) > REACH.indexOf(before.scope) ||
    (wasIncluding && (now.include.length === 0 || !isSame(now.include, before.include))) ||
    !isSame(before.exclude, now.exclude)
  );
}

/** Reads the held answers again if the limits are wider than those of the last run, and something was refused. Durable
 * when it resolves; an interrupted one is begun anew by the next run. */
export async function readmit(opened: OpenedCrawl, options: CrawlOptions, ui: CrawlUi): Promise<void> {
  const { store, admission, batches, frontier, crawl } = opened;
  const { scope, depth, include, exclude, rules } = options.config;
  const now: Limits = { scope, depth, include, exclude, ...(rules.length > 0 && { rules }) };
  const stored = store.meta(KEY);
  const text = JSON.stringify(now);
  if (stored === text) return;
  const wasRefused = REASONS.some((reason) => admission.refusals.counts[reason] !== undefined);
  if (stored !== null && wasRefused && isWider(metaOf<Limits>(store, KEY, now), now)) {
    ui.say('The limits are wider than before: the pages that are held are read again for links that were refused.');
    const known = frontier.urls.size;
    // what is refused again was counted when it was met
    const counts = { ...admission.refusals.counts };
    const outcome = await readAll(opened, options, (answer, links, from, to) => {
      const place = { url: answer.url, depth: answer.depth + (answer.kind === 'redirect' ? 0 : 1) };
      const inside = answer.address !== '' && opened.land.guard.isOpened(answer.address);
      admission.links({ ...place, inside, level: answer.level }, links, from, to, crawl.now(), batches.open);
    }).catch((error: Error) => error);
    Object.assign(admission.refusals.counts, counts);
    if (outcome instanceof Error) ui.say(`They could not all be read: ${outcome.message}. The next run tries again.`);
    if (outcome !== true) return;
    ui.say(`${formatCount(frontier.urls.size - known)} URLs that were refused are known now.`);
  }
  batches.open.meta.push([KEY, text]);
}

type OnLinks = (answer: HeldAnswer, links: ReadLinks['links'], from: number, to: number) => void;

/** False if it was interrupted. */
async function readAll(opened: OpenedCrawl, options: CrawlOptions, onLinks: OnLinks): Promise<boolean> {
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
        const [{ ends, links }] = (await once(thread, 'message', { signal: AbortSignal.timeout(PATIENCE) })) as [
          ReadLinks,
        ];
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
