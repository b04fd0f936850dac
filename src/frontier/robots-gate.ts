/**
 * What the frontier knows of robots.txt: one entry an origin (scheme, host, port), asked before each lease. Parsing and
 * the verdict ladder are the fetch side's (`fetch/robots.ts`, `fetch/robots-ladder.ts`); here they are a verdict and a
 * function.
 */
import { WideMap } from '../wide-map.js';

/** Compiled rules, as far as the frontier needs them. */
export interface Rules {
  allows(url: string): boolean;
  /** False while they are not in memory: they have to be loaded before they are asked. */
  readonly isLoaded?: boolean;
}

export interface RobotsVerdict {
  /** `rules` and `allow` open the gate until `until`; `deny` closes it until then, when the file is asked again. */
  verdict: 'rules' | 'allow' | 'deny';
  rules: Rules | null;
  until: number;
}

export interface Origin {
  id: number;
  name: string;
  host: number;
  state: RobotsVerdict | null;
  /** Crawl-delay of the file, ms, 0 for none. */
  crawlDelay: number;
  /** The file is being fetched (perhaps through a redirect, at another host). */
  busy: boolean;
  /** Its rules were asked for, and are not in memory yet. */
  loading: boolean;
}

/** `open`: ask the rules. `load`: they must be brought into memory first. `fetch`: robots.txt must be leased first.
 * `wait`: nothing of this origin until `until`. */
export type Gate = 'open' | 'load' | 'fetch' | 'wait';

export class RobotsGate {
  readonly origins: Origin[] = [];
  readonly #byName = new WideMap<string, Origin>();
  /** By host: a map would cost three reads of cold memory at each lease. */
  readonly #ofHost: (Origin[] | undefined)[] = [];

  /** The origin of a fetch-form URL, `scheme://host[:port]`, the host without the dot of the root. */
  static nameOf(url: string): string {
    const slash = url.indexOf('/', 8);
    const name = slash < 0 ? url : url.slice(0, slash);
    return name.replace(/\.(?=:\d+$|$)/, '');
  }

  find(name: string): Origin | undefined {
    return this.#byName.get(name);
  }

  /** The origin of a URL of the host. Most hosts have one, which is found without making its name. */
  ofUrl(url: string, host: number): Origin {
    const first = this.#ofHost[host]?.[0];
    if (first !== undefined && url.startsWith(first.name) && url[first.name.length] === '/') return first;
    return this.of(RobotsGate.nameOf(url), host);
  }

  of(name: string, host: number): Origin {
    let origin = this.#byName.get(name);
    if (origin === undefined) {
      origin = { id: this.origins.length, name, host, state: null, crawlDelay: 0, busy: false, loading: false };
      this.origins.push(origin);
      while (this.#ofHost.length <= host) this.#ofHost.push(undefined); // without holes: V8 makes a map of those
      const others = this.#ofHost[host];
      if (others) others.push(origin);
      else this.#ofHost[host] = [origin];
      this.#byName.set(name, origin);
    }
    return origin;
  }

  ofHost(host: number): readonly Origin[] {
    return this.#ofHost[host] ?? [];
  }

  /** Origins of a host that were met. */
  originsOf(host: number): number {
    return this.#ofHost[host]?.length ?? 0;
  }

  /** The largest Crawl-delay among a host's origins, ms: the clock is the host's. */
  crawlDelayOf(host: number): number {
    let delay = 0;
    for (const origin of this.#ofHost[host] ?? []) delay = Math.max(delay, origin.crawlDelay);
    return delay;
  }

  gate(origin: Origin, now: number): Gate {
    if (origin.busy || origin.loading) return 'wait';
    if (origin.state === null || now >= origin.state.until) return 'fetch';
    if (origin.state.verdict === 'deny') return 'wait';
    return origin.state.verdict === 'rules' && origin.state.rules!.isLoaded === false ? 'load' : 'open';
  }

  /** Do the rules of an open origin allow the exact URL? */
  allows(origin: Origin, url: string): boolean {
    const state = origin.state;
    return state !== null && (state.verdict === 'allow' || (state.verdict === 'rules' && state.rules!.allows(url)));
  }
}
