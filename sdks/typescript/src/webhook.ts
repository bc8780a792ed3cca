// Verifies deliveries of webhooks with WebCrypto, which Node, Deno, Bun and workers have.
import type { webhooks } from "./contract.js";

/** The payload of a kind. Decide by `kind`, and accept kinds that you do not know: later versions add some. */
export type WebhookEvent = {
  [Kind in keyof webhooks]: webhooks[Kind] extends {
    post: { requestBody: { content: { "application/json": infer Payload } } };
  }
    ? Payload
    : never;
}[keyof webhooks];

/** `Headers`, or the headers of a request of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** Seconds between the signature and now. By default 300. */
  tolerance?: number;
  /** Now, in Unix seconds. */
  now?: number;
}

/** Respond with 400: the delivery is not of the host, or is too old. */
export class WebhookRejected extends Error {
  override readonly name = "WebhookRejected";
}

/**
 * Returns the event of a delivery, or throws `WebhookRejected`.
 *
 * `body` is the raw body, before any parser. While you rotate a secret, pass the old and the new one.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() / 1000 }: WebhookOptions = {},
): Promise<WebhookEvent> {
  const timestamp = read(headers, "x-webhook-timestamp");
  // During a rotation the new secret signs the second header.
  const signatures = [read(headers, "x-webhook-signature"), read(headers, "x-webhook-signature-next")];
  const verdicts = [secrets]
    .flat()
    .flatMap((secret) => signatures.map((signature) => isSigned(secret, timestamp, body, signature)));
  if (!(await Promise.all(verdicts)).includes(true)) throw new WebhookRejected("no signature of a known secret");
  if (!(Math.abs(now - Number(timestamp)) <= tolerance)) throw new WebhookRejected("the signature is too old");
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent;
}

/** Returns whether the secret signed this timestamp and body. It compares in constant time. */
export async function isSigned(
  secret: string,
  timestamp: string,
  body: string | Uint8Array | ArrayBuffer,
  signature: string,
): Promise<boolean> {
  const digits = /^v1=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (digits === undefined || secret === "") return false;
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const encoder = new TextEncoder();
  // The complete secret is the key, `whsec_` included: it is not decoded.
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["verify"]);
  const head = encoder.encode(`${timestamp}.`);
  const tail = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const message = new Uint8Array(head.length + tail.length);
  message.set(head);
  message.set(tail, head.length);
  return crypto.subtle.verify(hmac, key, bytes, message);
}

function read(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return (Array.isArray(value) ? value[0] : (value as string | null | undefined)) ?? "";
}
