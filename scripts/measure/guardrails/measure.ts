/**
 * Measures guardrails on invented text: precision and recall of personal data by kind, and the CPU that each kind of guardrail takes
 * for a kilobyte. `--lines=4000 --seed=47`; the same seed gives the same text.
 */
import { parseArgs } from "node:util";
import { compileGuardrail } from "../../../src/domain/models/guardrails/compile.ts";
import { personalDetectors } from "../../../src/domain/models/guardrails/identifiers/personal-data.ts";
import { inspect } from "../../../src/domain/models/guardrails/inspect.ts";
import { piecesOf } from "../../../src/domain/models/guardrails/window.ts";
import { PERSONAL_KINDS, readGuardrail } from "../../../src/settings/option/guardrails.ts";
import { makeCorpus } from "./corpus.ts";

const { values: options } = parseArgs({ options: { lines: { type: "string" }, seed: { type: "string" } } });
const corpus = makeCorpus(Number(options.lines ?? 4000), Number(options.seed ?? 47));
const detectors = personalDetectors(PERSONAL_KINDS);

const totals = new Map(PERSONAL_KINDS.map((kind) => [kind, { real: 0, found: 0, right: 0 }]));
for (const { text, values } of corpus) {
  const left = [...values];
  for (const { kind } of values) count(kind).real += 1;
  for (const { text: piece, match } of piecesOf(text, detectors)) {
    const kind = PERSONAL_KINDS.find((each) => each.toUpperCase() === match?.type);
    if (!kind) continue;
    count(kind).found += 1;
    const at = left.findIndex((value) => value.kind === kind && value.text === piece);
    if (at < 0) continue;
    count(kind).right += 1;
    left.splice(at, 1);
  }
}

function count(kind: (typeof PERSONAL_KINDS)[number]) {
  const total = totals.get(kind);
  if (!total) throw new Error(kind);
  return total;
}

const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
for (const [kind, { real, found, right }] of totals)
  process.stdout.write(
    `${kind.padEnd(12)} ${String(real).padStart(5)} values, precision ${percent(right, found)}, recall ${percent(right, real)}\n`,
  );

const ROUNDS = 9;
const all = corpus.map(({ text }) => text).join("\n");
const kilobytes = Buffer.byteLength(all) / 1024;
const texts = all.match(/[\s\S]{1,4000}/g) ?? [];
const RULES = {
  personal_data: { kind: "personal_data" },
  secrets: { kind: "secrets" },
  words: { kind: "words", words: ["forbidden", "secret project"] },
  patterns: { kind: "patterns", patterns: ["project-\\d+"] },
  injection: { kind: "injection" },
  language: { kind: "language", languages: ["en"] },
};
for (const [name, definition] of Object.entries(RULES)) {
  const guardrail = compileGuardrail(readGuardrail(name, { ...definition, action: "flag" }, ""));
  const times = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    for (const text of texts) inspect(guardrail, { texts: [text], tools: [] }, "request");
    return ((performance.now() - from) * 1000) / kilobytes;
  });
  process.stdout.write(`${name.padEnd(14)} ${Math.min(...times).toFixed(1)} µs a KB\n`);
}
