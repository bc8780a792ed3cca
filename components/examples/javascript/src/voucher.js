// Vouchers: a code that is unique in the company, and what it is worth.

import { current, newIds } from 'commerce:platform/context@0.1.0';
import { emit } from 'commerce:platform/events@0.1.0';
import { run } from 'commerce:platform/store@0.1.0';
import { fromValue, idFromText, idToText, toValue } from './values.js';

// What is read of a row, in this order, under the names that callers see.
const columns = ['id', 'version', 'created_at', 'updated_at', 'code', 'amount', 'note'];
const members = ['id', 'version', 'createdAt', 'updatedAt', 'code', 'amount', 'note'];
const ask = { collection: 'voucher', columns, lock: undefined };

export function listVouchers({ query }) {
  const after = query.cursor && [toValue('id', query.cursor)];
  const [page] = run([
    { tag: 'select', val: { ask, where: [], order: [], after, limit: Number(query.limit), each: undefined } },
  ]);
  const items = page.val.rows.map(toVoucher).map(withoutVersion);
  return { body: { items, nextCursor: page.val.more ? items.at(-1).id : null } };
}

export function getVoucher({ path }) {
  const [page] = run([get(path.id)]);
  if (page.val.rows.length === 0) throw { code: 'NOT_FOUND', errors: [] };
  return answer(toVoucher(page.val.rows[0]));
}

export function createVoucher({ body }) {
  const id = idToText(newIds(1)[0]);
  const row = [toValue('id', id), toValue('text', body.code), toValue('decimal', body.amount), toValue('text', body.note)];
  const insert = { collection: 'voucher', columns: ['id', 'code', 'amount', 'note'], rows: [row], skipClashes: false };
  const voucher = toVoucher(insertAndRead(insert, id));
  emit([
    {
      kind: 'gift.voucher.created',
      resourceType: 'GIFT_VOUCHER',
      resource: idFromText(id),
      version: undefined,
      data: JSON.stringify(withoutVersion(voucher)),
    },
  ]);
  return answer(voucher);
}

/** Both in one batch: one round trip, and what is answered is what is kept. */
function insertAndRead(insert, id) {
  try {
    const [, page] = run([{ tag: 'insert', val: insert }, get(id)]);
    return page.val.rows[0];
  } catch (failure) {
    // What the WIT calls the error of a result is thrown, as `payload`.
    if (failure.payload?.tag !== 'duplicate') throw failure;
    throw { code: 'DUPLICATE', errors: [{ pointer: '/code', code: 'DUPLICATE' }] };
  }
}

function get(id) {
  return { tag: 'get', val: { ask, ids: [toValue('id', id)] } };
}

function toVoucher(row) {
  const voucher = Object.fromEntries(members.map((member, at) => [member, fromValue(row[at])]));
  return { tenantId: idToText(current().tenant), ...voucher };
}

/** Leaves out the version: only the entity tag has it. */
function withoutVersion({ version, ...voucher }) {
  return voucher;
}

function answer(voucher) {
  return {
    body: withoutVersion(voucher),
    etag: `${voucher.id}.${voucher.version}`,
    resource: idFromText(voucher.id),
  };
}
