import { expect, test } from "bun:test";
import { createClientAddress } from "../../lib/http/client-ip.ts";
import { createPageLimit } from "./page-limit.ts";

const OPTIONS: Record<string, unknown> = { SystemName: "Ann & Sons", Logo: "", BrandCss: "" };
const MOST = 5;

/** A limit of five pages; `find` knows one session. */
function start(find: (value: string) => Promise<object | null> = async (value) => (value === "known" ? {} : null)) {
  const refused: string[] = [];
  const limit = createPageLimit({
    limit: { count: MOST, windowMs: 180_000 },
    basePath: "",
    settings: { get: (key: string) => OPTIONS[key] ?? "" } as never,
    sessions: { find } as never,
    clientAddress: createClientAddress([]),
    sharedLimits: null,
    countRefusal: (kind) => void refused.push(kind),
  });
  const load = async (headers: Record<string, string> = {}, address = "192.0.2.1") =>
    limit(new Request("http://gateway.test/token", { headers }), { requestIP: () => ({ address }) });
  return { load, refused };
}

test("an office of signed-in people loads any number of pages, also while a visitor there is limited", async () => {
  const { load, refused } = start();
  for (let times = 0; times < 200; times += 1) expect(await load({ cookie: "session=known" })).toBeNull();
  for (let times = 0; times < MOST; times += 1) expect(await load()).toBeNull();
  expect((await load())?.status).toBe(429);
  expect((await load({ cookie: "session=made-up" }))?.status).toBe(429);
  expect(await load({ cookie: "session=known" })).toBeNull();
  expect(await load({ cookie: "__Host-session=known" })).toBeNull();
  expect(await load({}, "192.0.2.2")).toBeNull();
  expect(refused).toEqual(["console_pages", "console_pages"]);
});

test("a database that is away signs nobody in, and fails no page", async () => {
  const { load } = start(() => Promise.reject(new Error("away")));
  for (let times = 0; times < MOST; times += 1) expect(await load({ cookie: "session=known" })).toBeNull();
  expect((await load({ cookie: "session=known" }))?.status).toBe(429);
});

test.each(["en", "zh", "zh-TW", "ja", "fr", "ru", "vi"])(
  "the refusal is a page of the console in %s",
  async (language) => {
    const { load } = start();
    for (let times = 0; times < MOST; times += 1) await load();
    const page = await load({ accept: "text/html,*/*", "accept-language": `${language},xx;q=0.5` });
    const seconds = page?.headers.get("retry-after") ?? "";
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(page?.headers.get("refresh")).toBe(seconds);
    expect(page?.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page?.headers.get("content-security-policy")).toContain("default-src 'none'");
    const html = (await page?.text()) ?? "";
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain("Ann &amp; Sons");
    expect(html).toContain('src="/icon.svg"');
    expect(html).toContain(seconds);
    expect(html.includes("Try again")).toBe(language === "en");
  },
);

test("programs get a sentence", async () => {
  const { load } = start();
  for (let times = 0; times < MOST; times += 1) await load();
  const reply = await load({ "accept-language": "zh-CN" });
  expect(reply?.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await reply?.text()).toContain("请求过于频繁");
});
