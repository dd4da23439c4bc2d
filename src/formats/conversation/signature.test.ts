import { expect, test } from "bun:test";
import { callIdFor } from "../tools/tool-names.ts";
import type { ChatDialect } from "./conversation.ts";
import { carryCallId, carrySignature, readCallId, readSignature } from "./signature.ts";

const FORMATS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const satisfies ChatDialect[];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const VALUES = ["", "c2ln", "EuYBCkQYAiJA~+/=", '{"toolCall":{"id":"ü~"}}', "x".repeat(5000)];
const IDS = [undefined, "rs_1", "call:functions.f~0", "hidden", "a/b%7E%"];

test.each(FORMATS)("a signature in %s is its own or base64, and returns to its provider unchanged", (format) => {
  for (const dialect of FORMATS)
    for (const value of VALUES)
      for (const id of IDS) {
        const signature = { dialect, value, ...(id !== undefined && { id }) };
        const carried = carrySignature(signature, format);
        if (dialect === format) {
          expect(carried).toBe(value);
          continue;
        }
        expect(carried).toMatch(BASE64);
        expect(readSignature(carried, format)).toEqual(signature);
        // Google's Python client decodes signatures and writes them in the URL alphabet; other clients omit the
        // padding.
        const again = Buffer.from(carried, "base64").toString("base64url");
        expect(readSignature(again, format)).toEqual(signature);
      }
});

test("signatures of older versions, in plain text, are still read", () => {
  expect(readSignature("sluice~anthropic~~c2ln", "gemini")).toEqual({ dialect: "anthropic", value: "c2ln" });
  const ofCall = { dialect: "gemini", value: "c2ln", id: "call:a%41" } as const;
  expect(readSignature("sluice~gemini~call:a%41~c2ln", "openai-responses")).toEqual(ofCall);
  expect(readSignature("Z2VtaW5p", "gemini")).toEqual({ dialect: "gemini", value: "Z2VtaW5p" });
  // Begins like a carried signature, but is none.
  expect(readSignature("c2x1aWNlfAAA", "gemini")).toEqual({ dialect: "gemini", value: "c2x1aWNlfAAA" });
});

test("call ids that Anthropic's clients may not send back are encoded and restored", () => {
  for (const id of ["call_1", "toolu_01A-b", ""]) expect(carryCallId(id)).toBe(id);
  for (const id of ["functions.search:0", "调用", "a b", "c~d"]) {
    expect(carryCallId(id)).toMatch(/^toolu_[A-Za-z0-9_-]+$/);
    expect(readCallId(carryCallId(id))).toBe(id);
  }
  expect(readCallId("toolu_c2x1aWNlfAAA")).toBe("toolu_c2x1aWNlfAAA");
});

test("each format receives call ids that it accepts, different ones for different calls", () => {
  const ids = ["", "a.b", "a_b", "a:b", "x".repeat(41), "x".repeat(65), "x".repeat(66), "functions.f:0"];
  const taken = {
    "openai-chat": /^.{1,40}$/,
    "openai-responses": /^.{1,64}$/,
    anthropic: /^[a-zA-Z0-9_-]+$/,
    converse: /^[a-zA-Z0-9_.:-]{1,64}$/,
  } as const;
  for (const format of Object.keys(taken) as (keyof typeof taken)[]) {
    const made = ids.map((id) => callIdFor(format, id));
    for (const id of made) expect(id).toMatch(taken[format]);
    expect(new Set(made).size).toBe(ids.length);
  }
  expect(callIdFor("converse", "functions.f:0")).toBe("functions.f:0");
  expect(callIdFor("openai-chat", "toolu_01XFDUDYJgAACzvnptvVoYEL")).toBe("toolu_01XFDUDYJgAACzvnptvVoYEL");
});
