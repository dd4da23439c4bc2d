import { afterAll, expect, test } from "bun:test";
import * as en from "../locales/en.ts";
import { loadTexts, startI18n, translate } from "./i18n.ts";

const before = globalThis.document;
afterAll(() => Object.assign(globalThis, { document: before }));

test("texts that a navigation asks for before the language is known come with it", async () => {
  Object.assign(globalThis, { document: { documentElement: {} } });
  let isLoaded = false;
  const early = loadTexts("signedIn").then(() => {
    isLoaded = true;
  });
  await Bun.sleep(20);
  expect(isLoaded).toBe(false);
  await startI18n("en");
  await early;
  expect(translate("usage.title")).toBe(en.usage.title);
});
