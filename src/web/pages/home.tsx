/** @jsxRuntime automatic @jsxImportSource preact */
import type { WebParts } from '../parts.ts';
import { openGet, type Route } from '../visit.ts';

export const homePage = (_parts: WebParts): Route[] => [
  openGet('/', () => ({ title: 'veritrail', plain: true, body: <p>A compliance register.</p> })),
];
