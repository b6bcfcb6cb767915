/**
 * The stories of the demo's people, on the second pair of stores. It takes minutes, so it runs only by its name:
 *
 *     tsx test/browser/stories-on-second-pair.ts
 */
import { startSecondPair } from '../support/stores/pairs.ts';
import { startBrowser } from '../support/web/browser.ts';
import { runDemoStories } from '../support/web/demo-stories.ts';

const browser = await startBrowser();
const second = await startSecondPair();
if (browser && second) runDemoStories(browser, { ...second, pageTimeoutMs: 60_000 });
