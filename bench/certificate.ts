/** A certificate for the hosts of a secure synthetic web, and the authority that the crawler is told to trust. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { SECURE_GROUPS } from '../src/sim/web.js';

export interface Certificate {
  /** Files, PEM. The certificate is its own authority: `NODE_EXTRA_CA_CERTS`. */
  readonly key: string;
  readonly cert: string;
}

/** Makes both with openssl, by P-256 as most sites have it now.
 * @throws Error if there is no openssl */
export function makeCertificate(folder: string): Certificate {
  const [key, cert] = [join(folder, 'server.key'), join(folder, 'server.pem')];
  const names = SECURE_GROUPS.map((domain) => `DNS:*.${domain}`).join(',');
  const args = ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'];
  args.push('-subj', '/CN=saunter bench', '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert);
  execFileSync('openssl', args, { stdio: 'pipe' });
  return { key, cert };
}
