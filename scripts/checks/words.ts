import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import allowed from "./config/words-allowed.json" with { type: "json" };
import { type Findings, ROOT, type SourceFile, withoutComments } from "./source.ts";

/** How often each folder still uses a word, by `word` and folder. */
export type Allowances = Readonly<Record<string, Readonly<Record<string, number>>>>;

type Rule = Readonly<{
  /** What the rule counts, ignoring case: a word, also as a part of a name, or a pattern. */
  word: string | RegExp;
  /** What to write instead. */
  instead: string;
}>;

/** Words that are no names: of functions, variables, types and members. In prose they are ordinary English. */
const NAMES: readonly Rule[] = [
  { word: "asked", instead: "requested, request, options" },
  { word: "gone", instead: "removed, closed, disconnected" },
  { word: "given", instead: "options, input, values" },
  { word: "hear", instead: "onMessage, subscribe, handleWebhook" },
  { word: "heard", instead: "received" },
  { word: "kept", instead: "stored, retained" },
  { word: "met", instead: "seen" },
  { word: "picture", instead: "image" },
  { word: "pictures", instead: "images" },
  { word: "said", instead: "message, content" },
  { word: "scene", instead: "fixture" },
  { word: "sound", instead: "audio" },
  { word: "sounds", instead: "audio" },
  { word: "spoken", instead: "realtime, transcript, audio" },
  { word: "stage", instead: "fixture" },
  { word: "stuck", instead: "sticky" },
  { word: "talk", instead: "conversation, session" },
  { word: "talks", instead: "conversations, sessions" },
  { word: "thinks", instead: "reasons" },
  { word: "thoughts", instead: "reasoning" },
  { word: "told", instead: "upstreamError, reported, message" },
  { word: "vectors", instead: "embeddings" },
  { word: "wanted", instead: "requested, expected" },
  { word: "whole", instead: "response, complete" },
];

/** Words that are banned everywhere: in names, comments, strings, documentation and the console. */
const EVERYWHERE: readonly Rule[] = [
  { word: "anew", instead: "again, reset" },
  { word: "arrivals", instead: "pending, queue" },
  { word: "beside", instead: "next to, besides, extensions" },
  { word: "dearest", instead: "most expensive, maximum price" },
  { word: "desk", instead: "page" },
  { word: "door", instead: "client format" },
  { word: "doors", instead: "client formats" },
  { word: "hears", instead: "receives" },
  { word: "learnt", instead: "learned" },
  { word: "mend", instead: "adapt, repair" },
  { word: "mended", instead: "adapted, repaired" },
  { word: "mends", instead: "adapts, repairs" },
  { word: "obstacle", instead: "ineligible reason" },
  { word: "parted", instead: "separated" },
  { word: "passage", instead: "adapter" },
  { word: "passages", instead: "adapters" },
  { word: "patient", instead: "diagnostics context" },
  { word: "rooms", instead: "modules" },
  { word: "stranger", instead: "unknown, outside" },
  { word: "strangers", instead: "unknown, outside" },
  { word: "sung", instead: "music" },
  { word: "tally", instead: "meter, count" },
  { word: "unmissed", instead: "optional" },
  { word: "unsaid", instead: "dropped" },
  {
    word: /\bbehavior,? (?:section )?\d|\bpitfalls? \d|\bspecification \d|\bspecification of [a-z ]+, section|\b(?:design|behavior|pitfalls|providers)\.md\b/gi,
    instead: "the fact itself and its public source, instead of a document outside this repository",
  },
];

/** Where the list itself is written, and its test. */
const EXEMPT = /^scripts\/checks\/words/;
const ALLOWANCES: Allowances = allowed;

/** The documentation and the console's English texts; what is made by a program is not among them. */
export function readTexts(root = ROOT): SourceFile[] {
  const glob = new Bun.Glob("{*.md,docs/**/*.md,ui/locales/en/**/*.json}");
  return [...glob.scanSync({ cwd: root })]
    .sort()
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), "utf8") }));
}

/** Lowers allowances to what is left; none is raised. */
export function shrinkAllowances(files: readonly SourceFile[]): void {
  const used = countWords(files);
  const lower = Object.entries(ALLOWANCES).map(([word, folders]) => {
    const left = Object.entries(folders).map(
      ([folder, allowed]) => [folder, Math.min(allowed, used[word]?.[folder] ?? 0)] as const,
    );
    return [word, Object.fromEntries(left.filter(([, count]) => count > 0))] as const;
  });
  const rest = lower.filter(([, folders]) => Object.keys(folders).length > 0);
  writeFileSync(
    path.join(import.meta.dir, "config/words-allowed.json"),
    `${JSON.stringify(Object.fromEntries(rest), null, 2)}\n`,
  );
}

/** Checks that no folder uses a banned word more often than it is allowed to. */
export function checkWords(files: readonly SourceFile[], allowances = ALLOWANCES): Findings {
  const used = countWords(files);
  const problems = [...NAMES, ...EVERYWHERE].flatMap(({ word, instead }) =>
    Object.entries(used[labelOf(word)] ?? {}).flatMap(([folder, count]) => {
      const allowed = allowances[labelOf(word)]?.[folder] ?? 0;
      return count > allowed
        ? [`${folder}: "${labelOf(word)}" ${count} times, ${allowed} allowed. Write: ${instead}`]
        : [];
    }),
  );
  const unused = Object.entries(allowances).flatMap(([word, folders]) =>
    Object.entries(folders).map(([folder, count]) => Math.max(0, count - (used[word]?.[folder] ?? 0))),
  );
  const fewer = unused.reduce((sum, count) => sum + count, 0);
  return { problems, warnings: fewer > 0 ? [`${fewer} fewer than allowed: bun run check --shrink-words`] : [] };
}

/** How often each folder uses each banned word. */
export function countWords(files: readonly SourceFile[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  const add = (label: string, file: string) => {
    const folder = folderOf(file);
    counts[label] = { ...counts[label], [folder]: (counts[label]?.[folder] ?? 0) + 1 };
  };
  const everywhere = new Set(EVERYWHERE.map(({ word }) => word));
  const names = new Set(NAMES.map(({ word }) => word));
  for (const file of files.filter(({ path: name }) => !EXEMPT.test(name))) {
    for (const word of wordsOf(file.text)) if (everywhere.has(word)) add(word, file.path);
    if (isCode(file)) for (const word of wordsOf(withoutProse(file.text))) if (names.has(word)) add(word, file.path);
    for (const { word } of EVERYWHERE) {
      if (typeof word !== "string") for (const _ of file.text.matchAll(word)) add(labelOf(word), file.path);
    }
  }
  return counts;
}

const labelOf = (word: string | RegExp): string => (typeof word === "string" ? word : "outside documents");

const isCode = (file: SourceFile): boolean => /\.tsx?$/.test(file.path);

/** Words of a text in lower case; names are taken apart (`toldOf`: told, of). */
function wordsOf(text: string): string[] {
  return text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.map((word) => word.toLowerCase()) ?? [];
}

/** Code without comments, and without strings and templates as far as they are text. */
function withoutProse(text: string): string {
  return withoutComments(text).replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, '""');
}

/** The folder whose allowance counts; only the top one, so that files can move below it. */
const folderOf = (file: string): string => (file.includes("/") ? file.slice(0, file.indexOf("/")) : ".");
