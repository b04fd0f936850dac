import { defineConfig } from 'vite';

/** The dashboard: `src/serve/web` becomes `dist/serve/web`, which the API serves. */
export default defineConfig({
  root: 'src/serve/web',
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // nothing is written into the page itself: its security policy forbids it
  build: {
    outDir: '../../../dist/serve/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2022',
  },
});
