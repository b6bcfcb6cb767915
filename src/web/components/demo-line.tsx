/** The page with the people of the demo. */
export const DEMO_PATH = '/demo';

/** The line above all pages for somebody who is signed in as a person of the demo. */
export function DemoLine({ name }: { name: string }) {
  return (
    <aside class="demo" aria-label="Demo">
      Demo: made-up history. You look as {name}. <a href={DEMO_PATH}>Look as somebody else</a>
    </aside>
  );
}
