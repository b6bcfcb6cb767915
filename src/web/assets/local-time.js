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

// An option and a title, also one in a drawing, can hold no element, so a time is replaced in their text.
/** @type {NodeListOf<HTMLElement | SVGElement>} */
const texts = document.querySelectorAll('option[data-at], title[data-at]');
for (const element of texts) {
  const { at = '', atText = '' } = element.dataset;
  element.textContent = (element.textContent ?? '').replace(atText, timeText(at));
}

/** The day of a column beside a cell on a phone. @type {NodeListOf<HTMLElement>} */
const cells = document.querySelectorAll('td[data-day]');
for (const { dataset } of cells) dataset.label = timeText(dataset.day ?? '');

/** The date and minute of a local time, as fields have it: 2026-11-26T09:30. @param {Date} time */
const fieldText = (time) =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);

// A field for a moment has days and minutes of the reader's zone, and sends their end. Without script both are in UTC.
/** @type {NodeListOf<HTMLInputElement>} */
const momentFields = document.querySelectorAll('input[data-moment-field]');
for (const field of momentFields) {
  const { length } = field.type === 'date' ? 'yyyy-mm-dd' : 'yyyy-mm-ddThh:mm';
  const { momentField: shown = '' } = field.dataset;
  field.max = fieldText(new Date()).slice(0, length);
  if (shown.length > 'yyyy-mm-dd'.length) field.value = fieldText(new Date(shown)).slice(0, length);
  field.addEventListener('input', () =>
    field.setCustomValidity(field.validity.rangeUnderflow ? `The history begins on ${timeText(field.min)}.` : ''),
  );
  field.form?.addEventListener('formdata', ({ formData }) => {
    const end = new Date(field.type === 'date' ? `${field.value}T23:59:59.999` : `${field.value}:59.999`);
    formData.set(field.name, end.getTime() < Date.now() ? end.toISOString() : '');
  });
}
for (const zone of document.querySelectorAll('[data-zone]')) {
  zone.textContent = new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
