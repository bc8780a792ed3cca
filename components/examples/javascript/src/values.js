// The store's values as plain JavaScript and back. An id is two u64 on the border and its text everywhere else in the module,
// a moment is its text in UTC, a decimal stays text: a JavaScript number would round it.

/** `0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b` as the pair of BigInts that the interfaces take. */
export function idFromText(text) {
  const bits = BigInt(`0x${text.replaceAll('-', '')}`);
  return [bits >> 64n, BigInt.asUintN(64, bits)];
}

/** The pair as text. */
export function idToText([high, low]) {
  const digits = ((high << 64n) | low).toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const asIs = (value) => value;

// Of each kind of value: what the border takes, and what the module sees of it.
const kinds = {
  id: [idFromText, idToText],
  text: [asIs, asIs],
  boolean: [asIs, asIs],
  integer: [BigInt, toNumber],
  decimal: [asIs, asIs],
  instant: [(text) => BigInt(Date.parse(text)), (millis) => new Date(Number(millis)).toISOString()],
  date: [asIs, asIs],
  json: [JSON.stringify, JSON.parse],
};

/** A value of this kind for the store; null for a column that holds nothing. */
export function toValue(kind, plain) {
  return plain === null ? { tag: 'null' } : { tag: kind, val: kinds[kind][0](plain) };
}

/** What a value of the store holds. */
export function fromValue({ tag, val }) {
  return tag === 'null' ? null : kinds[tag][1](val);
}

function toNumber(integer) {
  const number = Number(integer);
  if (!Number.isSafeInteger(number)) throw new RangeError('an integer beyond 2^53 does not fit a JavaScript number');
  return number;
}
