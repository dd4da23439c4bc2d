/**
 * Compares pages of the console between two running gateways, pixel by pixel: to see what a change of the console alters.
 * Both need the same data and the same super administrator. Writes a picture of each page before, after and of what differs
 * (in red) into the git-ignored folder `screenshots/compare/`, and prints a table.
 *   --before URL --after URL   the two gateways
 *   --username --password      the super administrator's; those of the tests by default
 *   --page PATH                a path of the console; can be repeated; five pages by default
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../test/support/e2e/browser.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "../../test/support/e2e/console-client.ts";
import { openConsolePage } from "../../test/support/e2e/console-page.ts";

const FOLDER = path.join(import.meta.dir, "../screenshots/compare");
const PAGES = ["/token", "/log", "/channel", "/detail", "/setting?tab=operation"];
const SIZE = { width: 1280, height: 800 };
/** Until what appears last has faded in. */
const FADE_MS = 800;

type Difference = Readonly<{ pixels: number; share: number; box: string; image: string }>;

const { values: flags } = parseArgs({
  options: {
    before: { type: "string" },
    after: { type: "string" },
    username: { type: "string", default: ROOT_NAME },
    password: { type: "string", default: ROOT_PASSWORD },
    page: { type: "string", multiple: true, default: PAGES },
  },
});
if (!flags.before || !flags.after) {
  process.stderr.write("usage: bun run compare-pages --before URL --after URL [--page PATH]\n");
  process.exit(2);
}

await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser();
/** Both consoles see the same time, so that "3 minutes ago" says the same. */
const now = new Date();
const before = await signIn(browser, flags.before);
const after = await signIn(browser, flags.after);
const canvas = await (await browser.newContext()).newPage();
process.stdout.write("| page | differing pixels | share | within (x, y, width, height) |\n| --- | --- | --- | --- |\n");
for (const address of flags.page) {
  const name = address.replace(/\W+/g, "-").replace(/^-/, "");
  const old = await takeScreenshot(before.page, flags.before + address, `${name}-before`);
  const current = await takeScreenshot(after.page, flags.after + address, `${name}-after`);
  const { pixels, share, box, image } = await compareScreenshots(canvas, old, current);
  await Bun.write(path.join(FOLDER, `${name}-difference.png`), Buffer.from(image, "base64"));
  process.stdout.write(
    `| \`${address}\` | ${pixels.toLocaleString("en")} | ${(share * 100).toFixed(2)} % | ${box} |\n`,
  );
}
await browser.close();

async function signIn(shared: Browser, url: string) {
  const account = { username: flags.username, password: flags.password };
  const opened = await openConsolePage(shared, { url }, { language: "en" }, account);
  await opened.page.setViewportSize(SIZE);
  await opened.page.clock.setFixedTime(now);
  return opened;
}

/** The page once nothing stands for what is still loading, as PNG in base64; also written into the folder. */
async function takeScreenshot(page: Page, url: string, name: string): Promise<string> {
  await page.goto(url);
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".MuiSkeleton-root, .MuiCircularProgress-root") === null);
  await page.waitForTimeout(FADE_MS);
  return (await page.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: "disabled" })).toString("base64");
}

/**
 * Counts the pixels whose colors differ, in the browser, which reads and writes PNG itself. A difference of 1 in 255 is
 * none: Chromium rounds the edges of rounded corners now one way, now the other, in the same page.
 */
function compareScreenshots(page: Page, old: string, current: string): Promise<Difference> {
  return page.evaluate(
    async ([first = "", second = ""]) => {
      const pixelsOf = async (png: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${png}`;
        await image.decode();
        const surface = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
        const context = surface.getContext("2d");
        if (!context) throw new Error("no canvas");
        context.drawImage(image, 0, 0);
        return { surface, context, image: context.getImageData(0, 0, image.width, image.height) };
      };
      const [a, b] = [await pixelsOf(first), await pixelsOf(second)];
      const { width, height } = b.image;
      const [was, is] = [a.image.data, b.image.data];
      let [pixels, left, top, right, bottom] = [0, width, height, 0, 0];
      for (let at = 0; at < is.length; at += 4) {
        const isSame = [at, at + 1, at + 2].every((channel) => Math.abs((was[channel] ?? 0) - (is[channel] ?? 0)) <= 1);
        if (isSame) is[at + 3] = 60;
        else {
          is.set([220, 0, 0, 255], at);
          pixels += 1;
          const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
          left = Math.min(left, x);
          right = Math.max(right, x);
          top = Math.min(top, y);
          bottom = Math.max(bottom, y);
        }
      }
      b.context.putImageData(b.image, 0, 0);
      const difference = b.surface.toDataURL("image/png").replace(/^.*?,/, "");
      const box = pixels === 0 ? "–" : `${left}, ${top}, ${right - left + 1}, ${bottom - top + 1}`;
      return { pixels, share: pixels / (width * height), box, image: difference };
    },
    [old, current],
  );
}
