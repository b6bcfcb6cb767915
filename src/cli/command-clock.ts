import { openClock } from '../app/clock/open-clock.ts';
import { doubtText } from '../clock/clock-in-doubt.ts';
import type { ServiceClock } from '../clock/service-clock.ts';
import type { StoreSettings, Stores } from '../stores/open.ts';
import type { Shell } from './command.ts';

/** Opens the clock for a command. A command that writes also calls `waitForClock`. */
export function openCommandClock(settings: StoreSettings, stores: Stores): Promise<ServiceClock> {
  const ignore = () => undefined;
  return openClock(settings, stores, { info: ignore, warn: ignore });
}

/** Waits until the machine's clock is trusted, and says so. Commands can't answer "unavailable" and be called again. */
export async function waitForClock(clock: ServiceClock, shell: Shell): Promise<void> {
  const { status } = clock.state;
  if (status === 'TRUSTED') return;
  shell.err(doubtText(status));
  await clock.whenTrusted();
}
