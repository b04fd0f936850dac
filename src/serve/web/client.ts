/** Speaks to the API with the token that came behind the `#` of the address; it stays in this tab. */
import type { z } from '@hono/zod-openapi';
import type * as schemas from '../api-schemas.js';

type Answer<Name extends keyof typeof schemas> = (typeof schemas)[Name] extends z.ZodType<infer T> ? T : never;
export type Stats = Answer<'Stats'>;
export type History = Answer<'History'>;
export type HostList = Answer<'HostList'>;
export type Blocklist = Answer<'Blocklist'>;
export type Host = Answer<'Host'>;
export type PageList = Answer<'PageList'>;
export type PageText = Answer<'PageText'>;
export type DeadLetters = Answer<'DeadLetters'>;
export type SeedAnswers = Answer<'SeedAnswers'>;
export type Operated = Answer<'Operated'>;

const KEPT = 'saunter.token';

/** Takes the token out of the address, so that no history and no screenshot shows it. */
export function adoptToken(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  sessionStorage.setItem(KEPT, token);
  history.replaceState(null, '', location.pathname);
}

export const setToken = (token: string): void => sessionStorage.setItem(KEPT, token);

/** What the server said was wrong. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

async function request(path: string, method: string, body?: object, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${sessionStorage.getItem(KEPT) ?? ''}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal !== undefined) init.signal = signal;
  const response = await fetch(path, init);
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { detail?: string };
  throw new ApiError(response.status, problem.detail ?? `The crawl answered ${response.status}.`);
}

export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await request(path, 'GET', undefined, signal)).json() as Promise<T>;
export const send = async <T>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T> =>
  (await request(path, method, body)).json() as Promise<T>;

/** Server-sent events, read by `fetch` since an EventSource cannot show the token. Resolves when the stream ends. */
export async function listen(hear: (event: string, data: unknown) => void, signal: AbortSignal): Promise<void> {
  const response = await request('/events', 'GET', undefined, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
      const data = fields.get('data');
      if (data !== undefined) hear(fields.get('event') ?? 'message', JSON.parse(data));
    }
  }
}
