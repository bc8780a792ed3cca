// Does a day of a shop's owner: makes the company and its records, buys, receives, prices, sells at the till and
// counts; on a desktop by the keyboard alone, and on a mobile without script. An error of the browser's console, a
// request to another address or a page that is wider than its screen is a fault. URL is the host, DATABASE its
// database, CHROMIUM the browser, PICTURES where screenshots go.
import assert from "node:assert/strict";
import { join } from "node:path";
import { onEachScreen } from "./screens.mjs";

const { URL: host, DATABASE, PICTURES } = process.env;
// In milliseconds: a page is drawn by the processors that the rest of the suite runs on.
const PATIENCE = 240_000;
const SCREENS = [
  { width: 1440, height: 900, scheme: "light", script: true },
  { width: 390, height: 844, scheme: "dark", script: false },
];
// Stops of the Tab key on the way to a field, at most.
const FARTHEST = 600;

/** A user with hands: by the keyboard alone, or by pointing. */
function hands(page, isKeyboard) {
  /** Moves the focus to an element, as Tab and Shift+Tab do. */
  async function reach(target) {
    const element = await target.elementHandle();
    for (let stop = 0; stop < FARTHEST; stop += 1) {
      const way = await element.evaluate((node) => {
        const { activeElement: active, body } = document;
        if (active === node) return "";
        const isBehind = active && active !== body && active.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
        return isBehind ? "Shift+Tab" : "Tab";
      });
      if (way === "") return;
      await page.keyboard.press(way);
    }
    assert.fail(`the keyboard does not reach ${target}`);
  }
  /** Without a page that follows. */
  async function press(target, key = "Enter") {
    if (!isKeyboard) return target.click();
    await reach(target);
    return page.keyboard.press(key);
  }
  async function fill(target, text) {
    if (!isKeyboard) return target.fill(text);
    await reach(target);
    await page.keyboard.press("ControlOrMeta+A");
    return page.keyboard.type(text);
  }
  /** The option with this value, or the first whose label has this text. */
  async function choose(target, text) {
    const options = await target.evaluate((select) => [...select.options].map(({ value, label }) => ({ value, label })));
    const option = options.find(({ value }) => value === text) ?? options.find(({ label }) => label.includes(text));
    assert.ok(option, `${text} is none of ${JSON.stringify(options)}`);
    if (!isKeyboard) return target.selectOption({ value: option.value });
    await reach(target);
    for (let step = 0; step < options.length && (await target.inputValue()) !== option.value; step += 1) await page.keyboard.press("ArrowDown");
    assert.equal(await target.inputValue(), option.value);
  }
  /** Presses, and waits for the page that follows. */
  const go = (target) => Promise.all([page.waitForEvent("load"), press(target)]);
  return { reach, press, fill, choose, go };
}

async function work(browser, { width, height, scheme, script }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: script });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && faults.push(`${line.type()}: ${line.text()}`));
  page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== host) faults.push(`asked elsewhere: ${request.url()}`);
  });
  const { press, fill, choose, go } = hands(page, script);
  let step = 0;
  const look = async (what) => {
    step += 1;
    const name = `day-${DATABASE}-${width}-${String(step).padStart(2, "0")}-${what}.png`;
    await page.screenshot({ path: join(PICTURES, name), fullPage: true });
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(widest <= width, `${what}: ${widest} px on a screen of ${width}`);
  };
  const has = async (...texts) => {
    const shown = (await page.locator("main").innerText()).replace(/\s+/g, " ");
    for (const text of texts) assert.ok(shown.includes(text), `no ${JSON.stringify(text)} in ${shown}`);
  };
  const button = (name) => page.getByRole("button", { name, exact: true }).first();
  const link = (name) => page.locator("main").getByRole("link", { name, exact: true }).first();
  const row = (text) => page.locator("tr", { hasText: text }).first();
  let home = "/console";
  /** Opens a page by its address. */
  const open = async (path) => {
    const response = await page.goto(`${host}${home}${path}`);
    assert.equal(response.status(), 200, path);
  };

  /** The members of a generated form: texts, choices and check boxes. The only legal entity is chosen already. */
  const fields = async (values) => {
    for (const [name, value] of Object.entries(values)) {
      const field = page.locator(`[id="v/${name}"]`);
      const kind = await field.evaluate((node) => (node.type === "checkbox" ? node.type : node.localName));
      if (kind === "checkbox") await press(field, "Space");
      else if (kind === "select") await choose(field, value);
      else await fill(field, value);
    }
  };
  const addRow = async (pointer) => {
    const add = page.locator(`button[value="add:${pointer}"]`);
    await (script ? press(add) : go(add));
  };
  const send = async (id) => {
    await go(page.locator(`form[id="${id}"] button[name=do][value=send]:not(.visually-hidden)`));
    assert.equal(await page.locator("main [role=alert]").count(), 0, await page.locator("main").innerText());
  };
  /** From a list to its form and to the record that was made. */
  const make = async (path, id, values, rows = async () => {}) => {
    await open(path);
    await go(page.locator(`main a[href$="_form=${id}"]`).first());
    await fields(values);
    await rows();
    await look(id);
    await send(id);
    return new URL(page.url()).pathname.split("/").at(-1);
  };

  // One click signs in; the first page asks for a company.
  await page.goto(`${host}/console`);
  await fill(page.getByRole("textbox"), `owner-${crypto.randomUUID()}@example.test`);
  await look("sign-in");
  await Promise.all([page.waitForURL(/\/console\/new/), press(button("Sign in"))]);
  await fields({ name: "Corner shop", currencyCode: "EUR" });
  await look("company");
  await Promise.all([page.waitForURL(/\/console\/[0-9a-f-]{36}/), send("createCompany")]);
  home = `/console/${new URL(page.url()).pathname.split("/")[2]}`;
  await look("overview-empty");

  // The records of a shop.
  await make("/catalog/lookups/brands", "createLookup", { name: "Blue Kiln", code: "KILN" });
  const goods = { name: "Cup", productType: "GOOD", unitOfMeasure: "UNIT", publicationStatus: "PUBLISHED", brandId: "Blue Kiln", trackInventory: true };
  await make("/catalog/products", "createProduct", goods, async () => {
    for (const [nth, sku] of ["CUP-RED", "CUP-BLUE"].entries()) {
      await addRow("/variants");
      await fields({ [`variants/${nth}/sku`]: sku });
    }
  });
  const list = await make("/pricing/price-lists", "createPriceList", { code: "SHOP", name: "Shop prices", currencyCode: "EUR" });
  await make("/inventory/warehouses", "createWarehouse", { code: "SHOP", name: "Back room", type: "PHYSICAL" });
  await make("/purchases/suppliers", "createSupplier", { code: "KILN", name: "The kiln" });

  // The grid sets a column at once.
  await open("/-/prices");
  for (const [sku, price] of [["CUP-RED", "12.50"], ["CUP-BLUE", "7.25"]]) await fill(row(sku).locator(`input[form="list-${list}"]`), price);
  await look("prices");
  await go(page.locator(`form[id="list-${list}"] button`));
  for (const [sku, price] of [["CUP-RED", "12.50"], ["CUP-BLUE", "7.25"]]) assert.match(await row(sku).innerText(), new RegExp(price));

  // Both are bought and received.
  const order = { warehouseId: "Back room", supplierId: "The kiln", currencyCode: "EUR" };
  await make("/purchases/orders", "createPurchaseOrder", order, async () => {
    const lines = [["CUP-RED", "4.00"], ["CUP-BLUE", "3.00"]];
    for (const [nth, [sku, cost]] of lines.entries()) {
      if (nth > 0) await addRow("/items");
      await fields({ [`items/${nth}/variantId`]: sku, [`items/${nth}/quantity`]: "10", [`items/${nth}/unitCost`]: cost });
    }
  });
  await go(page.locator('form[id="approvePurchaseOrder"] button'));
  await go(link("Receive goods"));
  for (const sku of ["CUP-RED", "CUP-BLUE"])
    await fill(page.locator("fieldset", { hasText: `${sku}, outstanding 10` }).locator("input[inputmode=decimal]"), "10");
  await fill(page.locator("#reason"), "Delivery note 7");
  await look("receive");
  await go(button("Receive"));
  await look("received");

  // The till: a register, a session, a scan and a search.
  const place = { code: "FRONT", name: "Front counter", warehouseId: "Back room", priceListId: "Shop prices" };
  await make("/pos/registers", "createPosRegister", place);
  await open("/-/till");
  const register = row("Front counter");
  await fill(register.locator("input[inputmode=decimal]"), "100.00");
  await look("till");
  await go(register.getByRole("button", { name: "Open" }));
  const scan = async (text) => {
    // The field has the focus already: a scanner types and sends Enter.
    assert.equal(await page.evaluate(() => document.activeElement.id), "scan");
    await page.keyboard.type(text);
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  };
  await scan("CUP-RED");
  await scan("BLUE");
  await fill(row("CUP-RED").locator("input[name=quantity]"), "2");
  await go(row("CUP-RED").getByRole("button", { name: "Set the quantity of CUP-RED" }));
  await has("32.25 EUR");
  await look("basket");
  await go(button("To payment"));
  await fill(page.locator("#tendered"), "50.00");
  if (script) assert.equal(await page.locator("[data-change]").innerText(), "17.75");
  await look("payment");
  await go(button("Pay in cash"));
  await has("Total 32.25 EUR", "Received 50.00", "Change 17.75");
  await look("receipt");
  const receipt = page.url();

  // The day's cash is the opening and the sale; the count agrees.
  await go(link("Next sale"));
  await go(link("Close the session"));
  await has("At the opening 100.00", "Sales in cash 32.25", "Expected in the drawer 132.25");
  await fill(page.locator("#counted"), "132.25");
  await look("count");
  await go(button("Close the session"));
  await has("Variance 0.00", "The session is closed.");
  await look("closed");

  // The life of the sale, and who did it.
  await page.goto(receipt);
  await go(link("Timeline of the order"));
  await has("Drafted", "Confirmed", "Delivered", "Stock, sale: 2 x CUP-RED", "Receipt of a register: 32.25 EUR");
  await look("timeline");
  await go(page.locator('main a[href*="/sales/orders/"]').first());
  await go(link("Audit"));
  assert.ok((await page.locator("tbody tr").count()) >= 2, "the audit has the draft and the confirmation");
  await look("audit");
  await open("");
  await has("Net sales today 32.25 EUR", "At the tills today 32.25 EUR");
  await look("overview");

  assert.deepEqual(faults, [], `${width} px`);
  await context.close();
}

await onEachScreen(SCREENS, work);
console.log(`worked on ${SCREENS.length} screens on ${DATABASE}`);
