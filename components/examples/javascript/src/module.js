// What the host calls: `commerce:platform/module` as an object.

import { write } from 'commerce:platform/log@0.1.0';
import { descriptor } from './descriptor.js';
import { createVoucher, getVoucher, listVouchers } from './voucher.js';

const operations = { createVoucher, getVoucher, listVouchers };

// Both would answer the same in every request: the clock and the seed of the day this was built.
Date.now = () => fault('there is no clock: take `now` of current()');
Math.random = () => fault('there is no randomness: take newIds()');

export const module = {
  describe: () => JSON.stringify(descriptor),
  handle,
  provision: () => [],
  checklist: () => [],
  upgrade: () => undefined,
  verify: () => ({ findings: [], next: undefined }),
};

/** A thrown object that is no Error is a refusal, `{ code, errors }`; an Error ends the request with 500 MODULE_FAILED. */
function handle(call) {
  const request = {
    path: Object.fromEntries(call.path),
    query: Object.fromEntries(call.query),
    body: call.body === undefined ? undefined : JSON.parse(call.body),
    ifMatch: call.ifMatch,
  };
  try {
    const { body, ...reply } = operations[call.operation](request);
    return { subjects: [], changed: [], ...reply, body: JSON.stringify(body) };
  } catch (error) {
    // The host sees that it failed, never why: this line of its log is the author's only trace.
    if (error instanceof Error) write('error', `${call.operation}: ${error}\n${error.stack}`);
    throw error;
  }
}

function fault(what) {
  throw new Error(what);
}
