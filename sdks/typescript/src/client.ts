// The client: openapi-fetch with the types of the contract. It authenticates, retries, throws problems and reads pages.
import createClient from "openapi-fetch";
import type { FetchResponse, MaybeOptionalInit } from "openapi-fetch";
import type { PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";

import type { paths } from "./contract.js";
import { toError } from "./problem.js";
import { send, sleep } from "./retry.js";
import type { RetryOptions, Transport } from "./retry.js";

export interface StoaOptions extends RetryOptions {
  /** The host, without `/v1`. */
  url: string;
  /** An API key, or the access token of a user. A function is called for each call and can renew the token. */
  token: string | (() => string | Promise<string>);
  /** By default the global one. */
  fetch?: Transport["fetch"];
}

type Method = "get" | "put" | "post" | "patch" | "delete";

/** An operation as this client takes it: its headers are optional, because the client generates the key. */
type Operation<Path extends keyof paths, M extends Method> = paths[Path][M] extends infer O
  ? O extends { parameters: { header: infer Headers } }
    ? Omit<O, "parameters"> & { parameters: Omit<O["parameters"], "header"> & { header?: Partial<Headers> } }
    : O
  : never;

type Init<Path extends keyof paths, M extends Method> = MaybeOptionalInit<Record<M, Operation<Path, M>>, M>;

/** Optional if the operation requires nothing. */
type Rest<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];

/** A success: every other response is thrown. */
type Success<O, I> =
  O extends Record<string | number, any> ? Extract<FetchResponse<O, I, "application/json">, { error?: never }> : never;

type Call<M extends Method> = <Path extends PathsWithMethod<paths, M>, I extends Init<Path, M>>(
  path: Path,
  ...init: Rest<I>
) => Promise<Success<Operation<Path, M>, I>>;

type Item<Page> = Page extends { data: { items: (infer I)[]; nextCursor?: unknown } } ? I : never;

export interface Stoa {
  GET: Call<"get">;
  PUT: Call<"put">;
  POST: Call<"post">;
  PATCH: Call<"patch">;
  DELETE: Call<"delete">;
  /** Every item of a list, page by page. A `cursor` in the query is where it begins. */
  items<Path extends PathsWithMethod<paths, "get">, I extends Init<Path, "get">>(
    path: Path,
    ...init: Rest<I>
  ): AsyncGenerator<Item<Success<Operation<Path, "get">, I>>, void, undefined>;
}

export function createStoa(options: StoaOptions): Stoa {
  const transport: Transport = {
    fetch: options.fetch ?? ((request, init) => globalThis.fetch(request, init)),
    sleep,
    random: Math.random,
  };
  const client = createClient<paths, "application/json">({
    baseUrl: `${options.url.replace(/\/+$/, "")}/v1`,
    fetch: async (request: Request) => {
      const token = typeof options.token === "function" ? await options.token() : options.token;
      request.headers.set("Authorization", `Bearer ${token}`);
      // Once for the call: each of its attempts has the same key.
      if (request.method !== "GET" && !request.headers.has("Idempotency-Key")) {
        request.headers.set("Idempotency-Key", crypto.randomUUID());
      }
      const response = await send(request, options, transport);
      if (!response.ok) throw await toError(response);
      return response;
    },
  });
  async function* items(path: string, init: PageInit = {}): AsyncGenerator<unknown, void, undefined> {
    const get = client.GET as unknown as (path: string, init: PageInit) => Promise<Page>;
    let query = init.params?.query;
    for (;;) {
      const { data } = await get(path, { ...init, params: { ...init.params, query } });
      yield* data.items;
      if (!data.nextCursor) return;
      query = { ...query, cursor: data.nextCursor };
    }
  }
  // The types differ from those of openapi-fetch in the two points above: the key is optional, and an error is thrown.
  return { ...client, items } as unknown as Stoa;
}

interface PageInit {
  params?: { query?: Record<string, unknown> | undefined };
}

interface Page {
  data: { items: unknown[]; nextCursor?: string | null };
}
