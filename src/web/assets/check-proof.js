// Checks a change's proof in this browser. The code and the proof are loaded when the panel opens, so that the check
// works without a network.

const panel = document.querySelector('[data-proof]');
if (panel !== null) preparePanel(panel);

async function preparePanel({ dataset }) {
  const button = panel.querySelector('[data-check]');
  try {
    const [verifier, proof] = await Promise.all([import(dataset.verifier), readProof(dataset.proof)]);
    button.addEventListener('click', () => {
      const outcome = verifier.checkChangeOnPage(proof, pageTexts());
      show(panel.querySelector('[data-outcome]'), outcome);
      offerCheating(verifier, proof, outcome);
    });
    button.hidden = false;
  } catch {
    const text = 'The check could not be loaded. Reload the page, or use the standalone verifier.';
    show(panel.querySelector('[data-outcome]'), { result: 'UNSEALED', text });
  }
}

async function readProof(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

/** Returns what this page shows now, by part. A `data` element counts as its value, a time as the exact time in UTC. */
function pageTexts() {
  const elements = [...panel.querySelectorAll('[data-text]')];
  return new Map(
    elements.map((element) => [
      element.dataset.text,
      element.value ?? element.querySelector('time')?.dateTime ?? element.textContent,
    ]),
  );
}

function offerCheating(verifier, proof, { result, text }) {
  const section = panel.querySelector('[data-cheat]');
  if (!section.hidden) return;
  const copy = section.querySelector('textarea');
  copy.value = JSON.stringify(proof.events.at(-1), null, 2);
  const original = copy.value;
  section.hidden = false;
  copy.addEventListener('input', () => {
    const outcome = section.querySelector('[data-cheat-outcome]');
    // Two verdicts stand on the page then.
    show(panel.querySelector('[data-outcome]'), { result, text: `The original: ${text}` });
    if (copy.value === original) show(outcome, { result: 'UNSEALED', text: 'This is the event as it was recorded.' });
    else show(outcome, checkCopy(verifier, proof, copy.value));
  });
}

/** Checks the proof with an edited copy of its event. */
function checkCopy(verifier, proof, text) {
  const [event] = proof.events.slice(-1);
  try {
    return verifier.checkChangeOnPage({ ...proof, events: [...proof.events.slice(0, -1), JSON.parse(text)] }, null);
  } catch {
    const name = `${event.type}, revision ${event.revision} of ${event.stream}`;
    return {
      result: 'MISMATCH',
      text: `Does not match. The program can no longer read this copy as an event. (${name})`,
    };
  }
}

/** Shows an outcome. Its times are in UTC: the page shows them as all times, with the exact one on hover. */
function show(element, { result, text }) {
  element.dataset.result = result;
  const parts = text.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/);
  element.replaceChildren(...parts.map((part, index) => (index % 2 === 0 ? part : timeElement(part))));
}

const timeElement = (at) =>
  Object.assign(document.createElement('time'), { dateTime: at, title: at, textContent: timeText(at) });

const fileForm = document.querySelector('[data-verify-file]');
if (fileForm !== null) prepareFileForm(fileForm);

/** Verifies a chosen or dropped file here. The file is not sent. */
function prepareFileForm(form) {
  const [input, keys, outcome] = ['#file', '#keys', '[data-outcome]'].map((selector) => form.querySelector(selector));
  let newest = 0;
  const verify = async () => {
    const [file] = input.files;
    newest += 1;
    const run = newest;
    if (file === undefined) return show(outcome, { result: 'UNSEALED', text: '' });
    show(outcome, { result: 'UNSEALED', text: `Checking ${file.name} …` });
    const { verifyAnyFile } = await import(form.dataset.verifier);
    const { result, text } = await verifyAnyFile(file, keys.value);
    // A later file, or other keys, make this outcome obsolete.
    if (run === newest) show(outcome, { result, text: `${file.name}: ${text}` });
  };
  input.addEventListener('change', verify);
  keys.addEventListener('input', verify);
  form.addEventListener('dragover', (event) => event.preventDefault());
  form.addEventListener('drop', (event) => {
    event.preventDefault();
    input.files = event.dataTransfer.files;
    verify();
  });
}
