// Does what an operator does with a partner's module, on a desktop by day and on a mobile by night: pushes it, reads
// what it changes, activates it and rolls it back; then entitles a company, revokes a key, and verifies. An error of
// the browser's console, a request to another address or a page that is wider than its screen is a fault. URL is the
// host, PRIVATE_URL its private listener, TOKEN and EMAIL the owner of a company, LOYALTY the component and ADMISSION
// its admission's file, CHROMIUM the browser, PICTURES where screenshots go.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onEachScreen } from "./screens.mjs";

const { URL: host, PRIVATE_URL: operators, TOKEN, EMAIL, LOYALTY, ADMISSION, PICTURES } = process.env;
// In milliseconds: a component is compiled by the processors that the rest of the suite runs on.
const PATIENCE = 240_000;
const SCREENS = [
  { name: "operator-1440", width: 1440, height: 900, scheme: "light", script: true },
  { name: "operator-390", width: 390, height: 844, scheme: "dark", script: false },
];

/** The response to a request of the owner, or of a key. */
async function call(method, path, body, token = TOKEN) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return fetch(`${host}/v1${path}`, sent);
}

async function make(path, body) {
  const response = await call("POST", path, body);
  assert.equal(response.status, 201, await response.clone().text());
  return response.json();
}

async function operate(browser, { name, width, height, scheme, script }) {
  const screen = { viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: script };
  const context = await browser.newContext(screen);
  const faults = [];
  const open = async (address) => {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (line) => ["error", "warning"].includes(line.type()) && faults.push(`${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
    page.on("request", (request) => {
      if (![host, operators].includes(new URL(request.url()).origin)) faults.push(`asked elsewhere: ${request.url()}`);
    });
    await page.goto(address);
    return page;
  };
  let step = 0;
  const look = async (page, what) => {
    step += 1;
    await page.screenshot({ path: join(PICTURES, `${name}-${step}-${what}.png`), fullPage: true });
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(widest <= width, `${what}: ${widest} px on a screen of ${width}`);
  };
  const press = async (page, button) => {
    const pressed = page.getByRole("button", { name: button, exact: true });
    await Promise.all([page.waitForEvent("load"), pressed.first().click()]);
  };
  const follow = async (page, link) => {
    const followed = page.getByRole("link", { name: link, exact: true });
    await Promise.all([page.waitForEvent("load"), followed.first().click()]);
  };
  const heading = (page, text) => page.getByRole("heading", { level: 1, name: text }).waitFor();

  // One click signs in, and the first page has the hosts.
  const page = await open(`${operators}/operator`);
  await heading(page, "Sign in as an operator");
  await look(page, "sign-in");
  await press(page, "Sign in with the development token");
  await heading(page, "Hosts");
  await look(page, "hosts");

  // The module comes in with its admission, and its page says what an activation changes.
  await follow(page, "Modules");
  await page.getByLabel("Component (.wasm)").setInputFiles(LOYALTY);
  await page.getByLabel("Admission").fill(await readFile(ADMISSION, "utf8"));
  await look(page, "modules");
  await page.getByRole("button", { name: "Push", exact: true }).click();
  await heading(page, "Module loyalty");
  await page.getByRole("button", { name: "Activate", exact: true }).waitFor();
  await look(page, "comparison");

  // The owner's pages have none of it yet.
  const { tenantId } = await make("/onboarding/companies", { name: `Operated: ${name}`, currencyCode: "EUR" });
  const shop = await open(`${host}/console/sign-in?to=/console/${tenantId}`);
  await shop.getByLabel("E-mail").fill(EMAIL);
  await press(shop, "Sign in");
  const entry = shop.locator(`a[href="/console/${tenantId}/loyalty/entries"]`);
  assert.equal(await entry.count(), 0);

  // The operator consents to each change that may break a caller; a version that was rolled back must be wanted again.
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await press(page, "Activate");
  await page.getByRole("link", { name: "loyalty", exact: true }).waitFor();
  await look(page, "active");
  await shop.goto(`${host}/console/${tenantId}`);
  assert.equal(await entry.count(), 1, "the next page has the new module");
  assert.ok((await shop.content()).includes("Loyalty"), "its group is in the navigation");
  await look(shop, "navigation");

  // Rolled back, it is gone from the next page.
  await follow(page, "loyalty");
  await heading(page, "Module loyalty");
  await look(page, "module");
  await press(page, "Roll back loyalty");
  assert.equal(await page.getByRole("link", { name: "loyalty", exact: true }).count(), 0);
  await shop.goto(`${host}/console/${tenantId}`);
  assert.equal(await entry.count(), 0);
  assert.equal((await shop.goto(`${host}/console/${tenantId}/loyalty/entries`)).status(), 404);
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes("404")));
  await follow(page, "Generations");
  await page.getByText("ROLLBACK").first().waitFor();
  await look(page, "generations");

  // The company may use the API; then one of its keys is revoked.
  await follow(page, "Companies");
  await page.getByLabel("Name or id").fill(tenantId);
  await press(page, "Find");
  await look(page, "companies");
  await follow(page, `Operated: ${name}`);
  await press(page, "Entitle");
  const client = await make(`/tenants/${tenantId}/api-clients`, { name: "Feed", scopes: ["catalog.read"] });
  const { apiKey } = await make(`/tenants/${tenantId}/api-clients/${client.id}/keys`, {});
  assert.equal((await call("GET", "/api-client/context", null, apiKey)).status, 200);
  await page.reload();
  await look(page, "company");
  await follow(page, "Revoke");
  await look(page, "revoke");
  await press(page, "Revoke the key");
  assert.equal((await call("GET", "/api-client/context", null, apiKey)).status, 401);
  await page.getByText("REVOKED").first().waitFor();

  await follow(page, "Verify");
  await page.getByLabel("Ids of companies").fill(tenantId);
  await press(page, "Verify");
  await page.getByText("Findings: 0.").waitFor();
  await look(page, "verification");
  await follow(page, "Audit");
  await page.getByText("revokeApiKey").first().waitFor();
  await look(page, "audit");
  await press(page, "Sign out");
  await heading(page, "Sign in as an operator");

  assert.deepEqual(faults, [], name);
  await context.close();
}

await onEachScreen(SCREENS, operate);
console.log(`operated on ${SCREENS.length} screens`);
