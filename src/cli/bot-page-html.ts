/** What a site owner reads who followed the contact of a request: one file of HTML, without scripts or other files. */
import type { Config } from '../config/config.js';
import { productToken } from '../embedded/parts.js';
import { formatDuration } from '../units.js';

export interface BotPage {
  /** The User-Agent of the crawl. */
  readonly agent: string;
  /** `mailto:` or http(s). */
  readonly reach: string;
  readonly name: string | null;
  readonly purpose: string | null;
  /** Addresses that requests come from; empty: not told. */
  readonly addresses: readonly string[];
  /** Whose delays and times are told. */
  readonly config: Config;
}

const STYLE = `:root { color-scheme: light dark; --ink: #222; --paper: #fff; --soft: #f3f1ec; --link: #0a5a8a; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #1b1c1e; --soft: #2a2b2e; --link: #7cc0ee; } }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 1.05rem/1.6 Georgia, serif; }
h1, h2 { line-height: 1.25; } h2 { margin-top: 2rem; font-size: 1.25rem; } a { color: var(--link); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; background: var(--soft); border-radius: 0.3rem; }
code { padding: 0.1em 0.3em; overflow-wrap: anywhere; } pre { padding: 0.7rem 1rem; overflow-x: auto; } pre code { padding: 0; }`;

/** The page. Everything that comes from outside is escaped. */
export function botPage({ agent, reach, name, purpose, addresses, config }: BotPage): string {
  const token = safe(productToken(agent));
  const shown = safe(reach.replace(/^mailto:/i, ''));
  const us = `<a href="${safe(reach)}">${shown}</a>`;
  const time = (ms: number): string => spelled(formatDuration(ms));
  const who = name === null ? 'We run' : `${safe(name)} runs`;
  const what = purpose === null ? '' : ` What it collects is for: ${safe(purpose)}.`;
  const from = addresses.map((address) => `<code>${safe(address)}</code>`).join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${token}: who asks your site for pages, and how to stop it</title>
<style>
${STYLE}
</style>
</head>
<body>
<h1>${token} has visited your site</h1>
<p>${who} a web crawler, a program that reads public web pages.${what} This page tells what it does, how to slow it, how to
keep it out, and how to reach us: ${us}.</p>

<h2>How to recognise it</h2>
<p>Each request carries</p>
<pre><code>User-Agent: ${safe(agent)}</code></pre>
<p>${from === '' ? 'Anybody can write that into a request. Send us the time and the URL of one, and we tell you whether it was ours.' : `and comes from ${from}. Anybody can write the same User-Agent; what comes from elsewhere is not ours.`}</p>

<h2>What it does</h2>
<ul>
<li>It reads <code>/robots.txt</code> first, and keeps to it (RFC 9309). While that file cannot be read, it keeps to the last
copy that could, and without one it fetches nothing.</li>
<li>It asks for pages that other pages, or your sitemaps, link to: GET requests, no forms, no logins. It does not run scripts.</li>
<li>It never makes two requests to your host at once. After each it waits for at least ${time(config.delay)}${config['politeness.factor'] > 0 ? `, and for ${config['politeness.factor']} times as long as your server took, up to ${time(config['politeness.factorCap'])}` : ''}.</li>
<li>When your server answers 429 or 503 it slows down, and stays away for as long as <code>Retry-After</code> says, up to
${time(config['retryAfter.cap'])}.</li>
</ul>

<h2>How to slow it</h2>
<p>In <code>/robots.txt</code>, the seconds between two requests:</p>
<pre><code>User-agent: ${token}
Crawl-delay: 30
Disallow: /private/</code></pre>
<p>Such a group takes the place of your rules for everybody (<code>User-agent: *</code>): a crawler that finds a group of its own name
reads no other. So repeat in it each <code>Disallow</code> line that is to hold for ${token}, too, as <code>/private/</code> here. If your
file has no group for ${token}, a <code>Crawl-delay</code> under <code>User-agent: *</code> is obeyed as well. More than ${time(config['crawlDelay.cap'])} is taken as a wish not to be crawled. Your server can also answer 429 with
<code>Retry-After</code>, in seconds or as a date, at any time.</p>

<h2>How to keep it out</h2>
<p>Of the whole host, or of a part of it:</p>
<pre><code>User-agent: ${token}
Disallow: /</code></pre>
<pre><code>User-agent: ${token}
Disallow: /private/</code></pre>
<p>It reads <code>/robots.txt</code> again every ${time(config['robots.ttl'])}, so a change holds from then on at the latest. If you
cannot wait, write to us: we can stop it for your host at once, and for good.</p>

<h2>How to keep a page out of what we make of it</h2>
<pre><code>&lt;meta name="${token.toLowerCase()}" content="noindex, nofollow"&gt;</code></pre>
<p>or a header, which works for documents too:</p>
<pre><code>X-Robots-Tag: ${token.toLowerCase()}: noindex</code></pre>
<p>With <code>robots</code> in place of <code>${token.toLowerCase()}</code> the page says it to every crawler, and so does the header
without the name. Such a page may be fetched, and is left out of our collections; of a page that says <code>nofollow</code> no link is followed. What you say about the use of your
pages by AI (<code>Content-Usage</code> or <code>Content-Signal</code> in robots.txt or as a header, <code>noai</code>,
<code>tdm-reservation</code>) is recorded with each page.</p>

<h2>How to reach us</h2>
<p>${us}. Tell us the name of your host, and if you can a line of your log. We can stop the crawler for your host at once, and
show you every request that it ever made to it, when, and which line of your robots.txt allowed it.</p>
</body>
</html>`;
}

const UNITS = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** `1h30m` as words. */
const spelled = (duration: string): string =>
  duration
    .replace(
      /([\d.]+)(ms|[smhd])/g,
      (_, n: string, unit: keyof typeof UNITS) => ` ${n} ${UNITS[unit]}${n === '1' ? '' : 's'}`,
    )
    .trim();

/** Text for HTML, inside elements and quoted attributes. */
const safe = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
