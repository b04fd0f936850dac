/**
 * RFC 9309 read a second time: slowly, with a regular expression a rule, splits, and no thought for time. It shares no
 * code with `src/fetch/robots*.ts` and is what those are held against.
 */

export interface PlainRule {
  readonly allow: boolean;
  /** UTF-8 as a `latin1` string. */
  readonly path: string;
}

/** The groups that speak to a crawler of that product token, as one list of rules (2.2.1). */
export function plainRules(file: string, token: string): PlainRule[] {
  const groups: { agents: string[]; rules: PlainRule[] }[] = [];
  let open = false;
  for (const line of file.replace(/^\xef\xbb\xbf/, '').split(/\r\n|\r|\n/)) {
    const record = /^([^:#]*):([^#]*)/.exec(line);
    if (record === null) continue;
    const [field, value] = [blankless(record[1]).toLowerCase(), blankless(record[2])];
    if (field === 'user-agent') {
      if (!open) groups.push({ agents: [], rules: [] });
      open = true;
      groups
        .at(-1)!
        .agents.push(/^\*(?:[\t-\r ]|$)/.test(value) ? '*' : (/^[a-z_-]*/i.exec(value)?.[0] ?? '').toLowerCase());
    } else if (field === 'allow' || field === 'disallow') {
      open = false;
      if (value !== '') groups.at(-1)?.rules.push({ allow: field === 'allow', path: value });
    }
  }
  const named = groups.filter(({ agents }) => agents.includes(token.toLowerCase()));
  const ours = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  return ours.flatMap(({ rules }) => rules);
}

const blankless = (text: string): string => text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');

/** Octets as they are compared (2.2.2): unreserved ones bare, those outside ASCII encoded. */
function octets(text: string): string[] {
  const out: string[] = [];
  for (const [c] of text.matchAll(/%[0-9A-F]{2}|[\s\S]/gi)) {
    const decoded = c.length === 3 ? String.fromCharCode(Number.parseInt(c.slice(1), 16)) : c;
    const encoded = `%${decoded.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    if (/[A-Za-z0-9._~-]/.test(decoded)) out.push(decoded);
    else out.push(c.length === 3 || /[^:/?#[\]@!&'()+,;=*$]/.test(decoded) ? encoded : c);
  }
  return out;
}

/**
 * Whether these rules allow a path.
 * @param url path and query
 */
export function plainVerdict(rules: readonly PlainRule[], url: string): boolean {
  const target = octets(Buffer.from(url.replace(/#.*$/s, ''), 'utf8').toString('latin1'))
    .map((o) => (o === '*' ? '%2A' : o === '$' ? '%24' : o))
    .join('');
  if (target === '/robots.txt') return true;
  let best = { octets: -1, allow: true };
  for (const { allow, path } of rules) {
    const anchored = path.endsWith('$');
    const parts = octets(anchored ? path.slice(0, -1) : path).map((o) => (o === '$' ? '%24' : o));
    const source = parts.map((o) => (o === '*' ? '.*' : o.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))).join('');
    if (!new RegExp(`^${source}${anchored ? '$' : ''}`, 's').test(target)) continue;
    const size = parts.join('').length + (anchored ? 1 : 0);
    if (size > best.octets || (size === best.octets && allow)) best = { octets: size, allow };
  }
  return best.allow;
}
