import { expect, test } from "bun:test";
import { relativeTime } from "./time.ts";

test.each([
  [0, "now"],
  [-59, "now"],
  [-90, "1 min. ago"],
  [-7200, "2 hr. ago"],
  [-172_800, "2 days ago"],
  [86_400, "tomorrow"],
])("%d s from now is %p", (offset, words) => expect(relativeTime(1_000_000 + offset, 1_000_000, "en")).toBe(words));

test("speaks Chinese", () => expect(relativeTime(0, 300, "zh")).toBe("5分钟前"));
