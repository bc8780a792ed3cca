// Reads every page that the navigation of the console leads to: lists, one record of each, their forms and what they
// link to; on a desktop by day and on a mobile by night. A serious fault of accessibility, a page that is wider than
// its screen, an error of the browser's console or a request to another address is a fault. URL is the host, EMAIL the
// owner of the company TENANT with a record of nearly every kind, FORMS the operations whose forms must be among the
// pages, CHROMIUM the browser, PICTURES where screenshots go.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { onEachScreen } from "./screens.mjs";

const { URL: host, EMAIL, TENANT, FORMS, PICTURES } = process.env;
// In milliseconds: a page is drawn by the processors that the rest of the suite runs on.
const PATIENCE = 240_000;
const SCREENS = [
  { width: 1440, height: 900, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
];
const RULES = { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const SERIOUS = ["serious", "critical"];
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const home = `/console/${TENANT}`;

/** An address without what tells records of a kind apart; the form that it shows stays. */
function shape(address) {
  const { pathname, searchParams } = new URL(address, host);
  const path = pathname.replace(TENANT, "").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID").replace(/\d{4}-\d{2}/g, "MONTH");
  return path + (searchParams.has("_form") ? `?${searchParams.get("_form")}` : searchParams.has("_as") ? "?file" : "");
}

async function read(browser, { width, height, scheme }) {
  // The check of accessibility is a script that no page has: the policy of the pages would reject it.
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, bypassCSP: true });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  let place = "/console";
  const tell = (fault) => faults.push(`${place}: ${fault}`);
  // The status of a page is judged below.
  const isNoise = (line) => line.text().startsWith("Failed to load resource");
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && !isNoise(line) && tell(`${line.type()}: ${line.text()}`));
  page.on("pageerror", (error) => tell(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== host) tell(`asked elsewhere: ${request.url()}`);
  });

  await page.goto(`${host}/console`);
  await page.getByRole("textbox").fill(EMAIL);
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Sign in" }).first().click()]);

  const known = new Set([shape(home)]);
  const open = [home];
  const counts = { pages: 0, forms: 0, rejected: 0 };
  while (open.length > 0) {
    const address = open.shift();
    place = shape(address);
    const response = await page.goto(new URL(address, host).href);
    const isForm = place.includes("?");
    counts[isForm ? "forms" : "pages"] += 1;
    // A report that this company has no figures for may be rejected; its page says why.
    const status = response.status();
    if (status >= 500 || status === 404) tell(`status ${status}`);
    if (status >= 400) counts.rejected += 1;
    await page.evaluate(axe);
    const { violations } = await page.evaluate((rules) => globalThis.axe.run(document, rules), RULES);
    for (const { id, impact, help, nodes } of violations.filter((one) => SERIOUS.includes(one.impact)))
      tell(`${impact}: ${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`);
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    if (widest > width) tell(`${widest} px on a screen of ${width}`);
    const name = place.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "") || "overview";
    await page.screenshot({ path: join(PICTURES, `console-${width}-${name}.png`), fullPage: true });

    // Links of the page; of a table, those of its first row.
    const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")]
      .filter((link) => (link.closest("tr")?.rowIndex ?? 1) <= 1)
      .map((link) => link.getAttribute("href")));
    for (const link of links) {
      const { pathname, search, origin } = new URL(link, page.url());
      const next = shape(pathname + search);
      if (origin !== host || !pathname.startsWith(home) || known.has(next) || next.endsWith("?file")) continue;
      known.add(next);
      open.push(pathname + search);
    }
  }
  await context.close();
  const missing = FORMS.split(",").filter((form) => ![...known].some((one) => one.endsWith(`?${form}`)));
  for (const form of missing) faults.push(`no page leads to the form of ${form}`);
  return { width, faults, ...counts };
}

const results = await onEachScreen(SCREENS, read);
for (const { width, pages, forms, rejected } of results) {
  console.log(`${width} px: ${pages} pages and ${forms} forms, of which ${rejected} were rejected with a sentence`);
  // The eight modules have more of both.
  assert.ok(pages > 100 && forms > 100, `only ${pages} pages and ${forms} forms were found`);
}
const faults = results.flatMap(({ width, faults }) => faults.map((fault) => `${width} px: ${fault}`));
assert.deepEqual(faults, []);
