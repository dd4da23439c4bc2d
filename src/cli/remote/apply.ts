import { createInterface } from "node:readline/promises";
import { siteClient } from "./management-client.ts";
import { type Plan, printPlan, readPlan } from "./print-plan.ts";
import { type FileProblem, type LoadedFiles, readFiles } from "./read-files.ts";
import type { ApplyCommand } from "./remote-arguments.ts";
import { readSecretsFile } from "./secrets-file.ts";

const PENDING = 2;

/**
 * Makes a running site what the files say: shows the plan, asks, and has it applied as a whole. Returns the exit code: 0 nothing is
 * left to do, 1 it failed and nothing was changed, 2 a dry run found changes. Rejects SiteError.
 */
export async function apply(command: ApplyCommand, env: NodeJS.ProcessEnv): Promise<number> {
  const { asJson, prunes } = command;
  const secrets = command.secretsFile === null ? {} : await readSecretsFile(command.secretsFile);
  const loaded = await readFiles(command.files, { ...env, ...secrets });
  if (loaded.problems.length > 0) return fail(loaded.problems, asJson);
  const call = siteClient(command.site, env);
  const label = command.label ?? loaded.label ?? "files";
  const send = async (more: object) =>
    readPlan(
      await call("POST", "/api/configuration/apply", { document: loaded.document, label, prune: prunes, ...more }),
    );
  const plan = await send({ dry_run: true });
  if (plan.problems.length > 0) return fail(placed(loaded, plan), asJson);
  const { stdout } = process;
  stdout.write(asJson ? `${JSON.stringify(plan, null, 2)}\n` : printPlan(plan, stdout.isTTY && !env.NO_COLOR));
  if (command.isDry) return plan.changes.length > 0 ? PENDING : 0;
  if (plan.changes.length > 0 && !command.isConfirmed && !(await confirm())) {
    process.stderr.write("Nothing was changed. Add --yes to apply without being asked.\n");
    return 1;
  }
  const done = await send({ expected: plan.digest });
  if (done.problems.length > 0) return fail(placed(loaded, done), asJson);
  if (!asJson && plan.changes.length > 0) stdout.write("Applied.\n");
  return 0;
}

const placed = ({ placeOf }: LoadedFiles, { problems }: Plan): FileProblem[] =>
  problems.map(({ message, ...spot }) => ({ ...placeOf(spot), message }));

function fail(problems: readonly FileProblem[], asJson: boolean): number {
  if (asJson) process.stdout.write(`${JSON.stringify({ problems }, null, 2)}\n`);
  for (const { file, line, field, message } of asJson ? [] : problems) {
    const place = [file, ...(line > 0 ? [line] : [])].join(":");
    process.stderr.write(`${place}: ${field === "" ? "" : `${field}: `}${message}\n`);
  }
  if (!asJson) process.stderr.write("Nothing was changed.\n");
  return 1;
}

async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question("Apply? (yes/no) ");
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}
