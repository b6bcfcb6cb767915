// @ts-check
// Suggests records while their number or name is typed, by the search page. Without this, the form names those that may be
// meant when it is sent.

const SUGGEST_AFTER_MS = 150;
const MAX_SUGGESTIONS = 12;

/** @param {HTMLInputElement} field */
function suggestRecords(field) {
  const list = document.createElement('datalist');
  list.id = `${field.id}-suggestions`;
  field.after(list);
  field.setAttribute('list', list.id);
  let request = new AbortController();
  let timer = 0;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      request.abort();
      request = new AbortController();
      const address = new URL(/** @type {string} */ (field.dataset.suggest), location.href);
      address.searchParams.set('q', field.value);
      address.searchParams.set('part', 'results');
      try {
        const answer = await fetch(address, { signal: request.signal, redirect: 'error' });
        if (answer.ok) list.replaceChildren(...optionsIn(await answer.text()));
      } catch {
        // The form works without suggestions.
      }
    }, SUGGEST_AFTER_MS);
  });
}

/**
 * Returns an option for each record that a search found: its number, or its name without one.
 * @param {string} html
 */
function optionsIn(html) {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const records = [...body.querySelectorAll('a:has(> .title)')].slice(0, MAX_SUGGESTIONS);
  return records.map((record) => {
    const [number, title] = ['.number', '.title'].map((part) => record.querySelector(part)?.textContent?.trim() ?? '');
    const option = document.createElement('option');
    option.value = number || title || '';
    option.label = `${number ? `${number} ` : ''}${title}`;
    return option;
  });
}

for (const field of document.querySelectorAll('input[data-suggest]'))
  suggestRecords(/** @type {HTMLInputElement} */ (field));
