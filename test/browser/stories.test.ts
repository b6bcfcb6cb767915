/** The stories of the demo's people, on embedded stores. */
import { embeddedPair } from '../support/stores/pairs.ts';
import { startBrowser } from '../support/web/browser.ts';
import { runDemoStories } from '../support/web/demo-stories.ts';

const browser = await startBrowser();
if (browser) runDemoStories(browser, { ...embeddedPair(), pageTimeoutMs: 15_000 });
