/** The HTTP API of a running crawl (DESIGN 11): every route with what it takes, gives and means. */
import { createRoute, OpenAPIHono, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { blockTime, hostName } from '../embedded/operate.js';
import type { Steering } from '../embedded/steering.js';
import { UserError } from '../errors.js';
import { writtenSize } from '../units.js';
import { version } from '../version.js';
import type { Access } from './api-access.js';
import { faultOf } from './api-faults.js';
import {
  BlockBody,
  Blocklist,
  BlocklistQuery,
  DeadLetters,
  Health,
  History,
  Host,
  HostList,
  HostParam,
  HostsQuery,
  LettersBody,
  LettersQuery,
  Operated,
  PageList,
  PagesQuery,
  PageText,
  Problem,
  SeedAnswers,
  SeedsBody,
  State,
  Stats,
  UnblockBody,
  VisitParam,
} from './api-schemas.js';
import { EventStreams } from './events.js';
import { metricsText } from './metrics.js';

/** Bytes of the largest request. */
const LARGEST_BODY = 4 * 1024 * 1024;

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const NOT_JSON = 'Send JSON, and say so: Content-Type: application/json.';

/** What can be done with dead letters. */
const LETTER_ROUTES = [
  { verb: 'retry', path: '/dead-letters/retry', words: 'Takes dead URLs back: they are pending again.' },
  { verb: 'drop', path: '/dead-letters/drop', words: 'Drops dead letters: the URLs stay dead and are not listed.' },
  { verb: 'restore', path: '/dead-letters/restore', words: 'Brings dropped letters back into the list.' },
] as const;

/** What anybody may have who found the port: that it lives, what it would answer, and the empty dashboard. */
const OPEN = (path: string): boolean =>
  path === '/healthz' || path === '/openapi.json' || path === '/' || path.startsWith('/assets/');

const json = (schema: z.ZodType, description: string) => ({
  content: { 'application/json': { schema } },
  description,
});
const body = (schema: z.ZodType) => ({ body: { content: { 'application/json': { schema } }, required: true } });
const problem = (description: string) => ({
  content: { 'application/problem+json': { schema: Problem } },
  description,
});
const failures = {
  400: problem('The request is not as it must be; `errors` says where.'),
  401: problem('The token is missing or wrong.'),
  403: problem('A page of another site asks.'),
};
const security = [{ token: [] }];

/** @param assets answers with the files of the dashboard, or null */
export function createApi(
  steering: Steering,
  access: Access,
  assets: (path: string) => Promise<Response | null>,
): OpenAPIHono {
  const app = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return;
      const errors = result.error.issues.map((issue) => faultOf(issue as Parameters<typeof faultOf>[0]));
      const words = errors.map(({ at, message }) => `${at || 'the request'} ${message}`).join('; ');
      return refusal(c, 400, words, errors);
    },
  });
  app.use(async (c, next) => {
    const refused =
      access.refuse(c.req.raw.headers) ?? (OPEN(c.req.path) ? null : access.refuseStranger(c.req.raw.headers));
    if (refused === null) {
      await next();
      return;
    }
    if (refused.status === 401) c.header('WWW-Authenticate', 'Bearer');
    return refusal(c, refused.status, refused.detail);
  });
  const tooLarge = `A request may have ${writtenSize(LARGEST_BODY)}: send the seeds in several.`;
  app.use(bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => refusal(c, 413, tooLarge) }));
  const takers = ['/crawl/seeds', '/crawl/blocklist', ...LETTER_ROUTES.map(({ path }) => path)];
  for (const path of takers) {
    app.use(path, async (c, next) => {
      if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
      const isJson = /^application\/json\b/i.test(c.req.header('content-type') ?? '');
      return isJson ? next() : refusal(c, 415, NOT_JSON);
    });
  }
  app.onError((error, c) => {
    if (error instanceof UserError) return refusal(c, error.exitCode === 2 ? 400 : 404, error.message);
    if ('status' in error && typeof error.status === 'number' && error.status < 500)
      return refusal(c, error.status, error.status === 415 ? NOT_JSON : error.message);
    return refusal(c, 500, 'Something broke in the crawler: its log says what.');
  });
  app.notFound(async (c) => {
    const file = c.req.method === 'GET' ? await assets(c.req.path) : null;
    return (
      file ?? refusal(c, 404, `There is nothing at ${c.req.method} ${c.req.path.slice(0, 200)}: see /openapi.json.`)
    );
  });
  looking(app, steering);
  steeringRoutes(app, steering);
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Saunter', version: version(), description: 'A crawl that runs: look at it, steer it.' },
  });
  return app;
}

function looking(app: OpenAPIHono, steering: Steering): void {
  const events = new EventStreams(steering);
  app.openapi(
    createRoute({
      method: 'get',
      path: '/healthz',
      operationId: 'health',
      summary: 'Is it alive?',
      responses: { 200: json(Health, 'It is.') },
    }),
    (c) => c.json({ ok: true as const, version: version() }, 200),
  );
  app.openapi(get('/crawl/stats', 'stats', 'The figures of the moment, with alarms in words.', Stats), (c) =>
    c.json(steering.stats(), 200),
  );
  app.openapi(get('/crawl/history', 'history', 'The figures of the last hour, every five seconds.', History), (c) =>
    c.json({ samples: [...steering.history()] }, 200),
  );
  app.openapi(
    { ...get('/hosts', 'hosts', 'The hosts, a page of the list at a time.', HostList), request: { query: HostsQuery } },
    async (c) => {
      const query = c.req.valid('query');
      const search = query.search.trim().toLowerCase();
      const order = query.order ?? (query.sort === 'name' ? 'asc' : 'desc');
      return c.json(await steering.hosts({ ...query, search, order }), 200);
    },
  );
  app.openapi(
    {
      ...get('/hosts/{host}', 'host', 'One host: why it waits, and its last requests.', Host),
      request: { params: HostParam },
    },
    async (c) => c.json(await steering.host(c.req.valid('param').host), 200),
  );
  app.openapi(
    { ...get('/pages', 'pages', 'The pages that came in last.', PageList), request: { query: PagesQuery } },
    (c) => c.json({ pages: steering.pages(c.req.valid('query').limit) }, 200),
  );
  app.openapi(
    {
      ...get('/pages/{visit}/text', 'pageText', 'The text that was taken from a page.', PageText),
      request: { params: VisitParam },
    },
    (c) => c.json(steering.text(c.req.valid('param').visit), 200),
  );
  app.openapi(
    {
      ...get('/dead-letters', 'deadLetters', 'URLs that were given up, with their history.', DeadLetters),
      request: { query: LettersQuery },
    },
    async (c) => {
      const { after, limit, dropped } = c.req.valid('query');
      return c.json(await steering.deadLetters(after, limit, dropped === 'true'), 200);
    },
  );
  app.openapi(
    {
      ...get('/crawl/blocklist', 'blocklist', 'The hosts that are blocked, and why.', Blocklist),
      request: { query: BlocklistQuery },
    },
    async (c) => {
      const { search, offset, limit } = c.req.valid('query');
      return c.json(await steering.blocked(search.trim().toLowerCase(), offset, limit), 200);
    },
  );
  // streams and plain text: told of to whoever reads the description, and answered without a schema
  stream(
    app,
    '/events',
    'Server-sent events: `stats` every second, `requests` as they are committed.',
    'text/event-stream',
  );
  app.get('/events', (c) =>
    c.req.method === 'HEAD' ? refusal(c, 405, 'Events are a stream: ask for them with GET.') : events.stream(c),
  );
  stream(app, '/metrics', 'The figures for Prometheus.', 'text/plain');
  app.get('/metrics', () => new Response(metricsText(steering.stats()), { headers: { 'Content-Type': METRICS_TYPE } }));
}

function steeringRoutes(app: OpenAPIHono, steering: Steering): void {
  app.openapi(
    post(
      '/crawl/seeds',
      'addSeeds',
      'Gives the crawl more seeds; answers when they are durable.',
      SeedAnswers,
      SeedsBody,
    ),
    async (c) => {
      const { urls, priority } = c.req.valid('json') as z.infer<typeof SeedsBody>;
      const seeds = await steering.seeds(urls, priority);
      const of = (outcome: string): number => seeds.filter((seed) => seed.outcome === outcome).length;
      return c.json({ admitted: of('admitted'), known: of('known'), refused: of('refused'), seeds }, 200);
    },
  );
  app.openapi(
    post('/crawl/blocklist', 'blockHost', 'No request to this host from now on.', Operated, BlockBody),
    async (c) => {
      const { host, reason, for: time } = c.req.valid('json') as z.infer<typeof BlockBody>;
      return c.json(
        await steering.operate({
          verb: 'block',
          host: hostName(host),
          reason: oneLine(reason),
          ...(time !== undefined && { for: blockTime(time) }),
        }),
        200,
      );
    },
  );
  app.openapi(
    { ...post('/crawl/blocklist', 'unblockHost', 'Ends a block.', Operated, UnblockBody), method: 'delete' as const },
    async (c) => {
      const { host } = c.req.valid('json') as z.infer<typeof UnblockBody>;
      return c.json(await steering.operate({ verb: 'unblock', host: hostName(host) }), 200);
    },
  );
  for (const { verb, path, words } of LETTER_ROUTES) {
    app.openapi(post(path, verb, words, Operated, LettersBody), async (c) => {
      const { url, host } = c.req.valid('json') as z.infer<typeof LettersBody>;
      const which = url !== undefined ? { url } : host !== undefined ? { host: hostName(host) } : {};
      return c.json(await steering.operate({ verb, ...which }), 200);
    });
  }
  for (const verb of ['pause', 'resume'] as const) {
    const words = verb === 'pause' ? 'Nothing new is requested; what is under way ends.' : 'The crawl goes on.';
    app.openapi(
      createRoute({
        method: 'post',
        path: `/crawl/${verb}`,
        operationId: verb,
        summary: words,
        security,
        responses: { 200: json(State, 'As it is now.'), ...failures },
      }),
      (c) => c.json({ state: steering.pause(verb === 'pause') }, 200),
    );
  }
}

function stream(app: OpenAPIHono, path: string, summary: string, type: string): void {
  const answer = { content: { [type]: { schema: { type: 'string' as const } } }, description: summary };
  app.openAPIRegistry.registerPath({
    method: 'get',
    path,
    operationId: path.slice(1),
    summary,
    security,
    responses: { 200: answer, ...failures },
  });
}

function get<P extends string, S extends z.ZodType>(path: P, operationId: string, summary: string, schema: S) {
  const responses = { 200: json(schema, summary), ...failures, 404: problem('There is no such thing.') };
  return createRoute({ method: 'get', path, operationId, summary, security, responses });
}

function post<P extends string, S extends z.ZodType, B extends z.ZodType>(
  path: P,
  operationId: string,
  summary: string,
  schema: S,
  takes: B,
) {
  const responses = {
    200: json(schema, summary),
    ...failures,
    404: problem('There is no such thing.'),
    413: problem('Too large.'),
  };
  return createRoute({ method: 'post', path, operationId, summary, security, request: body(takes), responses });
}

const oneLine = (text: string): string => text.replace(/[\0-\x1f\x7f]+/g, ' ');

/** RFC 9457. */
function refusal(c: Context, status: number, detail: string, errors?: { at: string; message: string }[]): Response {
  const text = JSON.stringify({ type: 'about:blank', title: TITLES[status] ?? 'Refused', status, detail, errors });
  return c.body(text, status as 400, { 'Content-Type': 'application/problem+json' });
}

const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'No token',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Another method',
  413: 'Too large',
  415: 'Not JSON',
  421: 'Another server',
  500: 'Our fault',
};
