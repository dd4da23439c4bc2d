import { anthropicRules } from "../../src/formats/anthropic/request/request-rules.ts";
import { geminiRules } from "../../src/formats/gemini/request/request-rules.ts";
import { openaiRules } from "../../src/formats/openai-chat/request/request-rules.ts";
import { responsesRules } from "../../src/formats/openai-responses/request/request-rules.ts";
import type { RequestRules } from "../../src/formats/request-rules.ts";
import { type Findings, lineAt, type SourceFile } from "./source.ts";

type Reader = Readonly<{
  rules: RequestRules;
  /** The files that read requests of this format. */
  files: RegExp;
  /** Finds names of members; its first group is the name. */
  names: RegExp;
  /** Names that are found, but are no members of a request. */
  others?: readonly string[];
}>;

/** Property names with underscores are never the gateway's own. */
const UNDERSCORED = /(?:\.|[{,] )([a-z]+(?:_[a-z0-9]+)+)(?=[\s,;:)}?.=!\]])/g;
/** How members of Google's requests are read, in either spelling. */
const EITHER = /(?:either\([^"()]*(?:\([^()]*\))?[^"()]*|(?:option|integer)\()"([A-Za-z]+)"/g;

const READERS: readonly Reader[] = [
  {
    rules: openaiRules,
    files:
      /^src\/(formats\/openai-chat\/request\/|gateway\/(request\/endpoints\/(text|embeddings)|money\/settle|routing\/conversation-key|adapters\/passthrough-adapter)\.ts$)/,
    names: UNDERSCORED,
    // Tools as counted, a setting, and facts of the model catalog.
    others: [
      "google_search",
      "web_search",
      "web_search_preview",
      "search_billing",
      "pass_through_request_enabled",
      "can_disable",
      "min_budget",
      "max_budget",
    ],
  },
  {
    rules: responsesRules,
    files: /^src\/formats\/openai-responses\/request\//,
    names: UNDERSCORED,
    // The part below which a log probability stands.
    others: ["output_text"],
  },
  {
    rules: anthropicRules,
    files: /^src\/formats\/anthropic\/request\//,
    names: UNDERSCORED,
    // Facts of the model catalog.
    others: ["can_disable", "output_limit"],
  },
  { rules: geminiRules, files: /^src\/formats\/gemini\/request\//, names: EITHER },
];

/**
 * Checks that each member of a request that the code reads stands in the list of its format: a second spelling of a member
 * that is missing there would reach the provider unseen.
 */
export function checkRequestMembers(files: readonly SourceFile[]): Findings {
  const problems = READERS.flatMap(({ rules, files: readers, names, others = [] }) => {
    const sources = files.filter(({ path }) => readers.test(path) && !/\.test\.ts$|\/[^/]*encode/.test(path));
    if (sources.length === 0) return [`no file matches ${readers}: request-members.ts`];
    return sources.flatMap(({ path, text }) =>
      [...text.matchAll(names)]
        .filter(([, name = ""]) => !rules.members.isFreeByName.has(name) && !others.includes(name))
        .map(
          ({ 1: name, index }) => `${path}:${lineAt(text, index)}: "${name}" is not in request-rules.ts of its format`,
        ),
    );
  });
  return { problems };
}
