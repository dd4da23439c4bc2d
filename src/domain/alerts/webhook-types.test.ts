import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ALERT_EVENTS } from "./event-rules.ts";

test("the documentation of webhooks names every type that is sent", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/operate/alerts.md"), "utf8");
  const row = page.split("\n").find((line) => line.startsWith("| `type`")) ?? "";
  const named = [...row.matchAll(/`([a-z0-9_]+)`/g)].map(([, type]) => type).slice(1);
  expect(named.toSorted()).toEqual([...Object.keys(ALERT_EVENTS), "digest", "test"].toSorted());
});
