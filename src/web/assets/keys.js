// @ts-check
// Keys: `/` goes to the page's search, `j` and `k` move through its rows, `?` lists all keys. They rest while somebody
// types. Speech input may type single keys by accident, so the list of keys can switch them off (WCAG 2.1.4).

const SETTING = 'veritrail-single-keys';
const OFF = 'off';

const KEYS = [
  ['Search records, pages and actions', 'Ctrl K', '⌘ K'],
  ['Search this page', '/'],
  ['Next row, previous row', 'j', 'k'],
  ['Open the row', 'Enter'],
  ['Time bar: one change earlier, later', '←', '→'],
  ['Time bar: one audit earlier, later', 'Shift ←', 'Shift →'],
  ['List the keys', '?'],
  ['Close', 'Esc'],
];

/** @type {HTMLDialogElement | null} */
let keyList = null;

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || isInUse(event) || localStorage.getItem(SETTING) === OFF) return;
  if (event.key === '/') goToSearch(event);
  if (event.key === 'j') moveRow(1);
  if (event.key === 'k') moveRow(-1);
  if (event.key === '?') showKeys();
});

document.querySelector('[data-keys]')?.addEventListener('click', ({ currentTarget }) => {
  /** @type {Element} */ (currentTarget).closest('dialog')?.close();
  showKeys();
});

/**
 * Returns true if the key belongs to the browser, a field or a dialog.
 * @param {KeyboardEvent} event
 */
function isInUse({ target, ctrlKey, metaKey, altKey, isComposing }) {
  const isTyping = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
  return isTyping || ctrlKey || metaKey || altKey || isComposing || document.querySelector('dialog[open]') !== null;
}

/** @param {KeyboardEvent} event */
function goToSearch(event) {
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector('[data-search]');
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
}

/**
 * Moves the focus to the link of the next or previous row, seen from the focus. Enter then opens it.
 * @param {1 | -1} step
 */
function moveRow(step) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll('main a[data-row]');
  const rows = [...links];
  const focus = document.activeElement ?? document.body;
  const isAfter = (/** @type {Element} */ row) =>
    (focus.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = step === 1 ? rows.find(isAfter) : rows.findLast((row) => row !== focus && !isAfter(row));
  next?.focus();
}

function showKeys() {
  if (keyList === null) {
    keyList = makeKeyList();
    document.body.append(keyList);
  }
  keyList.showModal();
}

function makeKeyList() {
  const dialog = element('dialog', element('h2', 'Keys'), element('dl', ...KEYS.map(keyRow)), singleKeysChoice());
  dialog.className = 'keys';
  dialog.setAttribute('aria-label', 'Keys');
  const close = element('button', 'Close');
  close.addEventListener('click', () => dialog.close());
  dialog.append(close);
  return dialog;
}

/** @param {string[]} row */
function keyRow([meaning = '', ...keys]) {
  return element('div', element('dt', meaning), element('dd', ...keys.map((key) => element('kbd', key))));
}

function singleKeysChoice() {
  const choice = element('input');
  choice.type = 'checkbox';
  choice.checked = localStorage.getItem(SETTING) !== OFF;
  choice.addEventListener('change', () => {
    if (choice.checked) localStorage.removeItem(SETTING);
    else localStorage.setItem(SETTING, OFF);
  });
  const label = element('label', choice, element('span', 'Use the keys / j k ? in this browser'));
  label.className = 'choice';
  return label;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {(string | Node)[]} children
 */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}
