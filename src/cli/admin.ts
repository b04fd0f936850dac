/** The dashboard and the API of a crawl that runs, where `--admin` asks for them. */
import type { CrawlOptions } from '../crawl-options.js';
import type { Attendant } from '../embedded/run.js';
import { UserError } from '../errors.js';

const LEAST_TOKEN = 16;

/** Stands beside a crawl together with `also`. The modules of the API are loaded only if it is wanted.
 * @param tell says where the dashboard is, to a terminal or not: without the token nobody gets in
 * @throws UserError for a token that can be guessed, or a port that cannot be had */
export const administered =
  ({ config }: CrawlOptions, tell: (sentence: string) => void, also: Attendant, environment = process.env): Attendant =>
  async (opened) => {
    const other = await also(opened);
    if (config.admin === Number.POSITIVE_INFINITY) return other;
    try {
      const [{ Steering }, { serveApi }, { newToken }] = await Promise.all([
        import('../embedded/steering.js'),
        import('../serve/api-server.js'),
        import('../serve/api-access.js'),
      ]);
      const given = environment.SAUNTER_TOKEN;
      if (given !== undefined && given.length < LEAST_TOKEN) {
        throw new UserError(
          `SAUNTER_TOKEN must have at least ${LEAST_TOKEN} characters: this one could be guessed.`,
          2,
        );
      }
      const token = given ?? newToken();
      const steering = new Steering(opened);
      const address = config.adminAddress ?? '127.0.0.1';
      const server = await serveApi(steering, { address, port: config.admin, token });
      // behind the #, so that no browser sends it anywhere
      tell(
        `Dashboard: ${server.url}${given === undefined ? `#token=${token}` : ' (the token is that of SAUNTER_TOKEN)'}`,
      );
      return {
        close: async () => {
          steering.close();
          await server.close();
          await other.close();
        },
      };
    } catch (error) {
      await other.close();
      throw error;
    }
  };
