import { type Findings, isTestFile, lineAt, type SourceFile, withoutComments } from "../source.ts";

/** Functions that may take everything: those that make it, and the table of routes. */
const MOST = 30;
const ALL = /[(,{}\w]\s*:\s*(?:Gateway(?:Context|Services))\s*(?=[,)=])/g;

/**
 * Checks that functions of the gateway name what they need instead of taking its full context: what a function can reach
 * says what it may depend on, and a test has to provide no more.
 */
export function checkContextParameters(sources: readonly SourceFile[], most = MOST): Findings {
  const found = sources
    .filter(({ path }) => path.startsWith("src/gateway/") && !isTestFile(path))
    .flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(ALL)].map(({ index }) => `${path}:${lineAt(text, index + 1)}`),
    );
  if (found.length <= most) return { problems: [] };
  const reason = "name what a function needs: Uses<…>, a Pick, or the context of what it calls";
  return {
    problems: [
      `${found.length} parameters take all of the gateway's context (at most ${most}); ${reason}: ${found.join(", ")}`,
    ],
  };
}
