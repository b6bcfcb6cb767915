// @ts-check
// The command palette: Ctrl+K or ⌘K searches records, pages and actions from anywhere. Its results are those of the search
// page. It follows the combobox pattern: the focus stays in the field, and the arrows move among the options.

const DEBOUNCE_MS = 150;

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

class Palette {
  /** The options of the list, and the one that Enter opens; -1 for none. @type {HTMLAnchorElement[]} */
  #options = [];
  #active = -1;
  /** The text whose results are listed. @type {string | null} */
  #listedQuery = null;
  #request = new AbortController();
  #timer = 0;

  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog;
    this.form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
    this.field = /** @type {HTMLInputElement} */ (dialog.querySelector('[role=combobox]'));
    this.status = /** @type {HTMLElement} */ (dialog.querySelector('[role=status]'));
    this.list = /** @type {HTMLElement} */ (dialog.querySelector('[role=listbox]'));
    this.field.addEventListener('keydown', (event) => this.#press(event));
    this.field.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), DEBOUNCE_MS);
    });
    dialog.addEventListener('close', () => this.#request.abort());
    dialog.addEventListener('click', ({ target }) => {
      // The dialog's children cover all of it, so this was beside it.
      if (target === dialog) dialog.close();
    });
  }

  toggle() {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.dialog.showModal();
    this.field.select();
    this.#search();
  }

  async #search() {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const query = this.field.value;
    try {
      const isFound = this.#show(await fetchResults(this.form, signal));
      this.#listedQuery = query;
      this.#activate(query.trim() === '' || !isFound ? -1 : 0);
    } catch {
      if (!signal.aborted) this.status.textContent = 'The search failed. Press Enter to open it as a page.';
    }
  }

  /**
   * Lists results. Returns false if there are none, or only next steps.
   * @param {HTMLElement} results
   */
  #show(results) {
    const status = results.querySelector('[data-status]');
    const isNothing = status?.hasAttribute('data-nothing') ?? false;
    this.status.textContent = status?.textContent ?? '';
    status?.remove();
    this.list.replaceChildren(...results.childNodes);
    this.#options = makeOptions(this.list);
    this.#active = -1;
    return !isNothing && this.#options.length > 0;
  }

  /** @param {number} index */
  #activate(index) {
    this.#options[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = index;
    const option = this.#options[index];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    this.field.setAttribute('aria-expanded', String(this.#options.length > 0));
    this.field.setAttribute('aria-activedescendant', option?.id ?? '');
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { length } = this.#options;
    if (event.key === 'ArrowDown' && length > 0) this.#activate((this.#active + 1) % length);
    else if (event.key === 'ArrowUp' && length > 0) this.#activate((Math.max(this.#active, 0) - 1 + length) % length);
    else if (event.key === 'Enter' && this.#isCurrent()) this.#options[this.#active]?.click();
    else return;
    event.preventDefault();
  }

  /** Without the results of its text, Enter sends the form to the search page, as it does without script. */
  #isCurrent() {
    return this.#active >= 0 && this.#listedQuery === this.field.value;
  }
}

/**
 * Returns the results for the form's text, as the search page shows them.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} signal
 */
async function fetchResults(form, signal) {
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
  address.searchParams.set('part', 'results');
  // A redirect would lead to the sign-in page.
  const answer = await fetch(address, { signal, redirect: 'error' });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html').body;
}

/**
 * Turns lists of links into the groups and options of a listbox, and returns the options.
 * @param {HTMLElement} list
 */
function makeOptions(list) {
  for (const group of list.querySelectorAll('section')) group.setAttribute('role', 'group');
  for (const part of list.querySelectorAll('h2, ul, li')) part.setAttribute('role', 'presentation');
  const options = [...list.querySelectorAll('a')];
  for (const [index, option] of options.entries()) {
    option.id = `option-${index}`;
    option.tabIndex = -1;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
  }
  return options;
}

/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector('dialog.palette');
/** @type {HTMLAnchorElement | null} */
const link = document.querySelector('a[data-palette]');
if (dialog !== null && link !== null) {
  const palette = new Palette(dialog);
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    palette.toggle();
  });
  document.addEventListener('keydown', (event) => {
    const isChord = (isApple ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey;
    if (!isChord || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    palette.toggle();
  });
  const hint = /** @type {HTMLElement} */ (link.querySelector('kbd'));
  hint.textContent = isApple ? '⌘K' : 'Ctrl K';
  hint.hidden = false;
}
