/**
 * What a model answers arrives: answers of every provider format, made from the official clients' types with a marker in each
 * member, are written for the clients of every other format, complete and as streams. Each marker is found in what the client
 * gets, or a rule says why it need not.
 */
import { expect, test } from "bun:test";
import { describeLosses, findLosses } from "./answers/find-losses.ts";
import { sources } from "./answers/sources.ts";

test("each member of an answer arrives, or has a rule", () => {
  // The further ones found a refusal with a stop sequence, and citations after media and after a refusal.
  for (const seed of [1, 5, 16, 125]) {
    const findings = findLosses(seed);
    expect(describeLosses(findings)).toEqual([]);
    expect(findings.answers).toBeGreaterThan(sources.length * 100);
  }
}, 120_000);
