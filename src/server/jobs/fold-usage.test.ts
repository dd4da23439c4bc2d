import { expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/settings.ts";
import { isFoldDue } from "./fold-usage.ts";

const MINUTE_MS = 60_000;
const every = (minutes: string) => fixedSettings({ DataExportInterval: minutes });

test("an interval that is shortened counts from the last time, not from the next", () => {
  const last = 1_800_000_000_000;
  expect(isFoldDue(last, every("1440"), last + MINUTE_MS)).toBe(false);
  expect(isFoldDue(last, every("1"), last + MINUTE_MS)).toBe(true);
  expect(isFoldDue(last, every("1"), last + MINUTE_MS - 1)).toBe(false);
  expect(isFoldDue(0, every("1440"), last)).toBe(true);
});
