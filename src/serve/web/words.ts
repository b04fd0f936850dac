/** Numbers, sizes and times as people read them. */
const counts = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (n: number): string => (Math.abs(n) < 1e6 ? counts.format(n) : short.format(n));
export const rate = (n: number): string => (n < 10 ? n.toFixed(1) : counts.format(Math.round(n)));
export const percent = (share: number): string => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;

export function span(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} days`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
export const timeOf = (ms: number): string => clock.format(ms);
export const dateOf = (ms: number): string => day.format(ms);

/** Text of a stranger on one line: control characters and those that turn the reading direction are made visible. */
export const plain = (text: string): string =>
  text.replace(/[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
