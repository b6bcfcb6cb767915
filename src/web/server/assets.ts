import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type Router from '@koa/router';
import { bundleForBrowser } from '../../../bin/browser-bundle.js';
import { acceptsCoding } from '../../http/compression.ts';
import { notFound } from '../../http/http-errors.ts';
import { ASSETS_PATH, type RequestState } from '../../http/request.ts';
import { CHART_CSS } from '../../reports/charts/chart.tsx';

const BASE_STYLES = ['style.css', 'tables.css', 'controls.css'] as const;
const PAGE_SCRIPTS = ['local-time.js', 'app.js'];
const REGISTER_SCRIPTS = [...PAGE_SCRIPTS, 'palette.js', 'keys.js', 'time-bar.js', 'suggest.js'];

/**
 * The assets with the files that they consist of, in order. A page takes one style sheet and one script: `page` without
 * navigation, `register` in the frame, `proof` where a proof can be checked. The files of a script share one scope.
 */
const FILES = {
  'page.css': BASE_STYLES,
  'register.css': [
    ...BASE_STYLES,
    'charts.css',
    'frame.css',
    'lists.css',
    'record.css',
    'home.css',
    'drawings.css',
    'reports.css',
    'palette.css',
  ],
  'page.js': PAGE_SCRIPTS,
  'register.js': REGISTER_SCRIPTS,
  'proof.js': [...REGISTER_SCRIPTS, 'check-proof.js'],
  'verify.js': ['verify.js'],
  'icon.svg': ['icon.svg'],
} as const satisfies Record<string, readonly string[]>;

export type AssetName = keyof typeof FILES;

export const ASSET_NAMES = Object.keys(FILES) as AssetName[];

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

interface Asset {
  type: string;
  text: string;
  hash: string;
  /** The compressed forms that have been used so far, by content coding. */
  compressed: Map<Coding, Buffer>;
}

type Coding = 'br' | 'gzip';

const YEAR_SECONDS = 31_536_000;
const HASH_LENGTH = 16;

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ASSETS = new Map<AssetName, Asset>();

function assetOf(name: AssetName): Asset {
  let asset = ASSETS.get(name);
  if (asset === undefined) {
    const text = FILES[name].map(readAssetFile).join('\n');
    const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
    asset = { type: TYPES[name.split('.')[1]!]!, text, hash, compressed: new Map() };
    ASSETS.set(name, asset);
  }
  return asset;
}

function readAssetFile(name: string): string {
  if (name === 'charts.css') return CHART_CSS;
  const file = new URL(`../assets/${name}`, import.meta.url);
  // `npm run build` bundles verify.js. Where nothing is compiled, its first use does.
  return name === 'verify.js' && !existsSync(file)
    ? bundleForBrowser(ROOT, 'src/browser/verify.ts')
    : readFileSync(file, 'utf8');
}

/** Returns an asset's compressed form. Brotli is slow and small: `npm run build` writes it beside the asset. */
function compressedAsset(name: AssetName, coding: Coding): Buffer {
  const { text, compressed } = assetOf(name);
  let bytes = compressed.get(coding);
  if (bytes === undefined) {
    const built = new URL(`../assets/${name}.br`, import.meta.url);
    if (coding === 'gzip') bytes = gzipSync(text);
    else bytes = existsSync(built) ? readFileSync(built) : brotliCompressSync(text);
    compressed.set(coding, bytes);
  }
  return bytes;
}

function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(FILES, name);
}

/** Returns the address of an asset. It contains a hash, so new content gets a new address. */
export function assetUrl(name: AssetName): string {
  return `${ASSETS_PATH}${name}?v=${assetOf(name).hash}`;
}

/** Returns an asset's text. */
export const assetText = (name: AssetName): string => assetOf(name).text;

/** Returns an asset as a `data:` address, for clients that can't reach the service's own addresses. */
export function assetDataUrl(name: AssetName): string {
  const { type, text } = assetOf(name);
  return `data:${type};base64,${Buffer.from(text).toString('base64')}`;
}

/** Serves style sheets, scripts and icon. Browsers cache them for a year under the address with the hash. */
export function assetRoutes(router: Router<RequestState>): void {
  router.get(`${ASSETS_PATH}:name`, (ctx) => {
    const { name = '' } = ctx.params;
    if (!isAssetName(name)) throw notFound();
    const asset = assetOf(name);
    const isCurrent = ctx.query.v === asset.hash;
    ctx.set('Cache-Control', isCurrent ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, no-cache');
    ctx.vary('Accept-Encoding');
    const coding = (['br', 'gzip'] as const).find((known) => acceptsCoding(ctx.headers, known));
    ctx.set('ETag', `"${asset.hash}${coding === undefined ? '' : `-${coding}`}"`);
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', asset.type);
    if (coding !== undefined) ctx.set('Content-Encoding', coding);
    ctx.body = coding === undefined ? asset.text : compressedAsset(name, coding);
  });
}
