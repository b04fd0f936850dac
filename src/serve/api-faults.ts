/** What is wrong with a request to the API, in words for whoever wrote it. */

/** As much of an issue of the schema library as is told; its own texts speak of types. */
interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly input?: unknown;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly origin?: string;
}

const KINDS: Readonly<Record<string, string>> = {
  ...{ array: 'a list', string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  object: 'an object in JSON',
};

/** Where the fault is (empty: the whole request), and a clause that follows its name. */
export function faultOf(issue: Issue): { at: string; message: string } {
  return { at: issue.path.join('.'), message: clause(issue) };
}

function clause(issue: Issue): string {
  const { code, message, expected = '', values = [], keys = [], minimum, maximum, origin } = issue;
  if (code === 'invalid_type') {
    const kind = KINDS[expected] ?? expected;
    return /received undefined$/.test(message) ? `is missing: give ${kind}` : `has to be ${kind}`;
  }
  if (code === 'invalid_value') return `has to be one of ${values.join(', ')}`;
  if (code === 'unrecognized_keys') return `there is no ${keys.join(', ')}`;
  if (code === 'too_small') return `${amount(origin, 'at least')} ${minimum}${unit(origin)}`;
  if (code === 'too_big') return `${amount(origin, 'at most')} ${maximum}${unit(origin)}`;
  return message;
}

const amount = (origin: string | undefined, bound: string): string =>
  origin === 'number' || origin === 'int' ? `has to be ${bound}` : `has to have ${bound}`;

const unit = (origin: string | undefined): string =>
  origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '';
