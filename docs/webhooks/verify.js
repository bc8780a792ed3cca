// Verifies a delivery of Stoa: verify(secret, timestamp, body, signature). `body` is the raw request body, before any parser.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

export function verify(secret, timestamp, body, signature) {
  // The whole secret, `whsec_` included, is the key: it is not decoded.
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`v1=${mac}`);
  const given = Buffer.from(String(signature));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

// In a receiver, refuse what is older than five minutes too: Math.abs(Date.now() / 1000 - Number(timestamp)) > 300.
if (process.argv[2]) {
  for (const { what, secret, timestamp, body, signature, valid } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
    if (verify(secret, timestamp, Buffer.from(body), signature) !== valid) throw new Error(what);
  }
  console.log('ok');
}
