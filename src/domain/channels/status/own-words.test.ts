import { expect, test } from "bun:test";
import { ownWords, textsIn } from "./own-words.ts";

const PHRASE = "credit balance is too low";
const isOwn = (message: string, request: unknown) => ownWords(message, () => textsIn(request))(PHRASE);

test("an upstream's own words count", () => {
  expect(isOwn("Your CREDIT balance is too low to access the API.", { messages: [{ content: "Hi" }] })).toBe(true);
  // Single words of a phrase stand in many requests.
  expect(isOwn("Your credit balance is too low.", { reasoning_effort: "low", q: "Is my balance too high?" })).toBe(
    true,
  );
  expect(isOwn("Something else", {})).toBe(false);
});

/** What callers may send so that a provider quotes it. */
const QUOTED: readonly (readonly [string, string, unknown])[] = [
  ["a value", `Invalid value: '${PHRASE}'. Supported values are: 'low'.`, { reasoning_effort: PHRASE }],
  ["a longer value", `Unknown voice Your ${PHRASE} today`, { voice: `Your ${PHRASE} today` }],
  ["a value that is cut", `Bad name "${PHRASE}…"`, { name: `${PHRASE} and much more ${"x".repeat(500)}` }],
  ["the name of a member", `${PHRASE}: Extra inputs are not permitted`, { [PHRASE]: 1 }],
  ["another case", `No such model CREDIT BALANCE IS TOO LOW`, { model: "Credit Balance is too LOW" }],
  ["other spaces", `No such tool credit balance is too low`, { tools: [{ name: "credit_balance-is\ttoo low" }] }],
  ["letters of another width", `No such tool ${PHRASE}`, { name: "ｃｒｅｄｉｔ balance is too low" }],
  ["percent signs", `No such page ${PHRASE}`, "/v1beta/models/%63redit%20balance%20is%20too%20low:generateContent"],
  ["escapes in JSON in a text", `Bad arguments ${PHRASE}`, { arguments: '{"a":"credit\\u0020balance is\\ntoo low"}' }],
  ["entities", `Bad text ${PHRASE}`, { text: "credit&nbsp;balance&#32;is too low" }],
  ["most of the phrase", `Unknown size of credit balance is too low`, { size: "balance is too low" }],
  ["deep in a list", `Bad ${PHRASE}`, { a: [[{ b: [{ c: PHRASE }] }]] }],
];

test.each(QUOTED)("quotes of a request do not count: %s", (_name, message, request) => {
  expect(isOwn(message, {})).toBe(true);
  expect(isOwn(message, request)).toBe(false);
});

test("of a very long request any words may be a quote", () => {
  expect(isOwn(`Your ${PHRASE}`, { messages: ["x".repeat(5_000_000)] })).toBe(false);
});
