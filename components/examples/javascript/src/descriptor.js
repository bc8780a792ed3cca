// What the host must know of this module, checked by `stoa module check`. `stoa module schema` prints the JSON Schema of this
// document: an editor that is given it completes and checks what is written here.
//
// All names that the module introduces begin with its own, `gift`: the path behind the company, operations behind their verb,
// permissions, events, resource types and schemas.

const voucher = { $ref: '#/$defs/GiftVoucher' };
const uuid = { type: 'string', format: 'uuid' };
const instant = { type: 'string', format: 'date-time' };
// As callers send an amount: without exponent and sign, in one spelling once the host has normalized it.
const amount = { type: 'string', pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$', 'x-normalize': ['decimal'] };

const read = { audience: 'user', access: { all: ['gift.read'] }, idempotency: 'none', readOnly: true, status: 200 };
const write = { audience: 'user', access: { all: ['gift.write'] }, idempotency: 'required', readOnly: false };

export const descriptor = {
  name: 'gift',
  version: '0.1.0',
  description: 'Gifts: vouchers with a code and an amount.',
  routes: [
    {
      ...read,
      method: 'GET',
      path: '/tenants/{tenantId}/gift/vouchers',
      operation: 'listGiftVouchers',
      summary: 'Vouchers',
      query: {
        type: 'object',
        additionalProperties: false,
        properties: { cursor: uuid, limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
      },
      response: { $ref: '#/$defs/GiftVoucherPage' },
      bodyLimit: 65536,
    },
    {
      ...write,
      method: 'POST',
      path: '/tenants/{tenantId}/gift/vouchers',
      operation: 'createGiftVoucher',
      summary: 'Create a voucher',
      body: { $ref: '#/$defs/GiftVoucherInput' },
      status: 201,
      response: voucher,
      bodyLimit: 65536,
      events: ['gift.voucher.created'],
      problems: ['DUPLICATE'],
      audit: 'GIFT_VOUCHER',
    },
    {
      ...read,
      method: 'GET',
      path: '/tenants/{tenantId}/gift/vouchers/{id}',
      operation: 'getGiftVoucher',
      summary: 'A voucher',
      response: voucher,
      bodyLimit: 65536,
    },
  ],
  collections: [
    {
      name: 'voucher',
      kind: 'record',
      columns: [
        { name: 'code', type: 'text' },
        { name: 'amount', type: { decimal: { precision: 18, scale: 6 } } },
        { name: 'note', type: 'text', nullable: true },
      ],
      unique: [{ name: 'code', columns: ['code'] }],
      checks: [{ name: 'amount', all: [{ column: 'amount', op: '>=', right: { constant: '0' } }] }],
    },
  ],
  permissions: [
    { code: 'gift.read', description: 'Read vouchers.' },
    { code: 'gift.write', description: 'Create vouchers.' },
  ],
  events: [
    {
      code: 'gift.voucher.created',
      description: 'A voucher was created.',
      resourceType: 'GIFT_VOUCHER',
      data: voucher,
      example: {
        tenantId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
        id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c',
        createdAt: '2026-01-01T12:00:00.000Z',
        updatedAt: '2026-01-01T12:00:00.000Z',
        code: 'SPRING',
        amount: '10.000000',
        note: null,
      },
    },
  ],
  schemas: {
    GiftVoucherInput: {
      type: 'object',
      additionalProperties: false,
      required: ['code', 'amount'],
      properties: {
        code: {
          type: 'string',
          minLength: 1,
          maxLength: 40,
          'x-normalize': ['trim', 'upper'],
          description: 'Unique in the company.',
        },
        amount,
        note: { type: ['string', 'null'], maxLength: 2000, 'x-normalize': ['trim'], default: null },
      },
    },
    GiftVoucher: {
      type: 'object',
      required: ['tenantId', 'id', 'createdAt', 'updatedAt', 'code', 'amount', 'note'],
      properties: {
        tenantId: uuid,
        id: uuid,
        createdAt: instant,
        updatedAt: instant,
        code: { type: 'string' },
        amount: { type: 'string', pattern: '^(0|[1-9][0-9]*)\\.[0-9]{6}$' },
        note: { type: ['string', 'null'] },
      },
    },
    GiftVoucherPage: {
      type: 'object',
      required: ['items', 'nextCursor'],
      properties: {
        items: { type: 'array', items: voucher },
        nextCursor: { type: ['string', 'null'], format: 'uuid' },
      },
    },
  },
};
