import { type Language, say } from "../../../lib/messages.ts";
import { reasonOf } from "../../../lib/reason.ts";
import { checkChannels, checkPrices } from "./checks/check-channels.ts";
import { checkDatabase } from "./checks/check-database.ts";
import { checkJobs } from "./checks/check-jobs.ts";
import { checkJournal } from "./checks/check-journal.ts";
import { checkClock, checkDisk, checkMachine } from "./checks/check-machine.ts";
import { checkSecrets } from "./checks/check-secrets.ts";
import { checkMail, checkRedis } from "./checks/check-services.ts";
import { checkStreams } from "./checks/check-streams.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";
import { type Finding, type State, trouble } from "./diagnostics-context.ts";

/** In the order in which they are shown. */
export const CHECKS = [
  "database",
  "disk",
  "clock",
  "journal",
  "jobs",
  "streams",
  "mail",
  "redis",
  "secrets",
  "channels",
  "prices",
  "machine",
] as const;
export type Check = (typeof CHECKS)[number];

const RUN: Readonly<Record<Check, (context: DiagnosticsContext) => Promise<Finding[]>>> = {
  database: checkDatabase,
  disk: checkDisk,
  clock: checkClock,
  journal: checkJournal,
  jobs: checkJobs,
  streams: checkStreams,
  mail: checkMail,
  redis: checkRedis,
  secrets: checkSecrets,
  channels: checkChannels,
  prices: checkPrices,
  machine: checkMachine,
};

/** What a check found, in words; `state` is that of the worst finding. */
export type Report = Readonly<{
  check: Check;
  title: string;
  state: State;
  findings: { state: State; found: string; fix: string | null }[];
}>;

/** Runs one check. Never rejects: a check that fails is a finding itself. */
export async function examine(context: DiagnosticsContext, check: Check, language: Language): Promise<Report> {
  const findings = await RUN[check](context).catch((error): Finding[] => [
    trouble("fail", ["doctor_check_failed", { reason: reasonOf(error) }], ["doctor_fix_check_failed"]),
  ]);
  return reportOf(check, findings, language);
}

/** Findings in words. */
export function reportOf(check: Check, findings: readonly Finding[], language: Language): Report {
  return {
    check,
    title: say(`doctor_title_${check}`, language),
    state: worstOf(findings),
    findings: findings.map(({ state, found: [code, params], fix }) => ({
      state,
      found: say(code, language, params),
      fix: fix ? say(fix[0], language, fix[1]) : null,
    })),
  };
}

const BY_WEIGHT: readonly State[] = ["fail", "warn", "ok", "skip"];

const worstOf = (findings: readonly Finding[]): State =>
  BY_WEIGHT.find((candidate) => findings.some(({ state }) => state === candidate)) ?? "skip";
