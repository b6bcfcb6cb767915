// Copy buttons, menus, the count of chosen rows, and passkeys. Everything else on the pages works without JavaScript.

/** Shows a text in place of an element's own for two seconds. */
const showFor2Seconds = (element, text) => {
  const label = element.textContent;
  element.textContent = text;
  setTimeout(() => {
    element.textContent = label;
  }, 2000);
};

// A link that is meant to be copied. If the browser refuses, it is opened.
for (const link of document.querySelectorAll('a[data-copy-link]')) {
  link.addEventListener('click', (event) => {
    if (!navigator.clipboard) return;
    event.preventDefault();
    navigator.clipboard.writeText(link.href).then(
      () => showFor2Seconds(link, 'Copied'),
      () => location.assign(link.href),
    );
  });
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      showFor2Seconds(button, 'Copied');
    } catch {
      // The browser refused. Select the text, so that the person can copy it.
      getSelection().selectAllChildren(source);
      showFor2Seconds(button, 'Selected: copy it now');
    }
  });
}

// The bar of chosen rows says how many they are.
for (const form of document.querySelectorAll('form.choose')) {
  const count = form.querySelector('[data-chosen]');
  const showCount = () => {
    const { length } = form.querySelectorAll('[name="ids"]:checked');
    count.textContent = form.querySelector('[name="all"]:checked') ? 'All chosen' : `${length} chosen`;
  };
  form.addEventListener('change', showCount);
  showCount();
}

// The Escape key and a click elsewhere close open menus.
for (const type of ['keydown', 'click']) {
  document.addEventListener(type, (event) => {
    if (type === 'keydown' && event.key !== 'Escape') return;
    for (const menu of document.querySelectorAll('details[open]:has(> .menu)')) {
      if (type === 'click' && menu.contains(event.target)) continue;
      if (menu.contains(document.activeElement)) menu.querySelector('summary').focus();
      menu.open = false;
    }
  });
}

// A menu that would leave the window moves back into it.
document.addEventListener(
  'toggle',
  ({ target }) => {
    const menu = target.querySelector(':scope > .menu');
    if (menu === null) return;
    menu.style.translate = '';
    const { left, right } = menu.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    menu.style.translate = `${Math.max(Math.min(0, clientWidth - right - 8), 8 - left)}px`;
    if (target.open) menu.scrollIntoView({ block: 'nearest' });
  },
  true,
);

// A passkey form has the request to the browser as JSON in data-options. The field `credential` returns the response.
const REQUESTS = {
  get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  create: (options) =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
};

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
  form.hidden = false;
  for (const note of document.querySelectorAll('[data-without-passkeys]')) note.hidden = true;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fault = form.querySelector('[data-fault]');
    fault.hidden = true;
    try {
      const credential = await REQUESTS[form.dataset.passkey](JSON.parse(form.dataset.options));
      form.elements.credential.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch {
      fault.hidden = false;
    }
  });
}
