"use strict";

// Of every write, so that the examples show a key. The page never sends this one.
const EXAMPLE_KEY = "5f0c3c1e-6a53-4b2e-9d57-0f4d8f2b9a10";

// `crypto.randomUUID` is there over TLS alone.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// Nothing is compiled from text: the policy of this page would refuse it.
globalThis.__zod_globalConfig = { jitless: true };

// The pages of the guide are in the menu from the beginning.
if (!location.hash) history.replaceState(null, "", "#description/first-call");

Scalar.createApiReference("#reference", {
  url: "docs/reference.json",
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  documentDownloadType: "none",
  showOperationId: true,
  generateOperationSlug: ({ operationId }) => operationId,
  orderSchemaPropertiesBy: "preserve",
  authentication: { preferredSecurityScheme: "UserBearer" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: {
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, go: true, http: true, java: true, kotlin: true,
    node: true, objc: true, ocaml: true, php: true, powershell: true, r: true, ruby: true, rust: true, swift: true,
    shell: ["httpie", "wget"],
    js: ["axios", "jquery", "ofetch", "xhr"],
    python: ["aiohttp", "httpx_async", "httpx_sync", "python3"],
  },
  customCss: `
    .scalar-reference-intro-clients { display: none; }
    [role="dialog"] main > *, [role="dialog"] .request-section-content { min-width: 0; max-width: 100vw; }
    [role="dialog"] .cm-editor { max-width: calc(100vw - 2rem); }
    .markdown table { display: block; overflow-x: auto; }
    .markdown td, .markdown th { word-break: normal; overflow-wrap: normal; }
    .markdown td code { white-space: nowrap; }
  `,
  onRequestBuilt: ({ request }) => {
    const key = request.headers.get("Idempotency-Key");
    if (key !== null && (key === "" || key === EXAMPLE_KEY)) request.headers.set("Idempotency-Key", newKey());
  },
});
