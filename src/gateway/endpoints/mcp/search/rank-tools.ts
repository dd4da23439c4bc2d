import { setImmediate } from "node:timers/promises";
import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";

/** Of a description; what follows says little about what a tool is for. */
const MAX_INDEXED_LENGTH = 2_000;
/** Of a query. */
const MAX_TERMS = 16;
/** Of a server whose index is made. */
const TOOLS_AT_ONCE = 100;
/** A word that begins with a term, or a term that begins with a word, such as `issues` and `issue`. */
const PREFIX_SHARE = 0.6;
const [MIN_TERM_PREFIX, MIN_WORD_PREFIX] = [3, 4];
const [NAME_WEIGHT, TITLE_WEIGHT, SERVER_WEIGHT, DESCRIPTION_WEIGHT] = [4, 3, 2, 1];

const ASCII = /^[\0-\x7f]*$/;
/** Scripts that write words without spaces between them. */
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Where a tool stands among its server's, and how much the word counts in it. */
type Posting = Readonly<{ at: number; weight: number }>;

const NO_WEIGHTS = new Float64Array();

type Index = Readonly<{
  words: ReadonlyMap<string, readonly Posting[]>;
  positions: ReadonlyMap<McpTool, number>;
}>;

const indexes = new WeakMap<McpServer, Index>();

/**
 * How well the names and descriptions of servers' tools match a query; 0: not at all. The rarer a word of the query is, the more it
 * counts, and in a name more than in a description. Other work goes on while the index of a server is made, once for each
 * configuration of it.
 */
export async function rankTools(
  servers: readonly McpServer[],
  query: string,
): Promise<(server: McpServer, tool: McpTool) => number> {
  const ranked: { index: Index; scores: Float64Array }[] = [];
  for (const server of servers) {
    const index = indexes.get(server) ?? (await makeIndex(server));
    ranked.push({ index, scores: new Float64Array(server.offered.length) });
  }
  const total = servers.reduce((sum, { offered }) => sum + offered.length, 0);
  for (const term of [...new Set(wordsIn(query))].slice(0, MAX_TERMS)) {
    const matches = ranked.map(({ index }) => matchesOf(index, term));
    let found = 0;
    for (const { count } of matches) found += count;
    const rarity = Math.log(1 + total / Math.max(1, found));
    for (const [at, { scores }] of ranked.entries()) addScaled(scores, matches[at]?.weights ?? NO_WEIGHTS, rarity);
  }
  const byServer = new Map(servers.map((server, at) => [server, ranked[at]]));
  return (server, tool) => {
    const { index, scores } = byServer.get(server) ?? {};
    return scores?.[index?.positions.get(tool) ?? -1] ?? 0;
  };
}

function addScaled(scores: Float64Array, weights: Float64Array, factor: number): void {
  for (let at = 0; at < scores.length; at += 1) scores[at] = (scores[at] ?? 0) + (weights[at] ?? 0) * factor;
}

/** The best match of a term in each tool, and how many tools have one. */
function matchesOf({ words, positions }: Index, term: string): Readonly<{ weights: Float64Array; count: number }> {
  const weights = new Float64Array(positions.size);
  let count = 0;
  for (const [word, postings] of words) {
    const share = similarity(word, term);
    if (share === 0) continue;
    for (const { at, weight } of postings) {
      const before = weights[at] ?? 0;
      if (before === 0) count += 1;
      if (weight * share > before) weights[at] = weight * share;
    }
  }
  return { weights, count };
}

function similarity(word: string, term: string): number {
  if (word === term) return 1;
  const isPrefix =
    (term.length >= MIN_TERM_PREFIX && word.startsWith(term)) ||
    (word.length >= MIN_WORD_PREFIX && term.startsWith(word));
  return isPrefix ? PREFIX_SHARE : 0;
}

async function makeIndex(server: McpServer): Promise<Index> {
  const words = new Map<string, Posting[]>();
  for (const [at, tool] of server.offered.entries()) {
    for (const [word, weight] of weightsOf(server, tool)) {
      const postings = words.get(word) ?? [];
      postings.push({ at, weight });
      words.set(word, postings);
    }
    if (at % TOOLS_AT_ONCE === 0) await setImmediate();
  }
  const index = {
    words,
    positions: new Map(server.offered.map((tool, at) => [tool, at])),
  };
  indexes.set(server, index);
  return index;
}

function weightsOf({ name: server }: McpServer, { name, title, description }: McpTool): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsIn(text)) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  };
  add(name, NAME_WEIGHT);
  add(title ?? "", TITLE_WEIGHT);
  add(server, SERVER_WEIGHT);
  add((description ?? "").slice(0, MAX_INDEXED_LENGTH), DESCRIPTION_WEIGHT);
  return weights;
}

/** Lowercase words: parts of `camelCase` and `snake_case`, and pairs of characters in scripts without spaces. */
function wordsIn(text: string): readonly string[] {
  if (ASCII.test(text)) {
    return (
      text
        .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .match(/[a-z0-9]{1,64}/g) ?? []
    );
  }
  const separated = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (separated.match(/[\p{L}\p{M}\p{N}]{1,64}/gu) ?? []).flatMap((run) =>
    WITHOUT_SPACES.test(run) ? pairsIn(run) : run,
  );
}

function pairsIn(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
