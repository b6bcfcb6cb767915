import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonical, isInCanonicalOrder } from '../../src/trail/canonical.ts';
import type { MetadataInput, TrailEvent } from '../../src/trail/event.ts';
import { chainEvents, uuidV5 } from '../../src/trail/hash.ts';
import { eventId, isAuthentic, saltedHash, verifyChain } from '../../src/trail/index.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';

const form = suite('canonical form');

/** RFC 8785, Appendix B: the bits of a double and its text. */
const NUMBERS: readonly [bits: string, text: string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

for (const [bits, text] of NUMBERS) {
  form(`canonical writes the double ${bits} as ${text}`, () => {
    assert.is(canonical(Buffer.from(bits, 'hex').readDoubleBE()), text);
  });
}

form('canonical sorts names by UTF-16 code units (RFC 8785, 3.2.3)', () => {
  const members = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  const memberNames = [...canonical(members).matchAll(/:"([^"]*)"/g)].map((match) => match[1]);
  assert.equal(memberNames, [
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

form('canonical writes literals, escapes and nesting as in RFC 8785, 3.2.2', () => {
  const value = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  };
  assert.is(
    canonical(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

for (const [name, value] of Object.entries({
  'not a number': Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  'a lone surrogate': '\ud800',
  'a lone surrogate in a name': { '\udc00': 1 },
  undefined,
  'a function': () => 1,
  'a big integer': 1n,
})) {
  form(`canonical rejects ${name}`, () => {
    assert.throws(
      () => canonical([value]),
      (error: unknown) => error instanceof TypeError,
    );
  });
}

const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });

form('JSON.parse of a canonical form returns the same value', () => {
  fc.assert(fc.property(json, (value) => assert.equal(JSON.parse(canonical(value)), plainZeros(value))));
});

form('JSON.stringify writes the canonical form of a value in canonical order', () => {
  let inOrder = 0;
  fc.assert(
    fc.property(json, (value) => {
      assert.ok(isInCanonicalOrder(JSON.parse(canonical(value))) || /"\d+":/.test(canonical(value)));
      if (!isInCanonicalOrder(value)) return;
      inOrder += 1;
      assert.is(JSON.stringify(value), canonical(value));
    }),
  );
  assert.ok(inOrder > 0);
});

form('a value without a canonical form is not in canonical order', () => {
  for (const value of [undefined, () => 0, Number.NaN, '\ud800', { '\ud800': 1 }, [undefined], { a: undefined }]) {
    assert.not.ok(isInCanonicalOrder(value));
  }
  assert.not.ok(isInCanonicalOrder({ 9: 1, 10: 1 }));
});

form('the canonical form doesn’t depend on the order of members', () => {
  fc.assert(
    fc.property(json, fc.infiniteStream(fc.nat()), (value, numbers) => {
      assert.is(canonical(shuffle(value, numbers)), canonical(value));
    }),
  );
});

/** JSON writes -0 as 0. */
function plainZeros(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function shuffle(value: unknown, numbers: fc.Stream<number>): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffle(item, numbers));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => ({ name, member: shuffle(member, numbers), place: numbers.next().value }))
      .sort((a, b) => a.place - b.place)
      .map(({ name, member }) => [name, member]),
  );
}

form.run();

const hashes = suite('hashes and ids');

hashes('uuidV5 returns the example of RFC 9562, A.4', () => {
  assert.is(
    uuidV5(nodeCrypto, '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com'),
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});

hashes('eventId uses the namespace of events.veritrail', () => {
  const namespace = uuidV5(nodeCrypto, '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'events.veritrail');
  assert.is(eventId('a hash'), uuidV5(nodeCrypto, namespace, 'a hash'));
});

hashes('saltedHash hashes the bytes of the salt, then the canonical form', () => {
  assert.is(nodeCrypto.sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.is(saltedHash('6162', 'c'), nodeCrypto.sha256('ab"c"'));
});

hashes.run();

const chain = suite('chain');

const METADATA: MetadataInput = {
  organization_id: 'org_1',
  actor_id: 'acc_1',
  token_id: 'tok_1',
  client: { name: 'a client', version: '1.2.3' },
  command_id: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  correlation_id: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  causation_id: null,
  recorded_at: '2026-01-02T03:04:05.678Z',
};

const newEvents = fc.array(
  fc.record({ type: fc.constantFrom('VendorAdded', 'VendorReviewed'), data: fc.dictionary(fc.string(), json) }),
  { minLength: 1, maxLength: 5 },
);
/** Chains events in two appends. */
const chains = fc.tuple(newEvents, newEvents).map(([first, second]) => {
  const firstEvents = chainEvents(nodeCrypto, inputAfter([], first));
  return [...firstEvents, ...chainEvents(nodeCrypto, inputAfter(firstEvents, second))];
});

function inputAfter(events: readonly TrailEvent[], next: readonly { type: string; data: Record<string, unknown> }[]) {
  const last = events.at(-1);
  return {
    stream: 'vendor-1',
    revision: last?.revision ?? -1,
    previousHash: last?.metadata.hash ?? null,
    metadata: METADATA,
    input: { name: 'Acme' },
    schemaVersion: () => 1,
    newEvents: next,
  };
}

chain('a new chain verifies', () => {
  fc.assert(fc.property(chains, (events) => assert.is(verifyChain(events), null)));
});

chain('a chain verifies after storage', () => {
  fc.assert(fc.property(chains, (events) => assert.is(verifyChain(asStored(events)), null)));
});

chain('verifyChain finds any altered field at its event', () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), (events, eventNumber, fieldNumber) => {
      const index = eventNumber % events.length;
      const altered = asStored(events);
      const scalars = scalarsIn(altered[index]!);
      const { holder, key } = scalars[fieldNumber % scalars.length]!;
      holder[key] = anotherValue(holder[key], fieldNumber);
      const fault = verifyChain(altered);
      assert.is.not(fault, null, `${key} of event ${index}`);
      assert.is(fault?.revision, altered[index]!.revision);
    }),
    { numRuns: 500 },
  );
});

chain('verifyChain finds a dropped, repeated or moved event', () => {
  fc.assert(
    fc.property(chains, fc.nat(), (events, eventNumber) => {
      const index = eventNumber % (events.length - 1);
      const [first, second] = [events[index]!, events[index + 1]!];
      assert.is(verifyChain(events.toSpliced(index, 1))?.why, 'OUT_OF_ORDER');
      assert.is(verifyChain(events.toSpliced(index, 0, first))?.why, 'OUT_OF_ORDER');
      assert.is(verifyChain(events.toSpliced(index, 2, second, first))?.why, 'OUT_OF_ORDER');
    }),
  );
});

chain('verifyChain finds an event replaced by another authentic one', () => {
  fc.assert(
    fc.property(chains, (events) => {
      const forged = chainEvents(nodeCrypto, inputAfter([], [{ type: 'VendorAdded', data: { forged: true } }]));
      assert.equal(verifyChain([...forged, ...events.slice(1)])?.why, 'BROKEN_LINK');
    }),
  );
});

chain('a chain verifies after data and salt are erased', () => {
  fc.assert(
    fc.property(chains, fc.nat(), (events, eventNumber) => {
      const erased = asStored(events);
      const event = erased[eventNumber % erased.length]!;
      event.data = {};
      event.metadata.salt = '';
      assert.is(verifyChain(erased), null);
      event.data = { forged: true };
      assert.is(verifyChain(erased)?.why, 'ALTERED', 'data with an empty salt');
      event.data = {};
      event.metadata.actor_id = 'acc_2';
      assert.is(verifyChain(erased)?.why, 'ALTERED', 'metadata is not erased');
    }),
  );
});

chain('events with equal data and input have different hashes', () => {
  const [first] = chainEvents(nodeCrypto, inputAfter([], [{ type: 'VendorAdded', data: {} }]));
  const [second] = chainEvents(nodeCrypto, inputAfter([], [{ type: 'VendorAdded', data: {} }]));
  assert.is.not(first!.metadata.data_hash, second!.metadata.data_hash);
  assert.is.not(first!.metadata.input_hash, second!.metadata.input_hash);
  assert.ok(isAuthentic(first!) && isAuthentic(second!));
});

/** Returns deep copies of the events, as a store returns them. */
function asStored(events: readonly TrailEvent[]): TrailEvent[] {
  return JSON.parse(JSON.stringify(events));
}

/** Returns every path in the event, at any depth, to a string, number, boolean or null. */
function scalarsIn(value: object): { holder: Record<string, unknown>; key: string }[] {
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => {
    const member = holder[key];
    return typeof member === 'object' && member !== null ? scalarsIn(member) : [{ holder, key }];
  });
}

/** Returns another value for a field. A careless verifier might ignore or reject some of these strings. */
function anotherValue(value: unknown, choice: number): unknown {
  if (typeof value === 'number') return value === 7 ? 8 : 7;
  if (typeof value === 'boolean') return !value;
  const candidates = [`${value}x`, `${value}xx`, '\ud800', 'odd', null].filter((other) => other !== value);
  return candidates[choice % candidates.length];
}

chain.run();
