import { expect, test } from "bun:test";
import { compareStartOf } from "./DashboardFilters.tsx";

test.each([
  ["", undefined],
  ["week", 1_000_000 - 7 * 86_400],
  ["123456", 123_456],
  ["nonsense", undefined],
  ["-5", undefined],
])("%p", (text, start) => expect(compareStartOf(text, 1_000_000)).toBe(start));
