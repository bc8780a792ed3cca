// Reads the reference as a person does: looks for an operation, opens its answer, tries it with a token; on a desk by
// day and on a phone by night. Whatever the console complains of, or is asked for elsewhere, is a fault.
// URL and TOKEN name the host and the caller, CHROMIUM the browser, PICTURES where screenshots go.
import assert from "node:assert/strict";
import { join } from "node:path";
import { onEachScreen } from "./screens.mjs";

const { URL: host, TOKEN, PICTURES } = process.env;
// In milliseconds: a page is drawn by the processors that the rest of the suite runs on.
const PATIENCE = 240_000;
const SCREENS = [
  { name: "desk-day", width: 1440, height: 900, scheme: "light" },
  { name: "phone-night", width: 390, height: 844, scheme: "dark" },
];
const NEW = { id: "createProduct", body: { name: "Made on a page", productType: "GOOD", unitOfMeasure: "UNIT" } };
// The first is of the host, the second of an item of the ledger.
const CODES = ["IDEMPOTENCY_KEY_REUSED", "UNBALANCED"];

const contract = await (await fetch(`${host}/v1/openapi.json`)).json();

/** Method, path and summary of an operation. */
function operation(id) {
  for (const [path, methods] of Object.entries(contract.paths))
    for (const [method, one] of Object.entries(methods))
      if (one.operationId === id)
        return { method: method.toUpperCase(), path, summary: one.summary, example: one.requestBody?.content["application/json"].example };
  throw new Error(`the contract has no ${id}`);
}

/** A company of the caller's own: the example of an operation is sent to it once, as it is. */
async function company(name) {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const body = JSON.stringify({ name, currencyCode: "EUR" });
  const made = await fetch(`${host}/v1/onboarding/companies`, { method: "POST", headers, body });
  assert.equal(made.status, 201);
  return (await made.json()).tenantId;
}

async function read(browser, { name, width, height, scheme }) {
  const isPhone = width < 800;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && faults.push(`${line.type()}: ${line.text()}`));
  page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const local = ["data:", "blob:"].some((scheme) => request.url().startsWith(scheme));
    if (!local && new URL(request.url()).origin !== host) faults.push(`asked elsewhere: ${request.url()}`);
  });
  const picture = (what) => page.screenshot({ path: join(PICTURES, `${name}-${what}.png`) });
  const openMenu = () => (isPhone ? page.getByRole("button", { name: /open menu/i }).click() : null);

  // It opens on the guide, in the colours that the system has, and fits.
  await page.goto(`${host}/v1/docs`);
  await page.getByRole("heading", { name: "First call" }).first().waitFor();
  await picture("1-guide");
  const [ink, paper] = await page.evaluate(() => ["color", "background-color"].map((what) => {
    const [red, green, blue] = getComputedStyle(document.querySelector("main, .scalar-app")).getPropertyValue(what).match(/[\d.]+/g);
    return Number(red) + Number(green) + Number(blue);
  }));
  assert.equal(ink > paper, scheme === "dark", `ink ${ink} on paper ${paper} is not ${scheme}`);
  const widest = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(widest <= width, `${widest} px on a screen of ${width}`);

  // What is typed into the search is found: the code of an error, the reason of one, an operation.
  const made = operation(NEW.id);
  await openMenu();
  await page.getByRole("button", { name: /search/i }).first().click();
  for (const code of CODES) {
    await page.keyboard.type(code);
    // The renderer takes the underscores of a heading for emphasis.
    await page.getByRole("option").filter({ hasText: code.replaceAll("_", "") }).first().waitFor();
    await page.keyboard.press("ControlOrMeta+A");
  }
  await page.keyboard.type(made.summary);
  const found = page.getByRole("option").filter({ hasText: made.path }).filter({ hasText: made.method });
  await found.first().waitFor();
  await picture("2-search");
  await found.first().click();

  // The operation describes its response to the innermost member.
  const section = page.locator(`section[id$="/${NEW.id}"]`);
  await section.waitFor();
  await section.getByRole("heading", { name: made.summary }).first().waitFor();
  await picture("3-operation");
  await section.locator('button[id$=".responses.201"]').click();
  await section.locator('[id*=".responses.201"]').getByText("createdAt").first().waitFor();
  await picture("4-answer");

  // Tried with a token it answers, and the host has done it. The body is there already: the operation's example, which
  // is sent as it is.
  await section.getByRole("button", { name: /test request/i }).first().click();
  const dialog = page.getByRole("dialog").last();
  await dialog.getByPlaceholder("Token").fill(TOKEN);
  await dialog.getByRole("row").filter({ hasText: "tenantId" }).getByRole("combobox").last().fill(await company(`Reference: ${name}`));
  const send = async () => {
    const response = page.waitForResponse((answer) => answer.request().method() === made.method);
    await dialog.getByRole("button", { name: /send/i }).locator("visible=true").first().click();
    const answer = await response;
    assert.equal(answer.status(), 201, await answer.text());
    return { headers: answer.headers(), body: await answer.json() };
  };
  const { variants, ...members } = made.example;
  const { body: first } = await send();
  for (const [member, value] of Object.entries(members)) assert.deepEqual(first[member], value, member);
  assert.deepEqual(first.variants.map(({ sku }) => sku), variants.map(({ sku }) => sku));
  await dialog.getByText("201").first().scrollIntoViewIfNeeded();
  await picture("5-tried");
  // What is typed over it is sent too, with a key of its own: the second request is not a replay of the first.
  const body = { ...NEW.body, name: `${NEW.body.name}: ${name}` };
  await dialog.locator(".cm-content").first().fill(JSON.stringify(body));
  const second = await send();
  assert.equal(second.body.name, body.name);
  assert.equal(second.headers["idempotency-replayed"], undefined);

  assert.deepEqual(faults, [], name);
  await context.close();
}

await onEachScreen(SCREENS, read);
console.log(`read on ${SCREENS.length} screens`);
