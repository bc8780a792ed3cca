// Does the same work in Chromium on several screens, one after the other. CHROMIUM is the browser.
import { chromium } from "playwright-core";

const { CHROMIUM } = process.env;
const QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync"];

// The results of `work(browser, screen)`.
export async function onEachScreen(screens, work) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET, chromiumSandbox: process.getuid() !== 0 });
  const results = [];
  try {
    for (const screen of screens) results.push(await work(browser, screen));
  } finally {
    await browser.close();
  }
  return results;
}
