// @ts-check
// The time bar as a slider: dragging shows the date under the pointer, and releasing goes there. The arrow keys go one change
// earlier or later, with Shift one audit. They follow the links beside the bar, so each step is a page of its own.

const ID = 'time-bar';
const STEPS = new Map([
  ['ArrowLeft', 'earlier'],
  ['ArrowRight', 'later'],
]);

class TimeBar {
  /** The step under the pointer while it drags; null otherwise. @type {number | null} */
  #dragged = null;
  #date = document.createElement('output');
  #hand = document.createElement('span');

  /** @param {HTMLElement} bar */
  constructor(bar) {
    this.bar = bar;
    this.days = (bar.dataset.days ?? '').split(' ');
    this.#hand.className = 'dragged';
    this.#hand.append(this.#date);
    this.#hand.hidden = true;
    bar.append(this.#hand);
    this.#becomeSlider();
    bar.addEventListener('keydown', (event) => this.#press(event));
    bar.addEventListener('dragstart', (event) => event.preventDefault());
    bar.addEventListener('pointerdown', (event) => this.#grab(event));
    bar.addEventListener('pointermove', ({ clientX }) => {
      if (this.#dragged !== null) this.#drag(clientX);
    });
    bar.addEventListener('pointerup', () => this.#release());
    bar.addEventListener('pointercancel', () => this.#letGo());
    // A click that the pointer began here was answered when it ended.
    bar.addEventListener('click', (event) => {
      if (!isModified(event)) event.preventDefault();
    });
  }

  #becomeSlider() {
    const shown = Number(this.bar.dataset.shown);
    // Beside the bar's links, because a slider may contain no other control.
    const slider = document.createElement('span');
    this.bar.append(slider);
    const attributes = {
      class: 'slider',
      role: 'slider',
      tabindex: '0',
      'aria-label': 'Moment shown',
      'aria-valuemin': '0',
      'aria-valuemax': String(this.days.length - 1),
      'aria-valuenow': String(shown),
      // The moment itself. The bar's last day may be days later.
      'aria-valuetext': this.bar.dataset.moment === undefined ? 'Today' : timeText(this.bar.dataset.moment),
    };
    for (const [name, value] of Object.entries(attributes)) slider.setAttribute(name, value);
    if (location.hash !== `#${ID}`) return;
    // An arrow key led here, so the next one goes on from here.
    slider.focus({ preventScroll: true });
    history.replaceState(null, '', location.pathname + location.search);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const step = STEPS.get(event.key);
    if (event.key === 'Escape') this.#letGo();
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.repeat) return;
    const name = event.shiftKey ? `${step}-audit` : step;
    /** @type {HTMLAnchorElement | null | undefined} */
    const link = this.bar.parentElement?.querySelector(`a[data-step="${name}"]`);
    if (link) location.assign(`${link.href}#${ID}`);
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    if (event.button !== 0 || isModified(event)) return;
    this.bar.setPointerCapture(event.pointerId);
    this.#drag(event.clientX);
  }

  /** @param {number} x */
  #drag(x) {
    const { left, width } = this.bar.getBoundingClientRect();
    const { length } = this.days;
    this.#dragged = Math.min(length - 1, Math.max(0, Math.floor(((x - left) / width) * length)));
    this.#hand.hidden = false;
    // In the second half the date stands before the hand, so that it stays on the page.
    this.#hand.classList.toggle('late', this.#dragged > length / 2);
    this.#hand.style.left = `${((this.#dragged + 0.5) / length) * 100}%`;
    this.#date.textContent = timeText(this.days[this.#dragged] ?? '');
  }

  #release() {
    if (this.#dragged === null) return;
    const address = new URL(this.bar.dataset.address ?? '', location.href);
    // The last step is today.
    if (this.#dragged < this.days.length - 1) address.searchParams.set('as_of', this.days[this.#dragged] ?? '');
    this.#letGo();
    location.assign(address);
  }

  #letGo() {
    this.#dragged = null;
    this.#hand.hidden = true;
  }
}

/** @param {MouseEvent} event that asks for another tab or window */
function isModified(event) {
  return event.ctrlKey || event.metaKey || event.shiftKey;
}

const bar = document.getElementById(ID);
if (bar !== null) new TimeBar(bar);
