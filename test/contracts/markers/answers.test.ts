/**
 * What a model answers arrives: answers of every provider format, made from the official clients' types with a marker in each
 * member, are written for the clients of every other format, complete and as streams. Each marker is found in what the client
 * gets, or a rule says why it need not.
 */
import { expect, test } from "bun:test";
import { describeLosses, findLosses } from "./answers/find-losses.ts";
import { sources } from "./answers/sources.ts";

test("each member of an answer arrives, or has a rule", () => {
  const findings = findLosses(1);
  expect(describeLosses(findings)).toEqual([]);
  expect(findings.answers).toBeGreaterThan(sources.length * 100);
}, 120_000);
