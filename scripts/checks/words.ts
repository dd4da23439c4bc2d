import { readFileSync } from "node:fs";
import path from "node:path";
import { type Findings, ROOT, type SourceFile, withoutComments } from "./source.ts";

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
  { word: "kept", instead: "stored, retained" },
  { word: "met", instead: "seen" },
  { word: "picture", instead: "image" },
  { word: "pictures", instead: "images" },
  { word: "said", instead: "message, content" },
  { word: "sound", instead: "audio" },
  { word: "sounds", instead: "audio" },
  { word: "stage", instead: "fixture" },
  { word: "stuck", instead: "sticky" },
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
  { word: "hear", instead: "onMessage, subscribe, handleWebhook" },
  { word: "heard", instead: "received" },
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
  { word: "scene", instead: "fixture" },
  { word: "spoken", instead: "realtime, transcript, audio" },
  { word: "stranger", instead: "unknown, outside" },
  { word: "strangers", instead: "unknown, outside" },
  { word: "sung", instead: "music" },
  { word: "talk", instead: "conversation, session" },
  { word: "talks", instead: "conversations, sessions" },
  { word: "tally", instead: "meter, count" },
  { word: "thinks", instead: "reasons" },
  { word: "thoughts", instead: "reasoning" },
  { word: "told", instead: "reported, sent, shown, returned, notified" },
  { word: "unmissed", instead: "optional" },
  { word: "unsaid", instead: "dropped" },
  { word: "vectors", instead: "embeddings" },
  {
    word: /\bbehavior,? (?:section )?\d|\bpitfalls? \d|\bspecification \d|\bspecification of [a-z ]+, section|\b(?:design|behavior|pitfalls|providers)\.md\b/gi,
    instead: "the fact itself and its public source, instead of a document outside this repository",
  },
];

/** Names of somebody else's API or product, spelled as their owner does. They don't count in the files that speak it. */
const FOREIGN_NAMES: readonly Readonly<{ name: RegExp; owner: string; files: RegExp }>[] = [
  { name: /\bincludeThoughts\b/g, owner: "Gemini API, `thinkingConfig`", files: /./ },
  { name: /\bthoughtsTokenCount\b/g, owner: "Gemini API, `usageMetadata`", files: /./ },
  { name: /\bDingTalk\b/g, owner: "Alibaba, name of the product", files: /./ },
  { name: /\bSparkDesk\b/g, owner: "iFLYTEK, names of models", files: /./ },
  { name: /\bthoughts\b/g, owner: "Baidu ERNIE, `function_call`", files: /\/baidu\// },
  {
    name: /\bvectors\b/g,
    owner: "MiniMax, response of embeddings",
    files: /\/minimax\/|\/own-formats\.test\.ts$|\/house\.md$/,
  },
  { name: /\bgivenName\b/g, owner: "SCIM (RFC 7643), `name`", files: /\/scim\b/ },
  { name: /"told"/g, owner: "rows that earlier versions stored", files: /\/objects\/store\.ts$/ },
  { name: /\bsound\b/g, owner: "Kling, parameter of videos", files: /\/price-rules\.test\.ts$/ },
];

/** Where the list itself is written, and its test. */
const EXEMPT = /^scripts\/checks\/words/;

/** Each by a glob of its own: Bun.Glob finds nothing for alternatives that contain a slash. */
const TEXTS = [
  "*.md",
  "{src,docs,deploy}/**/*.md",
  "docs/**/*.json",
  "scripts/**/*.sh",
  "ui/locales/en/**/*.json",
] as const;

/** The documentation, scripts of the shell and the console's English texts; what is made by a program is not among them. */
export function readTexts(root = ROOT): SourceFile[] {
  return TEXTS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    .sort()
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), "utf8") }));
}

/** Checks that no file uses a banned word. */
export function checkWords(files: readonly SourceFile[]): Findings {
  const problems = files
    .filter(({ path: name }) => !EXEMPT.test(name))
    .flatMap((file) => findWords(file).map(({ label, instead }) => `${file.path}: "${label}". Write: ${instead}`));
  return { problems };
}

type Banned = Readonly<{ label: string; instead: string }>;

function findWords(file: SourceFile): Banned[] {
  const text = FOREIGN_NAMES.filter(({ files }) => files.test(file.path)).reduce(
    (rest, { name }) => rest.replace(name, ""),
    file.text,
  );
  const isCode = /\.tsx?$/.test(file.path);
  return [...findIn(text, EVERYWHERE), ...(isCode ? findIn(withoutProse(text), NAMES) : [])];
}

function findIn(text: string, rules: readonly Rule[]): Banned[] {
  const words = wordsOf(text);
  return rules.flatMap(({ word, instead }) => {
    const found = typeof word === "string" ? words.filter((one) => one === word) : [...text.matchAll(word)];
    return found.map(() => ({ label: typeof word === "string" ? word : "outside documents", instead }));
  });
}

/** Words of a text in lower case; names are taken apart (`toldOf`: told, of). */
function wordsOf(text: string): string[] {
  return text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.map((word) => word.toLowerCase()) ?? [];
}

/** Code without comments, and without strings and templates as far as they are text. */
function withoutProse(text: string): string {
  return withoutComments(text).replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, '""');
}
