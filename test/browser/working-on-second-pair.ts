/**
 * People who work in the browser alone, on the second pair of stores. It takes minutes, so it runs only by its name:
 *
 *     tsx test/browser/working-on-second-pair.ts
 */
import { startSecondPair } from '../support/stores/pairs.ts';
import { startBrowser } from '../support/web/browser.ts';
import { runWorkingStories } from '../support/web/working-stories.ts';

const browser = await startBrowser();
const second = await startSecondPair();
await second?.close();
if (browser && second) runWorkingStories(browser, second.name, startSecondPair);
