import { checkScores } from "../measure/mutation/scores.ts";
import { checkFileLength } from "./file-length.ts";
import { checkContextParameters } from "./folders/context-parameters.ts";
import { checkFolderOrder } from "./folders/folder-order.ts";
import { checkFolderSize, projectFiles } from "./folders/folder-size.ts";
import { checkSubjects, readSubjectTable } from "./folders/subjects.ts";
import { checkForbiddenCalls } from "./forbidden-calls.ts";
import { checkCommitMessages, readSubjects } from "./history/commit-messages.ts";
import { checkMigrations, readMigrationFiles } from "./history/migrations.ts";
import { checkRequestMembers } from "./request-members.ts";
import { type Findings, ROOT, readSources } from "./source.ts";
import { checkUnusedTexts } from "./unused-texts.ts";
import { checkWords, readTexts } from "./words.ts";

export type CheckResult = Readonly<{ name: string; ok: boolean; ms: number; output: string }>;

type Check = Readonly<{ name: string; run: (signal?: AbortSignal) => Promise<Omit<CheckResult, "name" | "ms">> }>;

/** Takes longer than the others together. A second checker would check much again: 20 of 66 seconds and 1 GB more. */
const TYPES = command("types", ["tsc", "--noEmit", "--project", ".", "--checkers", "1"]);

const OTHERS: readonly Check[] = [
  command("format and lint", [
    "biome",
    "check",
    "--config-path",
    "scripts",
    "src",
    "ui",
    "db",
    "scripts",
    "test",
    "docs/.vitepress",
  ]),
  command("unused files, exports and packages", [
    "knip",
    "--config",
    "scripts/checks/config/knip.json",
    "--no-progress",
  ]),
  command("duplicates", [
    "jscpd",
    "--config",
    "scripts/checks/config/jscpd.json",
    "src",
    "ui",
    "db",
    "scripts",
    "test",
  ]),
  command("layers and cycles", [
    "depcruise",
    "--config",
    "scripts/checks/layers.ts",
    "-T",
    "err-long",
    "src",
    "ui",
    "db",
  ]),
  command("spelling", [
    "cspell",
    "lint",
    "--no-progress",
    "--no-summary",
    "--config",
    "scripts/checks/config/cspell.json",
    "--cache",
    "--cache-strategy",
    "content",
    "--cache-location",
    "node_modules/.cache/cspell.json",
    "{src,ui,db,scripts,test}/**/*.{ts,tsx,sh}",
    "ui/locales/en/**/*.json",
    "{docs/**/,}*.md",
    "docs/contributing/asvs.json",
    "deploy/{grafana,prometheus,systemd,compose}/**",
    "deploy/helm/sluice/values.yaml",
  ]),
  own("answers of the API", checkAnswers),
  own("words", () => checkWords([...readSources(), ...readTexts()])),
  own("forbidden calls", () => checkForbiddenCalls(readSources())),
  own("request members", () => checkRequestMembers(readSources())),
  own("unused texts", () => checkUnusedTexts(readSources())),
  own("file length", () => checkFileLength(readSources())),
  own("folder order", () => checkFolderOrder(readSources())),
  own("context parameters", () => checkContextParameters(readSources())),
  own("folder size", async () => checkFolderSize(await projectFiles())),
  own("migrations", async () => {
    const { files, releases } = await readMigrationFiles();
    return checkMigrations(files, releases);
  }),
  own("subjects", async () => checkSubjects(await projectFiles(), readSubjectTable())),
  own("mutation scores", async () => checkScores(ROOT)),
  own("commit messages", () => checkCommitMessages(readSubjects())),
];

/** Runs every check, types at the same time as the others, and calls `report` with each as it ends. `signal` ends them. */
export async function runChecks(report: (result: CheckResult) => void, signal?: AbortSignal): Promise<CheckResult[]> {
  const results = await Promise.all([[TYPES], OTHERS].map((checks) => runInOrder(checks, report, signal)));
  return results.flat();
}

/** In a process of its own: a second compiler takes 1 GB. */
async function checkAnswers(): Promise<Findings> {
  const script = `${ROOT}/scripts/docs/answers/answers.ts`;
  const child = Bun.spawn([process.execPath, script, "--check"], { cwd: ROOT, stdout: "ignore", stderr: "pipe" });
  const complaint = await Bun.readableStreamToText(child.stderr);
  return { problems: (await child.exited) === 0 ? [] : [complaint.trim()] };
}

async function runInOrder(
  checks: readonly Check[],
  report: (result: CheckResult) => void,
  signal?: AbortSignal,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    if (signal?.aborted) break;
    const start = performance.now();
    const outcome = await check.run(signal);
    const result = { ...outcome, name: check.name, ms: Math.round(performance.now() - start) };
    results.push(result);
    report(result);
  }
  return results;
}

function command(name: string, [program, ...args]: readonly [string, ...string[]]): Check {
  return {
    name,
    async run(signal) {
      // Through Bun itself: a machine without Node can run the checks too.
      const child = Bun.spawn([process.execPath, "--bun", `${ROOT}/node_modules/.bin/${program}`, ...args], {
        cwd: ROOT,
        // They end before their code is worth compiling for most speed.
        env: { ...process.env, NO_COLOR: "1", BUN_JSC_useFTLJIT: "0" },
        stdout: "pipe",
        stderr: "pipe",
        signal,
      });
      const [out, err, code] = await Promise.all([
        Bun.readableStreamToText(child.stdout),
        Bun.readableStreamToText(child.stderr),
        child.exited,
      ]);
      return { ok: code === 0, output: code === 0 ? "" : `${out}${err}`.trim() };
    },
  };
}

function own(name: string, check: () => Findings | Promise<Findings>): Check {
  return {
    name,
    async run() {
      const { problems, warnings = [] } = await check();
      const lines = [...problems, ...warnings.map((warning) => `warning: ${warning}`)];
      return { ok: problems.length === 0, output: lines.join("\n") };
    },
  };
}
