/**
 * The schema of `crawl.sqlite` (DESIGN 8; described for readers in docs/store.md). Tables only grow, in the order of
 * their INTEGER PRIMARY KEY, which is the row's ordinal: an insert appends to the last page. No table has another
 * index: the same rows under a random key cost 28 us instead of 2 and write 80 times the bytes.
 */
import { UserError } from '../errors.js';
import type { Database } from './database.js';

/** 'SNTR' in the header of the file: `file` and SQLite's own tools can tell whose it is. */
export const APPLICATION_ID = 0x534e5452;
/** Version of the tables. A file of an older version is migrated on opening for writing, one of a newer is refused. */
export const SCHEMA_VERSION = 5;

/** Version 2: what the parse stage says when it reads a body again. */
const REPARSED = `
CREATE TABLE reparsed (
  id INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  visit INTEGER NOT NULL, at INTEGER NOT NULL, parser INTEGER NOT NULL,
  charset TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL, simhash TEXT,
  text_segment INTEGER, text_offset INTEGER, text_length INTEGER,
  indexable INTEGER NOT NULL, links INTEGER NOT NULL, ai_preferences TEXT, fields TEXT
) STRICT;
`;

/** Version 5: before it the seeds were one value of `meta`, which still counts. */
const SEEDS = `
CREATE TABLE seeds (n INTEGER PRIMARY KEY, batch INTEGER NOT NULL, url INTEGER NOT NULL) STRICT;
`;

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- One row: which batch was committed last. 'batch' counts commits over all epochs; every row says which wrote it.
CREATE TABLE last_batch (
  only INTEGER PRIMARY KEY CHECK (only = 0),
  epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, batch INTEGER NOT NULL
) STRICT;
INSERT INTO last_batch VALUES (0, 0, 0, 0);

CREATE TABLE hosts (
  id INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  name TEXT NOT NULL, domain TEXT NOT NULL, named INTEGER NOT NULL, budget INTEGER, at INTEGER NOT NULL
) STRICT;

CREATE TABLE urls (
  id INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  partition INTEGER NOT NULL, host INTEGER NOT NULL, key_hi INTEGER NOT NULL, key_lo INTEGER NOT NULL,
  kind TEXT NOT NULL, level INTEGER NOT NULL, depth INTEGER NOT NULL, hops INTEGER NOT NULL, via INTEGER NOT NULL,
  url TEXT NOT NULL
) STRICT;

CREATE TABLE requests (
  id INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  url INTEGER NOT NULL, host INTEGER NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL,
  started INTEGER NOT NULL, ended INTEGER NOT NULL, status INTEGER NOT NULL, code TEXT NOT NULL,
  bytes INTEGER NOT NULL, delay REAL NOT NULL, address_delay REAL NOT NULL,
  record_segment INTEGER, record_offset INTEGER, record_length INTEGER
) STRICT;

CREATE TABLE visits (
  id INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  url INTEGER NOT NULL, kind TEXT NOT NULL, request INTEGER NOT NULL, at INTEGER NOT NULL,
  status INTEGER NOT NULL, code TEXT NOT NULL,
  final_url TEXT, content_type TEXT NOT NULL, charset TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL,
  content_hash BLOB, payload_digest BLOB, simhash TEXT, etag TEXT, last_modified TEXT,
  record_segment INTEGER, record_offset INTEGER, record_length INTEGER,
  text_segment INTEGER, text_offset INTEGER, text_length INTEGER,
  changed INTEGER NOT NULL, duplicate_of INTEGER NOT NULL, indexable INTEGER NOT NULL, next_visit INTEGER,
  bytes INTEGER NOT NULL, links INTEGER NOT NULL, ai_preferences TEXT,
  parser INTEGER NOT NULL DEFAULT 1, fields TEXT, near INTEGER NOT NULL DEFAULT 0,
  body_of INTEGER NOT NULL DEFAULT -1, history TEXT
) STRICT;

CREATE TABLE robots (
  n INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  origin TEXT NOT NULL, host INTEGER NOT NULL, at INTEGER NOT NULL, request INTEGER NOT NULL,
  status INTEGER NOT NULL, code TEXT NOT NULL, body BLOB, failures INTEGER NOT NULL, failing_since INTEGER
) STRICT;

CREATE TABLE host_events (
  n INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  host INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, until INTEGER NOT NULL, value REAL NOT NULL,
  words TEXT NOT NULL
) STRICT;

CREATE TABLE denied (
  n INTEGER PRIMARY KEY, batch INTEGER NOT NULL, url INTEGER NOT NULL, at INTEGER NOT NULL, denied INTEGER NOT NULL
) STRICT;

CREATE TABLE dead_letters (
  n INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  url INTEGER NOT NULL, at INTEGER NOT NULL, dead INTEGER NOT NULL, code TEXT NOT NULL, history TEXT NOT NULL
) STRICT;

CREATE TABLE segments (
  n INTEGER PRIMARY KEY, batch INTEGER NOT NULL,
  id INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, closed INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT;
`;

const iso = (ms: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;

/** For people, not for the crawler: a view looks at every row of its tables (about 3 us each). */
const VIEWS = `
-- One row per known URL, by its last visit; content and fingerprint by the last visit that brought a body.
-- change_score: the part of its revisits that found a change.
CREATE VIEW pages AS
SELECT h.name AS host, printf('%08x%08x', u.key_hi, u.key_lo) AS url_hash, u.url,
  CASE WHEN b.content_hash IS NOT NULL THEN lower(hex(b.content_hash)) END AS content_hash, b.simhash, v.etag,
  ${iso('v.at')} AS last_fetched,
  (s.changes - f.changed) * 1.0 / nullif(s.visits - 1, 0) AS change_score,
  ${iso('v.next_visit')} AS next_fetch,
  v.status, v.code, v.content_type, b.title, u.depth, coalesce(s.visits, 0) AS visits,
  nullif(v.duplicate_of, -1) AS duplicate_of, u.id
FROM urls u
JOIN hosts h ON h.id = u.host
LEFT JOIN (
  SELECT url, min(id) AS first, max(id) AS last, count(*) AS visits, sum(changed) AS changes,
    max(id) FILTER (WHERE content_hash IS NOT NULL) AS body
  FROM visits GROUP BY url
) s ON s.url = u.id
LEFT JOIN visits f ON f.id = s.first
LEFT JOIN visits v ON v.id = s.last
LEFT JOIN visits b ON b.id = s.body;

-- One row per host name: the robots.txt in force (the last good one while it fails), the delay after its last request,
-- its budget, the last event.
CREATE VIEW hosts_now AS
SELECT h.name AS host, CAST(CASE WHEN r.failures = 0 THEN r.body ELSE g.body END AS TEXT) AS robots_txt, ${iso('r.at')} AS robots_fetched,
  q.delay AS delay_ms, h.budget AS url_budget,
  h.domain, r.status AS robots_status, r.code AS robots_code, coalesce(lq.requests, 0) AS requests,
  e.kind AS last_event, CASE WHEN e.until > 0 THEN ${iso('e.until')} END AS rests_until, h.id
FROM hosts h
LEFT JOIN (
  SELECT host, max(n) AS last, max(n) FILTER (WHERE failures = 0) AS good FROM robots GROUP BY host
) lr ON lr.host = h.id
LEFT JOIN robots r ON r.n = lr.last
LEFT JOIN robots g ON g.n = lr.good
LEFT JOIN (SELECT host, max(id) AS last, count(*) AS requests FROM requests GROUP BY host) lq ON lq.host = h.id
LEFT JOIN requests q ON q.id = lq.last
LEFT JOIN (SELECT host, max(n) AS last FROM host_events GROUP BY host) le ON le.host = h.id
LEFT JOIN host_events e ON e.n = le.last;
`;

const pragma = (db: Database, name: string): number =>
  (db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;

const isEmpty = (db: Database): boolean =>
  (db.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number }).n === 0;

/** Creates the tables in an empty file, in one transaction: a kill leaves an empty file or a store. */
export function createSchema(db: Database): void {
  db.exec(`BEGIN IMMEDIATE;${TABLES}${REPARSED}${SEEDS}${VIEWS}
    INSERT INTO meta VALUES ('schema', '${SCHEMA_VERSION}');
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT;`);
}

/** What each version added to the one before it: version 2 the readings, 3 near-duplicates, 4 what revisits
 * saw, 5 the seeds. */
const STEPS: Readonly<Record<number, string>> = {
  2: `ALTER TABLE visits ADD COLUMN parser INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE visits ADD COLUMN fields TEXT;
    ${REPARSED}`,
  3: 'ALTER TABLE visits ADD COLUMN near INTEGER NOT NULL DEFAULT 0;',
  4: `ALTER TABLE visits ADD COLUMN body_of INTEGER NOT NULL DEFAULT -1;
    ALTER TABLE visits ADD COLUMN history TEXT;`,
  5: SEEDS,
};

/** Brings a file of an older version up to date, in one transaction. */
export function migrate(db: Database): void {
  const steps = Object.entries(STEPS).filter(([version]) => Number(version) > pragma(db, 'user_version'));
  db.exec(`BEGIN IMMEDIATE;
    ${steps.map(([, step]) => step).join('\n')}
    UPDATE meta SET value = '${SCHEMA_VERSION}' WHERE key = 'schema';
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT;`);
}

/**
 * Checks that an open file is a Saunter store that this version reads.
 * @returns 'empty' for a file without any table (a crawl that was killed while it made its store), 'older' for one that
 *   {@link migrate} has to bring up to date first.
 * @throws UserError for the file of another program, and for one of a newer Saunter.
 */
export function checkSchema(db: Database, path: string): 'store' | 'older' | 'empty' {
  const application = pragma(db, 'application_id');
  if (application === 0 && isEmpty(db)) return 'empty';
  if (application !== APPLICATION_ID) {
    throw new UserError(
      `${path} is an SQLite database of another program, not a Saunter store. Name another directory.`,
    );
  }
  const version = pragma(db, 'user_version');
  if (version > SCHEMA_VERSION) {
    throw new UserError(
      `${path} was written by a newer Saunter (store version ${version}; this one reads up to ${SCHEMA_VERSION}). Upgrade Saunter, or name another directory.`,
    );
  }
  return version < SCHEMA_VERSION ? 'older' : 'store';
}
