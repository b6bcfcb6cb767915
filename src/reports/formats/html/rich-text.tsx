/** @jsxRuntime automatic @jsxImportSource preact */
const DAY = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)/;
const EXPIRED = /(\(expired \d{4}-\d\d-\d\d\))/;

/** A text in which dates don't break at the end of a line, and expired evidence stands out. */
export function RichText({ text }: { text: string }) {
  if (!DAY.test(text)) return text;
  return (
    <>
      {text
        .split(EXPIRED)
        .map((part, index) => (index % 2 === 1 ? <span class="alarm">{unbroken(part)}</span> : unbroken(part)))}
    </>
  );
}

const unbroken = (text: string) =>
  text.split(DAY).map((part, index) => (index % 2 === 1 ? <span class="word">{part}</span> : part));
