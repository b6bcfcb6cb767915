/** The stories of the demo's people, on embedded stores. */
import { startBrowser } from '../support/web/browser.ts';
import { runDemoStories } from '../support/web/demo-stories.ts';

const browser = await startBrowser();
if (browser) runDemoStories(browser, 'embedded stores', {});
