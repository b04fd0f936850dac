// Why our normal form of a URL is not what another normaliser's test wants: the sentence of the rules (docs/urls.md)
// that causes the difference. Found by undoing steps, never by naming cases; a difference that no sentence explains is
// a fault.

/** The sentences, by name: quotations of the definition of the normal form. */
export const SENTENCES = Object.freeze({
  parse: '"WHATWG parse": what the standard calls a URL, and how it reads one, counts; a link means what it says',
  scheme: '"http(s) only"',
  credentials: '"no credentials"',
  host: '"host lower-case, no trailing dot, IDNA"',
  dropped: '"default port and fragment dropped"',
  percent: '"percent-encoding normalised (unreserved decoded, hex upper-case)": reserved characters stay as they came',
  parameters: '"tracking parameters removed (...), session parameters (...)": these, by these rules, and no others',
  sort: '"query sorted": by name, then by value',
  emptyQuery: '"empty query dropped": the whole query, not the values in it',
  slash: '"one trailing slash trimmed off non-root paths"',
  complete: 'the list of steps is whole: what it does not name (case, www, index pages, https, double slashes) stays',
  other: 'the case asks for something else than a normal form of this URL alone',
});

/** @typedef {keyof typeof SENTENCES} Sentence */
/** @typedef {{ rule: string, input: string, expected: unknown, options?: unknown }} NormalCase */
/** @typedef {(url: string) => string | null} Normalize the normal form, or null */

/** Tests that want a domain, a verdict, a SURT key, a decoded text, a choice among links or another URL. */
const OTHER_QUESTIONS =
  /(?:extract_domain|get_base_url|get_host_and_path|courlan\.is_\w+|validate_url|check_url|\.pld|\.tld|\.hostname|surt-key|\.not_equal|\.not_equiv|fix_relative_urls|[.-]relative|decode-once|unescape-repeatedly|url_query_cleaner)$/;

/**
 * The sentences that cause a difference; none where nothing explains it.
 * @param {NormalCase} c a case whose normal form is not what it expects
 * @param {{ url: string | null, reason?: string }} ours
 * @param {Normalize} normalize
 * @returns {Sentence[]}
 */
export function explain({ rule, input, expected, options }, ours, normalize) {
  if ((typeof expected !== 'string' && expected !== null) || OTHER_QUESTIONS.test(rule)) return ['other'];
  if (/"(?:encoding|language|param_allowlist|default_domain|strict)":/.test(JSON.stringify(options ?? {}))) {
    if (ours.url !== null) return ['other']; // answers that depend on a page's charset, language, or a list of hosts
  }
  if (ours.url === null) return ours.reason === 'scheme' ? ['scheme'] : ours.reason === 'host' ? ['host'] : ['parse'];
  if (expected === null) return ['parse'];
  const theirs = String(expected);
  if (normalize(theirs) === ours.url) return steps(theirs, ours.url);
  if (isCut(input, theirs)) return ['parse'];
  if (hasFewerParameters(theirs, ours.url, normalize)) return ['parameters'];
  for (const change of combinations()) {
    const a = change.apply(ours.url);
    const b = change.apply(theirs);
    if (a !== null && a !== undefined && normalize(a) === normalize(b ?? '')) return change.sentences;
  }
  return [];
}

/**
 * Both are one page to us: which steps the other did not take.
 * @param {string} theirs
 * @param {string} ours
 * @returns {Sentence[]}
 */
export function steps(theirs, ours) {
  /** @type {Sentence[]} */
  const found = [];
  const url = new URL(theirs);
  const form = new URL(ours);
  if (url.username !== '' || url.password !== '') found.push('credentials');
  const authority = /^[^/]*\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(theirs)?.[1] ?? '';
  if (url.hostname !== form.hostname || /[A-Z\x80-\uffff]/.test(authority)) found.push('host');
  if (theirs.includes('#') || (/:\d+$/.test(authority) && url.port === '')) found.push('dropped');
  if (url.pathname !== '/' && url.pathname.endsWith('/')) found.push('slash');
  const [their, own] = [url, form].map(({ search }) =>
    search
      .slice(1)
      .split('&')
      .filter((piece) => piece !== ''),
  );
  if (their.length !== own.length) found.push('parameters');
  else if (their.join() !== own.join() && [...their].sort().join() === [...own].sort().join()) found.push('sort');
  if (/%/.test(ours) && found.length === 0) found.push('percent');
  // spelt as the standard does not spell it: no root slash, raw characters, another form of the host
  return found.length > 0 ? found : ['parse'];
}

/** Theirs is ours without some parameters. @param {string} theirs @param {string} ours @param {Normalize} normalize */
function hasFewerParameters(theirs, ours, normalize) {
  const [head, query = ''] = ours.split('?');
  const [theirHead, theirQuery = ''] = (normalize(theirs) ?? '').split('?');
  const pieces = new Set(query.split('&'));
  return head === theirHead && theirQuery.split('&').every((piece) => piece === '' || pieces.has(piece));
}

/** Markup cut off, or another URL taken out of this one. @param {string} input @param {string} theirs */
function isCut(input, theirs) {
  const at = input.indexOf(theirs);
  const isInside = at > 0;
  const isHead = at === 0 && /^[<"]|^\/["<]/.test(input.slice(theirs.length));
  const isMarkup = input.includes('&amp;') && input.replaceAll('&amp;', '&') === theirs;
  return isInside || isHead || isMarkup;
}

/**
 * What others do to a URL and we do not: applied to both sides, it makes them equal if it is the only difference.
 * @type {readonly { sentence: Sentence, apply: (url: string) => string }[]}
 */
const CHANGES = [
  { sentence: 'complete', apply: (url) => inPath(url, (path) => path.replace(/\/{2,}/g, '/').replace(/\/$/, '')) },
  { sentence: 'complete', apply: (url) => url.replace(/^(https?:\/\/)www\d*\./i, '$1') },
  { sentence: 'complete', apply: (url) => url.replace(/^https:/i, 'http:') },
  { sentence: 'complete', apply: (url) => inPath(url, (path) => path.replace(/(?:index|default)\.\w+$/, '')) },
  { sentence: 'complete', apply: (url) => inPath(url, (path) => path.toLowerCase()) },
  {
    sentence: 'host',
    apply: (url) => url.replace(/^(https?:\/\/)\.*([^/?#]*)/, (_, s, h) => s + h.replace(/\.+/g, '.')),
  },
  { sentence: 'percent', apply: (url) => inRest(url, decodeReserved) },
  { sentence: 'percent', apply: (url) => inRest(url, (rest) => rest.replaceAll('+', '%20')) },
  { sentence: 'percent', apply: (url) => inRest(url, (rest) => encodeURI(decodeURI(rest).normalize('NFC'))) },
  { sentence: 'emptyQuery', apply: (url) => inQuery(url, (pieces) => pieces.map((piece) => piece.replace(/=$/, ''))) },
  {
    sentence: 'emptyQuery',
    apply: (url) => inQuery(url, (pieces) => pieces.filter((piece) => /^[^=]+=./.test(piece))),
  },
  { sentence: 'parameters', apply: (url) => url.replace(/jsessionid=\w+&?/, '').replace(/[&?]$/, '') },
  { sentence: 'parameters', apply: (url) => url.replace(/;[^?#]*/, '') },
];

/** Single changes first, then pairs, then all that join only what is not a parameter. */
function* combinations() {
  for (const one of CHANGES) yield { sentences: [one.sentence], apply: safely(one.apply) };
  for (const [i, one] of CHANGES.entries()) {
    for (const other of CHANGES.slice(i + 1)) {
      const sentences = one.sentence === other.sentence ? [one.sentence] : [one.sentence, other.sentence];
      yield { sentences, apply: safely((url) => other.apply(one.apply(url))) };
    }
  }
  const all = CHANGES.filter(({ sentence }) => sentence === 'complete');
  yield {
    sentences: /** @type {Sentence[]} */ (['complete']),
    apply: safely((url) => all.reduce((text, { apply }) => apply(text), url)),
  };
  yield {
    sentences: /** @type {Sentence[]} */ (['complete', 'parameters']),
    apply: safely((url) => all.reduce((text, { apply }) => apply(text), url).replace(/(?:[?&]CF\w+=\w+)+&?/i, '?')),
  };
}

/** @param {(url: string) => string} apply @returns {(url: string) => string | null} */
const safely = (apply) => (url) => {
  try {
    return apply(url);
  } catch {
    return null; // malformed percent-encoding
  }
};

/** @param {string} url @param {(rest: string) => string} change of path and query */
function inRest(url, change) {
  const at = url.indexOf('/', url.indexOf('//') + 2);
  return at < 0 ? url : url.slice(0, at) + change(url.slice(at));
}

/** @param {string} url @param {(path: string) => string} change */
const inPath = (url, change) =>
  inRest(url, (rest) => {
    const [, path, tail] = /** @type {RegExpExecArray} */ (/^([^?#]*)(.*)$/s.exec(rest));
    return change(path) + tail;
  });

/** @param {string} url @param {(pieces: string[]) => string[]} change */
function inQuery(url, change) {
  const [, head, query] = /^([^?]*)\?([^#]*)/.exec(url) ?? ['', url.replace(/#.*/, ''), ''];
  return `${head}?${change(query.split('&')).join('&')}`;
}

/** Every triplet decoded, again and again, and spelt anew: what remains is what the octets say. @param {string} rest */
function decodeReserved(rest) {
  let text = rest.replace(/#.*/, '');
  for (let i = 0; i < 3; i++)
    text = text.replace(/%([2-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return text.replace(/[^\w./?&-]/g, (c) =>
    encodeURIComponent(c).replace(/[!'()*]/g, (d) => `%${d.charCodeAt(0).toString(16)}`),
  );
}
