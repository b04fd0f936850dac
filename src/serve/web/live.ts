/** The crawl as this tab sees it: figures that keep coming, and what was fetched lately. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, type History, listen, type Stats } from './client.js';

export interface RequestEvent {
  url: string;
  status: number;
  code: string;
  kind: string;
  ended: number;
  bytes: number;
}

export interface Live {
  stats: Stats | null;
  samples: History['samples'];
  requests: RequestEvent[];
  /** What is wrong with the connection, '' if nothing is. */
  trouble: string;
  needsToken: boolean;
}

const KEPT_REQUESTS = 40;
const KEPT_SAMPLES = 720;
const AGAIN_MS = 2_000;
/** Of a sample, as the server takes them. */
const SAMPLE_MS = 5_000;

export function useLive(attempt: number): Live {
  const [live, setLive] = useState<Live>({ stats: null, samples: [], requests: [], trouble: '', needsToken: false });
  useEffect(() => {
    const control = new AbortController();
    void follow(control.signal, (change) => setLive((before) => ({ ...before, ...change(before) })));
    return () => control.abort();
  }, [attempt]);
  return live;
}

async function follow(signal: AbortSignal, update: (change: (before: Live) => Partial<Live>) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const { samples } = await get<History>('/crawl/history', signal);
      update(() => ({ samples, trouble: '', needsToken: false }));
      await listen((event, data) => update((before) => heard(before, event, data)), signal);
      update(() => ({ trouble: 'The crawl has closed the connection.' }));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status === 401) {
        update(() => ({ needsToken: true, trouble: '' }));
        return;
      }
      update(() => ({ trouble: 'The crawl does not answer: has it ended? This page tries again by itself.' }));
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function heard(before: Live, event: string, data: unknown): Partial<Live> {
  if (event === 'requests') {
    const requests = [...(data as RequestEvent[]).reverse(), ...before.requests].slice(0, KEPT_REQUESTS);
    return { requests };
  }
  const stats = data as Stats;
  const last = before.samples.at(-1);
  if (last !== undefined && stats.at - last.at < SAMPLE_MS) return { stats, trouble: '' };
  const { at, pages, requests, urls } = stats;
  const none = { good: 0, throttled: 0, failed: 0, read: 0, repeated: 0 };
  const sample = { at, pages, requests, known: urls.known, pending: urls.pending, ...none };
  return { stats, samples: [...before.samples, sample].slice(-KEPT_SAMPLES), trouble: '' };
}
