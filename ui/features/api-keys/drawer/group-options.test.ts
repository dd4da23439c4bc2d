import { expect, test } from "bun:test";
import { ratioTone } from "./group-options.tsx";

test("ratios are colored by how dear they are", () =>
  expect([0, 1, 1.01, 3, 3.5, 5, 5.1].map(ratioTone)).toEqual(["ok", "ok", "info", "info", "warn", "warn", "bad"]));
