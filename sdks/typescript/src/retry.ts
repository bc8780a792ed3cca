// Sends a request until it has a response that a retry would not change. The key of a write makes that safe: the request
// is the same at each attempt, its Idempotency-Key included.

export interface RetryOptions {
  /** Attempts after the first. By default 4. */
  retries?: number;
  /** Milliseconds until an attempt counts as one without a response. By default 60,000. */
  timeout?: number;
  /** The client does not wait longer than these milliseconds: it returns the response to you. By default 60,000. */
  longestWait?: number;
}

/** What tests replace. */
export interface Transport {
  fetch(request: Request, init: { signal: AbortSignal }): Promise<Response>;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

/** 429, 500 and 503 of the host, which changed nothing; 502 and 504 of a proxy, which has no response of the host. */
const RETRIED = [429, 500, 502, 503, 504];
const FIRST_WAIT = 500;
const LONGEST_BACKOFF = 8000;

export async function send(request: Request, options: RetryOptions, transport: Transport): Promise<Response> {
  const { retries = 4, longestWait = 60_000 } = options;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    // Random, so that clients which failed together do not come back together.
    let wait = transport.random() * Math.min(LONGEST_BACKOFF, FIRST_WAIT * 2 ** attempt);
    try {
      const response = await sendOnce(request, options, transport);
      const stated = readRetryAfter(response.headers);
      if (isLast || !RETRIED.includes(response.status) || stated > longestWait) return response;
      await response.body?.cancel();
      wait += stated;
    } catch (error) {
      if (isLast || request.signal.aborted) throw error;
    }
    await transport.sleep(wait, request.signal);
  }
}

/** An attempt. It has a response when the response is complete: a connection can end within a body. */
async function sendOnce(request: Request, { timeout = 60_000 }: RetryOptions, transport: Transport): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("no response in time", "TimeoutError")), timeout);
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    const response = await transport.fetch(request.clone(), { signal });
    const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get("Content-Type") ?? "");
    // Another body, such as CSV, is the caller's to stream.
    return isJson && response.body ? new Response(await response.arrayBuffer(), response) : response;
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds of the header: seconds from the host, perhaps a date from a proxy. */
function readRetryAfter(headers: Headers): number {
  const text = headers.get("Retry-After") ?? "0";
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.max(0, wait);
}

/** Waits, or fails with the signal's reason once it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });
}
