import { type Findings, ROOT } from "../source.ts";

/** Commits after this one are checked. */
const SINCE = "ea99626f";
/** Pushed with a placeholder for its subject; shared history is not rewritten. */
const EXEMPT = ["594bac5"];
const MAX_LENGTH = 72;
const CONVENTIONAL = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([a-z0-9/-]+\))?!?: \S/;

/**
 * The first lines of the commits to check, newest first. Empty where there is no git, no repository, or a shallow clone
 * without the commit that the check starts from.
 */
export function readSubjects(folder = ROOT): string[] {
  if (!Bun.which("git")) return [];
  const range = `${SINCE}..HEAD`;
  const { exitCode, stdout } = Bun.spawnSync(["git", "log", "--no-merges", "--format=%h %s", range], { cwd: folder });
  return exitCode === 0 ? stdout.toString().split("\n").filter(Boolean) : [];
}

/** Checks commits, each `hash subject`, against Conventional Commits (https://www.conventionalcommits.org). */
export function checkCommitMessages(commits: readonly string[]): Findings {
  const problems = commits.flatMap((commit) => {
    const [, hash = "", subject = ""] = commit.match(/^(\S+) (.*)$/) ?? [];
    if (EXEMPT.some((exempt) => hash.startsWith(exempt))) return [];
    if (subject.length > MAX_LENGTH) return [`${hash} "${subject}": more than ${MAX_LENGTH} characters`];
    return CONVENTIONAL.test(subject)
      ? []
      : [`${hash} "${subject}": not like "fix(billing): charge cached tokens once"`];
  });
  return { problems };
}
