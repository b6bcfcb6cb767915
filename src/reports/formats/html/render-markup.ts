import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';

/** Characters that no document may contain. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Renders an element. Control characters in texts are replaced by U+FFFD. */
export function renderMarkup(element: VNode): string {
  return renderToString(element).replace(CONTROLS, '\uFFFD');
}

/** Inserts markup that was rendered before, or a style sheet. It is not escaped again. */
export function Rendered({ markup }: { markup: string }): VNode {
  return jsxTemplate([markup]);
}

const SLOT = /<!--slot (\d+)-->/g;

/** Marks the place of long markup, which `fillSlots` inserts. Texts can't look like a slot, because they are escaped. */
export function Slot({ index }: { index: number }): VNode {
  return jsxTemplate([`<!--slot ${index}-->`]);
}

/** Replaces each slot by the markup of its index. So long markup is not copied and searched again. */
export function fillSlots(markup: string, contents: readonly string[]): string {
  return markup.replace(SLOT, (_, index: string) => contents[Number(index)]!);
}
