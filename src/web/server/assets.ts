import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type Router from '@koa/router';
import { notFound } from '../../http/http-errors.ts';
import type { RequestState } from '../../http/request.ts';

const TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof TYPES;

interface Asset {
  type: string;
  text: string;
  hash: string;
}

const YEAR_SECONDS = 31_536_000;
const HASH_LENGTH = 16;

const ASSETS: ReadonlyMap<string, Asset> = new Map(
  Object.entries(TYPES).map(([name, type]) => {
    const text = readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');
    const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
    return [name, { type, text, hash }];
  }),
);

/** Returns the address of an asset. It contains a hash, so new content gets a new address. */
export function assetUrl(name: AssetName): string {
  return `/assets/${name}?v=${ASSETS.get(name)!.hash}`;
}

/** Serves the style sheet, the script and the icon. Browsers cache them for a year under the address with the hash. */
export function assetRoutes(router: Router<RequestState>): void {
  router.get('/assets/:name', (ctx) => {
    const asset = ASSETS.get(ctx.params.name ?? '');
    if (asset === undefined) throw notFound();
    const current = ctx.query.v === asset.hash;
    ctx.set('Cache-Control', current ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, no-cache');
    ctx.set('ETag', `"${asset.hash}"`);
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', asset.type);
    ctx.body = asset.text;
  });
}
