// What the host calls: `commerce:platform/module` as an object.

import { write } from 'commerce:platform/log@0.1.0';
import { descriptor } from './descriptor.js';
import { createVoucher, getVoucher, listVouchers } from './voucher.js';

const operations = { createGiftVoucher: createVoucher, getGiftVoucher: getVoucher, listGiftVouchers: listVouchers };

// Both would answer the same in every request: the clock and the seed of the day this was built.
Date.now = () => fault('there is no clock: take `now` of current()');
Math.random = () => fault('there is no randomness: take newIds()');

export const module = {
  // It may call nothing, not even the log.
  describe: () => JSON.stringify(descriptor),
  handle: writeFailures(handle),
  provision: writeFailures(function provision() { return []; }),
  checklist: writeFailures(function checklist() { return []; }),
  upgrade: writeFailures(function upgrade() { return undefined; }),
  verify: writeFailures(function verify() { return { findings: [], next: undefined }; }),
};

/** A thrown object that is no Error is a refusal, `{ code, errors }`; an Error ends the request with 500 MODULE_FAILED. */
function handle(call) {
  const request = {
    path: Object.fromEntries(call.path),
    query: Object.fromEntries(call.query),
    body: call.body === undefined ? undefined : JSON.parse(call.body),
    ifMatch: call.ifMatch,
  };
  const { body, ...reply } = operations[call.operation](request);
  return { subjects: [], changed: [], ...reply, body: JSON.stringify(body) };
}

/** The function, with a line in the host's log where it fails: the host sees that it failed, never why. */
function writeFailures(run) {
  return (...parameters) => {
    try {
      return run(...parameters);
    } catch (error) {
      const what = parameters[0]?.operation ?? run.name;
      if (error instanceof Error) write('error', `${what}: ${error}\n${error.stack}`);
      throw error;
    }
  };
}

function fault(what) {
  throw new Error(what);
}
