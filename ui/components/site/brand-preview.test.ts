import { expect, test } from "bun:test";
import { readDraft } from "./brand-preview.ts";

const DRAFT = { name: "Gate", logo: "", title: "Water", lead: "", color: "", css: "" };

test("a draft is taken from the settings page of this site alone, and when it is complete", () => {
  const [settings, unknown] = [new MessageChannel().port1, new MessageChannel().port1];
  const here = { parent: settings, location: { origin: "https://gate.test" } };
  const message = { origin: "https://gate.test", source: settings, data: { kind: "brand-draft", draft: DRAFT } };
  expect(readDraft(message, here)).toEqual(DRAFT);
  expect(readDraft({ ...message, origin: "https://evil.test" }, here)).toBeNull();
  expect(readDraft({ ...message, source: unknown }, here)).toBeNull();
  const { css: _, ...incomplete } = DRAFT;
  for (const data of [null, "brand-draft", {}, { kind: "other", draft: DRAFT }, { kind: "brand-draft" }]) {
    expect(readDraft({ ...message, data }, here)).toBeNull();
  }
  for (const draft of [incomplete, { ...DRAFT, css: 1 }, null]) {
    expect(readDraft({ ...message, data: { kind: "brand-draft", draft } }, here)).toBeNull();
  }
});
