import { expect, test } from "bun:test";
import { createInstance, type TFunction } from "i18next";
import logs from "../../../locales/en/logs/logs.json";
import { ratiosText } from "./Facts.tsx";

const english = createInstance();
await english.init({ lng: "en", resources: { en: { translation: { logs } } }, interpolation: { escapeValue: false } });
const t = english.t as TFunction;

test.each([
  [
    { model_price: -1, model_ratio: 2.5, completion_ratio: 4, cache_ratio: 0.5, group_ratio: 1, user_group_ratio: -1 },
    "model × 2.5 · completion × 4 · cache read × 0.5 · group × 1",
  ],
  [
    { model_price: 0.02, model_ratio: 0, group_ratio: 2, user_group_ratio: 0.8 },
    "$0.02 per call · group × 2 · user group × 0.8",
  ],
  [{ model_ratio: 1 }, "model × 1"],
])("%o is shown as %s", (other, text) => {
  expect(ratiosText(other, t)).toBe(text);
});
