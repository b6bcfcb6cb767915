// @ts-check
// Shows dates and times in the reader's language and zone. The server's text is in UTC, and so is the title on hover.
// The browser paints the page after this script (`blocking="render"`), so no text moves.

const DATE = /** @type {const} */ ({ day: 'numeric', month: 'short', year: 'numeric' });
const CLOCK = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit' });

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const FORMATS = {
  // A date is the same day in every zone.
  date: { ...DATE, timeZone: 'UTC' },
  day: DATE,
  time: { ...DATE, ...CLOCK, timeZoneName: 'short' },
};

/** @param {string} at @param {string} [format] */
const timeText = (at, format = at.length === 10 ? 'date' : 'time') =>
  new Date(at).toLocaleString(navigator.language, FORMATS[format]);

/** @type {NodeListOf<HTMLTimeElement>} */
const times = document.querySelectorAll('time[data-local]');
for (const time of times) {
  if (time.dataset.local !== 'date') time.title = time.dateTime;
  time.textContent = timeText(time.dateTime, time.dataset.local);
  time.lang = navigator.language;
}

// An option can hold no element, so its time is replaced in its text.
/** @type {NodeListOf<HTMLOptionElement>} */
const options = document.querySelectorAll('option[data-at]');
for (const option of options) {
  const { at = '', atText = '' } = option.dataset;
  option.textContent = option.text.replace(atText, timeText(at));
}

/** The moment shown, for time-bar.js. @type {HTMLElement | null} */
const bar = document.querySelector('[data-moment]');
if (bar?.dataset.moment !== undefined) bar.dataset.momentText = timeText(bar.dataset.moment);
