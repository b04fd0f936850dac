/**
 * One host of a synthetic web: its robots rules, its pages by target, and what it says to anything else.
 */
import { type AnswerKind, plainAnswer, type WebAnswer, type WebRequest } from './web.js';

/** Answers one target. */
export type Route = (request: WebRequest) => WebAnswer;

/** A host. Built once with {@link Site.page} and {@link Site.route}, then only asked. */
export class Site {
  readonly host: string;
  /** Applied to every answer, in order: a slow host, a host that throttles. */
  readonly #filters: ((request: WebRequest, answer: WebAnswer) => WebAnswer)[] = [];
  readonly #routes = new Map<string, Route>();
  readonly #pages: string[] = [];
  readonly #forbidden: ((target: string) => boolean)[] = [];
  #fallback: Route = () =>
    plainAnswer('missing', 404, 'text/html', '<title>Not found</title><p>There is no such page.');

  constructor(host: string) {
    this.host = host;
  }

  /** Targets of the pages that a complete, obedient crawl holds. */
  get pages(): readonly string[] {
    return this.#pages;
  }

  /** Serves a page that a complete crawl must hold; its normal URL is the target (so: no trailing slash but the root's,
   * query in order). */
  page(target: string, route: Route): this {
    this.#pages.push(target);
    return this.route(target, route);
  }

  /** Counts `target` as a page although another spelling of it is what answers 200. */
  promise(target: string): this {
    this.#pages.push(target);
    return this;
  }

  /** Serves anything that is not promised as a page. */
  route(target: string, route: Route): this {
    if (this.#routes.has(target)) throw new Error(`${this.host}${target} is defined twice`);
    this.#routes.set(target, route);
    return this;
  }

  /** Answers every target that has no route. */
  otherwise(route: Route): this {
    this.#fallback = route;
    return this;
  }

  /** Changes every answer of this host. */
  filter(change: (request: WebRequest, answer: WebAnswer) => WebAnswer): this {
    this.#filters.push(change);
    return this;
  }

  /** Serves `robots` as the robots.txt. `forbids` says in the generator's own words what these rules forbid (it is no
   * robots parser, on purpose: a fault in ours must not hide itself). */
  robots(robots: string, forbids: (target: string) => boolean = () => false): this {
    this.#forbidden.push(forbids);
    return this.route('/robots.txt', () => plainAnswer('robots', 200, 'text/plain; charset=utf-8', robots));
  }

  /** Forbids everything without a readable robots.txt: `status` is its answer. */
  brokenRobots(status: number): this {
    this.#forbidden.push(() => true);
    return this.route('/robots.txt', () => plainAnswer('robots', status, 'text/plain', 'out of order\n'));
  }

  answer(request: WebRequest): WebAnswer {
    const { target } = request;
    const route = this.#routes.get(target) ?? this.#fallback;
    let answer = route(request);
    const forbidden = target !== '/robots.txt' && this.#forbidden.some((forbids) => forbids(target));
    if (forbidden) answer = { ...answer, kind: 'forbidden' satisfies AnswerKind };
    for (const change of this.#filters) answer = change(request, answer);
    return answer;
  }
}

/** Every answer of the host takes `ms` longer. */
export function delayed(ms: number): (request: WebRequest, answer: WebAnswer) => WebAnswer {
  return (_request, answer) => ({ ...answer, delay: answer.delay + ms });
}
