// @ts-check
// Shows dates and times in the reader's language and zone. The server's text is in UTC, and so is the title on hover.
// The browser paints the page after this script (`blocking="render"`), so no text moves.

const DATE = /** @type {const} */ ({ day: 'numeric', month: 'short', year: 'numeric' });
const CLOCK = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit' });

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const FORMATS = {
  // A date is the same day in every zone.
  date: { ...DATE, timeZone: 'UTC' },
  time: { ...DATE, ...CLOCK, timeZoneName: 'short' },
  clock: CLOCK,
};

/** @type {NodeListOf<HTMLTimeElement>} */
const times = document.querySelectorAll('time[data-local]');
for (const time of times) {
  if (time.dataset.local !== 'date') time.title = time.dateTime;
  time.textContent = new Date(time.dateTime).toLocaleString(navigator.language, FORMATS[time.dataset.local ?? '']);
  time.lang = navigator.language;
}
