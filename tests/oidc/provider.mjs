// A real OpenID provider (oidc-provider) that the suite steers: one command per line of stdin, one line of stdout for each.
//
//   keys A B    publishes the keys named A and B (made at their first mention, ES256 and RS256 each) and signs with A
//   close       stops listening, as an outage; `open` listens again on the same port
//
// It ends with its stdin. Accounts are whatever the token request names, or the hint of a sign-in: this provider is for
// tests alone.

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import Provider from 'oidc-provider';

const GRANT = 'urn:stoa:test:account';
const AUDIENCE = 'stoa-suite';
// Of a host whose public address is this one: the suite itself carries its users back.
const CALLBACK = 'http://127.0.0.1:9/console/callback';

const made = new Map();
let provider;
let interactions;
let server;
let port = 0;

function keysOf(name) {
  if (!made.has(name)) {
    const jwk = (pair, alg) => ({ ...pair.privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: `${name}-${alg}` });
    made.set(name, [
      jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'ES256'),
      jwk(generateKeyPairSync('rsa', { modulusLength: 2048 }), 'RS256'),
    ]);
  }
  return made.get(name);
}

// oidc-provider reads its keys once, so another set of keys is another provider behind the same address.
function publish(names) {
  const issuer = `http://127.0.0.1:${port}`;
  const signsWith = names[0];
  const resource = (identifier) => {
    const alg = identifier.split(':').at(-1);
    return {
      scope: '',
      audience: AUDIENCE,
      accessTokenFormat: 'jwt',
      accessTokenTTL: 3600,
      jwt: { sign: { alg, kid: `${signsWith}-${alg}` } },
    };
  };
  const next = new Provider(issuer, {
    jwks: { keys: names.flatMap(keysOf) },
    clients: [
      { client_id: 'suite', client_secret: 'not-a-secret', grant_types: [GRANT], redirect_uris: [], response_types: [] },
      { client_id: 'console', client_secret: 'not-a-secret', grant_types: ['authorization_code'], redirect_uris: [CALLBACK] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    // Every user consents to everything.
    loadExistingGrant: async (ctx) => {
      const grant = new next.Grant({ clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    extraTokenClaims: (ctx, token) => {
      const account = token.accountId;
      return { email: `${account}@example.test`, email_verified: !account.startsWith('unverified'), name: account };
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true, getResourceServerInfo: (ctx, identifier) => resource(identifier) },
    },
  });
  // A person who signed in, without the pages on which they would have done so.
  next.registerGrantType(GRANT, async (ctx) => {
    const { account, resource: identifier } = ctx.oidc.params;
    const token = new next.AccessToken({ accountId: account, client: ctx.oidc.client, gty: GRANT });
    token.resourceServer = new next.ResourceServer(identifier, resource(identifier));
    ctx.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: token.expiration };
  }, ['account', 'resource']);
  provider = next.callback();
  interactions = next;
}

// A sign-in without a page: the user is the one of the hint.
async function signIn(request, response) {
  const { params } = await interactions.interactionDetails(request, response);
  const result = { login: { accountId: params.login_hint } };
  await interactions.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

async function open() {
  server = createServer((request, response) => {
    if (!request.url.startsWith('/interaction/')) return provider(request, response);
    return signIn(request, response).catch((error) => response.writeHead(500).end(error.message));
  });
  server.keepAliveTimeout = 1;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  port = server.address().port;
}

async function close() {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

await open();
publish(['first']);
console.log(`http://127.0.0.1:${port}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...words] = line.split(' ');
  if (command === 'keys') publish(words);
  else if (command === 'close') await close();
  else if (command === 'open') await open();
  else throw new Error(`no such command: ${command}`);
  console.log('done');
}
process.exit(0);
