/** What the API takes and gives, as schemas: they check every request, and `/openapi.json` is generated from them. */
import { z } from '@hono/zod-openapi';
import { ALARMS, type Alarm } from '../embedded/alarms.js';
import type { BlockedHost } from '../embedded/block-view.js';
import type { DeadLetter } from '../embedded/dead-letters.js';
import type { CrawlStats } from '../embedded/figures.js';
import { HOST_SORTS } from '../embedded/host-order.js';
import { type Block, HOST_STATES, type HostLine, type HostPage } from '../embedded/host-view.js';
import type { PageLine, SeedAnswer } from '../embedded/steering.js';
import type { Sample } from '../embedded/watch.js';
import { OUTCOMES, type OutcomeCode } from '../errors.js';

/** Seeds of one request. */
export const MOST_SEEDS = 10_000;
const LONGEST_URL = 65_536;
const LONGEST_NAME = 300;
const MOST_LISTED = 500;

const count = z.int().nonnegative();
const bytes = z.number().nonnegative();
const time = z.number().openapi({ description: 'Wall-clock milliseconds since 1970.' });
const share = z.number().min(0).max(1);
const counts = z.record(z.string(), count);
const code = z.enum(Object.keys(OUTCOMES) as [OutcomeCode, ...OutcomeCode[]]).openapi('OutcomeCode');

// -- answers

export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: 'What happened, to what, and what to do.' }),
    errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
  })
  .openapi('Problem');

const AlarmSchema = z.object({
  id: z.enum(ALARMS),
  severity: z.enum(['warning', 'serious']),
  words: z.string(),
}) satisfies z.ZodType<Alarm>;

export const Stats = z
  .object({
    at: time,
    state: z.enum(['running', 'paused', 'stopping']),
    startedAt: time,
    pages: count,
    pagesPerSecond: z.number(),
    requests: count,
    bytes,
    inFlight: count,
    urls: z.object({ known: count, pending: count, leased: count, denied: count, done: count, dead: count }),
    pendingByLevel: z.array(count),
    growth: z.object({ known: z.number(), pending: z.number() }),
    hosts: z.object({ known: count, inPlay: count, queued: count, levels: z.array(count) }),
    waiting: z.record(z.string(), z.object({ urls: count, next: z.number().nullable() })),
    duplicates: z.object({ exact: count, near: count, share }),
    deadLetters: z.int(),
    robotsDenied: z.int(),
    rejected: counts,
    removed: counts,
    errors: counts,
    statuses: counts,
    outcomes: z.object({ good: share, throttled: share, failed: share }),
    caches: z.object({
      dns: z.object({ hosts: count, pending: count, hits: count, misses: count }),
      robots: z.object({ origins: count }),
    }),
    memory: z.object({ rss: bytes, heap: bytes, bodies: z.number(), machine: bytes }),
    disk: z.object({ free: bytes, total: bytes }),
    backQueues: z.object({ held: count, count, most: count, ceiling: z.number().nullable(), binds: z.boolean() }),
    seen: z
      .object({
        inserted: count,
        design: count,
        fill: share,
        falsePositives: share,
        epoch: count,
        overfull: z.boolean(),
      })
      .nullable(),
    told: z.object({ linesLost: count, spansSent: count, spansDropped: count }),
    revisits: z.object({ fetched: count, notModified: count, changed: count, freshness: share.nullable() }),
    alarms: z.array(AlarmSchema),
  })
  .openapi('Stats') satisfies z.ZodType<CrawlStats & { alarms: Alarm[] }>;

const SampleSchema = z.object({
  ...{ at: time, pages: count, requests: count, known: count, pending: count },
  ...{ good: count, throttled: count, failed: count, read: count, repeated: count },
}) satisfies z.ZodType<Sample>;
export const History = z.object({ samples: z.array(SampleSchema) }).openapi('History');

const hostLine = {
  host: z.string(),
  state: z.enum(HOST_STATES),
  why: z.string(),
  ...{ pending: count, requests: count, failures: count, bytes },
  lastRequest: time.nullable(),
};
const HostLineSchema = z.object(hostLine).openapi('HostLine') satisfies z.ZodType<HostLine>;
export const HostList = z.object({ total: count, hosts: z.array(HostLineSchema) }).openapi('HostList');

const RequestLine = z.object({
  ...{ url: z.string(), kind: z.enum(['page', 'sitemap', 'robots']), started: time, ended: time },
  ...{ status: count, code, bytes },
});
const block = {
  reason: z.string(),
  since: time.nullable(),
  until: time.nullable(),
};
export const Blocklist = z
  .object({
    total: count,
    hosts: z.array(z.object({ host: z.string(), ...block, pending: count }) satisfies z.ZodType<BlockedHost>),
  })
  .openapi('Blocklist');

export const Host = z
  .object({
    ...hostLine,
    domain: z.string(),
    address: z.string().nullable(),
    nextAt: time,
    delay: z.object({ owed: z.number(), crawlDelay: z.number(), penalty: z.number() }),
    budget: z.object({ fetched: count, admitted: count, limit: count.nullable() }),
    block: (z.object(block) satisfies z.ZodType<Block>).nullable(),
    throttles: count,
    failuresInRow: count,
    robots: z.array(
      z.object({
        origin: z.string(),
        verdict: z.enum(['rules', 'allow', 'deny', 'unknown']),
        until: time.nullable(),
        crawlDelay: z.number(),
      }),
    ),
    recent: z.array(RequestLine),
  })
  .openapi('Host') satisfies z.ZodType<HostPage>;

const PageLineSchema = z.object({
  ...{ visit: count, url: z.string(), at: time, status: count, code, title: z.string(), bytes },
  duplicateOf: z.string().nullable(),
  hasText: z.boolean(),
}) satisfies z.ZodType<PageLine>;
export const PageList = z.object({ pages: z.array(PageLineSchema) }).openapi('PageList');
export const PageText = z
  .object({ url: z.string(), title: z.string(), text: z.string(), truncated: z.boolean() })
  .openapi('PageText');

const Letter = z.object({
  ...{ place: count, url: z.string(), at: time, code, words: z.string() },
  history: z.array(z.object({ at: time, code, status: count })).readonly(),
}) satisfies z.ZodType<DeadLetter>;
export const DeadLetters = z
  .object({ letters: z.array(Letter), next: z.int().nullable() })
  .openapi('DeadLetters', { description: '`next` is the `after` of the following page, null at the end.' });

const SeedAnswerSchema = z.object({
  url: z.string(),
  outcome: z.enum(['admitted', 'known', 'refused']),
  reason: z.string().optional(),
}) satisfies z.ZodType<SeedAnswer>;
export const SeedAnswers = z
  .object({ admitted: count, known: count, refused: count, seeds: z.array(SeedAnswerSchema) })
  .openapi('SeedAnswers');
export const Operated = z
  .object({ subject: z.string(), changed: count, pending: count })
  .openapi('Operated', { description: '`changed` is 0 if all was so already.' });
export const State = z.object({ state: z.enum(['running', 'paused', 'stopping']) }).openapi('State');
export const Health = z.object({ ok: z.literal(true), version: z.string() }).openapi('Health');

// -- requests

const host = z.string().min(1).max(LONGEST_NAME).openapi({ example: 'www.example.org' });

export const SeedsBody = z
  .strictObject({
    urls: z.array(z.string().min(1).max(LONGEST_URL)).min(1).max(MOST_SEEDS),
    priority: z.int().min(0).max(4).default(0).openapi({ description: 'Level 0 (best) to 4.' }),
  })
  .openapi('Seeds');
export const BlockBody = z
  .strictObject({
    host,
    reason: z.string().max(1000).default(''),
    for: z.string().max(40).optional().openapi({ description: 'A duration such as 2h: the block ends by itself.' }),
  })
  .openapi('Block');
export const UnblockBody = z.strictObject({ host }).openapi('Unblock');
export const LettersBody = z
  .strictObject({ url: z.string().max(LONGEST_URL).optional(), host: host.optional() })
  .refine(({ url: one, host: of }) => one === undefined || of === undefined, 'give a url or a host, not both')
  .openapi('WhichLetters', { description: 'Of one URL, those of a host, or (with neither) all.' });

const number = (least: number, most: number, initial: number) =>
  z.coerce.number().int().min(least).max(most).default(initial);

export const HostsQuery = z.object({
  sort: z.enum(HOST_SORTS).default('pending'),
  order: z
    .enum(['asc', 'desc'])
    .optional()
    .openapi({ description: 'By name ascending, by figures descending, unless given.' }),
  search: z.string().max(LONGEST_NAME).default(''),
  ...{ offset: number(0, 1e9, 0), limit: number(1, MOST_LISTED, 50) },
});
export const BlocklistQuery = z.object({
  search: z.string().max(LONGEST_NAME).default(''),
  ...{ offset: number(0, 1e9, 0), limit: number(1, MOST_LISTED, 50) },
});
export const PagesQuery = z.object({ limit: number(1, MOST_LISTED, 50) });
export const LettersQuery = z.object({
  after: number(-1, 1e12, -1),
  limit: number(1, MOST_LISTED, 50),
  dropped: z
    .enum(['true', 'false'])
    .default('false')
    .openapi({ description: 'Those that were dropped, instead of the others.' }),
});
export const HostParam = z.object({ host });
export const VisitParam = z.object({ visit: z.coerce.number().int().nonnegative().max(1e12) });
