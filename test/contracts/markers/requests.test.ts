/**
 * What a caller says arrives: requests of every client format, made from the official clients' types with a marker in each
 * member, are written for every provider. Each marker is found upstream, or its member is named in `X-Sluice-Dropped`, or a
 * rule says why it must change.
 */
import { expect, test } from "bun:test";
import { clients } from "./clients/index.ts";
import { describeLosses, findLosses } from "./requests/find-losses.ts";
import { services } from "./requests/services.ts";

test("each member of a request arrives, is named as dropped, or has a rule", async () => {
  const findings = await findLosses(1, 3);
  expect(describeLosses(findings)).toEqual([]);
  expect(findings.cases).toBeGreaterThan(clients.length * services.length * 15);
}, 120_000);
