/**
 * The URL of a text, or null: what the URL Standard says, where Node's own parser does not.
 *
 * Not by `URL.canParse`: once Node 20 has optimised a call of it, it reads texts such as `http://b\u00fccher.example/` in
 * the wrong encoding and refuses them. And Node 20 leaves the dot segments of a path alone that come after one that
 * begins with a dot (`/a/.well-known/../b`); here they are resolved.
 * @param base what a relative one is resolved against
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return null;
  }
  const path = url.pathname;
  if (path.includes('/.') && DOT_SEGMENT.test(path) && /^https?:$/.test(url.protocol)) {
    url.pathname = withoutDotSegments(path);
  }
  return url;
}

const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

/** URL Standard, 4.4, path state: `.` goes, `..` takes the segment before it along; the last one leaves a slash. */
function withoutDotSegments(path: string): string {
  const segments = path.slice(1).split('/');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  const last = segments.at(-1);
  if (last === '.' || last === '..') kept.push('');
  return `/${kept.join('/')}`;
}
