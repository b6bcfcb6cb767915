/** People who work in the browser alone, on embedded stores. */
import { startBrowser } from '../support/web/browser.ts';
import { runWorkingStories } from '../support/web/working-stories.ts';

const browser = await startBrowser();
if (browser) runWorkingStories(browser, 'embedded stores');
