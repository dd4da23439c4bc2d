import { afterAll, beforeAll, expect, test } from "bun:test";
import i18next from "i18next";
import { failureNote } from "../../src/billing/types.ts";
import { failureWords } from "../locales/failures.ts";
import { failureText } from "./failure-text.ts";

beforeAll(async () => {
  const resources = { zh: { failures: await failureWords("zh") } };
  await i18next.init({ lng: "zh", resources, interpolation: { escapeValue: false } });
});
afterAll(() => i18next.removeResourceBundle("zh", "failures"));

test("a sentence of the gateway is in the console's language, with what fills it", () => {
  expect(failureText(failureNote({ code: "gateway_timeout" }))).toBe("上游响应超时。");
  const why = { code: "why_timeout", params: { host: "cdn.example.com" } } as const;
  expect(failureText(failureNote({ code: "gateway_media", params: { part: "image", reason: why } }))).toBe(
    "无法获取 image：cdn.example.com 响应超时。",
  );
});

test("a code that was renamed since is in the console's language too", () => {
  const row = '{"error":"The owner of this API key no longer exists.","error_reason":{"code":"gateway_owner_gone"}}';
  expect(failureText(JSON.parse(row))).toBe("该令牌的所有者已不存在。");
});

test("an upstream's own words stay, as do those of an unknown code and of rows without one", () => {
  expect(failureText(failureNote("Incorrect API key"))).toBe("Incorrect API key");
  expect(failureText({ error: "Later words", error_reason: null })).toBe("Later words");
  expect(failureText({})).toBe("");
});
