// Copy buttons and passkeys: the only two things that a page cannot do by itself.

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!navigator.clipboard) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const shown = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(shown.textContent);
      button.textContent = 'Copied';
    } catch {
      // Not allowed here: then it is marked, to be copied by hand.
      getSelection().selectAllChildren(shown);
      button.textContent = 'Marked: copy it now';
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

// A form for a passkey holds what the browser is to be asked as JSON; its answer goes back in the field `credential`.
const ASK = {
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
      const credential = await ASK[form.dataset.passkey](JSON.parse(form.dataset.options));
      form.elements.credential.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch {
      fault.hidden = false;
    }
  });
}
